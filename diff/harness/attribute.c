/* SPDX-License-Identifier: Apache-2.0
 *
 * From a difference to its cause: the question that drift_explain answers.
 *
 * The target is a callback there: a kernel, its folder, and fresh inputs of the
 * kinds that are measured. Samples of one choice of sizes go together; those of
 * the first that differs are asked about.
 *
 * What a target declares is two texts (diff_target.expects and .may), read here
 * into the settings that are allowed.
 */
#include "diff/drift/drift.h"
#include "diff/harness/harness.h"
#include "diff/harness/measure.h"
#include "diff/harness/process.h"
#include "diff/input/input.h"

#include <string.h>

/* ---- declared arithmetic ----------------------------------------------------- */

static bool allow_word(const char *word, struct drift_declared *out)
{
    struct num_profile one;
    size_t len = strcspn(word, "=");
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        const char *name = num_toggle_name((enum num_toggle)t);
        if (strlen(name) != len || memcmp(name, word, len) != 0)
            continue;
        if (strcmp(word + len, "=*") == 0) {
            unsigned n = num_toggle_settings((enum num_toggle)t);
            out->may[t] |= (uint32_t)((UINT64_C(1) << n) - 1);
            return true;
        }
        if (!num_profile_parse(word, &one, NULL))
            return false;
        out->may[t] |= UINT32_C(1) << one.set[t];
        return true;
    }
    return false;
}

static bool diff_declared_of(const struct diff_target *target,
                             struct drift_declared *out)
{
    bool fine = true;
    memset(out, 0, sizeof *out);
    if (target->expects)
        fine = num_profile_parse(target->expects, &out->base, NULL);
    for (const char *p = target->may; fine && p && *p;) {
        struct buf word = {0};
        size_t n = strcspn(p, " ");
        buf_append(&word, p, n);
        fine = n == 0 || allow_word(buf_text(&word), out);
        buf_fini(&word);
        p += n + (p[n] ? 1 : 0);
    }
    return fine;
}

/* ---- the target as a callback -------------------------------------------------- */

struct subject {
    const struct diff_measurement *m;
    const struct diff_measured *t;
    size_t side;
    struct diff_case *c;
    size_t nargs;
    unsigned threads;
};

/* Kinds of fresh inputs, in turn. */
static bool fresh(void *user, unsigned k, struct interp_arg *args)
{
    static const enum interp_fill fills[] = {INTERP_FILL_UNIT,
                                             INTERP_FILL_RANDOM};
    const struct subject *s = user;
    struct diff_recipe recipe = {
        .fill = fills[k % DC_ARRAY_LEN(fills)],
        .seed = hash_mix(s->m->pair->options->seed, k + 1) >> 1,
        .ranges = s->c->ranges};
    struct diff_args made;
    diff_make_args(s->c, s->side, &recipe, &made);
    for (size_t i = 0; i < s->nargs; i++) {
        if (args[i].tensor)
            interp_tensor_copy(args[i].tensor, made.args[i].tensor);
        else
            args[i].bits = made.args[i].bits;
    }
    diff_args_fini(&made);
    return true;
}

/* Several at once; what the arguments hold stays theirs. */
static bool run_many(void *user, size_t n, struct interp_arg **args,
                     struct arena *arena, const char **why)
{
    const struct subject *s = user;
    return diff_kernel_run_each(&s->t->kernel[s->side], s->t->folder, s->nargs,
                                n, args, arena, why);
}

static bool run(void *user, struct interp_arg *args, struct arena *arena,
                const char **why)
{
    return run_many(user, 1, &args, arena, why);
}

/* ---- the question ----------------------------------------------------------------- */

static bool sample_differs(const struct diff_target *target,
                           const struct diff_sample *s, size_t side,
                           const struct diff_args *have)
{
    const struct interp_signature *sig = &s->c->sig[side];
    for (size_t k = 0; k < sig->nparams; k++)
        if (sig->params[k].stored && s->want[side].args[k].tensor &&
            diff_output_differs(target, s->want[side].args[k].tensor,
                                have->args[k].tensor, false, NULL))
            return true;
    return false;
}

