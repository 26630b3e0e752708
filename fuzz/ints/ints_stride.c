/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs over storage that several index tuples name: buffers declared with
 * strides, offsets and overlapping rows, views over one data variable, as
 * scratch and as parameters; loop nests that store to them and read from them.
 *
 * The tuned side is the untuned one with steps that are right where a name is a
 * cell: nests exchanged, loops turned, a value forwarded from its store to its
 * load, a view taken for another, an initialisation left out where it seems to
 * be overwritten, iterations or threads at the same time, a barrier less. Cells
 * are addresses (R4), so whether they are right here is for the evaluator.
 */
#include "fuzz/ints/ints_private.h"

#include <string.h>

#define MAX_VIEWS 8u
#define MAX_NESTS 6u
#define SCRATCH   48 /* elements of a storage */

/* c + x i + y j */
struct affine {
    int64_t c, x, y;
};

struct view {
    unsigned storage; /* 0: A, 1: O, from 2 on scratch */
    bool whole;       /* the storage's own buffer */
    unsigned rank;
    int64_t shape[2], stride[2], offset;
    bool strided;
};

struct access {
    unsigned view;
    struct affine at[2];
};

struct nest {
    int64_t extent[2]; /* of i and j; 0: no j */
    struct access to;
    unsigned nloads;
    struct access from[2];
    enum ir_expr_kind op;
    int64_t value; /* without loads */
    bool turned;   /* j outside */
    bool reversed; /* i from its end */
    enum ir_for_kind kind;
    bool gone;
};

struct prog {
    struct dtype t;
    unsigned nstorages, nviews, nnests;
    struct view views[MAX_VIEWS];
    struct nest nests[MAX_NESTS];
    bool kernel;      /* all nests in one launch */
    int64_t threads;  /* of it */
    unsigned barrier; /* number of the one that is left out; MAX: none */
};

/* ---- drawing --------------------------------------------------------------- */

static int64_t below(struct gen_bytes *b, int64_t n)
{
    return (int64_t)gen_below(b, (uint64_t)n);
}

/* Elements from the storage's first to the last that the view names. */
static int64_t reach(const struct view *v)
{
    int64_t last = v->offset;
    for (unsigned d = 0; d < v->rank; d++)
        last += (v->shape[d] - 1) * v->stride[d];
    return last + 1;
}

static void compact(struct view *v)
{
    v->stride[v->rank - 1] = 1;
    if (v->rank == 2)
        v->stride[0] = v->shape[1];
    v->strided = false;
}

/* A view of a storage of `room` elements; 0: it is a storage of its own. */
static struct view draw_view(struct gen_bytes *b, unsigned storage,
                             int64_t room)
{
    static const int64_t shapes[] = {2, 3, 4, 4, 5, 6, 8};
    struct view v = {.storage = storage};
    for (unsigned tries = 0; tries < 20; tries++) {
        v.rank = 1 + (unsigned)gen_below(b, 3) / 1;
        v.rank = v.rank > 2 ? 2 : v.rank;
        for (unsigned d = 0; d < v.rank; d++)
            v.shape[d] = shapes[gen_below(b, DC_ARRAY_LEN(shapes))];
        compact(&v);
        if (gen_chance(b, 2, 3)) {
            v.strided = true;
            v.stride[v.rank - 1] = gen_chance(b, 3, 4) ? 1 : below(b, 4);
            if (v.rank == 2) {
                int64_t row = v.shape[1] * v.stride[1];
                v.stride[0] = gen_chance(b, 1, 2)   ? below(b, 9)
                              : gen_chance(b, 1, 2) ? row
                                                    : row + below(b, 5) - 2;
                if (v.stride[0] < 0)
                    v.stride[0] = 0;
            }
        }
        v.offset = gen_chance(b, 1, 3) ? below(b, 12) : 0;
        if (room == 0)
            v.offset = 0;
        if (reach(&v) <= (room == 0 ? SCRATCH : room))
            return v;
    }
    v = (struct view){.storage = storage, .rank = 1, .shape = {4}};
    compact(&v);
    return v;
}

