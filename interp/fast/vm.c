/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs code. Loops and guards are ranges of instructions, run by calling
 * execute() on them; [lo, hi) are the lanes that run, one outside of a loop in
 * lanes.
 *
 * A guard that depends on the lane is a conjunction of linear inequalities, so
 * it holds for a range of lanes: that part runs, then, for an else, what lies
 * before and behind it.
 */
#include "interp/fast/coop_vm.h"
#include "interp/fast/keyed_vm.h"

#include <string.h>

void fast_vm_charge(struct vm *v, uint64_t steps, uint64_t times)
{
    uint64_t sum;
    if (__builtin_mul_overflow(steps, times, &sum) ||
        __builtin_add_overflow(v->steps, sum, &v->steps))
        v->steps = UINT64_MAX;
    if (v->steps > v->max_steps)
        v->budget = true;
}

static void work_out(struct vm *v, const uint32_t *atoms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v->ints[atoms[i]] =
            affine_atom_value(&v->e->atoms.items[atoms[i]], v->ints);
}

/* ---- loops ----------------------------------------------------------------------- */

static int64_t trips_of(const struct vm *v, const struct insn *in)
{
    const struct node *n = in->node;
    if (n->trips >= 0)
        return n->trips;
    int64_t extent = fast_lin_value(v, &in->lin[1]);
    return extent > 0 ? extent : 0;
}

/* Code [pc, end) on lanes [lo, hi). False: a fault, the budget, or something
 * unknown. */
static bool vm_execute(struct vm *v, uint32_t pc, uint32_t end, uint32_t lo,
                       uint32_t hi);

bool fast_vm_iterations(struct vm *v, uint32_t pc, int64_t min, int64_t from,
                        int64_t to, uint32_t lo, uint32_t hi)
{
    const struct insn *in = &v->code[pc];
    const struct node *n = in->node, *outer = v->lanes;
    bool lanes = in->op == F_LANES, ok = true;
    if (lanes)
        v->lanes = n;
    int64_t step = !lanes ? 1 : n->coop ? LANES : STRIP;
    for (int64_t i = from; i < to && ok && !v->budget; i += step) {
        if (n->ticks)
            shadow_iteration(v);
        v->ints[n->atom] = min + i * n->step;
        work_out(v, n->first.items, n->first.len);
        if (lanes)
            hi = (uint32_t)(to - i < step ? to - i : step);
        if (n->first_vec.len > 0)
            fast_threads_work_out(v, n->first_vec.items, n->first_vec.len, lo,
                                  hi);
        ok = vm_execute(v, pc + 1, in->end, lo, hi);
    }
    v->lanes = outer;
    return ok && !v->budget;
}

static bool run_loop(struct vm *v, uint32_t pc, uint32_t lo, uint32_t hi)
{
    const struct insn *in = &v->code[pc];
    const struct node *n = in->node;
    int64_t trips = trips_of(v, in), min = fast_lin_value(v, &in->lin[0]);
    v->data |= in->data;
    if (n->dynamic_cost) {
        fast_vm_charge(v, n->cost, (uint64_t)trips * (hi - lo));
        fast_vm_charge(v, n->group, (uint64_t)trips);
    }
    if (n->shared && v->threads > 1 && !v->budget)
        return fast_share_loop(v, pc, min, trips);
    if (n->coop)
        shadow_block(v);
    if (n->ticks && !shadow_loop(v))
        return false;
    bool ok = fast_vm_iterations(v, pc, min, 0, trips,
                                 in->op == F_LANES ? 0 : lo, hi);
    v->nloops -= n->ticks;
    return ok;
}

