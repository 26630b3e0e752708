/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas and what separates them, in the words of the module: operators as
 * in Python, parameters by name with their indices, the ends of types as min
 * and max. Of what is combined in large numbers the first two and the last are
 * shown.
 */
#include "diff/why/why.h"

#include <string.h>

#define MAX_DEPTH   40u
#define SHOWN       4u /* so many operands are written out */
#define MAX_COUNTED 65536u
#define SHORT       48u /* bytes of a part that is named in a sentence */

struct text {
    struct buf *out;
    size_t limit; /* of out->len */
    const struct interp_signature *sig;
    unsigned depth;
};

static void put(struct text *x, const struct interp_form *form, int outer);

static void put_number(struct text *x, const struct interp_form *f)
{
    struct dtype t = dtype_scalar(f->dtype);
    bool wide = t.bits >= 8;
    if (wide && f->bits == num_min_value(t) && t.code != DT_UINT)
        buf_puts(x->out, "min");
    else if (wide && f->bits == num_max_value(t))
        buf_puts(x->out, "max");
    else
        num_put(x->out, t, f->bits);
}

static void put_atom(struct text *x, const struct interp_form *f)
{
    if (f->param >= x->sig->nparams) {
        buf_puts(x->out, "?");
        return;
    }
    const struct interp_param *p = &x->sig->params[f->param];
    struct interp_tensor shape = {
        .dtype = p->dtype, .rank = p->rank, .shape = p->shape};
    buf_puts(x->out, p->name);
    if (p->is_tensor)
        interp_put_index(x->out, &shape, f->element);
}

static void put_call(struct text *x, const struct interp_form *f)
{
    char type[48];
    const char *name =
        f->op == IR_MIN      ? "min"
        : f->op == IR_MAX    ? "max"
        : f->op == IR_NOT    ? "not"
        : f->op == IR_BITNOT ? "~"
        : f->op == IR_CAST   ? dtype_name(dtype_scalar(f->dtype), type)
        : f->op == IR_CALL && f->name != NULL ? f->name
                                              : ir_expr_kind_name(f->op);
    const char *dot = strrchr(name, '.');
    buf_puts(x->out, dot != NULL && dot[1] != '\0' ? dot + 1 : name);
    buf_putc(x->out, '(');
    for (uint32_t i = 0; i < f->nargs; i++) {
        if (i > 0)
            buf_puts(x->out, ", ");
        if (i == SHOWN && f->nargs > SHOWN + 1) {
            buf_puts(x->out, "…");
            break;
        }
        put(x, f->args[i], 0);
    }
    buf_putc(x->out, ')');
}

/* ---- many operands ----------------------------------------------------------------- */

struct some {
    size_t n;
    const struct interp_form *first[SHOWN], *last;
    bool minus[SHOWN], last_minus; /* what is subtracted */
    const struct interp_form
        *zero; /* one of those of a sum that are left out */
};

static bool is_part(const struct interp_form *f, const struct interp_form *of)
{
    bool sums = (f->op == IR_ADD || f->op == IR_SUB) &&
                (of->op == IR_ADD || of->op == IR_SUB);
    return f->kind == INTERP_FORM_OP && (f->op == of->op || sums) &&
           f->nargs == 2 && dtype_equal(f->dtype, of->dtype);
}

/* What sums begin with, those of threads among others. */
static bool is_zero_of_sum(const struct interp_form *f,
                           const struct interp_form *of)
{
    return (of->op == IR_ADD || of->op == IR_SUB) &&
           f->kind == INTERP_FORM_NUMBER && f->bits == 0;
}

/* The operands of a nest of one operation: the first of them, the last, and how
 * many there are. Nests lean to the left: the depth of the rest is small. */
