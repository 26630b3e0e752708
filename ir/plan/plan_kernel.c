/* SPDX-License-Identifier: Apache-2.0
 *
 * The axes of a kernel: which thread bindings it holds, which of them are one
 * index because they have one tag (R2), and how threads are numbered by them
 * (R20, R30).
 */
#include "ir/plan/plan_private.h"

#include <string.h>

size_t ir_axis_find(const struct ir_kernel *k, const char *tag)
{
    size_t i = 0;
    while (i < k->naxes && strcmp(k->axes[i].tag, tag) != 0)
        i++;
    return i;
}

bool ir_count_threads(const struct ir_kernel *k, const int64_t *extent,
                      int64_t most, int64_t *nthreads, int64_t *nlinear)
{
    int64_t n[2] = {1, 1}; /* of warps, virtual */
    for (size_t i = 0; i < k->nthreads; i++) {
        int64_t x = extent[k->threads[i]], *to = &n[i >= k->nlinear];
        x = x > 0 ? x : 0;
        if (x > most || *to * x > most)
            return false;
        *to *= x;
    }
    *nlinear = n[0];
    *nthreads = n[0] * n[1];
    return *nthreads <= most;
}

struct bindings {
    struct VEC(struct ir_binding) list;
};

static bool see_binding(void *user, struct ir_stmt *s)
{
    struct bindings *b = user;
    struct ir_thread_axis axis;
    if (ir_thread_axis(s, &axis))
        vec_push(&b->list, ((struct ir_binding){s, axis.tag, axis.extent, 0}));
    return true;
}

static void number_threads(struct ir_kernel *k)
{
    static const char *const first[] = {"threadIdx.x", "threadIdx.y",
                                        "threadIdx.z"};
    for (size_t i = 0; i < DC_ARRAY_LEN(first); i++) {
        size_t axis = ir_axis_find(k, first[i]);
        if (axis < k->naxes)
            k->threads[k->nthreads++] = axis;
    }
    size_t named = k->nthreads;
    for (size_t i = 0; i < k->naxes; i++) {
        bool done = k->axes[i].is_block || k->axes[i].is_vthread;
        for (size_t j = 0; j < named && !done; j++)
            done = k->threads[j] == i;
        if (!done)
            k->threads[k->nthreads++] = i;
    }
    k->nlinear = k->nthreads;
    for (size_t i = k->naxes; i-- > 0;)
        if (k->axes[i].is_vthread)
            k->threads[k->nthreads++] = i;
}

struct ir_kernel *plan_kernel(struct arena *arena, const struct ir_stmt *stmt)
{
    struct bindings b = {{0}};
    struct ir_visitor v = {see_binding, NULL, &b};
    struct ir_kernel *k = ARENA_NEW(arena, struct ir_kernel);
    ir_visit_stmt(&v, stmt);
    k->nbindings = b.list.len;
    k->bindings =
        arena_memdup(arena, b.list.items, k->nbindings * sizeof *k->bindings);
    k->axes = ARENA_ARRAY(arena, k->nbindings, struct ir_axis);
    k->threads = ARENA_ARRAY(arena, k->nbindings, size_t);
    vec_fini(&b.list);
    for (size_t i = 0; i < k->nbindings; i++) {
        const char *tag = k->bindings[i].tag;
        k->bindings[i].axis = ir_axis_find(k, tag);
        if (k->bindings[i].axis == k->naxes)
            k->axes[k->naxes++] =
                (struct ir_axis){tag, strncmp(tag, "blockIdx", 8) == 0,
                                 strncmp(tag, "vthread", 7) == 0};
    }
    number_threads(k);
    return k;
}
