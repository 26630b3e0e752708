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
#include "fuzz/ints/ints_stride.h"

#include <string.h>

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
    struct affine a = {0};
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

/* What may leave a narrow type, and the dimension too. */
static struct affine draw_narrow(struct gen_bytes *b, int64_t n, bool two)
{
    static const unsigned bits[] = {8, 8, 8, 4, 16, 0};
    struct affine a = {.c = below(b, 256)};
    a.x = below(b, 130);
    a.y = two ? below(b, 130) : 0;
    if (gen_chance(b, 1, 3))
        a.c -= 128;
    a.bits = bits[gen_below(b, DC_ARRAY_LEN(bits))];
    a.is_unsigned = gen_chance(b, 1, 2);
    a.inside = gen_chance(b, 1, 2);
    a.bring = n == 0               ? BRING_NOT
              : (n & (n - 1)) == 0 ? (enum bring)(1 + below(b, NBRINGS - 1))
                                   : (enum bring)(1 + below(b, NBRINGS - 2));
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
        a.at[0] = (struct affine){.x = extent[1], .y = 1};
        if (gen_chance(b, 1, 4))
            a.at[0].x = below(b, 6);
    }
    if (gen_chance(b, 1, 6)) {
        unsigned d = (unsigned)gen_below(b, v->rank);
        a.at[d] = draw_narrow(b, v->shape[d], extent[1] > 0);
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
        if (a->at[d].bring != BRING_NOT)
            at = v->shape[d] - 1;
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
    if (n.extent[1] > 0 && gen_chance(b, 1, 8))
        n.dependent = 1 + (unsigned)gen_below(b, 4);
    if (gen_chance(b, 1, 8)) {
        n.guarded = true;
        n.guard = draw_narrow(b, 0, n.extent[1] > 0);
        n.limit = below(b, 256) - 64;
    }
    return n;
}

/* A buffer filled and read back by the same indices, which may meet. */
static void draw_copy(struct gen_bytes *b, struct prog *p)
{
    static const struct affine at[2] = {{.x = 1}, {.y = 1}};
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
            n->to.at[0] = (struct affine){.x = 1};
            n->to.at[1] = (struct affine){.y = 1};
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
    struct affine flat = {.c = old->offset};
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
    if (step == 0 || (v->rank == 2 && (step != 1 || v->stride[0] < 1)))
        return false;
    for (unsigned d = 0; d < old->rank; d++)
        if (a->at[d].bits != 0 || a->at[d].bring != BRING_NOT)
            return false;
    *a = (struct access){.view = view};
    if (v->rank == 1) {
        a->at[0] = (struct affine){
            .c = flat.c / step, .x = flat.x / step, .y = flat.y / step};
        return true;
    }
    /* i along rows where that gives the address, else all along the columns */
    int64_t rows = flat.x % v->stride[0] == 0 ? flat.x / v->stride[0] : 0;
    a->at[0].x = rows;
    a->at[1] = (struct affine){
        .c = flat.c, .x = flat.x - rows * v->stride[0], .y = flat.y};
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

/* An index or a condition in another type: wider, or of the other sign. */
static bool retype(struct gen_bytes *b, struct prog *p)
{
    struct nest *n = &p->nests[gen_below(b, p->nnests)];
    struct affine *found[7];
    size_t nfound = 0;
    for (unsigned d = 0; d < 2; d++) {
        found[nfound++] = &n->to.at[d];
        for (unsigned i = 0; i < n->nloads; i++)
            found[nfound++] = &n->from[i].at[d];
    }
    found[nfound++] = &n->guard;
    for (unsigned tries = 0; tries < 10; tries++) {
        struct affine *a = found[gen_below(b, nfound)];
        if (a->bits == 0)
            continue;
        switch (gen_below(b, 4)) {
        case 0: a->inside = !a->inside; return true;
        case 1: a->is_unsigned = !a->is_unsigned; return true;
        case 2: a->bits = 0; return true;
        default:
            if (a->bring == BRING_NOT)
                a->bits *= a->bits < 16 ? 2 : 1;
            else
                a->bring = a->bring == BRING_FLOORMOD ? BRING_TRUNCMOD
                                                      : BRING_FLOORMOD;
            return true;
        }
    }
    return false;
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
    switch (gen_below(b, 14)) {
    case 0:
    case 1: return swap_nests(b, p);
    case 2: n->turned = n->extent[1] > 0 && n->dependent == 0; return n->turned;
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
    case 11:
    case 12: return retype(b, p);
    default:
        p->kernel = true;
        p->threads = 2 + below(b, 7);
        if (gen_chance(b, 1, 3))
            p->barrier = (unsigned)gen_below(b, p->nnests);
        return true;
    }
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
        pair->untuned = stride_write(&q), pair->tuned = stride_write(&p);
    else
        pair->untuned = stride_write(&p), pair->tuned = stride_write(&q);
    pair->class = INTS_STRIDE;
    pair->place = INTS_IN_STRIDE;
    pair->memory = true;
    pair->about = "cells that several index tuples name";
    return true;
}
