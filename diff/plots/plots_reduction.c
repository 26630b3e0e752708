/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which both sides combine the terms of one element: the largest
 * nest of one operation in the element's formula (interp_formula), as a tree whose
 * leaves are numbered as the untuned side meets them.
 */
#include "diff/drift/drift.h"
#include "diff/plots/plots.h"
#include "diff/why/why.h"

#include <string.h>

#define MAX_NODES  400000u /* of a formula, all stores of a run together */
#define MAX_TERMS  4096u   /* of a nest that is followed */
#define MAX_LOOKS  20000u  /* operations that are tried as its root */
#define MAX_DEPTH  12u     /* of nests in nests, on the way to it */
#define TERM_BYTES 80u

/* ---- the nest --------------------------------------------------------------------- */

static const char *operation_of(enum ir_expr_kind op)
{
    return op == IR_ADD   ? "sum"
           : op == IR_MUL ? "product"
           : op == IR_MIN ? "minimum"
           : op == IR_MAX ? "maximum"
                          : NULL;
}

static bool is_part(const struct interp_form *f, const struct interp_form *of)
{
    return f->kind == INTERP_FORM_OP && f->op == of->op && f->nargs == 2 &&
           dtype_equal(f->dtype, of->dtype);
}

struct nest {
    struct VEC(struct plots_node) nodes; /* postfix */
    size_t leaves;
    bool over; /* more than MAX_TERMS: not all are there */
};

struct todo {
    const struct interp_form *form;
    bool done; /* its operands are there */
};

static void push_node(struct nest *n, const struct interp_form *form,
                      size_t left, size_t right)
{
    size_t size = left == SIZE_MAX
                      ? 1
                      : n->nodes.items[left].size + n->nodes.items[right].size;
    struct plots_node node = {form, left, right, size};
    vec_push(&n->nodes, node);
}

/* Postfix order, without recursion: nests are as deep as sums are long. */
static void gather(const struct interp_form *root, struct nest *out)
{
    struct VEC(struct todo) todo = {0};
    struct VEC(size_t) made = {0}; /* nodes that wait for their parent */
    struct todo first = {why_bare(root), false};
    vec_push(&todo, first);
    while (todo.len > 0 && !out->over) {
        struct todo t = todo.items[--todo.len];
        if (t.done) {
            size_t right = made.items[--made.len];
            size_t left = made.items[--made.len];
            push_node(out, t.form, left, right);
            vec_push(&made, out->nodes.len - 1);
        } else if (is_part(t.form, first.form)) {
            struct todo again = {t.form, true};
            struct todo a = {why_bare(t.form->args[0]), false};
            struct todo b = {why_bare(t.form->args[1]), false};
            vec_push(&todo, again);
            vec_push(&todo, b);
            vec_push(&todo, a);
        } else {
            out->over = ++out->leaves > MAX_TERMS;
            push_node(out, t.form, SIZE_MAX, SIZE_MAX);
            vec_push(&made, out->nodes.len - 1);
        }
    }
    vec_fini(&todo);
    vec_fini(&made);
}

struct search {
    size_t looks;
    const struct interp_form *best;
    size_t leaves;
};

static void search(struct search *s, const struct interp_form *f,
                   unsigned depth)
{
    f = why_bare(f);
    if (f->kind != INTERP_FORM_OP || depth > MAX_DEPTH || s->looks == 0)
        return;
    s->looks--;
    if (f->nargs != 2 || operation_of(f->op) == NULL) {
        for (uint32_t i = 0; i < f->nargs; i++)
            search(s, f->args[i], depth + 1);
        return;
    }
    struct nest n = {0};
    gather(f, &n);
    if (n.leaves > s->leaves) {
        s->best = f;
        s->leaves = n.leaves;
    }
    for (size_t i = 0; i < n.nodes.len && !n.over; i++)
        if (n.nodes.items[i].left == SIZE_MAX)
            search(s, n.nodes.items[i].form, depth + 1);
    vec_fini(&n.nodes);
}

/* ---- terms ------------------------------------------------------------------------- */

