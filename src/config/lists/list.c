/* list - see list.h. Short, since a list is built elsewhere and only read here. */
#include "config/lists/list.h"

#include "mail/address.h"
#include "spec/list_id.h"

struct span list_field(const struct list *list, enum field_name name)
{
    if (name < LIST_FIRST_FIELD || name > LIST_LAST_FIELD)
        return span_of(NULL, 0);
    return list->fields[name - LIST_FIRST_FIELD];
}

static void set(struct variable_values *values, enum variable variable, struct span text)
{
    values->set |= VAR_BIT(variable);
    values->text[variable] = text;
}

void list_variables(const struct list *list, struct variable_values *values)
{
    set(values, VAR_LIST_ID, list->id);
    set(values, VAR_LIST_LABEL, list_id_label(list->id));
    set(values, VAR_LIST_NAMESPACE, list_id_namespace(list->id));
    if (list->address.n > 0) {
        set(values, VAR_ADDRESS, list->address);
        set(values, VAR_ADDRESS_LOCAL, address_local(list->address));
        set(values, VAR_ADDRESS_DOMAIN, address_domain(list->address));
    }
    if (list->archive.n > 0)
        set(values, VAR_ARCHIVE, list->archive);
}
