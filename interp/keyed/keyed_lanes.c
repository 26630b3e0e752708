/* SPDX-License-Identifier: Apache-2.0
 *
 * + and x of order, + x min max of ac, over arrays. A lane is done here when
 * both operands are not known and were not widened from another type; what is
 * the same for all lanes (names of keyed functions, permutations, units) is
 * worked out once.
 */
#include "interp/keyed/keyed_lanes.h"

#include "interp/keyed/keyed_mix.h"

#include <math.h>
#include <string.h>

static bool is_plain(const struct interp_sym *s, uint8_t type)
{
    return s->type == type && s->narrow == type;
}

/* ---- order ------------------------------------------------------------------- */

struct order_op {
    struct interp_keyed *k;
    uint8_t type, exact, keep; /* keep: props of either operand */
    uint64_t name[2];
    struct keyed_v rounding;
};

static bool round_one(const struct order_op *o, const struct interp_sym *a,
                      const struct interp_sym *b, struct interp_sym *out)
{
    struct keyed_v u = keyed_element(*a), v = keyed_element(*b);
    unsigned props = (a->props | b->props) & o->keep;
    if (keyed_less(v, u)) {
        struct keyed_v swap = u;
        u = v;
        v = swap;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t h = keyed_mix_operand(o->name[i], u, 0, i);
        h = keyed_mix_end(keyed_mix_operand(h, v, 1, i), i);
        h += o->rounding.lane[i];
        out->lane[i] = h >= keyed_prime[i] ? h - keyed_prime[i] : h;
    }
    out->type = out->narrow = o->type;
    out->exact = o->exact;
    out->props = (uint8_t)props;
    out->degree = 1;
    return true;
}

static bool order_lanes(struct interp_keyed *k, enum num_op op, struct dtype t,
                        size_t n, const struct interp_sym *a,
                        const struct interp_sym *b, struct interp_sym *out,
                        uint8_t *done)
{
    struct order_op o = {.k = k, .type = keyed_type(t)};
    if (op != NUM_ADD && op != NUM_MUL)
        return false;
    o.exact =
        t.code == DT_FLOAT || t.code == DT_BFLOAT ? o.type : KEYED_NO_TYPE;
    o.keep = op == NUM_ADD ? KEYED_MAY_BE_UNDEF | KEYED_NOT_NEG_ZERO
                           : KEYED_MAY_BE_UNDEF;
    o.rounding = keyed_rounding_of(k, o.type);
    uint64_t head = (uint64_t)KEYED_EXACT << 32 | (uint32_t)op;
    uint64_t types = o.type | (uint64_t)o.type << 8;
    for (int i = 0; i < 2; i++)
        o.name[i] = keyed_mix_name(k->key, head, types << 32, 2, i);
    for (size_t i = 0; i < n; i++) {
        done[i] = is_plain(&a[i], o.type) && is_plain(&b[i], o.type);
        if (done[i]) {
            round_one(&o, &a[i], &b[i], &out[i]);
            k->ops++;
        }
    }
    return true;
}

/* ---- ac ------------------------------------------------------------------------- */

static void add_one(const struct interp_sym *a, const struct interp_sym *b,
                    uint8_t type, struct interp_sym *out)
{
    struct keyed_v v = keyed_add(keyed_element(*a), keyed_element(*b));
    unsigned props = (a->props | b->props) & KEYED_MAY_BE_UNDEF;
    memcpy(out->lane, v.lane, sizeof out->lane);
    out->type = out->narrow = type;
    out->exact = KEYED_NO_TYPE;
    out->props = (uint8_t)props;
    out->degree = 1;
}

/* Operands and results side by side, lane by lane of the algebra. */
#define BLOCK 64
struct block {
    size_t n; /* in use, a multiple of 8 */
    uint64_t x[2][BLOCK], y[2][BLOCK];
};

static inline __attribute__((always_inline)) void
undo(const uint64_t *key, uint64_t *x, size_t n, uint64_t p)
{
    for (size_t i = 0; i < n; i++)
        x[i] = keyed_unfeistel(key, x[i]);
    for (size_t i = 0; i < n; i++)
        if (x[i] >= p)
            x[i] = keyed_walk(key, x[i], p, false);
}

static inline __attribute__((always_inline)) void
apply(const uint64_t *key, uint64_t *x, size_t n, uint64_t p)
{
    for (size_t i = 0; i < n; i++)
        x[i] = keyed_feistel(key, x[i]);
    for (size_t i = 0; i < n; i++)
        if (x[i] >= p)
            x[i] = keyed_walk(key, x[i], p, true);
}

/* One operand is often the same in all lanes. */
static inline __attribute__((always_inline)) void
operand(const uint64_t *key, uint64_t *x, size_t n, uint64_t p)
{
    uint64_t differs = 0;
    for (size_t i = 1; i < n; i++)
        differs |= x[i] ^ x[0];
    if (differs) {
        apply(key, x, n, p);
        return;
    }
    uint64_t one = keyed_walk(key, x[0], p, true);
    for (size_t i = 0; i < n; i++)
        x[i] = one;
}

/* x = the AC sum of x and y. Compiled once for each instruction set; it is all
 * integers, so that the results are the same. */