/* Lane by lane of the loop that runs in lanes. */
static bool run_apart(struct vm *v, uint32_t pc, uint32_t lo, uint32_t hi)
{
    const struct insn *in = &v->code[pc];
    const struct node *n = in->node;
    int64_t first = v->ints[n->atom];
    bool ok = true;
    v->lanes = NULL;
    for (uint32_t l = lo; l < hi && ok && !v->budget; l++) {
        v->ints[n->atom] = first + (int64_t)l * n->step;
        work_out(v, n->first.items, n->first.len);
        ok = vm_execute(v, pc + 1, in->end, 0, 1);
    }
    v->lanes = n;
    v->ints[n->atom] = first;
    work_out(v, n->first.items, n->first.len);
    return ok && !v->budget;
}

/* ---- guards ------------------------------------------------------------------------ */

static bool cond_holds(const struct cond *c, int64_t at)
{
    return c->kind == COND_GE ? at >= 0 : (at == 0) == (c->kind == COND_EQ);
}

static bool guard_holds(struct vm *v, const struct insn *in, uint32_t lanes,
                        bool *out)
{
    const struct guard *g = in->guard;
    *out = true;
    if (g->value != NULL && v->keyed != NULL)
        return fast_keyed_condition(v, in->a, out);
    if (g->value != NULL) {
        const struct reg *r = &v->regs[in->a];
        *out = r->u.i[0] != 0;
        return r->taint == TAINT_NONE ||
               lower_give_up(v->e, "a condition that depends on rounding");
    }
    for (size_t i = 0; i < g->n && *out; i++) {
        if (g->conds[i].cost != 0)
            fast_vm_charge(v, g->conds[i].cost, lanes);
        *out = cond_holds(&g->conds[i], fast_lin_value(v, &in->conds[i]));
    }
    return true;
}

/* A merging guard's register gets taint lane by lane. */
static void merge_begin(struct vm *v, const struct insn *in, uint32_t lo,
                        uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    if (in->c == 0)
        return;
    d->taint = TAINT_SOME;
    memset(d->mask + lo, 0, hi - lo);
}

static void merge_end(struct vm *v, const struct insn *in, uint32_t lo,
                      uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    uint8_t all, any;
    if (in->c == 0)
        return;
    v->k->scan(d->mask + lo, hi - lo, &all, &any);
    d->taint = any == 0 ? TAINT_NONE : all != 0 ? TAINT_ALL : TAINT_SOME;
}

static bool run_if(struct vm *v, const struct insn *in, uint32_t pc,
                   uint32_t lo, uint32_t hi)
{
    bool taken;
    v->data |= in->data;
    if (!guard_holds(v, in, hi - lo, &taken))
        return false;
    uint64_t cost = taken ? in->guard->cost_then : in->guard->cost_else;
    uint32_t first = in->uniform ? 0 : lo, last = in->uniform ? 1 : hi;
    if (cost != 0)
        fast_vm_charge(v, cost, hi - lo);
    fast_vm_charge(v, taken ? in->guard->group_then : in->guard->group_else, 1);
    merge_begin(v, in, first, last);
    bool ok = taken ? vm_execute(v, pc + 1, in->mid, lo, hi)
                    : vm_execute(v, in->mid, in->end, lo, hi);
    merge_end(v, in, first, last);
    return ok;
}

static int64_t div_up(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b < a ? q + 1 : q;
}

/* Narrows [*lo, *hi) to the lanes where at + lane * l >= 0. */
static void narrow(int64_t at, int64_t lane, int64_t *lo, int64_t *hi)
{
    int64_t edge;
    if (lane == 0) {
        if (at < 0)
            *hi = *lo;
    } else if (lane > 0) {
        edge = div_up(-at, lane);
        if (edge > *lo)
            *lo = edge;
    } else {
        edge = at < 0 ? 0 : at / -lane + 1;
        if (edge < *hi)
            *hi = edge;
    }
    if (*hi < *lo)
        *hi = *lo;
}

static void charge_arms(struct vm *v, const struct guard *g, uint32_t yes,
                        uint32_t no)
{
    fast_vm_charge(v, g->cost_then, yes);
    fast_vm_charge(v, g->cost_else, no);
    fast_vm_charge(v, g->group_then, yes > 0);
    fast_vm_charge(v, g->group_else, no > 0);
}

