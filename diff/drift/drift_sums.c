/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that sums in an order of its own, explained: its trees are measured
 * on a few elements by masked inputs, and what they make of the terms is
 * compared with what the target computed, bit for bit, on all inputs that were
 * given and on fresh ones.
 *
 * Elements of one output are mostly summed alike, but for the ends of vector
 * loops: the ways of the first, middle and last elements are asked first, then
 * those of elements that none of the ways so far gives. Each element must be
 * given by one way on all inputs, all of them in one type.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <string.h>

#define MAX_COMPARED 512u
#define MAX_NUMBERS  100000u  /* terms of all elements compared */
#define MAX_REST     2000000u /* and of those that are compared at the end */
#define MAX_WAYS     12u
#define ROUNDS       4u
#define ASKED        3u /* elements asked about for one reason */

/* ---- carrying a way out ------------------------------------------------------------ */

struct play {
    const struct sums *x;
    const struct sum_element *e;
    const struct sum_way *way;
    const struct drift_case *c;
    struct dtype type;
    double *values; /* by node; NULL: not wanted */
};

static uint64_t atom_bits(const struct play *p, uint64_t atom)
{
    return interp_tensor_get(p->c->in[atom >> 40].tensor,
                             (size_t)(atom & ((UINT64_C(1) << 40) - 1)));
}

/* The factors of a product in the type of the sum. */
static void factors(const struct play *p, size_t term, uint64_t f[2])
{
    unsigned flags = 0;
    for (int i = 0; i < 2; i++)
        f[i] = num_cast(p->x->atom, p->type,
                        atom_bits(p, p->e->terms[term].atoms[i]), &flags);
}

/* A term by itself. False: it is a product that does not fit the type. */
static bool leaf_value(const struct play *p, size_t term, uint64_t *out)
{
    const struct sum_term *t = &p->e->terms[term];
    unsigned flags = 0;
    uint64_t f[2];
    if (t->natoms == 1) {
        *out = num_cast(p->x->atom, p->type, atom_bits(p, t->atoms[0]), &flags);
        return true;
    }
    if (p->way->exact[term]) {
        factors(p, term, f);
        *out = num_binary(NUM_MUL, p->type, f[0], f[1], &flags);
        return (flags & NUM_INEXACT) == 0;
    }
    uint64_t v = num_binary(NUM_MUL, p->x->atom, atom_bits(p, t->atoms[0]),
                            atom_bits(p, t->atoms[1]), &flags);
    *out = num_cast(p->x->atom, p->type, v, &flags);
    return true;
}

static bool node_value(const struct play *p, size_t i, uint64_t *out);

/* One addition of two, or a fused one. */
static bool add_two(const struct play *p, const struct drift_node *node,
                    uint64_t *out)
{
    const struct drift_node *nodes = p->way->tree.nodes;
    unsigned flags = 0;
    uint64_t v[2], f[2];
    for (size_t k = 0; k < 2; k++) {
        const struct drift_node *leaf = &nodes[node->children[k]];
        if (!leaf->leaf || p->e->terms[leaf->term].natoms < 2 ||
            !p->way->exact[leaf->term])
            continue;
        const size_t other = node->children[1 - k];
        if (!node_value(p, other, &v[0])) {
            if (nodes[other].leaf)
                continue; /* both are such: the other one may be fused */
            return false; /* asked again, each level would double the work */
        }
        factors(p, leaf->term, f);
        *out = num_fma(p->type, f[0], f[1], v[0], &flags);
        return true;
    }
    for (size_t k = 0; k < 2; k++)
        if (!node_value(p, node->children[k], &v[k]))
            return false;
    *out = num_binary(NUM_ADD, p->type, v[0], v[1], &flags);
    return true;
}

/* False: it cannot be told what the target does there. Depth: terms, at most
 * DRIFT_MAX_TREE. */
static bool node_value(const struct play *p, size_t i, uint64_t *out)
{
    const struct drift_node *node = &p->way->tree.nodes[i];
    bool fine = node->leaf             ? leaf_value(p, node->term, out)
                : node->nchildren == 2 ? add_two(p, node, out)
                                       : false;
    if (fine && p->way->narrow != NULL && p->way->narrow[i] &&
        p->type.bits > p->x->cell.bits) {
        unsigned flags = 0;
        *out = num_cast(p->x->cell, p->type,
                        num_cast(p->type, p->x->cell, *out, &flags), &flags);
    }
    if (fine && p->values != NULL)
        p->values[i] = num_to_double(p->type, *out);
    return fine;
}