static struct diff_case *first_case(const struct diff_measurement *m,
                                    const struct diff_measured *t, size_t side)
{
    for (size_t i = 0; i < m->nsamples; i++)
        if (t->used[i] && sample_differs(t->choice->arithmetic, &m->samples[i],
                                         side, &t->have[side][i]))
            return m->samples[i].c;
    DC_BUG("no sample of the %s kernel differs", diff_side_name(side));
}

/* Where signs of zeros are not kept, they are the reference's. */
static void align_zeros(const struct diff_target *target,
                        const struct diff_sample *s, size_t side,
                        struct diff_args *have)
{
    for (size_t k = 0; k < have->n; k++) {
        const struct interp_tensor *want = s->want[side].args[k].tensor;
        struct interp_tensor *t = have->args[k].tensor;
        for (size_t i = 0; t && want && i < t->elements; i++)
            if (diff_same_on(target, dtype_scalar(t->dtype),
                             interp_tensor_get(want, i),
                             interp_tensor_get(t, i)))
                interp_tensor_set(t, i, interp_tensor_get(want, i));
    }
}

static enum report_outcome outcome_of(enum drift_outcome outcome)
{
    switch (outcome) {
    case DRIFT_EXACT: return REPORT_EXACT;
    case DRIFT_EXPLAINED: return REPORT_EXPLAINED;
    case DRIFT_DEVIATES: return REPORT_DEVIATES;
    case DRIFT_WITHIN_BOUND: return REPORT_WITHIN_BOUND;
    case DRIFT_UNEXPLAINED: return REPORT_UNEXPLAINED;
    case DRIFT_WRONG: return REPORT_WRONG;
    case DRIFT_ERROR:
    case DRIFT_NOUTCOMES: break;
    }
    return REPORT_ERROR;
}

/* ---- answers had before ------------------------------------------------------------- */

/* What was found for one kernel on one target. */
struct diff_known {
    struct diff_known *next;
    const struct diff_choice *choice;
    size_t side;
    uint64_t *prints; /* of each sample's outputs; 0: not run */
    struct report_kernel kernel;
    struct num_profile profile;
    bool measured; /* explained by what was measured, not by the profile */
    const char *detail;
};

/* A number for the outputs of a sample, never 0. */
static uint64_t print_of(const struct interp_signature *sig,
                         const struct diff_args *have)
{
    uint64_t hash = 1;
    for (size_t k = 0; k < sig->nparams; k++) {
        const struct interp_tensor *t = have->args[k].tensor;
        if (t && sig->params[k].stored)
            hash = hash_bytes(hash, t->cells,
                              t->elements * interp_cell_bytes(t->cell));
    }
    return hash | 1;
}

