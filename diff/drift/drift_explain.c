/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of questions about one target: does it differ at all, where no
 * operation rounds, by which arithmetic, and if by none that is known, by more
 * than the error bound.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

const char *drift_outcome_name(enum drift_outcome outcome)
{
    static const char *const names[DRIFT_NOUTCOMES] = {
        [DRIFT_EXACT] = "exact",
        [DRIFT_EXPLAINED] = "explained",
        [DRIFT_DEVIATES] = "deviates",
        [DRIFT_WITHIN_BOUND] = "within-bound",
        [DRIFT_UNEXPLAINED] = "unexplained",
        [DRIFT_WRONG] = "wrong",
        [DRIFT_ERROR] = "error",
    };
    return names[outcome];
}

static bool allows(const struct drift_declared *d, unsigned toggle,
                   unsigned setting)
{
    return setting == 0 || setting == d->base.set[toggle] ||
           (d->may[toggle] >> setting & 1u) != 0;
}

/* A sum may be left as the reference has it, or be fused as any may. */
static bool allows_sum(const struct drift_declared *d, unsigned setting)
{
    return (setting != NUM_SUM_LEFT ||
            allows(d, NUM_T_CONTRACT, NUM_CONTRACT_LEFT)) &&
           (setting != NUM_SUM_RIGHT ||
            allows(d, NUM_T_CONTRACT, NUM_CONTRACT_RIGHT));
}

bool drift_declares(const struct drift_declared *d, const struct num_profile *p)
{
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        bool sum = t >= NUM_T_SUM1 && t < NUM_T_SUM1 + NUM_NSUMS;
        if (sum ? !allows_sum(d, p->set[t]) : !allows(d, t, p->set[t]))
            return false;
    }
    return true;
}

bool drift_may(const struct drift_declared *d, enum num_toggle toggle)
{
    return d->base.set[toggle] != 0 || d->may[toggle] > 1;
}

DC_PRINTF(2, 3)
static void set_reason(struct drift_answer *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    a->reason = arena_vprintf(a->arena, fmt, args);
    va_end(args);
}

static void fail(struct drift_study *s, struct drift_answer *a)
{
    a->outcome = DRIFT_ERROR;
    set_reason(a, "%s: %s",
               s->error_is_targets ? "the target failed on fresh inputs"
                                   : "the program could not be run",
               s->error != NULL ? s->error : "the step budget is used up");
}

/* ---- statistics -------------------------------------------------------------------- */

static void add_samples(struct drift_study *s, struct drift_answer *a,
                        bool stress)
{
    for (size_t k = 0; k < s->ncases; k++)
        for (size_t o = 0; o < s->noutputs; o++)
            if (stress || !s->q->samples[k].stress)
                drift_stats_add(&a->stats, k, s->outputs[o],
                                s->cases[k].want[s->outputs[o]].tensor,
                                s->cases[k].out[s->outputs[o]].tensor);
}

/* Numbers of realistic size first: overflows of others would drown them. */
static void add_statistics(struct drift_study *s, struct drift_answer *a)
{
    a->stats.max_scaled = -1;
    add_samples(s, a, false);
    if (a->stats.differ > 0)
        return;
    memset(&a->stats, 0, sizeof a->stats);
    a->stats.max_scaled = -1;
    add_samples(s, a, true);
}

/* Of the output and sample with the worst element; integers have none. */
static void add_profile(struct drift_study *s, struct drift_answer *a)
{
    const struct drift_case *c = &s->cases[a->stats.worst_sample];
    const struct interp_tensor *want = c->want[a->stats.worst_param].tensor;
    struct buf text = {0};
    if (a->stats.differ > 0 && want != NULL && dtype_is_float(want->dtype))
        drift_put_profile(&text, want, c->out[a->stats.worst_param].tensor, 0);
    a->profile = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
}

/* ---- names of causes ------------------------------------------------------------------ */

/* Setting by setting, in words. */
static void put_causes(struct buf *out, const struct num_profile *p)
{
    bool any = false;
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        if (p->set[t] == 0)
            continue;
        buf_printf(out, "%s%s", any ? "; " : "",
                   num_setting_meaning((enum num_toggle)t, p->set[t]));
        any = true;
    }
}