static struct affine draw_affine(struct gen_bytes *b, int64_t n,
                                 const int64_t extent[2], unsigned d)
{
    struct affine a = {0, 0, 0};
    bool second = extent[1] > 0 && d == 1;
    if (gen_chance(b, 1, 6)) {
        a.c = below(b, n);
        return a;
    }
    if (second)
        a.y = 1;
    else
        a.x = 1;
    if (gen_chance(b, 1, 5)) { /* the other variable, or both */
        a.x = below(b, 3);
        a.y = extent[1] > 0 ? below(b, 3) : 0;
    }
    int64_t most =
        a.x * (extent[0] - 1) + (extent[1] > 0 ? a.y * (extent[1] - 1) : 0);
    if (most < n - 1 && gen_chance(b, 1, 3))
        a.c = below(b, n - most);
    return a;
}

static struct access draw_access(struct gen_bytes *b, const struct prog *p,
                                 unsigned view, const int64_t extent[2])
{
    struct access a = {.view = view};
    const struct view *v = &p->views[view];
    for (unsigned d = 0; d < v->rank; d++)
        a.at[d] = draw_affine(b, v->shape[d], extent, v->rank == 1 ? 0 : d);
    /* two variables on one dimension: row-major */
    if (v->rank == 1 && extent[1] > 0 && gen_chance(b, 3, 4)) {
        a.at[0] = (struct affine){0, extent[1], 1};
        if (gen_chance(b, 1, 4))
            a.at[0].x = below(b, 6);
    }
    return a;
}

/* A view of one of the storages from first to last. */
static unsigned pick_view(struct gen_bytes *b, const struct prog *p,
                          unsigned first, unsigned last)
{
    unsigned fit[MAX_VIEWS], n = 0;
    for (unsigned i = 0; i < p->nviews; i++)
        if (p->views[i].storage >= first && p->views[i].storage <= last)
            fit[n++] = i;
    return fit[gen_below(b, n)];
}

static bool inside(const struct prog *p, const struct nest *nest,
                   const struct access *a, int64_t room)
{
    const struct view *v = &p->views[a->view];
    int64_t last = v->offset;
    for (unsigned d = 0; d < v->rank; d++) {
        int64_t at = a->at[d].c + a->at[d].x * (nest->extent[0] - 1);
        if (nest->extent[1] > 0)
            at += a->at[d].y * (nest->extent[1] - 1);
        last += at * v->stride[d];
    }
    return last < room;
}

static int64_t room_of(const struct prog *p, unsigned storage)
{
    for (unsigned i = 0; i < p->nviews; i++)
        if (p->views[i].storage == storage && p->views[i].whole)
            return reach(&p->views[i]);
    return 0;
}

static void fix_extents(const struct prog *p, struct nest *n)
{
    for (unsigned tries = 0; tries < 12; tries++) {
        bool fine =
            inside(p, n, &n->to, room_of(p, p->views[n->to.view].storage));
        for (unsigned i = 0; i < n->nloads; i++)
            fine =
                fine && inside(p, n, &n->from[i],
                               room_of(p, p->views[n->from[i].view].storage));
        if (fine)
            return;
        if (n->extent[0] > 1)
            n->extent[0]--;
        else if (n->extent[1] > 1)
            n->extent[1]--;
        else
            break;
    }
    n->nloads = 0;
}

