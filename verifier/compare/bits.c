/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about bits: the script, the solver's answer, the log.
 *
 * Sums and products of floats, products and quotients of integers are functions of
 * their operands at first, which is enough wherever they stand on both sides; only
 * if that does not do are they computed, which costs the solver more. Work is counted with that of all other
 * queries.
 */
#include "verifier/compare/bits.h"

#include "verifier/compare/bits_state.h"
#include "verifier/compare/facts.h"
#include "verifier/smt/obligation.h"
#include "verifier/smt/smt_state.h"

#include <string.h>

#define MAX_TRIES 16u /* pairs of values of one comparison */
#define MAX_COST  6u  /* of operations that are computed nevertheless */
#define MAX_TEXT  400000u

/* ---- a script ------------------------------------------------------------------ */

static void script_begin(struct bits *b, struct vctx *c, struct match *m,
                         const struct form *ctx, bool exact)
{
    *b = (struct bits){.c = c, .m = m, .ctx = ctx, .exact = exact};
}

static void script_fini(struct bits *b)
{
    buf_fini(&b->text);
    buf_fini(&b->asserted);
    vec_fini(&b->values);
    vec_fini(&b->fits);
    vec_fini(&b->atoms);
    vec_fini(&b->forms);
    vec_fini(&b->leaves);
    vec_fini(&b->leaf_of);
    vec_fini(&b->calls);
}

/* What is known: conjuncts without a form are left out. */
static void assume(struct bits *b, const struct form *f)
{
    if (f->kind == FORM_TRUE)
        return;
    if (f->kind != FORM_AND) {
        bits_assert(b, bits_of_form(b, f));
        return;
    }
    for (uint32_t i = 0; i < f->n; i++)
        assume(b, f->args[i]);
}

/* The whole script: it must be unsatisfiable. */
static const char *script_text(struct bits *b)
{
    struct buf all = {0};
    bits_bind_leaves(b);
    buf_puts(&all, "(set-logic QF_BVFP)\n");
    buf_puts(&all, buf_text(&b->text));
    buf_puts(&all, buf_text(&b->asserted));
    buf_puts(&all, "(check-sat)\n");
    const char *text = arena_strdup(b->c->arena, buf_text(&all));
    buf_fini(&all);
    return text;
}

static bool unsatisfiable(struct bits *b, const char *what)
{
    struct vctx *c = b->c;
    if (b->text.len + b->asserted.len > MAX_TEXT)
        return false;
    c->work += 40;
    if (vctx_spent(c))
        return false;
    const char *text = script_text(b);
    return smt_prove_script(c->smt, text, b->exact ? 3 : 1, what) == SMT_PROVED;
}

/* Whether data decide the integer, by themselves or through a choice. */
static bool of_data(const struct vctx *c, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(c->space, a->terms[i].atom);
        if (t->user != NULL || (t->def != NULL && of_data(c, t->def)) ||
            (t->other != NULL && of_data(c, t->other)))
            return true;
    }
    return false;
}

static bool is_expression(const struct vctx *c, const struct value *v)
{
    for (size_t i = 0; v->kind == VALUE_INPUT && i < v->nindex; i++)
        if (of_data(c, v->index[i]))
            return true;
    return v->kind == VALUE_OP || v->kind == VALUE_ITE;
}

/* ---- values ---------------------------------------------------------------------- */

/* How q fails to be p: -1, no form. */
static int unequal(struct bits *b, const struct value *p, const struct value *q)
{
    struct bits_value x = bits_of_value(b, p), y = bits_of_value(b, q);
    if (x.term < 0 || y.term < 0)
        return -1;
    bits_assert(b, x.defined);
    int same = bits_bool(b, "(= t%d t%d)", x.term, y.term);
    if (!OBLIGED(b->c->smt, "bits: the tuned value is defined", y.defined == 0))
        same = bits_and(b, same, y.defined);
    return bits_bool(b, "(not t%d)", same);
}

/* Numbers tell the two apart, or the solver's word. *costly: the other way might
 * say more. */
static bool ask_equal(struct match *m, const struct value *p,
                      const struct value *q, const struct form *ctx, bool exact,
                      bool *costly)
{
    struct bits b;
    script_begin(&b, m->c, m, ctx, exact);
    int goal = unequal(&b, p, q);
    bool shown = false;
    const struct form *known = facts_about(m->c, ctx, p, q);
    bool met = false;
    bool refuted = goal > 0 && bits_refuted(&b, p, q, known, &met);
    if (goal > 0 && !refuted) {
        assume(&b, ctx);
        assume(&b, known);
        bits_assert(&b, goal);
        shown = unsatisfiable(&b, "bits are equal");
    }
    *costly = b.left_out > 0 && b.left_out <= MAX_COST && met && !refuted;
    script_fini(&b);
    return shown;
}

bool bits_first_time(struct vctx *c, const struct value *p,
                     const struct value *q, const struct form *ctx)
{
    uint64_t key = hash_mix(hash_mix(p->id, q->id), ctx->id);
    for (size_t i = 0; i < c->bits_failed.len; i++)
        if (c->bits_failed.items[i] == key)
            return false;
    vec_push(&c->bits_failed, key);
    return true;
}

void bits_forget_last(struct vctx *c)
{
    c->bits_failed.len--;
}

bool bits_equal(struct match *m, const struct value *p, const struct value *q,
                const struct form *ctx)
{
    bool costly = false;
    if (p->dtype.bits > 64 || !dtype_equal(p->dtype, q->dtype) ||
        value_has_undef(p) || value_has_undef(q) ||
        (!is_expression(m->c, p) && !is_expression(m->c, q)) ||
        ++m->bits_tried > MAX_TRIES || !bits_first_time(m->c, p, q, ctx))
        return false;
    size_t asked = m->c->bits_failed.len;
    bool shown = ask_equal(m, p, q, ctx, false, &costly) ||
                 (costly && ask_equal(m, p, q, ctx, true, &costly));
    if (shown) /* it may be asked again */
        m->c->bits_failed.items[asked - 1] = 0;
    return shown;
}

/* ---- formulas ---------------------------------------------------------------------- */

bool bits_prove(struct vctx *c, const struct form *ctx, const struct form *goal,
                const char *what)
{
    struct bits b;
    script_begin(&b, c, NULL, ctx, false);
    int term = bits_of_form(&b, goal);
    bool shown = false;
    if (term > 0 && !bits_refuted_form(&b, goal)) {
        assume(&b, ctx);
        bits_assert(&b, bits_bool(&b, "(not t%d)", term));
        shown = unsatisfiable(&b, what);
    }
    script_fini(&b);
    return shown;
}
