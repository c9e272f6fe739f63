/* Pieces of command lines: see cure.h. */
#include "ctl/doctor/cure.h"

#include "config/load.h"
#include "ctl/doctor/postfix_values.h"
#include "text/ascii.h"

#include <string.h>

void cure_add_word(struct strbuf *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./:@%+=,";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        strbuf_add_str(out, word);
        return;
    }
    strbuf_add_char(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            strbuf_add_str(out, "'\\''");
        else
            strbuf_add_char(out, *word);
    }
    strbuf_add_char(out, '\'');
}

/* postconf -P takes no blanks in a value (seen with 3.7); a list of milters needs none. */
void cure_add_postconf(struct strbuf *out, const struct postfix_service *service,
                       const char *parameter, struct span value)
{
    struct strbuf setting = STRBUF_INIT;
    if (service == NULL)
        strbuf_addf(&setting, "%s = ", parameter);
    else
        strbuf_addf(&setting, "%.*s/%.*s/%s=", (int)service->name.n, service->name.p,
                    (int)service->type.n, service->type.p, parameter);
    for (size_t i = 0; i < value.n; i++)
        if (service == NULL || !ascii_is_blank(value.p[i]))
            strbuf_add_char(&setting, value.p[i]);
    strbuf_add_str(out, service == NULL ? "postconf -e " : "postconf -P ");
    cure_add_word(out, strbuf_str(&setting));
    strbuf_add_str(out, " && postfix reload");
    strbuf_free(&setting);
}

void cure_add_tool(struct strbuf *out, const char *config_path, const char *command)
{
    strbuf_add_str(out, "mlmilterctl ");
    if (strcmp(config_path, MAIN_FILE_DEFAULT) != 0) {
        strbuf_add_str(out, "-c ");
        cure_add_word(out, config_path);
        strbuf_add_char(out, ' ');
    }
    strbuf_add_str(out, command);
}
