/* SPDX-License-Identifier: Apache-2.0
 *
 * The text that stands in front of emitted functions: only the pieces that
 * they need, each with what it needs itself. A piece is named by its function
 * ("floordiv_i32") or by a C type ("bf16"); families over types are written
 * from templates in which T is the type and S its suffix.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

struct emit_runtime *emit_runtime_new(void)
{
    struct emit_runtime *r = dc_alloc(sizeof *r);
    r->arena = arena_new();
    return r;
}

void emit_runtime_free(struct emit_runtime *r)
{
    if (r == NULL)
        return;
    vec_fini(&r->names);
    buf_fini(&r->text);
    arena_free(r->arena);
    dc_release(r);
}

void emit_runtime_put(const struct emit_runtime *r, struct buf *out)
{
    buf_append(out, buf_text(&r->text), r->text.len);
}

/* Whether the piece is new; it counts as there from now on. */
static bool take(struct emit_runtime *r, const char *name)
{
    for (size_t i = 0; i < r->names.len; i++)
        if (strcmp(r->names.items[i], name) == 0)
            return false;
    vec_push(&r->names, arena_strdup(r->arena, name));
    return true;
}

/* CUDA's functions say where they may run. */
static void put_text(const struct emitter *em, struct emit_runtime *r,
                     const char *text)
{
    static const char word[] = "static inline ";
    if (strncmp(text, "/* SPDX", 7) == 0) /* a file's first line */
        text += strcspn(text, "\n") + 1;
    for (const char *p = text; *p;) {
        bool here = strncmp(p, word, sizeof word - 1) == 0;
        if (here && emit_is_cuda(em))
            buf_puts(&r->text, "static __host__ __device__ inline ");
        else if (here)
            buf_puts(&r->text, word);
        else
            buf_putc(&r->text, *p);
        p += here ? sizeof word - 1 : 1;
    }
}

void emit_need_text(struct emitter *em, const char *text)
{
    struct emit_runtime *r =
        em->device != NULL ? em->device->runtime : em->runtime;
    if (take(r, text))
        put_text(em, r, text);
}

/* ---- templates ---------------------------------------------------------------------- */

struct template
{
    const char *name; /* without the suffix */
    const char *text; /* T type, S suffix, U unsigned type of the same size */
};

static const struct template templates[] = {
    {"add", "static inline T add_S(T a, T b)\n{\n"
            "    return (T)((U)a + (U)b);\n}\n"},
    {"sub", "static inline T sub_S(T a, T b)\n{\n"
            "    return (T)((U)a - (U)b);\n}\n"},
    {"mul", "static inline T mul_S(T a, T b)\n{\n"
            "    return (T)(1u * (U)a * (U)b);\n}\n"},
    {"shl", "static inline T shl_S(T a, T b)\n{\n"
            "    return (T)(1u * (U)a << (b & (8 * sizeof(T) - 1)));\n}\n"},
    {"shr", "static inline T shr_S(T a, T b)\n{\n"
            "    return (T)(a >> (b & (8 * sizeof(T) - 1)));\n}\n"},
    {"floordiv", "static inline T floordiv_S(T a, T b)\n{\n"
                 "    T q = (T)(a / b);\n"
                 "    return (T)(q - (a % b != 0 && (a < 0) != (b < 0)));\n"
                 "}\n"},
    {"floormod", "static inline T floormod_S(T a, T b)\n{\n"
                 "    T r = (T)(a % b);\n"
                 "    return (T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n"
                 "}\n"},
    {"min", "static inline T min_S(T a, T b)\n{\n    return a < b ? a : b;\n"
            "}\n"},
    {"max", "static inline T max_S(T a, T b)\n{\n    return a > b ? a : b;\n"
            "}\n"},
    {"abs", "static inline T abs_S(T a)\n{\n"
            "    return a < 0 ? (T)(0 - (U)a) : a;\n}\n"},
    {"popcount", "static inline T popcount_S(T a)\n{\n"
                 "    return (T)__builtin_popcountll((U)a);\n}\n"},
    {"clz", "static inline T clz_S(T a)\n{\n"
            "    return (T)(a == 0 ? 0 : __builtin_clzll((U)a) - 64 + 8 * "
            "(int)sizeof(T));\n}\n"},
};

