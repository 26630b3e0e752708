/* SPDX-License-Identifier: Apache-2.0
 *
 * Races: two accesses to one cell that nothing orders, at least one of them a
 * write, unless all write the same and who reads has written it himself.
 *
 * What orders two accesses is read off the iterations they were made in. Where
 * these part, it is in two executions of loops, one after the other: ordered; or
 * in two iterations of one parallel loop, two blocks of a launch, two threads of
 * a block: not, but for barriers. Each access has the number of barriers that
 * its block and its warp had passed.
 *
 * Of each cell is kept what was done in a few places: one for all that one
 * iteration did with it between two barriers. A place that a later one stands for
 * is dropped: whatever comes and is not ordered after the dropped one is not
 * ordered after that either. Of those that did the same two are enough, of
 * iterations that part as far outside as any. Where that is not enough nothing
 * more is said of the cell. So what is found is a race, and not all are found.
 *
 * Barriers that the rules imply (R3) are not placed: where a function has none of
 * its own for shared storage, its threads are taken to be ordered.
 */
#include "verifier/enumerate/enum_race.h"

#include <string.h>

#define MAX_KEPT 6u
#define MAX_LOGS ((size_t)1 << 16) /* cells of which anything is kept */

/* What was done in one place. */
enum {
    READ = 1,     /* a read of what the iteration had not written itself */
    READ_OWN = 2, /* of what it had */
    WRITE = 4,
    UPDATE = 8, /* atomic */
    MIXED = 16  /* not always the same bits */
};

struct access {
    const struct enum_node *node;
    int64_t thread; /* index */
    uint32_t block_barriers, warp_barriers;
    unsigned did;  /* of the above */
    enum_id value; /* of READ_OWN and WRITE */
};

struct enum_log {
    uint64_t born; /* before the storage's age: it is about another one */
    size_t n;
    uint8_t *writers; /* of equal writes not all are here: by thread; or NULL */
    bool given_up;
    struct access last; /* the last write; node NULL: none */
    struct access kept[MAX_KEPT];
};

enum { SYNC_SHARED = 1, SYNC_WARP = 2, SYNC_LANES = 4, USES_SHARED = 8 };

struct enum_races {
    struct arena *arena;
    uint64_t instances;
    size_t logs;
    uint64_t age;
    unsigned has;             /* what the function has, of the above */
    bool *stored;             /* by parameter: it may be stored to */
    uint32_t *block_barriers; /* of the launch, by block */
    uint32_t *warp_barriers, *lane_barriers; /* by warp: all, scope warp */
};

/* ---- the function ----------------------------------------------------------- */

static void see_buffer(unsigned *has, const struct ir_buffer *b)
{
    if (strncmp(b->scope, "shared", 6) == 0)
        *has |= USES_SHARED;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    unsigned *has = user;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_WARP_SYNC)
        *has |= SYNC_LANES;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_STORAGE_SYNC)
        *has |=
            strcmp(ir_call_text(e, 0), "warp") == 0 ? SYNC_WARP : SYNC_SHARED;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        see_buffer(has, e->u.buffer);
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    if (s->kind == IR_STORE)
        see_buffer(user, s->u.store.buffer);
    return true;
}

struct stores {
    const struct ir_prim_func *func;
    bool *stored;
    bool all; /* other names or pointers are about */
};

static bool store_stmt(void *user, struct ir_stmt *s)
{
    struct stores *x = user;
    x->all |= s->kind == IR_DECL_BUFFER ||
              (s->kind == IR_BLOCK && s->u.block->nmatches > 0);
    for (size_t i = 0; s->kind == IR_STORE && i < x->func->nparams; i++) {
        const struct ir_buffer *b = x->func->params[i].buffer;
        x->stored[i] |= b != NULL && b->data == s->u.store.buffer->data;
    }
    return true;
}

static bool store_expr(void *user, struct ir_expr *e)
{
    struct stores *x = user;
    x->all |= e->kind == IR_BUFFER_REF ||
              (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype)) ||
              (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF);
    return true;
}

