/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain stores and updates: which stores combine the old content of their own
 * cell with something else, and what is known of each store.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/reaching.h"

#include <string.h>

/* ---- what kind of store ----------------------------------------------------- */

static bool reads_storage(const struct vprog *p, const struct ir_expr *e,
                          const struct vstorage *s)
{
    if (e->kind == IR_LOAD && vprog_storage(p, e->u.buffer) == s)
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (reads_storage(p, e->args[i], s))
            return true;
    return false;
}

bool value_combines(enum ir_expr_kind op, struct dtype t)
{
    switch (op) {
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return true;
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return !dtype_is_float(t);
    default: return false;
    }
}

/* A load of the very cell that is stored. */
static bool is_own_cell(struct vctx *c, struct store_info *k,
                        const struct vstore *st, const struct ir_expr *e)
{
    if (e->kind != IR_LOAD ||
        vprog_storage(k->probe->prog, e->u.buffer) != st->target)
        return false;
    const struct aff *cell[MAX_UNKNOWN];
    size_t rank = vcell_rank(st->target);
    if (rank > MAX_UNKNOWN ||
        !vcell_of(c, k->probe, st->target, e->nargs, e->args, cell))
        return false;
    for (size_t i = 0; i < rank; i++)
        if (cell[i] != k->cell[i])
            return false;
    return true;
}

/* Lets between the block's and the store: the value behind a variable. */
static const struct ir_expr *behind(const struct vinst *inst,
                                    const struct ir_expr *e)
{
    size_t where;
    while (e->kind == IR_VAR_REF) {
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s == NULL || s->kind != VSCOPE_LET)
            break;
        e = s->value;
    }
    return e;
}

static bool has_unordered(const struct vstore *st)
{
    for (size_t i = 0; i < st->nloops; i++)
        if (st->loops[i]->unordered)
            return true;
    return false;
}

/* Whether products of two numbers of type `from` are numbers of the type `to`, a
 * wider float (F7): as many digits as both have, and exponents as far out. */
static bool products_fit(struct dtype from, struct dtype to)
{
    unsigned digits = to.bits == 64 ? 53 : 24;
    if (to.code != DT_FLOAT || to.bits < 32)
        return false;
    if (dtype_is_int(from) || dtype_is_bool(from))
        return from.bits * 2u <= digits;
    if (from.code == DT_BFLOAT || from.code == DT_FLOAT8_E8M0FNU)
        return to.bits == 64; /* exponents are float32's own */
    return from.bits <= 16 || (from.bits == 32 && to.bits == 64);
}

/* Whether products of such operands are exact in their type: converted from one
 * that is narrow enough, or integers. */
static bool exact_product(const struct ir_expr *a, const struct ir_expr *b)
{
    const struct ir_expr *both[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        const struct ir_expr *e = both[i];
        if (dtype_is_float(e->dtype) &&
            (e->kind != IR_CAST || !products_fit(e->args[0]->dtype, e->dtype)))
            return false;
    }
    return true;
}

static void take_update(struct vctx *c, struct store_info *k,
                        enum ir_expr_kind op, size_t n)
{
    k->is_update = true;
    k->op = op;
    k->nterms = n;
    k->terms = ARENA_ARRAY(c->arena, n, const struct ir_expr *);
}

/* Products of a tile instruction: its specification adds them by fma, in an
 * order that nobody states; they expand to their terms (R26). Where they would
 * be rounded in the accumulator's type, that is an assumption. */
static void classify_products(struct vctx *c, struct store_info *k,
                              const struct vstore *st)
{
    const struct ir_expr *v = st->value;
    if (v->kind != IR_CALL || v->u.call.op != IR_OP_FMA || !has_unordered(st) ||
        !is_own_cell(c, k, st, v->args[2]))
        return;
    take_update(c, k, IR_ADD, 1);
    c->tile_products |= !exact_product(v->args[0], v->args[1]);
    k->terms[0] =
        ir_binary(k->probe->prog->scratch, IR_MUL, v->args[0], v->args[1]);
}

static bool is_term(struct vctx *c, const struct store_info *k,
                    const struct vstore *st, const struct ir_expr *e)
{
    return OBLIGED(
        c->smt, "a term does not read what is summed",
        !reads_storage(k->probe->prog, behind(k->probe, e), st->target));
}

/* ((X (+) a) (+) b) (+) c: the terms a, b, c in this order. */
static void classify_chain(struct vctx *c, struct store_info *k,
                           const struct vstore *st)
{
    const struct ir_expr *v = st->value, *e = v;
    size_t n = 0;
    for (; OBLIGED(c->smt, "a chain is of one operator", e->kind == v->kind) &&
           e->nargs == 2 && n < MAX_CHAINED;
         e = e->args[0], n++)
        if (!is_term(c, k, st, e->args[1]))
            return;
    if (n < 2 || !is_own_cell(c, k, st, e))
        return;
    take_update(c, k, v->kind, n);
    e = v;
    for (size_t i = n; i-- > 0; e = e->args[0])
        k->terms[i] = e->args[1];
}

bool reaching_repeats(struct vctx *c, const struct store_info *k,
                      const struct vstore *st)
{
    for (size_t i = 0; i < st->nloops; i++) {
        const struct aff *a = k->probe->loops[st->loops[i]->id];
        if (a->n != 1)
            continue;
        bool used = false;
        for (size_t d = 0; d < vcell_rank(st->target); d++)
            used |= aff_mentions(c->space, k->cell[d], a->terms[0].atom);
        const struct atom *info = aff_atom_info(c->space, a->terms[0].atom);
        if (!used && info->lo != info->hi)
            return true;
    }
    return false;
}