/* The types' C names are needed in the text by then. */
static void put_template(const struct emitter *em, struct emit_runtime *r,
                         const char *text, const char *type, const char *suffix)
{
    struct buf all = {0}, *out = &all;
    bool is_int = suffix[0] == 'i' || suffix[0] == 'u';
    for (const char *p = text; *p; p++) {
        bool alone = (p == text || !((p[-1] >= 'a' && p[-1] <= 'z') ||
                                     (p[-1] >= 'A' && p[-1] <= 'Z'))) &&
                     !((p[1] >= 'a' && p[1] <= 'z') ||
                       (p[1] >= 'A' && p[1] <= 'Z') || p[1] == '_');
        if (alone && *p == 'T')
            buf_puts(out, type);
        else if (alone && *p == 'S')
            buf_puts(out, suffix);
        else if (alone && *p == 'U' && is_int)
            buf_printf(out, "uint%s_t", suffix + 1);
        else
            buf_putc(out, *p);
    }
    buf_putc(out, '\n');
    put_text(em, r, buf_text(out));
    buf_fini(out);
}

static const char *type_of_suffix(struct emitter *em, const char *suffix)
{
    if (suffix[0] == 'i')
        return emit_text_printf(em, "int%s_t", suffix + 1);
    if (suffix[0] == 'u')
        return emit_text_printf(em, "uint%s_t", suffix + 1);
    if (strcmp(suffix, "f32") == 0)
        return "float";
    if (strcmp(suffix, "f64") == 0)
        return "double";
    if (strcmp(suffix, "bool") == 0)
        return "bool";
    return emit_type_name(em, dtype_make(DT_FLOAT, 16, 1));
}

static void need_in(struct emitter *em, struct emit_runtime *r,
                    const char *name, bool kernel);

/* ---- soft floats ---------------------------------------------------------------------- */

static const char small_text[] =
    "/* Bits of a small float format: `mant` fraction bits, `emin` the least\n"
    "   exponent of normal numbers, `max` the largest finite code, `over` "
    "what\n"
    "   is beyond it, `nan` the NaN, `sign` the place of the sign. */\n"
    "struct small {\n"
    "    int mant, emin;\n"
    "    uint32_t max, over, nan;\n"
    "    int sign;\n"
    "};\n"
    "\n"
    "/* Rounds once, to nearest even. */\n"
    "static inline uint32_t round_small(double x, struct small f)\n"
    "{\n"
    "    uint64_t b = bits_u64(x);\n"
    "    uint32_t sign = (uint32_t)(b >> 63) << f.sign;\n"
    "    b &= INT64_MAX;\n"
    "    if (b > UINT64_C(0x7ff0000000000000))\n"
    "        return f.nan;\n"
    "    int e = (int)(b >> 52) - 1023;\n"
    "    if (e < f.emin - f.mant - 1)\n"
    "        return sign;\n"
    "    uint64_t m = (b & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;\n"
    "    int shift = 52 - f.mant + (e < f.emin ? f.emin - e : 0);\n"
    "    uint64_t mid = UINT64_C(1) << (shift - 1), rest = m & (2 * mid - "
    "1);\n"
    "    uint64_t q = m >> shift;\n"
    "    q += rest > mid || (rest == mid && (q & 1));\n"
    "    if (e >= f.emin)\n"
    "        q += (uint64_t)(e - f.emin) << f.mant;\n"
    "    if (q > f.max)\n"
    "        return f.over == f.nan ? f.nan : sign | f.over;\n"
    "    return sign | (uint32_t)q;\n"
    "}\n"
    "\n"
    "static inline double value_small(uint32_t c, struct small f)\n"
    "{\n"
    "    uint32_t size = c & ((UINT32_C(1) << f.sign) - 1);\n"
    "    uint64_t b = (uint64_t)(c >> f.sign & 1) << 63;\n"
    "    double x;\n"
    "    if (size > f.max) {\n"
    "        b = size == f.over && f.over != f.nan\n"
    "                ? b | UINT64_C(0x7ff0000000000000)\n"
    "                : UINT64_C(0x7ff8000000000000);\n"
    "        return double_u64(b);\n"
    "    }\n"
    "    uint32_t e = size >> f.mant;\n"
    "    uint64_t m = size & ((UINT32_C(1) << f.mant) - 1);\n"
    "    if (e > 0)\n"
    "        return double_u64(b | (uint64_t)((int)e + f.emin + 1022) << 52 |\n"
    "                          m << (52 - f.mant));\n"
    "    x = (double)size;\n"
    "    if (b)\n"
    "        x = -x;\n"
    "    b = (uint64_t)(1023 + f.emin - f.mant) << 52;\n"
    "    return x * double_u64(b);\n"
    "}\n"
    "\n";

