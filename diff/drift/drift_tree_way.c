/* SPDX-License-Identifier: Apache-2.0
 *
 * How a target sums output elements: their trees, all found at once, and which
 * products enter their sum unrounded.
 *
 * The latter is asked, too: one factor pair is (1 + e)^2, which does not fit
 * the factors' type by e^2 alone, one term beside it is the negative of the
 * rounded product, all others are 0. What comes out is e^2 if the product was
 * fused into the addition (or kept in a wider type), and 0 if it was rounded.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <string.h>

/* ---- trees ------------------------------------------------------------------------- */

struct hunt {
    struct sums *x;
    size_t n;
    const size_t *which;
    struct drift_summation *asked;
    struct tree_finder **finders;
};

/* One question of one finder. */
struct asked {
    size_t finder, question;
};

/* The questions of this round, one of each finder in turn: different elements
 * get along in one run. */
static size_t collect(const struct hunt *h, struct asked **out)
{
    size_t n = 0, most = 0;
    for (size_t i = 0; i < h->n; i++) {
        size_t count = tree_finder_count(h->finders[i]);
        n += count;
        most = count > most ? count : most;
    }
    *out = dc_alloc((n + 1) * sizeof **out);
    n = 0;
    for (size_t k = 0; k < most; k++)
        for (size_t i = 0; i < h->n; i++)
            if (k < tree_finder_count(h->finders[i]))
                (*out)[n++] = (struct asked){i, k};
    return n;
}

static bool ask_some(struct hunt *h, size_t n, const struct asked *asked,
                     const char **why)
{
    struct sum_probe *probes = dc_alloc((n + 1) * sizeof *probes);
    double **drives = dc_alloc((n + 1) * sizeof *drives);
    for (size_t i = 0; i < n; i++) {
        const struct sum_element *e =
            &h->x->elements[h->which[asked[i].finder]];
        drives[i] = dc_alloc((e->n + 1) * sizeof **drives);
        tree_finder_terms(h->finders[asked[i].finder], asked[i].question,
                          drives[i]);
        probes[i] = (struct sum_probe){e, drives[i], NULL, 0};
    }
    bool fine = sums_ask(h->x, n, probes, why);
    for (size_t i = 0; i < n; i++) {
        if (fine)
            tree_finder_answer(h->finders[asked[i].finder], asked[i].question,
                               probes[i].sum);
        dc_release(drives[i]);
    }
    dc_release(drives);
    dc_release(probes);
    return fine;
}

/* False: the target did not answer. */
static bool ask_round(struct hunt *h, bool *more, const char **why)
{
    struct asked *asked;
    size_t n = collect(h, &asked), terms = 1;
    bool fine = true;
    for (size_t i = 0; i < h->n; i++)
        if (h->asked[i].n > terms)
            terms = h->asked[i].n;
    size_t chunk = SUMS_MAX_NUMBERS / terms + 1;
    for (size_t from = 0; from < n && fine; from += chunk)
        fine =
            ask_some(h, n - from < chunk ? n - from : chunk, asked + from, why);
    dc_release(asked);
    for (size_t i = 0; i < h->n && fine; i++)
        if (tree_finder_count(h->finders[i]) > 0)
            tree_finder_next(h->finders[i]);
    *more = n > 0;
    return fine;
}

static bool find_trees(struct sums *x, size_t n, const size_t *which,
                       struct sum_way *out, const char **why)
{
    struct hunt h = {x, n, which, NULL, NULL};
    bool fine = true, more = true;
    const char *failed = NULL;
    h.asked = dc_alloc((n + 1) * sizeof *h.asked);
    h.finders = dc_alloc((n + 1) * sizeof(struct tree_finder *));
    for (size_t i = 0; i < n; i++) {
        h.asked[i].dtype = x->atom;
        h.asked[i].sum = x->result;
        h.asked[i].n = x->elements[which[i]].n;
        h.finders[i] = tree_finder_new(&h.asked[i], x->s->arena);
    }
    while (fine && more)
        fine = ask_round(&h, &more, &failed);
    for (size_t i = 0; i < n; i++) {
        if (!fine)
            why[i] = failed;
        else if (tree_finder_result(h.finders[i], &out[i].tree, &why[i]))
            out[i].n = h.asked[i].n;
        tree_finder_free(h.finders[i]);
    }
    dc_release(h.asked);
    dc_release(h.finders);
    return fine;
}

/* ---- products ------------------------------------------------------------------------ */

/* By term: the node that it is a child of, and one that lies beside it. */
static void find_partners(const struct drift_tree *t, size_t *partner)
{
    for (size_t i = 0; i < t->nnodes; i++) {
        const struct drift_node *node = &t->nodes[i];
        for (size_t k = 0; k < node->nchildren; k++) {
            const struct drift_node *child = &t->nodes[node->children[k]];
            size_t other = node->children[k == 0 ? 1 : 0];
            if (child->leaf)
                partner[child->term] = t->nodes[other].first;
        }
    }
}

/* 1 + e, whose square needs one digit too many, far down. */
static double one_and_little(struct dtype t)
{
    unsigned flags = 0;
    double next = num_to_double(t, num_from_double(t, 1.0, &flags) + 1);
    int digits = 1 - ilogb(next - 1); /* of the significand */
    return 1 + ldexp(1, -(digits / 2 + 1));
}

struct products {
    struct sums *x;
    size_t n; /* ways, and the elements that they are of */
    const size_t *which;
    struct sum_way *ways;
    size_t **partner;
    double near, rounded, rest;
};

/* One product of one way. */
struct asked_product {
    size_t way, term;
    double *numbers; /* drive, other */
};

static const struct sum_element *element_of(const struct products *p,
                                            size_t way)
{
    return &p->x->elements[p->which[way]];
}

