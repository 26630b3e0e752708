/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of values in normal form: one pointer for equal nodes, replacement of
 * atoms, printing. The context of a proof.
 */
#include "verifier/value/value.h"

#include <stdlib.h>
#include <string.h>

struct value_table {
    size_t n, cap;
    const struct value **slots;
    struct VEC(const struct value *) preds; /* whose id is a predicate's key */
};

void *vctx_fail(struct vctx *c, const char *fmt, ...)
{
    if (c->failed == NULL) {
        va_list args;
        va_start(args, fmt);
        c->failed = arena_vprintf(c->arena, fmt, args);
        va_end(args);
    }
    return NULL;
}

/* What ends evaluation, too, not the proofs alone. */
static bool is_over(struct vctx *c)
{
    if (dc_memory_low()) {
        (void)vctx_fail(c, "'--max-memory' leaves no room for the proof");
        return true;
    }
    if (c->steps < VCTX_MAX_STEPS)
        return false;
    (void)vctx_fail(c, "the proof takes too many steps");
    return true;
}

bool vctx_spent(struct vctx *c)
{
    if (is_over(c))
        return true;
    if (c->work < VCTX_MAX_WORK)
        return false;
    (void)vctx_fail(c, "the proof takes too many steps");
    return true;
}

bool vctx_step(struct vctx *c, unsigned n)
{
    c->steps += n;
    return !is_over(c);
}

bool vctx_enter(struct vctx *c)
{
    c->nesting++;
    if (c->nesting > VCTX_MAX_NESTING) {
        (void)vctx_fail(c, "values depend on one another too deeply");
        return false;
    }
    return vctx_step(c, 1);
}

void vctx_leave(struct vctx *c)
{
    c->nesting--;
}

static void note_refuted(struct vctx *c, const struct form *ctx,
                         const struct form *goal)
{
    struct vrefuted *w = c->refuted;
    if (w == NULL)
        return;
    size_t at = w->n++ % VCTX_REFUTED;
    w->kept[at].ctx = ctx;
    w->kept[at].goal = goal;
}

bool vctx_proves(struct vctx *c, const struct form *ctx,
                 const struct form *goal, const char *what)
{
    if (goal->kind == FORM_TRUE)
        return true;
    c->work += 4;
    if (vctx_spent(c))
        return false;
    enum smt_answer answer =
        smt_prove(c->smt, form_and2(c->space, ctx, c->facts), goal, what, true);
    if (answer == SMT_REFUTED)
        note_refuted(c, ctx, goal);
    return answer == SMT_PROVED;
}

bool vctx_unsat(struct vctx *c, const struct form *ctx, const char *what)
{
    if (ctx->kind == FORM_FALSE)
        return true;
    c->work += 4;
    if (vctx_spent(c))
        return false;
    enum smt_answer answer =
        smt_unsat(c->smt, form_and2(c->space, ctx, c->facts), what, true);
    if (answer == SMT_REFUTED)
        note_refuted(c, ctx, form_false(c->space));
    return answer == SMT_PROVED;
}

/* ---- nodes ------------------------------------------------------------------ */

static uint64_t hash_pointers(uint64_t h, size_t n, const void *const *p)
{
    for (size_t i = 0; i < n; i++)
        h = hash_mix(h, (uint64_t)(uintptr_t)p[i]);
    return h;
}

static uint64_t hash_value(const struct value *v)
{
    uint64_t h = hash_mix((uint64_t)v->kind, v->bits);
    h = hash_mix(h, (uint64_t)v->dtype.code << 32 | (uint64_t)v->dtype.bits);
    h = hash_mix(h, (uint64_t)(unsigned)v->param << 32 | (unsigned)v->op);
    h = hash_mix(h, (uint64_t)(unsigned)v->call << 32 | (uint64_t)v->nargs);
    h = hash_pointers(h, v->nindex, (const void *const *)v->index);
    h = hash_pointers(h, v->nargs, (const void *const *)v->args);
    h = hash_mix(h, (uint64_t)(uintptr_t)v->cond);
    return hash_mix(h, (uint64_t)(uintptr_t)v->parts);
}

