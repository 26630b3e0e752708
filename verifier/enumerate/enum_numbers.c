/* SPDX-License-Identifier: Apache-2.0
 *
 * Both sides on numbers. Inputs on which the untuned side has a fault are outside
 * of what is claimed (R9, R10) and say nothing; on others the tuned side must have
 * none, and what it stores must be what the claim says: the same bits, but for
 * NaN. Where order or precision may differ, what no operation rounded must still
 * be the same.
 *
 * Terms alone say less than runs: not whether something else of the untuned side
 * has a fault on these inputs. So where two terms differ whole runs are asked, and
 * where there can be none it counts only if nothing in the untuned program could
 * have one on data.
 */
#include "verifier/enumerate/enum_numbers.h"

#include <inttypes.h>

#define MAX_RUNS   1500u
#define MAX_EXACT  300u /* the same where inputs are small numbers */
#define MAX_TRIALS 256u
#define OVERHEAD   200u /* steps that a run takes beside its own */
#define MAX_FAILED \
    6u               /* runs that tell nothing, before there is one that does */
#define MAX_SHOWN 8u /* elements of a parameter in a text */

enum ending {
    TRIED,   /* compared, and the same */
    SKIPPED, /* the untuned side has a fault */
    REFUTED, /* text */
    STOPPED, /* text: not known here */
    LARGE
};

struct trial {
    const struct enum_question *q;
    const struct enum_inputs *in;
    struct enum_table t;
    struct enum_output *outputs[2];
    bool keep_free; /* as in enum_task */
    bool whole;     /* all elements could be compared */
    size_t elements;
    struct buf *text;
};

/* ---- texts ------------------------------------------------------------------ */

static const char *param_name(const struct ir_param *p)
{
    return p->buffer != NULL ? p->buffer->name : p->var->name;
}

/* Whether a scalar has the number of a size. */
static bool is_size(const struct trial *x, const struct ir_var *v, int64_t *out)
{
    for (size_t i = 0; i < x->q->nsizes[0]; i++) {
        const struct enum_size *s = &x->q->sizes[0][i];
        *out = s->value;
        if (s->var == v)
            return !s->is_free || x->keep_free;
    }
    return false;
}

/* What the parameters hold, the first elements. */
static void say_inputs(const struct trial *x)
{
    const struct ir_prim_func *f = &x->q->func[0]->prim;
    struct buf *text = x->text;
    buf_printf(text, "inputs %u (", x->in->trial);
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        struct dtype t = p->buffer != NULL ? p->buffer->dtype : p->var->dtype;
        size_t n = p->buffer == NULL ? 1 : x->outputs[0][i].n;
        int64_t size;
        buf_printf(text, "%s%s =", i > 0 ? "; " : "", param_name(p));
        if (p->buffer == NULL && is_size(x, p->var, &size)) {
            buf_printf(text, " %" PRId64, size);
            continue;
        }
        for (size_t k = 0; k < n && k < MAX_SHOWN; k++) {
            buf_putc(text, ' ');
            num_put(text, t, enum_input(x->in, i, k, t));
        }
        buf_puts(text, n > MAX_SHOWN ? " ..." : "");
    }
    buf_puts(text, ")");
}

static void put_number(struct buf *text, struct dtype t,
                       const struct enum_number *x)
{
    if (x->marks & ENUM_TRAPPED)
        buf_puts(text, "a fault");
    else if (x->marks & ENUM_UNDEFINED)
        buf_puts(text, "undefined");
    else
        num_put(text, t, x->bits);
}

static void say_values(struct buf *text, size_t param, size_t element,
                       struct dtype t, const struct enum_number x[2])
{
    buf_printf(text, ": element %zu of parameter %zu is ", element, param);
    put_number(text, t, &x[0]);
    buf_puts(text, " on the untuned side, ");
    put_number(text, t, &x[1]);
    buf_puts(text, " on the tuned one");
}

