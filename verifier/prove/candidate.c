/* SPDX-License-Identifier: Apache-2.0
 *
 * Where to look for a difference, after a proof failed: one cell of an output,
 * at small sizes where they are free.
 *
 * The claims that the solver refuted last have models, and a model names a
 * cell. It need not be one that differs: a wrong guess is refuted too. So the
 * proof is tried again at single cells, small ones first: the corners of the
 * output and what the models, made small, say. With a cell's indices known,
 * most choices of the general proof are decided, and what remains of a
 * failure is a plain statement: which value each side holds there, or that
 * one holds nothing. The first such cell is the candidate. It is nothing but
 * a place to look: only a run shows a difference.
 */
#include "verifier/prove/prove.h"

#include <string.h>

#define MAX_PROBES  32u
#define MAX_SYMBOLS 16u
#define MAX_PLACES  6u
#define MAX_DIMS    16u
#define PROBE_WORK  12000u /* of vctx.work, for all probes together */
#define MINIMISING  24u    /* queries that make one model small */

void candidate_watch(struct vctx *c)
{
    if (c->refuted == NULL)
        c->refuted = ARENA_NEW(c->arena, struct vrefuted);
    c->refuted->n = 0;
}

struct cell {
    int64_t sizes[MAX_SYMBOLS];
    int64_t index[MAX_DIMS];
};

struct search {
    struct proof *p;
    const struct output *o;
    size_t nsymbols;
    atom_id symbols[MAX_SYMBOLS];
    const char *names[MAX_SYMBOLS]; /* as the untuned side calls them */
    size_t n;
    struct cell cells[2 * MAX_PROBES];
    size_t probes;
    uint64_t work; /* where the probes end */
};

/* ---- cells ------------------------------------------------------------------ */

/* Sizes that shapes of parameters tell. */
static void find_symbols(struct search *s)
{
    struct vctx *c = s->p->c;
    const struct vprog *prog = s->p->progs[0];
    struct vinst *at = vinst_fresh(c, prog, 0, NULL, 0, NULL);
    for (size_t i = 0; i < prog->nsymbols && s->nsymbols < MAX_SYMBOLS; i++) {
        const struct vsymbol *sym = &prog->symbols[i];
        if (sym->dim < 0 || prog->params[sym->param] == NULL)
            continue;
        const struct aff *a = veval_index(
            c, at, prog->params[sym->param]->buffer->shape[sym->dim]);
        if (a == NULL || a->n != 1 || a->constant != 0 || a->terms[0].coef != 1)
            continue;
        bool known = false;
        for (size_t k = 0; k < s->nsymbols; k++)
            known |= s->symbols[k] == a->terms[0].atom;
        if (known)
            continue;
        s->symbols[s->nsymbols] = a->terms[0].atom;
        s->names[s->nsymbols++] = sym->var->name;
    }
}

/* Extents of the output at these sizes; false when they do not tell. */
static bool extents(struct search *s, const int64_t *sizes, int64_t *out)
{
    struct vctx *c = s->p->c;
    struct aff_map map = {0};
    map.n = aff_natoms(c->space);
    map.to = ARENA_ARRAY(c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < s->nsymbols; i++)
        map.to[s->symbols[i]] = aff_const(c->space, sizes[i]);
    for (size_t d = 0; d < s->o->rank; d++) {
        const struct aff *e = aff_subst(c->space, s->o->shape[d], &map);
        if (!aff_is_const(e, &out[d]) || out[d] < 1)
            return false;
    }
    return true;
}

/* Smaller sizes first, then the row-major order. */
static int compare_cells(const struct search *s, const struct cell *a,
                         const struct cell *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->nsymbols; i++)
        sum += a->sizes[i] - b->sizes[i];
    if (sum != 0)
        return sum < 0 ? -1 : 1;
    for (size_t i = 0; i < s->nsymbols; i++)
        if (a->sizes[i] != b->sizes[i])
            return a->sizes[i] < b->sizes[i] ? -1 : 1;
    for (size_t d = 0; d < s->o->rank; d++)
        if (a->index[d] != b->index[d])
            return a->index[d] < b->index[d] ? -1 : 1;
    return 0;
}

