/* SPDX-License-Identifier: Apache-2.0
 *
 * Extents of the axes of a ComputeDAG, which its text does not hold. They follow
 * from the sizes of what the user gives and takes:
 *
 *  - forth, from the placeholders: an index of a read that no guard is around
 *    stays in its dimension for all points. An index of one variable bounds it;
 *    one of several, a*x + b*y + c < E, bounds x when the extent of y is known;
 *    floordiv(x, c) < E is x < E * c;
 *  - back, from the outputs, whose sizes are the last ones of the key: a stage has
 *    as many elements as its readers read, which is the interval of their indices.
 *
 * What is summed over is known from what it reads alone.
 */
#include "audit/count/dag.h"

#include <string.h>

#define NVARS (2u * DC_MAX_RANK)

/* Sum of factors and variables (axes, then sums), and a constant. */
struct linear {
    int64_t factor[NVARS], constant;
};

static size_t var_of(const struct dag_stage *s, const char *name)
{
    for (size_t i = 0; i < s->naxes; i++)
        if (s->axes[i] && strcmp(s->axes[i], name) == 0)
            return i;
    for (size_t i = 0; i < s->nsums; i++)
        if (strcmp(s->sums[i], name) == 0)
            return DC_MAX_RANK + i;
    return SIZE_MAX;
}

static int64_t *extent_of(struct dag_stage *s, size_t var)
{
    return var < DC_MAX_RANK ? &s->extent[var]
                             : &s->sum_extent[var - DC_MAX_RANK];
}

/* Factors and constants are small, so that nothing overflows. */
#define SMALL ((int64_t)1 << 31)

static bool is_small(int64_t v)
{
    return v > -SMALL && v < SMALL;
}

static bool to_linear(const struct dag_stage *s, const struct dag_expr *e,
                      int64_t times, struct linear *out)
{
    if (!is_small(times))
        return false;
    if (e->kind == DAG_NUMBER && e->whole && is_small(e->value)) {
        out->constant += times * e->value;
        return is_small(out->constant);
    }
    if (e->kind == DAG_VAR) {
        size_t v = var_of(s, e->name);
        if (v == SIZE_MAX)
            return false;
        out->factor[v] += times;
        return is_small(out->factor[v]);
    }
    if (e->kind != DAG_BINARY)
        return false;
    if (strcmp(e->name, "+") == 0 || strcmp(e->name, "-") == 0)
        return to_linear(s, e->args[0], times, out) &&
               to_linear(s, e->args[1], *e->name == '+' ? times : -times, out);
    const struct dag_expr *a = e->args[0], *b = e->args[1];
    if (strcmp(e->name, "*") != 0)
        return false;
    if (a->kind == DAG_NUMBER) {
        const struct dag_expr *t = a;
        a = b;
        b = t;
    }
    return b->kind == DAG_NUMBER && b->whole && is_small(b->value) &&
           to_linear(s, a, times * b->value, out);
}

/* ---- forth -------------------------------------------------------------------- */

static void lower(int64_t *extent, int64_t to)
{
    if (to > 0 && (*extent == 0 || to < *extent))
        *extent = to;
}

/* index < size for all points. `alone`: those of one variable, else the rest, of
 * which the others' extents are known. */
static void bound(struct dag_stage *s, const struct dag_expr *index,
                  int64_t size, bool alone)
{
    struct linear l = {0};
    if (index->kind == DAG_CALL && strcmp(index->name, "floordiv") == 0 &&
        index->nargs == 2 && index->args[1]->kind == DAG_NUMBER &&
        index->args[1]->value > 0 && is_small(index->args[1]->value) &&
        is_small(size)) {
        size *= index->args[1]->value;
        index = index->args[0];
    }
    size_t n = 0;
    if (!to_linear(s, index, 1, &l))
        return;
    for (size_t v = 0; v < NVARS; v++) {
        n += l.factor[v] != 0;
        if (l.factor[v] < 0)
            return;
    }
    for (size_t v = 0; v < NVARS; v++) {
        int64_t room = size - 1 - l.constant;
        if (l.factor[v] == 0 || (n == 1) != alone)
            continue;
        for (size_t w = 0; w < NVARS; w++)
            if (w != v && l.factor[w] > 0) {
                int64_t other = *extent_of(s, w);
                room -= l.factor[w] * (other > 0 ? other - 1 : 0);
            }
        if (!alone && *extent_of(s, v) > 0)
            continue;
        if (room >= 0)
            lower(extent_of(s, v), room / l.factor[v] + 1);
    }
}

static void bound_reads(struct dag_stage *s, const struct dag_expr *e,
                        bool alone)
{
    bool guard = e->kind == DAG_CALL && e->nargs == 3 &&
                 (strcmp(e->name, "tir.if_then_else") == 0 ||
                  strcmp(e->name, "select") == 0);
    for (size_t i = 0; i < e->nargs; i++)
        if (!guard || i == 0)
            bound_reads(s, e->args[i], alone);
    if (e->kind != DAG_READ)
        return;
    for (size_t i = 0; i < e->nargs; i++)
        if (e->from->extent[i] > 0)
            bound(s, e->args[i], e->from->extent[i], alone);
}

/* ---- back ------------------------------------------------------------------------ */

struct span {
    int64_t lo, hi;
};

static bool span_of(struct dag_stage *s, const struct dag_expr *e,
                    struct span *out);

