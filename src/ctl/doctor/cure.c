/* Pieces of command lines: see cure.h. */
#include "ctl/doctor/cure.h"

#include "config/load.h"

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
