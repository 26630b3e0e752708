/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person reads about a measured order of summation: a sentence, and the
 * tree with the partial sums of one element.
 */
#include "diff/drift/drift_tree_private.h"

#include <string.h>

/* ---- an answer of what was found ------------------------------------------------- */

static void copy_tree(struct arena *arena, const struct drift_tree *from,
                      struct drift_tree *to)
{
    *to = *from;
    to->nodes =
        arena_memdup(arena, from->nodes, from->nnodes * sizeof *from->nodes);
    for (size_t i = 0; i < to->nnodes; i++)
        if (to->nodes[i].nchildren > 0)
            to->nodes[i].children =
                arena_memdup(arena, from->nodes[i].children,
                             from->nodes[i].nchildren * sizeof(size_t));
}

void sums_show(const struct sums *x, const struct sum_element *e,
               const struct sum_way *way, struct dtype type,
               struct arena *arena, struct drift_way *out)
{
    const struct ir_param *p = &x->s->q->func->prim.params[x->param];
    struct buf index = {0};
    memset(out, 0, sizeof *out);
    out->parameter =
        arena_strdup(arena, p->buffer != NULL ? p->buffer->name : p->var->name);
    copy_tree(arena, &way->tree, &out->tree);
    out->type = type;
    out->wide = type.bits > x->cell.bits;
    out->widens = type.bits >= 2 * x->atom.bits;
    out->rounds = x->rounds || dtype_equal(x->cell, x->atom);
    out->first = arena_strdup(arena, e->terms[0].text);
    out->last = arena_strdup(arena, e->terms[e->n - 1].text);
    out->products = way->nproducts;
    out->fused = way->nexact;
    out->narrow = x->cell;
    out->narrowed = out->wide ? way->nnarrow : 0;
    if (out->narrowed > 0)
        out->narrows = arena_memdup(arena, way->narrow,
                                    way->tree.nnodes * sizeof *way->narrow);
    out->exact = arena_memdup(arena, way->exact, way->n * sizeof *way->exact);
    interp_put_index(&index, x->s->q->samples[0].in[x->param].tensor,
                     e->element);
    out->index = arena_strdup(arena, buf_text(&index));
    buf_fini(&index);
}

/* ---- text --------------------------------------------------------------------------- */

/* Products by themselves: are they rounded before they are added? */
static void put_products(struct buf *out, const struct drift_way *w)
{
    if (w->products == 0)
        return;
    if (w->widens)
        buf_puts(out, w->fused == w->products ? ", products exact"
                      : w->fused == 0         ? ", products rounded first"
                                              : ", some products exact");
    else if (w->fused > 0)
        buf_printf(out, ", %zu of %zu products fused into their addition",
                   w->fused, w->products);
}

/* How many terms the partial sums have that are rounded, where each addition
 * adds one. */
static void put_places(struct buf *out, const struct drift_way *w)
{
    enum { SHOWN = 3 };
    const struct drift_tree *t = &w->tree;
    size_t total = t->nodes[t->root].size, n = 0, last = 0, step = 0;
    bool *rounds = dc_alloc(total + 1), even = true;
    struct buf list = {0};
    for (size_t i = 0; i < t->nnodes; i++)
        rounds[t->nodes[i].size] |= w->narrows[i];
    for (size_t size = 2; size < total; size++) {
        if (!rounds[size])
            continue;
        step = n == 0 ? size : step;
        even &= size - last == step;
        last = size;
        if (n < SHOWN)
            buf_printf(&list, "%s%zu", n > 0 ? ", " : "", size);
        n++;
    }
    if (even && n > 1 && last + step >= total)
        buf_printf(out, ": every %zu terms", step);
    else
        buf_printf(out, ": after %s%s terms", buf_text(&list),
                   n > SHOWN ? ", ..." : "");
    buf_fini(&list);
    dc_release(rounds);
}

static void put_rounding(struct buf *out, const struct drift_way *w, bool chain)
{
    char type[48];
    if (w->narrowed == 0)
        return;
    buf_printf(out, ", rounded to %s at %zu of %zu partial sums",
               dtype_name(w->narrow, type), w->narrowed,
               w->tree.nodes[w->tree.root].size - 2);
    if (chain)
        put_places(out, w);
}

void drift_put_way_order(struct buf *out, const struct drift_way *w)
{
    static const char *const sentences[] = {"one ", "pairwise"};
    char type[48];
    struct buf kind = {0};
    drift_tree_describe(&kind, &w->tree);
    bool plain = false;
    for (size_t i = 0; i < DC_ARRAY_LEN(sentences); i++)
        plain |=
            strncmp(buf_text(&kind), sentences[i], strlen(sentences[i])) == 0;
    if (strcmp(buf_text(&kind), "a tree of no known kind") == 0)
        buf_puts(out, "in an order of the target's own (a tree)");
    else
        buf_printf(out, "%s%s", plain ? "" : "in ", buf_text(&kind));
    if (w->wide)
        buf_printf(out, ", in %s", dtype_name(w->type, type));
    put_rounding(out, w, strncmp(buf_text(&kind), "one after", 9) == 0);
    put_products(out, w);
    buf_fini(&kind);
}

void drift_put_way_name(struct buf *out, const struct drift_way *w)
{
    buf_printf(out, "the %zu terms of %s are added ",
               w->tree.nodes[w->tree.root].size, w->parameter);
    drift_put_way_order(out, w);
}

void drift_put_way(struct buf *out, const struct drift_way *w, size_t lines)
{
    size_t n = w->tree.nodes[w->tree.root].size;
    buf_printf(out, "  %s%s: ", w->parameter, w->index);
    drift_put_way_name(out, w);
    buf_printf(out, "\n  terms by their place in the program: 0 is %s",
               w->first);
    if (n > 1)
        buf_printf(out, ", %zu is %s", n - 1, w->last);
    if (w->fused > 0 && !w->widens)
        buf_puts(out, "; *: fused");
    buf_puts(out,
             w->values != NULL ? "; with the sums of that element\n" : "\n");
    drift_put_tree(out, &w->tree, w->values, w->widens ? NULL : w->exact,
                   lines);
}
