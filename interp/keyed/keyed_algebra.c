/* SPDX-License-Identifier: Apache-2.0
 *
 * The elements behind keyed domains: arithmetic modulo two primes, the keyed
 * random function, keyed permutations, AC sums, leaves, and the chance of an
 * accident. keyed.h says what they are for.
 */
#include "interp/keyed/keyed_mix.h"

#include <math.h>
#include <string.h>

#define MASK61 ((UINT64_C(1) << 61) - 1)

/* ---- Z/p ---------------------------------------------------------------------- */

/* 2^61 = c modulo 2^61 - c. */
static uint64_t reduce(keyed_u128 x, uint64_t p)
{
    uint64_t c = (UINT64_C(1) << 61) - p;
    x = (x & MASK61) + (x >> 61) * c;
    x = (x & MASK61) + (x >> 61) * c;
    uint64_t r = (uint64_t)x;
    while (r >= p)
        r -= p;
    return r;
}

uint64_t keyed_mod_mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((keyed_u128)a * b % p);
}

struct keyed_v keyed_mul(struct keyed_v a, struct keyed_v b)
{
    for (int i = 0; i < 2; i++)
        a.lane[i] = reduce((keyed_u128)a.lane[i] * b.lane[i], keyed_prime[i]);
    return a;
}

struct keyed_v keyed_of_uint(uint64_t x)
{
    return (struct keyed_v){{reduce(x, KEYED_P0), reduce(x, KEYED_P1)}};
}

