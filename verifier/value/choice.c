/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers that are one of two, or bits of two: variables that facts of the
 * context tie to their operands, one for equal operands.
 */
#include "verifier/value/eval_state.h"

static uint64_t hash_choice(const struct vchoice *k)
{
    uint64_t h = hash_mix((uint64_t)k->kind, k->a->id);
    h = hash_mix(h, k->b->id);
    return hash_mix(h, k->cond != NULL ? k->cond->id + UINT64_C(1) : 0);
}

static void put_choice(struct eval_state *e, struct vchoice *k)
{
    size_t i = hash_choice(k) & (e->cap - 1);
    while (e->choices[i] != NULL)
        i = (i + 1) & (e->cap - 1);
    e->choices[i] = k;
}

static void grow_choices(struct eval_state *e)
{
    struct vchoice **old = e->choices;
    size_t n = e->cap;
    e->cap = n == 0 ? 64 : n * 2;
    e->choices = (struct vchoice **)dc_alloc(e->cap * sizeof(struct vchoice *));
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            put_choice(e, old[i]);
    dc_release((void *)old);
}

/* The choice with these operands; a new one has aff NULL. */
static struct vchoice *choice_of(struct vctx *c, const struct vchoice *want)
{
    struct eval_state *e = c->eval;
    if ((e->nchoices + 1) * 2 > e->cap)
        grow_choices(e);
    size_t i = hash_choice(want) & (e->cap - 1);
    for (; e->choices[i] != NULL; i = (i + 1) & (e->cap - 1)) {
        struct vchoice *k = e->choices[i];
        if (k->kind == want->kind && k->a == want->a && k->b == want->b &&
            k->cond == want->cond)
            return k;
    }
    struct vchoice *k = arena_memdup(c->arena, want, sizeof *want);
    e->nchoices++;
    e->choices[i] = k;
    return k;
}

static const struct aff *choice_var(struct vctx *c, struct vchoice *k,
                                    const char *name, int64_t lo, int64_t hi)
{
    atom_id a = aff_var_make(c->space, name, lo, hi, NULL, NULL);
    aff_atom_set_user(c->space, a, k);
    k->aff = aff_of_atom(c->space, a);
    return k->aff;
}

const struct aff *vchoice_make(struct vctx *c, const struct form *cond,
                               const struct aff *x, const struct aff *y)
{
    struct aff_space *s = c->space;
    if (cond->kind == FORM_TRUE || x == y)
        return x;
    if (cond->kind == FORM_FALSE)
        return y;
    struct vchoice want = {IR_SELECT, x, y, cond, NULL};
    struct vchoice *k = choice_of(c, &want);
    if (k->aff != NULL)
        return k->aff;
    int64_t lo, hi, l2, h2;
    aff_range(s, x, &lo, &hi);
    aff_range(s, y, &l2, &h2);
    lo = l2 < lo ? l2 : lo;
    hi = h2 > hi ? h2 : hi;
    const struct aff *v = choice_var(c, k, "choice", lo, hi);
    const struct form *fact =
        form_or2(s, form_and2(s, cond, form_eq(s, v, x)),
                 form_and2(s, form_not(s, cond), form_eq(s, v, y)));
    c->facts = form_and2(s, c->facts, fact);
    return v;
}

static int64_t bits_of(enum ir_expr_kind kind, int64_t a, int64_t b)
{
    return kind == IR_BITAND ? a & b : kind == IR_BITOR ? a | b : a ^ b;
}

/* The exclusive or that the integer is alone, or NULL. */
static const struct vchoice *lone_xor(const struct vctx *c, const struct aff *a)
{
    if (a->n != 1 || a->constant != 0 || a->terms[0].coef != 1)
        return NULL;
    const struct atom *info = aff_atom_info(c->space, a->terms[0].atom);
    const struct vchoice *k = info->kind == ATOM_VAR ? info->user : NULL;
    return k != NULL && k->kind == IR_BITXOR ? k : NULL;
}

/* Where the operands decide; NULL: not so. */
static const struct aff *plain_bits(struct vctx *c, enum ir_expr_kind kind,
                                    const struct aff *a, const struct aff *b)
{
    int64_t x, y;
    if (aff_is_const(a, &x) && aff_is_const(b, &y))
        return x < 0 || y < 0 ? NULL : aff_const(c->space, bits_of(kind, x, y));
    if (a == b)
        return kind == IR_BITXOR ? aff_const(c->space, 0) : a;
    for (unsigned i = 0; i < 2; i++) {
        const struct aff *one = i == 0 ? a : b, *other = i == 0 ? b : a;
        const struct vchoice *k = kind == IR_BITXOR ? lone_xor(c, one) : NULL;
        if (aff_is_const(one, &x) && x == 0)
            return kind == IR_BITAND ? one : other;
        if (k != NULL && (k->a == other || k->b == other))
            return k->a == other ? k->b : k->a;
    }
    return NULL;
}

/* "(i ^ 5)"; short, since it stands in messages. */
static const char *bits_name(struct vctx *c, const struct vchoice *k)
{
    struct buf text = {0};
    buf_putc(&text, '(');
    aff_print(c->space, k->a, &text);
    buf_puts(&text, k->kind == IR_BITAND  ? " & "
                    : k->kind == IR_BITOR ? " | "
                                          : " ^ ");
    aff_print(c->space, k->b, &text);
    buf_putc(&text, ')');
    const char *name =
        text.len > 80 ? "bits" : arena_strdup(c->arena, buf_text(&text));
    buf_fini(&text);
    return name;
}

const struct aff *vchoice_bits(struct vctx *c, enum ir_expr_kind kind,
                               const struct aff *a, const struct aff *b)
{
    const struct aff *plain = plain_bits(c, kind, a, b);
    if (plain != NULL)
        return plain;
    if (a->id > b->id) { /* all three commute */
        const struct aff *t = a;
        a = b;
        b = t;
    }
    struct vchoice want = {kind, a, b, NULL, NULL};
    struct vchoice *k = choice_of(c, &want);
    if (k->aff != NULL)
        return k->aff;
    int64_t la, ha, lb, hb, top = 1;
    aff_range(c->space, a, &la, &ha);
    aff_range(c->space, b, &lb, &hb);
    if (la < 0 || lb < 0 || ha > INT64_MAX / 4 || hb > INT64_MAX / 4)
        return choice_var(c, k, bits_name(c, k), AFF_NO_LOWER, AFF_NO_BOUND);
    while (top <= ha || top <= hb)
        top *= 2;
    return choice_var(c, k, bits_name(c, k), 0, top - 1);
}