/* Keeps the list sorted. */
static void add_cell(struct search *s, const struct cell *cell)
{
    int64_t shape[MAX_DIMS];
    size_t at = 0;
    if (s->n == DC_ARRAY_LEN(s->cells) || !extents(s, cell->sizes, shape))
        return;
    for (size_t d = 0; d < s->o->rank; d++)
        if (cell->index[d] < 0 || cell->index[d] >= shape[d])
            return;
    while (at < s->n && compare_cells(s, &s->cells[at], cell) < 0)
        at++;
    if (at < s->n && compare_cells(s, &s->cells[at], cell) == 0)
        return;
    memmove(&s->cells[at + 1], &s->cells[at], (s->n - at) * sizeof *cell);
    s->cells[at] = *cell;
    s->n++;
}

/* The first and the last cell, and those at the ends of one axis. */
static void add_corners(struct search *s, const int64_t *sizes)
{
    struct cell cell = {{0}, {0}}, last;
    int64_t shape[MAX_DIMS];
    if (!extents(s, sizes, shape))
        return;
    memcpy(cell.sizes, sizes, sizeof cell.sizes);
    add_cell(s, &cell);
    last = cell;
    for (size_t d = 0; d < s->o->rank; d++) {
        struct cell end = cell;
        last.index[d] = shape[d] - 1;
        end.index[d] = shape[d] - 1;
        add_cell(s, &end);
        end.index[d] = 1;
        add_cell(s, &end);
    }
    add_cell(s, &last);
}

/* Cells of models of what was refuted. */
static void add_models(struct search *s)
{
    struct vctx *c = s->p->c;
    const struct vrefuted *w = c->refuted;
    atom_id atoms[MAX_SYMBOLS + MAX_DIMS];
    size_t n = 0, kept = w->n < VCTX_REFUTED ? w->n : VCTX_REFUTED;
    for (size_t i = 0; i < s->nsymbols; i++)
        atoms[n++] = s->symbols[i];
    for (size_t d = 0; d < s->o->rank; d++)
        atoms[n++] = s->o->atoms[d];
    for (size_t i = 0; i < kept; i++) {
        struct cell cell = {{0}, {0}};
        const struct form *f = form_and2(c->space, w->kept[i].ctx,
                                         form_not(c->space, w->kept[i].goal));
        f = form_and2(c->space, f, s->o->in_shape);
        f = form_and2(c->space, f, c->facts);
        if (smt_unsat(c->smt, f, "candidate", false) != SMT_REFUTED)
            continue;
        smt_minimise(c->smt, n, atoms, MINIMISING);
        for (size_t k = 0; k < s->nsymbols; k++)
            cell.sizes[k] = smt_model_value(c->smt, s->symbols[k]);
        for (size_t d = 0; d < s->o->rank; d++)
            cell.index[d] = smt_model_value(c->smt, s->o->atoms[d]);
        add_cell(s, &cell);
    }
}

/* ---- probes ----------------------------------------------------------------- */

/* What is seen of one cell. */
enum seen { EQUAL, OPEN, UNEQUAL };

/* UNEQUAL: both sides' values are found and cannot be shown equal; OPEN: some
 * value is not found. *why says which. */
static enum seen probe(struct search *s, const struct cell *cell,
                       const char **why)
{
    struct vctx *c = s->p->c;
    struct verifier_result scratch = {.arena = s->p->out->arena, .param = -1};
    struct proof p = *s->p;
    struct output at = *s->o;
    size_t mark = smt_log_size(c->smt);
    if (s->probes >= MAX_PROBES || c->work > s->work)
        return EQUAL;
    s->probes++;
    p.out = &scratch;
    p.probing = true;
    at.in_shape = form_true(c->space);
    at.cell = ARENA_ARRAY(c->arena, at.rank + 1, const struct aff *);
    at.values[0] = at.values[1] = NULL;
    for (size_t i = 0; i < s->nsymbols; i++)
        at.in_shape =
            form_and2(c->space, at.in_shape,
                      form_eq(c->space, aff_of_atom(c->space, s->symbols[i]),
                              aff_const(c->space, cell->sizes[i])));
    for (size_t d = 0; d < at.rank; d++)
        at.cell[d] = aff_const(c->space, cell->index[d]);
    enum seen seen = OPEN;
    if (prove_values(&p, &at))
        seen = prove_output(&p, &at) ? EQUAL : UNEQUAL;
    *why = scratch.reason;
    smt_log_truncate(c->smt, mark);
    return seen != EQUAL && scratch.verdict != VERIFIER_CANDIDATE ? EQUAL
                                                                  : seen;
}

