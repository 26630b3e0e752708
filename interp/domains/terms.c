/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain of walk-throughs: machine arithmetic that remembers the terms of
 * chosen output elements, that is, which parameter elements were combined into
 * them, update by update.
 *
 * Every cell that the run stores to has a history: a list of updates, each
 * with the parameter elements whose loads were new at that update. A store
 * joins the histories of the cells that it loads:
 *   - the cell itself first (an accumulation goes on),
 *   - other cells with several updates as a whole (a copied or combined
 *     accumulator brings its terms along),
 *   - parameter elements, and cells with a single update (copies, paddings,
 *     elementwise producers), are gathered into one new update.
 * A store that loads nothing starts afresh. Histories share their tails, so an
 * accumulation costs one node an update.
 *
 * Lanes of a vector store are told apart by walking the stored expression in
 * evaluation order along the recorded loads; where that does not fit (lazy
 * operands), all loads of the statement count.
 */
#include "interp/domains/ieee.h"
#include "interp/slices/hooks.h"

#include <string.h>

#define MAX_CELLS ((size_t)1 << 22) /* histories kept */
#define MAX_ATOMS 4096              /* parameter elements of one update */
#define MAX_KEPT  ((size_t)1 << 22) /* and of all; then few of each */
#define FEW_ATOMS 16
#define MAX_TEXT  4000 /* bytes of one update's text, about */

struct history {
    struct history *before;
    size_t n; /* updates up to here */
    struct interp_term term;
};

struct cell {
    uint64_t key; /* storage slot << 37 | offset, plus 1; 0 = free */
    struct history *history;
};

struct load {
    uint64_t key;
    int param;      /* -1: not a parameter */
    size_t element; /* lanes count */
    bool defined;
};

struct term_run {
    struct interp_terms *out; /* first of the chosen elements */
    uint64_t *target;         /* key of each; 0: there is no such element */
    size_t ncells, cap;
    struct cell *cells;
    struct VEC(struct load) loads; /* since the last store */
    bool storing;                  /* the last event was a store */
    uint64_t steps;                /* at the last store */
    size_t lane;                   /* stores since the last load */
    size_t kept;                   /* parameter elements of all updates */
    struct join *join;             /* scratch of `stored` */
};

static uint64_t key_of(const struct alloc *a, size_t offset)
{
    return ((uint64_t)a->slot << 37 | offset) + 1;
}

static struct cell *find_cell(const struct term_run *t, uint64_t key)
{
    size_t mask = t->cap - 1;
    size_t i = (size_t)hash_mix(1, key) & mask;
    while (t->cells[i].key != 0 && t->cells[i].key != key)
        i = (i + 1) & mask;
    return &t->cells[i];
}

static void grow(struct term_run *t)
{
    struct cell *old = t->cells;
    size_t n = t->cap;
    t->cap = n != 0 ? 2 * n : 1024;
    t->cells = dc_alloc(t->cap * sizeof *t->cells);
    for (size_t i = 0; i < n; i++)
        if (old[i].key != 0)
            *find_cell(t, old[i].key) = old[i];
    dc_release(old);
}

static void set_history(struct term_run *t, uint64_t key, struct history *h)
{
    struct cell *c = find_cell(t, key);
    if (c->key == 0) {
        if (t->ncells >= MAX_CELLS) {
            t->out->truncated = true;
            return;
        }
        if (2 * (t->ncells + 1) > t->cap) {
            grow(t);
            c = find_cell(t, key);
        }
        c->key = key;
        t->ncells++;
    }
    c->history = h;
}

static void forget_loads(struct term_run *t)
{
    t->loads.len = 0;
    t->lane = 0;
    t->storing = false;
}

static void loaded(struct machine *m, struct alloc *a, size_t offset,
                   struct dtype lane, struct value v)
{
    struct term_run *t = slice_hooks_get(m)->terms;
    if (t->storing)
        forget_loads(t);
    if (t->loads.len >= MAX_ATOMS)
        return;
    struct load l = {.key = key_of(a, offset),
                     .param = a->param,
                     .element = offset / dtype_lane_bytes(lane),
                     .defined = (v.flags & V_UNDEF) == 0};
    vec_push(&t->loads, l);
}

/* ---- which loads a lane of a store uses ------------------------------------- */

struct pick {
    const struct term_run *run;
    size_t at; /* next recorded load */
    size_t lane;
    bool fits;
    size_t n;
    size_t chosen[64];
};

