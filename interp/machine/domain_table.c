/* SPDX-License-Identifier: Apache-2.0
 *
 * Value domains by number and by name, from the table that the build writes:
 * each is one file of interp/domains/, and nothing else lists them.
 */
#include "interp/machine/exec.h"

#include <string.h>

const struct interp_domain *interp_domain_of(enum interp_domain_kind kind)
{
    if (kind >= INTERP_UNLISTED)
        return interp_domains[kind - INTERP_UNLISTED];
    for (size_t i = 0; interp_domains[i] != NULL; i++)
        if (interp_domains[i]->kind == kind)
            return interp_domains[i];
    DC_BUG("no domain of kind %d", (int)kind);
}

bool interp_domain_find(const char *name, enum interp_domain_kind *out)
{
    for (size_t i = 0; interp_domains[i] != NULL; i++) {
        *out = interp_domains[i]->kind;
        if (*out == INTERP_UNLISTED)
            *out = (enum interp_domain_kind)(INTERP_UNLISTED + i);
        if (strcmp(interp_domains[i]->name, name) == 0)
            return true;
    }
    return false;
}

void interp_domain_names(struct buf *out)
{
    for (size_t i = 0; interp_domains[i] != NULL; i++)
        buf_printf(out, "%s%s", i == 0 ? "" : " ", interp_domains[i]->name);
}

bool interp_domain_is_keyed(enum interp_domain_kind kind)
{
    return interp_domain_of(kind)->keyed != NULL;
}