static uint64_t *prints_of(const struct diff_measurement *m,
                           const struct diff_measured *t, size_t side)
{
    uint64_t *prints = ARENA_ARRAY(t->arena, m->nsamples + 1, uint64_t);
    for (size_t i = 0; i < m->nsamples; i++)
        if (t->used[i])
            prints[i] =
                print_of(&m->samples[i].c->sig[side], &t->have[side][i]);
    return prints;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the answer is one for this target, too. */
static bool is_for(const struct diff_known *k, const struct diff_target *target,
                   const struct drift_declared *declared)
{
    const struct diff_target *other = k->choice->arithmetic;
    if (k->kernel.outcome == REPORT_EXPLAINED && !k->measured)
        return drift_declares(declared, &k->profile);
    return same_text(other->expects, target->expects) &&
           same_text(other->may, target->may);
}

/* Whether a gave b's bits on every input that a got. */
static bool same_bits(const struct diff_measurement *m, const uint64_t *a,
                      const uint64_t *b)
{
    bool same = true;
    for (size_t i = 0; same && i < m->nsamples; i++)
        same = a[i] == 0 || a[i] == b[i];
    return same;
}

/* A target that gave the same bits on every input that this one got. */
static bool answer_again(struct diff_measured *t, size_t side,
                         const struct drift_declared *declared,
                         struct report_kernel *out)
{
    for (const struct diff_known *k = t->m->known; k; k = k->next) {
        if (k->side != side || !same_bits(t->m, t->prints[side], k->prints) ||
            !is_for(k, t->choice->arithmetic, declared))
            continue;
        out->outcome = k->kernel.outcome;
        out->hypothesis = k->kernel.hypothesis;
        out->outputs = k->kernel.outputs;
        out->reason = arena_printf(t->arena, "the bits of %s: %s",
                                   k->choice->name, k->kernel.reason);
        t->detail[side] = k->detail;
        return true;
    }
    return false;
}

static void keep_answer(struct diff_measured *t, size_t side,
                        const struct drift_answer *a,
                        const struct report_kernel *kernel)
{
    struct diff_known *k = ARENA_NEW(t->arena, struct diff_known);
    k->choice = t->choice;
    k->side = side;
    k->prints = t->prints[side];
    k->kernel = *kernel;
    k->detail = t->detail[side];
    k->measured = a->by_ways || a->scheme || a->nmixed > 0;
    if (a->ntrials > 0)
        k->profile = a->trials[0].profile;
    t->found[side] = k;
}

/* From here on the answer may be that of other targets. */
static void tell_others(struct diff_measured *t, size_t side)
{
    struct diff_known *k = t->found[side];
    if (k) {
        k->next = t->m->known;
        t->m->known = k;
    }
}

static void take_answer(const struct drift_answer *a, struct arena *arena,
                        struct report_kernel *out, const char **detail)
{
    struct buf text = {0};
    out->outcome = outcome_of(a->outcome);
    if (!out->reason)
        out->reason = arena_strdup(arena, a->reason ? a->reason : "");
    if (a->ntrials > 0 &&
        (a->outcome == DRIFT_EXPLAINED || a->outcome == DRIFT_DEVIATES)) {
        if (a->scheme)
            buf_puts(&text, a->scheme);
        else if (a->by_ways)
            buf_puts(&text, "tree");
        else if (a->nmixed > 1)
            buf_puts(&text, "mixed");
        else if (a->nmixed == 1)
            num_profile_put(&text, &a->mixed[0].profile);
        else
            num_profile_put(&text, &a->trials[0].profile);
        out->hypothesis = arena_strdup(arena, buf_text(&text));
        out->outputs = a->outputs;
        text.len = 0;
    }
    drift_put_answer(&text, a);
    *detail = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
}

/* Where nothing can be run, other causes that give the same bits: nothing tells
 * them from the one that is named. */
static void add_rivals(const struct drift_answer *a, struct arena *arena,
                       struct report_kernel *out)
{
    struct buf text = {0};
    for (size_t i = 1; i < a->nminimal; i++) {
        buf_puts(&text, i == 1 ? "" : ", ");
        num_profile_put(&text, &a->trials[i].profile);
    }
    if (a->outcome == DRIFT_EXPLAINED && a->nminimal > 1)
        out->reason = arena_printf(
            arena, "%s; so does %s, which another input may tell apart",
            out->reason, buf_text(&text));
    buf_fini(&text);
}

/* ---- samples --------------------------------------------------------------------------- */

/* Interpreter steps of a kernel beyond which one sample and one fresh input
 * have to do. */
#define LARGE 1e7

/* Numbers neither special nor at the ends of their type. */
static bool is_usual(const struct diff_recipe *r)
{
    return (r->fill == INTERP_FILL_UNIT || r->fill == INTERP_FILL_RANDOM) &&
           r->spice.kind != DIFF_NOT_FINITE;
}

/* Whether an element differs at which nothing rounds. */
static bool differs_exactly(const struct subject *s, size_t i)
{
    bool *used = s->t->used;
    struct diff_measured one = *s->t;
    one.used = ARENA_ARRAY(s->t->arena, s->m->nsamples + 1, bool);
    one.used[i] = used[i];
    return diff_find_wrong(s->m, &one, s->side) != NULL;
}

static bool is_probe(const struct diff_recipe *r)
{
    return r->spice.kind != DIFF_PLAIN;
}

/* The samples of the case, arguments before and after. Of a large kernel the
 * first; where exact inputs need not be exact also one that is not. */
static struct drift_sample *put_samples(const struct subject *s,
                                        const struct drift_declared *declared,
                                        size_t *n, struct diff_args *in)
{
    const struct diff_measurement *m = s->m;
    size_t few = drift_may(declared, NUM_T_QFLOAT) ? 2 : 1;
    struct drift_sample *samples =
        ARENA_ARRAY(s->t->arena, m->nsamples + 1, struct drift_sample);
    *n = 0;
    for (size_t i = 0; i < m->nsamples; i++) {
        const struct diff_sample *from = &m->samples[i];
        if (!s->t->used[i] || from->c != s->c ||
            (s->c->whole > LARGE && *n >= few) ||
            !sample_differs(s->t->choice->arithmetic, from, s->side,
                            &s->t->have[s->side][i]))
            continue;
        align_zeros(s->t->choice->arithmetic, from, s->side,
                    &s->t->have[s->side][i]);
        diff_make_args(from->c, s->side, &from->recipe, &in[*n]);
        samples[*n] = (struct drift_sample){
            .in = in[*n].args,
            .out = s->t->have[s->side][i].args,
            .want = s->c->sliced ? NULL : from->want[s->side].args,
            .label = from->label,
            .exact = from->recipe.fill == INTERP_FILL_EXACT,
            .usual = is_usual(&from->recipe),
            .probe = is_probe(&from->recipe),
            .stress = !from->realistic};
        if (from->given) { /* nobody made it such that nothing rounds */
            samples[*n].exact = differs_exactly(s, i);
            samples[*n].usual = !samples[*n].exact && from->moderate;
            samples[*n].stress = false;
        }
        (*n)++;
    }
    return samples;
}

/* Runs on masked inputs: of a large kernel fewer. */
static size_t max_runs(const struct subject *s)
{
    const struct diff_side *side = &s->m->side[s->side];
    double work =
        diff_scalar_work(side->module, side->func, s->c->symbols[s->side],
                         s->c->nsymbols[s->side]);
    double most = 2e11 / work / (s->t->choice->arithmetic->slow ? 30 : 1);
    return most > 4096 ? 4096 : most < 1 ? 1 : (size_t)most;
}

/* Asks; the answer is the caller's. */
static struct drift_answer *ask(struct subject *s,
                                const struct drift_declared *declared)
{
    const struct diff_measurement *m = s->m;
    const struct interp_signature *sig = &s->c->sig[s->side];
    struct arena *arena = s->t->arena;
    struct drift_question q = {.module = m->side[s->side].module,
                               .func = m->side[s->side].func,
                               .nargs = sig->nparams,
                               .fresh = fresh,
                               .run = run,
                               .run_many = run_many,
                               .user = s,
                               .max_runs = max_runs(s),
                               .nfresh = s->c->whole > LARGE ? 1 : 2,
                               .work = s->c->whole,
                               .plain_work = s->c->work,
                               .threads = s->threads};
    if (s->t->choice->recorded) { /* nothing is there to be run */
        q.fresh = NULL;
        q.run = NULL;
        q.run_many = NULL;
    }
    bool *is_output = ARENA_ARRAY(arena, sig->nparams + 1, bool);
    struct diff_args *in =
        ARENA_ARRAY(arena, m->nsamples + 1, struct diff_args);
    for (size_t i = 0; i < sig->nparams; i++)
        is_output[i] = sig->params[i].stored && sig->params[i].is_tensor;
    q.is_output = is_output;
    q.declared = *declared;
    q.samples = put_samples(s, declared, &q.nsamples, in);
    struct drift_answer *answer = drift_explain(&q);
    for (size_t i = 0; i < q.nsamples; i++)
        diff_args_fini(&in[i]);
    return answer;
}

/* One kernel; `again`: the answer of another target will do. */
static void attribute(struct diff_measured *t, size_t side, bool again,
                      unsigned threads)
{
    struct diff_measurement *m = t->m;
    struct report_kernel *out =
        side == TUNED ? &t->out->tuned : &t->out->untuned;
    double started = diff_seconds();
    struct subject s = {m, t, side, first_case(m, t, side), 0, threads};
    struct drift_declared declared;
    const char *nan = diff_find_nan(m, t, side);
    if (nan) {
        out->outcome = REPORT_WRONG;
        out->reason = nan;
        return;
    }
    s.nargs = s.c->sig[side].nparams;
    if (!diff_declared_of(t->choice->arithmetic, &declared))
        DC_BUG("target '%s' declares what is no arithmetic", t->choice->name);
    if (again && answer_again(t, side, &declared, out))
        return;
    struct drift_answer *answer = ask(&s, &declared);
    out->reason =
        answer->outcome == DRIFT_WRONG ? diff_find_wrong(m, t, side) : NULL;
    if (out->reason && answer->suspicion)
        out->reason = arena_printf(t->arena, "%s; it is %s", out->reason,
                                   answer->suspicion);
    take_answer(answer, t->arena, out, &t->detail[side]);
    if (t->choice->recorded)
        add_rivals(answer, t->arena, out);
    keep_answer(t, side, answer, out);
    drift_answer_free(answer);
    t->out->time_s += diff_seconds() - started;
}

/* ---- all targets ---------------------------------------------------------------- */

static bool is_asked(const struct diff_measured *t, size_t side)
{
    return t->m && t->out->ran && t->have[side];
}

/* Whether no target before i gave its bits. */
static bool is_first(const struct diff_measured *all, size_t i, size_t side)
{
    for (size_t j = 0; j < i; j++)
        if (is_asked(&all[j], side) && all[j].m == all[i].m &&
            same_bits(all[i].m, all[i].prints[side], all[j].prints[side]))
            return false;
    return true;
}

struct askers {
    struct diff_measured *all;
    unsigned threads; /* of each */
};

/* Whether both kernels are one function and gave the same bits. */
static bool is_one(const struct diff_measured *t)
{
    const struct diff_side *side = t->m->side;
    return is_asked(t, TUNED) && is_asked(t, UNTUNED) &&
           same_bits(t->m, t->prints[TUNED], t->prints[UNTUNED]) &&
           ir_module_equal(side[TUNED].module, side[UNTUNED].module,
                           (struct ir_equal_options){0}, NULL);
}

/* The tuned kernel's answer is the untuned one's. */
static void take_same(struct diff_measured *t)
{
    const struct report_kernel *from = &t->out->untuned;
    struct report_kernel *to = &t->out->tuned;
    to->outcome = from->outcome;
    to->reason = from->reason;
    to->hypothesis = from->hypothesis;
    to->outputs = from->outputs;
    t->detail[TUNED] = t->detail[UNTUNED];
    if (!t->found[UNTUNED])
        return;
    t->found[TUNED] =
        arena_memdup(t->arena, t->found[UNTUNED], sizeof *t->found[UNTUNED]);
    t->found[TUNED]->side = TUNED;
}

static void attribute_first(void *user, size_t i)
{
    const struct askers *a = user;
    struct diff_measured *t = &a->all[i];
    for (size_t side = 0; side < NSIDES; side++)
        if (side == TUNED && t->first[side] && t->first[UNTUNED] && is_one(t))
            take_same(t);
        else if (t->first[side])
            attribute(t, side, false, a->threads);
}

void diff_attribute(struct diff_measured *all, size_t n, unsigned jobs)
{
    size_t asked = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t side = 0; side < NSIDES; side++)
            if (is_asked(&all[i], side)) {
                all[i].prints[side] = prints_of(all[i].m, &all[i], side);
                all[i].first[side] = is_first(all, i, side);
            }
    for (size_t i = 0; i < n; i++)
        asked += all[i].first[TUNED] || all[i].first[UNTUNED];
    struct askers a = {all, asked > 1 ? (unsigned)((jobs + asked - 1) / asked)
                                      : jobs};
    diff_share(jobs, n, attribute_first, &a);
    for (size_t i = 0; i < n; i++)
        for (size_t side = 0; side < NSIDES; side++)
            tell_others(&all[i], side);
    for (size_t i = 0; i < n; i++)
        for (size_t side = 0; side < NSIDES; side++)
            if (is_asked(&all[i], side) && !all[i].first[side]) {
                attribute(&all[i], side, true, jobs);
                tell_others(&all[i], side);
            }
}
