/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether code can end before its end. If not, a run needs no copy of what it
 * writes: there is no way back to the arguments as they were, and none is
 * needed.
 *
 * Code is steady if every address is known to be in range, every value is read
 * from a parameter (whose elements stay defined once they are), no operation
 * has operands that it is not defined for, and all steps are charged before it
 * begins. Whatever is not listed here is not steady.
 */
#include "interp/fast/fast_engine.h"

static bool steady_addr(const struct addr *a)
{
    return a == NULL ||
           (a->nchecks == 0 && a->ngather == 0 && a->look == RACE_LOOK_NOT);
}

static bool steady_load(const struct addr *a)
{
    return a == NULL || (steady_addr(a) && a->store->param >= 0);
}

static bool steady_operands(const struct insn *in)
{
    return steady_load(in->from_a) && steady_load(in->from_b);
}

static bool steady_guard(const struct guard *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->conds[i].cost != 0)
            return false;
    return g->value == NULL && g->cost_then == 0 && g->cost_else == 0;
}

static bool steady_binary(const struct insn *in)
{
    enum ftype from = (enum ftype)in->from;
    if ((in->num >= NUM_EQ && in->num <= NUM_GE) || in->num == NUM_MIN ||
        in->num == NUM_MAX)
        return true;
    if (fast_ftype_is_float(from))
        return in->num == NUM_ADD || in->num == NUM_SUB || in->num == NUM_MUL ||
               in->num == NUM_DIV;
    return from != T_BOOL && !in->check_wrap &&
           (in->num == NUM_ADD || in->num == NUM_SUB || in->num == NUM_MUL);
}

static bool steady_insn(const struct insn *in)
{
    enum ftype type = (enum ftype)in->type, from = (enum ftype)in->from;
    switch ((enum fop)in->op) {
    case F_LOOP:
    case F_LANES: return !in->node->dynamic_cost;
    case F_IF:
    case F_RANGE: return steady_guard(in->guard);
    case F_APART:
    case F_CONST:
    case F_AFFINE:
    case F_SPREAD:
    case F_MOVE:
    case F_SELECT: return true;
    case F_LOAD: return steady_load(in->addr);
    case F_STORE:
    case F_QUIET: return steady_addr(in->addr);
    case F_MAC:
        return steady_load(in->addr) && type <= T_F64 && steady_operands(in);
    case F_COPY: return steady_addr(in->addr) && steady_load(in->addr2);
    case F_BINARY: return steady_binary(in) && steady_operands(in);
    case F_FMA: return type <= T_F64;
    case F_CAST:
        return fast_ftype_is_float(type) ||
               (!fast_ftype_is_float(from) && !in->check_wrap);
    case F_MASK:
    case F_LAUNCH:
    case F_BARRIER:
    case F_TILE:
    case F_ALLOC:
    case F_UNARY: break;
    }
    return false;
}

void fast_find_steady(struct engine *e)
{
    /* a keyed run may meet what its domain does not decide; other arithmetic
     * may have no rule where the reference has one */
    e->steady = e->options->domain == INTERP_IEEE && e->scalar == NULL;
    for (size_t i = 0; i < e->code.len && e->steady; i++)
        e->steady = steady_insn(&e->code.items[i]);
}
