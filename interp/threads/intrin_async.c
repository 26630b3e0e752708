/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async (rule 23): a copy is a read and a write at an unknown time between
 * its issue and the issuing thread's wait that covers its group. The reference
 * makes it happen at the wait; until then every access that conflicts with it
 * is a fault.
 *
 * Copies in flight stand in one list. A table that counts them by hashed
 * 16-byte piece of memory answers most questions of intrin_async_access at
 * once.
 */
#include "interp/threads/intrin.h"

#include <string.h>

#define TABLE_SIZE     4096
#define PIECE          16
#define MAX_COPY_BYTES 4096

struct async_copy {
    struct thread *thread;
    struct alloc *to, *from; /* from NULL: zero fill */
    int64_t to_offset, from_offset;
    int64_t bytes;
    uint32_t group; /* 0: not committed */
    bool active;
};

/* machine-wide numbering per thread is kept in thread.async */
struct async_thread {
    uint32_t groups; /* committed so far */
};

static struct async_thread *thread_state(struct thread *t)
{
    if (t->async == NULL)
        t->async = dc_alloc(sizeof(struct async_thread));
    return t->async;
}

/* ---- the table of pieces ---------------------------------------------------------- */

static uint16_t *piece(struct intrin_state *s, const struct alloc *a,
                       int64_t offset)
{
    uint64_t h = hash_mix(a->slot, (uint64_t)(offset / PIECE));
    return &s->touched[h % TABLE_SIZE];
}

static void count_pieces(struct intrin_state *s, const struct async_copy *c,
                         int by)
{
    int64_t last = c->to_offset + c->bytes - 1;
    for (int64_t p = c->to_offset / PIECE; p <= last / PIECE; p++) {
        uint16_t *n = piece(s, c->to, p * PIECE);
        *n = (uint16_t)(*n + by);
    }
    last = c->from_offset + c->bytes - 1;
    for (int64_t p = c->from_offset / PIECE;
         c->from != NULL && p <= last / PIECE; p++) {
        uint16_t *n = piece(s, c->from, p * PIECE);
        *n = (uint16_t)(*n + by);
    }
}

static bool overlaps(int64_t a, int64_t n, int64_t b, int64_t k)
{
    return a < b + k && b < a + n;
}

void intrin_async_access(struct machine *m, struct alloc *a, size_t offset,
                         size_t size, unsigned mode)
{
    struct intrin_state *s = intrin_state_get(m);
    int64_t at = (int64_t)offset, n = (int64_t)size;
    if (s->landing || s->touched == NULL ||
        (*piece(s, a, at) == 0 && *piece(s, a, at + n - 1) == 0))
        return;
    for (size_t i = 0; i < s->ncopies && !m->failed; i++) {
        const struct async_copy *c = &s->copies[i];
        if (!c->active)
            continue;
        bool target = c->to == a && overlaps(at, n, c->to_offset, c->bytes);
        bool source = c->from == a && mode != RACE_READ &&
                      overlaps(at, n, c->from_offset, c->bytes);
        if (target)
            exec_fault(m, INTERP_ASYNC, a->buffer, NULL,
                       "is %s at byte %lld while an asynchronous copy to it "
                       "is under way",
                       mode == RACE_READ ? "read" : "written", (long long)at);
        else if (source)
            exec_fault(m, INTERP_ASYNC, a->buffer, NULL,
                       "is written at byte %lld while an asynchronous copy "
                       "from it is under way",
                       (long long)at);
    }
}

/* ---- issue: target, offset, source, offset, bytes[, predicate] ---------------------- */

static struct async_copy *new_copy(struct machine *m)
{
    struct intrin_state *s = intrin_state_get(m);
    if (s->touched == NULL)
        s->touched = ARENA_ARRAY(m->arena, TABLE_SIZE, uint16_t);
    for (; s->ncopies > 0 && !s->copies[s->ncopies - 1].active; s->ncopies--)
        ;
    if (s->ncopies == s->copy_cap) {
        size_t n = 2 * s->copy_cap + 64;
        struct async_copy *grown = ARENA_ARRAY(m->arena, n, struct async_copy);
        if (s->ncopies > 0)
            memcpy(grown, s->copies, s->ncopies * sizeof *grown);
        s->copies = grown;
        s->copy_cap = n;
    }
    return &s->copies[s->ncopies++];
}

