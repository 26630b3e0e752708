/* SPDX-License-Identifier: Apache-2.0
 *
 * The process in which the library works, and what it sends to its host.
 * Private to diff/api.
 */
#ifndef DC_DIFF_API_CONTAINED_H
#define DC_DIFF_API_CONTAINED_H

#include <stddef.h>
#include <stdint.h>

/* A text that is a module, as the host holds it. */
struct contained_source {
    const char *text, *name;
    size_t len;
};

/* What to do: read one module, or compare two. */
struct contained_job {
    struct contained_source tuned, untuned;
    int compare;                /* 0: only `tuned` is read, and checked */
    const char *const *options; /* NULL-terminated, or NULL */
};

/* What goes through the pipe: this, then the three texts, each with a zero at
 * its end, which its length counts. */
#define CONTAINED_MAGIC UINT64_C(0x6469666663686b31)
struct contained_answer {
    uint64_t magic;
    int64_t status, verdict;
    uint64_t error, text, json; /* lengths; error 1: there is none */
};

/* Does the job in this process, which was forked for it, writes the answer to
 * fd and ends the process. */
void diff_contained(const struct contained_job *job, int fd)
    __attribute__((noreturn));

#endif
