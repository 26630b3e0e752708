/* SPDX-License-Identifier: Apache-2.0
 *
 * One storage under several buffers: bytes that are written as one type and read
 * as another, views that begin elsewhere or end beyond, windows whose origins and
 * indices are of narrow types.
 *
 * The untuned side has one array, whose places are those of the views with what
 * they begin at added in wide integers.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------- */

static const struct {
    const char *name;
    int64_t bytes;
} storages[] = {{"uint8", 1}, {"uint8", 1}, {"int8", 1},    {"int16", 2},
                {"int32", 4}, {"int64", 8}, {"float32", 4}, {"float64", 8}};

struct view {
    unsigned storage;
    int64_t bytes;    /* of it, … */
    int64_t cells;    /* of each view */
    int64_t begin[2]; /* of the view that is written, of the one that is read */
    bool other;       /* it is read as the other type of 32 bits */
    bool direct;      /* one view for both */
    bool shared;      /* by threads */
    bool waits;
    int64_t spoiled; /* element of the storage that is stored between, or -1 */
    struct place to, from;
};

static const char *other_type(const struct plan *p)
{
    return strcmp(p->data, "int32") == 0 ? "float32" : "int32";
}

static void write_array(struct writer *w, const struct view *v)
{
    int64_t b = v->direct ? 0 : v->begin[1];
    int64_t a = v->direct ? 0 : v->begin[0];
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\")",
           v->cells + (a > b ? a : b), w->p->data);
    th_open_loops(w, IN_BLOCK);
    th_put(w, "S[%s + %" PRId64 "] = A[%s]", th_at(w, &v->to), a,
           te_text(w->p, th_flat(w->p, IN_BLOCK, w->p->wide), 0, true));
    w->level = 1;
    th_open_loops(w, IN_BLOCK);
    th_put(w, "C[%s] = S[%s + %" PRId64 "]",
           te_text(w->p, th_flat(w->p, IN_BLOCK, w->p->wide), 0, true),
           th_at(w, &v->from), b);
}

static void declare(struct writer *w, const struct view *v, const char *name,
                    const char *type, int64_t begin)
{
    struct plan *p = w->p;
    const char *scope = v->shared ? ", scope=\"shared\"" : "";
    const char *offset =
        begin == 0 && th_chance(p, 5)
            ? ""
            : arena_printf(p->arena, ", elem_offset=%s",
                           te_number(p,
                                     begin < 100 && th_chance(p, 5)
                                         ? th_draw_narrow(p)
                                         : DTYPE_INT32,
                                     begin));
    th_put(w, "%s = T.decl_buffer((%" PRId64 ",), \"%s\", data=S.data%s%s)",
           name, v->cells, type, offset, scope);
}

static void write_views(struct writer *w, const struct view *v)
{
    struct plan *p = w->p;
    const char *own = te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), 1, false);
    const char *value = arena_printf(p->arena, "%s[%s]", v->direct ? "F" : "G",
                                     th_at(w, &v->from));
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\"%s)",
           v->bytes / storages[v->storage].bytes, storages[v->storage].name,
           v->shared ? ", scope=\"shared\"" : "");
    declare(w, v, "F", p->data, v->direct ? 0 : v->begin[0]);
    if (!v->direct)
        declare(w, v, "G", v->other ? other_type(p) : p->data, v->begin[1]);
    if (v->shared)
        th_open_threads(w, IN_BLOCK);
    else
        th_open_loops(w, IN_BLOCK);
    th_put(w, "F[%s] = A[%s]", th_at(w, &v->to), own);
    if (!v->shared)
        w->level = 1;
    if (v->spoiled >= 0)
        th_put(w, "S[%" PRId64 "] = T.%s(0)", v->spoiled,
               storages[v->storage].name);
    if (v->shared && v->waits)
        th_barrier(w, "shared");
    if (!v->shared)
        th_open_loops(w, IN_BLOCK);
    if (v->other && !v->direct)
        value =
            arena_printf(p->arena, "T.reinterpret(\"%s\", %s)", p->data, value);
    th_put(w, "C[%s] = %s", own, value);
}