/* Leaves by number: equal ones in their order. */
struct numbers {
    size_t n;
    uint64_t hash[2 * REPORT_LEAVES];
    bool taken[2 * REPORT_LEAVES]; /* by the side at hand */
};

static size_t number_of(struct numbers *x, uint64_t hash, bool *fresh)
{
    *fresh = false;
    for (size_t i = 0; i < x->n; i++)
        if (!x->taken[i] && x->hash[i] == hash) {
            x->taken[i] = true;
            return i;
        }
    *fresh = true;
    x->hash[x->n] = hash;
    x->taken[x->n] = true;
    return x->n++;
}

/* The nest's tree; names of terms that are new. */
static void put_tree(struct diff_pair *pair, const struct nest *n,
                     const struct interp_signature *sig, struct numbers *x,
                     struct report_plots *p, struct report_reduction *out)
{
    memset(x->taken, 0, sizeof x->taken);
    out->tree = ARENA_ARRAY(pair->arena, n->nodes.len + 1, int64_t);
    for (size_t i = 0; i < n->nodes.len; i++) {
        const struct plots_node *node = &n->nodes.items[i];
        bool fresh;
        if (node->left != SIZE_MAX) {
            out->tree[out->n++] = -1;
            continue;
        }
        out->tree[out->n++] = (int64_t)number_of(x, node->form->hash, &fresh);
        if (fresh) {
            struct buf text = {0};
            why_put_form(&text, node->form, sig, TERM_BYTES);
            report_add(pair->report, &p->terms, "%s", buf_text(&text));
            buf_fini(&text);
        }
    }
}

/* ---- the order in words ------------------------------------------------------------ */

/* By the terms' numbers, or by their own order on this side. */
static const char *describe(struct arena *arena, const struct nest *n,
                            const int64_t *numbers)
{
    struct drift_tree tree = {.nnodes = n->nodes.len, .root = n->nodes.len - 1};
    struct buf text = {0};
    size_t leaf = 0;
    tree.nodes = ARENA_ARRAY(arena, tree.nnodes + 1, struct drift_node);
    for (size_t i = 0; i < tree.nnodes; i++) {
        const struct plots_node *node = &n->nodes.items[i];
        struct drift_node *d = &tree.nodes[i];
        d->size = node->size;
        if (node->left == SIZE_MAX) {
            d->leaf = true;
            d->term = numbers != NULL ? (size_t)numbers[i] : leaf++;
            d->first = d->term;
            continue;
        }
        size_t a = tree.nodes[node->left].first;
        size_t b = tree.nodes[node->right].first;
        d->nchildren = 2;
        d->children = ARENA_ARRAY(arena, 2, size_t);
        d->children[0] = node->left;
        d->children[1] = node->right;
        d->first = a < b ? a : b;
    }
    drift_tree_describe(&text, &tree);
    const char *out = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* Whether the numbers of the leaves are 0, 1, … without a gap. */
static bool is_whole(const struct report_reduction *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->tree[i] >= (int64_t)r->terms)
            return false;
    return true;
}

static void put_order(struct arena *arena, const struct nest *n,
                      struct report_reduction *out)
{
    static const char strange[] = "a tree of no known kind";
    struct arena *scratch = arena_new();
    bool whole = is_whole(out);
    const char *own = describe(scratch, n, NULL);
    const char *text = whole ? describe(scratch, n, out->tree) : own;
    if (whole && strcmp(text, strange) == 0 && strcmp(own, strange) != 0)
        text = arena_printf(scratch, "%s, in an order of its own", own);
    out->order = arena_strdup(arena, text);
    arena_free(scratch);
}

/* ---- both sides --------------------------------------------------------------------- */

struct traced {
    struct interp_formula formula;
    struct search search;
    struct nest nest;
};

