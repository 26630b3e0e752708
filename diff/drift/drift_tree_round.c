/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a target that sums in a wider type than the program's rounds partial
 * sums to the program's: at the end of a basic block, where registers are
 * spilled, at each turn of a loop that is not unrolled.
 *
 * For each addition one term on its left is M, one on its right is 1, and a
 * term that is added next is -M; all others are 0. M + 1 lies half-way between
 * two numbers of the narrower type, the even one of which is M. So 1 comes out
 * where the partial sum went on as it was, and 0 where it was rounded.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <string.h>

struct rounding {
    struct sums *x;
    size_t n; /* ways, and the elements that they are of */
    const size_t *which;
    struct sum_way *ways;
    size_t **parent; /* by way, by node; the root is its own */
    bool **narrow;
    double big;
};

/* One addition of one way. */
struct asked_node {
    size_t way, node;
    double *drive;
};

static void find_parents(const struct drift_tree *t, size_t *parent)
{
    parent[t->root] = t->root;
    for (size_t i = 0; i < t->nnodes; i++)
        for (size_t k = 0; k < t->nodes[i].nchildren; k++)
            parent[t->nodes[i].children[k]] = i;
}

/* Additions of two, of which another one makes use. */
static bool is_asked(const struct rounding *r, size_t way, size_t node)
{
    const struct drift_tree *t = &r->ways[way].tree;
    size_t parent = r->parent[way][node];
    return node != t->root && t->nodes[node].nchildren == 2 &&
           t->nodes[parent].nchildren == 2;
}

/* Of all ways, one of each in turn: different elements get along in one run. */
static size_t collect(const struct rounding *r, struct asked_node **out)
{
    size_t n = 0, most = 0;
    for (size_t w = 0; w < r->n; w++) {
        size_t nodes = r->ways[w].tree.nnodes;
        n += nodes;
        most = nodes > most ? nodes : most;
    }
    *out = dc_alloc((n + 1) * sizeof **out);
    n = 0;
    for (size_t i = 0; i < most; i++)
        for (size_t w = 0; w < r->n; w++)
            if (i < r->ways[w].tree.nnodes && is_asked(r, w, i))
                (*out)[n++] = (struct asked_node){w, i, NULL};
    return n;
}

static void fill_probe(const struct rounding *r, struct asked_node *a,
                       struct sum_probe *probe)
{
    const struct drift_node *nodes = r->ways[a->way].tree.nodes;
    const struct drift_node *node = &nodes[a->node];
    const struct drift_node *parent = &nodes[r->parent[a->way][a->node]];
    size_t beside = parent->children[parent->children[0] == a->node ? 1 : 0];
    const struct sum_element *e = &r->x->elements[r->which[a->way]];
    a->drive = dc_alloc((e->n + 1) * sizeof *a->drive);
    a->drive[nodes[node->children[0]].first] = r->big;
    a->drive[nodes[node->children[1]].first] = 1;
    a->drive[nodes[beside].first] = -r->big;
    *probe = (struct sum_probe){e, a->drive, NULL, 0};
}

static bool ask(struct rounding *r, size_t n, struct asked_node *asked,
                const char **why)
{
    struct sum_probe *probes = dc_alloc((n + 1) * sizeof *probes);
    const char *failed = NULL;
    for (size_t i = 0; i < n; i++)
        fill_probe(r, &asked[i], &probes[i]);
    bool fine = sums_ask(r->x, n, probes, &failed);
    for (size_t i = 0; i < n; i++) {
        struct sum_way *way = &r->ways[asked[i].way];
        if (!fine)
            why[asked[i].way] = failed;
        else if (probes[i].sum != 0 && probes[i].sum != 1)
            why[asked[i].way] = "a partial sum is neither kept nor rounded";
        if (fine && probes[i].sum == 0) {
            r->narrow[asked[i].way][asked[i].node] = true;
            way->nnarrow++;
        }
        dc_release(asked[i].drive);
    }
    dc_release(probes);
    return fine;
}

bool sums_find_rounding(struct sums *x, size_t n, const size_t *which,
                        struct sum_way *ways, const char **why)
{
    struct arena *arena = x->s->arena;
    struct rounding r = {.x = x, .n = n, .which = which, .ways = ways};
    struct asked_node *asked;
    unsigned flags = 0;
    size_t most = 1;
    double next =
        num_to_double(x->cell, num_from_double(x->cell, 1, &flags) + 1);
    r.big = ldexp(1, 1 - ilogb(next - 1)); /* 2^digits */
    r.parent = ARENA_ARRAY(arena, n + 1, size_t *);
    r.narrow = ARENA_ARRAY(arena, n + 1, bool *);
    for (size_t w = 0; w < n; w++) {
        r.parent[w] = ARENA_ARRAY(arena, ways[w].tree.nnodes + 1, size_t);
        r.narrow[w] = ARENA_ARRAY(arena, ways[w].tree.nnodes + 1, bool);
        find_parents(&ways[w].tree, r.parent[w]);
        ways[w].narrow = r.narrow[w];
        most = ways[w].n > most ? ways[w].n : most;
    }
    size_t count = collect(&r, &asked);
    size_t chunk = SUMS_MAX_NUMBERS / most + 1;
    bool fine = true;
    for (size_t from = 0; from < count && fine; from += chunk)
        fine = ask(&r, count - from < chunk ? count - from : chunk,
                   asked + from, why);
    dc_release(asked);
    return fine;
}