static bool gives(const struct play *p)
{
    unsigned flags = 0;
    uint64_t v;
    if (!node_value(p, p->way->tree.root, &v))
        return false;
    v = num_cast(p->type, p->x->result, v, &flags);
    return num_same(
        p->x->result, v,
        interp_tensor_get(p->c->out[p->x->param].tensor, p->e->element));
}

/* ---- elements against ways --------------------------------------------------------- */

struct fit {
    struct sums x;
    size_t nways;
    struct sum_way ways[MAX_WAYS];
    size_t of[MAX_WAYS];    /* the element that it was measured on */
    size_t used[MAX_WAYS];  /* elements that it is the first to give */
    size_t shown[MAX_WAYS]; /* one of them */
    struct dtype type;
    size_t ngiven;
    bool *given; /* by element */
    bool *asked; /* by element: its way was */
};

/* Whether the way gives the element on all inputs. */
static bool way_gives(const struct fit *f, const struct sum_way *way,
                      const struct sum_element *e, struct dtype type)
{
    const struct drift_study *s = f->x.s;
    for (size_t k = 0; k < s->ncases; k++) {
        struct play p = {&f->x, e, way, &s->cases[k], type, NULL};
        if (!gives(&p))
            return false;
    }
    return true;
}

static void fit_type(struct fit *f, struct dtype type)
{
    memset(f->used, 0, sizeof f->used);
    memset(f->given, 0, f->x.n + 1);
    f->ngiven = 0;
    f->type = type;
    for (size_t i = 0; i < f->x.n; i++) {
        const struct sum_element *e = &f->x.elements[i];
        for (size_t w = 0; w < f->nways && !f->given[i] && e->why == NULL;
             w++) {
            if (f->ways[w].n != e->n || !way_gives(f, &f->ways[w], e, type))
                continue;
            f->given[i] = true;
            f->ngiven++;
            if (f->used[w]++ == 0)
                f->shown[w] = i;
        }
    }
}

/* The type that gives most; the program's own first. */
static void fit_all(struct fit *f)
{
    struct dtype types[3] = {f->x.cell};
    size_t n = 1;
    if (f->x.cell.bits < 32)
        types[n++] = DTYPE_FLOAT32;
    if (f->x.cell.bits < 64)
        types[n++] = dtype_make(DT_FLOAT, 64, 1);
    size_t best = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        fit_type(f, types[i]);
        if (f->ngiven > most) {
            best = i;
            most = f->ngiven;
        }
        if (most == f->x.n)
            return;
    }
    fit_type(f, types[best]);
}

/* ---- asking ------------------------------------------------------------------------- */

static void add_way(struct fit *f, const struct sum_way *way, size_t element)
{
    for (size_t i = 0; i < f->nways; i++)
        if (strcmp(f->ways[i].text, way->text) == 0)
            return;
    if (f->nways < MAX_WAYS) {
        f->of[f->nways] = element;
        f->ways[f->nways++] = *way;
    }
}

/* First, middle and last of the elements with so many terms that no way gives
 * so far, but those that were asked. */
static size_t choose(const struct fit *f, size_t nterms, size_t *which)
{
    size_t n = 0, at = 0, count = 0;
    for (size_t i = 0; i < f->x.n; i++)
        n += f->x.elements[i].why == NULL && f->x.elements[i].n == nterms &&
             !f->given[i];
    for (size_t i = 0; i < f->x.n; i++) {
        if (f->x.elements[i].why != NULL || f->x.elements[i].n != nterms ||
            f->given[i])
            continue;
        if ((at == 0 || at == n / 2 || at + 1 == n) && !f->asked[i])
            which[count++] = i;
        at++;
    }
    return count;
}