static void classify(struct vctx *c, struct store_info *k,
                     const struct vstore *st)
{
    const struct ir_expr *v = st->value;
    classify_products(c, k, st);
    if (!k->is_update && (v->nargs != 2 || !value_combines(v->kind, v->dtype)))
        return;
    for (uint32_t i = 0; i < 2 && !k->is_update; i++) {
        if (!is_own_cell(c, k, st, v->args[i]) ||
            !is_term(c, k, st, v->args[1 - i]))
            continue;
        take_update(c, k, v->kind, 1);
        k->swapped = i == 1;
        k->terms[0] = v->args[1 - i];
        break;
    }
    if (!k->is_update)
        classify_chain(c, k, st);
    if (!k->is_update)
        return;
    k->reduces |= reaching_repeats(c, k, st);
}

/* Updates that stand alone and repeat over no loop are plain stores that read
 * what was there; three or more of one kind are an unrolled reduction. */
static void settle_updates(struct store_info *all, const struct vprog *p)
{
    for (size_t i = 0; i < p->nstores; i++) {
        size_t same = 0;
        bool reduces = false;
        if (!all[i].is_update || all[i].reduces)
            continue;
        for (size_t j = 0; j < p->nstores; j++)
            if (all[j].is_update && all[j].op == all[i].op &&
                p->stores[j]->target == p->stores[i]->target) {
                same++;
                reduces |= all[j].reduces;
            }
        if (same < 3 && !p->stores[i]->atomic)
            all[i].is_update = false;
        (void)reduces;
    }
}

static bool of_inputs(struct vctx *c, const struct vinst *inst,
                      const struct ir_expr *e);

/* The same of a let, which is looked at once. */
static bool let_of_inputs(struct vctx *c, const struct vinst *inst,
                          size_t where)
{
    struct vlet *let = vinst_let(c, inst, where);
    if (let->reads == LET_NOT_ASKED) {
        struct vinst outer = *inst;
        outer.nscopes = where;
        let->reads = of_inputs(c, &outer, inst->scopes[where].value)
                         ? LET_OF_INPUTS
                         : LET_OF_OTHERS;
    }
    return let->reads == LET_OF_INPUTS;
}

/* Whether all data in an index are inputs that the program leaves alone. */
static bool of_inputs(struct vctx *c, const struct vinst *inst,
                      const struct ir_expr *e)
{
    size_t where;
    if (e->kind == IR_LOAD) {
        const struct vstorage *s = vprog_storage(inst->prog, e->u.buffer);
        if (s == NULL || s->param < 0 || s->written || s->fresh)
            return false;
    }
    if (e->kind == IR_VAR_REF) {
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s != NULL && s->kind == VSCOPE_LET)
            return let_of_inputs(c, inst, where);
    }
    bool all = vctx_enter(c);
    for (uint32_t i = 0; all && i < e->nargs; i++)
        all = of_inputs(c, inst, e->args[i]);
    vctx_leave(c);
    return all;
}

/* Whether the scopes' conditions are, too: an index is read under them. */
static bool scopes_of_inputs(struct vctx *c, const struct vstore *st,
                             const struct vinst *inst)
{
    for (size_t i = 0; i < st->nscopes; i++) {
        struct vinst outer = *inst;
        outer.nscopes = i;
        if (st->scopes[i].kind == VSCOPE_GUARD &&
            !of_inputs(c, &outer, st->scopes[i].value))
            return false;
    }
    return true;
}

/* A store's cell, read off before anything is known of stores. */
static bool early_cell(struct vctx *c, struct store_info *k,
                       const struct vstore *st)
{
    const char *failed = c->failed;
    bool plain = vexpr_index_list(c, k->probe, st->nindex, st->index);
    for (size_t i = 0; i < st->nindex && !plain; i++)
        if (!of_inputs(c, k->probe, st->index[i]))
            return false;
    if (!plain && !scopes_of_inputs(c, st, k->probe))
        return false;
    bool ok = vcell_of(c, k->probe, st->target, st->nindex, st->index, k->cell);
    k->scatters = ok && !plain;
    if (!plain)
        c->failed = failed;
    return ok;
}

struct store_info *reaching_infos(struct vctx *c, const struct vprog *p)
{
    size_t side = p == c->progs[1];
    if (c->flow == NULL)
        c->flow = dc_alloc(sizeof *c->flow);
    if (c->flow->info[side] != NULL)
        return c->flow->info[side];
    struct store_info *all = dc_alloc((p->nstores + 1) * sizeof *all);
    c->flow->info[side] = all;
    for (size_t i = 0; i < p->nstores; i++) {
        const struct vstore *st = p->stores[i];
        struct store_info *k = &all[i];
        k->probe = vinst_of_store(c, p, st);
        k->probe->probe = true;
        k->cell = ARENA_ARRAY(c->arena, vcell_rank(st->target) + 1,
                              const struct aff *);
        if (early_cell(c, k, st)) {
            classify(c, k, st);
            k->looked = true;
        }
    }
    settle_updates(all, p);
    reaching_find_steps(c, p, all);
    return all;
}

/* Domain and cell of a store's probe; data in them are read on demand. */
const struct form *reaching_probe_dom(struct read *r, const struct vstore *st,
                                      struct store_info *k)
{
    if (!k->looked) {
        k->looked = vcell_of(r->c, k->probe, st->target, st->nindex, st->index,
                             k->cell);
        if (!k->looked)
            return NULL;
    }
    if (k->dom == NULL)
        k->dom = vinst_dom(r->c, k->probe);
    return k->dom;
}