static bool run_range(struct vm *v, const struct insn *in, uint32_t pc,
                      uint32_t lo, uint32_t hi)
{
    int64_t from = lo, to = hi;
    v->data |= in->data;
    for (size_t i = 0; i < in->guard->n; i++) {
        int64_t at = fast_lin_value(v, &in->conds[i]);
        if (in->conds[i].lane == 0 && in->guard->conds[i].kind != COND_GE) {
            if (!cond_holds(&in->guard->conds[i], at))
                to = from;
        } else {
            narrow(at, in->conds[i].lane, &from, &to);
        }
    }
    if (from > hi)
        from = to = hi;
    if (to <= from)
        from = to = hi;
    uint32_t a = (uint32_t)from, b = (uint32_t)to;
    charge_arms(v, in->guard, b - a, (hi - lo) - (b - a));
    merge_begin(v, in, lo, hi);
    bool ok = (a == b || vm_execute(v, pc + 1, in->mid, a, b)) &&
              (lo == a || in->mid == in->end ||
               vm_execute(v, in->mid, in->end, lo, a)) &&
              (b == hi || in->mid == in->end ||
               vm_execute(v, in->mid, in->end, b, hi));
    merge_end(v, in, lo, hi);
    return ok;
}

/* Threads that go one way and stand side by side go together. */
static bool run_mask(struct vm *v, const struct insn *in, uint32_t pc,
                     uint32_t lo, uint32_t hi)
{
    uint8_t mask[LANES];
    uint32_t first = lo, yes = 0;
    bool ok = true;
    v->data |= in->data;
    if (v->keyed != NULL && in->guard->value != NULL
            ? !fast_keyed_mask(v, in->a, lo, hi, mask)
            : !fast_threads_mask(v, in, lo, hi, mask))
        return false;
    for (uint32_t i = 0; i < hi - lo; i++)
        yes += mask[i];
    charge_arms(v, in->guard, yes, hi - lo - yes);
    merge_begin(v, in, lo, hi);
    for (int arm = 1; arm >= 0; arm--) /* all of an arm before the other */
        for (uint32_t l = lo; l < hi && ok; l = first) {
            for (first = l; first < hi && mask[first - lo] == mask[l - lo];)
                first++;
            if (mask[l - lo] == arm)
                ok = arm ? vm_execute(v, pc + 1, in->mid, l, first)
                         : vm_execute(v, in->mid, in->end, l, first);
        }
    merge_end(v, in, lo, hi);
    return ok;
}

/* ---- storage ------------------------------------------------------------------------- */

static void run_alloc(struct vm *v, const struct store *s)
{
    struct memory *m = fast_memory_of(v, s);
    size_t n = (size_t)s->elements * s->lanes;
    m->sound = false;
    shadow_birth(v, s);
    memset(m->state, 0, n);
    if (s->init != NULL) {
        size_t count = s->init->bytes / fast_ftype_bytes(s->type);
        memcpy(m->data, s->init->data, s->init->bytes);
        /* as mem_poke leaves it */
        memset(m->state, INTERP_DEFINED | INTERP_WRITTEN, count);
    }
}

/* Operands that an instruction looks at in memory, for as long as it runs. */
static bool operands_in(struct vm *v, const struct insn *in, uint32_t lo,
                        uint32_t hi)
{
    return (in->from_a == NULL ||
            lanes_view(v, in->from_a, &v->regs[in->a], lo, hi)) &&
           (in->from_b == NULL ||
            lanes_view(v, in->from_b, &v->regs[in->b], lo, hi));
}

static void operands_out(struct vm *v, const struct insn *in)
{
    if (in->from_a != NULL)
        v->regs[in->a].view = NULL;
    if (in->from_b != NULL)
        v->regs[in->b].view = NULL;
}