/* Follows e in evaluation order; `counts`: as an operand, not in an index. */
static void pick_loads(struct pick *p, const struct ir_expr *e, bool counts)
{
    bool lazy = e->kind == IR_CALL &&
                (ir_op_info(e->u.call.op)->flags & IR_OPF_LAZY) != 0;
    if (lazy || (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF) ||
        e->kind == IR_SHUFFLE)
        p->fits = false;
    if (!p->fits)
        return;
    for (uint32_t i = 0; i < e->nargs; i++)
        pick_loads(p, e->args[i], counts && e->kind != IR_LOAD);
    if (e->kind != IR_LOAD)
        return;
    size_t lanes = e->dtype.lanes;
    size_t at = p->at + (lanes > 1 ? p->lane % lanes : 0);
    if (e->predicate != NULL || e->dtype.scalable ||
        p->at + lanes > p->run->loads.len ||
        (counts && p->n >= DC_ARRAY_LEN(p->chosen)))
        p->fits = false;
    else if (counts)
        p->chosen[p->n++] = at;
    p->at += lanes;
}

/* ---- joining ------------------------------------------------------------------- */

struct join {
    struct machine *m;
    struct term_run *run;
    struct history *history;
    size_t natoms;
    uint64_t atoms[MAX_ATOMS];
};

static void add_atoms(struct join *j, size_t n, const uint64_t *atoms)
{
    for (size_t i = 0; i < n && j->natoms < MAX_ATOMS; i++)
        j->atoms[j->natoms++] = atoms[i];
}

/* Appends the updates of h, oldest first. */
static void append_all(struct join *j, const struct history *h)
{
    size_t n = h->n, i = n;
    if (j->history == NULL) {
        struct history *copy = arena_memdup(j->run->out->arena, h, sizeof *h);
        j->history = copy;
        return;
    }
    /* a list that will be cut is not made longer: sums of sums would be copied
     * over and over */
    if (n > j->run->out->max + 1 || j->history->n > j->run->out->max + 1) {
        j->run->out->truncated = true;
        return;
    }
    const struct history **list =
        ARENA_ARRAY(j->run->out->arena, n, const struct history *);
    for (; h != NULL && i > 0; h = h->before)
        list[--i] = h;
    for (; i < n; i++) {
        struct history *copy =
            arena_memdup(j->run->out->arena, list[i], sizeof *copy);
        copy->before = j->history;
        copy->n = j->history->n + 1;
        j->history = copy;
    }
}

static void join_load(struct join *j, const struct load *l, uint64_t self)
{
    const struct cell *c = find_cell(j->run, l->key);
    const struct history *h = c->history;
    if (l->key == self || !l->defined)
        return;
    if (c->key == 0 && l->param >= 0) {
        uint64_t atom = (uint64_t)l->param << 40 | l->element;
        add_atoms(j, 1, &atom);
    } else if (h != NULL && h->n == 1) {
        add_atoms(j, h->term.natoms, h->term.atoms);
    } else if (h != NULL) {
        append_all(j, h);
    }
}

static bool is_product(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_MUL;
}

static void put_atom(struct buf *text, const struct machine *m, uint64_t atom)
{
    size_t p = (size_t)(atom >> 40);
    size_t element = (size_t)(atom & ((UINT64_C(1) << 40) - 1));
    const struct ir_param *param = &m->func->prim.params[p];
    buf_puts(text,
             param->buffer != NULL ? param->buffer->name : param->var->name);
    if (m->args[p].tensor != NULL)
        interp_put_index(text, m->args[p].tensor, element);
}

/* The new update: text, key, value. */
static void add_update(struct join *j, struct dtype type, uint64_t bits)
{
    struct arena *arena = j->run->out->arena;
    struct history *h = ARENA_NEW(arena, struct history);
    const struct ir_stmt *stmt = j->m->stmt;
    bool product = stmt == NULL || stmt->kind != IR_STORE ||
                   ir_expr_any(stmt->u.store.value, is_product, NULL);
    struct buf text = {0};
    if (j->run->kept > MAX_KEPT && j->natoms > FEW_ATOMS) {
        j->natoms = FEW_ATOMS;
        j->run->out->truncated = true;
    }
    j->run->kept += j->natoms;
    for (size_t i = 0; i < j->natoms; i++) {
        /* a multiset: the order of loads does not matter */
        h->term.key += hash_mix(7, j->atoms[i]);
        if (text.len > MAX_TEXT)
            continue;
        if (i > 0)
            buf_puts(&text, product ? " * " : ", ");
        put_atom(&text, j->m, j->atoms[i]);
        if (text.len > MAX_TEXT)
            buf_puts(&text, " ...");
    }
    h->term.text = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    h->term.bits = bits;
    h->term.type = type;
    if (j->run->out->sources)
        slice_terms_source(j->m, (uint32_t)j->run->lane, arena, &h->term);
    h->before = j->history;
    h->n = j->history != NULL ? j->history->n + 1 : 1;
    h->term.natoms = j->natoms;
    h->term.atoms = arena_memdup(arena, j->atoms, j->natoms * sizeof *j->atoms);
    j->history = h;
}

