/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking around in a schedule, and primitives by name: the table that the
 * build makes of schedule/primitives/, and the one place that every step by
 * name goes through, where the outcome of the last one is reset.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- looking around -------------------------------------------------------- */

struct listing {
    size_t n, room;
    struct ir_stmt **items;
    const char *name; /* only blocks of this name; NULL: all */
};

static void list_blocks(struct listing *l, struct ir_stmt *stmt, bool root)
{
    struct ir_stmt *x;
    bool block = stmt->kind == IR_BLOCK;
    if (block && !root && (!l->name || !strcmp(l->name, stmt->u.block->name))) {
        if (l->n < l->room)
            l->items[l->n] = stmt;
        l->n++;
    }
    for (size_t i = 0; (x = ir_stmt_below(stmt, i)) != NULL; i++)
        if (!block || x == stmt->u.block->body)
            list_blocks(l, x, false);
}

schedule_ref schedule_block(struct schedule *s, const char *name)
{
    struct ir_stmt *found;
    struct listing l = {0, 1, &found, name};
    list_blocks(&l, s->func->prim.body, strcmp(name, "root") != 0);
    if (l.n == 1)
        return sched_ref_block(s, found->u.block);
    (void)sched_bad(
        s, l.n ? "several blocks are called '%s'" : "no block is called '%s'",
        name);
    return 0;
}

size_t schedule_blocks(struct schedule *s, size_t room, schedule_ref *blocks)
{
    struct listing l = {0, 0, NULL, NULL};
    list_blocks(&l, s->func->prim.body, true);
    l.items = ARENA_ARRAY(s->m->arena, l.n, struct ir_stmt *);
    l.room = l.n;
    l.n = 0;
    list_blocks(&l, s->func->prim.body, true);
    for (size_t i = 0; i < l.n && i < room; i++)
        blocks[i] = sched_ref_block(s, l.items[i]->u.block);
    return l.n;
}

size_t schedule_loops(struct schedule *s, schedule_ref block, size_t room,
                      schedule_ref *loops)
{
    struct sched_path path;
    size_t n = 0;
    if (!sched_find_block(s, block, &path))
        return 0;
    for (size_t i = sched_path_scope(&path) + 1; i + 1 < path.n; i++) {
        if (path.nodes[i]->kind != IR_FOR)
            continue;
        if (n < room)
            loops[n] = sched_ref_loop(s, path.nodes[i]->u.loop.var);
        n++;
    }
    return n;
}

size_t sched_axes(struct schedule *s, schedule_ref block,
                  enum ir_iter_type type, schedule_ref *out)
{
    struct sched_path path;
    size_t n = 0;
    if (!sched_find_block(s, block, &path))
        return 0;
    const struct ir_block *b = sched_path_end(&path)->u.block;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_expr *e = b->iter_values[i];
        if (b->iters[i].type != type)
            continue;
        if (e->kind != IR_VAR_REF || n == SCHEDULE_MAX_LOOPS) {
            (void)sched_bad(s,
                            "iterator '%s' of block '%s' is bound to no loop "
                            "as it is",
                            b->iters[i].var->name, b->name);
            return 0;
        }
        out[n++] = sched_ref_loop(s, e->u.var);
    }
    return n;
}

static size_t refer(struct schedule *s, size_t n, struct ir_stmt *const *blocks,
                    size_t room, schedule_ref *out)
{
    for (size_t i = 0; i < n && i < room; i++)
        out[i] = sched_ref_block(s, blocks[i]->u.block);
    return n;
}

/* The blocks of a scope, or below a loop. */
static struct sched_children *children(struct schedule *s, struct ir_stmt *stmt)
{
    struct sched_children *all = ARENA_NEW(s->m->arena, struct sched_children);
    (void)sched_children(stmt, all);
    return all;
}

