/* SPDX-License-Identifier: Apache-2.0
 *
 * unsafe_hide_buffer_access: a block no longer declares some of what it reads
 * or writes.
 *
 * Always legal here: what blocks declare never changes what they do
 * (docs/semantics.md, rule 1), and steps read accesses off bodies. Where TVM
 * trusts the rest of the declarations, later steps of it may go wrong. Follows
 * TVM, s_tir/schedule/primitive/hide_buffer_access.cc.
 */
#include "schedule/schedule_private.h"

static bool is_among(size_t i, size_t n, const int64_t *indices)
{
    for (size_t j = 0; j < n; j++)
        if (indices[j] >= 0 && (uint64_t)indices[j] == i)
            return true;
    return false;
}

bool schedule_unsafe_hide_buffer_access(struct schedule *s, schedule_ref ref,
                                        bool write, size_t n,
                                        const int64_t *indices)
{
    struct sched_path path;
    struct ir_buffer *buffer;
    size_t kept = 0;
    sched_begin(s);
    for (size_t i = 0; i < n; i++)
        if (!sched_accessed(s, ref, indices[i], write, &path, &buffer))
            return false;
    if (!sched_find_block(s, ref, &path))
        return false;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, sched_path_end(&path));
    struct ir_block *b = copy->u.block;
    struct ir_region *list = write ? b->writes : b->reads;
    size_t *count = write ? &b->nwrites : &b->nreads;
    for (size_t i = 0; i < *count; i++)
        if (!is_among(i, n, indices))
            list[kept++] = list[i];
    *count = kept;
    ir_stmt_seal(copy);
    return sched_commit(s, sched_replace(s, &path, copy));
}

/* unsafe_hide_buffer_access(block, "read" or "write", [index, …]) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t indices[SCHEDULE_MAX_LOOPS + 1];
    bool write;
    size_t n;
    (void)nout;
    (void)out;
    if (nargs != 3)
        return sched_bad(s, "expected 3 arguments, got %zu", nargs);
    return sched_arg_kinds(s, 1, args, "r") &&
           sched_arg_access(s, &args[1], &write) &&
           sched_arg_ints(s, &args[2], &n, indices) &&
           schedule_unsafe_hide_buffer_access(s, args[0].u.ref, write, n,
                                              indices);
}

extern const struct schedule_primitive primitive_unsafe_hide_buffer_access;
const struct schedule_primitive primitive_unsafe_hide_buffer_access = {
    .name = "unsafe_hide_buffer_access",
    .arguments = "block, \"read\" or \"write\", [index, ...]",
    .source = "hide_buffer_access.cc",
    .apply = apply,
};
