/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes of a warp exchange: shuffles, the mask of those that run, sums by
 * shuffles. Warps that are not full, rows of threads that share a warp, masks that
 * are kept, narrowed or leave lanes out, lanes and distances in narrow types.
 *
 * The untuned side reads the element of the lane that a shuffle should take,
 * worked out in wide integers (rule 22).
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

#define WARP INT64_C(32)

/* Threads begin at 0, so that their numbers are their lanes'. */
static void draw_lanes(struct plan *p)
{
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY));
    if (th_chance(p, 3))
        p->vars[VAR_TX].t =
            dtype_make(th_chance(p, 7) ? DT_UINT : DT_INT, 8, 1);
    if (!gen_chance(p->b, 1, 20))
        p->vars[VAR_TX].min = p->vars[VAR_TY].min = 0;
}

/* ---- masks ----------------------------------------------------------------- */

enum mask {
    MASK_FULL,
    MASK_ZERO,
    MASK_ACTIVE,
    MASK_LANES, /* those that the block has */
    MASK_HALF,
    MASK_NARROW, /* all, by way of a narrow type */
    NMASKS
};

static const char *mask_text(struct plan *p, enum mask mask)
{
    int64_t lanes = th_count(p, IN_BLOCK);
    switch ((int)mask) {
    case MASK_ZERO: return "T.uint32(0)";
    case MASK_ACTIVE: return "T.tvm_warp_activemask()";
    case MASK_LANES:
        return arena_printf(p->arena, "T.uint32(%" PRIu64 ")",
                            lanes >= WARP
                                ? UINT64_C(4294967295)
                                : (UINT64_C(1) << (lanes % WARP)) - 1);
    case MASK_HALF: return "T.uint32(65535)";
    case MASK_NARROW:
        return arena_printf(p->arena, "T.Cast(\"uint32\", T.Cast(\"%s\", %s))",
                            th_chance(p, 5) ? "uint16" : "int16",
                            th_chance(p, 5) ? "-1" : "T.int64(-1)");
    default: return "T.uint32(4294967295)";
    }
}

static enum mask draw_mask_kind(struct plan *p)
{
    if (th_chance(p, 6))
        return th_chance(p, 7) ? MASK_FULL : MASK_ACTIVE;
    return (enum mask)gen_below(p->b, NMASKS);
}

/* How a mask gets into the cell that it is read from. */
enum kept {
    KEPT_NOT, /* it is an operand */
    KEPT,
    KEPT_IF,    /* stored under a condition */
    KEPT_DATA,  /* … that an element of B decides */
    KEPT_LATER, /* stored after it is read, in a loop */
    KEPT_TWICE, /* another one is stored in between, under a condition */
    NKEPT
};

struct shuffle {
    enum mask mask;
    enum kept kept;
    unsigned how; /* by number, up, down, xor */
    bool cuda;    /* spelling */
    bool narrow;  /* the untuned side adds up lanes in the thread's type */
    int64_t width;
    struct place lane;
    struct place when;   /* around the shuffle, or none */
    struct place stored; /* around what keeps the mask */
};

/* ---- one shuffle ----------------------------------------------------------- */

/* The lane that it takes, of those of a warp, worked out in lane's type. */
static const struct te *source_lane(struct plan *p, const struct shuffle *s,
                                    const struct te *lane)
{
    const struct te *by = te_cast(p, lane->t, s->lane.e[0]);
    bool whole = s->width == WARP;
    const struct te *within =
        whole ? lane : te_with(p, TE_FLOORMOD, lane, s->width);
    const struct te *first =
        whole ? te_const(p, lane->t, 0) : te_binary(p, TE_SUB, lane, within);
    const struct te *to, *fine;
    switch (s->how) {
    case 0:
        return te_binary(p, TE_ADD, first,
                         te_with(p, TE_FLOORMOD, by, s->width));
    case 1:
        to = te_binary(p, TE_SUB, within, by);
        fine = te_binary(p, TE_LE, te_const(p, lane->t, 0), to);
        break;
    case 2:
        to = te_binary(p, TE_ADD, within, by);
        fine = te_with(p, TE_LT, to, s->width);
        break;
    default:
        to = te_binary(p, TE_XOR, within, by);
        fine = te_with(p, TE_LT, to, s->width);
        break;
    }
    return te_binary(p, TE_ADD, first, te_select(p, fine, to, within));
}

