/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop whose iterations are independent (depend.c), run by several threads.
 *
 * The iterations are cut into chunks, which threads take in order. A thread has
 * a machine of its own: registers, values of atoms, storage that each iteration
 * makes for itself, and what it knows of the taint of all storage. Cells that
 * the iterations share are written by one thread only, and read by no other,
 * since no iteration touches what another one writes.
 *
 * How a run ends does not depend on how it was cut. Counts are added up and
 * flags joined in the order of the chunks, up to the first that the serial run
 * would not have got past: steps are charged in the same portions, so it uses
 * up its steps, or gives up, in the same chunk. Taint is a property of the
 * values; a thread that does not know yet that the run is inexact only looks
 * more often.
 */
#include "interp/fast/keyed_vm.h"

#include <string.h>

#define CHUNKS_PER_THREAD 8
/* Bytes of storage that each iteration has for itself, per thread. */
#define MAX_PRIVATE ((size_t)64 << 20)

struct chunk {
    int64_t from, to;
    bool done, ok;
    const char *why;
    uint64_t steps;
    bool inexact, data;
};

struct share {
    struct vm *parent;
    uint32_t pc;
    int64_t min;
    size_t nchunks, nthreads;
    struct chunk *chunks;
    struct worker *workers;
    struct dc_lock *lock; /* of what follows, and of chunks' answers */
    size_t next, settled; /* chunks taken; chunks before the first open one */
    uint64_t steps;       /* of the settled ones */
    bool stop;            /* a settled one ends the run */
};

struct worker {
    struct vm vm;
    struct engine engine; /* for a reason of its own */
};

/* ---- storage of a thread's own ----------------------------------------------- */

static bool is_private(const struct store *s, const struct node *loop)
{
    const struct node *n = s->home;
    while (n != NULL && n->depth > loop->depth)
        n = n->parent;
    return n == loop;
}

static size_t cell_bytes(const struct engine *e, const struct store *s)
{
    return fast_keyed_domain(e->options) ? KEYED_CELL
                                         : fast_ftype_bytes(s->type);
}

static size_t private_bytes(const struct engine *e, const struct node *loop)
{
    size_t sum = 0;
    for (size_t i = 0; i < e->stores.len; i++) {
        const struct store *s = e->stores.items[i];
        if (is_private(s, loop))
            sum += (size_t)s->elements * s->lanes * (cell_bytes(e, s) + 1);
    }
    return sum;
}

static void own_storage(struct vm *v, const struct node *loop)
{
    for (size_t i = 0; i < v->e->stores.len; i++) {
        const struct store *s = v->e->stores.items[i];
        size_t n = (size_t)s->elements * s->lanes + 1;
        if (!is_private(s, loop))
            continue;
        v->memory[i].data = dc_alloc(n * cell_bytes(v->e, s));
        v->memory[i].state = dc_alloc(n);
    }
}

static void release_storage(struct vm *v, const struct node *loop)
{
    for (size_t i = 0; i < v->e->stores.len; i++) {
        if (!is_private(v->e->stores.items[i], loop))
            continue;
        dc_release(v->memory[i].data);
        dc_release(v->memory[i].state);
    }
}

/* ---- a thread's machine ---------------------------------------------------------- */

