/* SPDX-License-Identifier: Apache-2.0
 *
 * set_axis_separator: where the axes of a buffer that the block reads or writes
 * are cut into groups, each of which is flattened by itself.
 *
 * Legal where a block allocates the buffer; the cuts ascend and lie within its
 * axes. Nothing of what the module says changes. Parameters, which TVM gives
 * another interface, and views are not handled. TVM has it up to 0.25
 * (s_tir/schedule/primitive/layout_transformation.cc there).
 */
#include "schedule/schedule_private.h"

#include <string.h>

bool schedule_set_axis_separator(struct schedule *s, schedule_ref ref,
                                 int64_t index, bool write, size_t n,
                                 const int64_t *separators)
{
    struct sched_path path, site;
    struct ir_buffer *buffer;
    sched_begin(s);
    if (!sched_accessed(s, ref, index, write, &path, &buffer))
        return false;
    for (size_t i = 0; i < n; i++)
        if (separators[i] < 0 || (uint64_t)separators[i] > buffer->rank ||
            (i > 0 && separators[i] < separators[i - 1]))
            return sched_illegal(s,
                                 "separator %d is no place between axes of "
                                 "buffer '%s', in ascending order",
                                 (int)separators[i], buffer->name);
    if (!sched_alloc_site(s, &path, buffer, &site))
        return false;
    struct sched_map map = {.s = s, .from = buffer};
    map.to = sched_buffer_copy(s, buffer, buffer->dtype, buffer->scope);
    map.to->nseparators = n;
    map.to->separators =
        arena_memdup(s->m->arena, separators, (n + 1) * sizeof *separators);
    return sched_exchange(s, &site, &map);
}

/* set_axis_separator(block, index, "read" or "write", [separator, …]) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t separators[SCHEDULE_MAX_LOOPS + 1];
    bool write;
    size_t n;
    (void)nout;
    (void)out;
    if (nargs != 4)
        return sched_bad(s, "expected 4 arguments, got %zu", nargs);
    return sched_arg_kinds(s, 2, args, "ri") &&
           sched_arg_access(s, &args[2], &write) &&
           sched_arg_ints(s, &args[3], &n, separators) &&
           schedule_set_axis_separator(s, args[0].u.ref, args[1].u.integer,
                                       write, n, separators);
}

extern const struct schedule_primitive primitive_set_axis_separator;
const struct schedule_primitive primitive_set_axis_separator = {
    .name = "set_axis_separator",
    .arguments = "block, index, \"read\" or \"write\", [separator, ...]",
    .source = "layout_transformation.cc",
    .apply = apply,
};