/* "all 802816 outputs bit for bit, on each of 2 inputs, 1 of them fresh" */
static void put_compared(struct buf *out, const struct drift_study *s,
                         const struct drift_trial *t, size_t outputs)
{
    size_t fresh = 0, n = s->ncases;
    for (size_t i = 0; i < n; i++)
        fresh += s->cases[i].fresh;
    buf_printf(out, "all %zu %soutputs bit for bit, ",
               outputs > 0 ? outputs : t->compared,
               t->everywhere ? "" : "sampled ");
    if (n > 1)
        buf_printf(out, "%s %zu inputs", outputs > 0 ? "on each of" : "of", n);
    else
        buf_puts(out, "on one input");
    if (fresh > 0)
        buf_printf(out, ", %zu of them fresh", fresh);
    else
        buf_puts(out, "; no fresh inputs were tried");
}

static void conclude_found(struct drift_study *s, struct drift_answer *a)
{
    const struct drift_trial *t = &a->trials[0];
    struct buf text = {0};
    put_causes(&text, &t->profile);
    a->outcome = t->declared ? DRIFT_EXPLAINED : DRIFT_DEVIATES;
    a->explained = a->stats.differ;
    if (!t->declared)
        buf_puts(&text, ", which the target does not declare");
    buf_puts(&text, ": reproduces ");
    a->outputs = t->each;
    put_compared(&text, s, t, a->outputs);
    set_reason(a, "%s", buf_text(&text));
    buf_fini(&text);
}

/* Whether the differences are more than another order or a function may make:
 * then the target is no better without a name for them. */
static bool is_beyond(struct drift_study *s, struct drift_answer *a)
{
    drift_judge_bound(s, a);
    return a->outcome != DRIFT_WITHIN_BOUND;
}

/* An undeclared setting that too few elements speak for is no accusation: it is
 * told beside what is judged without it. */