struct enum_races *enum_races_new(struct enum_machine *m)
{
    struct enum_races *r = ARENA_NEW(m->arena, struct enum_races);
    const struct ir_prim_func *f = &m->func->prim;
    struct ir_visitor v = {see_stmt, see_expr, &r->has};
    struct stores x = {f, ARENA_ARRAY(m->arena, f->nparams + 1, bool), false};
    struct ir_visitor w = {store_stmt, store_expr, &x};
    r->arena = arena_new();
    ir_visit_stmt(&v, f->body);
    ir_visit_stmt(&w, f->body);
    for (size_t i = 0; i < f->nparams; i++)
        x.stored[i] |= x.all;
    r->stored = x.stored;
    return r;
}

void enum_races_free(struct enum_races *r)
{
    if (r != NULL)
        arena_free(r->arena);
}

/* ---- iterations ------------------------------------------------------------- */

uint64_t enum_race_instance(struct enum_machine *m)
{
    return m->races != NULL ? ++m->races->instances : 0;
}

static struct enum_node *node_make(struct enum_races *r,
                                   const struct enum_node *up,
                                   const struct ir_stmt *loop,
                                   uint64_t instance, int64_t iteration)
{
    struct enum_node *n = ARENA_NEW(r->arena, struct enum_node);
    n->up = up;
    n->loop = loop;
    n->instance = instance;
    n->iteration = iteration;
    n->depth = up != NULL ? up->depth + 1 : 1;
    return n;
}

void enum_race_enter(struct enum_machine *m, struct enum_lane *thread,
                     const struct ir_stmt *loop, uint64_t instance,
                     int64_t iteration)
{
    if (m->races != NULL)
        thread->node =
            node_make(m->races, thread->node, loop, instance, iteration);
}

void enum_race_leave(struct enum_machine *m, struct enum_lane *thread)
{
    if (m->races != NULL)
        thread->node = thread->node->up;
}

void enum_race_launch(struct enum_machine *m, const struct ir_stmt *launch)
{
    struct enum_races *r = m->races;
    if (r == NULL)
        return;
    uint64_t blocks = enum_race_instance(m), threads = enum_race_instance(m);
    struct enum_node *block = NULL;
    for (size_t i = 0; i < m->nlanes; i++) {
        struct enum_lane *lane = &m->lanes[i];
        size_t per = m->threads_per_block;
        if (i % per == 0) {
            block =
                node_make(r, lane->node, launch, blocks, (int64_t)(i / per));
            block->is_launch = true;
        }
        struct enum_node *thread =
            node_make(r, block, launch, threads, (int64_t)(i % per));
        thread->is_launch = thread->is_thread = true;
        lane->node = thread;
    }
    size_t nblocks = m->nlanes / m->threads_per_block;
    size_t nwarps = m->nlanes / ENUM_WARP_SIZE + 1;
    r->block_barriers = ARENA_ARRAY(r->arena, nblocks + 1, uint32_t);
    r->warp_barriers = ARENA_ARRAY(r->arena, nwarps + 1, uint32_t);
    r->lane_barriers = ARENA_ARRAY(r->arena, nwarps + 1, uint32_t);
}

static bool same_warp(const struct enum_machine *m, int64_t a, int64_t b)
{
    int64_t per = (int64_t)m->threads_per_block;
    return per % ENUM_WARP_SIZE == 0 &&
           a / ENUM_WARP_SIZE == b / ENUM_WARP_SIZE;
}

/* Where the iterations of two accesses part: the outermost nodes that differ;
 * NULL: one is in all that the other is in. */
static void part(const struct enum_node *a, const struct enum_node *b,
                 const struct enum_node **x, const struct enum_node **y)
{
    *x = *y = NULL;
    while (a != b) {
        unsigned p = a != NULL ? a->depth : 0, q = b != NULL ? b->depth : 0;
        if (p >= q) {
            *x = a;
            a = a->up;
        }
        if (q >= p) {
            *y = b;
            b = b->up;
        }
        if (p > q)
            *y = NULL;
        if (q > p)
            *x = NULL;
    }
}

