/* SPDX-License-Identifier: Apache-2.0
 *
 * CMocka needs these four headers in this order; only this file has them.
 * Besides: what tests leave out where sanitizers make them many times slower.
 */
#ifndef DC_TESTS_TEST_H
#define DC_TESTS_TEST_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdbool.h>

/* Long loops over files and seeds take one in `n` of them with sanitizers, which
 * look at memory and not at results; other builds take all. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ONE_IN(n) (n)
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_ONE_IN(n) (n)
#endif
#ifndef TEST_ONE_IN
#define TEST_ONE_IN(n) 1
#endif

/* Whether a folder's entry is one of those taken; the same on any machine, in
 * whatever order they are listed. */
static inline bool test_takes_part(const char *name, unsigned one_in,
                                   unsigned part)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (hash >> 8) % one_in == part % one_in;
}

static inline bool test_takes(const char *name, unsigned one_in)
{
    return test_takes_part(name, one_in, 0);
}

#endif