static const char *trace(struct diff_pair *pair, const struct plots_shown *x,
                         size_t side, struct traced *out)
{
    struct diff_run run;
    struct diff_case c = *x->c;
    struct diff_ask ask = {.formula = &out->formula};
    out->formula.param = x->finding.output;
    out->formula.element = x->finding.element;
    out->formula.max = MAX_NODES;
    diff_demand_one(pair, &c, x->finding.output, x->finding.element);
    pair->steps_left = pair->options->budget;
    diff_run_asking(pair, &c, side, &x->finding.recipe, INTERP_IEEE, &ask,
                    &run);
    bool fine = run.result.fault == INTERP_OK;
    diff_run_fini(&run);
    if (!fine || out->formula.truncated)
        return "the element's formula is too large to be followed";
    if (out->formula.root == NULL)
        return "one side never stores to the element";
    out->search.looks = MAX_LOOKS;
    search(&out->search, out->formula.root, 0);
    if (out->search.leaves < 3)
        return "the element is no reduction of three terms or more";
    gather(out->search.best, &out->nest);
    return out->nest.over
               ? "the element has more than 4096 terms: too many to follow"
               : NULL;
}

static void put_trees(struct diff_pair *pair, const struct plots_shown *x,
                      const struct traced t[NSIDES], struct report_plots *out)
{
    struct numbers *numbers = ARENA_NEW(pair->arena, struct numbers);
    struct report_reduction *of[NSIDES] = {&out->untuned, &out->tuned};
    size_t u = t[UNTUNED].nest.leaves, v = t[TUNED].nest.leaves;
    size_t most = u > v ? u : v;
    if (most > REPORT_LEAVES) {
        out->why[REPORT_PLOT_TREES] =
            arena_printf(pair->arena,
                         "%zu terms are more than the %u of which a tree can "
                         "be read",
                         most, REPORT_LEAVES);
        return;
    }
    for (size_t side = 0; side < NSIDES; side++) {
        put_tree(pair, &t[side].nest, &x->c->sig[side], numbers, out, of[side]);
        put_order(pair->arena, &t[side].nest, of[side]);
    }
}

static const char *put_growth(struct diff_pair *pair,
                              const struct plots_shown *x,
                              const struct traced t[NSIDES],
                              struct report_plots *out)
{
    const char *why = NULL;
    bool any = false;
    struct report_reduction *of[NSIDES] = {&out->untuned, &out->tuned};
    if (!dtype_is_float(dtype_scalar(t[UNTUNED].search.best->dtype)))
        return "no operation on this type rounds";
    for (size_t side = 0; side < NSIDES && why == NULL; side++) {
        struct diff_args in;
        diff_make_args(x->c, side, &x->finding.recipe, &in);
        why = plots_put_steps(pair->arena, &in, t[side].nest.nodes.len,
                              t[side].nest.nodes.items, of[side]);
        diff_args_fini(&in);
        for (size_t i = 0; i < of[side]->nsteps; i++)
            any |= of[side]->steps[i].error != 0;
    }
    if (why == NULL && !any)
        why = "every partial result is exact on this input";
    if (why != NULL)
        out->untuned.nsteps = out->tuned.nsteps = 0;
    return why;
}

void plots_put_reduction(struct diff_pair *pair, const struct plots_shown *x,
                         struct report_plots *out)
{
    struct arena *arena = arena_new();
    struct traced t[NSIDES] = {{.formula = {.arena = arena}},
                               {.formula = {.arena = arena}}};
    const char *why =
        pair->relax ? "the parts of a Relax function are not followed" : NULL;
    for (size_t side = 0; side < NSIDES && why == NULL; side++)
        why = trace(pair, x, side, &t[side]);
    if (why == NULL && t[UNTUNED].search.best->op != t[TUNED].search.best->op)
        why = "the sides combine their terms by other operations";
    if (why == NULL) {
        out->operation = operation_of(t[UNTUNED].search.best->op);
        out->untuned.terms = t[UNTUNED].nest.leaves;
        out->tuned.terms = t[TUNED].nest.leaves;
        put_trees(pair, x, t, out);
        out->why[REPORT_PLOT_GROWTH] = put_growth(pair, x, t, out);
    } else {
        out->why[REPORT_PLOT_TREES] = out->why[REPORT_PLOT_GROWTH] = why;
    }
    vec_fini(&t[UNTUNED].nest.nodes);
    vec_fini(&t[TUNED].nest.nodes);
    arena_free(arena);
}
