/* SPDX-License-Identifier: Apache-2.0
 *
 * Both functions at some small sizes, and the comparison of what each output
 * element holds.
 */
#include "verifier/enumerate/enumerate.h"

#include "verifier/enumerate/enum_run.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_BUDGET UINT64_C(3000000)
#define SLICE_BUDGET   5u /* times the budget: for sampled elements */
#define SLICE_ENOUGH   4u /* no further sample where so much is spent */
#define SAMPLES        8u /* of each parameter */
#define SAMPLED_SIZE   17 /* of sizes that are symbolic */
#define MAX_SIZES      32u

/* Sizes tried, one after the other: the least, those that no tile divides, one
 * above the usual tiles. Symbols that are not the first are one larger each. */
static const int64_t rounds[] = {1, 2, 3, 7, 17, 33};

struct sizes {
    size_t n;
    struct enum_size items[MAX_SIZES];
};

struct claim {
    const struct ir_func *func[2];
    struct enum_laws laws;
    struct enumerate_result *out;
    uint64_t budget, steps;
    unsigned samples;
    bool large; /* what was run last was too large */
    struct buf tried;
};

static const char *const side_names[] = {"untuned", "tuned"};

static bool give(struct claim *c, enum enumerate_outcome outcome,
                 const char *fmt, ...) DC_PRINTF(3, 4);

static bool give(struct claim *c, enum enumerate_outcome outcome,
                 const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    c->out->outcome = outcome;
    c->out->why = arena_strdup(c->out->arena, buf_text(&text));
    buf_fini(&text);
    return false;
}

/* ---- sizes ------------------------------------------------------------------ */

static int64_t *size_of(struct sizes *s, const struct ir_var *v)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].var == v)
            return &s->items[i].value;
    if (s->n == MAX_SIZES)
        return NULL;
    s->items[s->n] = (struct enum_size){v, -1};
    return &s->items[s->n++].value;
}

/* A dimension that is a name, or NULL. */
static const struct ir_var *dim_var(const struct ir_func *f, size_t param,
                                    size_t dim)
{
    const struct ir_buffer *b = f->prim.params[param].buffer;
    return b != NULL && dim < b->rank && b->shape[dim]->kind == IR_VAR_REF
               ? b->shape[dim]->u.var
               : NULL;
}

/* What one side's sizes say of the other's, at the same place. */
static bool transfer(struct claim *c, struct sizes s[2])
{
    for (size_t i = 0; i < c->func[0]->prim.nparams; i++) {
        const struct ir_param *u = &c->func[0]->prim.params[i];
        const struct ir_param *t = &c->func[1]->prim.params[i];
        if (u->buffer == NULL || t->buffer == NULL)
            continue;
        for (size_t d = 0; d < u->buffer->rank && d < t->buffer->rank; d++) {
            const struct ir_var *a = dim_var(c->func[0], i, d);
            const struct ir_var *b = dim_var(c->func[1], i, d);
            int64_t fixed, *x = a != NULL ? size_of(&s[0], a) : NULL;
            int64_t *y = b != NULL ? size_of(&s[1], b) : NULL;
            if ((a != NULL && x == NULL) || (b != NULL && y == NULL))
                return false;
            if (x != NULL && *x < 0 && y != NULL)
                *x = *y;
            if (y != NULL && *y < 0 && x != NULL)
                *y = *x;
            if (x != NULL && *x < 0 &&
                ir_const_int(t->buffer->shape[d], &fixed))
                *x = fixed;
            if (y != NULL && *y < 0 &&
                ir_const_int(u->buffer->shape[d], &fixed))
                *y = fixed;
        }
    }
    return true;
}

/* Sizes that are parameters themselves. */
static bool scalars(struct claim *c, struct sizes s[2], int64_t value)
{
    for (size_t i = 0; i < c->func[0]->prim.nparams; i++) {
        for (size_t side = 0; side < 2; side++) {
            const struct ir_param *p = &c->func[side]->prim.params[i];
            const struct ir_param *q = &c->func[1 - side]->prim.params[i];
            if (p->buffer != NULL || !dtype_is_int(p->var->dtype))
                continue;
            int64_t *x = size_of(&s[side], p->var);
            int64_t *y = size_of(&s[1 - side], q->var);
            if (x == NULL || y == NULL)
                return false;
            if (*x < 0)
                *x = *y >= 0 ? *y : value;
        }
    }
    return true;
}

