/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the IR as C identifiers: letters, digits and '_' stay, other bytes
 * become '_', and what is taken (a C word, a name of the runtime text, an
 * earlier name) gets a number. All names of one translation are distinct, so
 * no scope hides another.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

static const char *const reserved[] = {
    "alignas",   "alignof",   "and",      "asm",      "auto",     "bool",
    "break",     "case",      "char",     "const",    "continue", "default",
    "do",        "double",    "else",     "enum",     "extern",   "false",
    "float",     "for",       "goto",     "if",       "inline",   "int",
    "long",      "register",  "restrict", "return",   "short",    "signed",
    "sizeof",    "static",    "struct",   "switch",   "true",     "typedef",
    "typeof",    "union",     "unsigned", "void",     "volatile", "while",
    "main",      "errno",     "stdin",    "stdout",   "stderr",   "linux",
    "unix",      "NULL",      "NAN",      "INFINITY", "EOF",      "tid",
    "lane",      "warp",      "fail",     "exp",      "log",      "pow",
    "sin",       "cos",       "tan",      "sqrt",     "floor",    "ceil",
    "round",     "abs",       "div",      "y0",       "y1",       "yn",
    "j0",        "j1",        "jn",       "gamma",    "lgamma",   "signgam",
    "index",     "rindex",    "free",     "malloc",   "exit",     "abort",
    "memcpy",    "printf",    "read",     "write",    "time",     "clock",
    "random",    "rand",      "select",   "remove",   "rename",   "signal",
    "i386",      "arg",       "dim",      "exp2",     "exp10",    "log2",
    "log10",     "log1p",     "sinh",     "cosh",     "tanh",     "asin",
    "acos",      "atan",      "asinh",    "acosh",    "atanh",    "erf",
    "trunc",     "nearbyint", "fabs",     "atan2",    "hypot",    "copysign",
    "nextafter", "fmod",      "ldexp",    "fma",      "isnan",    "isinf",
    "isfinite",  "lgammaf",   "expf",     "logf",     "fmaf",     "powf",
    "sinf",      "cosf",      "tanf",     "sqrtf",    "fabsf",    "tanhf",
    "erff",      "memset",    "calloc",
};

/* Words of OpenCL C and CUDA C++ beside those, and functions that kernels call. */
static const char *const device_words[] = {
    "kernel",       "global",       "local",
    "constant",     "private",      "half",
    "quad",         "uchar",        "ushort",
    "uint",         "ulong",        "uniform",
    "pipe",         "barrier",      "popcount",
    "clz",          "rint",         "host_write",
    "get_local_id", "get_group_id", "atomic_add",
    "event_t",      "image2d_t",    "sampler_t",
    "class",        "new",          "delete",
    "this",         "template",     "typename",
    "namespace",    "operator",     "try",
    "catch",        "throw",        "using",
    "virtual",      "public",       "protected",
    "friend",       "explicit",     "export",
    "mutable",      "not",          "or",
    "xor",          "threadIdx",    "blockIdx",
    "blockDim",     "gridDim",      "warpSize",
    "nullptr",      "constexpr",    "decltype",
    "dim3",         "nvcuda",       "static_assert",
    "noexcept",     "thread_local", "wchar_t",
    "bitand",       "bitor",        "compl",
    "and_eq",       "not_eq",       "or_eq",
    "xor_eq",       "atomicAdd",    "typeid",
    "const_cast",   "dynamic_cast", "static_cast",
    "vec_step",     "read_only",    "write_only",
    "read_write",
};

static bool is_device_word(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(device_words); i++)
        if (strcmp(device_words[i], name) == 0)
            return true;
    /* of the host's runtime text; and vectors: "float4" */
    size_t n = strcspn(name, "0123456789");
    return strncmp(name, "device", 6) == 0 ||
           (name[n] != '\0' && n > 2 &&
            strspn(name + n, "0123456789") == strlen(name + n) &&
            (strncmp(name, "float", n) == 0 || strncmp(name, "int", n) == 0 ||
             strncmp(name, "char", n) == 0 || strncmp(name, "short", n) == 0 ||
             strncmp(name, "long", n) == 0 || strncmp(name, "half", n) == 0 ||
             strncmp(name, "double", n) == 0));
}

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(reserved); i++)
        if (strcmp(reserved[i], name) == 0)
            return true;
    return false;
}

/* Names of the runtime text end in a type ("add_i32") or are of libc
 * ("expf"): IR names that look so get a suffix, as do C's reserved ones. */
static bool looks_like_runtime(const char *name)
{
    static const char *const ends[] = {
        "_i8",   "_i16",  "_i32", "_i64",  "_u8",   "_u16",
        "_u32",  "_u64",  "_f16", "_f32",  "_f64",  "_bf16",
        "_e4m3", "_e5m2", "_t",   "_bool", "_small"};
    size_t n = strlen(name);
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++) {
        size_t k = strlen(ends[i]);
        if (n > k && strcmp(name + n - k, ends[i]) == 0)
            return true;
    }
    return name[0] == '_' || strncmp(name, "diffcheck", 9) == 0;
}

static bool is_taken(const struct emitter *em, const char *name)
{
    for (size_t i = 0; i < em->names.len; i++)
        if (strcmp(em->names.items[i], name) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

#define NAME_MAX_BYTES 60

const char *name_make(struct emitter *em, const char *name)
{
    char text[NAME_MAX_BYTES + 4];
    size_t n = 0;
    if (name == NULL || name[0] == '\0' || (name[0] >= '0' && name[0] <= '9'))
        text[n++] = 'v';
    for (const char *p = name != NULL ? name : ""; *p && n < NAME_MAX_BYTES;
         p++)
        text[n++] = is_word(*p) ? *p : '_';
    text[n] = '\0';
    if (is_reserved(text) || looks_like_runtime(text) ||
        (em->device != NULL && is_device_word(text))) {
        if (text[0] == '_') {
            memmove(text + 1, text, n + 1);
            text[0] = 'v';
            n++;
        }
        text[n++] = '_';
        text[n] = '\0';
    }
    const char *out = text_printf(em, "%s", text);
    for (unsigned i = 1; is_taken(em, out); i++)
        out = text_printf(em, "%s%s%u", text, text[n - 1] == '_' ? "" : "_", i);
    vec_push(&em->names, out);
    return out;
}
