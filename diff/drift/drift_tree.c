/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which a black box sums, from what it makes of masked inputs.
 *
 * Term i is a huge number M, term j is -M, the others are equal small units.
 * Units that meet one of the two before these cancel are swallowed: they lie
 * below the lowest node that holds both i and j. The result counts the others,
 * so it tells how many leaves are below that node. For one i, the sizes for
 * all j are those of the nodes on the path from i to the root; each node's
 * other children are found the same way among the j of that size. (FPRev's
 * method, by masks; at worst one run for each pair, for chains two a term.)
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    const struct drift_summation *s;
    struct arena *arena;
    struct drift_tree *tree;
    size_t room;
    double *terms;
    double big, unit;
    const char *why;
};

/* ---- one question ------------------------------------------------------------------ */

/* Leaves below the lowest node that holds i and j; 0: the answer makes no
 * sense, f->why says so. */
static size_t leaves_below(struct finder *f, size_t i, size_t j)
{
    size_t n = f->s->n;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        f->terms[k] = f->unit;
    f->terms[i] = f->big;
    f->terms[j] = -f->big;
    f->tree->runs++;
    if (!f->s->run(f->s->user, f->terms, &sum)) {
        f->why = "the sum could not be run";
        return 0;
    }
    double outside = sum / f->unit;
    if (!(outside >= 0) || outside > (double)(n - 2) ||
        outside != floor(outside)) {
        f->why = "a masked sum is no number of units: this is no sum of these "
                 "terms, or it is kept in a type too wide for the mask";
        return 0;
    }
    return n - (size_t)outside;
}

/* ---- building ------------------------------------------------------------------------ */

static size_t new_node(struct finder *f)
{
    struct drift_tree *t = f->tree;
    t->nodes = dc_vec_grow(t->nodes, &f->room, t->nnodes + 1, sizeof *t->nodes);
    memset(&t->nodes[t->nnodes], 0, sizeof *t->nodes);
    return t->nnodes++;
}

static size_t new_leaf(struct finder *f, size_t term)
{
    size_t i = new_node(f);
    f->tree->nodes[i].leaf = true;
    f->tree->nodes[i].term = term;
    f->tree->nodes[i].first = term;
    f->tree->nodes[i].size = 1;
    return i;
}

static size_t least_term(const struct drift_tree *t, size_t n,
                         const size_t *children)
{
    size_t least = SIZE_MAX;
    for (size_t k = 0; k < n; k++)
        if (t->nodes[children[k]].first < least)
            least = t->nodes[children[k]].first;
    return least;
}

struct member {
    size_t term, below; /* leaves below the node that joins it with i */
};

static int by_below(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    return (x->term > y->term) - (x->term < y->term);
}

static bool chain(struct finder *f, size_t i, size_t n, struct member *members,
                  size_t *out);

/* The subtrees that a set of terms makes below a node of `total` leaves. */
static bool siblings(struct finder *f, size_t n, const size_t *terms,
                     size_t total, size_t *children, size_t *nchildren)
{
    size_t *rest = dc_alloc((n + 1) * sizeof *rest);
    struct member *inner = dc_alloc((n + 1) * sizeof *inner);
    bool fine = true;
    memcpy(rest, terms, n * sizeof *rest);
    while (n > 0 && fine) {
        size_t left = 0, ninner = 0;
        for (size_t k = 1; k < n && fine; k++) {
            size_t below = leaves_below(f, rest[0], rest[k]);
            fine = below != 0;
            if (below < total)
                inner[ninner++] = (struct member){rest[k], below};
            else
                rest[++left] = rest[k];
        }
        fine = fine && chain(f, rest[0], ninner, inner, &children[*nchildren]);
        (*nchildren)++;
        memmove(rest, rest + 1, left * sizeof *rest);
        n = left;
    }
    dc_release(rest);
    dc_release(inner);
    return fine;
}

