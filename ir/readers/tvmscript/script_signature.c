/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments that each call takes. Python refuses a call with a keyword that
 * its function does not have, one argument too many, or one given twice; so
 * does this reader, before anything looks at the arguments. A misspelt keyword
 * must not pass for one that was left out.
 *
 * A signature is a text: the names of the arguments in their order; after "|"
 * those that are given by name only; "*" for any number of further ones.
 * `span` and its like say where a program stood and mean nothing here.
 * Operators without a row take operands by position (script_intrin.c), buffers
 * have a signature by age (script_buffer.c).
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* The next word of a signature; false at its end. */
static bool next_word(const char **text, size_t *len, const char **word)
{
    *text += strspn(*text, " ");
    *word = *text;
    *len = strcspn(*text, " ");
    *text += *len;
    return *len > 0;
}

/* How many arguments may be given by position; SIZE_MAX for any number. */
static size_t max_positional(const char *signature)
{
    size_t n = 0, len;
    const char *word;
    while (next_word(&signature, &len, &word) && *word != '|') {
        if (*word == '*')
            return SIZE_MAX;
        n++;
    }
    return n;
}

/* Whether the signature has this keyword; *index: its place among those that
 * may be given by position, or SIZE_MAX. */
static bool has_keyword(const char *signature, const char *kw, size_t *index)
{
    size_t at = 0, len;
    const char *word;
    bool named = false;
    for (; next_word(&signature, &len, &word); at++) {
        named |= *word == '|' || *word == '*';
        if (strlen(kw) == len && strncmp(kw, word, len) == 0) {
            *index = named ? SIZE_MAX : at;
            return true;
        }
    }
    return false;
}

bool script_takes(const char *signature, const char *kw)
{
    size_t index;
    return has_keyword(signature, kw, &index);
}

bool script_check_args(struct script *s, const struct sv_call *c,
                       const char *signature)
{
    size_t most = max_positional(signature), index;
    if (c->nargs > most) {
        script_fail(s, c->pos, "script.type",
                    "'%s' takes at most %zu argument%s here, not %zu", c->name,
                    most, most == 1 ? "" : "s", c->nargs);
        return false;
    }
    for (size_t i = 0; i < c->nkw; i++) {
        if (!has_keyword(signature, c->kw[i], &index)) {
            script_fail(s, c->kwargs[i]->pos, "script.type",
                        "'%s' has no argument '%s'", c->name, c->kw[i]);
            return false;
        }
        if (index < c->nargs) {
            script_fail(s, c->kwargs[i]->pos, "script.type",
                        "argument '%s' of '%s' is given twice", c->kw[i],
                        c->name);
            return false;
        }
    }
    return true;
}