static void *copy_of(const void *from, size_t bytes)
{
    void *to = dc_alloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

static void worker_begin(struct worker *w, const struct share *s)
{
    const struct vm *p = s->parent;
    const struct engine *e = p->e;
    w->engine = *e;
    w->vm = *p;
    struct vm *v = &w->vm;
    v->e = &w->engine;
    v->threads = 1;
    memset(v->columns, 0, sizeof v->columns);
    memset(&v->needed, 0, sizeof v->needed);
    v->regs = copy_of(p->regs, (e->nregs + 2) * sizeof *v->regs);
    v->ints = copy_of(p->ints, (e->atoms.len + 1) * sizeof *v->ints);
    v->memory = copy_of(p->memory, (e->stores.len + 1) * sizeof *v->memory);
    own_storage(v, p->code[s->pc].node);
    v->max_steps = p->max_steps - p->steps;
    if (p->keyed != NULL)
        fast_keyed_share(v, p);
}

static void worker_end(struct worker *w, const struct share *s)
{
    struct vm *v = &w->vm;
    const struct node *loop = s->parent->code[s->pc].node;
    for (size_t i = 0; i < v->e->stores.len; i++)
        if (!is_private(v->e->stores.items[i], loop))
            s->parent->memory[i].sound &= v->memory[i].sound;
    if (v->keyed != NULL)
        fast_keyed_join(s->parent, v);
    release_storage(v, loop);
    for (size_t i = 0; i < MAX_COLUMNS; i++)
        dc_release(v->columns[i]);
    vec_fini(&v->needed);
    dc_release(v->memory);
    dc_release(v->ints);
    dc_release(v->regs);
}

/* ---- chunks ------------------------------------------------------------------------ */

static struct chunk *take(struct share *s)
{
    struct chunk *c = NULL;
    dc_lock_enter(s->lock);
    if (!s->stop && s->next < s->nchunks)
        c = &s->chunks[s->next++];
    dc_lock_leave(s->lock);
    return c;
}

/* Whether the serial run would not have got past this chunk, the steps of those
 * before it being known. */
static bool ends_run(const struct share *s, const struct chunk *c)
{
    return !c->ok ||
           c->steps > s->parent->max_steps - s->parent->steps - s->steps;
}

static void settle(struct share *s, struct chunk *c)
{
    dc_lock_enter(s->lock);
    c->done = true;
    while (!s->stop && s->settled < s->nchunks && s->chunks[s->settled].done) {
        const struct chunk *first = &s->chunks[s->settled];
        s->stop = ends_run(s, first);
        if (s->stop)
            break;
        s->steps += first->steps;
        s->settled++;
    }
    dc_lock_leave(s->lock);
}

static void run_worker(void *user, unsigned part)
{
    struct share *s = user;
    struct vm *v = &s->workers[part].vm;
    struct chunk *c;
    while ((c = take(s)) != NULL) {
        v->steps = 0;
        v->budget = false;
        v->e->why = NULL;
        c->ok = fast_vm_iterations(v, s->pc, s->min, c->from, c->to, 0, 1);
        c->why = v->e->why;
        c->steps = v->steps;
        c->inexact = v->inexact;
        c->data = v->data;
        settle(s, c);
    }
    if (part != 0)
        num_release_caches();
}

/* The answers in order. */
static bool join_chunks(struct share *s)
{
    struct vm *p = s->parent;
    for (size_t i = 0; i < s->settled; i++) {
        p->inexact |= s->chunks[i].inexact;
        p->data |= s->chunks[i].data;
    }
    p->steps += s->steps;
    if (!s->stop)
        return true;
    const struct chunk *last = &s->chunks[s->settled];
    p->budget = last->steps > p->max_steps - p->steps;
    p->steps = p->budget ? p->max_steps + 1 : p->steps + last->steps;
    if (!p->budget)
        return lower_give_up(p->e, last->why);
    return false;
}

/* ---- the loop ----------------------------------------------------------------------- */

static void cut(struct share *s, int64_t trips, bool lanes)
{
    /* strips stay whole, so that a chunk is no slower than a serial run */
    int64_t units = lanes ? (trips + STRIP - 1) / STRIP : trips;
    int64_t want = (int64_t)s->nthreads * CHUNKS_PER_THREAD;
    int64_t n = units < want ? units : want, unit = lanes ? STRIP : 1;
    s->nchunks = (size_t)n;
    s->chunks = dc_alloc(s->nchunks * sizeof *s->chunks);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = units / n * (i + 1) + units % n * (i + 1) / n;
        s->chunks[i].from = i > 0 ? s->chunks[i - 1].to : 0;
        s->chunks[i].to = to * unit < trips ? to * unit : trips;
    }
}

bool fast_share_loop(struct vm *v, uint32_t pc, int64_t min, int64_t trips)
{
    const struct insn *in = &v->code[pc];
    bool lanes = in->op == F_LANES;
    if (trips < (lanes ? STRIP + 1 : 2) ||
        private_bytes(v->e, in->node) > MAX_PRIVATE)
        return fast_vm_iterations(v, pc, min, 0, trips, 0, 1);
    struct share s = {.parent = v, .pc = pc, .min = min};
    s.nthreads = v->threads < DC_MAX_THREADS ? v->threads : DC_MAX_THREADS;
    cut(&s, trips, lanes);
    if (s.nthreads > s.nchunks)
        s.nthreads = s.nchunks;
    s.lock = dc_lock_new();
    s.workers = dc_alloc(s.nthreads * sizeof *s.workers);
    for (size_t i = 0; i < s.nthreads; i++)
        worker_begin(&s.workers[i], &s);
    dc_parallel((unsigned)s.nthreads, run_worker, &s);
    for (size_t i = 0; i < s.nthreads; i++)
        worker_end(&s.workers[i], &s);
    bool ok = join_chunks(&s);
    dc_lock_free(s.lock);
    dc_release(s.workers);
    dc_release(s.chunks);
    return ok;
}
