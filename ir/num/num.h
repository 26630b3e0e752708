/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers: data types and bit-exact scalar arithmetic for each of them.
 *
 * A scalar of any type is one uint64_t "bits": integers sign-extended (int) or
 * zero-extended (uint) to 64 bits, bool 0 or 1, floats their bit pattern
 * zero-extended. Lanes are the caller's business: all functions work on one
 * element and ignore dtype.lanes.
 *
 * Floating operations round once, to nearest even, from the exact result, in
 * the type given; no flush to zero; NaN results are the type's quiet NaN with
 * the sign clear (payloads are not observable, docs/semantics.md rule 12).
 * No _Float16 and no excess precision anywhere; strict under any compiler.
 */
#ifndef DC_IR_NUM_NUM_H
#define DC_IR_NUM_NUM_H

#include "ir/base/base.h"

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double must not keep excess");

/* ---- data types --------------------------------------------------------------- */

enum dtype_code {
    DT_INT,
    DT_UINT,
    DT_FLOAT, /* IEEE binary16, 32, 64 by bits */
    DT_BFLOAT,
    DT_BOOL,   /* stored as one byte 0 or 1; bits = 8 */
    DT_HANDLE, /* pointer; bits = 64 */
    DT_VOID,   /* no value; bits = 0 */
    DT_COMPLEX,
    DT_FLOAT8_E3M4,
    DT_FLOAT8_E4M3,
    DT_FLOAT8_E4M3B11FNUZ,
    DT_FLOAT8_E4M3FN,
    DT_FLOAT8_E4M3FNUZ,
    DT_FLOAT8_E5M2,
    DT_FLOAT8_E5M2FNUZ,
    DT_FLOAT8_E8M0FNU,
    DT_FLOAT6_E2M3FN,
    DT_FLOAT6_E3M2FN,
    DT_FLOAT4_E2M1FN,
    DT_NCODES
};

struct dtype {
    uint8_t code;   /* enum dtype_code */
    uint8_t bits;   /* per lane; bool 8, handle 64, void 0 */
    uint16_t lanes; /* 1 for scalars; scalable: the multiplier of vscale */
    bool scalable;
};

/* bits as documented above are filled in for bool, handle, void. */
struct dtype dtype_make(enum dtype_code code, unsigned bits, unsigned lanes);
#define DTYPE_INT32   dtype_make(DT_INT, 32, 1)
#define DTYPE_INT64   dtype_make(DT_INT, 64, 1)
#define DTYPE_BOOL    dtype_make(DT_BOOL, 8, 1)
#define DTYPE_HANDLE  dtype_make(DT_HANDLE, 64, 1)
#define DTYPE_VOID    dtype_make(DT_VOID, 0, 1)
#define DTYPE_FLOAT32 dtype_make(DT_FLOAT, 32, 1)

bool dtype_equal(struct dtype a, struct dtype b);
/* More lanes than there can be are the most, 65535. */
struct dtype dtype_with_lanes(struct dtype t, unsigned lanes);
struct dtype dtype_scalar(struct dtype t); /* lanes 1, not scalable */
/* Whether every number of the scalar float type `b` is one of `a`. */
bool dtype_holds(struct dtype a, struct dtype b);
bool dtype_is_float(struct dtype t); /* any floating code, bf16, fp8 */
bool dtype_is_int(struct dtype t);   /* DT_INT or DT_UINT */
bool dtype_is_bool(struct dtype t);
bool dtype_is_handle(struct dtype t);
/* Bytes one lane takes in a buffer: (bits + 7) / 8, bool 1. */
size_t dtype_lane_bytes(struct dtype t);
/* Whether arithmetic is defined here: ints of 1-64 bits, bool (compare and
 * logic), float16/32/64, bfloat16, float8_e4m3fn, float8_e5m2. The rest is
 * read, printed and converted only. */
bool dtype_has_arithmetic(struct dtype t);

/* Text of formats.md 1.4 ("int32", "float16x4", "bool", "xvscalex4",
 * "uint1" = bool, old "e4m3_float8", "" and "void" = void, "handle").
 * False on anything else. dtype_put writes the newest spelling. */
DC_MUST_USE bool dtype_parse(const char *text, struct dtype *out);
void dtype_put(struct buf *out, struct dtype t);
/* The same into storage of at least 48 bytes; returns text. */
char *dtype_name(struct dtype t, char text[48]);
/* numpy/DLPack raw pair as in tensor blobs (formats.md 1.3). eras A/B use the
 * old meaning of codes 6..8. */