static bool in_storage(struct machine *m, const struct ir_expr *call,
                       const struct alloc *a, int64_t offset, int64_t bytes)
{
    if (offset >= 0 && (uint64_t)offset + (uint64_t)bytes <= a->size)
        return true;
    exec_fault(m, INTERP_OUT_OF_BOUNDS, a->buffer, call,
               "is accessed by a copy of %lld bytes at byte %lld, outside its "
               "%zu bytes",
               (long long)bytes, (long long)offset, a->size);
    return false;
}

static bool end_of_copy(struct machine *m, const struct ir_expr *call,
                        uint32_t i, struct alloc **alloc, int64_t *offset)
{
    struct pointer p;
    int64_t at;
    if (!exec_pointer_get(m, exec_eval(m, call->args[i]), &p) ||
        !exec_eval_index(m, call->args[i + 1], "offset of a copy", &at))
        return false;
    *alloc = p.alloc;
    *offset =
        p.offset + at * (int64_t)dtype_lane_bytes(intrin_pointer_lane(&p));
    return true;
}

static struct value cp_async(struct machine *m, const struct ir_expr *call)
{
    struct async_copy c = {.thread = m->thread, .active = true};
    bool taken = true;
    struct value none = exec_value_scalar(0, 0);
    if (!end_of_copy(m, call, 0, &c.to, &c.to_offset) ||
        !end_of_copy(m, call, 2, &c.from, &c.from_offset) ||
        !exec_eval_index(m, call->args[4], "bytes of a copy", &c.bytes))
        return none;
    if (call->nargs > 6 || c.bytes < 1 || c.bytes > MAX_COPY_BYTES)
        return exec_unsupported(m, call, "of this form is not supported");
    if (call->nargs == 6 && !exec_eval_condition(m, call->args[5], &taken))
        return none;
    if (!taken)
        c.from = NULL;
    if (!in_storage(m, call, c.to, c.to_offset, c.bytes) ||
        (c.from != NULL &&
         !in_storage(m, call, c.from, c.from_offset, c.bytes)))
        return none;
    /* two copies to one place at a time conflict as well */
    for (int64_t i = 0; i < c.bytes && m->async_pending > 0 && !m->failed;
         i += PIECE) {
        size_t n = (size_t)(c.bytes - i < PIECE ? c.bytes - i : PIECE);
        intrin_async_access(m, c.to, (size_t)(c.to_offset + i), n, RACE_WRITE);
        if (c.from != NULL)
            intrin_async_access(m, c.from, (size_t)(c.from_offset + i), n,
                                RACE_READ);
    }
    /* the copy may happen at once: what came before must be ordered before it */
    if (m->racing && !m->failed) {
        exec_race_access(m, c.to, (size_t)c.to_offset, (size_t)c.bytes,
                         RACE_WRITE | RACE_CHANGES, NULL);
        if (c.from != NULL)
            exec_race_access(m, c.from, (size_t)c.from_offset, (size_t)c.bytes,
                             RACE_READ, NULL);
    }
    if (m->failed)
        return none;
    *new_copy(m) = c;
    c.to->refs++;
    if (c.from != NULL)
        c.from->refs++;
    count_pieces(intrin_state_get(m), &c, 1);
    m->async_pending++;
    return none;
}

/* ---- groups ---------------------------------------------------------------------------- */

static void commit(struct machine *m)
{
    struct intrin_state *s = intrin_state_get(m);
    struct async_thread *t = thread_state(m->thread);
    (void)intrin_charge(m, s->ncopies / 8);
    t->groups++; /* an empty commit makes a group */
    for (size_t i = 0; i < s->ncopies; i++)
        if (s->copies[i].active && s->copies[i].thread == m->thread &&
            s->copies[i].group == 0)
            s->copies[i].group = t->groups;
}

static struct value commit_group(struct machine *m, const struct ir_expr *call)
{
    (void)call;
    commit(m);
    return exec_value_scalar(0, 0);
}