static inline __attribute__((always_inline)) void
sum_block_body(const struct keyed_permutation *p, struct keyed_v unit,
               struct block *b)
{
    size_t n = b->n;
    for (int l = 0; l < 2; l++) {
        uint64_t m = keyed_prime[l], z = m - unit.lane[l];
        operand(p->round[l], b->x[l], n, m);
        operand(p->round[l], b->y[l], n, m);
        for (size_t i = 0; i < n; i++) {
            uint64_t s = b->x[l][i] + b->y[l][i];
            s = s >= m ? s - m : s;
            s += z;
            b->x[l][i] = s >= m ? s - m : s;
        }
        undo(p->round[l], b->x[l], n, m);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
sum_block_avx2(const struct keyed_permutation *p, struct keyed_v unit,
               struct block *b)
{
    sum_block_body(p, unit, b);
}

#ifdef __clang__
#define WIDEST __attribute__((target("avx512f,avx512dq")))
#else /* gcc would take half of it */
#define WIDEST \
    __attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
#endif
WIDEST static void sum_block_avx512(const struct keyed_permutation *p,
                                    struct keyed_v unit, struct block *b)
{
    sum_block_body(p, unit, b);
}
#endif

static void sum_block(const struct keyed_permutation *p, struct keyed_v unit,
                      struct block *b)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq")) {
        sum_block_avx512(p, unit, b);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        sum_block_avx2(p, unit, b);
        return;
    }
#endif
    sum_block_body(p, unit, b);
}

static void sum_finish(const struct interp_sym *a, const struct interp_sym *b,
                       uint8_t type, uint64_t lane0, uint64_t lane1,
                       struct interp_sym *out)
{
    struct interp_sym r = {{lane0, lane1}, type, type, 0, 0, 1};
    r.props = (uint8_t)((a->props | b->props) & KEYED_MAY_BE_UNDEF);
    if (lane0 == a->lane[0] && lane1 == a->lane[1])
        r = *a;
    else if (lane0 == b->lane[0] && lane1 == b->lane[1])
        r = *b;
    *out = r;
}

/* Sums the lanes that are marked, a block at a time. */
static void sum_lanes(const struct keyed_permutation *p, struct keyed_v unit,
                      size_t n, const struct interp_sym *a,
                      const struct interp_sym *b, struct interp_sym *out,
                      const uint8_t *done, uint8_t type)
{
    struct block block;
    memset(&block, 0, sizeof block);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t count = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < count; i++)
            for (int l = 0; l < 2; l++) {
                block.x[l][i] = done[from + i] ? a[from + i].lane[l] : 0;
                block.y[l][i] = done[from + i] ? b[from + i].lane[l] : 0;
            }
        block.n = (count + 7) & ~(size_t)7;
        for (size_t i = count; i < block.n; i++)
            for (int l = 0; l < 2; l++) {
                block.x[l][i] = block.x[l][count - 1];
                block.y[l][i] = block.y[l][count - 1];
            }
        sum_block(p, unit, &block);
        for (size_t i = 0; i < count; i++)
            if (done[from + i])
                sum_finish(&a[from + i], &b[from + i], type, block.x[0][i],
                           block.x[1][i], &out[from + i]);
    }
}

static double unit_value(enum num_op op)
{
    return op == NUM_MUL ? 1.0 : op == NUM_MIN ? HUGE_VAL : -HUGE_VAL;
}

static bool ac_lanes(struct interp_keyed *k, enum num_op op, struct dtype t,
                     size_t n, const struct interp_sym *a,
                     const struct interp_sym *b, struct interp_sym *out,
                     uint8_t *done)
{
    uint8_t type = keyed_type(t);
    const struct keyed_permutation *p = NULL;
    struct keyed_v unit = {{0, 0}};
    if (op != NUM_ADD && op != NUM_MUL && op != NUM_MIN && op != NUM_MAX)
        return false;
    if (op != NUM_ADD) {
        unsigned flags = 0;
        uint64_t bits = num_from_double(t, unit_value(op), &flags);
        if (op != NUM_MUL && !num_is_inf(t, bits))
            return false;
        p = keyed_permutation_of(k, KEYED_SUM, (uint32_t)op, type);
        unit = keyed_permute(k, KEYED_SUM, (uint32_t)op, type,
                             keyed_embed(k, t, bits));
    }
    for (size_t i = 0; i < n; i++) {
        done[i] = a[i].type == type && b[i].type == type;
        if (!done[i])
            continue;
        k->ops++;
        if (op == NUM_ADD) {
            add_one(&a[i], &b[i], type, &out[i]);
            continue;
        }
        if (op != NUM_MUL)
            k->assumptions |= INTERP_NON_NAN;
    }
    if (op != NUM_ADD)
        sum_lanes(p, unit, n, a, b, out, done, type);
    return true;
}

bool keyed_lanes_binary(struct interp_keyed *k, enum num_op op, struct dtype t,
                        size_t n, const struct interp_sym *a,
                        const struct interp_sym *b, struct interp_sym *out,
                        uint8_t *done)
{
    if (!dtype_is_float(t))
        return false;
    if (k->domain->kind == INTERP_ORDER)
        return order_lanes(k, op, t, n, a, b, out, done);
    if (k->domain->kind == INTERP_AC)
        return ac_lanes(k, op, t, n, a, b, out, done);
    return false;
}