static struct nest draw_nest(struct gen_bytes *b, const struct prog *p,
                             unsigned to, bool reads_scratch)
{
    static const enum ir_expr_kind ops[] = {IR_ADD, IR_SUB, IR_MAX, IR_BITXOR};
    struct nest n = {.kind = IR_FOR_SERIAL};
    const struct view *v = &p->views[to];
    n.extent[0] = v->shape[0];
    n.extent[1] = v->rank == 2 ? v->shape[1] : 0;
    if (v->rank == 1 && v->shape[0] > 4 && gen_chance(b, 1, 3)) {
        n.extent[0] = 2;
        n.extent[1] = v->shape[0] / 2;
    }
    n.to = draw_access(b, p, to, n.extent);
    n.nloads = gen_chance(b, 1, 8) ? 0 : gen_chance(b, 3, 4) ? 1 : 2;
    for (unsigned i = 0; i < n.nloads; i++) {
        bool scratch = reads_scratch && (i > 0 || gen_chance(b, 4, 5));
        unsigned from = scratch ? pick_view(b, p, 1, p->nstorages - 1)
                                : pick_view(b, p, 0, 0);
        /* what was written is read the same way */
        if (scratch && gen_chance(b, 1, 2))
            for (unsigned k = 0; k < p->nnests; k++)
                if (p->views[p->nests[k].to.view].storage > 1)
                    from = p->nests[k].to.view;
        n.from[i] = draw_access(b, p, from, n.extent);
    }
    n.op = ops[gen_below(b, DC_ARRAY_LEN(ops))];
    n.value = below(b, 9) - 2;
    fix_extents(p, &n);
    return n;
}

/* A buffer filled and read back by the same indices, which may meet. */
static void draw_copy(struct gen_bytes *b, struct prog *p)
{
    static const struct affine at[2] = {{0, 1, 0}, {0, 0, 1}};
    int64_t rows = 2 + below(b, 4), columns = 2 + below(b, 4);
    for (unsigned s = 0; s < 3; s++) {
        struct view *v = &p->views[p->nviews++];
        *v = (struct view){
            .storage = s, .whole = true, .rank = 2, .shape = {rows, columns}};
        compact(v);
        if (s == 2 || gen_chance(b, 1, 4)) {
            v->strided = true;
            v->stride[0] = below(b, columns + 3);
            v->stride[1] = gen_chance(b, 1, 6) ? below(b, 3) : 1;
        }
    }
    p->nstorages = 3;
    for (unsigned k = 0; k < 2; k++) {
        struct nest *n = &p->nests[p->nnests++];
        *n = (struct nest){.extent = {rows, columns},
                           .kind = IR_FOR_SERIAL,
                           .nloads = 1,
                           .to.view = k == 0 ? 2 : 1,
                           .from[0].view = k == 0 ? 0 : 2};
        memcpy(n->to.at, at, sizeof at);
        memcpy(n->from[0].at, at, sizeof at);
    }
}

static void draw_prog(struct gen_bytes *b, struct prog *p)
{
    static const unsigned bits[] = {8, 16, 32, 32};
    memset(p, 0, sizeof *p);
    p->t = ints_int(bits[gen_below(b, DC_ARRAY_LEN(bits))]);
    p->barrier = MAX_NESTS;
    if (gen_chance(b, 1, 4)) {
        draw_copy(b, p);
        return;
    }
    p->nstorages = 3 + (unsigned)gen_below(b, 2);
    for (unsigned s = 0; s < p->nstorages; s++) {
        struct view v = draw_view(b, s, 0);
        v.whole = true;
        if (s >= 2 && gen_chance(b, 1, 2)) {
            v.rank = 1;
            v.shape[0] = 16 + below(b, SCRATCH - 16);
            compact(&v);
        }
        p->views[p->nviews++] = v;
    }
    unsigned more = 1 + (unsigned)gen_below(b, MAX_VIEWS - p->nstorages);
    for (unsigned i = 0; i < more && p->nviews < MAX_VIEWS; i++) {
        unsigned s = gen_chance(b, 3, 4)
                         ? 2 + (unsigned)gen_below(b, p->nstorages - 2)
                         : (unsigned)gen_below(b, 2);
        p->views[p->nviews++] = draw_view(b, s, room_of(p, s));
    }
    /* scratch is filled, mostly whole; then used; then copied out */
    for (unsigned s = 2; s < p->nstorages; s++) {
        unsigned whole = s; /* the storage's own view has its number */
        if (gen_chance(b, 2, 3)) {
            struct nest *n = &p->nests[p->nnests++];
            *n = draw_nest(b, p, whole, false);
            n->to.at[0] = (struct affine){0, 1, 0};
            n->to.at[1] = (struct affine){0, 0, 1};
            n->extent[0] = p->views[whole].shape[0];
            n->extent[1] =
                p->views[whole].rank == 2 ? p->views[whole].shape[1] : 0;
            fix_extents(p, n);
        } else {
            p->nests[p->nnests++] =
                draw_nest(b, p, pick_view(b, p, s, s), false);
        }
    }
    unsigned middle = (unsigned)gen_below(b, 3);
    for (unsigned i = 0; i < middle && p->nnests + 1 < MAX_NESTS; i++) {
        unsigned to =
            pick_view(b, p, gen_chance(b, 1, 5) ? 1 : 2, p->nstorages - 1);
        struct nest n = draw_nest(b, p, to, true);
        p->nests[p->nnests++] = n;
    }
    struct nest last = draw_nest(b, p, pick_view(b, p, 1, 1), true);
    p->nests[p->nnests++] = last;
}