static void gather(const struct interp_form *f, const struct interp_form *of,
                   unsigned depth, bool minus, struct some *s)
{
    struct VEC(const struct interp_form *) spine = {0};
    for (;;) {
        f = why_bare(f);
        if (!is_part(f, of) || depth > MAX_DEPTH)
            break;
        vec_push(&spine, f);
        f = f->args[0];
    }
    if (s->n >= MAX_COUNTED) {
        vec_fini(&spine);
        return;
    }
    if (is_zero_of_sum(f, of)) {
        s->zero = f;
    } else {
        if (s->n < SHOWN) {
            s->first[s->n] = f;
            s->minus[s->n] = minus;
        }
        s->last = f;
        s->last_minus = minus;
        s->n++;
    }
    while (spine.len > 0) {
        f = spine.items[--spine.len];
        gather(f->args[1], of, depth + 1, minus != (f->op == IR_SUB), s);
    }
    vec_fini(&spine);
}

static void put_many(struct text *x, const struct interp_form *f,
                     const struct ir_infix *infix)
{
    struct some s = {0};
    const char *between = infix != NULL ? infix->text : ", ";
    int level = infix != NULL ? infix->level : 0;
    gather(f, f, 0, false, &s);
    bool zero = s.zero != NULL;
    size_t shown = s.n + zero <= SHOWN ? s.n : 3 - (size_t)zero;
    if (s.n == 0 && zero)
        put(x, s.zero, level);
    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            buf_puts(x->out, s.minus[i] ? " - " : between);
        else if (s.minus[i])
            buf_putc(x->out, '-');
        put(x, s.first[i], level + s.minus[i]);
    }
    if (shown == s.n)
        return;
    const char *next = s.last_minus ? " - " : between;
    buf_printf(x->out, "%s…%s", next, next);
    put(x, s.last, level + s.last_minus);
}

static bool is_nest(const struct interp_form *f)
{
    return f->nargs == 2 &&
           (f->op == IR_ADD || f->op == IR_SUB || f->op == IR_MUL ||
            f->op == IR_MIN || f->op == IR_MAX || f->op == IR_AND ||
            f->op == IR_OR || f->op == IR_BITAND || f->op == IR_BITOR ||
            f->op == IR_BITXOR);
}

static void put_op(struct text *x, const struct interp_form *f, int outer)
{
    const struct ir_infix *infix = f->nargs == 2 ? ir_infix_of(f->op) : NULL;
    if (f->op == IR_SUB && f->nargs == 1) {
        buf_putc(x->out, '-');
        put(x, f->args[0], ir_infix_of(IR_MUL)->level);
        return;
    }
    if (f->op == IR_SUB)
        infix = ir_infix_of(IR_ADD);
    bool nest = is_nest(f);
    if (infix == NULL && !nest) {
        put_call(x, f);
        return;
    }
    bool close = infix == NULL || infix->level < outer;
    if (infix == NULL)
        buf_puts(x->out, f->op == IR_MIN ? "min" : "max");
    if (close)
        buf_putc(x->out, '(');
    if (nest) {
        put_many(x, f, infix);
    } else {
        put(x, f->args[0], infix->level);
        buf_puts(x->out, infix->text);
        put(x, f->args[1], infix->level + 1);
    }
    if (close)
        buf_putc(x->out, ')');
}

static void put(struct text *x, const struct interp_form *form, int outer)
{
    const struct interp_form *f = why_bare(form);
    if (x->out->len >= x->limit || x->depth > MAX_DEPTH) {
        buf_puts(x->out, "…");
        return;
    }
    x->depth++;
    switch (f->kind) {
    case INTERP_FORM_NUMBER: put_number(x, f); break;
    case INTERP_FORM_ATOM: put_atom(x, f); break;
    case INTERP_FORM_UNDEFINED: buf_puts(x->out, "undefined"); break;
    case INTERP_FORM_COPY: break;
    case INTERP_FORM_OP: put_op(x, f, outer); break;
    }
    x->depth--;
}

void why_put_form(struct buf *out, const struct interp_form *form,
                  const struct interp_signature *sig, size_t most)
{
    struct text x = {out, out->len + most, sig, 0};
    put(&x, form, 0);
}

void why_put_vars(struct buf *out, const struct why_store *store)
{
    const struct interp_made *m = store->made;
    for (size_t i = 0; i < m->nvars; i++) {
        buf_printf(out, "%s%s = %lld", i > 0 ? ", " : "", m->vars[i]->name,
                   (long long)store->from[i]);
        if (store->to[i] > store->from[i])
            buf_printf(out, "..%lld", (long long)store->to[i]);
    }
}