static void write_plain_shuffle(struct writer *w, const struct shuffle *s)
{
    struct plan *p = w->p;
    struct dtype t = s->narrow ? p->vars[VAR_TX].t : p->wide;
    const struct te *all = th_flat(p, IN_BLOCK, p->wide);
    bool one = th_count(p, IN_BLOCK) <= WARP;
    const struct te *lane = one ? all : te_with(p, TE_FLOORMOD, all, WARP);
    const struct te *first =
        one ? te_const(p, p->wide, 0) : te_binary(p, TE_SUB, all, lane);
    const struct te *within = source_lane(p, s, te_cast(p, t, lane));
    const struct te *source =
        te_binary(p, TE_ADD, first, te_cast(p, p->wide, within));
    th_open_loops(w, IN_BLOCK);
    th_open_if(w, &s->when);
    th_put(w, "C[%s] = A[%s]", te_text(p, all, 0, false),
           te_text(p, source, 0, s->lane.wide[0] && !s->narrow));
}

static const char *shuffle_text(struct writer *w, unsigned how, bool cuda,
                                const char *mask, const char *value,
                                const char *lane, int64_t width)
{
    static const char *const names[][2] = {
        {"tvm_warp_shuffle", "__shfl_sync"},
        {"tvm_warp_shuffle_up", "__shfl_up_sync"},
        {"tvm_warp_shuffle_down", "__shfl_down_sync"},
        {NULL, "__shfl_xor_sync"}};
    struct plan *p = w->p;
    if (cuda || how == 3)
        return arena_printf(p->arena,
                            "T.call_intrin(\"%s\", \"tirx.cuda.%s\", %s, %s, "
                            "%s, %" PRId64 ")",
                            p->data, names[how][1], mask, value, lane, width);
    return arena_printf(p->arena, "T.%s(%s, %s, %s, %" PRId64 ", 32)",
                        names[how][0], mask, value, lane, width);
}

static void keep_mask(struct writer *w, const struct shuffle *s,
                      const char *mask)
{
    unsigned level = w->level;
    if (s->kept == KEPT_DATA)
        th_put(w, "if B[0] == %s(77):",
               strcmp(w->p->data, "int32") == 0 ? "T.int32" : "T.float32");
    if (s->kept == KEPT_DATA)
        w->level++;
    if (s->kept == KEPT_IF)
        th_open_if(w, &s->stored);
    th_put(w, "m[0] = %s", mask);
    w->level = level;
    if (s->kept != KEPT_TWICE)
        return;
    th_open_if(w, &s->stored);
    th_put(w, "m[0] = T.uint32(65535)");
    w->level = level;
}

static void write_shuffle(struct writer *w, const struct shuffle *s)
{
    struct plan *p = w->p;
    const char *mask = mask_text(p, s->mask);
    const char *own = te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), 1, false);
    const char *value = arena_printf(p->arena, "A[%s]", own);
    if (s->kept != KEPT_NOT)
        th_put(w, "m = T.alloc_buffer((1,), \"uint32\", scope=\"local\")");
    th_open_threads(w, IN_BLOCK);
    if (s->kept == KEPT_LATER) {
        th_put(w, "for z in range(2):");
        w->level++;
        th_put(w, "if z == 1:");
        th_put(w, "    C[%s] = %s", own,
               shuffle_text(w, s->how, s->cuda, "m[0]", value,
                            th_at(w, &s->lane), s->width));
        th_put(w, "m[0] = %s", mask);
        return;
    }
    if (s->kept != KEPT_NOT)
        keep_mask(w, s, mask);
    th_open_if(w, &s->when);
    th_put(w, "C[%s] = %s", own,
           shuffle_text(w, s->how, s->cuda, s->kept == KEPT_NOT ? mask : "m[0]",
                        value, th_at(w, &s->lane), s->width));
}

static const int64_t distances[] = {1,  1,  2,   3,   8,   16,  31,
                                    32, 40, 240, 250, 248, 224, 127};

