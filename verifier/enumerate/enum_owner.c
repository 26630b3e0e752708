/* SPDX-License-Identifier: Apache-2.0
 *
 * To whom storage belongs that a block allocates (R4): where all accesses lie
 * below a loop whose iterations are independent, each iteration has its own, as
 * far as the scope allows. Found by the innermost such loop around all of them.
 */
#include "verifier/enumerate/enum_run.h"

#include <string.h>

struct loop { /* a parallel, vectorised or thread-bound one */
    const struct loop *up;
    const struct ir_stmt *stmt; /* NULL: around everything */
    const char *tag;            /* of thread-bound ones */
    size_t depth;
};

struct entry {
    const struct ir_buffer *buffer;
    const struct loop *at; /* where it is allocated */
};

struct walk {
    struct enum_machine *m;
    const struct loop *loop;
    const struct loop **common; /* by variable of the data; NULL: none yet */
    uint32_t *same_as;          /* by variable: one that is the same storage */
    struct VEC(struct entry) entries;
    size_t ntags;
    const char *tags[16];
    bool too_many;
};

static uint32_t root_of(const struct walk *w, uint32_t id)
{
    while (w->same_as[id] != id)
        id = w->same_as[id];
    return id;
}

static const struct loop *meet(const struct loop *a, const struct loop *b)
{
    while (a != b) {
        if (a->depth >= b->depth)
            a = a->up;
        else
            b = b->up;
    }
    return a;
}

static void see_access(struct walk *w, const struct ir_var *data)
{
    const struct loop **at = &w->common[root_of(w, data->id)];
    *at = *at == NULL ? w->loop : meet(*at, w->loop);
}

static void join(struct walk *w, const struct ir_var *a, const struct ir_var *b)
{
    uint32_t x = root_of(w, a->id), y = root_of(w, b->id);
    if (x == y)
        return;
    const struct loop *p = w->common[x], *q = w->common[y];
    w->same_as[x] = y;
    w->common[y] = p == NULL ? q : q == NULL ? p : meet(p, q);
}

static bool see_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        see_access(user, e->u.buffer->data);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        see_access(user, e->u.var);
    return true;
}

/* Makes the statement a loop around all that is met from now on. */
static void enter(struct walk *w, const struct ir_stmt *s, const char *tag)
{
    struct loop *l = ARENA_NEW(w->m->arena, struct loop);
    *l = (struct loop){w->loop, s, tag, w->loop->depth + 1};
    bool known = tag == NULL;
    for (size_t i = 0; i < w->ntags && !known; i++)
        known = strcmp(w->tags[i], tag) == 0;
    if (!known && w->ntags < DC_ARRAY_LEN(w->tags))
        w->tags[w->ntags++] = tag;
    else if (!known)
        w->too_many = true;
    w->loop = l;
}

static bool see_stmt(void *user, struct ir_stmt *s);

/* The loop's bounds are outside of it. */
static void walk_loop(struct walk *w, const struct ir_stmt *s, const char *tag)
{
    struct ir_visitor v = {see_stmt, see_expr, w};
    const struct loop *outside = w->loop;
    ir_visit_expr(&v, s->kind == IR_FOR ? s->u.loop.min : s->u.attr.value);
    if (s->kind == IR_FOR) {
        ir_visit_expr(&v, s->u.loop.extent);
        ir_visit_expr(&v, s->u.loop.step);
    }
    enter(w, s, tag);
    ir_visit_stmt(&v, ir_stmt_below(s, 0));
    w->loop = outside;
}

static void see_block(struct walk *w, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++)
        vec_push(&w->entries, ((struct entry){b->allocs[i], w->loop}));
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_match_buffer *x = &b->matches[i];
        see_access(w, x->source.buffer->data);
        join(w, x->buffer->data, x->source.buffer->data);
    }
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct walk *w = user;
    struct ir_thread_axis axis = {.tag = NULL};
    if (ir_thread_axis(s, &axis) ||
        (s->kind == IR_FOR && (s->u.loop.kind == IR_FOR_PARALLEL ||
                               s->u.loop.kind == IR_FOR_VECTORIZED))) {
        walk_loop(w, s, axis.tag);
        return false;
    }
    if (s->kind == IR_DECL_BUFFER && enum_decl_source(s) != NULL)
        join(w, s->u.decl.buffer->data, enum_decl_source(s));
    if (s->kind == IR_STORE)
        see_access(w, s->u.store.buffer->data);
    if (s->kind == IR_BLOCK)
        see_block(w, s->u.block);
    return true;
}

/* Which axes are fixed where all accesses lie. */
static void count_axes(const struct loop *at, size_t *blocks, size_t *threads)
{
    const char *seen[16];
    size_t n = 0;
    *blocks = *threads = 0;
    for (; at->stmt != NULL; at = at->up) {
        bool again = at->tag == NULL;
        for (size_t i = 0; i < n && !again; i++)
            again = strcmp(seen[i], at->tag) == 0;
        if (again || n == DC_ARRAY_LEN(seen))
            continue;
        seen[n++] = at->tag;
        *(enum_is_block_tag(at->tag) ? blocks : threads) += 1;
    }
}

static bool in_threads(const struct loop *at)
{
    while (at->stmt != NULL && at->tag == NULL)
        at = at->up;
    return at->stmt != NULL;
}

static void settle(const struct walk *w, const struct entry *x)
{
    const struct loop *at = w->common[root_of(w, x->buffer->data->id)];
    struct enum_owner *o = &w->m->owners[x->buffer->id];
    size_t blocks = 0, threads = 0, all_blocks = 0, all;
    bool below = false;
    o->several = at != NULL && !in_threads(at) && w->ntags > 0;
    if (at == NULL || meet(at, x->at) != x->at || at == x->at)
        return;
    for (const struct loop *l = at; l != x->at; l = l->up) {
        below = below || l->tag != NULL;
        if (l->tag == NULL && o->loop == NULL)
            o->loop = l->stmt;
    }
    if (!below)
        return;
    count_axes(at, &blocks, &threads);
    for (size_t i = 0; i < w->ntags; i++)
        all_blocks += enum_is_block_tag(w->tags[i]);
    all = w->ntags - all_blocks;
    if (w->too_many || blocks != all_blocks)
        o->kind = ENUM_OWNER_UNKNOWN;
    else
        o->kind = threads == all ? ENUM_OWNER_THREAD
                  : threads == 0 ? ENUM_OWNER_BLOCK
                                 : ENUM_OWNER_UNKNOWN;
}

void enum_find_owners(struct enum_machine *m)
{
    const struct loop outside = {0};
    struct walk w = {.m = m, .loop = &outside};
    m->owners = ARENA_ARRAY(m->arena, m->nbuffers + 1, struct enum_owner);
    w.common = ARENA_ARRAY(m->arena, m->nvars + 1, const struct loop *);
    w.same_as = ARENA_ARRAY(m->arena, m->nvars + 1, uint32_t);
    for (size_t i = 0; i < m->nvars; i++)
        w.same_as[i] = (uint32_t)i;
    struct ir_visitor v = {see_stmt, see_expr, &w};
    ir_visit_stmt(&v, m->func->prim.body);
    for (size_t i = 0; i < w.entries.len; i++)
        settle(&w, &w.entries.items[i]);
    vec_fini(&w.entries);
}
