/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the IR as C identifiers: letters, digits and '_' stay, other bytes
 * become '_'. What may mean something to a compiler, to a header or to the rest
 * of the program gets a '_' behind it: words of the languages, names in
 * capitals, which are macros, functions, the families of the runtime text. What
 * is taken gets a number. All names of one translation are distinct, so no
 * scope hides another.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* Words of C, C++ and their drafts; each list begins and ends with a blank. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case "
    "catch char char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit "
    "continue decltype default delete do double dynamic_cast else enum "
    "explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast requires restrict "
    "return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw true try typedef typeid "
    "typename typeof typeof_unqual union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

/* Macros in small letters of the headers that programs include, and of
 * compilers; on other systems, too. */
static const char macros[] =
    " L_ctermid L_cuserid L_tmpnam P_tmpdir alloca arm assert complex "
    "errno fpclassify htobe16 i386 iscanonical iseqsig isfinite isgreater "
    "isgreaterequal isinf isless islessequal islessgreater isnan isnormal "
    "issignaling issubnormal isunordered iszero linux loff_t major makedev "
    "math_errhandling minor offsetof signbit stderr stdin stdout strdupa "
    "strndupa unix ";

/* Names that emitted code has for itself, in which no IR name may stand. */
static const char locals[] =
    " arg dim first_lane lane lanes other_tid ti tid tile_byte tile_column "
    "tile_row tile_sum tile_unit tj tk tu warp ";

/* Functions that emitted code calls and attributes that it gives, and what libc
 * declares under names that arrays like. Those of mathematics also with an
 * 'f' or an 'l' behind them. */
static const char functions[] =
    " abort abs acos acosh aligned asin asinh atan atan2 atanh calloc ceil "
    "cleanup clock copysign cos cosh div erf exit exp exp10 exp2 fabs fail "
    "fclose fixed_point floor fma fma_odd fmod fopen fprintf fread free "
    "fwrite gamma heap_drop heap_get hypot index j0 j1 jn ldexp lgamma log "
    "log10 log1p log2 main malloc may_alias memcpy memmove memset nearbyint "
    "nextafter pow printf rand random read remove rename "
    "reqd_work_group_size rindex rint round row_dot row_element select "
    "shuffle_down shuffle_in shuffle_index shuffle_up shuffle_xor signal "
    "signgam sin sinh snprintf sqrt strchr strcmp strlen strncmp strspn "
    "strstr strtoll tan tanh time trunc write y0 y1 yn ";

/* Words of OpenCL C and CUDA C++ beside those, and names of programs for
 * devices. */
static const char device_words[] =
    " as_double as_float as_uint as_ulong atomicAdd atomic_add "
    "atomic_cmpxchg barrier blockDim blockIdx clz constant dim3 event_t "
    "failure generic get_group_id get_local_id get_num_groups global "
    "gridDim half host_write image2d_t kernel local messages nvcuda pipe "
    "popcount quad read_only read_write rint sampler_t size_t threadIdx "
    "uchar uint ulong uniform ushort vec_step warpSize write_only ";

/* Families of names: of the runtime text, of the project, of devices' and
 * libraries' headers. */
static const char *const starts[] = {
    "_",
    "diffcheck",
    "PRI",
    "SCN",
};
static const char *const device_starts[] = {
    "device", "cuda", "cl_", "CL_", "CUDA", "atomic_", "get_global_",
};
static const char *const ends[] = {
    "_i8",  "_i16", "_i32",  "_i64",  "_u8",   "_u16", "_u32",  "_u64",  "_f16",
    "_f32", "_f64", "_bf16", "_e4m3", "_e5m2", "_t",   "_bool", "_small"};
/* With a number behind them they are vectors: "float4". */
static const char *const vectors[] = {
    "char",  "uchar", "short", "ushort", "int",      "uint",      "long",
    "ulong", "half",  "float", "double", "longlong", "ulonglong",
};

#define STARTS_WITH(list, text) starts_with(list, DC_ARRAY_LEN(list), text)