/* Whether barriers stand between two accesses of threads of one block. */
static bool has_barrier(const struct enum_machine *m,
                        const struct enum_storage *s, const struct access *a,
                        const struct access *b)
{
    unsigned has = m->races->has;
    if (a->block_barriers != b->block_barriers)
        return true;
    if (same_warp(m, a->thread, b->thread) &&
        a->warp_barriers != b->warp_barriers)
        return true;
    /* implied ones */
    if (s->scope == ENUM_WARP)
        return (has & (SYNC_WARP | SYNC_LANES)) == 0;
    return (has & SYNC_SHARED) == 0 &&
           (s->scope == ENUM_SHARED || (has & USES_SHARED) != 0);
}

/* The later of two accesses is ordered after the earlier one. *at: else how far
 * outside they part. */
static bool is_ordered(const struct enum_machine *m,
                       const struct enum_storage *s, const struct access *a,
                       const struct access *b, unsigned *at)
{
    const struct enum_node *x, *y;
    part(a->node, b->node, &x, &y);
    *at = 0;
    if (x == NULL || y == NULL || x->instance != y->instance)
        return true;
    *at = x->depth;
    return x->is_thread && has_barrier(m, s, a, b);
}

/* ---- cells ------------------------------------------------------------------ */

static struct enum_log *log_of(struct enum_machine *m, struct enum_storage *s,
                               size_t cell)
{
    struct enum_races *r = m->races;
    size_t n = (size_t)s->n * s->ncopies;
    if (s->logs == NULL || n > s->nlogs) {
        s->logs = ARENA_ARRAY(r->arena, n + 1, struct enum_log *);
        s->nlogs = n;
    }
    if (s->logs[cell] == NULL && r->logs < MAX_LOGS) {
        s->logs[cell] = ARENA_NEW(r->arena, struct enum_log);
        r->logs++;
    }
    struct enum_log *log = s->logs[cell];
    if (log != NULL && log->born < s->age) {
        memset(log, 0, sizeof *log);
        log->born = s->age;
    }
    return log;
}

static struct access access_make(const struct enum_machine *m,
                                 const struct enum_lane *thread,
                                 const struct enum_storage *s, unsigned did,
                                 enum_id value)
{
    const struct enum_races *r = m->races;
    struct access a = {.node = thread->node,
                       .thread = thread->index,
                       .did = did,
                       .value = value};
    if (m->launched) {
        size_t warp = (size_t)thread->index / ENUM_WARP_SIZE;
        a.block_barriers =
            r->block_barriers[(size_t)thread->index / m->threads_per_block];
        a.warp_barriers = r->warp_barriers[warp];
        if (s->scope == ENUM_WARP)
            a.warp_barriers += r->lane_barriers[warp];
    }
    return a;
}

/* Whether two values are the same bits, or may be. */
static bool same_bits(const struct enum_machine *m, enum_id a, enum_id b)
{
    const struct enum_term *x = &m->t->items.items[a];
    const struct enum_term *y = &m->t->items.items[b];
    return x->kind != ENUM_CONST || y->kind != ENUM_CONST ||
           num_same(x->dtype, x->bits, y->bits);
}

/* Whether what is done now is no race with what was done in a place that
 * nothing orders before it. */
static bool is_benign(const struct enum_machine *m, const struct access *old,
                      const struct access *now)
{
    bool same = ((old->did | now->did) & MIXED) == 0 &&
                same_bits(m, old->value, now->value);
    if (((old->did | now->did) & (WRITE | UPDATE)) == 0)
        return true;
    if ((old->did | now->did) & UPDATE)
        return old->did == UPDATE && now->did == UPDATE;
    if (now->did & READ)
        return (old->did & WRITE) == 0;
    if (now->did & READ_OWN)
        return (old->did & WRITE) == 0 || same;
    return (old->did & READ) == 0 && same;
}

static bool is_writer(const struct enum_log *log, int64_t thread)
{
    return (log->writers[thread / 8] >> thread % 8 & 1) != 0;
}

/* Who wrote the cell, where more did than are kept. */
static void note_writer(struct enum_machine *m, struct enum_log *log,
                        const struct access *x)
{
    if ((x->did & WRITE) == 0)
        return;
    if (log->writers == NULL)
        log->writers = ARENA_ARRAY(m->races->arena, m->nlanes / 8 + 1, uint8_t);
    log->writers[x->thread / 8] |= (uint8_t)(1u << x->thread % 8);
}