DC_MUST_USE bool dtype_from_dlpack(unsigned code, unsigned bits, unsigned lanes,
                                   bool old_codes, struct dtype *out);
void dtype_to_dlpack(struct dtype t, unsigned *code, unsigned *bits);

/* ---- scalar arithmetic --------------------------------------------------------- */

enum num_op {
    /* unary */
    NUM_NEG,
    NUM_ABS,
    NUM_BITNOT,
    NUM_NOT,
    NUM_SQRT,
    NUM_FLOOR,
    NUM_CEIL,
    NUM_TRUNC,
    NUM_ROUND,     /* half away from zero (C round) */
    NUM_NEARBYINT, /* half to even */
    NUM_EXP,
    NUM_EXP2,
    NUM_EXP10,
    NUM_LOG,
    NUM_LOG2,
    NUM_LOG10,
    NUM_LOG1P,
    NUM_SIN,
    NUM_COS,
    NUM_TAN,
    NUM_SINH,
    NUM_COSH,
    NUM_TANH,
    NUM_ASIN,
    NUM_ACOS,
    NUM_ATAN,
    NUM_ASINH,
    NUM_ACOSH,
    NUM_ATANH,
    NUM_ERF,
    NUM_RSQRT,   /* 1/sqrt(x), correctly rounded as one operation */
    NUM_SIGMOID, /* 1/(1+exp(-x)), correctly rounded as one operation */
    NUM_POPCOUNT,
    NUM_CLZ,
    NUM_ISNAN,
    NUM_ISINF,
    NUM_ISFINITE, /* result bool */
    /* binary */
    NUM_ADD,
    NUM_SUB,
    NUM_MUL,
    NUM_DIV, /* truncating on ints, IEEE on floats */
    NUM_MOD, /* truncating on ints, C fmod on floats */
    NUM_FLOORDIV,
    NUM_FLOORMOD,
    NUM_MIN,
    NUM_MAX, /* a<b ? a : b and a>b ? a : b (rule 12) */
    NUM_EQ,
    NUM_NE,
    NUM_LT,
    NUM_LE,
    NUM_GT,
    NUM_GE, /* result bool */
    NUM_AND,
    NUM_OR, /* logical, on bool */
    NUM_BITAND,
    NUM_BITOR,
    NUM_BITXOR,
    NUM_SHL,
    NUM_SHR, /* arithmetic on int, logical on uint */
    NUM_POW,
    NUM_ATAN2,
    NUM_HYPOT,
    NUM_COPYSIGN,
    NUM_NEXTAFTER,
    NUM_FMOD,
    NUM_LDEXP, /* second operand an int32 in bits_b */
    /* ternary */
    NUM_FMA,
    NUM_NOPS
};

/* What happened, or-ed into *flags (which may not be NULL). */
enum num_flag {
    NUM_INEXACT = 1,  /* a float operation rounded (or a transcendental whose
                          exact result is not representable) */
    NUM_WRAPPED = 2,  /* an integer result did not fit and wrapped */
    NUM_DIV_ZERO = 4, /* integer division by zero: a fault (rule 9) */
    NUM_DIV_OVERFLOW = 8, /* INT_MIN / -1: a fault (rule 9) */
    NUM_UNDEFINED = 16,   /* undefined value (rule 10): bad shift count,
                             float->int of NaN or out of range, clz(0) */
    NUM_NO_RULE = 32      /* operation not defined for this type */
};

/* Result of op on operands of type t (scalar part). Comparisons and is* give
 * bool, the rest type t; POPCOUNT and CLZ give type t. On NUM_DIV_ZERO,
 * NUM_DIV_OVERFLOW, NUM_UNDEFINED and NUM_NO_RULE the returned bits are 0.
 * NUM_INEXACT is exact knowledge for + - * / sqrt fma conversions; for the
 * transcendental functions it is set unless the result is known exact. */
uint64_t num_unary(enum num_op op, struct dtype t, uint64_t a, unsigned *flags);
uint64_t num_binary(enum num_op op, struct dtype t, uint64_t a, uint64_t b,
                    unsigned *flags);
uint64_t num_fma(struct dtype t, uint64_t a, uint64_t b, uint64_t c,
                 unsigned *flags);

