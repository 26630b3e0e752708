/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate_buffer_access: what a block declares to read or write of a buffer
 * becomes the box that an index map gives for its iterators, as pairs of first
 * and behind-the-last; the annotation explicit_read_region or
 * explicit_write_region lists the buffer's index.
 *
 * Legal where the map takes the block's iterators and gives a pair for each
 * axis; the declaration never changes what the block does (docs/semantics.md,
 * rule 1), so that a box which is too small is no fault here. Follows TVM,
 * s_tir/schedule/primitive/annotate_buffer_access.cc, but for blocks within the
 * block, which TVM changes as well.
 */
#include "schedule/schedule_private.h"

static struct ir_region region_of(struct schedule *s, const struct ir_block *b,
                                  struct ir_buffer *buffer,
                                  const struct schedule_index_map *map)
{
    struct ir_region r = sched_full_region(s, buffer);
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_map vars = {.s = s};
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&vars, map->vars[i], ir_var_ref(s->m, b->iters[i].var));
    for (size_t i = 0; i < r.nranges; i++) {
        struct ir_expr *first = sched_map_expr(&vars, map->out[2 * i]);
        struct ir_expr *end = sched_map_expr(&vars, map->out[2 * i + 1]);
        r.ranges[i].min = sched_simplify(s, env, first);
        r.ranges[i].extent =
            sched_simplify(s, env, sched_op(s, IR_SUB, end, first));
    }
    dc_release(env);
    return r;
}

/* The list with the index; NULL: the old one is none. */
static struct ir_value *listed(struct schedule *s, const struct ir_value *old,
                               int64_t index)
{
    int64_t number;
    size_t n = old ? old->n : 0;
    struct ir_value *list = ir_value_make(s->m, IR_V_ARRAY);
    if (old && old->kind != IR_V_ARRAY)
        return NULL;
    list->items = ARENA_ARRAY(s->m->arena, n + 1, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        list->items[i] = old->items[i];
        if (!ir_value_as_int(old->items[i], &number))
            return NULL;
        if (number == index) {
            index = -1;
        }
    }
    if (index >= 0)
        list->items[n++] = ir_value_int(s->m, index);
    list->n = n;
    return list;
}

bool schedule_annotate_buffer_access(struct schedule *s, schedule_ref ref,
                                     int64_t index, bool write,
                                     const struct schedule_index_map *map)
{
    const char *key = write ? "explicit_write_region" : "explicit_read_region";
    struct sched_path path;
    struct ir_buffer *buffer;
    sched_begin(s);
    if (!sched_accessed(s, ref, index, write, &path, &buffer))
        return false;
    const struct ir_stmt *stmt = sched_path_end(&path);
    const struct ir_block *b = stmt->u.block;
    if (map->nvars != b->niters || map->nout != 2 * buffer->rank ||
        b->niters > SCHED_MAX_ENV)
        return sched_bad(s,
                         "expected a map of the %zu iterators of block '%s' to "
                         "%zu numbers, two for each axis of buffer '%s'",
                         b->niters, b->name, 2 * buffer->rank, buffer->name);
    struct ir_value *list = listed(s, sched_annotation(stmt, key), index);
    if (!list)
        return sched_illegal(s,
                             "block '%s': its annotation '%s' is no list of "
                             "numbers",
                             b->name, key);
    struct ir_stmt *copy = sched_annotated(s, stmt, key, list);
    struct ir_region r = region_of(s, b, buffer, map);
    (write ? copy->u.block->writes : copy->u.block->reads)[index] = r;
    ir_stmt_seal(copy);
    return sched_commit(s, sched_replace(s, &path, copy));
}

/* annotate_buffer_access(block, index, "read" or "write", map) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    bool write;
    (void)nout;
    (void)out;
    if (nargs != 4)
        return sched_bad(s, "expected 4 arguments, got %zu", nargs);
    return sched_arg_kinds(s, 2, args, "ri") &&
           sched_arg_access(s, &args[2], &write) &&
           sched_arg_kinds(s, 1, &args[3], "m") &&
           schedule_annotate_buffer_access(s, args[0].u.ref, args[1].u.integer,
                                           write, args[3].u.map);
}

extern const struct schedule_primitive primitive_annotate_buffer_access;
const struct schedule_primitive primitive_annotate_buffer_access = {
    .name = "annotate_buffer_access",
    .arguments = "block, index, \"read\" or \"write\", index map",
    .source = "annotate_buffer_access.cc",
    .apply = apply,
};
