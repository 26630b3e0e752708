/* SPDX-License-Identifier: Apache-2.0
 *
 * The keyed function and the keyed permutations, inline for the loops that run
 * them lane by lane. keyed.h says what they are. Private to interp/.
 */
#ifndef DC_INTERP_KEYED_KEYED_MIX_H
#define DC_INTERP_KEYED_KEYED_MIX_H

#include "interp/keyed/keyed.h"

__extension__ typedef unsigned __int128 keyed_u128;

/* Odd, with 32 bits set, in no relation to each other. */
static const uint64_t keyed_secret[2][4] = {
    {UINT64_C(0x2d358dccaa6c78a5), UINT64_C(0x8bb84b93962eacc9),
     UINT64_C(0x4b33a62ed433d4a3), UINT64_C(0x4d5a2da51de1aa47)},
    {UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
     UINT64_C(0x90ed1765281c388d), UINT64_C(0x589965cc75374cc3)}};
static const uint64_t keyed_prime[2] = {KEYED_P0, KEYED_P1};

static inline uint64_t keyed_fold(uint64_t a, uint64_t b)
{
    keyed_u128 x = (keyed_u128)a * b;
    return (uint64_t)x ^ (uint64_t)(x >> 64);
}

static inline uint64_t keyed_below(uint64_t x, uint64_t p)
{
    x >>= 3;
    return x >= p ? x - p : x;
}

/* What is the same for every value of one operation: lane i of the state after
 * its name. */
static inline uint64_t keyed_mix_name(uint64_t key, uint64_t head,
                                      uint64_t tail, size_t n, int i)
{
    const uint64_t *s = keyed_secret[i];
    uint64_t h = keyed_fold(head ^ s[0], key ^ s[1]);
    return keyed_fold(tail ^ s[2], h ^ (n + s[3]));
}

/* Absorbs operand number j. */
static inline uint64_t keyed_mix_operand(uint64_t h, struct keyed_v v, size_t j,
                                         int i)
{
    const uint64_t *s = keyed_secret[i];
    return keyed_fold(v.lane[0] ^ s[j & 1 ? 3 : 1],
                      keyed_fold(v.lane[1] ^ s[2], h ^ s[0]) ^ h);
}

static inline uint64_t keyed_mix_end(uint64_t h, int i)
{
    const uint64_t *s = keyed_secret[i];
    return keyed_below(keyed_fold(h ^ s[1], h + s[3]), keyed_prime[i]);
}

/* ---- permutations ------------------------------------------------------------- */

enum { KEYED_ROUNDS = 8 };

struct keyed_permutation {
    uint64_t name[2];
    uint64_t round[2][KEYED_ROUNDS];
};
const struct keyed_permutation *keyed_permutation_of(struct interp_keyed *k,
                                                     enum keyed_tag tag,
                                                     uint32_t a, uint32_t b);

/* Of 31 bits; the middle of a product that is no linear function of x, by one
 * 32 x 32 bit multiplication, which vector units have. */
static inline uint64_t keyed_round(uint64_t x, uint64_t key)
{
    uint64_t t = x ^ key;
    return (t * (t ^ 0x5bd1e995u)) >> 17 & 0x7fffffffu;
}

/* 61 bits: 30 above, 31 below, which take turns. */
static inline uint64_t keyed_feistel(const uint64_t *key, uint64_t x)
{
    uint64_t high = x >> 31, low = x & 0x7fffffffu;
    for (int r = 0; r < KEYED_ROUNDS; r += 2) {
        high ^= keyed_round(low, key[r]) & 0x3fffffffu;
        low ^= keyed_round(high, key[r + 1]);
    }
    return high << 31 | low;
}

static inline uint64_t keyed_unfeistel(const uint64_t *key, uint64_t x)
{
    uint64_t high = x >> 31, low = x & 0x7fffffffu;
    for (int r = KEYED_ROUNDS - 2; r >= 0; r -= 2) {
        low ^= keyed_round(high, key[r + 1]);
        high ^= keyed_round(low, key[r]) & 0x3fffffffu;
    }
    return high << 31 | low;
}

/* On [0, p), by walking until the value falls below p. */
static inline uint64_t keyed_walk(const uint64_t *key, uint64_t x, uint64_t p,
                                  bool forward)
{
    do
        x = forward ? keyed_feistel(key, x) : keyed_unfeistel(key, x);
    while (x >= p);
    return x;
}

#endif