static bool same_node(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind || !dtype_equal(a->dtype, b->dtype) ||
        a->bits != b->bits || a->param != b->param || a->op != b->op ||
        a->call != b->call || a->nindex != b->nindex || a->nargs != b->nargs ||
        a->cond != b->cond || a->nparts != b->nparts || a->parts != b->parts ||
        a->swapped != b->swapped)
        return false;
    if ((a->name == NULL) != (b->name == NULL) ||
        (a->name != NULL && strcmp(a->name, b->name) != 0))
        return false;
    for (size_t i = 0; i < a->nindex; i++)
        if (a->index[i] != b->index[i])
            return false;
    for (size_t i = 0; i < a->nargs; i++)
        if (a->args[i] != b->args[i])
            return false;
    return true;
}

static void grow(struct value_table *t)
{
    size_t cap = t->cap == 0 ? 256 : t->cap * 2;
    const struct value **slots =
        (const struct value **)dc_alloc(cap * sizeof *slots);
    for (size_t i = 0; i < t->cap; i++)
        if (t->slots[i] != NULL) {
            size_t k = hash_value(t->slots[i]) & (cap - 1);
            while (slots[k] != NULL)
                k = (k + 1) & (cap - 1);
            slots[k] = t->slots[i];
        }
    dc_release((void *)t->slots);
    t->slots = slots;
    t->cap = cap;
}

const struct value *value_make(struct vctx *c, const struct value *proto)
{
    struct value_table *t = c->values;
    if ((t->n + 1) * 2 > t->cap)
        grow(t);
    size_t k = hash_value(proto) & (t->cap - 1);
    for (; t->slots[k] != NULL; k = (k + 1) & (t->cap - 1))
        if (same_node(t->slots[k], proto))
            return t->slots[k];
    struct value *v = arena_memdup(c->arena, proto, sizeof *proto);
    v->id = (uint32_t)t->n++;
    v->has_undef = v->kind == VALUE_UNDEF;
    v->uncast = NULL;
    v->reads = v->kind == VALUE_INPUT ? (uint64_t)1 << (v->param & 63) : 0;
    for (size_t i = 0; i < v->nargs; i++) {
        v->has_undef = v->has_undef || v->args[i]->has_undef;
        v->reads |= v->args[i]->reads;
    }
    for (size_t i = 0; i < v->nparts; i++) {
        v->has_undef = v->has_undef || v->parts[i].leaf->has_undef;
        v->reads |= v->parts[i].leaf->reads;
    }
    if (v->nindex > 0)
        v->index = (const struct aff **)arena_memdup(
            c->arena, (const void *)v->index, v->nindex * sizeof *v->index);
    if (v->nargs > 0)
        v->args = (const struct value **)arena_memdup(
            c->arena, (const void *)v->args, v->nargs * sizeof *v->args);
    v->has_hole = value_holds_hole(c, v);
    t->slots[k] = v;
    return v;
}

void value_keep_uncast(const struct value *v, const struct value *uncast)
{
    /* nodes are made here and are no constants; the field is a memo */
    ((struct value *)(uintptr_t)v)->uncast = uncast;
}

const struct value *value_const(struct vctx *c, struct dtype t, uint64_t bits)
{
    struct value v = {.kind = VALUE_CONST, .dtype = t, .bits = bits};
    return value_make(c, &v);
}

const struct value *value_index(struct vctx *c, struct dtype t,
                                const struct aff *a)
{
    int64_t k;
    if (aff_is_const(a, &k)) {
        unsigned flags = 0;
        return value_const(c, t, num_from_int(t, k, &flags));
    }
    struct value v = {
        .kind = VALUE_INDEX, .dtype = t, .nindex = 1, .index = &a};
    return value_make(c, &v);
}