static void stored(struct machine *m, struct alloc *a, size_t offset,
                   struct dtype lane, struct value v)
{
    struct term_run *t = slice_hooks_get(m)->terms;
    uint64_t self = key_of(a, offset);
    /* a store that nothing was evaluated for since the last one is another
     * lane of it; otherwise the loads before that store are not ours */
    if (t->storing && t->steps != m->result.steps)
        forget_loads(t);
    struct pick pick = {.run = t, .lane = t->lane, .fits = true};
    if (m->stmt != NULL && m->stmt->kind == IR_STORE)
        pick_loads(&pick, m->stmt->u.store.value, true);
    else
        pick.fits = false;
    struct join *j = t->join;
    j->history = NULL;
    j->natoms = 0;
    for (size_t i = 0; i < t->loads.len; i++)
        if (t->loads.items[i].key == self && t->loads.items[i].defined)
            j->history = find_cell(t, self)->history;
    if (pick.fits)
        for (size_t i = 0; i < pick.n; i++)
            join_load(j, &t->loads.items[pick.chosen[i]], self);
    else
        for (size_t i = 0; i < t->loads.len; i++)
            join_load(j, &t->loads.items[i], self);
    if (j->natoms > 0)
        add_update(j, lane, v.flags & (V_BOX | V_VECTOR) ? 0 : v.u.bits);
    set_history(t, self, j->history);
    t->storing = true;
    t->steps = m->result.steps;
    t->lane++;
}

/* ---- start and end ------------------------------------------------------------------ */

static void give(const struct term_run *t, uint64_t target,
                 struct interp_terms *out)
{
    const struct history *h =
        target != 0 ? find_cell(t, target)->history : NULL;
    size_t n = h != NULL ? h->n : 0;
    if (n > out->max) {
        out->truncated = true;
        for (; n > out->max; n--)
            h = h->before;
    }
    out->n = n;
    out->items = ARENA_ARRAY(out->arena, n, struct interp_term);
    for (; n > 0; h = h->before)
        out->items[--n] = h->term;
}

static void fini(struct machine *m)
{
    struct hook_users *users = slice_hooks_get(m);
    struct term_run *t = users->terms;
    bool truncated = t->out->truncated;
    size_t i = 0;
    for (struct interp_terms *out = t->out; out != NULL; out = out->next) {
        out->truncated = truncated;
        give(t, t->target[i++], out);
    }
    vec_fini(&t->loads);
    dc_release(t->cells);
    dc_release(t->join);
    users->terms = NULL;
}

static void install(struct machine *m)
{
    struct interp_terms *out = m->options.terms;
    if (out == NULL)
        return;
    struct term_run *t = ARENA_NEW(m->arena, struct term_run);
    t->out = out;
    t->join = dc_alloc(sizeof *t->join);
    t->join->m = m;
    t->join->run = t;
    size_t n = 0;
    for (; out != NULL; out = out->next)
        n++;
    t->target = ARENA_ARRAY(m->arena, n, uint64_t);
    n = 0;
    for (out = t->out; out != NULL; out = out->next) {
        const struct alloc *a =
            out->param < m->nargs ? m->param_allocs[out->param] : NULL;
        if (a != NULL)
            t->target[n] = key_of(a, out->element * dtype_lane_bytes(a->lane));
        n++;
        out->n = 0;
        out->items = NULL;
        out->truncated = false;
    }
    grow(t);
    struct hook_users *users = slice_hooks_get(m);
    users->terms = t;
    users->terms_fini = fini;
    m->hooks.loaded = loaded;
    m->hooks.stored = stored;
}

/* ---- the domain: arithmetic is that of ieee ------------------------------------ */

extern const struct interp_domain terms;
const struct interp_domain terms = {
    .name = "terms",
    .kind = INTERP_TERMS,
    .plain = true,
    .boxed = false,
    .install = install,
    .literal = ieee_literal,
    .unary = ieee_unary,
    .binary = ieee_binary,
    .fma = ieee_fma,
    .cast = ieee_cast,
    .select = ieee_select,
};
