/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of Relax operators: which type their attributes have
 * (relax_attrs.def), which names after "R." are operators in a script; and of
 * objects that this tool keeps as they are, which of their fields are numbers
 * in place (inline.def).
 */
#include "ir/ir.h"

#include <string.h>

static const struct {
    const char *op, *type;
} relax[] = {
#define RELAX_ATTRS(op, type) {"relax." op, "relax.attrs." type},
#include "ir/relax_attrs.def"
#undef RELAX_ATTRS
};

const char *rx_op_attrs(const char *op)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(relax); i++)
        if (strcmp(relax[i].op, op) == 0)
            return relax[i].type;
    return NULL;
}

/* Names that mean something else than an operator after "R.": types, values,
 * statements of a script. */
static const char *const others[] = {
    "Tensor", "Shape",      "Tuple",     "Prim",       "Callable",
    "Object", "Any",        "shape",     "const",      "tuple",
    "str",    "prim_value", "dtype",     "match_cast", "dataflow",
    "Op",     "output",     "func_attr", "ExternFunc", "call_packed",
};

/* Operators whose result type is an argument, and the attributes they take. */
static const struct {
    const char *op, *attrs;
} results[] = {
    {"relax.call_tir", ""},
    {"relax.call_tir_inplace", "inplace_indices"},
    {"relax.call_dps_packed", ""},
    {"relax.call_tir_with_grad", "te_grad_name te_grad_kwargs"},
};

enum rx_op_form rx_op_form(const char *op)
{
    static const char space[] = "relax.";
    if (strncmp(op, space, sizeof space - 1) != 0)
        return RX_FORM_OTHER;
    for (size_t i = 0; i < DC_ARRAY_LEN(results); i++)
        if (strcmp(results[i].op, op) == 0)
            return RX_FORM_RESULT;
    for (size_t i = 0; i < DC_ARRAY_LEN(others); i++)
        if (strcmp(others[i], op + sizeof space - 1) == 0)
            return RX_FORM_OTHER;
    return RX_FORM_PLAIN;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = strstr(words, word); p && len; p = strstr(p + 1, word))
        if ((p == words || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
            return true;
    return false;
}

bool rx_op_takes(const char *op, const char *attr)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(results); i++)
        if (strcmp(results[i].op, op) == 0)
            return has_word(results[i].attrs, attr);
    return false;
}

bool ir_script_hides(const char *name)
{
    static const char *const names[] = {"T",   "R",     "I",    "Module",
                                        "cls", "range", "float"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const struct {
    const char *type;
    const char *fields; /* separated by blanks */
} inlined[] = {
#define INLINE(type, fields) {type, fields},
#include "ir/inline.def"
#undef INLINE
};

/* Relax attributes whose data type is inline before TVM 0.26 and a node
 * after. */
bool ir_field_is_loose_dtype(const char *type, const char *field)
{
    static const char *const prefixes[] = {
        "relax.attrs.Argsort", "relax.attrs.Conv",   "relax.attrs.Init",
        "relax.attrs.Matmul",  "relax.attrs.Scanop", "relax.attrs.TopK"};
    if (strcmp(field, "dtype") != 0 && strcmp(field, "out_dtype") != 0)
        return false;
    for (size_t i = 0; i < DC_ARRAY_LEN(prefixes); i++)
        if (strncmp(type, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool ir_field_is_inline(const char *type, const char *field)
{
    const char *dot = strrchr(type, '.');
    const char *base = dot ? dot + 1 : type;
    for (size_t i = 0; i < DC_ARRAY_LEN(inlined); i++)
        if (strcmp(inlined[i].type, base) == 0)
            return has_word(inlined[i].fields, field);
    return false;
}