size_t schedule_child_blocks(struct schedule *s, schedule_ref ref, size_t room,
                             schedule_ref *blocks)
{
    struct sched_path path;
    if (!sched_find(s, ref, &path))
        return 0;
    const struct sched_children *all = children(s, sched_path_end(&path));
    return refer(s, all->n, all->items, room, blocks);
}

static bool is_in(const struct ir_region *list, size_t n,
                  const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].buffer == buffer)
            return true;
    return false;
}

/* Appends the blocks in front of `at` that declare to write the buffer, each
 * once. */
static void add_writers(const struct sched_children *all, size_t at,
                        const struct ir_buffer *buffer,
                        struct sched_children *out)
{
    for (size_t i = 0; i < at; i++) {
        const struct ir_block *b = all->items[i]->u.block;
        bool there = !is_in(b->writes, b->nwrites, buffer);
        for (size_t j = 0; j < out->n; j++)
            there |= out->items[j] == all->items[i];
        if (!there && out->n < DC_ARRAY_LEN(out->items))
            out->items[out->n++] = all->items[i];
    }
}

/* Those of a block's reads first, then those of its writes, as TVM lists them
 * (s_tir/sblock_scope.cc). */
static struct sched_children *
producers(struct schedule *s, const struct sched_children *all, size_t at)
{
    struct sched_children *out = ARENA_NEW(s->m->arena, struct sched_children);
    const struct ir_block *b = all->items[at]->u.block;
    for (size_t i = 0; i < b->nreads; i++)
        add_writers(all, at, b->reads[i].buffer, out);
    for (size_t i = 0; i < b->nwrites; i++)
        add_writers(all, at, b->writes[i].buffer, out);
    return out;
}

/* The blocks of the scope of a block, and its place among them. */
static const struct sched_children *scope_of(struct schedule *s,
                                             schedule_ref ref, size_t *at)
{
    struct sched_path path;
    if (!sched_find_block(s, ref, &path))
        return NULL;
    if (path.n == 1) {
        (void)sched_bad(s, "the root block is in no scope");
        return NULL;
    }
    const struct sched_children *all =
        children(s, path.nodes[sched_path_scope(&path)]);
    for (*at = 0; *at < all->n; (*at)++)
        if (all->items[*at] == sched_path_end(&path))
            return all;
    (void)sched_unsupported(s, "too many blocks in the scope");
    return NULL;
}

size_t schedule_producers(struct schedule *s, schedule_ref block, size_t room,
                          schedule_ref *blocks)
{
    size_t at;
    const struct sched_children *all = scope_of(s, block, &at);
    if (!all)
        return 0;
    const struct sched_children *out = producers(s, all, at);
    return refer(s, out->n, out->items, room, blocks);
}

size_t schedule_consumers(struct schedule *s, schedule_ref block, size_t room,
                          schedule_ref *blocks)
{
    struct sched_children *out = ARENA_NEW(s->m->arena, struct sched_children);
    size_t at;
    const struct sched_children *all = scope_of(s, block, &at);
    for (size_t i = at + 1; all && i < all->n; i++) {
        const struct sched_children *from = producers(s, all, i);
        for (size_t j = 0; j < from->n; j++)
            if (from->items[j] == all->items[at])
                out->items[out->n++] = all->items[i];
    }
    return refer(s, out->n, out->items, room, blocks);
}

/* Writes what the block around it does not make. */
static bool is_output(const struct ir_stmt *scope, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nwrites; i++)
        if (!sched_is_own(scope, b->writes[i].buffer))
            return true;
    return false;
}

static void list_outputs(struct ir_stmt *stmt, const struct ir_stmt *scope,
                         struct sched_children *out)
{
    struct ir_stmt *x;
    bool block = stmt->kind == IR_BLOCK;
    if (block && stmt != scope) {
        if (is_output(scope, stmt->u.block) &&
            out->n < DC_ARRAY_LEN(out->items))
            out->items[out->n++] = stmt;
        scope = stmt;
    }
    for (size_t i = 0; (x = ir_stmt_below(stmt, i)) != NULL; i++)
        if (!block || x == stmt->u.block->body)
            list_outputs(x, scope, out);
}