/* Asks about elements that are not given. False: nothing new was found. */
static bool ask_more(struct fit *f, const char **why)
{
    size_t which[4 * ASKED], n = 0, sizes[4], nsizes = 0;
    for (size_t i = 0; i < f->x.n && nsizes < DC_ARRAY_LEN(sizes); i++) {
        const struct sum_element *e = &f->x.elements[i];
        bool known = f->given[i] || e->why != NULL;
        for (size_t k = 0; k < nsizes; k++)
            known |= sizes[k] == e->n;
        if (known)
            continue;
        sizes[nsizes++] = e->n;
        n += choose(f, e->n, which + n);
    }
    struct sum_way *ways = ARENA_ARRAY(f->x.s->arena, n + 1, struct sum_way);
    const char **whys = ARENA_ARRAY(f->x.s->arena, n + 1, const char *);
    size_t before = f->nways;
    bool fine = n > 0 && sums_find_ways(&f->x, n, which, ways, whys);
    for (size_t i = 0; i < n; i++) {
        f->asked[which[i]] = true;
        if (fine && ways[i].n > 0)
            add_way(f, &ways[i], which[i]);
        else if (whys[i] != NULL)
            *why = whys[i];
    }
    return fine && f->nways > before;
}

/* ---- one output ---------------------------------------------------------------------- */

static bool is_equal(const struct drift_case *c, size_t param, size_t i)
{
    return num_same(dtype_scalar(c->want[param].tensor->dtype),
                    interp_tensor_get(c->want[param].tensor, i),
                    interp_tensor_get(c->out[param].tensor, i));
}

/* Whether some sample tells something of the element. */
static bool is_counted(const struct drift_study *s, size_t param, size_t i)
{
    for (size_t k = 0; k < s->ncases; k++)
        if (study_counts(s->cases[k].want[param].tensor, i,
                         is_equal(&s->cases[k], param, i)))
            return true;
    return false;
}

static bool output_differs(const struct drift_study *s, size_t param)
{
    for (size_t k = 0; k < s->ncases; k++) {
        const struct interp_tensor *want = s->cases[k].want[param].tensor;
        for (size_t i = 0; i < want->elements; i++)
            if (!is_equal(&s->cases[k], param, i) &&
                !(want->state[i] & INTERP_SKIPPED) &&
                study_counts(want, i, false))
                return true;
    }
    return false;
}

/* At most max elements, the picked ones if that is not all. */
static size_t choose_elements(struct drift_study *s, size_t output, size_t max,
                              size_t *elements)
{
    size_t all = s->cases[0].in[s->outputs[output]].tensor->elements, n = 0;
    for (size_t i = 0; i < all && n <= max; i++)
        if (is_counted(s, s->outputs[output], i)) {
            if (n < max)
                elements[n] = i;
            n++;
        }
    if (n <= max)
        return n;
    n = 0;
    const struct drift_pick *p = &s->cases[0].checks[output];
    for (size_t k = 0; k < s->ncases; k++)
        if (!s->cases[k].exact) {
            p = &s->cases[k].checks[output];
            break;
        }
    size_t step = p->n > max ? (p->n + max - 1) / max : 1;
    for (size_t i = 0; i < p->n && n < max; i += step)
        if (is_counted(s, s->outputs[output], p->elements[i]))
            elements[n++] = p->elements[i];
    return n;
}

static bool trace_some(struct drift_study *s, size_t output, struct sums *x,
                       const char **why)
{
    size_t elements[MAX_COMPARED], param = s->outputs[output];
    if (s->cases[0].in[param].tensor->elements == 0 ||
        !dtype_is_float(s->cases[0].in[param].tensor->dtype))
        return false;
    size_t n = choose_elements(s, output, 1, elements);
    if (n == 0 || !sums_trace(s, param, n, elements, x, why))
        return false;
    size_t max = MAX_NUMBERS / x->elements[0].n;
    max = max < 16 ? 16 : max > MAX_COMPARED ? MAX_COMPARED : max;
    n = choose_elements(s, output, max, elements);
    if (!sums_trace(s, param, n, elements, x, why))
        return false;
    for (size_t i = 0; i < x->n; i++)
        if (x->elements[i].why != NULL) {
            *why = x->elements[i].why;
            return false;
        }
    return sums_add_former(x, why);
}

/* Finds ways until all elements are given or nothing new is found. */
static void hunt_ways(struct fit *f, const char **why)
{
    for (unsigned round = 0; round < ROUNDS && f->ngiven < f->x.n; round++) {
        if (!ask_more(f, why))
            return;
        *why = "its order of additions was measured, but adding so does not "
               "give its bits";
        fit_all(f);
    }
}

/* Small floats may be kept in a wider register, but not all the way: where, is
 * asked for the ways found, then for elements that these do not give. What is
 * known stays where it cannot be had. */