/* Names as in the namespace T; those of R and I with it. */
static const struct {
    const char *name, *args;
} signatures[] = {
    // clang-format off
    /* operators and literals */
    {"Add", "a b span"}, {"Sub", "a b span"}, {"Mul", "a b span"},
    {"Div", "a b span"}, {"Mod", "a b span"}, {"FloorDiv", "a b span"},
    {"FloorMod", "a b span"}, {"Min", "a b span"}, {"Max", "a b span"},
    {"EQ", "a b span"}, {"NE", "a b span"}, {"LT", "a b span"},
    {"LE", "a b span"}, {"GT", "a b span"}, {"GE", "a b span"},
    {"And", "a b span"}, {"Or", "a b span"}, {"BitwiseAnd", "a b span"},
    {"BitwiseOr", "a b span"}, {"BitwiseXor", "a b span"},
    {"LShift", "a b span"}, {"RShift", "a b span"}, {"Not", "a span"},
    {"BitwiseNot", "a span"}, {"min", "a b span"}, {"max", "a b span"},
    {"div", "a b span"}, {"truncdiv", "a b span"}, {"truncmod", "a b span"},
    {"floordiv", "a b span"}, {"floormod", "a b span"},
    {"indexdiv", "a b span"}, {"indexmod", "a b span"},
    {"ceildiv", "a b span"}, {"bitwise_and", "a b span"},
    {"bitwise_or", "a b span"}, {"bitwise_xor", "a b span"},
    {"shift_left", "a b span"}, {"shift_right", "a b span"},
    {"bitwise_not", "a span"},
    {"Cast", "dtype value span"}, {"cast", "value dtype span"},
    {"Select", "condition true_value false_value span"},
    {"if_then_else", "condition true_value false_value span | dtype"},
    {"Ramp", "base stride lanes span"}, {"ramp", "base stride lanes span"},
    {"Broadcast", "value lanes span"}, {"broadcast", "value lanes span"},
    {"Shuffle", "vectors indices span"}, {"shuffle", "vectors indices span"},
    {"Let", "expr where"}, {"let", "var value body span"},
    {"Range", "begin end span"}, {"iter_var", "v dom iter_type thread_tag"},
    {"any", "* span"}, {"all", "* span"}, {"isnan", "x span | dtype"},
    {"infinity", "dtype span"}, {"max_value", "dtype span"},
    {"min_value", "dtype span"}, {"IntImm", "dtype value span"},
    {"FloatImm", "dtype value span"}, {"StringImm", "value span"},
    {"meta_var", "value"}, {"load", "dtype var index predicate"},
    {"address_of", "obj"}, {"type_annotation", "dtype"},
    {"Call", "dtype op args | attrs ret_ty"}, {"call_intrin", "dtype op *"},
    /* types and attribute values */
    {"handle", "dtype storage_scope | is_size_var"},
    {"Ptr", "dtype storage_scope"}, {"ptr", "dtype storage_scope"},
    {"buffer_var", "dtype storage_scope"}, {"TensorMap", ""},
    {"var", "dtype"}, {"Tuple", "*"}, {"DataType", "dtype"},
    {"comm_reducer", "combiner identity"},
    {"index_map", "mapping | inverse_index_map index_dtype"},
    {"target", "target_config host"},
    /* loops and blocks */
    {"grid", "*"}, {"serial", "start stop | annotations step unroll"},
    {"parallel", "start stop | annotations step"},
    {"vectorized", "start stop | annotations step"},
    {"unroll", "start stop | annotations step"},
    {"unrolled", "start stop | annotations step"},
    {"thread_binding", "start stop thread | annotations"},
    {"block", "name no_realize"}, {"sblock", "name no_realize"},
    {"init", ""}, {"reads", "*"}, {"writes", "*"}, {"where", "predicate"},
    {"block_attr", "attrs"}, {"sblock_attr", "attrs"},
    {"axis.remap", "kinds bindings dtype"},
    {"axis.spatial", "dom binding dtype"}, {"axis.S", "dom binding dtype"},
    {"axis.reduce", "dom binding dtype"}, {"axis.R", "dom binding dtype"},
    {"axis.scan", "dom binding dtype"}, {"axis.opaque", "dom binding dtype"},
    {"axis.thread", "dom binding"}, {"axis.unrolled", "dom binding"},
    {"axis.vectorized", "dom binding"}, {"axis.parallelized", "dom binding"},
    {"axis.tensorized", "dom binding"},
    /* statements */
    {"allocate", "extents dtype scope condition annotations"},
    {"allocate_const", "data dtype extents annotations"},
    {"attr", "node attr_key value"}, {"launch_thread", "thread extent"},
    {"env_thread", "thread_tag dtype"}, {"func_attr", "attrs"},
    {"evaluate", "value"}, {"Assert", "condition message error_kind"},
    {"LetStmt", "value type_annotation | var"},
    {"Bind", "value type_annotation | var"},
    {"bind", "value type_annotation | var"},
    {"store", "var index value predicate"},
    {"buffer_store", "buffer value indices predicate"},
    {"Return", "value"}, {"Break", ""}, {"Continue", ""},
    {"While", "condition"},
    /* methods, with the object before their arguments */
    {".vload", "begin dtype predicate"},
    {".vstore", "buffer begin value predicate"}, {".view", "*"},
    {".access_ptr", "access_mask ptr_type content_lanes offset extent"},
    {".astype", "dtype span"}, {".scope", ""},
    /* other namespaces */
    {"range", "start stop step"}, {"TypeVar", "name"},
    {"I.object", "type fields"}, {"I.shape", "dims"},
    {"I.vdevice", "target vdevice_id memory_scope"},
    {"I.dummy_global_info", ""}, {"I.StringType", ""}, {"I.Type", ""},
    {"R.Tensor", "shape dtype vdevice | ndim"}, {"R.Shape", "values | ndim"},
    {"R.Tuple", "*"}, {"R.Prim", "dtype value"},
    {"R.Callable", "params ret purity"}, {"R.Object", ""}, {"R.Any", ""},
    {"R.dataflow", ""}, {"R.output", "*"}, {"R.func_attr", "attrs"},
    {"R.match_cast", "value struct_info | ty"}, {"R.shape", "dims"},
    {"R.const", "value dtype"}, {"R.tuple", "*"}, {"R.prim_value", "value"},
    {"R.str", "value"}, {"R.dtype", "dtype"}, {"R.Op", "name"},
    {"R.ExternFunc", "name"},
    // clang-format on
};

static const char *script_signature(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(signatures); i++) {
        if (strcmp(signatures[i].name, name) == 0)
            return signatures[i].args;
    }
    return NULL;
}

bool script_check_call(struct script *s, const struct sv_call *c,
                       const char *name)
{
    const char *args = script_signature(name);
    return !args || script_check_args(s, c, args);
}
