/* SPDX-License-Identifier: Apache-2.0
 *
 * Annotations, the buffers that a block says it writes, and other buffers in
 * their place: what set_scope, storage_align, unsafe_set_dtype and
 * set_axis_separator have in common.
 *
 * A buffer is found by its place in what the block declares, as TVM does
 * (s_tir/schedule/analysis/analysis.cc, GetNthAccessBuffer), and its allocation
 * by going up from the block (GetBufferDefiningSite).
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- annotations ----------------------------------------------------------- */

static struct ir_value **annotations_of(const struct ir_stmt *stmt)
{
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } it = {stmt};
    if (stmt->kind == IR_FOR)
        return &it.out->u.loop.annotations;
    return &it.out->u.block->annotations;
}

struct ir_value *sched_annotation(const struct ir_stmt *stmt, const char *key)
{
    return ir_value_find(*annotations_of(stmt), key);
}

struct ir_stmt *sched_annotated(struct schedule *s, const struct ir_stmt *stmt,
                                const char *key, struct ir_value *value)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, stmt);
    const struct ir_value *old = *annotations_of(stmt);
    size_t n = 0, room = (old ? old->n : 0) + 1;
    const char **keys = ARENA_ARRAY(s->m->arena, room, const char *);
    struct ir_value **items = ARENA_ARRAY(s->m->arena, room, struct ir_value *);
    for (size_t i = 0; old && i < old->n; i++)
        if (strcmp(old->keys[i], key) != 0) {
            keys[n] = old->keys[i];
            items[n++] = old->items[i];
        }
    if (value) {
        keys[n] = sched_text(s, "%s", key);
        items[n++] = value;
    }
    *annotations_of(copy) = ir_value_map(s->m, n, keys, items);
    ir_stmt_seal(copy);
    return copy;
}

struct ir_value *sched_int_array(struct schedule *s, size_t n,
                                 const int64_t *numbers)
{
    struct ir_value *list = ir_value_make(s->m, IR_V_ARRAY);
    list->n = n;
    list->items = ARENA_ARRAY(s->m->arena, n + 1, struct ir_value *);
    for (size_t i = 0; i < n; i++)
        list->items[i] = ir_value_int(s->m, numbers[i]);
    return list;
}

/* ---- scopes ---------------------------------------------------------------- */

bool sched_is_scope(const char *scope)
{
    /* Those of TVM's StorageScope::Create. */
    static const char *const names[] = {"local",
                                        "warp",
                                        "wmma.matrix_a",
                                        "wmma.matrix_b",
                                        "wmma.accumulator",
                                        "m16n8k8.matrixA",
                                        "m16n8k8.matrixB",
                                        "m16n8k8.matrixC",
                                        "metal.simdgroup"};
    static const char *const families[] = {"global", "shared", "texture"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (!strcmp(scope, names[i]))
            return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++) {
        size_t n = strlen(families[i]);
        if (!strncmp(scope, families[i], n) &&
            (scope[n] == '\0' || scope[n] == '.' || scope[n] == '-'))
            return true;
    }
    return false;
}

/* ---- a block's buffers ----------------------------------------------------- */

bool sched_accessed(struct schedule *s, schedule_ref ref, int64_t index,
                    bool write, struct sched_path *path,
                    struct ir_buffer **buffer)
{
    const char *what = write ? "write" : "read";
    if (!sched_find_block(s, ref, path))
        return false;
    const struct ir_block *b = sched_path_end(path)->u.block;
    size_t n = write ? b->nwrites : b->nreads;
    if (index < 0 || (uint64_t)index >= n)
        return sched_bad(s, "block '%s' has no %s %d", b->name, what,
                         (int)index);
    *buffer = (write ? b->writes : b->reads)[index].buffer;
    return true;
}

bool sched_alloc_site(struct schedule *s, const struct sched_path *path,
                      const struct ir_buffer *buffer, struct sched_path *site)
{
    *site = *path;
    for (; site->n > 0; site->n--) {
        const struct ir_stmt *stmt = sched_path_end(site);
        if (stmt->kind == IR_BLOCK && sched_is_own(stmt, buffer))
            return true;
    }
    return sched_illegal(s, "buffer '%s' is allocated by no block around '%s'",
                         buffer->name, sched_path_end(path)->u.block->name);
}

struct ir_buffer *sched_buffer_copy(struct schedule *s,
                                    const struct ir_buffer *old,
                                    struct dtype dtype, const char *scope)
{
    struct ir_buffer *b =
        ir_buffer_make(s->m, old->name, dtype, old->rank, old->shape, NULL,
                       sched_text(s, "%s", scope));
    b->nstrides = old->nstrides;
    b->strides = old->strides;
    b->elem_offset = old->elem_offset;
    b->alignment = old->alignment;
    b->offset_factor = old->offset_factor;
    b->auto_broadcast = old->auto_broadcast;
    b->nseparators = old->nseparators;
    b->separators = old->separators;
    b->allocated_addr = old->allocated_addr;
    b->pos = old->pos;
    return b;
}

static bool is_view(const void *buffer, const struct ir_stmt *stmt)
{
    const struct ir_buffer *old = buffer;
    bool found = false;
    for (size_t i = 0; stmt->kind == IR_BLOCK && i < stmt->u.block->nmatches;
         i++)
        found |= stmt->u.block->matches[i].source.buffer->data == old->data;
    return found;
}

bool sched_exchange(struct schedule *s, const struct sched_path *site,
                    struct sched_map *map)
{
    struct ir_stmt *old = sched_path_end(site);
    if (ir_stmt_any(old, is_view, NULL, map->from))
        return sched_unsupported(s, "buffer '%s' is seen through a view",
                                 map->from->name);
    struct ir_stmt *stmt = sched_map_stmt(map, old);
    struct ir_block *b = stmt->u.block;
    struct ir_buffer **allocs =
        ARENA_ARRAY(s->m->arena, b->nallocs + 1, struct ir_buffer *);
    for (size_t i = 0; i < b->nallocs; i++)
        allocs[i] = b->allocs[i] == map->from ? map->to : b->allocs[i];
    b->allocs = allocs;
    ir_stmt_seal(stmt);
    return sched_commit(s, sched_replace(s, site, stmt));
}