size_t schedule_output_blocks(struct schedule *s, schedule_ref scope,
                              size_t room, schedule_ref *blocks)
{
    struct sched_children *out = ARENA_NEW(s->m->arena, struct sched_children);
    struct sched_path path;
    if (!sched_find_block(s, scope, &path))
        return 0;
    list_outputs(sched_path_end(&path), sched_path_end(&path), out);
    return refer(s, out->n, out->items, room, blocks);
}

static const struct {
    const char *word;
    size_t (*list)(struct schedule *s, schedule_ref ref, size_t room,
                   schedule_ref *out);
} look_ups[] = {
    {"get_loops", schedule_loops},
    {"get_child_blocks", schedule_child_blocks},
    {"get_producers", schedule_producers},
    {"get_consumers", schedule_consumers},
    {"get_output_blocks", schedule_output_blocks},
};

bool sched_look_up(struct schedule *s, const char *word, size_t nargs,
                   const struct schedule_arg *args, size_t *nout,
                   schedule_ref *out)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(look_ups); i++) {
        if (strcmp(word, look_ups[i].word) != 0)
            continue;
        if (!sched_arg_kinds(s, nargs, args, "r"))
            return false;
        *nout = look_ups[i].list(s, args[0].u.ref, SCHEDULE_MAX_LOOPS, out);
        if (*nout > SCHEDULE_MAX_LOOPS)
            return sched_unsupported(s, "more than %u results",
                                     SCHEDULE_MAX_LOOPS);
        return s->why == SCHEDULE_DONE;
    }
    return sched_bad(s, "no primitive is called '%s'", word);
}

/* ---- by name --------------------------------------------------------------- */

const struct schedule_primitive *schedule_primitive_find(const char *name)
{
    for (size_t i = 0; schedule_primitives[i]; i++)
        if (!strcmp(schedule_primitives[i]->name, name))
            return schedule_primitives[i];
    return NULL;
}

void sched_begin(struct schedule *s)
{
    s->why = SCHEDULE_DONE;
    s->message.len = 0;
    s->violation.len = 0;
    s->fault.len = 0;
    buf_puts(&s->message, "");
}

bool sched_arg_flag(struct schedule *s, const struct schedule_arg *arg,
                    size_t number, bool *out)
{
    int64_t value = -1;
    if (arg->kind == SCHEDULE_INT)
        value = arg->u.integer;
    else if (arg->kind == SCHEDULE_VALUE &&
             !ir_value_as_int(arg->u.value, &value))
        value = -1;
    if (value != 0 && value != 1)
        return sched_bad(s, "argument %zu: expected true or false", number);
    *out = value == 1;
    return true;
}

bool schedule_apply(struct schedule *s, const char *name, size_t nargs,
                    const struct schedule_arg *args, size_t *nout,
                    schedule_ref *out)
{
    const struct schedule_primitive *p = schedule_primitive_find(name);
    *nout = 0;
    sched_begin(s);
    if (!p)
        return sched_bad(s, "no primitive is called '%s'", name);
    if (p->apply)
        return p->apply(s, nargs, args, nout, out);
    if (!sched_arg_kinds(s, nargs, args, "r"))
        return false;
    return p->one(s, args[0].u.ref);
}

bool sched_arg_refs(struct schedule *s, size_t nargs,
                    const struct schedule_arg *args, schedule_ref *out)
{
    if (nargs > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "more than %u loops", SCHEDULE_MAX_LOOPS);
    for (size_t i = 0; i < nargs; i++) {
        if (args[i].kind != SCHEDULE_REF)
            return sched_bad(s, "argument %zu: expected a loop or block",
                             i + 1);
        out[i] = args[i].u.ref;
    }
    return true;
}