static bool run_binary(struct vm *v, const struct insn *in, uint32_t lo,
                       uint32_t hi)
{
    bool ok = operands_in(v, in, lo, hi) &&
              lanes_binary(v, in, &v->regs[in->d], &v->regs[in->a],
                           &v->regs[in->b], lo, hi);
    operands_out(v, in);
    return ok;
}

/* The sum and, where it is in another type than the target, its conversion
 * into the product's register. */
static bool run_mac_sum(struct vm *v, const struct insn *in, uint32_t lo,
                        uint32_t hi)
{
    struct reg *sum = &v->regs[in->d], *product = &v->regs[in->c];
    struct insn op = {0};
    op.num = NUM_ADD;
    op.type = op.from = in->from == in->type ? in->type : (uint8_t)T_F32;
    if (!lanes_binary(v, &op, sum, sum, product, lo, hi))
        return false;
    if (op.type == in->type)
        return lanes_store(v, in->addr, (enum ftype)in->type, sum, lo, hi);
    op.type = in->type;
    op.d = in->c;
    op.a = in->d;
    return lanes_cast(v, &op, lo, hi) &&
           lanes_store(v, in->addr, (enum ftype)in->type, product, lo, hi);
}

/* target += a * b in steps, where rounding has to be noticed. */
static bool run_mac(struct vm *v, const struct insn *in, uint32_t lo,
                    uint32_t hi)
{
    const struct reg *a = &v->regs[in->a], *b = &v->regs[in->b];
    struct reg *sum = &v->regs[in->d], *product = &v->regs[in->c];
    enum ftype type = (enum ftype)in->type;
    struct insn op = {0};
    if (!operands_in(v, in, lo, hi))
        return false;
    if (lanes_mac(v, in, lo, hi)) {
        operands_out(v, in);
        return true;
    }
    op.type = op.from = in->from;
    if (!lanes_load(v, in->addr, type, sum, lo, hi))
        return false;
    op.num = NUM_MUL;
    v->quiet = v->inexact && sum->taint == TAINT_ALL;
    bool ok = lanes_binary(v, &op, product, a, b, lo, hi);
    operands_out(v, in);
    ok = ok && run_mac_sum(v, in, lo, hi);
    v->quiet = false;
    return ok;
}

/* ---- instructions ------------------------------------------------------------------------ */

static bool run_one(struct vm *v, const struct insn *in, uint32_t lo,
                    uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    enum ftype type = (enum ftype)in->type;
    if (in->uniform) {
        lo = 0;
        hi = 1;
    }
    if (v->keyed != NULL)
        return fast_keyed_one(v, in, lo, hi);
    switch ((enum fop)in->op) {
    case F_CONST: lanes_constant(v, type, in->bits, d, lo, hi); return true;
    case F_AFFINE: lanes_affine(v, in->addr, type, d, lo, hi); return true;
    case F_LOAD: return lanes_load(v, in->addr, type, d, lo, hi);
    case F_SPREAD: lanes_spread(type, d, &v->regs[in->a], lo, hi); return true;
    case F_MOVE:
        lanes_move(type, d, &v->regs[in->a], lo, hi);
        if (in->c != 0)
            d->taint = v->regs[in->a].taint;
        return true;
    case F_UNARY: return lanes_unary(v, in, lo, hi);
    case F_BINARY: return run_binary(v, in, lo, hi);
    case F_FMA: return lanes_fma(v, in, lo, hi);
    case F_CAST: return lanes_cast(v, in, lo, hi);
    case F_SELECT: lanes_select(v, in, lo, hi); return true;
    case F_QUIET:
        v->quiet = lanes_all_inexact(v, in->addr, lo, hi);
        return true;
    case F_STORE: {
        bool ok = lanes_store(v, in->addr, type, &v->regs[in->a], lo, hi);
        v->quiet = false;
        return ok;
    }
    case F_COPY: return lanes_copy(v, in->addr, in->addr2, type, lo, hi);
    case F_MAC: return run_mac(v, in, lo, hi);
    case F_ALLOC: run_alloc(v, in->store); return true;
    case F_CONTROL: break;
    }
    return true;
}

