/* SPDX-License-Identifier: Apache-2.0
 *
 * Value domains by number and by name, from the table that the build writes:
 * each is one file of interp/domains/, and nothing else lists them.
 */
#include "interp/machine/exec.h"

#include <string.h>

const struct interp_domain *interp_domain_of(enum interp_domain_kind kind)
{
    for (size_t i = 0; interp_domains[i] != NULL; i++)
        if (interp_domains[i]->kind == kind)
            return interp_domains[i];
    DC_BUG("no domain of kind %d", (int)kind);
}

bool interp_domain_find(const char *name, enum interp_domain_kind *out)
{
    for (size_t i = 0; interp_domains[i] != NULL; i++) {
        *out = interp_domains[i]->kind;
        if (strcmp(interp_domains[i]->name, name) == 0)
            return true;
    }
    return false;
}

bool interp_domain_is_keyed(enum interp_domain_kind kind)
{
    return interp_domain_of(kind)->keyed != NULL;
}