bool th_draw_shuffle(struct plan *p)
{
    struct shuffle s = {.when = {.e = {NULL, NULL}}};
    struct writer w;
    static const int64_t widths[] = {32, 32, 32, 16, 8, 4};
    draw_lanes(p);
    s.mask = draw_mask_kind(p);
    s.kept = th_chance(p, 5) ? KEPT_NOT : (enum kept)gen_below(p->b, NKEPT);
    s.how = (unsigned)gen_below(p->b, 4);
    s.cuda = th_chance(p, 3);
    s.narrow = p->vars[VAR_TX].t.bits < 32 && th_chance(p, 5);
    s.width = th_pick(p, DC_ARRAY_LEN(widths), widths);
    if (s.how == 0 && th_chance(p, 7))
        s.lane = th_draw_place(p, IN_BLOCK, th_chance(p, 8) ? s.width : 64);
    else if (th_chance(p, 3))
        s.lane = th_draw_place(p, IN_BLOCK, s.width);
    else if (p->vars[VAR_TX].t.bits == 8 && th_chance(p, 5))
        s.lane =
            th_plain(te_const(p, DTYPE_INT32, 256 - th_pick(p, 6, distances)));
    else
        s.lane = th_plain(te_const(
            p, DTYPE_INT32, th_pick(p, DC_ARRAY_LEN(distances), distances)));
    if (th_chance(p, 7))
        s.lane.e[1] = te_cast(p, DTYPE_INT32, s.lane.e[1]);
    if (th_chance(p, 2))
        s.when = th_draw_condition(p, IN_BLOCK, false);
    s.stored = th_draw_condition(p, IN_BLOCK, false);
    th_tell(p, "shuffle %u of %" PRId64 ", mask %d kept %d", s.how, s.width,
            (int)s.mask, (int)s.kept);
    int64_t n = th_count(p, IN_BLOCK);
    th_begin(&w, p, 0, n + 2 * WARP, 1, n);
    write_plain_shuffle(&w, &s);
    th_begin(&w, p, 1, n + 2 * WARP, 1, n);
    write_shuffle(&w, &s);
    return true;
}

/* ---- which lanes run ------------------------------------------------------- */

/* The lanes of the first warp where the condition is true. */
static int64_t lanes_where(const struct plan *p, const struct place *when)
{
    uint32_t mask = 0;
    int64_t trips[NVARS] = {0}, value;
    do {
        int64_t lane = trips[VAR_TX] + trips[VAR_TY] * p->vars[VAR_TX].count;
        bool runs = when->e[1] == NULL ||
                    (te_value(p, when->e[1], trips, when->wide[1], &value) &&
                     value != 0);
        if (lane < WARP && runs)
            mask |= UINT32_C(1) << lane;
    } while (te_next(p, trips));
    return (int32_t)mask;
}

bool th_draw_mask(struct plan *p)
{
    struct place when = {.e = {NULL, NULL}};
    struct writer w;
    draw_lanes(p);
    p->data = "int32";
    if (th_chance(p, 7))
        when = th_draw_condition(p, IN_BLOCK, false);
    int64_t mask = lanes_where(p, &when), n = th_count(p, IN_BLOCK);
    if (th_chance(p, 5))
        mask = -1;
    bool other = th_chance(p, 3), kept = th_chance(p, 3);
    th_tell(p, "mask %" PRId64, mask);
    for (unsigned side = 0; side < 2; side++) {
        th_begin(&w, p, side, 1, 1, n);
        const char *cell =
            te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), side, false);
        if (side == 1 && kept)
            th_put(&w, "m = T.alloc_buffer((1,), \"uint32\", scope=\"local\")");
        th_open_threads(&w, IN_BLOCK);
        unsigned level = w.level;
        th_open_if(&w, &when);
        if (side == 0)
            th_put(&w, "C[%s] = T.int32(%" PRId64 ")", cell, mask);
        else if (kept)
            th_put(&w, "m[0] = T.tvm_warp_activemask()");
        if (side == 1)
            th_put(&w, "C[%s] = T.Cast(\"int32\", %s)", cell,
                   kept ? "m[0]" : "T.tvm_warp_activemask()");
        if (other && when.e[0] != NULL) {
            w.level = level;
            th_put(&w, "else:");
            th_put(&w, "    C[%s] = 0", cell);
        }
    }
    return true;
}

