/* SPDX-License-Identifier: Apache-2.0
 *
 * Obligations as SMT-LIB 2 text, for a second checker. Written from the
 * caller's atoms and their facts, not from the digits that the first check
 * used. Names are the atom's name and number.
 */
#include "verifier/smt/smt_state.h"

#include <inttypes.h>

static void put_int(struct buf *out, int64_t value)
{
    if (value < 0)
        buf_printf(out, "(- %" PRIu64 ")", -(uint64_t)value);
    else
        buf_printf(out, "%" PRId64, value);
}

/* Letters, digits and underscores of the name, then the number. */
static void put_name(const struct aff_space *s, atom_id a, struct buf *out)
{
    const struct atom *info = aff_atom_info(s, a);
    const char *name = info->name                   ? info->name
                       : info->kind == ATOM_FLOOR   ? "quotient"
                       : info->kind == ATOM_PRODUCT ? "product"
                                                    : "v";
    buf_putc(out, '|');
    for (const char *p = name; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9');
        buf_putc(out, plain ? *p : '_');
    }
    buf_printf(out, ".%" PRIu32 "|", a);
}

static void put_aff(const struct aff_space *s, const struct aff *a,
                    struct buf *out)
{
    bool sum = a->n + (a->constant != 0) > 1;
    if (sum)
        buf_puts(out, "(+");
    for (uint32_t i = 0; i < a->n; i++) {
        if (sum)
            buf_putc(out, ' ');
        if (a->terms[i].coef != 1) {
            buf_puts(out, "(* ");
            put_int(out, a->terms[i].coef);
            buf_putc(out, ' ');
        }
        put_name(s, a->terms[i].atom, out);
        if (a->terms[i].coef != 1)
            buf_putc(out, ')');
    }
    if (a->constant || !a->n) {
        if (sum)
            buf_putc(out, ' ');
        put_int(out, a->constant);
    }
    if (sum)
        buf_putc(out, ')');
}

static void put_form(const struct aff_space *s, const struct form *f,
                     struct buf *out)
{
    switch (f->kind) {
    case FORM_TRUE: buf_puts(out, "true"); return;
    case FORM_FALSE: buf_puts(out, "false"); return;
    case FORM_GE0:
    case FORM_EQ0:
        buf_puts(out, f->kind == FORM_GE0 ? "(>= " : "(= ");
        put_aff(s, f->a, out);
        buf_puts(out, " 0)");
        return;
    case FORM_NOT_EQ0:
        buf_puts(out, "(not (= ");
        put_aff(s, f->a, out);
        buf_puts(out, " 0))");
        return;
    case FORM_PRED:
        buf_printf(out,
                   f->negated ? "(not |p.%" PRIx64 "|)" : "|p.%" PRIx64 "|",
                   f->key);
        return;
    case FORM_AND:
    case FORM_OR: break;
    }
    buf_puts(out, f->kind == FORM_AND ? "(and" : "(or");
    for (uint32_t i = 0; i < f->n; i++) {
        buf_putc(out, ' ');
        put_form(s, f->args[i], out);
    }
    buf_putc(out, ')');
}

struct key_vec VEC(uint64_t);

static void declare_preds(const struct form *f, struct key_vec *seen,
                          struct buf *out)
{
    for (uint32_t i = 0; i < f->n; i++)
        declare_preds(f->args[i], seen, out);
    if (f->kind != FORM_PRED)
        return;
    for (size_t i = 0; i < seen->len; i++)
        if (seen->items[i] == f->key)
            return;
    vec_push(seen, f->key);
    buf_printf(out, "(declare-const |p.%" PRIx64 "| Bool)\n", f->key);
}

void smt_print(struct smt *smt, const struct smt_obligation *o, struct buf *out)
{
    struct encoder *e = &smt->enc;
    const struct aff_space *s = e->outer;
    if (o->script != NULL) {
        buf_printf(out, "; %s\n%s", o->what, o->script);
        return;
    }
    encoder_begin(e);
    smt->has_model = false;
    encoder_add(e, o->ctx);
    encoder_add(e, o->goal);
    buf_printf(out, "; %s\n(set-logic QF_LIA)\n", o->what);
    for (size_t i = 0; i < e->seen.len; i++) {
        buf_puts(out, "(declare-const ");
        put_name(s, e->seen.items[i], out);
        buf_puts(out, " Int)\n");
    }
    struct key_vec seen = {0};
    declare_preds(o->ctx, &seen, out);
    declare_preds(o->goal, &seen, out);
    vec_fini(&seen);
    for (size_t i = 0; i < e->seen.len; i++) {
        const struct encoded_atom x = e->atoms.items[e->seen.items[i]];
        for (size_t j = 0; j < x.nfacts; j++) {
            buf_puts(out, "(assert (>= ");
            put_aff(s, x.facts[j], out);
            buf_puts(out, " 0))\n");
        }
    }
    buf_puts(out, "(assert ");
    put_form(s, o->ctx, out);
    buf_puts(out, ")\n(assert (not ");
    put_form(s, o->goal, out);
    buf_puts(out, "))\n(check-sat)\n");
}
