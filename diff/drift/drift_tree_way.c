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

/* Numbers of probes that are held at a time. */
#define MAX_NUMBERS ((size_t)1 << 21)

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
    size_t chunk = MAX_NUMBERS / terms + 1;
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
    const struct sum_element *e;
    const size_t *partner;
    double near, rounded, rest;
};

static void fill_probe(const struct products *p, size_t term,
                       struct sum_probe *probe, double *drive, double *other)
{
    for (size_t k = 0; k < p->e->n; k++) {
        drive[k] = 0;
        other[k] = 1;
    }
    drive[term] = other[term] = p->near;
    drive[p->partner[term]] = -p->rounded;
    *probe = (struct sum_probe){p->e, drive, other, 0};
}

/* All products of one way. False: the target did not answer, or gave what is
 * neither. */
static bool ask_products(const struct products *p, struct sum_way *way,
                         const char **why)
{
    size_t n = p->e->n, chunk = MAX_NUMBERS / (2 * n) + 1;
    bool *exact = ARENA_ARRAY(p->x->s->arena, n + 1, bool), fine = true;
    struct sum_probe *probes = dc_alloc((chunk + 1) * sizeof *probes);
    size_t *terms = dc_alloc((chunk + 1) * sizeof *terms);
    double *numbers = dc_alloc((chunk + 1) * 2 * n * sizeof *numbers);
    for (size_t k = 0; k < n && fine;) {
        size_t count = 0;
        for (; k < n && count < chunk; k++) {
            if (p->e->terms[k].natoms < 2)
                continue;
            fill_probe(p, k, &probes[count], numbers + 2 * n * count,
                       numbers + (2 * count + 1) * n);
            terms[count++] = k;
        }
        fine = sums_ask(p->x, count, probes, why);
        for (size_t i = 0; i < count && fine; i++) {
            exact[terms[i]] = probes[i].sum == p->rest;
            way->nexact += exact[terms[i]];
            way->nproducts++;
            fine = probes[i].sum == p->rest || probes[i].sum == 0;
            *why = "a product is neither rounded nor exact";
        }
    }
    way->exact = exact;
    dc_release(probes);
    dc_release(terms);
    dc_release(numbers);
    return fine;
}

static bool find_products(struct sums *x, const struct sum_element *e,
                          struct sum_way *way, const char **why)
{
    size_t *partner = ARENA_ARRAY(x->s->arena, e->n + 1, size_t);
    struct products p = {x, e, partner, one_and_little(x->atom), 0, 0};
    p.rounded = 1 + 2 * (p.near - 1);
    p.rest = (p.near - 1) * (p.near - 1);
    find_partners(&way->tree, partner);
    return ask_products(&p, way, why);
}

/* ---- both -------------------------------------------------------------------------------- */

static const char *text_of(struct sums *x, const struct sum_way *way)
{
    struct buf text = {0};
    drift_tree_text(&text, &way->tree);
    buf_putc(&text, ' ');
    for (size_t k = 0; k < way->n; k++)
        buf_putc(&text, way->exact[k] ? '1' : '0');
    const char *kept = arena_strdup(x->s->arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

bool sums_find_ways(struct sums *x, size_t n, const size_t *which,
                    struct sum_way *out, const char **why)
{
    memset(out, 0, n * sizeof *out);
    if (!find_trees(x, n, which, out, why))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (out[i].n == 0)
            continue;
        if (!find_products(x, &x->elements[which[i]], &out[i], &why[i])) {
            out[i].n = 0;
            if (x->failed)
                return false;
            continue;
        }
        out[i].text = text_of(x, &out[i]);
    }
    return true;
}
