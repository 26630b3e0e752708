/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of the fast engine from outside: lower, choose, emit, copy the
 * arguments into storage of their own, run, copy back. Until the run has ended
 * well nothing of the caller's is touched.
 */
#include "interp/fast/keyed_vm.h"
#include "ir/num/profile.h"

#include <string.h>

/* ---- plan ------------------------------------------------------------------------ */

/* The walker's plan says which buffers each iteration has for itself (rule 4)
 * and which parameters are never written. */
static void make_plan(struct engine *e, struct machine *m)
{
    memset(m, 0, sizeof *m);
    m->module = e->module;
    m->func = e->func;
    m->arena = e->arena;
    m->options = *e->options;
    e->plan = exec_plan_get(m, e->func);
}

static void free_nodes(struct node *list)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        vec_fini(&n->first);
        vec_fini(&n->first_vec);
        free_nodes(n->body);
        free_nodes(n->other);
    }
}

/* ---- entry -------------------------------------------------------------------------- */

/* The walker's steps that make max_steps of this engine's. */
static uint64_t step_limit(uint64_t max_steps, uint64_t ratio)
{
    if (max_steps == 0 || max_steps > UINT64_MAX / ratio)
        return UINT64_MAX - 1;
    return max_steps * ratio;
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *out = dc_alloc(n);
    memcpy(out, text, n);
    return out;
}

static enum fast_answer run(struct engine *e, struct interp_result *result)
{
    struct vm_result r;
    memset(&r, 0, sizeof r);
    if (!lower_function(e) || !fast_choose_lanes(e) || !fast_emit_code(e))
        return FAST_NOT_HANDLED;
    if (e->options->compile_only) {
        memset(result, 0, sizeof *result);
        result->steps = fast_engine_ratio(e);
        return FAST_DONE;
    }
    fast_find_steady(e);
    if (!fast_stores_fill(e))
        return FAST_NOT_HANDLED;
    uint64_t ratio = fast_engine_ratio(e);
    bool ok = fast_vm_run(e, step_limit(e->options->max_steps, ratio), &r);
    if (e->why != NULL && e->steady)
        DC_BUG("code that cannot fail did: %s", e->why);
    if (e->why != NULL && !r.budget)
        return FAST_NOT_HANDLED;
    memset(result, 0, sizeof *result);
    result->steps = r.steps / ratio + (r.steps % ratio != 0);
    if (!ok) { /* the budget: nothing else ends a run without a reason */
        result->fault = INTERP_BUDGET;
        result->message = copy_text("the step budget is used up");
        result->steps = e->options->max_steps + 1;
        return FAST_DONE;
    }
    result->inexact = r.inexact;
    result->data_dependent = r.data_dependent;
    result->implicit_barriers = r.nimplied > 0;
    result->nimplied = r.nimplied;
    if (r.implied != NULL)
        result->implied = exec_one_line(r.implied->stmt);
    result->keyed_ops = r.keyed_ops;
    result->degree = r.degree;
    result->assumptions = r.assumptions;
    fast_stores_back(e);
    return FAST_DONE;
}

/* Whether registers can hold all values under the profile: qfloat (A17) has
 * numbers where the formats of registers have infinity and NaN. Nor are sums of
 * matrix instructions (A21) made here. */
static bool lanes_hold(const struct interp_options *options)
{
    return options->domain == INTERP_IEEE &&
           options->profile->set[NUM_T_QFLOAT] == NUM_QFLOAT_NONE &&
           options->profile->set[NUM_T_MATRIX] == 0;
}

/* all_coop: kernels whose threads seem to need nothing of one another, too, are
 * run as if they worked together, for which races need not be seen to be absent
 * beforehand. */
static enum fast_answer attempt(const struct ir_module *module,
                                const struct ir_func *func, size_t nargs,
                                struct interp_arg *args,
                                const struct interp_options *options,
                                bool all_coop, struct interp_result *result,
                                const char **why)
{
    struct engine e;
    struct machine m;
    enum fast_answer answer = FAST_NOT_HANDLED;
    memset(&e, 0, sizeof e);
    e.module = module;
    e.func = func;
    e.options = options;
    e.nargs = nargs;
    e.args = args;
    e.all_coop = all_coop;
    e.watch = options->wraps;
    if (options->profile != NULL && num_profile_is_scalar(options->profile))
        e.scalar = options->profile;
    e.arena = arena_new();
    if ((options->domain != INTERP_IEEE &&
         !interp_domain_is_keyed(options->domain)) ||
        options->demand != NULL || options->descending ||
        func->kind != IR_FUNC_PRIM || func->prim.body == NULL ||
        (e.scalar != NULL && !lanes_hold(options))) {
        lower_give_up(&e, "this kind of run");
    } else {
        make_plan(&e, &m);
        answer = run(&e, result);
        vec_fini(&m.plans);
    }
    *why = e.why;
    free_nodes(e.top);
    fast_stores_free(&e);
    vec_fini(&e.atoms);
    vec_fini(&e.code);
    vec_fini(&e.first);
    arena_free(e.arena);
    return answer;
}

static void forget_implied(struct interp_result *result)
{
    dc_release(result->implied);
    result->implied = NULL;
    result->nimplied = 0;
    result->implicit_barriers = false;
}

enum fast_answer fast_run(const struct ir_module *module,
                          const struct ir_func *func, size_t nargs,
                          struct interp_arg *args,
                          const struct interp_options *options,
                          struct interp_result *result, const char **why)
{
    enum fast_answer answer =
        attempt(module, func, nargs, args, options, false, result, why);
    if (answer == FAST_NOT_HANDLED && *why == fast_why_not_independent)
        answer = attempt(module, func, nargs, args, options, true, result, why);
    /* without races the order of threads does not matter, with one the walker's
     * counts: it is looked for all the same */
    if (answer == FAST_NOT_HANDLED && *why == lower_why_kernel &&
        !options->check_races) {
        struct interp_options checked = *options;
        checked.check_races = true;
        answer = fast_run(module, func, nargs, args, &checked, result, why);
        if (answer == FAST_DONE)
            forget_implied(result); /* as where nobody looks */
    }
    return answer;
}

double fast_ratio(const struct ir_module *module, const struct ir_func *func,
                  size_t nargs, struct interp_arg *args,
                  const struct interp_options *options)
{
    struct interp_result ratio;
    const char *why;
    struct interp_options compile = *options;
    compile.compile_only = true;
    if (fast_run(module, func, nargs, args, &compile, &ratio, &why) !=
        FAST_DONE)
        return 1;
    return (double)ratio.steps;
}