/* ---- causes ---------------------------------------------------------------------------- */

/* A part as text, if it is short. */
static bool is_short(const struct interp_form *f,
                     const struct interp_signature *sig, struct buf *text)
{
    text->len = 0;
    why_put_form(text, f, sig, SHORT);
    return text->len <= SHORT;
}

static const char *noun_of(enum ir_expr_kind op)
{
    return op == IR_ADD || op == IR_SUB ? "terms"
           : op == IR_MUL               ? "factors"
                                        : "values";
}

/* "is not added": what it is not to be one of the operands. */
static const char *verb_of(enum ir_expr_kind op)
{
    switch ((int)op) {
    case IR_ADD: return "added";
    case IR_SUB: return "subtracted";
    case IR_MUL: return "multiplied in";
    case IR_MIN: return "part of the minimum";
    case IR_MAX: return "part of the maximum";
    default: return "combined";
    }
}

/* Each is subtracted on one side and added on the other. */
static bool are_negated(const struct why_forms *a, const struct why_forms *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (i >= b->n || a->items[i]->op != IR_SUB ||
            a->items[i]->kind != INTERP_FORM_OP || a->items[i]->nargs != 1 ||
            a->items[i]->args[0]->hash != b->items[i]->hash)
            return false;
    return a->n > 0 && a->n == b->n;
}

static void put_order(struct buf *out, const struct why *w,
                      const struct interp_signature sig[WHY_SIDES],
                      const char *noun)
{
    struct buf u = {0}, t = {0};
    buf_printf(out, "the same %zu %s in another order", w->total[WHY_UNTUNED],
               noun);
    if (is_short(w->then[WHY_UNTUNED], &sig[WHY_UNTUNED], &u) &&
        is_short(w->then[WHY_TUNED], &sig[WHY_TUNED], &t))
        buf_printf(out, ": number %zu is %s, in the untuned module %s",
                   w->order, buf_text(&t), buf_text(&u));
    buf_fini(&u);
    buf_fini(&t);
}

/* The same operation in two types, as it is or below a conversion. */
static bool put_types(struct buf *out, const struct interp_form *u,
                      const struct interp_form *t)
{
    char a[48], b[48];
    if (u->kind == INTERP_FORM_OP && u->op == IR_CAST)
        u = why_bare(u->args[0]);
    if (t->kind == INTERP_FORM_OP && t->op == IR_CAST)
        t = why_bare(t->args[0]);
    if (u->kind != INTERP_FORM_OP || t->kind != INTERP_FORM_OP ||
        u->op != t->op || dtype_equal(u->dtype, t->dtype))
        return false;
    const char *by = dtype_holds(u->dtype, t->dtype)   ? "wider "
                     : dtype_holds(t->dtype, u->dtype) ? "narrower "
                                                       : "";
    buf_printf(out, "computed in %s, not in the %s%s",
               dtype_name(dtype_scalar(t->dtype), a), by,
               dtype_name(dtype_scalar(u->dtype), b));
    return true;
}

/* Each of one side answers to one of the other, in two types. */
static bool put_types_of_all(struct buf *out, const struct why_forms *u,
                             const struct why_forms *t)
{
    struct buf first = {0}, other = {0};
    bool same = u->n == t->n && u->n > 0 &&
                put_types(&first, why_bare(u->items[0]), why_bare(t->items[0]));
    for (size_t i = 1; i < u->n && same; i++) {
        other.len = 0;
        same =
            put_types(&other, why_bare(u->items[i]), why_bare(t->items[i])) &&
            strcmp(buf_text(&first), buf_text(&other)) == 0;
    }
    if (same && u->n > 1)
        buf_printf(out, "%zu parts are ", u->n);
    if (same)
        buf_puts(out, buf_text(&first));
    buf_fini(&first);
    buf_fini(&other);
    return same;
}

