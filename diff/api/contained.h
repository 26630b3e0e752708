/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library and the program that it starts say to each other. Private to
 * diff/.
 */
#ifndef DC_DIFF_API_CONTAINED_H
#define DC_DIFF_API_CONTAINED_H

#include <stddef.h>
#include <stdint.h>

#define CONTAINED_MAGIC UINT64_C(0x6469666663686b31)

/* What is to be done: this, then texts, each with a zero at its end, which its
 * length counts, in the order of the members. `options` are words with a zero
 * each, and one more. Without `untuned` the other module is read and checked,
 * and nothing compared. */
struct contained_job {
    uint64_t magic, version, options;
    uint64_t tuned_name, tuned, untuned_name, untuned;
};

/* What came of it, in the same form; `error` 1: there is none. */
struct contained_answer {
    uint64_t magic;
    int64_t status, verdict;
    uint64_t error, text, json;
};

/* A text that is a module. */
struct contained_source {
    const char *text, *name;
    size_t len; /* without the zero behind it */
};

/* In the program: reads a job from standard input, a socket, and answers it
 * there. Does not return. */
int diff_contained(void);

#endif
