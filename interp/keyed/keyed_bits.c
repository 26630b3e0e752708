/* SPDX-License-Identifier: Apache-2.0
 *
 * Bits of values that are not known. Taking the bits of a float is a keyed
 * permutation, so that the float comes back from them; an integer that never
 * was a float becomes a keyed function of itself (a NaN does not keep its
 * payload, so that there is no way back).
 *
 * Two idioms of code for machines without bfloat16 have laws of their own:
 *
 *   float32 from (uint32 from bits of a bfloat16 x) << 16     x, widened
 *   bfloat16 from uint16 from                                 x, rounded to
 *     (b + ((b >> 16) & 1) + 0x7fff) >> 16                    nearest even
 *   where b is the bits of a float32 x
 *
 * The second is exact for every float32: the sum carries into the upper half
 * exactly when the lower half is above one half of its unit, or equal to it
 * below an odd upper half; overflow carries into infinity; the quiet NaN, the
 * only one there is, stays one. When bits are taken of a float32, the value
 * that the idiom would give is worked out and remembered; an equal value found
 * under a reinterpretation is that rounding, however it was computed.
 */
#include "interp/keyed/keyed.h"

#include <string.h>

struct keyed_rounding {
    struct keyed_v rounded;  /* what the idiom gives, as an element */
    struct interp_sym value; /* the float32 */
    bool used;
};

/* Beyond it, no more are remembered: equal programs may then look different. */
#define MAX_ROUNDINGS ((size_t)1 << 20)

#define BFLOAT16      dtype_make(DT_BFLOAT, 16, 1)
#define UINT16        dtype_make(DT_UINT, 16, 1)
#define UINT32        dtype_make(DT_UINT, 32, 1)

void keyed_bits_free(struct interp_keyed *k)
{
    dc_release(k->roundings);
}

static size_t place_of(const struct interp_keyed *k, struct keyed_v v)
{
    size_t i = (size_t)hash_mix(v.lane[0], v.lane[1]) & (k->rounding_cap - 1);
    while (k->roundings[i].used && !keyed_equal(k->roundings[i].rounded, v))
        i = (i + 1) & (k->rounding_cap - 1);
    return i;
}

static void remember(struct interp_keyed *k, struct keyed_v rounded,
                     struct interp_sym value)
{
    if (k->nroundings >= MAX_ROUNDINGS)
        return;
    if (2 * k->nroundings >= k->rounding_cap) {
        struct keyed_rounding *old = k->roundings;
        size_t n = k->rounding_cap;
        k->rounding_cap = n > 0 ? 2 * n : 64;
        k->roundings = dc_alloc(k->rounding_cap * sizeof *k->roundings);
        for (size_t i = 0; i < n; i++)
            if (old[i].used)
                k->roundings[place_of(k, old[i].rounded)] = old[i];
        dc_release(old);
    }
    size_t at = place_of(k, rounded);
    k->nroundings += k->roundings[at].used ? 0 : 1;
    k->roundings[at] = (struct keyed_rounding){rounded, value, true};
}

/* The value of the second idiom for the bits of a float32. */
static struct keyed_v idiom(struct machine *m, struct value bits)
{
    struct dtype t = UINT32;
    struct value sixteen = exec_value_scalar(16, 0);
    struct value odd = keyed_domain_binary(
        m, NUM_BITAND, t, keyed_domain_binary(m, NUM_SHR, t, bits, sixteen),
        exec_value_scalar(1, 0));
    struct value sum = keyed_domain_binary(
        m, NUM_ADD, t, keyed_domain_binary(m, NUM_ADD, t, bits, odd),
        exec_value_scalar(0x7fff, 0));
    sum = keyed_domain_binary(m, NUM_SHR, t, sum, sixteen);
    return keyed_element(
        keyed_sym(m, UINT16, keyed_domain_cast(m, t, UINT16, sum)));
}