/* Makes the indices of a cell that was found smaller, while it is one. */
static void shrink(struct search *s, struct cell *cell, const char **why)
{
    for (size_t d = 0; d < s->o->rank; d++) {
        for (int64_t low = 0; low < cell->index[d];) {
            struct cell next = *cell;
            const char *reason;
            next.index[d] = low;
            if (probe(s, &next, &reason) == UNEQUAL) {
                *cell = next;
                *why = reason;
                break;
            }
            low = low + (cell->index[d] - low + 1) / 2;
        }
    }
}

static bool same_sizes(const struct search *s, const struct cell *a,
                       const struct cell *b)
{
    return memcmp(a->sizes, b->sizes, s->nsymbols * sizeof *a->sizes) == 0;
}

static void add_place(struct search *s, const struct cell *cell)
{
    struct verifier_result *r = s->p->out;
    if (r->nplaces == MAX_PLACES)
        return;
    for (size_t d = 0; d < r->nindex; d++)
        r->index[r->nplaces * r->nindex + d] = cell->index[d];
    r->nplaces++;
}

static void place(struct search *s, const struct cell *cell, const char *why)
{
    struct verifier_result *r = s->p->out;
    const struct vstorage *st = s->p->progs[0]->params[s->o->param];
    struct buf text = {0};
    r->verdict = VERIFIER_CANDIDATE;
    r->param = s->o->param;
    r->nindex = s->o->rank;
    r->nplaces = 0;
    r->index = ARENA_ARRAY(r->arena, r->nindex * MAX_PLACES + 1, int64_t);
    add_place(s, cell);
    buf_printf(&text, "at %s[", st->buffer->name);
    for (size_t d = 0; d < s->o->rank; d++)
        buf_printf(&text, "%s%lld", d > 0 ? ", " : "",
                   (long long)cell->index[d]);
    buf_puts(&text, "]");
    r->nsizes = s->nsymbols;
    r->size_names = ARENA_ARRAY(r->arena, r->nsizes + 1, const char *);
    r->sizes = ARENA_ARRAY(r->arena, r->nsizes + 1, int64_t);
    for (size_t i = 0; i < s->nsymbols; i++) {
        r->size_names[i] = arena_strdup(r->arena, s->names[i]);
        r->sizes[i] = cell->sizes[i];
        buf_printf(&text, "%s %s = %lld", i > 0 ? "," : " with", s->names[i],
                   (long long)cell->sizes[i]);
    }
    r->reason = arena_printf(r->arena, "%s: %s", buf_text(&text), why);
    buf_fini(&text);
}

/* Cells at which the sides are unequal; where there are none, the first at
 * which some value is not found. */
static void search(struct search *s)
{
    struct cell first = {{0}, {0}}, open = {{0}, {0}};
    const char *why, *open_why = NULL;
    bool found = false;
    for (size_t i = 0; i < s->n; i++) {
        struct cell cell = s->cells[i];
        if (found && !same_sizes(s, &cell, &first))
            break;
        enum seen seen = probe(s, &cell, &why);
        if (seen == OPEN && open_why == NULL) {
            open = cell;
            open_why = why;
        }
        if (seen != UNEQUAL)
            continue;
        if (found) {
            add_place(s, &cell);
            continue;
        }
        shrink(s, &cell, &why);
        place(s, &cell, why);
        first = cell;
        found = true;
    }
    if (!found && open_why != NULL)
        place(s, &open, open_why);
}

void candidate_find(struct proof *p, const struct output *o)
{
    struct search *s = ARENA_NEW(p->c->arena, struct search);
    int64_t sizes[MAX_SYMBOLS];
    s->p = p;
    s->o = o;
    s->work = p->c->work + PROBE_WORK;
    if (!p->options->place || o->rank > MAX_DIMS || vctx_spent(p->c) ||
        smt_exhausted(p->c->smt))
        return;
    find_symbols(s);
    for (int64_t all = 1; all <= (s->nsymbols > 0 ? 3 : 1); all++) {
        for (size_t i = 0; i < MAX_SYMBOLS; i++)
            sizes[i] = all;
        add_corners(s, sizes);
    }
    add_models(s);
    p->c->refuted = NULL;
    search(s);
}
