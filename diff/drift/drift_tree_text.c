/* SPDX-License-Identifier: Apache-2.0
 *
 * Accumulation trees as text: canonical, drawn, and by name. A tree has a name
 * if it is what a known way to sum gives for that many terms: the known ways
 * are carried out on leaves and the texts compared.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

/* ---- canonical text ------------------------------------------------------------- */

/* The child with the least first term above `after`; addition commutes. */
static size_t next_child(const struct drift_tree *t,
                         const struct drift_node *node, size_t n, size_t after)
{
    size_t best = SIZE_MAX, which = 0;
    for (size_t k = 0; k < node->nchildren; k++) {
        size_t first = t->nodes[node->children[k]].first;
        if ((n == 0 || first > after) && first < best) {
            best = first;
            which = node->children[k];
        }
    }
    return which;
}

static void put_text(struct buf *out, const struct drift_tree *t, size_t i)
{
    const struct drift_node *node = &t->nodes[i];
    if (node->leaf) {
        buf_printf(out, "%zu", node->term);
        return;
    }
    size_t after = 0;
    buf_putc(out, '(');
    for (size_t n = 0; n < node->nchildren; n++) {
        size_t child = next_child(t, node, n, after);
        after = t->nodes[child].first;
        if (n > 0)
            buf_putc(out, ' ');
        put_text(out, t, child);
    }
    buf_putc(out, ')');
}

void drift_tree_text(struct buf *out, const struct drift_tree *tree)
{
    if (tree->nnodes > 0)
        put_text(out, tree, tree->root);
}

/* ---- known ways to sum ------------------------------------------------------------ */

/* Trees under construction; node 0 is "nothing". */
struct maker {
    struct drift_tree t;
    size_t room;
    struct arena *arena;
};
#define NOTHING SIZE_MAX

static size_t make_leaf(struct maker *m, size_t term)
{
    struct drift_tree *t = &m->t;
    t->nodes = dc_vec_grow(t->nodes, &m->room, t->nnodes + 1, sizeof *t->nodes);
    struct drift_node leaf = {
        .leaf = true, .term = term, .size = 1, .first = term};
    t->nodes[t->nnodes] = leaf;
    return t->nnodes++;
}

static size_t make_sum(struct maker *m, size_t a, size_t b)
{
    if (a == NOTHING || b == NOTHING)
        return a == NOTHING ? b : a;
    struct drift_tree *t = &m->t;
    t->nodes = dc_vec_grow(t->nodes, &m->room, t->nnodes + 1, sizeof *t->nodes);
    size_t *children = ARENA_ARRAY(m->arena, 2, size_t);
    children[0] = a;
    children[1] = b;
    struct drift_node node = {.nchildren = 2,
                              .children = children,
                              .size = t->nodes[a].size + t->nodes[b].size,
                              .first = t->nodes[a].first < t->nodes[b].first
                                           ? t->nodes[a].first
                                           : t->nodes[b].first};
    t->nodes[t->nnodes] = node;
    return t->nnodes++;
}

static size_t add_range(struct maker *m, size_t sum, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++)
        sum = make_sum(m, sum, make_leaf(m, k));
    return sum;
}

static void combine(struct maker *m, size_t *parts, size_t count, size_t width,
                    unsigned how)
{
    if (how == NUM_COMBINE_HALVES) {
        for (size_t half = count / 2; half > 0; half /= 2)
            for (size_t i = 0; i < half * width; i++)
                parts[i] = make_sum(m, parts[i], parts[i + half * width]);
        return;
    }
    bool pairs = how == NUM_COMBINE_NEIGHBOURS;
    for (size_t step = 1; step < count; step = pairs ? step * 2 : step + 1)
        for (size_t p = 0; p < (pairs ? count : 1); p += 2 * step)
            for (size_t j = 0; j < width; j++)
                parts[p * width + j] = make_sum(m, parts[p * width + j],
                                                parts[(p + step) * width + j]);
}

/* A6 to A8 of docs/semantics.md, for terms from … to - 1. */
static size_t make_lanes(struct maker *m, size_t from, size_t to,
                         const struct num_profile *p)
{
    size_t lanes = (size_t)1 << p->set[NUM_T_LANES], parts[512];
    size_t vectors = (size_t)1 << p->set[NUM_T_INTERLEAVE];
    size_t all = lanes * vectors, done = from + (to - from) / all * all;
    for (size_t i = 0; i < all; i++)
        parts[i] = NOTHING;
    for (size_t k = from; k < done; k++)
        parts[(k - from) % all] =
            make_sum(m, parts[(k - from) % all], make_leaf(m, k));
    combine(m, parts, vectors, lanes, p->set[NUM_T_JOIN]);
    if (p->set[NUM_T_TAIL] == NUM_TAIL_VECTOR && lanes >= 4 &&
        to - done >= lanes / 2) {
        lanes /= 2;
        for (size_t i = 0; i < lanes; i++)
            parts[i] = make_sum(m, parts[i], parts[i + lanes]);
        for (size_t i = 0; i < lanes; i++)
            parts[i] = make_sum(m, parts[i], make_leaf(m, done + i));
        done += lanes;
    }
    combine(m, parts, lanes, 1, p->set[NUM_T_COMBINE]);
    return add_range(m, parts[0], done, to);
}