const struct value *value_ite(struct vctx *c, const struct form *cond,
                              const struct value *a, const struct value *b)
{
    if (cond->kind == FORM_TRUE || a == b)
        return a;
    if (cond->kind == FORM_FALSE)
        return b;
    const struct value *args[2] = {a, b};
    struct value v = {.kind = VALUE_ITE,
                      .dtype = a->dtype,
                      .cond = cond,
                      .nargs = 2,
                      .args = args};
    return value_make(c, &v);
}

const struct value *value_undef(struct vctx *c, struct dtype t)
{
    struct value v = {.kind = VALUE_UNDEF, .dtype = t};
    return value_make(c, &v);
}

bool value_is_const(const struct value *v, uint64_t *bits)
{
    *bits = v->bits;
    return v->kind == VALUE_CONST;
}

bool value_has_undef(const struct value *v)
{
    return v->has_undef;
}

/* ---- replacement of atoms --------------------------------------------------- */

/* Memo of one replacement; values are DAGs. */
struct subst {
    struct vctx *c;
    struct aff_map own; /* the caller's, or a copy once it grows */
    bool copied;
    struct VEC(const struct value *) from, to;
};

static const struct value *subst_value(struct subst *s, const struct value *v);

/* One more replacement; the caller's map stays as it is. */
static void subst_put(struct subst *s, atom_id id, const struct aff *to)
{
    if (!s->copied || id >= s->own.n) {
        size_t end = s->own.first + s->own.n;
        size_t n = (id >= end ? (size_t)id + 1 : end) + 64;
        const struct aff **now = (const struct aff **)dc_alloc(n * sizeof *now);
        if (s->own.n > 0)
            memcpy((void *)(now + s->own.first), (const void *)s->own.to,
                   s->own.n * sizeof *now);
        if (s->copied)
            dc_release((void *)s->own.to);
        s->own = (struct aff_map){.n = n, .to = now};
        s->copied = true;
    }
    s->own.to[id] = to;
}

static const struct form *subst_form(struct subst *s, const struct form *f);
static const struct aff *subst_aff(struct subst *s, const struct aff *a);

static const struct aff *subst_choice(struct subst *s, const struct vchoice *k)
{
    const struct aff *a = subst_aff(s, k->a), *b = subst_aff(s, k->b);
    if (k->cond == NULL)
        return a == k->a && b == k->b ? k->aff
                                      : vchoice_bits(s->c, k->kind, a, b);
    const struct form *cond = subst_form(s, k->cond);
    return a == k->a && b == k->b && cond == k->cond
               ? k->aff
               : vchoice_make(s->c, cond, a, b);
}

static const struct aff *subst_opaque(struct subst *s, atom_id id)
{
    struct aff_space *sp = s->c->space;
    const struct value *old = aff_atom_info(sp, id)->user;
    const struct value *now = subst_value(s, old);
    if (now == old)
        return aff_of_atom(sp, id);
    const struct atom *info = aff_atom_info(sp, id);
    atom_id fresh =
        aff_opaque_make(sp, now->id, info->name, info->lo, info->hi);
    aff_atom_set_user(sp, fresh, (void *)(uintptr_t)now);
    vgiven_note(s->c, fresh, now);
    return aff_of_atom(sp, fresh);
}

/* Opaque integers stand for values and choices for one of their operands, which
 * may hold replaced atoms. */
static void prepare_hidden(struct subst *s, const struct aff *a)
{
    struct aff_space *sp = s->c->space;
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id id = a->terms[i].atom;
        const struct atom *info = aff_atom_info(sp, id);
        if (info->def != NULL)
            prepare_hidden(s, info->def);
        if (info->other != NULL)
            prepare_hidden(s, info->other);
        info = aff_atom_info(sp, id);
        if (info->user == NULL || aff_map_at(&s->own, id) != NULL)
            continue;
        if (info->kind == ATOM_OPAQUE)
            subst_put(s, id, subst_opaque(s, id));
        else if (info->kind == ATOM_VAR)
            subst_put(s, id, subst_choice(s, info->user));
    }
}