/* Whether the reader has written the cell itself. */
static bool has_written(const struct enum_machine *m,
                        const struct enum_storage *s,
                        const struct enum_log *log, const struct access *now)
{
    unsigned at;
    for (size_t i = 0; i < log->n; i++) {
        const struct access *x = &log->kept[i];
        if ((x->did & WRITE) && x->thread == now->thread &&
            is_ordered(m, s, x, now, &at))
            return true;
    }
    if (log->writers == NULL)
        return false;
    /* without threads iterations are run one after the other */
    return m->launched ? is_writer(log, now->thread)
                       : (log->last.did & WRITE) != 0 &&
                             is_ordered(m, s, &log->last, now, &at);
}

static bool same_place(const struct access *a, const struct access *b)
{
    return a->node == b->node && a->thread == b->thread &&
           a->block_barriers == b->block_barriers &&
           a->warp_barriers == b->warp_barriers;
}

/* Whether a conflicts with all that b conflicts with. */
static bool covers(const struct enum_machine *m, const struct access *a,
                   const struct access *b)
{
    if ((b->did & ~a->did) != 0 || ((a->did ^ b->did) & UPDATE))
        return false;
    return (b->did & (WRITE | READ_OWN)) == 0 || (a->did & MIXED) ||
           same_bits(m, a->value, b->value);
}

/* Adds what was done in the same place before. */
static void add_to(const struct enum_machine *m, struct access *now,
                   const struct access *x)
{
    unsigned valued = WRITE | READ_OWN;
    bool differs = (now->did & valued) && (x->did & valued) &&
                   !same_bits(m, now->value, x->value);
    if ((now->did & valued) == 0)
        now->value = x->value;
    now->did |= x->did | (differs ? MIXED : 0u);
}

/* Whether two places that are kept stand for one: they did the same, and are
 * ordered neither with it nor with each other. */
static bool is_stood_for(const struct enum_machine *m,
                         const struct enum_storage *s,
                         const struct enum_log *log, const struct access *now)
{
    const struct access *first = NULL;
    unsigned at, mine;
    for (size_t i = 0; i < log->n; i++) {
        const struct access *x = &log->kept[i];
        if (!covers(m, x, now) || is_ordered(m, s, x, now, &mine))
            continue;
        if (first == NULL)
            first = x;
        else if (!is_ordered(m, s, first, x, &at) && at <= mine)
            return true;
    }
    return false;
}

static void keep(struct enum_machine *m, const struct enum_storage *s,
                 struct enum_log *log, struct access now)
{
    size_t n = 0;
    unsigned at;
    if (now.did & (WRITE | UPDATE))
        log->last = now;
    for (size_t i = 0; i < log->n; i++)
        if (same_place(&log->kept[i], &now))
            add_to(m, &now, &log->kept[i]);
    for (size_t i = 0; i < log->n; i++) {
        const struct access *x = &log->kept[i];
        /* nobody else has this copy, and all have passed the barrier */
        bool past =
            s->scope == ENUM_SHARED && x->block_barriers != now.block_barriers;
        if (!past && !same_place(x, &now) &&
            (!is_ordered(m, s, x, &now, &at) || !covers(m, &now, x)))
            log->kept[n++] = *x;
    }
    log->n = n;
    if (log->writers != NULL)
        note_writer(m, log, &now);
    if (is_stood_for(m, s, log, &now)) {
        note_writer(m, log, &now);
        for (size_t i = 0; i < n; i++)
            note_writer(m, log, &log->kept[i]);
    } else if (n < MAX_KEPT) {
        log->kept[log->n++] = now;
    } else {
        log->given_up = true;
    }
}

/* Where each iteration of a loop has the storage to itself: whether the parting
 * `at` lies at or outside of that loop. */
static bool is_own(const struct enum_storage *s, const struct access *now,
                   unsigned at)
{
    bool inside = false;
    for (const struct enum_node *n = now->node; n != NULL; n = n->up) {
        inside = inside || n->loop == s->own_of;
        if (n->depth == at)
            return inside && !n->is_launch;
    }
    return false;
}

static bool report(struct enum_machine *m, const struct access *old,
                   const struct access *now)
{
    const unsigned writes = WRITE | UPDATE;
    return enum_stop(m, ENUM_FAULT,
                     "a race: nothing orders a %s of a cell after a %s",
                     now->did & writes ? "write" : "read",
                     old->did & writes ? "write" : "read");
}