static void hunt_rounding(struct fit *f, const char **why)
{
    const char *odd[MAX_WAYS] = {NULL};
    struct sum_way ways[MAX_WAYS];
    if (f->ngiven == f->x.n || f->nways == 0 || f->x.failed ||
        f->x.cell.bits >= 32)
        return;
    memcpy(ways, f->ways, sizeof ways);
    if (!sums_find_rounding(&f->x, f->nways, f->of, ways, odd))
        return;
    for (size_t w = 0; w < f->nways; w++)
        if (odd[w] == NULL) {
            f->ways[w] = ways[w];
            f->ways[w].text = sums_way_text(&f->x, &ways[w]);
        }
    fit_all(f);
    f->x.asks_rounding = true;
    memset(f->asked, 0, f->x.n + 1);
    hunt_ways(f, why);
}

/* ---- all elements ------------------------------------------------------------------- */

/* Whether each of the elements is given by one of the ways. */
static bool gives_each(const struct fit *f, size_t n, const size_t *elements,
                       const char **why)
{
    struct fit rest = {.type = f->type};
    if (!sums_trace(f->x.s, f->x.param, n, elements, &rest.x, why))
        return false;
    if (!sums_add_former(&rest.x, why))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct sum_element *e = &rest.x.elements[i];
        bool given = false;
        for (size_t w = 0; w < f->nways && !given && e->why == NULL; w++)
            given = f->used[w] > 0 && f->ways[w].n == e->n &&
                    way_gives(&rest, &f->ways[w], e, f->type);
        if (!given) {
            *why = "the order of additions that it has in the elements looked "
                   "at first does not give all of the others";
            return false;
        }
    }
    return true;
}

/* What was found on some elements is held against all others, a batch at a time
 * in memory of its own; not where that is too much. *all: it was done. */
static bool gives_rest(struct fit *f, size_t output, bool *all,
                       const char **why)
{
    struct drift_study *s = f->x.s;
    size_t param = s->outputs[output], batch[MAX_COMPARED];
    size_t n = s->cases[0].in[param].tensor->elements, next = 0;
    struct arena *kept = s->arena;
    bool fine = true;
    *all = n * f->x.elements[0].n <= MAX_REST;
    for (size_t i = 0; i < n && *all && fine;) {
        size_t count = 0;
        for (; i < n && count < MAX_COMPARED; i++) {
            bool known = next < f->x.n && f->x.elements[next].element == i;
            next += known;
            if (!known && is_counted(s, param, i))
                batch[count++] = i;
        }
        if (count == 0)
            continue;
        s->arena = arena_new();
        fine = gives_each(f, count, batch, why);
        if (!fine)
            *why = arena_strdup(kept, *why);
        arena_free(s->arena);
        s->arena = kept;
    }
    return fine;
}

static bool fit_output(struct drift_study *s, size_t output, struct fit *f,
                       const char **why)
{
    memset(f, 0, sizeof *f);
    if (!trace_some(s, output, &f->x, why))
        return false;
    f->given = ARENA_ARRAY(s->arena, f->x.n + 1, bool);
    f->asked = ARENA_ARRAY(s->arena, f->x.n + 1, bool);
    hunt_ways(f, why);
    hunt_rounding(f, why);
    return f->nways > 0 && f->ngiven == f->x.n;
}

/* ---- answer ----------------------------------------------------------------------------- */

/* An element that the way was found to hold for, the worst one if it is; with
 * its partial sums. */
static void show_way(struct drift_study *s, struct drift_answer *a,
                     const struct fit *f, size_t which, struct drift_way *out)
{
    const struct sum_way *way = &f->ways[which];
    const struct sum_element *e = &f->x.elements[0];
    size_t at = a->stats.worst_sample < s->ncases ? a->stats.worst_sample : 0;
    for (size_t i = 0; i < f->x.n && e->n != way->n; i++)
        e = &f->x.elements[i];
    if (f->used[which] > 0)
        e = &f->x.elements[f->shown[which]];
    for (size_t i = 0; i < f->x.n && f->used[which] > 0; i++)
        if (f->x.param == a->stats.worst_param &&
            f->x.elements[i].element == a->stats.worst_element &&
            f->x.elements[i].n == way->n &&
            way_gives(f, way, &f->x.elements[i], f->type))
            e = &f->x.elements[i];
    sums_show(&f->x, e, way, f->type, a->arena, out);
    out->elements = f->used[which];
    if (out->elements == 0)
        return;
    double *values = ARENA_ARRAY(a->arena, way->tree.nnodes + 1, double);
    struct play play = {&f->x, e, way, &s->cases[at], f->type, values};
    if (gives(&play))
        out->values = values;
}