/* numpy's pairwise sum: halves at multiples of 8 down to blocks of 128, which
 * are summed in 8 lanes. */
static size_t make_numpy(struct maker *m, size_t from, size_t to)
{
    struct num_profile block = {{0}};
    size_t n = to - from;
    if (n < 8)
        return add_range(m, NOTHING, from, to);
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        size_t left = make_numpy(m, from, from + half);
        return make_sum(m, left, make_numpy(m, from + half, to));
    }
    block.set[NUM_T_LANES] = 3;
    block.set[NUM_T_COMBINE] = NUM_COMBINE_NEIGHBOURS;
    return make_lanes(m, from, to, &block);
}

static size_t make_halves(struct maker *m, size_t from, size_t to)
{
    if (to - from == 1)
        return make_leaf(m, from);
    size_t middle = from + (to - from) / 2;
    size_t left = make_halves(m, from, middle);
    return make_sum(m, left, make_halves(m, middle, to));
}

static size_t make_backwards(struct maker *m, size_t n)
{
    size_t sum = NOTHING;
    for (size_t k = n; k-- > 0;)
        sum = make_sum(m, sum, make_leaf(m, k));
    return sum;
}

enum way { WAY_FORWARDS, WAY_BACKWARDS, WAY_HALVES, WAY_NUMPY, WAY_LANES };

static bool is_way(const char *text, enum way way, size_t n,
                   const struct num_profile *p)
{
    struct maker m;
    memset(&m, 0, sizeof m);
    m.arena = arena_new();
    m.t.root = way == WAY_FORWARDS    ? add_range(&m, NOTHING, 0, n)
               : way == WAY_BACKWARDS ? make_backwards(&m, n)
               : way == WAY_HALVES    ? make_halves(&m, 0, n)
               : way == WAY_NUMPY     ? make_numpy(&m, 0, n)
                                      : make_lanes(&m, 0, n, p);
    struct buf other = {0};
    drift_tree_text(&other, &m.t);
    bool same = strcmp(buf_text(&other), text) == 0;
    buf_fini(&other);
    dc_release(m.t.nodes);
    arena_free(m.arena);
    return same;
}

/* The first profile of A6 to A8, by lanes, that gives the tree. */
static bool find_lanes(const char *text, size_t n, struct num_profile *p)
{
    static const uint8_t toggles[] = {
        NUM_T_JOIN, NUM_T_COMBINE, NUM_T_INTERLEAVE, NUM_T_LANES, NUM_T_TAIL};
    memset(p, 0, sizeof *p);
    for (;;) {
        size_t i = 0;
        while (i < DC_ARRAY_LEN(toggles) &&
               ++p->set[toggles[i]] ==
                   num_toggle_settings((enum num_toggle)toggles[i]))
            p->set[toggles[i++]] = 0;
        if (i == DC_ARRAY_LEN(toggles))
            return false;
        size_t all = (size_t)1
                     << (p->set[NUM_T_LANES] + p->set[NUM_T_INTERLEAVE]);
        struct num_profile plain = *p;
        drift_canonical(&plain);
        if (all > 1 && all <= n && num_profile_equal(&plain, p) &&
            is_way(text, WAY_LANES, n, p))
            return true;
    }
}

static void put_lanes(struct buf *out, const struct num_profile *p)
{
    buf_printf(out, "%u lanes", 1u << p->set[NUM_T_LANES]);
    if (p->set[NUM_T_INTERLEAVE] != 0)
        buf_printf(out, " in %u vectors, %s", 1u << p->set[NUM_T_INTERLEAVE],
                   num_setting_meaning(NUM_T_JOIN, p->set[NUM_T_JOIN]));
    buf_printf(out, "; %s",
               num_setting_meaning(NUM_T_COMBINE, p->set[NUM_T_COMBINE]));
    if (p->set[NUM_T_TAIL] != 0)
        buf_printf(out, "; %s",
                   num_setting_meaning(NUM_T_TAIL, p->set[NUM_T_TAIL]));
}