/* Whether the identifier is among words with blanks around them. */
static bool is_one_of(const char *words, const char *text)
{
    size_t n = strlen(text);
    for (const char *p = words; (p = strstr(p, text)) != NULL; p++)
        if (p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

static bool starts_with(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(list[i], text, strlen(list[i])) == 0)
            return true;
    return false;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool emit_is_word(char c)
{
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}

bool emit_is_identifier(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!emit_is_word(*p))
            return false;
    return text[0] != '\0' && !is_digit(text[0]);
}

/* MAX_RANK, INT8_MIN, M_PIl, HUGE_VAL_F64x; not A, B2, M_shared. */
static bool looks_like_macro(const char *text)
{
    size_t upper = 0;
    if (strncmp(text, "M_", 2) == 0 && !is_lower(text[2]) &&
        strpbrk(text + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL)
        return true;
    for (const char *p = text; *p; p++) {
        if (is_lower(*p) && (*p != 'x' || p[1] != '\0'))
            return false;
        upper += is_upper(*p) ? 1 : 0;
    }
    return upper > 1;
}

/* "expf", "cosl", "lgammaf_r" beside "exp", "cos", "lgamma". */
static bool is_function(const char *text)
{
    size_t n = strlen(text);
    char bare[16];
    if (is_one_of(functions, text))
        return true;
    if (n < 4 || n > sizeof bare || (text[n - 1] != 'f' && text[n - 1] != 'l'))
        return false;
    memcpy(bare, text, n - 1);
    bare[n - 1] = '\0';
    return is_one_of(functions, bare);
}

/* Names of the runtime text end in a type: "add_i32". */
static bool has_end(const char *text)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++)
        if (text_ends_in(text, ends[i]))
            return true;
    return false;
}

static bool is_device_word(const char *text)
{
    size_t n = strcspn(text, "0123456789");
    if (is_one_of(device_words, text) || STARTS_WITH(device_starts, text) ||
        text_ends_in(text, "_bytes"))
        return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(vectors); i++)
        if (n == strlen(vectors[i]) && text[n] != '\0' &&
            strncmp(vectors[i], text, n) == 0 &&
            text[n + strspn(text + n, "0123456789")] == '\0')
            return true;
    return false;
}

/* What a header, a compiler or the rest of the program may give a meaning. */
static bool is_reserved(const struct emitter *em, const char *text)
{
    return is_one_of(keywords, text) || is_one_of(macros, text) ||
           is_one_of(locals, text) || is_function(text) ||
           looks_like_macro(text) || has_end(text) ||
           STARTS_WITH(starts, text) ||
           (em->device != NULL && is_device_word(text));
}

/* ---- those that are taken ------------------------------------------------------------ */

static size_t slot_of(const struct name_table *t, const char *text)
{
    size_t i = (size_t)hash_bytes(0, text, strlen(text)) & (t->cap - 1);
    while (t->slots[i].text != NULL && strcmp(t->slots[i].text, text) != 0)
        i = (i + 1) & (t->cap - 1);
    return i;
}

static void grow(struct name_table *t)
{
    struct name_table old = *t;
    t->cap = old.cap > 0 ? old.cap * 2 : 64;
    t->slots = dc_alloc(t->cap * sizeof *t->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].text != NULL)
            t->slots[slot_of(t, old.slots[i].text)] = old.slots[i];
    dc_release(old.slots);
}

/* False: it was taken. */
static bool take(struct emitter *em, const char *text)
{
    struct name_table *t = &em->taken;
    if (t->len * 4 >= t->cap * 3)
        grow(t);
    size_t at = slot_of(t, text);
    if (t->slots[at].text != NULL)
        return false;
    t->slots[at].text = text;
    t->len++;
    vec_push(&em->names, text);
    return true;
}

void emit_name_take(struct emitter *em, const char *text)
{
    (void)take(em, emit_text_printf(em, "%s", text));
}

void emit_names_fini(struct emitter *em)
{
    dc_release(em->taken.slots);
    vec_fini(&em->names);
}

/* ---- names ---------------------------------------------------------------------------- */

#define NAME_MAX_BYTES 60

const char *emit_name_make(struct emitter *em, const char *name)
{
    char text[NAME_MAX_BYTES + 4];
    size_t n = 0;
    if (name == NULL || name[0] == '\0' || is_digit(name[0]))
        text[n++] = 'v';
    for (const char *p = name != NULL ? name : ""; *p && n < NAME_MAX_BYTES;
         p++)
        text[n++] = emit_is_word(*p) ? *p : '_';
    text[n] = '\0';
    if (is_reserved(em, text)) {
        if (text[0] == '_') {
            memmove(text + 1, text, n + 1);
            text[0] = 'v';
            n++;
        }
        text[n++] = '_';
        text[n] = '\0';
    }
    const char *base = emit_text_printf(em, "%s", text), *out = base;
    while (!take(em, out)) {
        unsigned *next = &em->taken.slots[slot_of(&em->taken, base)].next;
        out = emit_text_printf(em, "%s%s%u", base,
                               text[n - 1] == '_' ? "" : "_", ++*next);
    }
    return out;
}