static const char next_text[] =
    "/* The next value of the format from a towards b. */\n"
    "static inline uint32_t next_small(uint32_t a, uint32_t b, struct small "
    "f)\n{\n"
    "    double x = value_small(a, f), y = value_small(b, f);\n"
    "    uint32_t sign = UINT32_C(1) << f.sign;\n"
    "    if (x != x || y != y)\n"
    "        return f.nan;\n"
    "    if (x == y)\n"
    "        return b;\n"
    "    if (x == 0)\n"
    "        return y > 0 ? 1 : sign | 1;\n"
    "    return (x < y) == (x > 0) ? a + 1 : a - 1;\n}\n"
    "\n";

struct soft_format {
    const char *suffix, *title, *storage, *format;
};

static const struct soft_format soft_formats[] = {
    {"f16", "float16", "uint16_t", "10, -14, 0x7bff, 0x7c00, 0x7e00, 15"},
    {"bf16", "bfloat16", "uint16_t", "7, -126, 0x7f7f, 0x7f80, 0x7fc0, 15"},
    {"e4m3", "float8_e4m3fn", "uint8_t", "3, -6, 0x7e, 0x7f, 0x7f, 7"},
    {"e5m2", "float8_e5m2", "uint8_t", "2, -14, 0x7b, 0x7c, 0x7e, 7"},
};

/* All operations of a soft type. Doubles hold sums, products and quotients of
 * these formats with more than twice their digits, so that rounding again is
 * rounding once. */
static const char soft_text[] =
    "typedef B S_t; /* the bits of a N */\n"
    "\n"
    "static inline double value_S(S_t x)\n{\n"
    "    return value_small(x, (struct small){F});\n}\n"
    "static inline S_t round_S(double x)\n{\n"
    "    return (S_t)round_small(x, (struct small){F});\n}\n"
    "static inline S_t add_S(S_t a, S_t b)\n{\n"
    "    return round_S(value_S(a) + value_S(b));\n}\n"
    "static inline S_t sub_S(S_t a, S_t b)\n{\n"
    "    return round_S(value_S(a) - value_S(b));\n}\n"
    "static inline S_t mul_S(S_t a, S_t b)\n{\n"
    "    return round_S(value_S(a) * value_S(b));\n}\n"
    "static inline S_t div_S(S_t a, S_t b)\n{\n"
    "    return round_S(value_S(a) / value_S(b));\n}\n"
    "static inline S_t min_S(S_t a, S_t b)\n{\n"
    "    return value_S(a) < value_S(b) ? a : b;\n}\n"
    "static inline S_t max_S(S_t a, S_t b)\n{\n"
    "    return value_S(a) > value_S(b) ? a : b;\n}\n"
    "\n";