struct keyed_v keyed_of_int(int64_t x)
{
    struct keyed_v v = keyed_of_uint(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    return x < 0 ? keyed_sub((struct keyed_v){{0, 0}}, v) : v;
}

/* ---- the keyed function ----------------------------------------------------------- */

struct keyed_v keyed_hash(const struct interp_keyed *k, enum keyed_tag tag,
                          uint32_t a, uint32_t b, uint32_t c, size_t n,
                          const struct keyed_v *v)
{
    uint64_t head = (uint64_t)tag << 32 | a, tail = (uint64_t)b << 32 | c;
    struct keyed_v out;
    for (int i = 0; i < 2; i++) {
        uint64_t h = keyed_mix_name(k->key, head, tail, n, i);
        for (size_t j = 0; j < n; j++)
            h = keyed_mix_operand(h, v[j], j, i);
        out.lane[i] = keyed_mix_end(h, i);
    }
    return out;
}

/* ---- keyed permutations -------------------------------------------------------------- */

static size_t slot_of(const struct interp_keyed *k, uint64_t a, uint64_t b)
{
    size_t i = (size_t)hash_mix(a, b) & (k->nslots - 1);
    while (k->slots[i] != NULL &&
           (k->slots[i]->name[0] != a || k->slots[i]->name[1] != b))
        i = (i + 1) & (k->nslots - 1);
    return i;
}

static void slots_grow(struct interp_keyed *k)
{
    struct keyed_permutation **old = k->slots;
    size_t n = k->nslots;
    k->nslots = n > 0 ? 2 * n : 64;
    k->slots = dc_alloc(k->nslots * sizeof(struct keyed_permutation *));
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            k->slots[slot_of(k, old[i]->name[0], old[i]->name[1])] = old[i];
    dc_release(old);
}

const struct keyed_permutation *keyed_permutation_of(struct interp_keyed *k,
                                                     enum keyed_tag tag,
                                                     uint32_t a, uint32_t b)
{
    uint64_t first = (uint64_t)tag << 32 | a;
    if (2 * k->used >= k->nslots)
        slots_grow(k);
    size_t at = slot_of(k, first, b);
    if (k->slots[at] != NULL)
        return k->slots[at];
    struct keyed_permutation *p = dc_alloc(sizeof *p);
    p->name[0] = first;
    p->name[1] = b;
    for (uint32_t r = 0; r < KEYED_ROUNDS; r++) {
        struct keyed_v key = keyed_hash(k, tag, a, b, 1000 + r, 0, NULL);
        p->round[0][r] = key.lane[0] & 0x7fffffffu;
        p->round[1][r] = key.lane[1] & 0x7fffffffu;
    }
    k->slots[at] = p;
    k->used++;
    return p;
}

struct keyed_v keyed_permute(struct interp_keyed *k, enum keyed_tag tag,
                             uint32_t a, uint32_t b, struct keyed_v v)
{
    const struct keyed_permutation *p = keyed_permutation_of(k, tag, a, b);
    for (int i = 0; i < 2; i++)
        v.lane[i] = keyed_walk(p->round[i], v.lane[i], keyed_prime[i], true);
    return v;
}

struct keyed_v keyed_unpermute(struct interp_keyed *k, enum keyed_tag tag,
                               uint32_t a, uint32_t b, struct keyed_v v)
{
    const struct keyed_permutation *p = keyed_permutation_of(k, tag, a, b);
    for (int i = 0; i < 2; i++)
        v.lane[i] = keyed_walk(p->round[i], v.lane[i], keyed_prime[i], false);
    return v;
}

uint64_t keyed_permute_below(struct interp_keyed *k, enum keyed_tag tag,
                             uint32_t a, uint32_t b, uint64_t x, uint64_t p,
                             bool forward)
{
    return keyed_walk(keyed_permutation_of(k, tag, a, b)->round[0], x, p,
                      forward);
}

struct keyed_v keyed_sum(struct interp_keyed *k, enum num_op op, uint8_t t,
                         struct keyed_v unit, struct keyed_v u,
                         struct keyed_v v)
{
    uint32_t a = (uint32_t)op;
    struct keyed_v x = keyed_permute(k, KEYED_SUM, a, t, u);
    struct keyed_v y = keyed_permute(k, KEYED_SUM, a, t, v);
    struct keyed_v z = keyed_permute(k, KEYED_SUM, a, t, unit);
    x = keyed_sub(keyed_add(x, y), z);
    return keyed_unpermute(k, KEYED_SUM, a, t, x);
}

/* ---- leaves, life, comparison ----------------------------------------------------------- */

struct interp_keyed *interp_keyed_new(const struct interp_options *options)
{
    struct interp_keyed *k = dc_alloc(sizeof *k);
    k->key = hash_mix(UINT64_C(0x5851f42d4c957f2d), options->key);
    k->relaxed = options->relaxed;
    for (size_t i = 0; interp_domains[i] != NULL; i++)
        if (interp_domains[i]->kind == options->domain)
            k->domain = interp_domains[i];
    if (k->domain == NULL || k->domain->keyed == NULL)
        DC_BUG("domain %d is not keyed", (int)options->domain);
    return k;
}

void interp_keyed_free(struct interp_keyed *k)
{
    if (k == NULL)
        return;
    for (size_t i = 0; i < k->nslots; i++)
        dc_release(k->slots[i]);
    dc_release(k->slots);
    keyed_bits_free(k);
    dc_release(k);
}

/* A leaf is the same in every algebra of a key. */
static struct interp_sym leaf(struct dtype t, uint64_t key, bool field,
                              uint64_t param, uint64_t element)
{
    struct interp_keyed k = {.key =
                                 hash_mix(UINT64_C(0x5851f42d4c957f2d), key)};
    struct keyed_v name = {{param, element}};
    struct interp_sym s = {0};
    struct keyed_v v = keyed_hash(&k, KEYED_LEAF, 0, 0, 0, 1, &name);
    /* lanes that every domain takes as they are */
    s.lane[0] = v.lane[0] % KEYED_FIELD_P;
    s.lane[1] = v.lane[1] % KEYED_FIELD_Q;
    s.type = s.narrow = keyed_type(t);
    s.props = field && dtype_is_float(t) ? KEYED_FIELD : 0;
    s.degree = 1;
    return s;
}

static bool is_field(const struct interp_options *options)
{
    return options->domain == INTERP_FIELD ||
           options->domain == INTERP_FIELD_NOCAST;
}

void interp_tensor_to_leaves(struct interp_tensor *t,
                             const struct interp_options *options, size_t param)
{
    if (t->box == NULL)
        t->box = dc_alloc((t->elements + 1) * sizeof *t->box);
    for (size_t i = 0; i < t->elements; i++) {
        if (!(t->state[i] & INTERP_DEFINED))
            continue;
        t->box[i].sym =
            leaf(t->dtype, options->key, is_field(options), param, i);
        t->state[i] |= INTERP_SYMBOLIC;
    }
}

union interp_box interp_scalar_leaf(struct dtype t,
                                    const struct interp_options *options,
                                    size_t param)
{
    return (union interp_box){
        .sym = leaf(t, options->key, is_field(options), param, UINT64_MAX)};
}

static struct keyed_v element_of(struct interp_keyed *k,
                                 const struct interp_tensor *t, size_t i)
{
    struct dtype lane = dtype_scalar(t->dtype);
    if (t->state[i] & INTERP_SYMBOLIC)
        return keyed_element(t->box[i].sym);
    return keyed_embed(k, lane, interp_tensor_get(t, i));
}

bool interp_keyed_same(struct interp_keyed *k, const struct interp_tensor *a,
                       const struct interp_tensor *b, size_t i)
{
    if (!(a->state[i] & b->state[i] & INTERP_DEFINED))
        return false;
    return keyed_equal(element_of(k, a, i), element_of(k, b, i));
}

uint64_t interp_keyed_print(struct interp_keyed *k,
                            const struct interp_tensor *t, size_t i)
{
    if (!(t->state[i] & INTERP_DEFINED))
        return 0;
    struct keyed_v v = element_of(k, t, i);
    uint64_t print = hash_mix(hash_mix(1, v.lane[0]), v.lane[1]);
    return print != 0 ? print : 1;
}

/* n^2 / 2 pairs, each equal by accident with a chance of at most degree / p in
 * each of the lanes that tell values apart (Schwartz and Zippel). */
double interp_keyed_log2_error(enum interp_domain_kind domain, double n,
                               double degree)
{
    bool field = domain == INTERP_FIELD || domain == INTERP_FIELD_NOCAST;
    if (n < 2)
        n = 2;
    if (degree < 1)
        degree = 1;
    double lanes = field ? 1 : 2;
    return 2 * log2(n) - 1 + lanes * (log2(degree) - 60.99);
}

struct keyed_v keyed_rounding_of(struct interp_keyed *k, uint8_t type)
{
    struct keyed_v *v = &k->rounded[type & 127u];
    if (v->lane[0] == 0)
        *v = keyed_hash(k, KEYED_ROUND, type, 0, 0, 0, NULL);
    return *v;
}