/* ---- steps ----------------------------------------------------------------- */

static bool same_access(const struct access *a, const struct access *b)
{
    return a->view == b->view && memcmp(a->at, b->at, sizeof a->at) == 0;
}

/* The value where it was stored in place of the load. */
static bool forward(struct gen_bytes *b, struct prog *p)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        struct nest *from = &p->nests[gen_below(b, p->nnests)];
        struct nest *to = &p->nests[gen_below(b, p->nnests)];
        if (from >= to || to->nloads == 0 || from->nloads > 1 || from->gone)
            continue;
        for (unsigned i = 0; i < to->nloads; i++) {
            if (!same_access(&from->to, &to->from[i]))
                continue;
            if (from->nloads == 1) {
                to->from[i] = from->from[0];
                if (p->views[from->to.view].storage > 1 && gen_chance(b, 1, 2))
                    from->gone = true;
                return true;
            }
        }
    }
    return false;
}

/* Another view of the storage with indices for about the same cells. */
static bool review(struct gen_bytes *b, struct prog *p)
{
    struct nest *n = &p->nests[gen_below(b, p->nnests)];
    struct access *a = n->nloads > 0 && gen_chance(b, 1, 2)
                           ? &n->from[gen_below(b, n->nloads)]
                           : &n->to;
    const struct view *old = &p->views[a->view];
    unsigned view = pick_view(b, p, old->storage, old->storage);
    const struct view *v = &p->views[view];
    struct affine flat = {old->offset, 0, 0};
    for (unsigned d = 0; d < old->rank; d++) {
        flat.c += a->at[d].c * old->stride[d];
        flat.x += a->at[d].x * old->stride[d];
        flat.y += a->at[d].y * old->stride[d];
    }
    flat.c -= v->offset;
    if (flat.c < 0)
        return false;
    int64_t step = v->stride[v->rank - 1];
    if (v->rank == 1 && step > 1 &&
        (flat.c % step != 0 || flat.x % step != 0 || flat.y % step != 0))
        return false;
    if (step == 0)
        return false;
    if (v->rank == 1) {
        *a = (struct access){
            view, {{flat.c / step, flat.x / step, flat.y / step}, {0, 0, 0}}};
        return true;
    }
    if (step != 1 || v->stride[0] < 1)
        return false;
    /* i along rows where that gives the address, else all along the columns */
    int64_t rows = flat.x % v->stride[0] == 0 ? flat.x / v->stride[0] : 0;
    *a = (struct access){
        view, {{0, rows, 0}, {flat.c, flat.x - rows * v->stride[0], flat.y}}};
    return true;
}

static bool change_index(struct gen_bytes *b, struct prog *p)
{
    struct nest *n = &p->nests[gen_below(b, p->nnests)];
    struct access *a = n->nloads > 0 && gen_chance(b, 2, 3)
                           ? &n->from[gen_below(b, n->nloads)]
                           : &n->to;
    const struct view *v = &p->views[a->view];
    /* one row up, one row's stride further: the same cell */
    if (v->rank == 2 && v->stride[1] == 1 && gen_chance(b, 2, 3)) {
        int64_t sign = gen_chance(b, 1, 2) ? 1 : -1;
        a->at[0].c += sign;
        a->at[1].c -= sign * v->stride[0];
        return true;
    }
    a->at[gen_below(b, v->rank)].c += gen_chance(b, 1, 2) ? 1 : -1;
    return true;
}

