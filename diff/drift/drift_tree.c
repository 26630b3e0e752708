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
 *
 * Questions come in rounds: those of one round do not depend on one another,
 * and there are as many rounds as subtrees lie within one another.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE SIZE_MAX

/* Terms whose subtrees are still to be found, all below one node. */
struct task {
    size_t n;
    size_t *terms;
    size_t total;  /* leaves below that node; members of a subtree have fewer */
    size_t parent; /* NO_NODE: the root */
};

struct question {
    size_t task, i, j; /* i == j: all are units */
    double sum;
};

struct tree_finder {
    const struct drift_summation *s;
    struct arena *arena;
    struct drift_tree tree;
    size_t room;
    double big, unit;
    unsigned masks; /* tried */
    bool masked;    /* one of them works */
    const char *why;
    struct VEC(struct task) tasks;
    struct VEC(struct question) questions;
};

/* ---- answers ----------------------------------------------------------------------- */

/* Leaves below the lowest node that holds i and j; 0: the answer makes no
 * sense. */
static size_t leaves_below(struct tree_finder *f, double sum)
{
    size_t n = f->s->n;
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

static size_t new_node(struct tree_finder *f)
{
    struct drift_tree *t = &f->tree;
    t->nodes = dc_vec_grow(t->nodes, &f->room, t->nnodes + 1, sizeof *t->nodes);
    memset(&t->nodes[t->nnodes], 0, sizeof *t->nodes);
    return t->nnodes++;
}

static size_t new_leaf(struct tree_finder *f, size_t term)
{
    size_t i = new_node(f);
    f->tree.nodes[i].leaf = true;
    f->tree.nodes[i].term = term;
    f->tree.nodes[i].first = term;
    f->tree.nodes[i].size = 1;
    return i;
}

/* A node of `size` leaves; room for so many children. */
static size_t new_sum(struct tree_finder *f, size_t size, size_t room,
                      size_t child)
{
    size_t i = new_node(f);
    f->tree.nodes[i].size = size;
    f->tree.nodes[i].children = ARENA_ARRAY(f->arena, room + 1, size_t);
    f->tree.nodes[i].children[0] = child;
    f->tree.nodes[i].nchildren = 1;
    return i;
}

static void give_subtree(struct tree_finder *f, size_t parent, size_t node)
{
    if (parent == NO_NODE) {
        f->tree.root = node;
        return;
    }
    struct drift_node *p = &f->tree.nodes[parent];
    p->children[p->nchildren++] = node;
}

struct member {
    size_t term, below; /* leaves below the node that joins it with the first */
};

static int by_below(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    return (x->term > y->term) - (x->term < y->term);
}

static void add_task(struct tree_finder *f, size_t n, size_t *terms,
                     size_t total, size_t parent)
{
    struct task t = {n, terms, total, parent};
    vec_push(&f->tasks, t);
}

/* The subtree of a leaf and the members, from the leaf up. */
static bool chain(struct tree_finder *f, size_t leaf, size_t n,
                  struct member *members, size_t *out)
{
    *out = new_leaf(f, leaf);
    qsort(members, n, sizeof *members, by_below);
    for (size_t from = 0, to; from < n; from = to) {
        size_t below = members[from].below;
        for (to = from; to < n && members[to].below == below;)
            to++;
        size_t count = to - from;
        if (f->tree.nodes[*out].size + count != below) {
            f->why = "masked sums contradict one another: no one tree";
            return false;
        }
        size_t *terms = ARENA_ARRAY(f->arena, count + 1, size_t);
        for (size_t k = 0; k < count; k++)
            terms[k] = members[from + k].term;
        *out = new_sum(f, below, count + 1, *out);
        add_task(f, count, terms, below, *out);
    }
    return true;
}

/* One task with the leaves below (i, j) for its first term and each other. */
static bool take(struct tree_finder *f, const struct task *t,
                 const struct question *answers)
{
    struct member *inner = dc_alloc((t->n + 1) * sizeof *inner);
    size_t *rest = ARENA_ARRAY(f->arena, t->n + 1, size_t);
    size_t ninner = 0, left = 0, node = 0;
    bool fine = true;
    for (size_t k = 1; k < t->n && fine; k++) {
        size_t below = leaves_below(f, answers[k - 1].sum);
        fine = below != 0;
        if (below < t->total)
            inner[ninner++] = (struct member){t->terms[k], below};
        else
            rest[left++] = t->terms[k];
    }
    fine = fine && chain(f, t->terms[0], ninner, inner, &node);
    if (fine)
        give_subtree(f, t->parent, node);
    if (fine && left > 0)
        add_task(f, left, rest, t->total, t->parent);
    dc_release(inner);
    return fine;
}

/* ---- masks ------------------------------------------------------------------------------ */

static bool is_exact(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_to_double(t, num_from_double(t, value, &flags)) == value;
}

/* The smallest numbers vanish beside M even in wider accumulators; where
 * subnormal numbers are flushed, ordinary ones are tried. */
static bool choose_mask(struct tree_finder *f)
{
    struct dtype t = f->s->dtype;
    struct dtype sum = f->s->sum.bits != 0 ? f->s->sum : t;
    double most = num_to_double(t, num_max_value(t));
    while (f->masks < 2) {
        f->unit = f->masks++ == 0 ? num_to_double(t, num_min_positive(t))
                  : t.bits > 16
                      ? 1
                      : ldexp(1, (int)floor(log2(8.0 / (double)f->s->n)));
        f->big = ldexp(1, ilogb(most) - (t.bits > 16));
        if (f->s->big > 0 && f->s->unit > 0) {
            f->big = f->s->big;
            f->unit = f->s->unit;
            f->masks = 2;
        }
        if (is_exact(t, f->big) && is_exact(t, f->unit) &&
            is_exact(sum, f->unit * (double)f->s->n))
            return true;
    }
    f->why = "equal units do not add up: this is no sum of these terms";
    return false;
}

/* Whether n units are counted exactly, and the mask swallows as many. */
static void ask_mask(struct tree_finder *f)
{
    struct question all = {0, 0, 0, 0};
    vec_push(&f->questions, all);
    if (f->s->n > 1) {
        struct question ends = {0, 0, f->s->n - 1, 0};
        vec_push(&f->questions, ends);
    }
}

static bool mask_works(struct tree_finder *f)
{
    double n = (double)f->s->n;
    if (f->questions.items[0].sum != f->unit * n) {
        f->why = "equal units do not add up: this is no sum of these terms";
        return false;
    }
    return f->s->n < 2 || leaves_below(f, f->questions.items[1].sum) != 0;
}

/* ---- rounds ------------------------------------------------------------------------------ */

static void ask_tasks(struct tree_finder *f)
{
    for (size_t t = 0; t < f->tasks.len; t++)
        for (size_t k = 1; k < f->tasks.items[t].n; k++) {
            struct question q = {t, f->tasks.items[t].terms[0],
                                 f->tasks.items[t].terms[k], 0};
            vec_push(&f->questions, q);
        }
}

/* The answers of the round into the tree; what they leave open are the next
 * tasks. Tasks of one term need no question and are done at once. */
static void take_round(struct tree_finder *f)
{
    struct VEC(struct task) now = {0};
    struct VEC(struct question) answers = {0};
    for (size_t i = 0; i < f->tasks.len; i++)
        vec_push(&now, f->tasks.items[i]);
    for (size_t i = 0; i < f->questions.len; i++)
        vec_push(&answers, f->questions.items[i]);
    f->tasks.len = 0;
    size_t at = 0;
    bool fine = true;
    for (size_t i = 0; i < now.len && fine; i++) {
        fine = take(f, &now.items[i],
                    answers.items != NULL ? answers.items + at : NULL);
        at += now.items[i].n - 1;
    }
    vec_fini(&now);
    vec_fini(&answers);
}

/* The questions of the tasks at hand; such as need none are done first. */
static void ask(struct tree_finder *f)
{
    f->questions.len = 0;
    while (f->why == NULL && f->tasks.len > 0) {
        ask_tasks(f);
        if (f->questions.len > 0)
            return;
        take_round(f);
    }
}

/* After a mask that works: one task, all terms. */
static void start(struct tree_finder *f)
{
    size_t *terms = ARENA_ARRAY(f->arena, f->s->n + 1, size_t);
    for (size_t i = 0; i < f->s->n; i++)
        terms[i] = i;
    f->why = NULL;
    add_task(f, f->s->n, terms, f->s->n + 1, NO_NODE);
}

void tree_finder_next(struct tree_finder *f)
{
    f->tree.runs += f->questions.len;
    if (f->masked) {
        take_round(f);
        ask(f);
        return;
    }
    f->masked = mask_works(f);
    f->questions.len = 0;
    const char *why = f->why;
    if (f->masked) {
        start(f);
        ask(f);
    } else if (choose_mask(f)) {
        ask_mask(f);
    } else {
        f->why = why;
    }
}

size_t tree_finder_count(const struct tree_finder *f)
{
    return f->questions.len;
}

void tree_finder_terms(const struct tree_finder *f, size_t k, double *terms)
{
    const struct question *q = &f->questions.items[k];
    for (size_t i = 0; i < f->s->n; i++)
        terms[i] = f->unit;
    if (q->i == q->j)
        return;
    terms[q->i] = f->big;
    terms[q->j] = -f->big;
}

void tree_finder_answer(struct tree_finder *f, size_t k, double sum)
{
    f->questions.items[k].sum = sum;
}

struct tree_finder *tree_finder_new(const struct drift_summation *s,
                                    struct arena *arena)
{
    struct tree_finder *f = dc_alloc(sizeof *f);
    f->s = s;
    f->arena = arena;
    if (s->n == 0 || s->n > DRIFT_MAX_TREE)
        f->why = "no terms, or too many for a tree";
    else if (choose_mask(f))
        ask_mask(f);
    return f;
}

/* The least term below each node; children lie before their parents only in
 * a chain, hence from the leaves. */
static size_t set_first(struct drift_tree *t, size_t i)
{
    struct drift_node *node = &t->nodes[i];
    for (size_t k = 0; k < node->nchildren; k++) {
        size_t first = set_first(t, node->children[k]);
        if (k == 0 || first < node->first)
            node->first = first;
    }
    return node->first;
}

bool tree_finder_result(struct tree_finder *f, struct drift_tree *out,
                        const char **why)
{
    *out = f->tree;
    *why = f->why;
    out->nodes = NULL;
    if (f->tree.nnodes > 0)
        out->nodes = arena_memdup(f->arena, f->tree.nodes,
                                  f->tree.nnodes * sizeof *out->nodes);
    if (f->why == NULL)
        (void)set_first(out, out->root);
    return f->why == NULL;
}

void tree_finder_free(struct tree_finder *f)
{
    dc_release(f->tree.nodes);
    vec_fini(&f->tasks);
    vec_fini(&f->questions);
    dc_release(f);
}

/* ---- a black box by itself --------------------------------------------------------------- */

bool drift_tree_find(const struct drift_summation *s, struct arena *arena,
                     struct drift_tree *out, const char **why)
{
    struct tree_finder *f = tree_finder_new(s, arena);
    double *terms = dc_alloc((s->n + 1) * sizeof *terms);
    while (tree_finder_count(f) > 0) {
        for (size_t k = 0; k < tree_finder_count(f) && f->why == NULL; k++) {
            double sum = 0;
            tree_finder_terms(f, k, terms);
            if (!s->run(s->user, terms, &sum))
                f->why = "the sum could not be run";
            tree_finder_answer(f, k, sum);
        }
        if (f->why != NULL)
            break;
        tree_finder_next(f);
    }
    dc_release(terms);
    bool fine = tree_finder_result(f, out, why);
    tree_finder_free(f);
    return fine;
}