/* Both sides' sizes for one round; *any: some are free to choose. */
static bool choose(struct claim *c, int64_t value, struct sizes s[2], bool *any)
{
    memset(s, 0, 2 * sizeof *s);
    *any = false;
    for (size_t again = 0; again <= MAX_SIZES; again++) {
        bool open = false;
        if (!transfer(c, s) || !transfer(c, s))
            return false;
        for (size_t i = 0; i < s[0].n && !open; i++) {
            if (s[0].items[i].value >= 0)
                continue;
            s[0].items[i].value = value++;
            if (c->tried.len > 0)
                buf_puts(&c->tried, *any ? ", " : "; ");
            buf_printf(&c->tried, "%s = %" PRId64, s[0].items[i].var->name,
                       s[0].items[i].value);
            open = *any = true;
        }
        if (!open)
            return scalars(c, s, 3);
    }
    return false;
}

/* ---- comparison ------------------------------------------------------------- */

static bool unequal(struct claim *c, size_t param, size_t i,
                    const struct enum_table *forms, enum_id u, enum_id t)
{
    struct buf a = {0}, b = {0};
    bool open = enum_is_open(forms, u) || enum_is_open(forms, t);
    enum_print(forms, u, &a);
    enum_print(forms, t, &b);
    if (open)
        give(c, ENUMERATE_NOT_DONE, "choices and comparisons of data");
    else
        give(c, ENUMERATE_UNEQUAL,
             "element %zu of parameter %zu is %s on the untuned side, %s on "
             "the tuned one",
             i, param, buf_text(&a), buf_text(&b));
    buf_fini(&a);
    buf_fini(&b);
    return false;
}

static bool compare_outputs(struct claim *c, struct enum_table *t,
                            struct enum_output *const outputs[2])
{
    struct enum_table forms;
    bool same = true;
    enum_table_init(&forms);
    for (size_t i = 0; same && i < c->func[0]->prim.nparams; i++) {
        const struct enum_output *u = &outputs[0][i], *v = &outputs[1][i];
        if (!u->stored && !v->stored)
            continue;
        if (u->n != v->n) {
            same =
                give(c, ENUMERATE_UNEQUAL,
                     "parameter %zu has %zu and %zu elements", i, u->n, v->n);
            continue;
        }
        enum_id *out = dc_alloc((2 * u->n + 1) * sizeof *out);
        enum_canon(t, &forms, &c->laws, u->n, u->cells, out);
        enum_canon(t, &forms, &c->laws, v->n, v->cells, out + u->n);
        for (size_t k = 0; same && k < u->n; k++) {
            if (forms.items.items[out[k]].kind == ENUM_UNDEF ||
                forms.items.items[out[u->n + k]].kind == ENUM_UNDEF)
                same =
                    give(c, ENUMERATE_UNEQUAL,
                         "element %zu of parameter %zu is not defined", k, i);
            else if (out[k] != out[u->n + k])
                same = unequal(c, i, k, &forms, out[k], out[u->n + k]);
        }
        c->out->elements += u->n;
        dc_release(out);
    }
    c->out->terms += forms.items.len;
    enum_table_fini(&forms);
    return same;
}

static bool run_side(struct claim *c, size_t side, struct enum_table *t,
                     const struct sizes *s, const struct enum_sample *sample,
                     struct enum_output *outputs)
{
    const char *why = NULL;
    enum enum_end end = enum_run(t, c->func[side], s->n, s->items, sample,
                                 &c->steps, outputs, &why);
    c->large = end == ENUM_LARGE;
    switch (end) {
    case ENUM_RAN: return true;
    case ENUM_FAULT:
        return give(c, ENUMERATE_UNEQUAL, "the %s side: %s", side_names[side],
                    why);
    case ENUM_STOPPED:
    case ENUM_LARGE: break;
    }
    return give(c, ENUMERATE_NOT_DONE, "%s", why);
}

/* totals: NULL, or the number of elements of each parameter. */
static bool run_round(struct claim *c, const struct sizes s[2],
                      const struct enum_sample *sample, int64_t *totals)
{
    struct enum_table t;
    struct enum_output *outputs[2];
    size_t n = c->func[0]->prim.nparams;
    enum_table_init(&t);
    for (size_t side = 0; side < 2; side++)
        outputs[side] = ARENA_ARRAY(t.arena, n + 1, struct enum_output);
    bool fine = run_side(c, 0, &t, &s[0], sample, outputs[0]) &&
                run_side(c, 1, &t, &s[1], sample, outputs[1]) &&
                compare_outputs(c, &t, outputs);
    for (size_t i = 0; i < n && totals != NULL; i++)
        totals[i] = outputs[0][i].total;
    enum_table_fini(&t);
    return fine;
}

/* All, or the first, the last and others by their hash. */
static int64_t sampled_element(unsigned sample, unsigned of, size_t param,
                               int64_t total)
{
    uint64_t h = hash_mix(hash_mix(sample, param), (uint64_t)total);
    return total <= of   ? (int64_t)sample
           : sample == 0 ? 0
           : sample == 1 ? total - 1
                         : (int64_t)(h % (uint64_t)total);
}

