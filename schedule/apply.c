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
    if (!sched_arg_kinds(s, nargs, args, p->one ? "r" : p->pair ? "rr" : "ris"))
        return false;
    if (p->one)
        return p->one(s, args[0].u.ref);
    if (p->pair)
        return p->pair(s, args[0].u.ref, args[1].u.ref);
    *nout = p->copy(s, args[0].u.ref, args[1].u.integer, args[2].u.string, out);
    return *nout == 1;
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
