/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded in front of a program: its allocations are counted, and the one of the
 * number DC_FAIL_AT fails, with DC_FAIL_ON=1 all from there on. At the end the
 * count goes to the file DC_FAIL_COUNT. Processes that the program starts are let
 * be. What libraries and the loader allocate
 * by malloc, calloc and realloc is among it, C++ by way of operator new; what
 * the C library takes for itself by other ways is not.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* What the C library calls its own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long count;
static long fail_at;
static bool fail_on;
static atomic_bool ready;

static bool fails(void)
{
    if (!atomic_exchange(&ready, true)) {
        const char *at = getenv("DC_FAIL_AT"), *on = getenv("DC_FAIL_ON");
        fail_at = at ? strtol(at, NULL, 10) : 0;
        fail_on = on && *on == '1';
    }
    long n = atomic_fetch_add(&count, 1) + 1;
    bool failing = n == fail_at || (fail_on && fail_at > 0 && n > fail_at);
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((constructor)) static void alone(void)
{
    (void)unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("DC_FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&count));
        (void)fclose(file);
    }
}
