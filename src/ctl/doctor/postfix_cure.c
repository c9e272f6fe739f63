/* postfix_cure - lines for postconf(1). small: the two ways to quote and to set, apart from checks.
 */
#include "ctl/doctor/postfix_cure.h"

#include "ctl/doctor/cure.h"

/* postconf -P takes no blanks in a value (seen with 3.7); a list of milters needs none. */
void cure_postconf(struct strbuf *out, const struct postfix_service *service, const char *parameter,
                   struct span value)
{
    struct strbuf setting = STRBUF_INIT;
    if (service != NULL) {
        strbuf_add_span(&setting, service->name);
        strbuf_add_char(&setting, '/');
        strbuf_add_span(&setting, service->type);
        strbuf_addf(&setting, "/%s=", parameter);
        for (size_t i = 0; i < value.n; i++)
            if (value.p[i] != ' ' && value.p[i] != '\t')
                strbuf_add_char(&setting, value.p[i]);
    } else {
        strbuf_addf(&setting, "%s = ", parameter);
        strbuf_add_span(&setting, value);
    }
    strbuf_add_str(out, service != NULL ? "postconf -P " : "postconf -e ");
    cure_add_word(out, strbuf_str(&setting));
    strbuf_add_str(out, " && postfix reload");
    strbuf_free(&setting);
}
