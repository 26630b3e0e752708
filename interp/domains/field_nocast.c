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
    .plain = true,
    .keyed = &field_rules,
    .literal = keyed_domain_literal,
    .unary = keyed_domain_unary,
    .binary = keyed_domain_binary,
    .fma = keyed_domain_fma,
    .cast = keyed_domain_cast,
    .reinterpret = keyed_reinterpret,
    .settle = keyed_settle,
    .select = keyed_domain_select,
    .choose = keyed_domain_choose,
};