static const struct {
    char letter;
    enum schedule_arg_kind kind;
    const char *words;
} letters[] = {
    {'r', SCHEDULE_REF, "a loop or block"}, {'i', SCHEDULE_INT, "an integer"},
    {'l', SCHEDULE_LIST, "a list"},         {'m', SCHEDULE_MAP, "an index map"},
    {'s', SCHEDULE_STRING, "a string"},
};

bool sched_arg_kinds(struct schedule *s, size_t nargs,
                     const struct schedule_arg *args, const char *kinds)
{
    size_t n = strlen(kinds);
    if (nargs != n)
        return sched_bad(s, "expected %zu arguments, got %zu", n, nargs);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k + 1 < DC_ARRAY_LEN(letters) && letters[k].letter != kinds[i])
            k++;
        if (args[i].kind != letters[k].kind)
            return sched_bad(s, "argument %zu: expected %s", i + 1,
                             letters[k].words);
    }
    return true;
}

bool sched_arg_ints(struct schedule *s, const struct schedule_arg *arg,
                    size_t *n, int64_t *out)
{
    if (arg->kind != SCHEDULE_LIST || arg->u.list.n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "expected a list of up to %u integers",
                         SCHEDULE_MAX_LOOPS);
    *n = arg->u.list.n;
    for (size_t i = 0; i < *n; i++) {
        if (arg->u.list.items[i].kind != SCHEDULE_INT)
            return sched_bad(s, "item %zu of the list: expected an integer",
                             i + 1);
        out[i] = arg->u.list.items[i].u.integer;
    }
    return true;
}

bool sched_arg_access(struct schedule *s, const struct schedule_arg *arg,
                      bool *write)
{
    bool text = arg->kind == SCHEDULE_STRING;
    if (text && !strcmp(arg->u.string, "read"))
        *write = false;
    else if (text && !strcmp(arg->u.string, "write"))
        *write = true;
    else if (arg->kind == SCHEDULE_INT &&
             (arg->u.integer == 0 || arg->u.integer == 1))
        *write = arg->u.integer != 0;
    else
        return sched_bad(s, "expected \"read\" or \"write\"");
    return true;
}

bool sched_arg_flags(struct schedule *s, size_t nargs,
                     const struct schedule_arg *args, size_t n, int64_t *flags)
{
    if (nargs > n)
        return sched_bad(s, "%zu arguments too many", nargs - n);
    for (size_t i = 0; i < nargs; i++) {
        if (args[i].kind != SCHEDULE_INT)
            return sched_bad(s, "the last arguments: expected integers");
        flags[i] = args[i].u.integer;
    }
    return true;
}

bool sched_arg_factors(struct schedule *s, size_t nargs,
                       const struct schedule_arg *args, size_t *n,
                       int64_t *factors, size_t nflags, int64_t *flags)
{
    if (nargs < 2 || args[0].kind != SCHEDULE_REF)
        return sched_bad(s, "expected a loop and its factors");
    bool list = args[1].kind == SCHEDULE_LIST;
    const struct schedule_arg *items = list ? args[1].u.list.items : args + 1;
    *n = list ? args[1].u.list.n : nargs - 1;
    if (*n == 0 || *n >= SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "no factors, or more than %u",
                         SCHEDULE_MAX_LOOPS - 1);
    for (size_t i = 0; i < *n; i++) {
        bool none = items[i].kind == SCHEDULE_NONE;
        if (!none && items[i].kind != SCHEDULE_INT)
            return sched_bad(s, "factor %zu: expected a factor or None", i + 1);
        factors[i] = none ? 0 : items[i].u.integer;
        if (!none && factors[i] <= 0)
            return sched_illegal(s, "factor %zu is not positive", i + 1);
    }
    return !list || sched_arg_flags(s, nargs - 2, args + 2, nflags, flags);
}
