/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_align: rows of a buffer that the block writes get a stride of
 * factor k + offset elements. Until a later pass lays it out that is an
 * annotation of the block, `buffer_dim_align`: a list of (buffer, axis, factor,
 * offset), one entry for each buffer and axis.
 *
 * Legal where a block allocates the buffer, the axis is one of its (negative:
 * from the last) and the factor positive, and an annotation of that key is such
 * a list. Nothing of what the module says changes. Follows TVM,
 * s_tir/schedule/primitive/block_annotate.cc.
 */
#include "schedule/schedule_private.h"

#include <string.h>

static const char key[] = "buffer_dim_align";

static bool is_entry(const struct ir_value *v)
{
    int64_t number;
    bool good = v->kind == IR_V_ARRAY && v->n == 4;
    for (size_t i = 0; good && i < v->n; i++)
        good = ir_value_as_int(v->items[i], &number);
    return good;
}

/* An entry for the same buffer and axis. */
static bool is_for(const struct ir_value *entry, const int64_t *tuple)
{
    int64_t buffer, axis;
    return ir_value_as_int(entry->items[0], &buffer) &&
           ir_value_as_int(entry->items[1], &axis) && buffer == tuple[0] &&
           axis == tuple[1];
}

/* The list with the entry in it; NULL: the old one is none. */
static struct ir_value *merged(struct schedule *s, const struct ir_value *old,
                               const int64_t *tuple)
{
    struct ir_value *list = ir_value_make(s->m, IR_V_ARRAY);
    size_t n = old ? old->n : 0;
    bool found = false;
    if (old && old->kind != IR_V_ARRAY)
        return NULL;
    list->items = ARENA_ARRAY(s->m->arena, n + 1, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        if (!is_entry(old->items[i]))
            return NULL;
        bool same = !found && is_for(old->items[i], tuple);
        list->items[i] = same ? sched_int_array(s, 4, tuple) : old->items[i];
        found |= same;
    }
    if (!found)
        list->items[n++] = sched_int_array(s, 4, tuple);
    list->n = n;
    return list;
}

bool schedule_storage_align(struct schedule *s, schedule_ref ref, int64_t index,
                            int64_t axis, int64_t factor, int64_t offset)
{
    struct sched_path path, site;
    struct ir_buffer *buffer;
    sched_begin(s);
    if (!sched_accessed(s, ref, index, true, &path, &buffer))
        return false;
    int64_t rank = (int64_t)buffer->rank;
    if (factor <= 0)
        return sched_illegal(s, "the factor is not positive");
    if (axis < -rank || axis >= rank)
        return sched_illegal(s, "buffer '%s' has no axis %d", buffer->name,
                             (int)axis);
    if (!sched_alloc_site(s, &path, buffer, &site))
        return false;
    const int64_t tuple[] = {index, axis < 0 ? axis + rank : axis, factor,
                             offset};
    const struct ir_stmt *stmt = sched_path_end(&path);
    struct ir_value *list = merged(s, sched_annotation(stmt, key), tuple);
    if (!list)
        return sched_illegal(s,
                             "block '%s': its annotation '%s' is no list of "
                             "four numbers each",
                             stmt->u.block->name, key);
    return sched_commit(
        s, sched_replace(s, &path, sched_annotated(s, stmt, key, list)));
}

/* storage_align(block, index, axis, factor, offset) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "riiii") &&
           schedule_storage_align(s, args[0].u.ref, args[1].u.integer,
                                  args[2].u.integer, args[3].u.integer,
                                  args[4].u.integer);
}

extern const struct schedule_primitive primitive_storage_align;
const struct schedule_primitive primitive_storage_align = {
    .name = "storage_align",
    .arguments = "block, index of a write, axis, factor, offset",
    .source = "block_annotate.cc",
    .apply = apply,
};
