/* SPDX-License-Identifier: Apache-2.0
 *
 * The same code in keyed domains: a lane holds a value of the domain, or one
 * that is known. Control, addresses and storage are vm.c's and lanes.c's; here
 * are the instructions on values.
 *
 * The common operations run over all lanes at once (interp/keyed/keyed_lanes.h), any
 * other lane by lane through the domain's own functions, which need a machine
 * of the walker's: one that has nothing but the algebra, scratch storage, and
 * a place for a fault. After a fault the walker runs and reports it.
 */
#include "interp/fast/keyed_vm.h"

#include "interp/fast/coop_vm.h"
#include "interp/keyed/keyed_lanes.h"

#include <string.h>

struct keyed_reg {
    struct interp_sym cell[LANES];
};

struct keyed_vm {
    struct machine m;
    struct keyed_reg *regs;
    struct keyed_reg spare;
};

/* ---- cells and values ----------------------------------------------------------- */

static struct interp_sym known(uint64_t bits)
{
    struct interp_sym s = {{bits, 0}, 0, 0, 0, 0, 0};
    return s;
}

/* A cell as the walker's value; the box is the cell itself. */
struct value fast_keyed_value_of(const struct interp_sym *cell)
{
    if (keyed_cell_known(cell))
        return exec_value_scalar(cell->lane[0], 0);
    struct value v = {{0}, V_BOX, 0};
    v.u.box = (const union interp_box *)(const void *)cell;
    return v;
}

bool fast_keyed_take(struct vm *v, struct value x, bool check_wrap,
                     struct interp_sym *out)
{
    if (v->keyed->m.failed)
        return lower_give_up(v->e, "something that keyed runs do not decide");
    if (x.flags & V_UNDEF)
        return lower_give_up(v->e, "an undefined value");
    if ((x.flags & V_WRAPPED) && check_wrap)
        return lower_give_up(v->e, "an integer that wraps");
    if (x.flags & V_BOX)
        *out = x.u.box->sym;
    else
        *out = known(x.u.bits);
    return true;
}

static const struct interp_sym *cells(const struct vm *v, uint32_t reg)
{
    return v->keyed->regs[reg].cell;
}

struct machine *fast_keyed_machine(struct vm *v)
{
    return &v->keyed->m;
}

/* ---- operations ------------------------------------------------------------------- */

static bool binary_lane(struct vm *v, const struct insn *in,
                        const struct interp_sym *a, const struct interp_sym *b,
                        struct interp_sym *d)
{
    struct machine *m = &v->keyed->m;
    struct scratch_mark mark = exec_scratch_save(m);
    struct value x = exec_binary(
        m, (enum num_op)in->num, fast_ftype_dtype((enum ftype)in->from),
        fast_keyed_value_of(a), fast_keyed_value_of(b));
    bool ok = fast_keyed_take(v, x, in->check_wrap, d);
    exec_scratch_restore(m, mark);
    return ok;
}

static bool binary(struct vm *v, const struct insn *in, struct keyed_reg *d,
                   const struct interp_sym *a, const struct interp_sym *b,
                   uint32_t lo, uint32_t hi)
{
    uint8_t done[LANES];
    struct dtype t = fast_ftype_dtype((enum ftype)in->from);
    if (!keyed_lanes_binary(v->keyed->m.keyed, (enum num_op)in->num, t, hi - lo,
                            a + lo, b + lo, d->cell + lo, done))
        memset(done, 0, hi - lo);
    for (uint32_t l = lo; l < hi; l++)
        if (!done[l - lo] && !binary_lane(v, in, &a[l], &b[l], &d->cell[l]))
            return false;
    return true;
}