static void fill_probe(const struct products *p, struct asked_product *a,
                       struct sum_probe *probe)
{
    const struct sum_element *e = element_of(p, a->way);
    double *drive = dc_alloc((2 * e->n + 1) * sizeof *drive);
    double *other = drive + e->n;
    a->numbers = drive;
    for (size_t k = 0; k < e->n; k++)
        other[k] = 1;
    drive[a->term] = other[a->term] = p->near;
    drive[p->partner[a->way][a->term]] = -p->rounded;
    *probe = (struct sum_probe){e, drive, other, 0};
}

/* The products of all ways, one of each way in turn. */
static size_t collect_products(const struct products *p,
                               struct asked_product **out)
{
    size_t n = 0, most = 0;
    for (size_t w = 0; w < p->n; w++) {
        n += p->ways[w].n;
        most = p->ways[w].n > most ? p->ways[w].n : most;
    }
    *out = dc_alloc((n + 1) * sizeof **out);
    n = 0;
    for (size_t k = 0; k < most; k++)
        for (size_t w = 0; w < p->n; w++)
            if (k < p->ways[w].n && element_of(p, w)->terms[k].natoms == 2)
                (*out)[n++] = (struct asked_product){w, k, NULL};
    return n;
}

static void take_product(const struct products *p,
                         const struct asked_product *a, bool *exact, double sum,
                         const char **why)
{
    struct sum_way *way = &p->ways[a->way];
    exact[a->term] = sum == p->rest;
    way->nexact += exact[a->term];
    way->nproducts++;
    if (sum != p->rest && sum != 0)
        why[p->which[a->way]] = "a product is neither rounded nor exact";
}

static bool ask_products(const struct products *p, size_t n,
                         struct asked_product *asked, bool **exact,
                         const char **why)
{
    struct sum_probe *probes = dc_alloc((n + 1) * sizeof *probes);
    const char *failed = NULL;
    for (size_t i = 0; i < n; i++)
        fill_probe(p, &asked[i], &probes[i]);
    bool fine = sums_ask(p->x, n, probes, &failed);
    for (size_t i = 0; i < n; i++) {
        if (fine)
            take_product(p, &asked[i], exact[asked[i].way], probes[i].sum, why);
        else
            why[p->which[asked[i].way]] = failed;
        dc_release(asked[i].numbers);
    }
    dc_release(probes);
    return fine;
}

/* why by element of x. False: the target did not answer. */
static bool find_products(struct sums *x, size_t n, const size_t *which,
                          struct sum_way *ways, const char **why)
{
    struct arena *arena = x->s->arena;
    struct products p = {.x = x, .n = n, .which = which, .ways = ways};
    bool **exact = ARENA_ARRAY(arena, n + 1, bool *), fine = true;
    struct asked_product *asked;
    size_t most = 1;
    p.partner = ARENA_ARRAY(arena, n + 1, size_t *);
    p.near = one_and_little(x->atom);
    p.rounded = 1 + 2 * (p.near - 1);
    p.rest = (p.near - 1) * (p.near - 1);
    for (size_t w = 0; w < n; w++) {
        p.partner[w] = ARENA_ARRAY(arena, ways[w].n + 1, size_t);
        find_partners(&ways[w].tree, p.partner[w]);
        exact[w] = ARENA_ARRAY(arena, ways[w].n + 1, bool);
        ways[w].exact = exact[w];
        most = ways[w].n > most ? ways[w].n : most;
    }
    size_t count = collect_products(&p, &asked);
    size_t chunk = SUMS_MAX_NUMBERS / (2 * most) + 1;
    for (size_t from = 0; from < count && fine; from += chunk)
        fine = ask_products(&p, count - from < chunk ? count - from : chunk,
                            asked + from, exact, why);
    dc_release(asked);
    return fine;
}

/* ---- both -------------------------------------------------------------------------------- */

const char *sums_way_text(struct sums *x, const struct sum_way *way)
{
    struct buf text = {0};
    drift_tree_text(&text, &way->tree);
    buf_putc(&text, ' ');
    for (size_t k = 0; k < way->n; k++)
        buf_putc(&text, way->exact[k] ? '1' : '0');
    buf_putc(&text, ' ');
    for (size_t i = 0; way->narrow && i < way->tree.nnodes; i++)
        buf_putc(&text, way->narrow[i] ? '1' : '0');
    const char *kept = arena_strdup(x->s->arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

bool sums_find_ways(struct sums *x, size_t n, const size_t *which,
                    struct sum_way *out, const char **why)
{
    struct arena *arena = x->s->arena;
    memset(out, 0, n * sizeof *out);
    if (!find_trees(x, n, which, out, why))
        return false;
    size_t *at = ARENA_ARRAY(arena, n + 1, size_t), count = 0;
    size_t *some = ARENA_ARRAY(arena, n + 1, size_t);
    struct sum_way *ways = ARENA_ARRAY(arena, n + 1, struct sum_way);
    const char **whys = ARENA_ARRAY(arena, x->n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        if (out[i].n > 0) {
            some[count] = which[i];
            at[count] = i;
            ways[count++] = out[i];
        }
    const char **odd = ARENA_ARRAY(arena, n + 1, const char *);
    bool fine = find_products(x, count, some, ways, whys);
    if (fine && x->asks_rounding)
        fine = sums_find_rounding(x, count, some, ways, odd);
    for (size_t w = 0; w < count; w++) {
        out[at[w]] = ways[w];
        why[at[w]] = whys[some[w]] != NULL ? whys[some[w]] : odd[w];
        if (why[at[w]] != NULL)
            out[at[w]].n = 0;
        else
            out[at[w]].text = sums_way_text(x, &ways[w]);
    }
    return fine;
}