static bool look(struct enum_machine *m, const struct enum_lane *thread,
                 struct enum_storage *s, size_t cell, unsigned did,
                 enum_id value)
{
    unsigned at;
    /* a thread's own, and no iterations in it */
    if (m->races == NULL || thread->node == NULL ||
        (s->scope == ENUM_LOCAL && thread->node->is_thread) ||
        (s->param >= 0 && !m->races->stored[s->param]))
        return true;
    struct enum_log *log = log_of(m, s, cell);
    if (log == NULL || log->given_up)
        return true;
    struct access now = access_make(m, thread, s, did, value);
    m->steps -= m->steps > 0;
    if (s->own_of != NULL && did == READ && log->last.node != NULL &&
        !is_ordered(m, s, &log->last, &now, &at) && is_own(s, &now, at))
        return enum_stop(m, ENUM_FAULT,
                         "a cell is read that only another iteration wrote");
    if (did == READ && has_written(m, s, log, &now))
        now.did = READ_OWN;
    for (size_t i = 0; i < log->n; i++) {
        const struct access *x = &log->kept[i];
        if (!is_ordered(m, s, x, &now, &at) && !is_benign(m, x, &now) &&
            (s->own_of == NULL || !is_own(s, &now, at)))
            return report(m, x, &now);
    }
    keep(m, s, log, now);
    return true;
}

bool enum_race_read(struct enum_machine *m, const struct enum_lane *thread,
                    struct enum_storage *s, size_t cell, enum_id value)
{
    return look(m, thread, s, cell, READ, value);
}

bool enum_race_write(struct enum_machine *m, const struct enum_lane *thread,
                     struct enum_storage *s, size_t cell, enum_id value,
                     bool atomic)
{
    return look(m, thread, s, cell, atomic ? UPDATE : WRITE, value);
}

void enum_race_forget(struct enum_machine *m, struct enum_storage *s)
{
    if (m->races != NULL)
        s->age = ++m->races->age;
}

/* ---- barriers --------------------------------------------------------------- */

/* Whether of each group of threads all reach it or none. */
static bool is_whole(const struct enum_machine *m, size_t group, size_t n,
                     const size_t *active)
{
    for (size_t i = 0; i < n;) {
        size_t first = active[i] / group, count = 0, size = group;
        if ((first + 1) * group > m->nlanes)
            size = m->nlanes - first * group;
        for (; i < n && active[i] / group == first; i++)
            count++;
        if (count != size)
            return false;
    }
    return true;
}

bool enum_race_warp(struct enum_machine *m, size_t n, const size_t *active)
{
    if (m->races == NULL || !m->launched ||
        m->threads_per_block % ENUM_WARP_SIZE != 0)
        return true;
    return is_whole(m, ENUM_WARP_SIZE, n, active) ||
           enum_stop(m, ENUM_FAULT,
                     "an operation of a warp that not all its threads reach");
}

bool enum_race_barrier(struct enum_machine *m, const struct ir_expr *call,
                       size_t n, const size_t *active)
{
    struct enum_races *r = m->races;
    size_t per = m->threads_per_block;
    bool lanes = call->u.call.op == IR_OP_WARP_SYNC;
    bool warp = !lanes && strcmp(ir_call_text(call, 0), "warp") == 0;
    if (r == NULL || !m->launched)
        return true;
    if ((lanes || warp) && per % ENUM_WARP_SIZE != 0)
        return enum_stop(m, ENUM_STOPPED, "a barrier of a part of a warp");
    if (!is_whole(m, lanes || warp ? ENUM_WARP_SIZE : per, n, active))
        return enum_stop(m, ENUM_FAULT, "a barrier that not all threads reach");
    for (size_t i = 0; i < n; i++) {
        size_t unit = active[i] / (lanes || warp ? ENUM_WARP_SIZE : per);
        if (i > 0 &&
            active[i - 1] / (lanes || warp ? ENUM_WARP_SIZE : per) == unit)
            continue;
        *(lanes  ? &r->warp_barriers[unit]
          : warp ? &r->lane_barriers[unit]
                 : &r->block_barriers[unit]) += 1;
    }
    return true;
}