static bool swap_nests(struct gen_bytes *b, struct prog *p)
{
    if (p->nnests < 2)
        return false;
    unsigned i = (unsigned)gen_below(b, p->nnests - 1);
    struct nest n = p->nests[i];
    p->nests[i] = p->nests[i + 1];
    p->nests[i + 1] = n;
    return true;
}

static bool one_step(struct gen_bytes *b, struct prog *p)
{
    struct nest *n = &p->nests[gen_below(b, p->nnests)];
    switch (gen_below(b, 12)) {
    case 0:
    case 1: return swap_nests(b, p);
    case 2: n->turned = n->extent[1] > 0; return n->turned;
    case 3: n->reversed = true; return true;
    case 4:
    case 5: return forward(b, p);
    case 6: return review(b, p);
    case 7: return change_index(b, p);
    case 8: n->gone = p->views[n->to.view].storage > 1; return n->gone;
    case 9:
        n->kind = gen_chance(b, 2, 3) ? IR_FOR_PARALLEL : IR_FOR_VECTORIZED;
        return true;
    case 10: n->extent[0] -= n->extent[0] > 1; return true;
    default:
        p->kernel = true;
        p->threads = 2 + below(b, 7);
        if (gen_chance(b, 1, 3))
            p->barrier = (unsigned)gen_below(b, p->nnests);
        return true;
    }
}

/* ---- writing out ----------------------------------------------------------- */

struct writer {
    const struct prog *p;
    struct ir_module *m;
    struct ir_buffer *views[MAX_VIEWS];
    struct ir_stmt *items[MAX_VIEWS + 3 * MAX_NESTS];
    size_t n;
    struct ir_var *thread;
};

static struct ir_expr *index_of(struct writer *w, int64_t v)
{
    return ir_int(w->m, DTYPE_INT32, v);
}

static struct ir_expr *sum(struct writer *w, struct ir_expr *a,
                           struct ir_expr *b)
{
    return a == NULL ? b : b == NULL ? a : ir_binary(w->m, IR_ADD, a, b);
}

static struct ir_expr *times(struct writer *w, int64_t k, struct ir_expr *e)
{
    if (k == 0)
        return NULL;
    return k == 1 ? e : ir_binary(w->m, IR_MUL, e, index_of(w, k));
}

static struct ir_expr *affine_of(struct writer *w, const struct affine *a,
                                 struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *e = times(w, a->x, i);
    if (j != NULL)
        e = sum(w, e, times(w, a->y, j));
    if (a->c != 0 || e == NULL)
        e = sum(w, e, index_of(w, a->c));
    return e;
}

static void make_view(struct writer *w, unsigned k, struct ir_var *data)
{
    const struct view *v = &w->p->views[k];
    struct ir_expr *shape[2], *strides[2];
    bool scratch = v->storage > 1;
    for (unsigned d = 0; d < v->rank; d++) {
        shape[d] = index_of(w, v->shape[d]);
        strides[d] = index_of(w, v->stride[d]);
    }
    char *name = v->storage == 0 && v->whole   ? arena_strdup(w->m->arena, "A")
                 : v->storage == 1 && v->whole ? arena_strdup(w->m->arena, "O")
                 : v->whole ? arena_printf(w->m->arena, "S%u", v->storage)
                            : arena_printf(w->m->arena, "V%u", k);
    struct ir_buffer *b =
        ir_buffer_make(w->m, name, w->p->t, v->rank, shape, data,
                       scratch && w->p->kernel ? "shared" : "global");
    if (v->strided) {
        b->nstrides = v->rank;
        b->strides =
            arena_memdup(w->m->arena, strides, v->rank * sizeof strides[0]);
    }
    if (v->offset != 0)
        b->elem_offset = index_of(w, v->offset);
    w->views[k] = b;
}