/* out[i] = op(in[i]) for n floats, or n bit patterns of float16; the same bits
 * as num_unary gives. op is a unary operation whose result has the operand's
 * type (NUM_NEG … NUM_SIGMOID but BITNOT and NOT). in and out may be the same
 * array. inexact_or_null[i], if there is one, becomes 1 where num_unary sets
 * NUM_INEXACT and 0 elsewhere. */
void num_unary_f32_array(enum num_op op, const float *in, float *out,
                         uint8_t *inexact_or_null, size_t n);
void num_unary_f16_array(enum num_op op, const uint16_t *in, uint16_t *out,
                         uint8_t *inexact_or_null, size_t n);

/* Conversion between any two types, float6/4 and the other float8 included.
 * float->int truncates; out of range or NaN is NUM_UNDEFINED; int->int wraps
 * silently (that is what a cast means); int->float and float->float round to
 * nearest even with NUM_INEXACT; to bool is x != 0 (NaN true). Overflow to a
 * type without infinity (e4m3fn, …) gives NaN, as TVM's own conversion and
 * the OCP conversions in non-saturating mode do. */
uint64_t num_cast(struct dtype from, struct dtype to, uint64_t bits,
                  unsigned *flags);

/* A literal: the double rounded once to t (ints: must be integral and fit,
 * else NUM_UNDEFINED). */
uint64_t num_from_double(struct dtype t, double value, unsigned *flags);
/* Exact for every type of at most 53 significant bits; int64 may round. */
double num_to_double(struct dtype t, uint64_t bits);
/* Wraps the integer into t's width (int/uint/bool types). */
uint64_t num_from_int(struct dtype t, int64_t value, unsigned *flags);
int64_t num_to_int(struct dtype t, uint64_t bits); /* int, uint, bool */

bool num_is_nan(struct dtype t, uint64_t bits);
bool num_is_inf(struct dtype t, uint64_t bits);
/* Equal as observable values: same bits, or both NaN (signed zeros differ). */
bool num_same(struct dtype t, uint64_t a, uint64_t b);
/* Distance in units in the last place: floats by the monotone integer map
 * with +0 = -0; both NaN gives 0, one NaN gives UINT64_MAX. Ints: |a-b|. */
uint64_t num_ulp_distance(struct dtype t, uint64_t a, uint64_t b);
/* Largest and smallest finite value as bits; min positive subnormal. */
uint64_t num_max_value(struct dtype t);
uint64_t num_min_value(struct dtype t);
uint64_t num_min_positive(struct dtype t); /* floats: smallest subnormal */
/* Human form: shortest decimal that reads back in the type, "nan", "inf". */
void num_put(struct buf *out, struct dtype t, uint64_t bits);

/* Memory form, little endian, dtype_lane_bytes(t) bytes. */
uint64_t num_load(struct dtype t, const void *bytes);
void num_store(struct dtype t, void *bytes, uint64_t bits);

/* ---- intervals: enclosures of real numbers --------------------------------------- */

/* All reals in [lo, hi]; lo may be -inf and hi +inf. `nan` = the value may be
 * undefined (0/0, log of a negative, …); an interval with nan set and
 * lo > hi holds nothing else. Endpoints are rounded outward. */
struct num_interval {
    double lo, hi;
    bool nan;
};

struct num_interval num_interval_point(double value); /* NaN: nan set */
struct num_interval num_interval_unary(enum num_op op, struct num_interval a);
/* Comparisons are not here: use the predicates below. */
struct num_interval num_interval_binary(enum num_op op, struct num_interval a,
                                        struct num_interval b);
struct num_interval num_interval_fma(struct num_interval a,
                                     struct num_interval b,
                                     struct num_interval c);
struct num_interval num_interval_hull(struct num_interval a,
                                      struct num_interval b);
/* -1 surely false, 1 surely true, 0 undecided. op is NUM_EQ … NUM_GE. */
int num_interval_compare(enum num_op op, struct num_interval a,
                         struct num_interval b);
/* No real number lies in both, and neither may be nan. */
bool num_interval_disjoint(struct num_interval a, struct num_interval b);

const char *num_op_name(enum num_op op);

/* Has MPFR take its memory as we take ours (dc_alloc): counted, and with our
 * message where there is none, while its own way is to abort. Once, before any
 * other function of num. */
void num_set_memory(void);
/* Frees what MPFR keeps per thread; call it before a thread ends. */
void num_release_caches(void);

#endif
