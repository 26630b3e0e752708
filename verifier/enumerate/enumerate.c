/* SPDX-License-Identifier: Apache-2.0
 *
 * Both functions at some small sizes, and the comparison of what each output
 * element holds: by the forms of terms, and where these are not the same, or
 * cannot be had, by numbers. Inputs on which the untuned side has a fault are
 * outside of every claim (R9, R10).
 */
#include "verifier/enumerate/enumerate.h"

#include "verifier/enumerate/enum_numbers.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_BUDGET UINT64_C(3000000)
#define NUMBER_BUDGET  3u /* times the budget: for runs on numbers */
#define SLICE_BUDGET   5u /* times the budget: for sampled elements */
#define SLICE_ENOUGH   4u /* no further sample where so much is spent */
#define SAMPLES        8u /* of each parameter */
#define SAMPLED_SIZE   17 /* of sizes that are symbolic */
#define FAR_SIZES      3u /* beyond numbers that the programs mention */
#define FAR_MOST       (INT64_C(1) << 20)
#define FAR_ELEMENTS   (INT64_C(1) << 30) /* of a parameter, at most */
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
    uint64_t number_steps; /* left for numbers */
    struct enum_pool pool;
    unsigned samples;
    bool large;  /* what was run last was too large */
    bool faulty; /* the untuned side has a fault at the last sizes */
    bool far;    /* sizes are those beyond the rounds */
    struct buf tried;
};

DC_PRINTF(3, 4)
static bool give(struct claim *c, enum enumerate_outcome outcome,
                 const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    c->out->why = arena_vprintf(c->out->arena, fmt, args);
    va_end(args);
    c->out->outcome = outcome;
    return false;
}

/* ---- sizes ------------------------------------------------------------------ */

static struct enum_size *entry_of(struct sizes *s, const struct ir_var *v)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].var == v)
            return &s->items[i];
    if (s->n == MAX_SIZES)
        return NULL;
    s->items[s->n] = (struct enum_size){v, -1, false};
    return &s->items[s->n++];
}