/* ---- whole runs ------------------------------------------------------------- */

static enum ending run_side(struct trial *x, int side)
{
    const struct enum_question *q = x->q;
    const struct enum_task task = {q->func[side],  q->nsizes[side],
                                   q->sizes[side], NULL,
                                   x->in,          x->keep_free};
    const char *why = NULL;
    x->outputs[side] = ARENA_ARRAY(x->t.arena, q->func[side]->prim.nparams + 1,
                                   struct enum_output);
    switch (enum_run(&x->t, &task, q->steps, x->outputs[side], &why)) {
    case ENUM_RAN: return TRIED;
    case ENUM_LARGE: return LARGE;
    case ENUM_STOPPED: buf_puts(x->text, why); return STOPPED;
    case ENUM_FAULT: break;
    }
    if (side == 0)
        return SKIPPED;
    say_inputs(x);
    buf_printf(x->text, ": the tuned side: %s", why);
    return REFUTED;
}

static struct enum_number number_of(const struct enum_table *t, enum_id id)
{
    const struct enum_term *x = &t->items.items[id];
    struct enum_number out = {x->bits, x->marks};
    if (x->kind == ENUM_UNDEF)
        out = (struct enum_number){0, ENUM_UNDEFINED};
    else if (x->kind != ENUM_CONST)
        out = (struct enum_number){id, ENUM_UNKNOWN};
    return out;
}

static bool is_real(struct dtype t, uint64_t bits)
{
    return !num_is_nan(t, bits) && !num_is_inf(t, bits);
}

/* Whether the claim says that these are the same bits. */
static bool must_agree(const struct enum_laws *laws, struct dtype t,
                       const struct enum_number x[2])
{
    unsigned marks = x[0].marks | x[1].marks;
    if (marks & ENUM_UNKNOWN)
        return false;
    return laws->claim == ENUMERATE_IDENTICAL ||
           (!(marks & ENUM_ROUNDED) && is_real(t, x[0].bits) &&
            is_real(t, x[1].bits));
}

/* Zeros of either sign are one where the order is not said. */
static bool agree(const struct enum_laws *laws, struct dtype t,
                  const struct enum_number x[2])
{
    if (laws->claim != ENUMERATE_IDENTICAL && dtype_is_float(t) &&
        num_to_double(t, x[0].bits) == num_to_double(t, x[1].bits))
        return true;
    return num_same(t, x[0].bits, x[1].bits);
}

static enum ending compare_param(struct trial *x, size_t i)
{
    const struct enum_output *u = &x->outputs[0][i], *v = &x->outputs[1][i];
    if (u->n != v->n || ((u->folded || v->folded) && !enum_same_layout(u, v))) {
        buf_puts(x->text, "parameters are laid out differently");
        return STOPPED;
    }
    for (size_t k = 0; k < u->n; k++) {
        struct dtype t = x->t.items.items[u->cells[k]].dtype;
        struct enum_number both[2] = {number_of(&x->t, u->cells[k]),
                                      number_of(&x->t, v->cells[k])};
        bool undefined = (both[1].marks & ENUM_UNDEFINED) != 0;
        bool counts = must_agree(x->q->laws, t, both);
        x->whole =
            x->whole && counts &&
            (x->q->laws->claim == ENUMERATE_IDENTICAL || !dtype_is_float(t));
        if (u->cells[k] == v->cells[k] ||
            (!undefined && (!counts || agree(x->q->laws, t, both))))
            continue;
        say_inputs(x);
        say_values(x->text, i, k, t, both);
        return REFUTED;
    }
    x->elements += u->n;
    return TRIED;
}

/* Whether the untuned side stores what is undefined: then it has a fault. */
static bool stores_undefined(const struct trial *x)
{
    for (size_t i = 0; i < x->q->func[0]->prim.nparams; i++) {
        const struct enum_output *o = &x->outputs[0][i];
        for (size_t k = 0; o->stored && k < o->n; k++)
            if (x->t.items.items[o->cells[k]].kind == ENUM_UNDEF)
                return true;
    }
    return false;
}