static bool vm_execute(struct vm *v, uint32_t pc, uint32_t end, uint32_t lo,
                       uint32_t hi)
{
    while (pc < end) {
        const struct insn *in = &v->code[pc];
        switch ((enum fop)in->op) {
        case F_LOOP:
        case F_LANES:
            if (!run_loop(v, pc, lo, hi))
                return false;
            pc = in->end;
            break;
        case F_APART:
            if (!run_apart(v, pc, lo, hi))
                return false;
            pc = in->end;
            break;
        case F_IF:
            if (!run_if(v, in, pc, lo, hi))
                return false;
            pc = in->end;
            break;
        case F_RANGE:
            if (!run_range(v, in, pc, lo, hi))
                return false;
            pc = in->end;
            break;
        case F_MASK:
            if (!run_mask(v, in, pc, lo, hi))
                return false;
            pc = in->end;
            break;
        case F_LAUNCH:
            shadow_launch(v);
            pc++;
            break;
        case F_BARRIER:
            shadow_barrier(v, in->node);
            pc++;
            break;
        case F_TILE:
            v->data |= in->data;
            if (!fast_tile_run(v, in, lo, hi))
                return false;
            pc++;
            break;
        default:
            v->data |= in->data;
            if (!run_one(v, in, lo, hi))
                return false;
            pc++;
            break;
        }
    }
    return true;
}

bool fast_vm_run(struct engine *e, uint64_t max_steps, struct vm_result *out)
{
    struct vm *v = dc_alloc(sizeof *v);
    v->e = e;
    v->k = kernels_choose();
    /* two more than the code uses: see lanes_copy and float_arith */
    v->regs = dc_alloc((e->nregs + 2) * sizeof *v->regs);
    v->ints = dc_alloc((e->atoms.len + 1) * sizeof *v->ints);
    v->vecs = dc_alloc((size_t)(e->nvecs + 1) * LANES * sizeof *v->vecs);
    v->code = e->code.items;
    v->max_steps = max_steps;
    v->threads = e->options->threads > 1 ? e->options->threads : 1;
    v->memory = dc_alloc((e->stores.len + 1) * sizeof *v->memory);
    for (size_t i = 0; i < e->stores.len; i++) {
        const struct store *s = e->stores.items[i];
        v->memory[i].data = s->data;
        v->memory[i].state = s->state;
        v->memory[i].sound = s->sound;
    }
    if (fast_keyed_domain(e->options))
        fast_keyed_begin(v);
    fast_vm_charge(v, e->cost, 1);
    work_out(v, e->first.items, e->first.len);
    bool ok = !v->budget && vm_execute(v, 0, (uint32_t)e->code.len, 0, 1) &&
              !v->budget;
    out->steps = v->steps;
    out->inexact = v->inexact;
    out->budget = v->budget;
    out->data_dependent = v->data;
    out->nimplied = v->needed.len;
    for (size_t i = 0; i < v->needed.len; i++)
        if (out->implied == NULL ||
            v->needed.items[i]->order < out->implied->order)
            out->implied = v->needed.items[i];
    vec_fini(&v->needed);
    if (v->keyed != NULL)
        fast_keyed_end(v, out);
    for (size_t i = 0; i < e->stores.len; i++) {
        dc_release(v->memory[i].shadow.write);
        dc_release(v->memory[i].shadow.read);
    }
    for (size_t i = 0; i < MAX_COLUMNS; i++)
        dc_release(v->columns[i]);
    dc_release(v->memory);
    dc_release(v->vecs);
    dc_release(v->ints);
    dc_release(v->regs);
    dc_release(v);
    return ok;
}