void drift_tree_describe(struct buf *out, const struct drift_tree *tree)
{
    if (tree->nnodes == 0)
        return;
    size_t n = tree->nodes[tree->root].size, widest = 0;
    struct buf text = {0};
    struct num_profile p;
    drift_tree_text(&text, tree);
    for (size_t i = 0; i < tree->nnodes; i++)
        if (tree->nodes[i].nchildren > widest)
            widest = tree->nodes[i].nchildren;
    if (widest > 2)
        buf_printf(out, "additions of up to %zu operands at once", widest);
    else if (is_way(buf_text(&text), WAY_FORWARDS, n, NULL))
        buf_puts(out, "one after the other");
    else if (is_way(buf_text(&text), WAY_BACKWARDS, n, NULL))
        buf_puts(out, "one after the other, backwards");
    else if (is_way(buf_text(&text), WAY_HALVES, n, NULL))
        buf_puts(out, "pairwise, by halves");
    else if (find_lanes(buf_text(&text), n, &p))
        put_lanes(out, &p);
    else if (is_way(buf_text(&text), WAY_NUMPY, n, NULL))
        buf_puts(out, "pairwise, in blocks of up to 128 terms of 8 lanes each "
                      "(numpy)");
    else
        buf_puts(out, "a tree of no known kind");
    buf_fini(&text);
}

/* ---- drawing -------------------------------------------------------------------------- */

/* A node all of whose right sides are leaves: its terms in order. False: it is
 * no such chain. */
static bool chain_terms(const struct drift_tree *t, size_t i, size_t *terms,
                        size_t *n)
{
    *n = t->nodes[i].size;
    for (size_t at = *n; at-- > 0;) {
        const struct drift_node *node = &t->nodes[i];
        if (node->leaf) {
            terms[at] = node->term;
            return at == 0;
        }
        if (node->nchildren != 2)
            return false;
        size_t a = node->children[0], b = node->children[1];
        if (at == 1 && t->nodes[a].leaf && t->nodes[b].leaf) {
            bool swap = t->nodes[b].term < t->nodes[a].term;
            terms[0] = t->nodes[swap ? b : a].term;
            terms[1] = t->nodes[swap ? a : b].term;
            return true;
        }
        if (!t->nodes[b].leaf) {
            size_t swap = a;
            a = b;
            b = swap;
        }
        if (!t->nodes[b].leaf)
            return false;
        terms[at] = t->nodes[b].term;
        i = a;
    }
    return false;
}

static void put_chain(struct buf *out, const size_t *terms, const bool *marks,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (n > 8 && i == 4) {
            buf_puts(out, " + ...");
            i = n - 3;
        }
        buf_printf(out, "%s%s%zu", i == 0 ? "" : " + ",
                   marks != NULL && marks[terms[i]] ? "*" : "", terms[i]);
    }
}

struct drawing {
    struct buf *out;
    const struct drift_tree *t;
    const double *values; /* or NULL */
    const bool *marks;    /* or NULL */
    size_t lines, left;
    size_t *terms;
};

static void put_value(const struct drawing *d, size_t i)
{
    if (d->values != NULL)
        buf_printf(d->out, "  = %.9g", d->values[i]);
    buf_putc(d->out, '\n');
}

static void draw(struct drawing *d, size_t i, struct buf *indent)
{
    size_t n, mark = indent->len, after = 0;
    if (d->left == 0)
        return;
    d->left--;
    if (chain_terms(d->t, i, d->terms, &n)) {
        put_chain(d->out, d->terms, d->marks, n);
        put_value(d, i);
        return;
    }
    const struct drift_node *node = &d->t->nodes[i];
    buf_printf(d->out, "sum of %zu terms", node->size);
    put_value(d, i);
    for (size_t k = 0; k < node->nchildren && d->left > 0; k++) {
        bool last = k + 1 == node->nchildren;
        size_t child = next_child(d->t, node, k, after);
        after = d->t->nodes[child].first;
        buf_printf(d->out, "  %s%s", buf_text(indent), last ? "`- " : "|- ");
        buf_puts(indent, last ? "   " : "|  ");
        draw(d, child, indent);
        indent->len = mark;
        indent->data[mark] = '\0';
    }
}

void drift_put_tree(struct buf *out, const struct drift_tree *tree,
                    const double *values, const bool *marks, size_t lines)
{
    struct buf indent = {0};
    if (tree->nnodes == 0)
        return;
    struct drawing d = {out, tree, values, marks, lines, lines, NULL};
    d.terms = dc_alloc((tree->nodes[tree->root].size + 1) * sizeof *d.terms);
    buf_puts(out, "  ");
    draw(&d, tree->root, &indent);
    if (d.left == 0)
        buf_puts(out, "  ...\n");
    dc_release(d.terms);
    buf_fini(&indent);
}