static enum ending run_both(struct trial *x)
{
    enum ending e = run_side(x, 0);
    if (e != TRIED)
        return e;
    if (stores_undefined(x))
        return SKIPPED;
    e = run_side(x, 1);
    for (size_t i = 0; e == TRIED && i < x->q->func[0]->prim.nparams; i++)
        if (x->outputs[0][i].stored || x->outputs[1][i].stored)
            e = compare_param(x, i);
    return e;
}

/* limit: of the steps; *used of them are gone. */
static enum ending run_trial(const struct enum_question *q,
                             const struct enum_inputs *in, bool keep_free,
                             uint64_t limit, uint64_t *used,
                             struct enum_tried *out)
{
    uint64_t steps = limit;
    struct enum_question limited = *q;
    limited.steps = &steps;
    struct trial x = {.q = &limited,
                      .in = in,
                      .keep_free = keep_free,
                      .whole = true,
                      .text = &out->text};
    enum_table_init(&x.t);
    enum ending e = run_both(&x);
    *used = limit - steps + OVERHEAD + q->pool->nodes;
    out->counted += e == TRIED;
    out->whole += e == TRIED && x.whole;
    out->skipped += e == SKIPPED;
    if (e == TRIED)
        out->elements = x.elements;
    enum_table_fini(&x.t);
    return e;
}

static void spend(const struct enum_question *q, uint64_t steps)
{
    *q->steps -= steps < *q->steps ? steps : *q->steps;
}

/* Runs may take as long as the first took, and more, but not all that is left:
 * inputs can make a loop long. */
static uint64_t limit_of(const struct enum_question *q, uint64_t cost)
{
    uint64_t most = cost > 0 ? 16 * cost + 10000 : *q->steps / 2;
    return most < *q->steps ? most : *q->steps;
}

enum enum_word enum_try_runs(const struct enum_question *q,
                             struct enum_tried *out)
{
    bool identical = q->laws->claim == ENUMERATE_IDENTICAL;
    uint64_t cost = 0, used;
    unsigned failed = 0;
    const unsigned most = identical ? MAX_RUNS : MAX_EXACT;
    for (unsigned k = 0; k < most && failed < MAX_FAILED; k++) {
        const struct enum_inputs in = {q->pool, k,
                                       identical ? ENUM_ANY : ENUM_EXACT};
        uint64_t limit = limit_of(q, cost);
        out->text.len = 0;
        enum ending e = run_trial(q, &in, false, limit, &used, out);
        spend(q, used);
        if (e == REFUTED)
            return ENUM_DIFFERENT;
        if (e == TRIED)
            cost = used > cost ? used : cost;
        /* what is not known may hang on the inputs, or not */
        failed += (e == STOPPED || e == LARGE) && out->counted == 0;
        if (*q->steps < cost || *q->steps == 0)
            break;
    }
    if (out->counted + out->skipped > 0)
        return ENUM_SAME;
    if (out->text.len == 0)
        buf_puts(&out->text, "too large");
    return ENUM_UNSURE;
}

/* ---- terms ------------------------------------------------------------------ */

/* Whether something in a program may have a fault on data, or give what is
 * undefined. */
static bool is_hazard(const void *user, const struct ir_expr *e)
{
    (void)user;
    int64_t k;
    switch ((int)e->kind) {
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_SHL:
    case IR_SHR:
        return dtype_is_int(dtype_scalar(e->dtype)) &&
               !ir_const_int(e->args[1], &k);
    case IR_CAST:
        return dtype_is_int(dtype_scalar(e->dtype)) &&
               dtype_is_float(dtype_scalar(e->args[0]->dtype));
    case IR_CALL:
        return e->u.call.op == IR_OP_CLZ || e->u.call.op == IR_OP_UNDEF ||
               e->u.call.op == IR_OP_ASSUME ||
               e->u.call.op == IR_OP_SHIFT_LEFT ||
               e->u.call.op == IR_OP_SHIFT_RIGHT;
    default: return false;
    }
}