static const struct aff *subst_aff(struct subst *s, const struct aff *a)
{
    prepare_hidden(s, a);
    return aff_subst(s->c->space, a, &s->own);
}

static const struct form *subst_form(struct subst *s, const struct form *f)
{
    struct aff_space *sp = s->c->space;
    switch (f->kind) {
    case FORM_TRUE:
    case FORM_FALSE: return f;
    case FORM_GE0: return form_ge0(sp, subst_aff(s, f->a));
    case FORM_EQ0: return form_eq(sp, subst_aff(s, f->a), aff_const(sp, 0));
    case FORM_NOT_EQ0:
        return form_not(sp, form_eq(sp, subst_aff(s, f->a), aff_const(sp, 0)));
    case FORM_PRED: {
        const struct value *old = vpred_value(s->c, f->key);
        if (old == NULL)
            return f;
        const struct value *now = subst_value(s, old);
        const struct form *p = vpred_of(s->c, now);
        return f->negated ? form_not(sp, p) : p;
    }
    case FORM_AND:
    case FORM_OR: break;
    }
    const struct form **args =
        ARENA_ARRAY(s->c->arena, f->n, const struct form *);
    for (uint32_t i = 0; i < f->n; i++)
        args[i] = subst_form(s, f->args[i]);
    return f->kind == FORM_AND ? form_and(sp, f->n, args)
                               : form_or(sp, f->n, args);
}

static struct value_part subst_part(struct subst *s, const struct value_part *p)
{
    struct value_part out = *p;
    out.where = subst_form(s, p->where);
    out.leaf = subst_value(s, p->leaf);
    const struct aff **time =
        ARENA_ARRAY(s->c->arena, p->ntime + 1, const struct aff *);
    for (size_t i = 0; i < p->ntime; i++)
        time[i] = subst_aff(s, p->time[i]);
    out.time = time;
    return out;
}

static const struct value *subst_parts(struct subst *s, const struct value *v,
                                       struct value *proto)
{
    struct value_part *parts =
        ARENA_ARRAY(s->c->arena, v->nparts, struct value_part);
    bool changed = false;
    for (size_t i = 0; i < v->nparts; i++) {
        parts[i] = subst_part(s, &v->parts[i]);
        changed |= parts[i].where != v->parts[i].where ||
                   parts[i].leaf != v->parts[i].leaf;
        for (size_t t = 0; t < parts[i].ntime; t++)
            changed |= parts[i].time[t] != v->parts[i].time[t];
    }
    if (changed)
        proto->parts = parts;
    return value_make(s->c, proto);
}

static const struct value *subst_node(struct subst *s, const struct value *v)
{
    struct value proto = *v;
    if (v->nindex > 0) {
        const struct aff **index =
            ARENA_ARRAY(s->c->arena, v->nindex, const struct aff *);
        for (size_t i = 0; i < v->nindex; i++)
            index[i] = subst_aff(s, v->index[i]);
        proto.index = index;
    }
    if (v->kind == VALUE_INDEX)
        return value_index(s->c, v->dtype, proto.index[0]);
    if (v->nargs > 0) {
        const struct value **args =
            ARENA_ARRAY(s->c->arena, v->nargs, const struct value *);
        for (size_t i = 0; i < v->nargs; i++)
            args[i] = subst_value(s, v->args[i]);
        proto.args = args;
    }
    if (v->kind == VALUE_ITE)
        return value_ite(s->c, subst_form(s, v->cond), proto.args[0],
                         proto.args[1]);
    if (v->nparts > 0)
        return subst_parts(s, v, &proto);
    return value_make(s->c, &proto);
}

static const struct value *subst_value(struct subst *s, const struct value *v)
{
    if (v->kind == VALUE_CONST || v->kind == VALUE_UNDEF ||
        v->kind == VALUE_SCALAR)
        return v;
    for (size_t i = 0; i < s->from.len; i++)
        if (s->from.items[i] == v)
            return s->to.items[i];
    const struct value *out = subst_node(s, v);
    vec_push(&s->from, v);
    vec_push(&s->to, out);
    return out;
}