/* Lane size for a copy: that of the target, if both ends are aligned to it. */
static struct dtype copy_lane(const struct async_copy *c)
{
    struct dtype t = c->to->lane;
    int64_t n = (int64_t)dtype_lane_bytes(t);
    bool fits = c->bytes % n == 0 && c->to_offset % n == 0 &&
                (c->from == NULL || c->from_offset % n == 0);
    return fits ? t : dtype_make(DT_UINT, 8, 1);
}

static void land(struct machine *m, struct async_copy *c)
{
    struct dtype lane = copy_lane(c);
    int64_t step = (int64_t)dtype_lane_bytes(lane);
    struct value zero = dtype_is_float(lane) ? exec_literal(m, lane, 0.0)
                                             : exec_value_scalar(0, 0);
    for (int64_t i = 0; i < c->bytes && !m->failed; i += step) {
        struct value v = c->from != NULL
                             ? mem_load(m, c->from, c->from_offset + i, lane)
                             : zero;
        mem_store(m, c->to, c->to_offset + i, lane, v);
    }
}

static void retire(struct machine *m, struct async_copy *c)
{
    count_pieces(intrin_state_get(m), c, -1);
    mem_alloc_drop(m, c->to);
    mem_alloc_drop(m, c->from);
    c->active = false;
    m->async_pending--;
}

static void wait(struct machine *m, const struct ir_expr *count)
{
    struct intrin_state *s = intrin_state_get(m);
    const struct async_thread *t = thread_state(m->thread);
    int64_t pending;
    if (!exec_eval_index(m, count, "number of groups", &pending))
        return;
    (void)intrin_charge(m, s->ncopies / 8);
    for (size_t i = 0; i < s->ncopies && !m->failed; i++) {
        struct async_copy *c = &s->copies[i];
        if (!c->active || c->thread != m->thread || c->group == 0 ||
            (int64_t)c->group > (int64_t)t->groups - pending)
            continue;
        s->landing = true;
        land(m, c);
        s->landing = false;
        retire(m, c);
    }
}

static struct value wait_group(struct machine *m, const struct ir_expr *call)
{
    wait(m, call->args[0]);
    return exec_value_scalar(0, 0);
}

bool intrin_queue_of(struct machine *m, const struct ir_stmt *s,
                     struct async_queue *q)
{
    const struct ir_stmt *body = s->u.attr.body;
    int64_t queue = 1;
    q->ends = strcmp(s->u.attr.key, "async_commit_queue_scope") == 0;
    q->waits = strcmp(s->u.attr.key, "async_wait_queue_scope") == 0;
    q->body = body;
    if (!q->ends && !q->waits)
        return false;
    bool fine = s->u.attr.value != NULL &&
                ir_const_int(s->u.attr.value, &queue) && queue == 0;
    if (fine && q->waits) {
        fine = body->kind == IR_ATTR && body->u.attr.value != NULL &&
               strcmp(body->u.attr.key, "async_wait_inflight_count") == 0;
        q->pending = fine ? body->u.attr.value : NULL;
        q->body = fine ? body->u.attr.body : body;
    }
    if (!fine)
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "a queue of asynchronous copies other than 0 is not "
                   "supported");
    return fine;
}

void intrin_queue_before(struct machine *m, const struct async_queue *q)
{
    if (q->waits && !m->failed)
        wait(m, q->pending);
}

void intrin_queue_after(struct machine *m, const struct async_queue *q)
{
    if (q->ends && !m->failed)
        commit(m);
}

bool intrin_async_attr(struct machine *m, const struct ir_stmt *s,
                       enum exec_flow *flow)
{
    struct async_queue q;
    if (!intrin_queue_of(m, s, &q))
        return false;
    *flow = FLOW_NEXT;
    intrin_queue_before(m, &q);
    if (!m->failed)
        *flow = exec_stmt(m, q.body);
    intrin_queue_after(m, &q);
    return true;
}

void intrin_thread_fini(struct machine *m, struct thread *t)
{
    struct intrin_state *s = m->intrin;
    for (size_t i = 0; s != NULL && i < s->ncopies; i++)
        if (s->copies[i].active && s->copies[i].thread == t)
            retire(m, &s->copies[i]);
    dc_release(t->async);
    t->async = NULL;
}

const struct intrin intrin_cp_async = {.eval = cp_async};
const struct intrin intrin_commit_group = {.eval = commit_group};
const struct intrin intrin_wait_group = {.eval = wait_group};