static bool is_assert(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_ASSERT;
}

static bool has_hazards(const struct ir_func *f)
{
    return ir_stmt_any(f->prim.body, is_assert, is_hazard, NULL);
}

struct terms {
    const struct enum_question *q;
    struct enum_values v;
    size_t n;
    const struct enum_pair *pairs;
    bool whole, hazards;
    bool unknown; /* some pair differs where that says nothing */
    struct enum_tried *out;
};

/* Whether the trial is outside of what is claimed, by these terms. */
static bool is_outside(const struct terms *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (enum_value(&x->v, x->pairs[i].side[0]).marks &
            (ENUM_UNDEFINED | ENUM_TRAPPED))
            return true;
    return false;
}

/* Inputs that a term has. */
static void say_leaves(const struct terms *x, const struct enum_inputs *in,
                       struct buf *text)
{
    const struct ir_prim_func *f = &x->q->func[0]->prim;
    size_t shown = 0;
    buf_printf(text, "inputs %u (", in->trial);
    for (size_t i = 0; i < x->v.n; i++) {
        const struct enum_term *t = &x->v.t->items.items[x->v.ids[i]];
        if (t->kind != ENUM_INPUT)
            continue;
        if (shown++ == MAX_SHOWN) {
            buf_puts(text, " ...");
            break;
        }
        buf_printf(text, "%s%s[%" PRIu64 "] = ", shown > 1 ? ", " : "",
                   param_name(&f->params[t->param]), t->bits);
        num_put(text, t->dtype,
                enum_input(in, (size_t)t->param, t->bits, t->dtype));
    }
    buf_puts(text, ")");
}

/* A pair that differs: what whole runs say of these inputs, or else itself. */
static enum enum_word weigh(struct terms *x, const struct enum_inputs *in,
                            const struct enum_pair *p,
                            const struct enum_number both[2])
{
    uint64_t used = 0;
    struct buf *text = &x->out->text;
    if (x->whole && *x->q->steps > 0) {
        struct enum_tried run = {0};
        enum ending e = run_trial(x->q, in, true, *x->q->steps, &used, &run);
        spend(x->q, used);
        if (e == REFUTED)
            buf_puts(text, buf_text(&run.text));
        buf_fini(&run.text);
        if (e == REFUTED || e == SKIPPED)
            return e == REFUTED ? ENUM_DIFFERENT : ENUM_SAME;
    }
    if (x->hazards) {
        x->unknown = true;
        return ENUM_SAME;
    }
    struct terms alone = *x;
    enum_values_init(&alone.v, x->v.t, 2, p->side);
    say_leaves(&alone, in, text);
    enum_values_fini(&alone.v);
    say_values(text, p->param, p->element,
               x->v.t->items.items[p->side[0]].dtype, both);
    return ENUM_DIFFERENT;
}

static enum enum_word try_once(struct terms *x, const struct enum_inputs *in)
{
    bool counts = true;
    enum_values_try(&x->v, in);
    if (is_outside(x)) {
        x->out->skipped++;
        return ENUM_SAME;
    }
    for (size_t i = 0; i < x->n && in->care == ENUM_ANY; i++) {
        const struct enum_pair *p = &x->pairs[i];
        const struct enum_number both[2] = {enum_value(&x->v, p->side[0]),
                                            enum_value(&x->v, p->side[1])};
        struct dtype t = x->v.t->items.items[p->side[0]].dtype;
        bool undefined = (both[1].marks & (ENUM_UNDEFINED | ENUM_TRAPPED)) != 0;
        if (!undefined && num_same(t, both[0].bits, both[1].bits))
            continue;
        if ((both[0].marks | both[1].marks) & ENUM_UNKNOWN) {
            x->unknown = true;
            continue;
        }
        if (weigh(x, in, p, both) == ENUM_DIFFERENT)
            return ENUM_DIFFERENT;
        counts = false;
        break;
    }
    if (counts && in->care != ENUM_EXACT) {
        enum_values_keep(&x->v);
        x->out->counted++;
    }
    return ENUM_SAME;
}