static bool is_accused(struct drift_study *s, struct drift_answer *a)
{
    size_t n;
    const struct drift_trial *t = &a->trials[0];
    if (t->declared)
        return true;
    enum drift_evidence evidence = drift_tell(s, a, &t->profile, &n);
    if (evidence == DRIFT_TOLD ||
        (evidence == DRIFT_TOO_LITTLE && is_beyond(s, a)))
        return true;
    struct buf text = {0};
    num_profile_put(&text, &t->profile);
    if (evidence == DRIFT_TOO_LITTLE)
        a->doubtful = arena_printf(
            a->arena,
            "%s, which is not declared, gives every bit, but %zu element%s "
            "alone tell%s it from what is declared",
            buf_text(&text), n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    buf_fini(&text);
    a->nminimal = 0;
    return false;
}

/* ---- wrong -------------------------------------------------------------------------------- */

/* Literals printed short change results also where nothing rounds. */
static const char *suspect_literals(struct drift_study *s)
{
    const struct drift_declared *d = &s->q->declared;
    for (unsigned v = NUM_NLITERALS - 1; v > 0; v--)
        for (unsigned f = 0; f < NUM_NFUNCTIONS; f++) {
            struct num_profile p = d->base;
            if (f > 0 && !(d->may[NUM_T_FUNCTIONS] >> f & 1u))
                continue;
            p.set[NUM_T_FUNCTIONS] =
                f > 0 ? (uint8_t)f : p.set[NUM_T_FUNCTIONS];
            p.set[NUM_T_LITERALS] = (uint8_t)v;
            struct drift_score score = study_check(s, &p);
            if (!score.failed && score.compared > 0 &&
                score.equal == score.compared)
                return arena_printf(s->arena, "as if %s",
                                    num_setting_meaning(NUM_T_LITERALS, v));
        }
    return NULL;
}

/* What it is, by one element's terms, by literals, by the whole program. */
static void conclude_wrong(struct drift_study *s, struct drift_answer *a)
{
    a->walk = drift_trace(s, a->arena, a->stats.worst_sample,
                          a->stats.worst_param, a->stats.worst_element, NULL);
    const char *literals = suspect_literals(s);
    const char *program =
        literals == NULL ? drift_program(s, a->arena, true) : NULL;
    const char *term = a->walk != NULL ? a->walk->suspicion : NULL;
    if (program == NULL && term == NULL && literals == NULL)
        program = drift_again(s, a->arena, a->stats.worst_sample);
    if (literals != NULL)
        a->suspicion = arena_strdup(a->arena, literals);
    else if (program != NULL && term != NULL)
        a->suspicion =
            arena_printf(a->arena, "%s; all of it %s", term, program);
    else
        a->suspicion = program != NULL ? program : term;
    if (a->walk != NULL)
        a->walk->suspicion = a->suspicion;
    if (a->suspicion != NULL)
        set_reason(a, "%s; it is %s", a->reason, a->suspicion);
}

/* Differences that no arithmetic explains may be those of another program. */
static bool is_other_program(struct drift_study *s, struct drift_answer *a)
{
    bool beside = a->outcome != DRIFT_WITHIN_BOUND;
    size_t evidence;
    for (size_t i = 0; i < s->ncases; i++)
        beside |= s->cases[i].exact && s->cases[i].differs;
    const char *program =
        beside && drift_tell(s, a, NULL, &evidence) == DRIFT_TOLD
            ? drift_program(s, a->arena, false)
            : NULL;
    if (program == NULL)
        return false;
    a->outcome = DRIFT_WRONG;
    a->suspicion = program;
    if (a->walk != NULL)
        a->walk->suspicion = program;
    set_reason(a,
               "no arithmetic gives these bits; it is %s: that gives every "
               "bit compared, fresh inputs included",
               program);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------ */

bool drift_resembles_qfloat(struct drift_study *s)
{
    struct num_profile none = {{0}}, qfloat = {{0}};
    if (!drift_may(&s->q->declared, NUM_T_QFLOAT))
        return false;
    qfloat.set[NUM_T_QFLOAT] = NUM_QFLOAT_EACH;
    struct drift_score a = study_screen(s, &none);
    struct drift_score b = study_screen(s, &qfloat);
    return !a.failed && !b.failed && b.equal > a.equal;
}

/* In qfloat (A17) small integers are not exact: a target that may have it is
 * wrong only if that does not explain it. */
static bool is_wrong(struct drift_study *s, struct drift_answer *a, bool *found)
{
    struct drift_stats stats = a->stats;
    *found = false;
    if (!drift_judge_exact(s, a))
        return false;
    *found = drift_resembles_qfloat(s) && drift_search(s, a) &&
             a->trials[0].profile.set[NUM_T_QFLOAT] != NUM_QFLOAT_NONE;
    if (*found)
        a->stats = stats;
    else
        a->ntrials = a->nminimal = 0;
    return !*found;
}

static void judge(struct drift_study *s, struct drift_answer *a)
{
    bool found;
    add_statistics(s, a);
    bool wrong = is_wrong(s, a, &found);
    add_profile(s, a);
    if (wrong) {
        conclude_wrong(s, a);
        return;
    }
    if (a->stats.differ == 0) {
        a->outcome = DRIFT_EXACT;
        set_reason(a, "all %zu elements have the reference's bits",
                   a->stats.elements);
        return;
    }
    s->coarse = !found && drift_is_coarse(s);
    found = found || drift_search(s, a);
    if (s->error_is_targets) {
        fail(s, a);
        return;
    }
    found = found && is_accused(s, a);
    if (found)
        conclude_found(s, a);
    bool fine = !found && !s->coarse;
    bool mixed = fine && drift_mix_explain(s, a);
    bool summed =
        fine && !mixed && !s->error_is_targets && drift_sums_explain(s, a);
    if (fine && !mixed && !summed && !s->error_is_targets)
        summed = drift_scheme_explain(s, a);
    if (s->error_is_targets) {
        fail(s, a);
        return;
    }
    drift_trace_tolerance(s, a);
    const struct num_profile *p = found ? &a->trials[0].profile : NULL;
    found |= mixed;
    a->walk = drift_trace(s, a->arena, a->stats.worst_sample,
                          a->stats.worst_param, a->stats.worst_element, p);
    if (!found && !summed && a->doubtful == NULL)
        drift_judge_bound(s, a);
    else if (!found && !summed) /* judged by is_beyond */
        set_reason(a, "%s; %s", a->reason, a->doubtful);
    if (!found && a->outcome != DRIFT_EXPLAINED)
        (void)is_other_program(s, a);
}

struct drift_answer *drift_explain(const struct drift_question *question)
{
    struct drift_study s;
    memset(&s, 0, sizeof s);
    struct drift_answer *a = dc_alloc(sizeof *a);
    a->arena = arena_new();
    s.q = question;
    s.arena = arena_new();
    if (question->func->kind != IR_FUNC_PRIM ||
        question->func->prim.body == NULL) {
        a->outcome = DRIFT_ERROR;
        set_reason(a, "function '%s' has no body to run", question->func->name);
    } else if (study_start(&s)) {
        judge(&s, a);
    } else {
        fail(&s, a);
    }
    a->steps = s.steps;
    study_end(&s);
    arena_free(s.arena);
    return a;
}

void drift_answer_free(struct drift_answer *answer)
{
    if (answer == NULL)
        return;
    arena_free(answer->arena);
    dc_release(answer);
}