static void put_lists(struct buf *out, const struct why *w,
                      const struct interp_signature sig[WHY_SIDES])
{
    enum ir_expr_kind op = w->at[WHY_UNTUNED]->op;
    op = op == IR_SUB ? IR_ADD : op;
    const char *noun = noun_of(op), *verb = verb_of(op);
    size_t m = w->missing.n, e = w->extra.n, n = w->total[WHY_UNTUNED];
    struct buf text = {0};
    if (w->order)
        put_order(out, w, sig, noun);
    else if (m == 0 && e == 0)
        buf_printf(out, "the same %zu %s, grouped in another way", n, noun);
    else if (are_negated(&w->extra, &w->missing))
        buf_printf(out, "%zu of %zu terms are subtracted, not added", m, n);
    else if (are_negated(&w->missing, &w->extra))
        buf_printf(out, "%zu of %zu terms are added, not subtracted", m, n);
    else if (m == 1 && e == 0 &&
             is_short(w->missing.items[0], &sig[WHY_UNTUNED], &text))
        buf_printf(out, "%s is not %s", buf_text(&text), verb);
    else if (m == 0 && e == 1 &&
             is_short(w->extra.items[0], &sig[WHY_TUNED], &text))
        buf_printf(out, "%s is %s, too", buf_text(&text), verb);
    else if (put_types_of_all(out, &w->missing, &w->extra))
        ; /* said */
    else if (e == 0)
        buf_printf(out, "%zu of %zu %s are missing", m, n, noun);
    else if (m == 0)
        buf_printf(out, "%zu %s too many beside the %zu", e, noun, n);
    else if (m == e)
        buf_printf(out, "%zu of %zu %s are other ones", m, n, noun);
    else
        buf_printf(out, "%zu of %zu %s are missing, and %zu others are there",
                   m, n, noun, e);
    buf_fini(&text);
}

/* One is an operation on the other: "1 is not added". */
static bool put_lost(struct buf *out, const struct interp_form *more,
                     const struct interp_form *less, bool lost,
                     const struct interp_signature *sig)
{
    struct buf text = {0};
    char type[48];
    bool said = false;
    if (more->kind != INTERP_FORM_OP || more->nargs == 0 || more->nargs > 2)
        return false;
    uint32_t own = more->args[0]->hash == less->hash ? 0 : 1;
    if (own >= more->nargs || more->args[own]->hash != less->hash)
        return false;
    if (more->nargs == 2 && is_short(more->args[1 - own], sig, &text)) {
        said = (more->op != IR_SUB || own == 0) &&
               (more->op == IR_SUB || is_nest(more));
        if (said)
            buf_printf(out, "%s is %s%s%s", buf_text(&text), lost ? "not " : "",
                       verb_of(more->op), lost ? "" : ", too");
    } else if (more->nargs == 1 && more->op == IR_CAST) {
        buf_printf(out, "it is %sconverted to %s", lost ? "not " : "",
                   dtype_name(dtype_scalar(more->dtype), type));
        said = true;
    } else if (more->nargs == 1 && more->op == IR_CALL) {
        const char *dot = strrchr(more->name, '.');
        buf_printf(out, "%s is %sapplied", dot != NULL ? dot + 1 : more->name,
                   lost ? "not " : "");
        said = true;
    }
    buf_fini(&text);
    return said;
}

void why_put_cause(struct buf *out, const struct why *why,
                   const struct interp_signature sig[WHY_SIDES])
{
    const struct interp_form *u = why->at[WHY_UNTUNED];
    const struct interp_form *t = why->at[WHY_TUNED];
    struct buf a = {0}, b = {0};
    if (u == NULL || t == NULL) {
        return;
    } else if (why->undefined || t->kind == INTERP_FORM_UNDEFINED) {
        buf_puts(out, "it is computed from memory that nothing has written");
    } else if (why->lists) {
        put_lists(out, why, sig);
    } else if (put_types(out, u, t)) {
        ; /* said */
    } else if (!put_lost(out, u, t, true, &sig[WHY_UNTUNED]) &&
               !put_lost(out, t, u, false, &sig[WHY_TUNED]) &&
               u->kind != INTERP_FORM_OP && t->kind != INTERP_FORM_OP &&
               is_short(u, &sig[WHY_UNTUNED], &a) &&
               is_short(t, &sig[WHY_TUNED], &b)) {
        buf_printf(out, "%s in place of %s", buf_text(&b), buf_text(&a));
    }
    buf_fini(&a);
    buf_fini(&b);
}