bool th_draw_view(struct plan *p)
{
    struct view v = {.spoiled = -1};
    struct writer w;
    static const int64_t begins[] = {0, 0, 0, 1, 2, 4, 8, 60, 120};
    static const int64_t shorts[] = {0, 0, 0, 0, 4, 8, -4, -8, -1};
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY));
    int64_t n = th_count(p, IN_BLOCK);
    v.storage = (unsigned)gen_below(p->b, DC_ARRAY_LEN(storages));
    v.cells = n;
    v.direct = th_chance(p, 3);
    v.begin[0] = th_pick(p, DC_ARRAY_LEN(begins), begins);
    v.begin[1] =
        th_chance(p, 7) ? v.begin[0] : th_pick(p, DC_ARRAY_LEN(begins), begins);
    v.other = th_chance(p, 3);
    v.shared = th_chance(p, 5);
    v.waits = !th_chance(p, 1);
    v.to = th_chance(p, 5) ? th_draw_flat(p, IN_BLOCK)
                           : th_draw_place(p, IN_BLOCK, n);
    v.from = th_draw_place(p, IN_BLOCK, n);
    int64_t last = v.begin[0] > v.begin[1] ? v.begin[0] : v.begin[1];
    v.bytes = 4 * (n + (v.direct ? 0 : last)) +
              th_pick(p, DC_ARRAY_LEN(shorts), shorts);
    if (th_chance(p, 1))
        v.spoiled = (int64_t)gen_below(p->b, 16);
    th_tell(p, "%s, %" PRId64 " bytes for %" PRId64, storages[v.storage].name,
            v.bytes, n);
    th_begin(&w, p, 0, n, 1, n);
    write_array(&w, &v);
    th_begin(&w, p, 1, n, 1, n);
    write_views(&w, &v);
    return true;
}

/* ---- windows --------------------------------------------------------------- */

struct window {
    bool matched, square, written;
    bool narrow;           /* the untuned side adds in the origin's type */
    unsigned threads;      /* set of variables that are bound */
    int64_t rows, columns; /* of a square window, in an array of that pitch */
    int64_t pitch;
    int64_t extent, begin; /* origin without trips */
    struct place origin;   /* of trips k */
    struct place index, row;
};

static const char *sum_of(struct writer *w, const struct window *s)
{
    struct plan *p = w->p;
    const char *parts[3] = {th_at(w, &s->origin), th_at(w, &s->index),
                            th_at(w, &s->row)};
    const struct place *places[3] = {&s->origin, &s->index, &s->row};
    if (s->narrow)
        return te_text(p,
                       te_binary(p, TE_ADD, s->origin.e[1],
                                 te_cast(p, s->origin.e[1]->t, s->index.e[1])),
                       0, false);
    for (unsigned i = 0; i < 3; i++)
        if (!places[i]->wide[0])
            parts[i] = arena_printf(p->arena, "T.Cast(\"%s\", %s)",
                                    te_type(p, p->wide), parts[i]);
    if (!s->square)
        return arena_printf(p->arena, "%s + %s", parts[0], parts[1]);
    return arena_printf(p->arena, "%s + %s * %" PRId64 " + %s", parts[0],
                        parts[2], s->pitch, parts[1]);
}

static void open_window(struct writer *w, const struct window *s,
                        const char *of)
{
    struct plan *p = w->p;
    const char *origin = th_at(w, &s->origin);
    const struct te *e = s->origin.e[1];
    struct dtype t = s->origin.wide[1] ? p->wide : e->t;
    if (s->matched) {
        /* a claim alone; one that wraps in a type with a sign is not read */
        int64_t claimed = t.code == DT_UINT || te_fits(t, s->begin + s->extent)
                              ? s->extent
                              : 1;
        const char *end =
            arena_printf(p->arena, "%s + %s", origin, te_number(p, t, claimed));
        th_put(w, "with T.sblock(\"b\"):");
        w->level++;
        th_put(w,
               "W = T.match_buffer(%s[%s:%s], (%" PRId64
               ",), \"%s\", offset_factor=1)",
               of, origin, end, s->extent, p->data);
    } else if (s->square) {
        th_put(w,
               "W = T.decl_buffer((%" PRId64 ", %" PRId64
               "), \"%s\", data=%s.data, strides=(%" PRId64
               ", 1), elem_offset=%s)",
               s->rows, s->columns, p->data, of, s->pitch, origin);
    } else {
        th_put(w,
               "W = T.decl_buffer((%" PRId64
               ",), \"%s\", data=%s.data, elem_offset=%s)",
               s->extent, p->data, of, origin);
    }
}