/* Some elements of each output. The first that is too large ends it. */
static void run_samples(struct claim *c, const struct sizes s[2])
{
    size_t n = c->func[0]->prim.nparams;
    int64_t *totals = ARENA_ARRAY(c->out->arena, n + 1, int64_t);
    bool *outputs = ARENA_ARRAY(c->out->arena, n + 1, bool);
    bool fine = true;
    uint64_t enough = c->steps - c->budget * SLICE_ENOUGH;
    c->out->elements = c->out->terms = 0;
    c->out->outcome = ENUMERATE_EQUAL;
    for (unsigned k = 0; k < c->samples && fine && c->steps > enough; k++) {
        for (size_t i = 0; i < n && fine; i++) {
            size_t before = c->out->elements;
            if (c->func[0]->prim.params[i].buffer == NULL ||
                (k > 0 && k >= totals[i]))
                continue;
            struct enum_sample x = {
                i, sampled_element(k, c->samples, i, totals[i])};
            fine = run_round(c, s, &x, totals);
            outputs[i] |= c->out->elements > before;
        }
    }
    for (size_t i = 0; i < n; i++)
        c->out->of += outputs[i] ? (size_t)totals[i] : 0;
    if (!fine && c->large && c->out->elements > 0)
        c->out->outcome = ENUMERATE_EQUAL;
    else if (fine && c->out->elements == 0)
        give(c, ENUMERATE_NOT_DONE, "no sampled element is stored to");
}

static void run_sampled(struct claim *c)
{
    struct sizes s[2];
    bool any;
    c->tried.len = 0;
    c->steps = c->budget * SLICE_BUDGET;
    if (choose(c, SAMPLED_SIZE, s, &any))
        run_samples(c, s);
    else
        give(c, ENUMERATE_NOT_DONE, "the sizes could not be chosen");
}

/* A round that cannot be run ends the rounds; the first must do. */
static void run_rounds(struct claim *c)
{
    bool any = true;
    for (size_t i = 0; i < DC_ARRAY_LEN(rounds) && any; i++) {
        struct sizes s[2];
        size_t before = c->tried.len;
        if (!choose(c, rounds[i], s, &any)) {
            give(c, ENUMERATE_NOT_DONE, "the sizes could not be chosen");
            return;
        }
        if (run_round(c, s, NULL, NULL))
            continue;
        if (i == 0 && c->large) {
            run_sampled(c);
            return;
        }
        if (c->out->outcome == ENUMERATE_NOT_DONE && i > 0) {
            c->out->outcome = ENUMERATE_EQUAL;
            c->tried.len = before;
            if (before > 0)
                c->tried.data[before] = '\0';
        }
        break;
    }
}

static bool answer(const struct ir_func *u, const struct ir_func *t)
{
    if (u->kind != IR_FUNC_PRIM || t->kind != IR_FUNC_PRIM ||
        u->prim.body == NULL || t->prim.body == NULL ||
        u->prim.nparams != t->prim.nparams)
        return false;
    for (size_t i = 0; i < u->prim.nparams; i++) {
        const struct ir_param *a = &u->prim.params[i], *b = &t->prim.params[i];
        if ((a->buffer == NULL) != (b->buffer == NULL) ||
            !dtype_equal(a->buffer != NULL ? a->buffer->dtype : a->var->dtype,
                         b->buffer != NULL ? b->buffer->dtype : b->var->dtype))
            return false;
    }
    return true;
}

static void check(struct claim *c, bool sampled)
{
    c->steps = c->budget;
    memset(c->out, 0, sizeof *c->out);
    c->out->arena = arena_new();
    if (!answer(c->func[0], c->func[1]))
        give(c, ENUMERATE_NOT_DONE, "parameters do not answer to each other");
    else if (sampled)
        run_sampled(c);
    else
        run_rounds(c);
    c->out->sizes = arena_strdup(c->out->arena, buf_text(&c->tried));
    buf_fini(&c->tried);
}

void enumerate_check(const struct ir_func *untuned, const struct ir_func *tuned,
                     enum enumerate_claim claim, bool finite, uint64_t budget,
                     struct enumerate_result *out)
{
    struct claim c = {.func = {untuned, tuned},
                      .laws = {claim, finite},
                      .out = out,
                      .samples = SAMPLES,
                      .budget = budget > 0 ? budget : DEFAULT_BUDGET};
    check(&c, false);
}

void enumerate_check_samples(const struct ir_func *untuned,
                             const struct ir_func *tuned,
                             enum enumerate_claim claim, bool finite,
                             unsigned samples, struct enumerate_result *out)
{
    struct claim c = {.func = {untuned, tuned},
                      .laws = {claim, finite},
                      .out = out,
                      .samples = samples,
                      .budget = DEFAULT_BUDGET};
    check(&c, true);
}

void enumerate_fini(struct enumerate_result *r)
{
    arena_free(r->arena);
    r->arena = NULL;
}