static void subst_init(struct subst *s, struct vctx *c,
                       const struct aff_map *map)
{
    *s = (struct subst){.c = c, .own = *map};
}

static void subst_fini(struct subst *s)
{
    if (s->copied)
        dc_release((void *)s->own.to);
    vec_fini(&s->from);
    vec_fini(&s->to);
}

void vctx_map_set(struct vctx *c, struct aff_map *m, atom_id a,
                  const struct aff *to)
{
    if (a >= m->n) {
        size_t n = aff_natoms(c->space) + 64;
        const struct aff **now = ARENA_ARRAY(c->arena, n, const struct aff *);
        for (size_t i = 0; i < m->n; i++)
            now[i] = m->to[i];
        m->to = now;
        m->n = n;
    }
    m->to[a] = to;
}

const struct value *value_subst(struct vctx *c, const struct value *v,
                                const struct aff_map *map)
{
    struct subst s;
    subst_init(&s, c, map);
    const struct value *out = subst_value(&s, v);
    subst_fini(&s);
    return out;
}

const struct aff *vaff_subst(struct vctx *c, const struct aff *a,
                             const struct aff_map *map)
{
    struct subst s;
    subst_init(&s, c, map);
    const struct aff *out = subst_aff(&s, a);
    subst_fini(&s);
    return out;
}

const struct form *vform_subst(struct vctx *c, const struct form *f,
                               const struct aff_map *map)
{
    struct subst s;
    subst_init(&s, c, map);
    const struct form *out = subst_form(&s, f);
    subst_fini(&s);
    return out;
}

const struct form *vatom_takes(struct vctx *c, atom_id atom,
                               const struct aff *v)
{
    const struct atom *a = aff_atom_info(c->space, atom);
    const struct form *f = form_true(c->space);
    if (a->lo != AFF_NO_LOWER)
        f = form_le(c->space, aff_const(c->space, a->lo), v);
    if (a->hi != AFF_NO_BOUND)
        f = form_and2(c->space, f,
                      form_le(c->space, v, aff_const(c->space, a->hi)));
    return f;
}

const struct form *vpred_of(struct vctx *c, const struct value *v)
{
    uint64_t bits;
    if (value_is_const(v, &bits))
        return bits != 0 ? form_true(c->space) : form_false(c->space);
    struct value_table *t = c->values;
    bool known = false;
    for (size_t i = 0; i < t->preds.len && !known; i++)
        known = t->preds.items[i] == v;
    if (!known)
        vec_push(&t->preds, v);
    return form_pred(c->space, v->id);
}

const struct value *vpred_value(const struct vctx *c, uint64_t key)
{
    for (size_t i = 0; i < c->values->preds.len; i++)
        if (c->values->preds.items[i]->id == key)
            return c->values->preds.items[i];
    return NULL;
}

/* ---- context ---------------------------------------------------------------- */

struct vctx *vctx_new(const struct vprog *untuned, const struct vprog *tuned,
                      const struct smt_limits *limits)
{
    struct vctx *c = dc_alloc(sizeof *c);
    c->space = aff_space_new();
    c->arena = aff_arena(c->space);
    c->smt = smt_new(c->space, limits);
    c->progs[0] = untuned;
    c->progs[1] = tuned;
    c->facts = form_true(c->space);
    c->values = dc_alloc(sizeof *c->values);
    vctx_bind_symbols(c);
    return c;
}

void vctx_free(struct vctx *c)
{
    if (c == NULL)
        return;
    vflow_free(c);
    vec_fini(&c->clean);
    vec_fini(&c->opaques);
    vec_fini(&c->bits_failed);
    vec_fini(&c->values->preds);
    dc_release((void *)c->values->slots);
    dc_release(c->values);
    vctx_unbind_symbols(c);
    smt_free(c->smt);
    aff_space_free(c->space);
    dc_release(c);
}

/* ---- printing --------------------------------------------------------------- */