static void write_window(struct writer *w, const struct window *s)
{
    struct plan *p = w->p;
    const char *cell =
        te_text(p, th_flat(p, ALL_VARS, DTYPE_INT32), w->side, false);
    const char *index = th_at(w, &s->index);
    if (s->square)
        index = arena_printf(p->arena, "%s, %s", th_at(w, &s->row), index);
    th_open_loops(w, BIT(VAR_K));
    if (w->side == 1)
        open_window(w, s, s->written ? "C" : "A");
    if (w->side == 1)
        th_open_threads(w, s->threads);
    else
        th_open_loops(w, s->threads);
    const char *inner =
        w->side == 1 ? arena_printf(p->arena, "W[%s]", index)
                     : arena_printf(p->arena, "%s[%s]", s->written ? "C" : "A",
                                    sum_of(w, s));
    if (s->written)
        th_put(w, "%s = A[%s]", inner, cell);
    else
        th_put(w, "C[%s] = %s", cell, inner);
}

bool th_draw_window(struct plan *p)
{
    struct window s = {.matched = th_chance(p, 5)};
    struct writer w;
    static const int64_t bases[] = {0, 8, 60, 100, 120, 127, 200, 240, 250};
    static const int64_t factors[] = {1, 1, 8, 16, 30};
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY) | BIT(VAR_K));
    struct dtype t = th_chance(p, 3) ? DTYPE_INT32 : th_draw_narrow(p);
    s.begin = th_pick(p, DC_ARRAY_LEN(bases), bases);
    if (t.code == DT_INT && t.bits == 8)
        s.begin %= 127;
    const struct te *origin = te_const(p, t, s.begin);
    if (p->vars[VAR_K].used)
        origin = te_binary(p, TE_ADD, origin,
                           te_with(p, TE_MUL, te_cast(p, t, te_var(p, VAR_K)),
                                   th_pick(p, DC_ARRAY_LEN(factors), factors)));
    if (th_chance(p, 2))
        origin = th_decorate(p, origin);
    s.threads = IN_BLOCK;
    s.square = !s.matched && th_chance(p, 5) && p->vars[VAR_TY].used;
    s.rows = p->vars[VAR_TY].used ? p->vars[VAR_TY].count : 1;
    s.columns = th_count(p, BIT(VAR_TX));
    s.pitch = s.columns + 3 * (int64_t)gen_below(p->b, 30);
    s.extent = s.square ? s.rows * s.columns : th_count(p, IN_BLOCK);
    s.origin = th_spell(p, origin, 0, 700);
    s.row = s.square ? th_draw_place(p, BIT(VAR_TY), s.rows)
                     : th_plain(te_const(p, DTYPE_INT32, 0));
    s.index = s.square ? th_draw_place(p, BIT(VAR_TX), s.columns)
                       : th_draw_place(p, IN_BLOCK, s.extent);
    if (th_chance(p, 4)) { /* index and origin of one type */
        struct place same = th_spell(
            p, th_flat(p, s.square ? BIT(VAR_TX) : IN_BLOCK, t), 0, s.extent);
        if (same.e[0] != NULL)
            s.index = same;
    }
    s.written = th_chance(p, 2);
    s.narrow = !s.square && th_chance(p, 3);
    if (s.origin.e[0] == NULL)
        return false;
    int64_t n = th_count(p, ALL_VARS), all = 700 + s.rows * s.pitch + s.extent;
    th_tell(p, "%s",
            s.matched  ? "match_buffer"
            : s.square ? "rows"
                       : "elem_offset");
    for (unsigned side = 0; side < 2; side++) {
        th_begin(&w, p, side, s.written ? n : all, 1, s.written ? all : n);
        write_window(&w, &s);
    }
    return true;
}