/* ---- sums of a warp -------------------------------------------------------- */

struct tree {
    enum mask mask;
    unsigned how;      /* down, xor */
    bool cuda, loop;   /* as a loop over distances */
    int64_t width;     /* lanes of a sum */
    int64_t from;      /* the first distance */
    bool all_store;    /* not the first lane alone */
    unsigned left_out; /* this distance; 0: none */
};

static void write_tree(struct writer *w, const struct tree *t)
{
    struct plan *p = w->p;
    const char *own = te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), 1, false);
    const char *mask = mask_text(p, t->mask);
    const char *cell = "r[0]";
    th_put(w, "r = T.alloc_buffer((1,), \"%s\", scope=\"local\")", p->data);
    th_open_threads(w, IN_BLOCK);
    th_put(w, "r[0] = A[%s]", own);
    unsigned level = w->level;
    if (t->loop) {
        unsigned stages = 0;
        for (int64_t d = t->from; d > 0; d /= 2)
            stages++;
        th_put(w, "for z in T.unroll(%u):", stages);
        th_put(
            w, "    r[0] = r[0] + %s",
            shuffle_text(w, t->how, t->cuda, mask, cell,
                         arena_printf(p->arena, "T.shift_right(%" PRId64 ", z)",
                                      t->from),
                         t->width));
    }
    for (int64_t d = t->from; d > 0 && !t->loop; d /= 2)
        if (d != (int64_t)t->left_out)
            th_put(w, "r[0] = r[0] + %s",
                   shuffle_text(w, t->how, t->cuda, mask, cell,
                                arena_printf(p->arena, "%" PRId64, d),
                                t->width));
    w->level = level;
    if (t->all_store) {
        th_put(w, "C[%s] = r[0]", own);
        return;
    }
    th_put(w, "if (%s) %% %" PRId64 " == 0:", own, t->width);
    th_put(w, "    C[%s] = r[0]", own);
}

static void write_sums(struct writer *w, const struct tree *t)
{
    int64_t n = th_count(w->p, IN_BLOCK);
    const char *zero = strcmp(w->p->data, "int32") == 0 ? "0" : "T.float32(0)";
    th_put(w, "for g in range(%" PRId64 "):", (n + t->width - 1) / t->width);
    w->level++;
    if (t->all_store) {
        th_put(w, "for l in range(%" PRId64 "):", t->width);
        w->level++;
        if (n % t->width != 0)
            th_put(w, "if g * %" PRId64 " + l < %" PRId64 ":", t->width, n);
        if (n % t->width != 0)
            w->level++;
    }
    const char *cell = arena_printf(w->p->arena, "C[g * %" PRId64 "%s]",
                                    t->width, t->all_store ? " + l" : "");
    th_put(w, "%s = %s", cell, zero);
    th_put(w, "for k in range(%" PRId64 "):", t->width);
    if (n % t->width != 0)
        th_put(w, "  if g * %" PRId64 " + k < %" PRId64 ":", t->width, n);
    th_put(w, "    %s = %s + A[g * %" PRId64 " + k]", cell, cell, t->width);
}

bool th_draw_tree(struct plan *p)
{
    struct tree t = {.how = 2 + (unsigned)gen_below(p->b, 2)};
    struct writer w;
    static const int64_t widths[] = {32, 32, 16, 8, 4};
    draw_lanes(p);
    t.width = th_pick(p, DC_ARRAY_LEN(widths), widths);
    while (t.width > th_count(p, IN_BLOCK) && th_chance(p, 8))
        t.width /= 2;
    t.from = th_chance(p, 9) ? t.width / 2 : t.width / 4;
    t.mask = draw_mask_kind(p);
    t.cuda = th_chance(p, 3);
    t.loop = th_chance(p, 3);
    t.all_store = t.how == 3 || gen_chance(p->b, 1, 20);
    if (th_chance(p, 1))
        t.left_out = 1u << gen_below(p->b, 4);
    th_tell(p, "width %" PRId64 ", mask %d", t.width, (int)t.mask);
    int64_t n = th_count(p, IN_BLOCK);
    th_begin(&w, p, 0, n, 1, n);
    write_sums(&w, &t);
    th_begin(&w, p, 1, n, 1, n);
    write_tree(&w, &t);
    return true;
}
