/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck tree MODULE`: in which order the interpreter and each target add
 * up output elements, measured by masked inputs and drawn as text.
 */
#include "diff/cli/command.h"
#include "diff/harness/measure.h"
#include "diff/harness/trees.h"
#include "diff/input/casefile.h"
#include "ir/base/json.h"

#include <string.h>

#define TREE_LINES 60u /* drawn of one tree */

struct answer {
    struct diff_single *r;
    size_t nelements;
    struct diff_tree_element *elements;
    size_t n;
    struct diff_trees *trees;
};

/* ---- what is asked for --------------------------------------------------------- */

static bool choose_elements(struct answer *a)
{
    const struct diff_options *o = a->r->options;
    size_t room = o->nelements + a->r->args.n + 1;
    a->elements = ARENA_ARRAY(a->r->arena, room, struct diff_tree_element);
    for (size_t i = 0; i < o->nelements; i++) {
        struct diff_tree_element *e = &a->elements[a->nelements++];
        if (!diff_single_element(a->r, o->elements[i], &e->param, &e->element))
            return false;
    }
    for (size_t i = 0; i < a->r->args.n && o->nelements == 0; i++) {
        const struct interp_tensor *t = a->r->args.args[i].tensor;
        if (t && t->elements > 0 && a->r->sig.params[i].stored &&
            dtype_is_float(t->dtype))
            a->elements[a->nelements++] = (struct diff_tree_element){i, 0};
    }
    return a->nelements > 0 ||
           diff_single_complain(a->r, "run.element",
                                "'%s' has no output of floats",
                                a->r->func->name);
}

static void put_element(const struct answer *a, size_t e, struct buf *out)
{
    const struct diff_tree_element *x = &a->elements[e];
    const char *name = a->r->sig.params[x->param].name;
    buf_put_visible(out, name, strlen(name), "");
    interp_put_index(out, a->r->args.args[x->param].tensor, x->element);
}

/* The way of a target; NULL: *why tells why there is none. */
static const struct drift_way *way_of(const struct diff_trees *t, size_t e,
                                      const char **why)
{
    *why = t->reason ? t->reason : t->why[e];
    return *why ? NULL : &t->ways[e];
}

static bool same_way(const struct drift_way *a, const struct drift_way *b)
{
    struct buf x = {0}, y = {0};
    drift_tree_text(&x, &a->tree);
    drift_tree_text(&y, &b->tree);
    size_t n = a->tree.nodes[a->tree.root].size;
    bool same = strcmp(buf_text(&x), buf_text(&y)) == 0 &&
                memcmp(a->exact, b->exact, n * sizeof *a->exact) == 0;
    buf_fini(&x);
    buf_fini(&y);
    return same;
}

/* The first target before this one that adds the element the same way. */
static const char *same_as(const struct answer *a, size_t target, size_t e)
{
    const char *why;
    const struct drift_way *mine = way_of(&a->trees[target], e, &why);
    for (size_t i = 0; i < target; i++) {
        const struct drift_way *other = way_of(&a->trees[i], e, &why);
        if (other && same_way(mine, other))
            return a->trees[i].target;
    }
    return NULL;
}

/* ---- text ------------------------------------------------------------------------ */

static void put_target(const struct answer *a, size_t i, size_t e,
                       struct buf *out)
{
    const char *why;
    const struct drift_way *w = way_of(&a->trees[i], e, &why);
    buf_printf(out, "  %-17s  ", a->trees[i].target);
    if (!w) {
        buf_printf(out, "%s: %s\n",
                   a->trees[i].skipped  ? "skipped"
                   : a->trees[i].reason ? "error"
                                        : "no tree",
                   why);
        return;
    }
    const char *other = same_as(a, i, e);
    if (other) {
        buf_printf(out, "as %s\n", other);
        return;
    }
    struct buf tree = {0};
    drift_put_way_order(out, w);
    buf_putc(out, '\n');
    drift_put_tree(&tree, &w->tree, NULL, w->widens ? NULL : w->exact,
                   TREE_LINES);
    for (const char *line = buf_text(&tree); *line;) {
        size_t len = strcspn(line, "\n");
        buf_printf(out, "%21s", "");
        buf_append(out, line, len);
        buf_putc(out, '\n');
        line += len + (line[len] == '\n');
    }
    buf_fini(&tree);
}

static void put_text(const struct answer *a, struct buf *out)
{
    for (size_t e = 0; e < a->nelements; e++) {
        const struct drift_way *w = NULL;
        bool fused = false;
        const char *why;
        put_element(a, e, out);
        for (size_t i = 0; i < a->n; i++) {
            const struct drift_way *x = way_of(&a->trees[i], e, &why);
            w = w ? w : x;
            fused |= x && x->fused > 0 && !x->widens;
        }
        if (w)
            buf_printf(out, ": %zu terms, 0 is %s, %zu is %s%s",
                       w->tree.nodes[w->tree.root].size, w->first,
                       w->tree.nodes[w->tree.root].size - 1, w->last,
                       fused ? "; *: fused into its addition" : "");
        buf_putc(out, '\n');
        for (size_t i = 0; i < a->n; i++)
            put_target(a, i, e, out);
    }
}

/* ---- JSON ------------------------------------------------------------------------- */

static void put_number(struct json_writer *w, const char *key, size_t n)
{
    json_put_key(w, key);
    json_put_uint(w, n);
}

static void put_json_way(struct json_writer *w, const struct drift_way *way)
{
    struct buf text = {0};
    char type[48];
    drift_put_way_order(&text, way);
    json_put_member(w, "order", buf_text(&text));
    text.len = 0;
    drift_tree_text(&text, &way->tree);
    json_put_member(w, "tree", buf_text(&text));
    put_number(w, "terms", way->tree.nodes[way->tree.root].size);
    json_put_member(w, "first", way->first);
    json_put_member(w, "last", way->last);
    json_put_member(w, "type", dtype_name(way->type, type));
    put_number(w, "products", way->products);
    put_number(w, "unrounded", way->fused);
    buf_fini(&text);
}

static void put_json_element(const struct answer *a, size_t e,
                             struct json_writer *w)
{
    struct buf name = {0};
    json_begin_object(w);
    put_element(a, e, &name);
    json_put_member(w, "element", buf_text(&name));
    buf_fini(&name);
    json_put_key(w, "targets");
    json_begin_array(w);
    for (size_t i = 0; i < a->n; i++) {
        const char *why;
        const struct drift_way *way = way_of(&a->trees[i], e, &why);
        json_begin_object(w);
        json_put_member(w, "target", a->trees[i].target);
        if (way)
            put_json_way(w, way);
        else
            json_put_member(w, "reason", why);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

/* Undecided where something usable gave no tree. */
static int status_of(const struct answer *a)
{
    const char *why;
    for (size_t i = 0; i < a->n; i++)
        for (size_t e = 0; e < a->nelements; e++)
            if (!a->trees[i].skipped && !way_of(&a->trees[i], e, &why))
                return DIFF_EXIT_UNDECIDED;
    return DIFF_EXIT_NOTHING;
}

static void put_json(const struct answer *a, struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    json_begin_object(&w);
    report_put_head(&w);
    json_put_key(&w, "exit");
    json_put_int(&w, status_of(a));
    json_put_member(&w, "module", a->r->options->operands[0]);
    json_put_member(&w, "function", a->r->func->name);
    json_put_key(&w, "elements");
    json_begin_array(&w);
    for (size_t e = 0; e < a->nelements; e++)
        put_json_element(a, e, &w);
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(out, '\n');
}

/* ---- all --------------------------------------------------------------------------- */

static bool is_prim(struct diff_single *r)
{
    return r->func->kind == IR_FUNC_PRIM ||
           diff_single_complain(r, "run.element",
                                "terms of Relax functions are not traced: "
                                "choose a PrimFunc with '--function'");
}

static int run_tree(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diff_single r = {.options = &options};
    struct answer a = {.r = &r};
    struct buf out = {0};
    int status = DIFF_EXIT_USAGE;
    r.sink = diag_sink_new();
    r.arena = arena_new();
    options.fill = "unit";
    if (!options.targets && !options.require_targets && options.nrunners == 0)
        options.targets = "host";
    const struct diff_index_choice first = {0}; /* of integers that index */
    bool none = false;
    bool fine = !diff_casefile_is(options.operands[0]) ||
                diff_casefile_load(&options, r.sink);
    if (fine && diff_single_load(&r) && is_prim(&r) &&
        interp_signature(r.module, r.func, NULL, 0, r.arena, &r.sig, r.sink) &&
        diff_single_bind(&r) && diff_single_args(&r, &first, &none) &&
        choose_elements(&a) && diff_harness_allowed(&options, r.sink)) {
        a.trees =
            diff_trees_measure(&r, a.nelements, a.elements, r.arena, &a.n);
        if (options.json)
            put_json(&a, &out);
        else
            put_text(&a, &out);
        status = status_of(&a);
    }
    if (status == DIFF_EXIT_USAGE && options.json)
        diff_print_errors(r.sink, status);
    diff_print(&out);
    diff_print_diags(r.sink);
    diff_single_fini(&r);
    buf_fini(&out);
    diag_sink_free(r.sink);
    return status;
}

const struct diff_command cmd_tree = {
    .name = "tree",
    .operands = "MODULE",
    .summary = "in which order targets add up the terms of an element",
    .about =
        "Builds a function for each target (--targets, by default 'host', or\n"
        "--runner) and reveals in which order it adds the terms of an output\n"
        "element: two terms are huge and cancel, the others are so small that\n"
        "they are lost where they meet one of the two before; what is left\n"
        "tells where the two meet. Draws the tree of additions, and marks\n"
        "products that enter a sum unrounded (fused multiply-add). The first\n"
        "row, 'reference', is the order that the program writes.\n\n"
        "It works for elements that are sums of input elements or of products\n"
        "of two, each term with an input element of its own: matrix products,\n"
        "convolutions, sums.\n\n"
        "  diffcheck tree examples/matmul/tuned.py --targets gcc-fast-math\n"
        "  diffcheck tree examples/conv/tuned.py --element 'Y[0,3,2]' \\\n"
        "      --targets host,qemu\n"
        "  diffcheck tree examples/sum.py \\\n"
        "      --runner 'numpy=python3 examples/numpy_sum.py'\n\n"
        "exit status 4: some target that can be used gave no tree\n",
    .one_function = true,
    .min_operands = 1,
    .max_operands = 1,
    .takes_case = true,
    .run = run_tree,
};