/* The subtree of term i and the members: from the leaf up. */
static bool chain(struct finder *f, size_t i, size_t n, struct member *members,
                  size_t *out)
{
    *out = new_leaf(f, i);
    qsort(members, n, sizeof *members, by_below);
    for (size_t from = 0, to; from < n; from = to) {
        size_t below = members[from].below;
        for (to = from; to < n && members[to].below == below;)
            to++;
        size_t count = to - from, nchildren = 1;
        if (f->tree->nodes[*out].size + count != below) {
            f->why = "masked sums contradict one another: no one tree";
            return false;
        }
        size_t *terms = ARENA_ARRAY(f->arena, count + 1, size_t);
        size_t *children = ARENA_ARRAY(f->arena, count + 2, size_t);
        for (size_t k = 0; k < count; k++)
            terms[k] = members[from + k].term;
        children[0] = *out;
        if (!siblings(f, count, terms, below, children, &nchildren))
            return false;
        size_t node = new_node(f);
        f->tree->nodes[node].nchildren = nchildren;
        f->tree->nodes[node].children = children;
        f->tree->nodes[node].size = below;
        f->tree->nodes[node].first = least_term(f->tree, nchildren, children);
        *out = node;
    }
    return true;
}

/* ---- masks ------------------------------------------------------------------------------ */

static bool is_exact(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_to_double(t, num_from_double(t, value, &flags)) == value;
}

/* Whether n units are counted exactly, and the mask swallows as many. */
static bool try_mask(struct finder *f, double big, double unit)
{
    size_t n = f->s->n;
    double sum = 0;
    f->big = big;
    f->unit = unit;
    if (!is_exact(f->s->dtype, big) || !is_exact(f->s->dtype, unit) ||
        !is_exact(f->s->dtype, unit * (double)n))
        return false;
    for (size_t k = 0; k < n; k++)
        f->terms[k] = unit;
    f->tree->runs++;
    if (!f->s->run(f->s->user, f->terms, &sum) || sum != unit * (double)n)
        return false;
    return n < 2 || leaves_below(f, 0, n - 1) != 0;
}

/* The smallest numbers vanish beside M even in wider accumulators; where
 * subnormal numbers are flushed, ordinary ones are tried. */
static bool find_mask(struct finder *f)
{
    struct dtype t = f->s->dtype;
    if (f->s->big > 0 && f->s->unit > 0)
        return try_mask(f, f->s->big, f->s->unit);
    double most = num_to_double(t, num_max_value(t));
    double big = ldexp(1, ilogb(most) - (t.bits > 16));
    double least = num_to_double(t, num_min_positive(t));
    double ordinary =
        t.bits > 16 ? 1 : ldexp(1, (int)floor(log2(8.0 / (double)f->s->n)));
    return try_mask(f, big, least) || try_mask(f, big, ordinary);
}

bool drift_tree_find(const struct drift_summation *s, struct arena *arena,
                     struct drift_tree *out, const char **why)
{
    struct finder f;
    memset(&f, 0, sizeof f);
    memset(out, 0, sizeof *out);
    f.s = s;
    f.arena = arena;
    f.tree = out;
    f.terms = dc_alloc((s->n + 1) * sizeof *f.terms);
    bool fine = s->n > 0 && s->n <= DRIFT_MAX_TREE;
    if (!fine)
        f.why = "no terms, or too many for a tree";
    fine = fine && find_mask(&f);
    if (!fine && f.why == NULL)
        f.why = "equal units do not add up: this is no sum of these terms";
    if (fine) {
        f.why = NULL;
        struct member *all = dc_alloc((s->n + 1) * sizeof *all);
        for (size_t j = 1; j < s->n && fine; j++) {
            all[j - 1] = (struct member){j, leaves_below(&f, 0, j)};
            fine = all[j - 1].below != 0;
        }
        fine = fine && chain(&f, 0, s->n - 1, all, &out->root);
        dc_release(all);
    }
    struct drift_node *nodes = out->nodes;
    if (out->nnodes > 0)
        out->nodes = arena_memdup(arena, nodes, out->nnodes * sizeof *nodes);
    dc_release(nodes);
    dc_release(f.terms);
    *why = f.why;
    return fine;
}
