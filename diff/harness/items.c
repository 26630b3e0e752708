/* SPDX-License-Identifier: Apache-2.0
 *
 * Work items of unequal length on a few threads.
 *
 * Each thread takes the next item when it has finished one. Items write only
 * what is theirs, so what comes out does not depend on which thread took which
 * item. Arenas are not for threads: an item makes one of its own.
 */
#include "diff/harness/harness.h"
#include "diff/harness/route.h"
#include "ir/num/num.h"

struct share {
    struct dc_lock *lock;
    size_t next, n;
    void (*run)(void *user, size_t i);
    void *user;
};

static size_t take(struct share *s)
{
    dc_lock_enter(s->lock);
    size_t i = s->next < s->n ? s->next++ : s->n;
    dc_lock_leave(s->lock);
    return i;
}

static void work(void *user, unsigned part)
{
    struct share *s = user;
    for (size_t i = take(s); i < s->n; i = take(s))
        s->run(s->user, i);
    if (part > 0) /* the thread ends here */
        num_release_caches();
}

void diff_share(unsigned jobs, size_t n, void (*run)(void *user, size_t i),
                void *user)
{
    struct share s = {.lock = dc_lock_new(), .n = n, .run = run, .user = user};
    size_t most = n < DC_MAX_THREADS ? n : DC_MAX_THREADS;
    unsigned parts = jobs < most ? jobs : (unsigned)most;
    dc_parallel(parts > 0 ? parts : 1, work, &s);
    dc_lock_free(s.lock);
}

/* ---- all toolchains --------------------------------------------------------- */

struct find {
    struct diff_python *python;
    struct diff_cache *cache;
    struct diff_toolchain *tools;
    struct arena **arenas;
};

static void find_one(void *user, size_t i)
{
    const struct find *f = user;
    diff_target_try(diff_target_at(i), f->python, f->cache, f->arenas[i],
                    &f->tools[i]);
}

struct diff_toolchain *diff_toolchains_find(unsigned jobs,
                                            struct diff_python *python,
                                            struct diff_cache *cache,
                                            struct arena *arena, size_t *n)
{
    size_t count = 0;
    while (diff_target_at(count))
        count++;
    struct find f = {.python = python,
                     .cache = cache,
                     .tools =
                         ARENA_ARRAY(arena, count + 1, struct diff_toolchain),
                     .arenas = ARENA_ARRAY(arena, count + 1, struct arena *)};
    for (size_t i = 0; i < count; i++)
        f.arenas[i] = arena_new();
    diff_share(jobs, count, find_one, &f);
    for (size_t i = 0; i < count; i++)
        arena_absorb(arena, f.arenas[i]);
    *n = count;
    return f.tools;
}