static void add(struct writer *w, struct ir_stmt *s)
{
    ir_stmt_seal(s);
    w->items[w->n++] = s;
}

static void declare(struct writer *w)
{
    for (unsigned k = 0; k < w->p->nviews; k++) {
        const struct view *v = &w->p->views[k];
        if (v->whole && v->storage > 1) {
            make_view(w, k, NULL);
            struct ir_stmt *s = ir_stmt_make(w->m, IR_ALLOC);
            s->u.alloc.buffer = w->views[k];
            add(w, s);
        } else if (!v->whole) {
            make_view(w, k, w->views[v->storage]->data);
            struct ir_stmt *s = ir_stmt_make(w->m, IR_DECL_BUFFER);
            s->u.decl.buffer = w->views[k];
            add(w, s);
        }
    }
}

static struct ir_expr *load_of(struct writer *w, const struct access *a,
                               struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *at[2];
    const struct view *v = &w->p->views[a->view];
    for (unsigned d = 0; d < v->rank; d++)
        at[d] = affine_of(w, &a->at[d], i, j);
    return ir_load(w->m, w->views[a->view], v->rank, at, NULL);
}

static struct ir_stmt *point(struct writer *w, const struct nest *n,
                             struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *at[2], *value = ir_int(w->m, w->p->t, n->value);
    const struct view *v = &w->p->views[n->to.view];
    if (n->reversed)
        i = ir_binary(w->m, IR_SUB, index_of(w, n->extent[0] - 1), i);
    if (n->nloads > 0)
        value = load_of(w, &n->from[0], i, j);
    if (n->nloads > 1)
        value = ir_binary(w->m, n->op, value, load_of(w, &n->from[1], i, j));
    for (unsigned d = 0; d < v->rank; d++)
        at[d] = affine_of(w, &n->to.at[d], i, j);
    return ir_store(w->m, w->views[n->to.view], value, v->rank, at, NULL);
}