static bool allows(const struct drift_declared *d, enum num_toggle toggle)
{
    return d->base.set[toggle] != 0 || (d->may[toggle] & ~UINT32_C(1)) != 0;
}

/* Whether a wider sum may be rounded in the middle, anywhere: the bodies of loops
 * may hold any number of turns, or the order is free. */
static bool allows_places(const struct drift_declared *d)
{
    bool any = true;
    for (unsigned v = 1; v < num_toggle_settings(NUM_T_UNROLL); v++)
        any &= (d->may[NUM_T_UNROLL] >> v & 1u) != 0;
    return any || allows(d, NUM_T_ORDER);
}

/* Whether the target declares what the ways do. */
static bool ways_declared(const struct drift_study *s,
                          const struct drift_answer *a)
{
    const struct drift_declared *d = &s->q->declared;
    bool fine = true;
    for (size_t i = 0; i < a->nways; i++) {
        const struct drift_way *w = &a->ways[i];
        struct buf name = {0};
        drift_tree_describe(&name, &w->tree);
        bool written = strcmp(buf_text(&name), "one after the other") == 0;
        buf_fini(&name);
        fine &= written || allows(d, NUM_T_ORDER);
        bool wider = allows(d, NUM_T_KEEP) || allows(d, NUM_T_HALF);
        bool fuses = w->fused > 0 && !w->widens;
        bool widens = w->fused > 0 && w->widens && (w->wide || w->rounds);
        fine &= !fuses || allows(d, NUM_T_CONTRACT);
        fine &= !(w->wide || widens) || wider;
        /* all of them rounded: as the program does */
        fine &= w->narrowed == 0 ||
                w->narrowed == w->tree.nodes[w->tree.root].size - 2 ||
                allows_places(d);
        /* products rounded to a type in which the program has none */
        fine &= !w->widens || w->rounds || w->fused == w->products;
    }
    return fine;
}

static void conclude(struct drift_study *s, struct drift_answer *a,
                     size_t compared)
{
    bool declared = ways_declared(s, a);
    unsigned fresh = 0;
    for (size_t i = 0; i < s->ncases; i++)
        fresh += s->cases[i].fresh;
    struct buf text = {0};
    drift_put_way_name(&text, &a->ways[0]);
    if (a->nways > 1)
        buf_printf(&text, " (and in %zu other ways)", a->nways - 1);
    buf_printf(&text,
               "%s: measured by masked inputs; reproduces every bit of the %zu "
               "elements compared%s",
               declared ? "" : ", which the target does not declare", compared,
               fresh > 0 ? ", fresh inputs included"
                         : "; no fresh inputs were tried");
    a->by_ways = true;
    a->outcome = declared ? DRIFT_EXPLAINED : DRIFT_DEVIATES;
    a->explained = a->stats.differ;
    a->fresh_runs = fresh;
    a->reason = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
}

bool drift_sums_explain(struct drift_study *s, struct drift_answer *a)
{
    struct fit *f = dc_alloc(sizeof *f);
    size_t compared = 0, nways = 0;
    bool fine = true, everywhere = true;
    const char *why = NULL;
    if (s->q->run == NULL || !study_freshen(s)) {
        dc_release(f);
        return false;
    }
    a->ways =
        ARENA_ARRAY(a->arena, s->noutputs * MAX_WAYS + 1, struct drift_way);
    for (size_t o = 0; o < s->noutputs && fine; o++) {
        if (!output_differs(s, s->outputs[o]))
            continue;
        bool all = false;
        fine = fit_output(s, o, f, &why) && gives_rest(f, o, &all, &why);
        for (size_t w = 0; w < f->nways; w++)
            if (!fine || f->used[w] > 0)
                show_way(s, a, f, w, &a->ways[nways++]);
        size_t n = s->cases[0].in[s->outputs[o]].tensor->elements;
        compared += (all ? n : f->x.n) * s->ncases;
        everywhere &= all || f->x.n == n;
    }
    dc_release(f);
    a->nways = nways;
    fine = fine && nways > 0;
    if (!fine) {
        a->no_tree = why != NULL ? arena_strdup(a->arena, why) : NULL;
        return false;
    }
    a->everywhere = everywhere;
    conclude(s, a, compared);
    return true;
}
