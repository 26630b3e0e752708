/* SPDX-License-Identifier: Apache-2.0
 *
 * field with conversions between floating types left out: equal results of
 * programs that field tells apart differ in where or to which type they round.
 * The rules are field.c's, which asks for the domain's kind.
 */
#include "interp/keyed/keyed.h"

extern const struct interp_domain field_nocast;
const struct interp_domain field_nocast = {
    .name = "field-nocast",
    .kind = INTERP_FIELD_NOCAST,
    .keyed = &field_rules,
    KEYED_DOMAIN,
};