static struct ir_stmt *loop(struct writer *w, struct ir_var *var,
                            int64_t extent, enum ir_for_kind kind,
                            struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(w->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = index_of(w, 0);
    s->u.loop.extent = index_of(w, extent);
    s->u.loop.kind = kind;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *written(struct writer *w, const struct nest *n)
{
    struct ir_var *vi = ir_var_make(w->m, "i", DTYPE_INT32);
    struct ir_var *vj = ir_var_make(w->m, "j", DTYPE_INT32);
    bool two = n->extent[1] > 0;
    struct ir_expr *i = ir_var_ref(w->m, vi);
    struct ir_expr *j = two ? ir_var_ref(w->m, vj) : NULL;
    struct ir_stmt *s = point(w, n, i, j);
    if (!two)
        return loop(w, vi, n->extent[0], n->kind, s);
    if (n->turned)
        return loop(w, vj, n->extent[1], n->kind,
                    loop(w, vi, n->extent[0], IR_FOR_SERIAL, s));
    return loop(w, vi, n->extent[0], n->kind,
                loop(w, vj, n->extent[1], IR_FOR_SERIAL, s));
}

/* Threads take every threads-th iteration of i. */
static struct ir_stmt *threaded(struct writer *w, const struct nest *n)
{
    struct ir_module *m = w->m;
    struct ir_var *vr = ir_var_make(m, "r", DTYPE_INT32);
    struct ir_var *vj = ir_var_make(m, "j", DTYPE_INT32);
    bool two = n->extent[1] > 0;
    int64_t threads = w->p->threads;
    int64_t rounds = (n->extent[0] + threads - 1) / threads;
    struct ir_expr *t = ir_var_ref(m, w->thread);
    struct ir_expr *i =
        rounds == 1 ? t : sum(w, times(w, threads, ir_var_ref(m, vr)), t);
    struct ir_stmt *s = point(w, n, i, two ? ir_var_ref(m, vj) : NULL);
    if (two)
        s = loop(w, vj, n->extent[1], IR_FOR_SERIAL, s);
    if (n->extent[0] % threads != 0) {
        struct ir_stmt *cond = ir_stmt_make(m, IR_IF);
        cond->u.if_.cond = ir_binary(m, IR_LT, i, index_of(w, n->extent[0]));
        cond->u.if_.then_ = s;
        ir_stmt_seal(cond);
        s = cond;
    }
    return rounds == 1 ? s : loop(w, vr, rounds, IR_FOR_SERIAL, s);
}

static struct ir_stmt *barrier(struct writer *w)
{
    struct ir_expr *scope = ir_string(w->m, "shared");
    return ir_evaluate(
        w->m, ir_call(w->m, DTYPE_INT32, "tirx.tvm_storage_sync", 1, &scope));
}

static struct ir_stmt *launch(struct writer *w, struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(w->m, IR_ATTR);
    struct ir_iter_var *iv = ARENA_NEW(w->m->arena, struct ir_iter_var);
    iv->var = w->thread;
    iv->has_dom = true;
    iv->dom.min = index_of(w, 0);
    iv->dom.extent = index_of(w, w->p->threads);
    iv->type = IR_ITER_THREAD;
    iv->thread_tag = "threadIdx.x";
    s->u.attr.node = ir_value_make(w->m, IR_V_ITER_VAR);
    s->u.attr.node->u.iter_var = iv;
    s->u.attr.key = "thread_extent";
    s->u.attr.value = iv->dom.extent;
    s->u.attr.body = body;
    ir_stmt_seal(s);
    return s;
}

static void write_nests(struct writer *w)
{
    bool first = true;
    for (unsigned k = 0; k < w->p->nnests; k++) {
        const struct nest *n = &w->p->nests[k];
        if (n->gone)
            continue;
        if (w->p->kernel && !first && k != w->p->barrier)
            add(w, barrier(w));
        first = false;
        add(w, w->p->kernel ? threaded(w, n) : written(w, n));
    }
}

static struct ir_module *write_out(const struct prog *p)
{
    struct writer w = {.p = p, .m = ir_module_new()};
    static const char *const keys[] = {"tirx.noalias"};
    struct ir_value *noalias = ir_value_bool(w.m, true);
    struct ir_func *f = ARENA_NEW(w.m->arena, struct ir_func);
    w.m->source = "generated";
    f->kind = IR_FUNC_PRIM;
    f->name = "main";
    f->attrs = ir_value_map(w.m, 1, keys, &noalias);
    f->prim.params = ARENA_ARRAY(w.m->arena, 2, struct ir_param);
    for (unsigned k = 0; k < 2; k++) {
        make_view(&w, k, NULL);
        f->prim.params[k].var =
            ir_var_make(w.m, k == 0 ? "a" : "o", DTYPE_HANDLE);
        f->prim.params[k].buffer = w.views[k];
    }
    f->prim.nparams = 2;
    w.thread = ir_var_make(w.m, "tx", DTYPE_INT32);
    declare(&w);
    write_nests(&w);
    f->prim.body = w.n == 1 ? w.items[0] : ir_seq(w.m, w.n, w.items);
    if (p->kernel)
        f->prim.body = launch(&w, f->prim.body);
    if (!ir_module_add(w.m, f))
        DC_BUG("a new module already has a function");
    return w.m;
}

bool stride_pair(struct gen_bytes *b, struct ints_pair *pair)
{
    struct prog p, q;
    draw_prog(b, &p);
    q = p;
    unsigned steps = 1 + (unsigned)gen_below(b, 2), done = 0;
    for (unsigned tries = 0; tries < 12 && done < steps; tries++)
        done += one_step(b, &q);
    if (done == 0)
        return false;
    if (gen_chance(b, 1, 8)) /* the wrong one may come first */
        pair->untuned = write_out(&q), pair->tuned = write_out(&p);
    else
        pair->untuned = write_out(&p), pair->tuned = write_out(&q);
    pair->class = INTS_STRIDE;
    pair->place = INTS_IN_STRIDE;
    pair->memory = true;
    pair->about = "cells that several index tuples name";
    return true;
}