static void put_soft(struct emitter *em, struct emit_runtime *r,
                     const struct soft_format *f, bool kernel)
{
    struct buf all = {0}, *out = &all;
    need_in(em, r, "small", kernel);
    for (const char *p = soft_text; *p; p++) {
        bool before = p > soft_text && ((p[-1] >= 'a' && p[-1] <= 'z') ||
                                        (p[-1] >= 'A' && p[-1] <= 'Z'));
        bool after =
            (p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z');
        bool alone = !before && !after;
        if (alone && *p == 'S')
            buf_puts(out, f->suffix);
        else if (alone && *p == 'B')
            buf_puts(out, f->storage);
        else if (alone && *p == 'N')
            buf_puts(out, f->title);
        else if (alone && *p == 'F')
            buf_puts(out, f->format);
        else
            buf_putc(out, *p);
    }
    put_text(em, r, buf_text(out));
    buf_fini(out);
}

/* ---- fixed pieces ------------------------------------------------------------------------ */

struct piece {
    const char *name, *needs, *text;
};

static const struct piece pieces[] = {
    {"base", NULL,
     "#include <inttypes.h>\n"
     "#include <math.h>\n"
     "#include <stdbool.h>\n"
     "#include <stdint.h>\n"
     "#include <stdio.h>\n"
     "#include <stdlib.h>\n"
     "#include <string.h>\n"
     "\n"},
    {"fail", NULL,
     "static inline void fail(const char *what)\n{\n"
     "    fprintf(stderr, \"%s\\n\", what);\n"
     "    exit(1);\n}\n\n"},
    {"double_bits", NULL,
     "static inline uint64_t bits_u64(double x)\n{\n"
     "    uint64_t b;\n"
     "    memcpy(&b, &x, sizeof b);\n"
     "    return b;\n}\n"
     "static inline double double_u64(uint64_t b)\n{\n"
     "    double x;\n"
     "    memcpy(&x, &b, sizeof x);\n"
     "    return x;\n}\n\n"},
    {"small", "double_bits", small_text},
    {"npy", NULL, emit_npy_text},
    {"opencl", NULL, opencl_host_text},
    {"cuda", NULL, cuda_text},
    {"cuda_half", NULL, "#include <cuda_fp16.h>\n\n"},
    {"cuda_wmma", NULL,
     "#include <cuda_bf16.h>\n"
     "#include <mma.h>\n\n"},
    {"next_small", "small", next_text},
    {"heap", "fail",
     "static inline void *heap_get(size_t bytes)\n{\n"
     "    void *p = malloc(bytes > 0 ? bytes : 1);\n"
     "    if (p == NULL)\n"
     "        fail(\"out of memory\");\n"
     "    return p;\n}\n"
     "static inline void heap_drop(const void *variable)\n{\n"
     "    void *p;\n"
     "    memcpy(&p, variable, sizeof p);\n"
     "    free(p);\n}\n"
     "#define HEAP __attribute__((cleanup(heap_drop)))\n\n"},
    {"fma_odd", "double_bits",
     "/* a * b, exact in double, plus c, rounded to odd: rounding the result\n"
     "   again to a narrower type is rounding once. */\n"
     "static inline double fma_odd(double a, double b, double c)\n{\n"
     "    double p = a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - "
     "t);\n"
     "    int64_t bits = (int64_t)bits_u64(s);\n"
     "    if (e != 0 && !(bits & 1) && s - s == 0) {\n"
     "        bits += (e > 0) == (s > 0) ? 1 : -1;\n"
     "        s = double_u64((uint64_t)bits);\n"
     "    }\n"
     "    return s;\n}\n\n"},
    {"odd_i64", NULL,
     "/* x as a double, rounded to odd. */\n"
     "static inline double odd_i64(int64_t x)\n{\n"
     "    uint64_t u = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;\n"
     "    if (u >> 53)\n"
     "        u = (u & ~UINT64_C(0x7ff)) | (uint64_t)((u & 0x7ff) != 0) << "
     "11;\n"
     "    return x < 0 ? -(double)u : (double)u;\n}\n\n"},
    {"odd_u64", NULL,
     "/* x as a double, rounded to odd. */\n"
     "static inline double odd_u64(uint64_t x)\n{\n"
     "    if (x >> 53)\n"
     "        x = (x & ~UINT64_C(0x7ff)) | (uint64_t)((x & 0x7ff) != 0) << "
     "11;\n"
     "    return (double)x;\n}\n\n"},
    {"shuffle", NULL,
     "/* The lane whose value a lane gets; its own from outside of its "
     "segment. "
     "*/\n"
     "static inline int shuffle_in(int lane, int from, int width)\n{\n"
     "    int first = lane / width * width;\n"
     "    return from < first || from >= first + width ? lane : from;\n}\n"
     "static inline int shuffle_index(int lane, int index, int width)\n{\n"
     "    return lane / width * width + (index % width + width) % width;\n}\n"
     "static inline int shuffle_up(int lane, int delta, int width)\n{\n"
     "    return shuffle_in(lane, lane - delta, width);\n}\n"
     "static inline int shuffle_down(int lane, int delta, int width)\n{\n"
     "    return shuffle_in(lane, lane + delta, width);\n}\n"
     "static inline int shuffle_xor(int lane, int mask, int width)\n{\n"
     "    int from = lane ^ mask; /* earlier segments may be read */\n"
     "    return from < 0 || from >= lane / width * width + width ? lane : "
     "from;\n}\n\n"},
    {"fixed_point", NULL,
     "/* ((x << left) * y + half) >> shift */\n"
     "static inline int32_t fixed_point(int64_t x, int64_t y, int left, int "
     "shift)\n{\n"
     "    int64_t p = (int64_t)((uint64_t)x << left) * y;\n"
     "    return (int32_t)((p + (INT64_C(1) << (shift - 1))) >> shift);\n"
     "}\n\n"},
    {"diffcheck_math", NULL,
     "uint64_t diffcheck_math1(unsigned op, unsigned type, uint64_t x);\n"
     "uint64_t diffcheck_math2(unsigned op, unsigned type, uint64_t x, "
     "uint64_t y);\n\n"},
};

/* What OpenCL C and CUDA have under other names. */
static const struct template device_templates[] = {
    {"popcount", "static inline T popcount_S(T a)\n{\n"
                 "    return (T)popcount((U)a);\n}\n"},
    {"clz", "static inline T clz_S(T a)\n{\n"
            "    return (T)(a == 0 ? 0 : clz((U)a));\n}\n"},
    {"popcount", "static __device__ inline T popcount_S(T a)\n{\n"
                 "    return (T)__popcll((unsigned long long)(U)a);\n}\n"},
    {"clz", "static __device__ inline T clz_S(T a)\n{\n"
            "    return (T)(a == 0 ? 0 : __clzll((long long)(U)a) - 64 + 8 * "
            "(int)sizeof(T));\n}\n"},
};

static const struct piece kernel_pieces[] = {
    {"base", NULL, opencl_kernel_text},
    {"double_bits", NULL,
     "static inline uint64_t bits_u64(double x)\n{\n"
     "    return as_ulong(x);\n}\n"
     "static inline double double_u64(uint64_t b)\n{\n"
     "    return as_double(b);\n}\n\n"},
};

static const char *template_of(const struct emitter *em, const char *name,
                               size_t n, bool kernel)
{
    size_t skip = emit_is_cuda(em) ? 2 : 0;
    for (size_t i = skip;
         em->device != NULL && (kernel || emit_is_cuda(em)) && i < skip + 2;
         i++)
        if (strlen(device_templates[i].name) == n &&
            strncmp(device_templates[i].name, name, n) == 0)
            return device_templates[i].text;
    for (size_t i = 0; i < DC_ARRAY_LEN(templates); i++)
        if (strlen(templates[i].name) == n &&
            strncmp(templates[i].name, name, n) == 0)
            return templates[i].text;
    return NULL;
}

static bool put_family(struct emitter *em, struct emit_runtime *r,
                       const char *name, bool kernel)
{
    const char *suffix = strrchr(name, '_');
    if (suffix == NULL)
        return false;
    const char *text = template_of(em, name, (size_t)(suffix - name), kernel);
    if (text != NULL)
        put_template(em, r, text, type_of_suffix(em, suffix + 1), suffix + 1);
    return text != NULL;
}

/* The piece in that set; `kernel`: as OpenCL C has it. */
static void need_in(struct emitter *em, struct emit_runtime *r,
                    const char *name, bool kernel)
{
    if (!take(r, name))
        return;
    for (size_t i = 0; kernel && i < DC_ARRAY_LEN(kernel_pieces); i++)
        if (strcmp(kernel_pieces[i].name, name) == 0) {
            put_text(em, r, kernel_pieces[i].text);
            return;
        }
    for (size_t i = 0; i < DC_ARRAY_LEN(pieces); i++)
        if (strcmp(pieces[i].name, name) == 0) {
            if (pieces[i].needs != NULL)
                need_in(em, r, pieces[i].needs, kernel);
            put_text(em, r, pieces[i].text);
            return;
        }
    for (size_t i = 0; i < DC_ARRAY_LEN(soft_formats); i++)
        if (strcmp(soft_formats[i].suffix, name) == 0) {
            put_soft(em, r, &soft_formats[i], kernel);
            return;
        }
    if (!put_family(em, r, name, kernel))
        DC_BUG("no runtime text '%s'", name);
}

static bool is_of_host(const char *name)
{
    return strcmp(name, "opencl") == 0 || strcmp(name, "npy") == 0 ||
           strcmp(name, "fail") == 0;
}

/* What host code of an OpenCL program computes, its kernels may as well. */
void emit_need(struct emitter *em, const char *name)
{
    if (emit_is_opencl(em) && !is_of_host(name))
        need_in(em, em->device->runtime, name, true);
    if (!emit_is_opencl(em) || !emit_on_device(em))
        need_in(em, em->runtime, name, false);
}