static int64_t *size_of(struct sizes *s, const struct ir_var *v)
{
    struct enum_size *entry = entry_of(s, v);
    return entry != NULL ? &entry->value : NULL;
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

/* Sizes that are parameters themselves; those that no shape says are free. */
static bool scalars(struct claim *c, struct sizes s[2], int64_t value)
{
    for (size_t i = 0; i < c->func[0]->prim.nparams; i++) {
        const struct ir_param *p = &c->func[0]->prim.params[i];
        const struct ir_param *q = &c->func[1]->prim.params[i];
        if (p->buffer != NULL || !dtype_is_int(p->var->dtype))
            continue;
        struct enum_size *x = entry_of(&s[0], p->var);
        struct enum_size *y = entry_of(&s[1], q->var);
        if (x == NULL || y == NULL)
            return false;
        x->is_free = y->is_free = x->value < 0 && y->value < 0;
        if (x->value < 0)
            x->value = y->value >= 0 ? y->value : value;
        if (y->value < 0)
            y->value = x->value;
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
        /* NOLINTNEXTLINE(misc-redundant-expression): there and back */
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

static void undecided(struct claim *c, const char *why)
{
    give(c, ENUMERATE_NOT_DONE, "%s", why);
}

struct pairs {
    struct VEC(struct enum_pair) items; /* whose forms are not the same */
    size_t elements;                    /* compared, these among them */
};

static bool is_undefined(const struct enum_table *t, enum_id id)
{
    return t->items.items[id].kind == ENUM_UNDEF;
}

static bool compare_param(struct claim *c, const struct enum_table *t,
                          struct enum_table *forms, size_t i,
                          const struct enum_output *u,
                          const struct enum_output *v, struct pairs *pairs)
{
    enum_id *roots = dc_alloc((2 * u->n + 1) * sizeof *roots);
    enum_id *out = dc_alloc((2 * u->n + 1) * sizeof *out);
    bool fine = true;
    for (size_t k = 0; k < u->n; k++) {
        roots[k] = u->cells[k];
        roots[u->n + k] = v->cells[k];
    }
    if (!enum_canon(t, forms, &c->laws, NULL, 2 * u->n, roots, out))
        fine = give(c, ENUMERATE_NOT_DONE,
                    "the terms of parameter %zu are too large", i);
    for (size_t k = 0; k < u->n && fine; k++) {
        enum_id a = roots[k], b = roots[u->n + k];
        c->faulty = c->faulty || is_undefined(t, a);
        if (is_undefined(t, a))
            fine = give(c, ENUMERATE_NOT_DONE,
                        "element %zu of parameter %zu is not defined on the "
                        "untuned side",
                        k, i);
        else if (is_undefined(t, b))
            fine = give(c, ENUMERATE_UNEQUAL,
                        "element %zu of parameter %zu is not defined on the "
                        "tuned side",
                        k, i);
        else if (out[k] != out[u->n + k])
            vec_push(&pairs->items, ((struct enum_pair){i, k, {a, b}}));
    }
    pairs->elements += u->n;
    dc_release(roots);
    dc_release(out);
    return fine;
}

/* By the forms of terms. */
static bool compare_outputs(struct claim *c, struct enum_table *t,
                            struct enum_output *const outputs[2],
                            struct pairs *pairs)
{
    struct enum_table forms;
    bool fine = true;
    enum_table_init(&forms);
    for (size_t i = 0; fine && i < c->func[0]->prim.nparams; i++) {
        const struct enum_output *u = &outputs[0][i], *v = &outputs[1][i];
        if (!u->stored && !v->stored)
            continue;
        if (u->n != v->n ||
            ((u->folded || v->folded) && !enum_same_layout(u, v)))
            fine = give(c, ENUMERATE_NOT_DONE,
                        "parameter %zu is laid out differently", i);
        else
            fine = compare_param(c, t, &forms, i, u, v, pairs);
    }
    c->out->terms += forms.items.len;
    enum_table_fini(&forms);
    return fine;
}

/* How a side's run on symbols ended; false: the claim is decided or given up. */
static bool run_side(struct claim *c, size_t side, struct enum_table *t,
                     const struct sizes *s, const struct enum_sample *sample,
                     struct enum_output *outputs)
{
    const struct enum_task task = {c->func[side], s->n, s->items,
                                   sample,        NULL, false};
    const char *why = NULL;
    enum enum_end end = enum_run(t, &task, &c->steps, outputs, &why);
    c->large = end == ENUM_LARGE;
    c->faulty = end == ENUM_FAULT && side == 0;
    if (end == ENUM_RAN)
        return true;
    return give(c,
                end == ENUM_FAULT && side == 1 && !c->far ? ENUMERATE_UNEQUAL
                                                          : ENUMERATE_NOT_DONE,
                "%s%s%s", end == ENUM_FAULT ? "the " : "",
                end != ENUM_FAULT ? ""
                : side == 0       ? "untuned side: "
                                  : "tuned side: ",
                why);
}

static struct enum_question
question_of(struct claim *c, const struct sizes s[2], uint64_t *steps)
{
    return (struct enum_question){.func = {c->func[0], c->func[1]},
                                  .nsizes = {s[0].n, s[1].n},
                                  .sizes = {s[0].items, s[1].items},
                                  .laws = &c->laws,
                                  .pool = &c->pool,
                                  .steps = steps};
}

/* Takes over what numbers said; false: it decides or gives up the claim. */
static bool heed(struct claim *c, enum enum_word word, struct enum_tried *tried)
{
    if (word == ENUM_DIFFERENT)
        give(c, ENUMERATE_UNEQUAL, "%s", buf_text(&tried->text));
    else if (word == ENUM_UNSURE)
        undecided(c, buf_text(&tried->text));
    buf_fini(&tried->text);
    return word == ENUM_SAME;
}

/* What terms do not show: runs of the whole on numbers. symbols: terms could be
 * compared; what their forms left open is in pairs. */
static bool run_numbers(struct claim *c, const struct sizes s[2], bool symbols,
                        struct pairs *pairs)
{
    struct enum_tried tried = {0};
    /* terms need some of them as well */
    uint64_t steps = c->number_steps - c->number_steps / 3, before = steps;
    struct enum_question q = question_of(c, s, &steps);
    enum enum_word word = enum_try_runs(&q, &tried);
    c->number_steps -= before - steps;
    c->out->runs += tried.counted;
    if (word == ENUM_DIFFERENT)
        return heed(c, word, &tried);
    buf_fini(&tried.text);
    if (symbols)
        return true;
    if (tried.whole >= ENUM_ENOUGH) {
        c->out->by_numbers += tried.elements;
        pairs->elements = tried.elements;
        return true;
    }
    c->faulty = c->faulty || (tried.skipped > 0 && tried.counted == 0);
    if (tried.skipped > 0 && tried.counted == 0)
        undecided(c, "the untuned side has a fault on all inputs tried");
    return false;
}

/* Terms of other forms on numbers. whole: runs can be asked as well. */
static bool settle_pairs(struct claim *c, const struct sizes s[2],
                         const struct enum_table *t, bool whole,
                         struct pairs *pairs)
{
    struct enum_tried tried = {0};
    uint64_t steps = c->number_steps, before = steps;
    struct enum_question q = question_of(c, s, &steps);
    if (pairs->items.len == 0)
        return true;
    enum enum_word word = enum_try_terms(&q, t, whole, pairs->items.len,
                                         pairs->items.items, &tried);
    c->number_steps -= before - steps;
    if (!heed(c, word, &tried))
        return false;
    c->out->by_numbers += pairs->items.len;
    return true;
}

/* totals: NULL, or the number of elements of each parameter. */
static bool run_round(struct claim *c, const struct sizes s[2],
                      const struct enum_sample *sample, int64_t *totals)
{
    struct enum_table t;
    struct enum_output *outputs[2];
    struct pairs pairs = {0};
    size_t n = c->func[0]->prim.nparams;
    enum_table_init(&t);
    for (size_t side = 0; side < 2; side++)
        outputs[side] = ARENA_ARRAY(t.arena, n + 1, struct enum_output);
    bool fine = run_side(c, 0, &t, &s[0], sample, outputs[0]) &&
                run_side(c, 1, &t, &s[1], sample, outputs[1]) &&
                compare_outputs(c, &t, outputs, &pairs);
    bool decided = c->out->outcome == ENUMERATE_UNEQUAL;
    if (!decided && !c->large && sample == NULL)
        fine = run_numbers(c, s, fine, &pairs);
    fine = fine && settle_pairs(c, s, &t, sample == NULL, &pairs);
    if (fine) {
        c->out->outcome = ENUMERATE_EQUAL;
        c->out->elements += pairs.elements;
    }
    if (sample != NULL && c->out->outcome == ENUMERATE_UNEQUAL)
        give(c, ENUMERATE_UNEQUAL,
             "only element %" PRId64 " of parameter %zu was run: %s",
             sample->element, sample->param, c->out->why);
    for (size_t i = 0; i < n && totals != NULL; i++)
        totals[i] = outputs[0][i].total;
    vec_fini(&pairs.items);
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

/* What the programs compare sizes with may lie beyond all rounds: single elements
 * at one more. There what is made between may have more elements than int32
 * counts, so a fault is none of the tuned side's, and what cannot be had takes
 * nothing back. False: the claim fails. */
static bool run_far(struct claim *c, int64_t size)
{
    size_t n = c->func[0]->prim.nparams, before = c->tried.len;
    int64_t *totals = ARENA_ARRAY(c->out->arena, n + 1, int64_t);
    struct sizes s[2];
    bool any, fine = true, some = false;
    c->steps = c->budget / 2;
    c->far = true;
    fine = choose(c, size, s, &any);
    for (unsigned k = 0; k < SAMPLES / 2 && fine; k++) {
        for (size_t i = 0; i < n && fine; i++) {
            struct enum_sample x = {i,
                                    sampled_element(k, SAMPLES, i, totals[i])};
            if (c->func[0]->prim.params[i].buffer == NULL ||
                (k > 0 && k >= totals[i]))
                continue;
            fine = run_round(c, s, &x, totals) && totals[i] <= FAR_ELEMENTS;
            some = some || fine;
        }
    }
    c->far = false;
    if (some || c->out->outcome == ENUMERATE_UNEQUAL)
        return c->out->outcome != ENUMERATE_UNEQUAL;
    c->tried.len = before;
    if (before > 0)
        c->tried.data[before] = '\0';
    return true;
}

/* The largest numbers that are mentioned and below a limit, each with its next
 * one as a size. */
static void run_beyond(struct claim *c)
{
    int64_t below = FAR_MOST;
    for (size_t k = 0; k < FAR_SIZES; k++) {
        int64_t most = rounds[DC_ARRAY_LEN(rounds) - 1];
        for (size_t i = 0; i < c->pool.nints; i++)
            if (c->pool.ints[i] > most && c->pool.ints[i] < below)
                most = c->pool.ints[i];
        if (most == rounds[DC_ARRAY_LEN(rounds) - 1] || !run_far(c, most + 1))
            return;
        below = most;
    }
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

/* A round that cannot be run ends the rounds; one must do. On sizes at which the
 * untuned side has a fault nothing is claimed. */
static void run_rounds(struct claim *c)
{
    bool any = true, some = false;
    uint64_t numbers = c->number_steps;
    for (size_t i = 0; i < DC_ARRAY_LEN(rounds) && any; i++) {
        struct sizes s[2];
        size_t before = c->tried.len;
        if (!choose(c, rounds[i], s, &any)) {
            give(c, ENUMERATE_NOT_DONE, "the sizes could not be chosen");
            return;
        }
        /* half of what is left for each size */
        c->number_steps = any ? numbers / 2 : numbers;
        numbers -= c->number_steps;
        bool fine = run_round(c, s, NULL, NULL);
        numbers += c->number_steps;
        some = some || fine;
        if (fine)
            continue;
        if (i == 0 && c->large) {
            run_sampled(c);
            return;
        }
        if (c->out->outcome == ENUMERATE_UNEQUAL)
            return;
        c->tried.len = before;
        if (before > 0)
            c->tried.data[before] = '\0';
        if (!c->faulty)
            break;
    }
    if (some && any)
        run_beyond(c);
    if (some && c->out->outcome != ENUMERATE_UNEQUAL)
        c->out->outcome = ENUMERATE_EQUAL;
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
    c->number_steps = c->budget * NUMBER_BUDGET;
    memset(c->out, 0, sizeof *c->out);
    c->out->arena = arena_new();
    if (!answer(c->func[0], c->func[1])) {
        give(c, ENUMERATE_NOT_DONE, "parameters do not answer to each other");
    } else {
        enum_pool_init(&c->pool, c->func);
        if (sampled)
            run_sampled(c);
        else
            run_rounds(c);
    }
    if (c->out->outcome == ENUMERATE_EQUAL)
        c->out->why = NULL;
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