/* Whether the pairs that are left have one form where what was the same below
 * them is one term. */
static bool same_forms(const struct terms *x, const char **why)
{
    struct enum_table forms;
    enum_id *roots = dc_alloc((2 * x->n + 1) * sizeof *roots);
    enum_id *out = dc_alloc((2 * x->n + 1) * sizeof *out);
    bool same = true, open = false;
    enum_table_init(&forms);
    for (size_t i = 0; i < 2 * x->n; i++)
        roots[i] = x->pairs[i / 2].side[i % 2];
    same = enum_canon(x->v.t, &forms, x->q->laws, &x->v, 2 * x->n, roots, out);
    if (!same)
        *why = "terms that are too large";
    for (size_t i = 0; i < x->n && same; i++) {
        same = out[2 * i] == out[2 * i + 1];
        open = enum_is_open(&forms, out[2 * i]) ||
               enum_is_open(&forms, out[2 * i + 1]);
        if (same)
            continue;
        struct buf *text = &x->out->text;
        buf_printf(text, "element %zu of parameter %zu is ",
                   x->pairs[i].element, x->pairs[i].param);
        enum_print(&forms, out[2 * i], text);
        buf_puts(text, " on the untuned side, ");
        enum_print(&forms, out[2 * i + 1], text);
        buf_puts(text, " on the tuned one");
        *why = open ? "choices and comparisons of data" : NULL;
    }
    enum_table_fini(&forms);
    dc_release(roots);
    dc_release(out);
    return same;
}

static enum enum_word unsure(struct enum_tried *out, const char *why)
{
    out->text.len = 0;
    buf_puts(&out->text, why);
    return ENUM_UNSURE;
}

static enum enum_word decide(const struct terms *x)
{
    const char *why = NULL;
    if (x->unknown)
        return unsure(x->out, "terms differ, which may be for what is not "
                              "known here");
    if (x->out->counted < ENUM_ENOUGH)
        return unsure(x->out, "terms differ, and the untuned side has a "
                              "fault on most inputs tried, or they are too "
                              "large");
    if (same_forms(x, &why))
        return ENUM_SAME;
    return why != NULL ? unsure(x->out, why) : ENUM_DIFFERENT;
}

enum enum_word enum_try_terms(const struct enum_question *q,
                              const struct enum_table *t, bool whole, size_t n,
                              const struct enum_pair *pairs,
                              struct enum_tried *out)
{
    bool identical = q->laws->claim == ENUMERATE_IDENTICAL;
    struct terms x = {.q = q,
                      .n = n,
                      .pairs = pairs,
                      .whole = whole,
                      .hazards = has_hazards(q->func[0]),
                      .out = out};
    enum enum_word word = ENUM_SAME;
    enum_id *roots = dc_alloc((2 * n + 1) * sizeof *roots);
    for (size_t i = 0; i < 2 * n; i++)
        roots[i] = pairs[i / 2].side[i % 2];
    enum_values_init(&x.v, t, 2 * n, roots);
    for (unsigned k = 0; k < MAX_TRIALS && word == ENUM_SAME; k++) {
        const struct enum_inputs in = {q->pool, k,
                                       identical    ? ENUM_ANY
                                       : k % 2 == 0 ? ENUM_FINITE
                                                    : ENUM_EXACT};
        if (*q->steps < x.v.n)
            break;
        spend(q, x.v.n);
        word = try_once(&x, &in);
    }
    if (word == ENUM_SAME)
        word = decide(&x);
    enum_values_fini(&x.v);
    dc_release(roots);
    return word;
}