/* Unary operations, casts, fma and choices: lane by lane. */
static struct value other_lane(struct machine *m, const struct insn *in,
                               const struct interp_sym *a,
                               const struct interp_sym *b,
                               const struct interp_sym *c)
{
    struct dtype from = fast_ftype_dtype((enum ftype)in->from);
    struct dtype type = fast_ftype_dtype((enum ftype)in->type);
    switch ((enum fop)in->op) {
    case F_UNARY:
        return exec_unary(m, (enum num_op)in->num, from,
                          fast_keyed_value_of(a));
    case F_CAST: return exec_cast(m, from, type, fast_keyed_value_of(a));
    case F_FMA:
        return exec_fma(m, type, fast_keyed_value_of(a), fast_keyed_value_of(b),
                        fast_keyed_value_of(c));
    default:
        return exec_choose(m, type, fast_keyed_value_of(a),
                           fast_keyed_value_of(b), fast_keyed_value_of(c));
    }
}

static bool other(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    struct machine *m = &v->keyed->m;
    struct keyed_reg *d = &v->keyed->regs[in->d];
    const struct interp_sym *a = cells(v, in->a);
    bool three = in->op == F_FMA || in->op == F_SELECT;
    const struct interp_sym *b = three ? cells(v, in->b) : a;
    const struct interp_sym *c = three ? cells(v, in->c) : a;
    for (uint32_t l = lo; l < hi; l++) {
        struct scratch_mark mark = exec_scratch_save(m);
        struct value x = other_lane(m, in, &a[l], &b[l], &c[l]);
        bool ok = fast_keyed_take(v, x, in->check_wrap, &d->cell[l]);
        exec_scratch_restore(m, mark);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- storage -------------------------------------------------------------------------- */

/* Indices of a gather must be known; lanes.c looks for them in registers of
 * numbers. */
static bool indices(struct vm *v, const struct addr *a, uint32_t lo,
                    uint32_t hi)
{
    for (size_t k = 0; k < a->ngather; k++) {
        uint32_t from = a->reg_uniform[k] ? 0 : lo;
        uint32_t to = a->reg_uniform[k] ? 1 : hi;
        v->regs[a->reg[k]].taint = TAINT_NONE;
        for (uint32_t l = from; l < to; l++) {
            const struct interp_sym *s = &cells(v, a->reg[k])[l];
            if (!keyed_cell_known(s))
                return lower_give_up(v->e, "an index that is not known");
            lanes_set(a->reg_type[k], &v->regs[a->reg[k]], l, s->lane[0]);
        }
    }
    return true;
}

static bool load(struct vm *v, const struct addr *a, struct keyed_reg *d,
                 uint32_t lo, uint32_t hi)
{
    struct place p = {true, 0, 0};
    if (!indices(v, a, lo, hi) || !lanes_place(v, a, lo, hi, &p) ||
        (a->look != RACE_LOOK_NOT && !lanes_races(v, a, &p, lo, hi - lo)))
        return false;
    const struct memory *s = fast_memory_of(v, a->store);
    const struct interp_sym *from = (const struct interp_sym *)(void *)s->data;
    for (uint32_t l = lo; l < hi; l++) {
        int64_t at = p.regular ? p.base + p.stride * (l - lo) : v->pos[l - lo];
        if (!(s->state[at] & INTERP_DEFINED))
            return lower_give_up(v->e, "an element that nothing wrote");
        d->cell[l] = from[at];
    }
    return true;
}

/* Whether thread l may store there. */
static bool race_of(struct vm *v, const struct store *s, int64_t at,
                    const struct interp_sym *x, uint32_t l)
{
    const struct memory *m = fast_memory_of(v, s);
    const struct interp_sym *cell = (const struct interp_sym *)(void *)m->data;
    uint8_t same =
        (m->state[at] & INTERP_DEFINED) && memcmp(&cell[at], x, sizeof *x) == 0;
    return shadow_write(v, s, &at, &same, l, 1);
}

static bool store(struct vm *v, const struct addr *a,
                  const struct interp_sym *from, uint32_t lo, uint32_t hi)
{
    struct place p = {true, 0, 0};
    if (!indices(v, a, lo, hi) || !lanes_place(v, a, lo, hi, &p))
        return false;
    struct memory *s = fast_memory_of(v, a->store);
    struct interp_sym *to = (struct interp_sym *)(void *)s->data;
    s->sound = false;
    for (uint32_t l = lo; l < hi; l++) {
        int64_t at = p.regular ? p.base + p.stride * (l - lo) : v->pos[l - lo];
        if (a->look != RACE_LOOK_NOT && !race_of(v, a->store, at, &from[l], l))
            return false;
        to[at] = from[l];
        s->state[at] = INTERP_DEFINED | INTERP_WRITTEN;
    }
    return true;
}

static void keyed_alloc(struct vm *v, const struct store *s)
{
    struct memory *m = fast_memory_of(v, s);
    struct interp_sym *to = (struct interp_sym *)(void *)m->data;
    size_t bytes = fast_ftype_bytes(s->type);
    memset(m->state, 0, (size_t)s->elements * s->lanes);
    for (size_t i = 0; s->init != NULL && i < s->init->bytes / bytes; i++) {
        to[i] = known(
            num_load(fast_ftype_dtype(s->type), s->init->data + i * bytes));
        m->state[i] = INTERP_DEFINED | INTERP_WRITTEN;
    }
}

/* target += a x b */
static bool mac(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    struct keyed_reg *sum = &v->keyed->regs[in->d];
    struct keyed_reg *product = &v->keyed->spare;
    struct insn op = {0};
    op.op = F_BINARY;
    op.type = op.from = in->type;
    op.num = NUM_MUL;
    if (!load(v, in->addr, sum, lo, hi) ||
        !binary(v, &op, product, cells(v, in->a), cells(v, in->b), lo, hi))
        return false;
    op.num = NUM_ADD;
    return binary(v, &op, sum, sum->cell, product->cell, lo, hi) &&
           store(v, in->addr, sum->cell, lo, hi);
}

static bool copy(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    struct keyed_reg *r = &v->keyed->spare;
    return load(v, in->addr2, r, lo, hi) && store(v, in->addr, r->cell, lo, hi);
}

/* ---- instructions ------------------------------------------------------------------------ */

static void affine(struct vm *v, const struct insn *in, uint32_t lo,
                   uint32_t hi)
{
    enum ftype type = (enum ftype)in->type;
    struct keyed_reg *d = &v->keyed->regs[in->d];
    lanes_affine(v, in->addr, type, &v->regs[in->d], lo, hi);
    for (uint32_t l = lo; l < hi; l++)
        d->cell[l] = known(lanes_bits(type, &v->regs[in->d], l));
}

bool fast_keyed_one(struct vm *v, const struct insn *in, uint32_t lo,
                    uint32_t hi)
{
    struct keyed_reg *d = &v->keyed->regs[in->d];
    switch ((enum fop)in->op) {
    case F_CONST:
        for (uint32_t l = lo; l < hi; l++)
            d->cell[l] = known(in->bits);
        return true;
    case F_AFFINE: affine(v, in, lo, hi); return true;
    case F_LOAD: return load(v, in->addr, d, lo, hi);
    case F_SPREAD: {
        struct interp_sym s = cells(v, in->a)[0];
        for (uint32_t l = lo; l < hi; l++)
            d->cell[l] = s;
        return true;
    }
    case F_MOVE:
        memmove(d->cell + lo, cells(v, in->a) + lo,
                (hi - lo) * sizeof d->cell[0]);
        return true;
    case F_BINARY:
        return binary(v, in, d, cells(v, in->a), cells(v, in->b), lo, hi);
    case F_UNARY:
    case F_CAST:
    case F_FMA:
    case F_SELECT: return other(v, in, lo, hi);
    case F_STORE: return store(v, in->addr, cells(v, in->a), lo, hi);
    case F_COPY: return copy(v, in, lo, hi);
    case F_MAC: return mac(v, in, lo, hi);
    case F_ALLOC:
        shadow_birth(v, in->store);
        keyed_alloc(v, in->store);
        return true;
    case F_QUIET:
    case F_CONTROL: break;
    }
    return true;
}

bool fast_keyed_mask(struct vm *v, uint32_t reg, uint32_t lo, uint32_t hi,
                     uint8_t *mask)
{
    for (uint32_t l = lo; l < hi; l++) {
        const struct interp_sym *s = &cells(v, reg)[l];
        if (!keyed_cell_known(s))
            return lower_give_up(v->e, "a condition that is not known");
        mask[l - lo] = s->lane[0] != 0;
    }
    return true;
}

bool fast_keyed_condition(struct vm *v, uint32_t reg, bool *out)
{
    const struct interp_sym *s = &cells(v, reg)[0];
    *out = s->lane[0] != 0;
    return keyed_cell_known(s) ||
           lower_give_up(v->e, "a condition that is not known");
}

/* ---- begin and end --------------------------------------------------------------------------- */

void fast_keyed_begin(struct vm *v)
{
    const struct engine *e = v->e;
    struct keyed_vm *k = dc_alloc(sizeof *k);
    v->keyed = k;
    k->regs = dc_alloc((e->nregs + 2) * sizeof *k->regs);
    k->m.options = *e->options;
    k->m.keyed = interp_keyed_new(e->options);
    k->m.domain = k->m.keyed->domain;
    k->m.plain = interp_domain_of(INTERP_IEEE);
    k->m.thread = &k->m.host;
    exec_scratch_init(&k->m);
}

/* An algebra is a function of the options: what one has worked out, others work
 * out to the same. */
void fast_keyed_share(struct vm *v, const struct vm *from)
{
    fast_keyed_begin(v);
    memcpy(v->keyed->regs, from->keyed->regs,
           (v->e->nregs + 2) * sizeof *v->keyed->regs);
}

void fast_keyed_join(struct vm *into, struct vm *v)
{
    struct interp_keyed *a = into->keyed->m.keyed, *b = v->keyed->m.keyed;
    struct vm_result unused;
    a->ops += b->ops;
    a->assumptions |= b->assumptions;
    if (b->degree > a->degree)
        a->degree = b->degree;
    fast_keyed_end(v, &unused);
}

void fast_keyed_end(struct vm *v, struct vm_result *out)
{
    struct keyed_vm *k = v->keyed;
    out->keyed_ops = k->m.keyed->ops;
    out->degree = k->m.keyed->degree;
    if (out->degree == 0)
        out->degree = 1;
    out->assumptions = k->m.keyed->assumptions;
    interp_result_fini(&k->m.result);
    interp_keyed_free(k->m.keyed);
    exec_scratch_fini(&k->m);
    dc_release(k->regs);
    dc_release(k);
}

void fast_keyed_fill(struct engine *e, struct store *s)
{
    const struct interp_tensor *t = e->args[s->param].tensor;
    struct interp_sym *to = (struct interp_sym *)(void *)s->data;
    for (size_t i = 0; i < t->elements; i++) {
        s->state[i] = t->state[i] & (uint8_t)~INTERP_SYMBOLIC;
        to[i] = t->state[i] & INTERP_SYMBOLIC ? t->box[i].sym
                                              : known(interp_tensor_get(t, i));
    }
}

void fast_keyed_back(const struct store *s, struct interp_tensor *t)
{
    const struct interp_sym *from = (const struct interp_sym *)(void *)s->data;
    if (t->box == NULL)
        t->box = dc_alloc((t->elements + 1) * sizeof *t->box);
    for (size_t i = 0; i < t->elements; i++) {
        t->state[i] = s->state[i];
        if (!(s->state[i] & INTERP_DEFINED))
            continue;
        if (keyed_cell_known(&from[i])) {
            interp_tensor_set(t, i, from[i].lane[0]);
        } else {
            t->box[i].sym = from[i];
            t->state[i] |= INTERP_SYMBOLIC;
        }
    }
}