static void print_list(struct vctx *c, size_t n, const struct aff *const *index,
                       struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        aff_print(c->space, index[i], out);
    }
}

static const char *op_text(const struct value *v)
{
    return v->op == IR_CALL ? v->name : ir_expr_kind_name(v->op);
}

static void print_value(struct vctx *c, const struct value *v, struct buf *out);

static void print_reduce(struct vctx *c, const struct value *v, struct buf *out)
{
    if (v->kind == VALUE_FOLD)
        buf_printf(out, "component %d of steps from ", v->param);
    else
        buf_printf(out, "reduce %s from ", ir_expr_kind_name(v->op));
    print_value(c, v->args[0], out);
    for (size_t i = 0; i < v->nparts; i++) {
        const struct value_part *p = &v->parts[i];
        buf_puts(out, " { ");
        for (size_t b = 0; b < p->nbinders; b++)
            buf_printf(out, "%s ",
                       aff_atom_info(c->space, p->binders[b])->name);
        if (p->where->kind != FORM_TRUE) {
            buf_puts(out, "| ");
            form_print(c->space, p->where, out);
        }
        buf_puts(out, " : ");
        print_value(c, p->leaf, out);
        buf_puts(out, " }");
    }
}

#define MAX_PRINTED 100000u /* bytes of one value */

void value_print(struct vctx *c, const struct value *v, struct buf *out)
{
    struct buf text = {0};
    print_value(c, v, &text);
    buf_append(out, buf_text(&text),
               utf8_cut(buf_text(&text), text.len, MAX_PRINTED));
    if (text.len > MAX_PRINTED)
        buf_puts(out, " ...");
    buf_fini(&text);
}

/* Names hold the names of what they are of, which would double each time. */
#define MAX_NAMED 2000u

const char *value_name(struct vctx *c, const struct value *v)
{
    struct buf text = {0}, name = {0};
    print_value(c, v, &text);
    buf_append(&name, buf_text(&text),
               utf8_cut(buf_text(&text), text.len, MAX_NAMED));
    if (text.len > MAX_NAMED) /* another one may begin alike */
        buf_printf(&name, " ... #%u", v->id);
    const char *kept = arena_strdup(c->arena, buf_text(&name));
    buf_fini(&text);
    buf_fini(&name);
    return kept;
}

static void print_value(struct vctx *c, const struct value *v, struct buf *out)
{
    if (out->len > MAX_PRINTED)
        return;
    char type[48];
    const char *name;
    switch (v->kind) {
    case VALUE_CONST: num_put(out, v->dtype, v->bits); return;
    case VALUE_INPUT:
        name = c->progs[0]->params[v->param] != NULL
                   ? c->progs[0]->params[v->param]->buffer->name
                   : "?";
        buf_printf(out, "%s[", name);
        print_list(c, v->nindex, v->index, out);
        buf_putc(out, ']');
        return;
    case VALUE_INDEX:
        buf_printf(out, "%s(", dtype_name(v->dtype, type));
        print_list(c, 1, v->index, out);
        buf_putc(out, ')');
        return;
    case VALUE_SCALAR: buf_printf(out, "param%d", v->param); return;
    case VALUE_UNDEF: buf_puts(out, "uninitialised"); return;
    case VALUE_HOLE: buf_printf(out, "state%d", v->param); return;
    case VALUE_REDUCE:
    case VALUE_FOLD: print_reduce(c, v, out); return;
    case VALUE_ITE:
        buf_puts(out, "(");
        form_print(c->space, v->cond, out);
        buf_puts(out, " ? ");
        print_value(c, v->args[0], out);
        buf_puts(out, " : ");
        print_value(c, v->args[1], out);
        buf_puts(out, ")");
        return;
    case VALUE_TUPLE: buf_putc(out, '('); break;
    case VALUE_OP:
        buf_printf(out, "%s.%s(", op_text(v), dtype_name(v->dtype, type));
        break;
    }
    for (size_t i = 0; i < v->nargs; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        print_value(c, v->args[i], out);
    }
    buf_putc(out, ')');
}