static bool span_binary(const char *op, struct span a, struct span b,
                        struct span *out)
{
    if (strcmp(op, "+") == 0)
        *out = (struct span){a.lo + b.lo, a.hi + b.hi};
    else if (strcmp(op, "-") == 0)
        *out = (struct span){a.lo - b.hi, a.hi - b.lo};
    else if (strcmp(op, "*") == 0 && a.lo >= 0 && b.lo >= 0)
        *out = (struct span){a.lo * b.lo, a.hi * b.hi};
    else if ((strcmp(op, "floordiv") == 0 || strcmp(op, "/") == 0) &&
             b.lo == b.hi && b.lo > 0 && a.lo >= 0)
        *out = (struct span){a.lo / b.lo, a.hi / b.lo};
    else if ((strcmp(op, "floormod") == 0 || strcmp(op, "%") == 0) &&
             b.lo == b.hi && b.lo > 0 && a.lo >= 0)
        *out = a.hi < b.lo ? a : (struct span){0, b.lo - 1};
    else if (strcmp(op, "min") == 0)
        *out =
            (struct span){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    else if (strcmp(op, "max") == 0)
        *out =
            (struct span){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    else
        return false;
    return is_small(out->lo) && is_small(out->hi);
}

static bool span_of(struct dag_stage *s, const struct dag_expr *e,
                    struct span *out)
{
    struct span a, b;
    if (e->kind == DAG_NUMBER && e->whole && is_small(e->value)) {
        *out = (struct span){e->value, e->value};
        return true;
    }
    if (e->kind == DAG_VAR) {
        size_t v = var_of(s, e->name);
        if (v == SIZE_MAX || *extent_of(s, v) == 0)
            return false;
        *out = (struct span){0, *extent_of(s, v) - 1};
        return true;
    }
    if (e->kind == DAG_CALL && e->nargs == 1) /* a cast */
        return span_of(s, e->args[0], out);
    if (e->kind == DAG_CALL && e->nargs == 3 &&
        (strcmp(e->name, "tir.if_then_else") == 0 ||
         strcmp(e->name, "select") == 0)) {
        if (!span_of(s, e->args[1], &a) || !span_of(s, e->args[2], &b))
            return false;
        *out =
            (struct span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
        return true;
    }
    return (e->kind == DAG_BINARY || e->kind == DAG_CALL) && e->nargs == 2 &&
           span_of(s, e->args[0], &a) && span_of(s, e->args[1], &b) &&
           span_binary(e->name, a, b, out);
}

struct needs {
    int64_t of[DC_MAX_RANK];
};

/* Elements that a stage reads of those before it; `need` by stage and axis. */
static void add_needs(struct dag *dag, struct dag_stage *s,
                      const struct dag_expr *e, struct needs *need)
{
    for (size_t i = 0; i < e->nargs; i++)
        add_needs(dag, s, e->args[i], need);
    if (e->kind != DAG_READ || e->from->placeholder)
        return;
    int64_t *of = need[e->from - dag->stages].of;
    for (size_t i = 0; i < e->nargs; i++) {
        struct span span;
        if (!span_of(s, e->args[i], &span))
            of[i] = INT64_MAX; /* not known */
        else if (span.hi + 1 > of[i])
            of[i] = span.hi + 1;
    }
}

static bool settle(struct dag *dag, struct dag_stage *s, const int64_t *need)
{
    for (size_t i = 0; i < s->naxes; i++) {
        if (need[i] > 0 && need[i] < INT64_MAX)
            s->extent[i] = s->read ? need[i] : s->extent[i];
        if (s->extent[i] == 0 && s->value != NULL) {
            dag->why = arena_printf(dag->arena,
                                    "the extent of axis '%s' of '%s' is not "
                                    "known",
                                    s->axes[i], s->name);
            return false;
        }
    }
    for (size_t i = 0; i < s->nsums; i++)
        if (s->sum_extent[i] == 0) {
            dag->why = arena_printf(dag->arena,
                                    "'%s' sums over '%s', whose extent is not "
                                    "known",
                                    s->name, s->sums[i]);
            return false;
        }
    return true;
}

bool dag_find_extents(struct dag *dag, size_t nkey, const int64_t *key)
{
    struct needs *need = ARENA_ARRAY(dag->arena, dag->n, struct needs);
    struct dag_stage *last = &dag->stages[dag->n - 1];
    for (size_t i = 0; i < dag->n; i++) {
        struct dag_stage *s = &dag->stages[i];
        if (s->how && strcmp(s->how, "reduce") == 0) {
            dag->why = arena_printf(dag->arena,
                                    "the text does not hold what '%s' reduces",
                                    s->name);
            return false;
        }
        if (s->placeholder || s->value == NULL)
            continue;
        bound_reads(s, s->value, true);
        bound_reads(s, s->value, false);
    }
    for (size_t i = 0; i < last->naxes && last->naxes <= nkey; i++)
        if (key[nkey - last->naxes + i] > 0 && last->value != NULL)
            last->extent[i] = key[nkey - last->naxes + i];
    for (size_t i = dag->n; i-- > 0;) {
        struct dag_stage *s = &dag->stages[i];
        if (s->value == NULL)
            continue;
        if (!settle(dag, s, need[i].of))
            return false;
        add_needs(dag, s, s->value, need);
    }
    return true;
}