static struct keyed_v permuted(struct machine *m, uint8_t type,
                               struct keyed_v v, bool forward)
{
    if (m->domain->keyed->field)
        return (struct keyed_v){
            {keyed_permute_below(m->keyed, KEYED_BITS, type, 0, v.lane[0],
                                 KEYED_FIELD_P, forward),
             0}};
    return forward ? keyed_permute(m->keyed, KEYED_BITS, type, 0, v)
                   : keyed_unpermute(m->keyed, KEYED_BITS, type, 0, v);
}

static struct value bits_of(struct machine *m, struct dtype from,
                            struct dtype to, struct value a)
{
    struct interp_sym s = keyed_sym(m, from, a);
    uint8_t type = keyed_type(from);
    struct interp_sym out =
        keyed_result(m, to, permuted(m, type, keyed_element(s), true),
                     s.props & KEYED_MAY_BE_UNDEF);
    out.props |= KEYED_FLOAT_BITS;
    out.exact = type;
    struct value v = keyed_value(m, out);
    if (type == keyed_type(DTYPE_FLOAT32) &&
        keyed_type(to) == keyed_type(UINT32))
        remember(m->keyed, idiom(m, v), s);
    return v;
}

/* The float of the given type whose bits v is. */
static struct value float_of(struct machine *m, struct dtype t,
                             struct keyed_v v, unsigned props)
{
    struct keyed_v x = permuted(m, keyed_type(t), v, false);
    if (m->domain->keyed->field) /* the exponent's part is not kept */
        x.lane[1] = keyed_hash(m->keyed, KEYED_BITS, 0, 0, 0, 1, &x).lane[1];
    return keyed_value(m, keyed_result(m, t, x, props & KEYED_MAY_BE_UNDEF));
}

static struct keyed_v divided(struct keyed_v v)
{
    /* 1 / 65536 modulo either prime: 2^61 = c, so 2^-16 = (2^61 - c + 1) …
     * found by halving: an odd residue plus the odd prime is even */
    static const uint64_t prime[2] = {KEYED_P0, KEYED_P1};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 16; k++)
            v.lane[i] = (v.lane[i] & 1 ? v.lane[i] + prime[i] : v.lane[i]) >> 1;
    return v;
}

struct interp_sym keyed_high_half(struct interp_sym operand, uint64_t count,
                                  struct interp_sym shifted)
{
    bool half = (operand.props & KEYED_FLOAT_BITS) && count == 16 &&
                operand.exact == keyed_type(BFLOAT16) &&
                operand.narrow == keyed_type(UINT16) &&
                operand.type == keyed_type(UINT32) &&
                !(operand.props & KEYED_MAY_BE_UNDEF);
    if (half)
        shifted.props |= KEYED_HIGH_HALF;
    return shifted;
}

struct value keyed_reinterpret(struct machine *m, struct dtype from,
                               struct dtype to, struct value a)
{
    struct interp_sym s = keyed_sym(m, from, a);
    if (dtype_is_float(from) && dtype_is_int(to))
        return bits_of(m, from, to, a);
    if (!dtype_is_int(from) || !dtype_is_float(to))
        return keyed_plain(m, KEYED_BITS, 1, from, to, 1, &a);
    if ((s.props & KEYED_FLOAT_BITS) && s.exact == keyed_type(to) &&
        s.narrow == s.type)
        return float_of(m, to, keyed_element(s), s.props);
    if ((s.props & KEYED_HIGH_HALF) &&
        keyed_type(to) == keyed_type(DTYPE_FLOAT32)) {
        struct keyed_v v =
            keyed_unpermute(m->keyed, KEYED_WIDEN, keyed_type(UINT16),
                            keyed_type(UINT32), divided(keyed_element(s)));
        return keyed_domain_cast(m, BFLOAT16, to,
                                 float_of(m, BFLOAT16, v, s.props));
    }
    if (keyed_type(to) == keyed_type(BFLOAT16) && m->keyed->nroundings > 0) {
        size_t at = place_of(m->keyed, keyed_element(s));
        if (m->keyed->roundings[at].used)
            return keyed_domain_cast(
                m, DTYPE_FLOAT32, to,
                exec_value_sym(m, m->keyed->roundings[at].value));
    }
    return keyed_plain(m, KEYED_BITS, 1, from, to, 1, &a);
}
