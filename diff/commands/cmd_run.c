/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck run MODULE`: one run of the reference interpreter.
 *
 * Parameters come from .npy files (--in) or are generated (--fill, --seed);
 * symbolic sizes come from the files' shapes or from --shape. Every access is
 * checked. Prints one line an output, or writes the outputs (--out).
 */
#include "diff/cli/command.h"
#include "diff/cli/outputs.h"
#include "diff/engine/barriers.h"
#include "diff/engine/single.h"
#include "diff/harness/measure.h"
#include "diff/input/casefile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- results ----------------------------------------------------------------- */

static bool give_output(struct diff_single *r, const char *name,
                        const struct interp_tensor *t, struct buf *out)
{
    diff_put_output(name, t, &r->mode, out);
    if (!r->options->out)
        return true;
    if (strchr(name, '/') || *name == '.')
        return diff_single_complain(r, "run.output", "'%s' is no file name",
                                    name);
    return diff_write_output(r->options->out, name, t, &r->mode, r->sink);
}

static int report_fault(struct diff_single *r,
                        const struct interp_result *result, struct buf *out)
{
    const char *message = result->message ? result->message : "";
    if (result->fault == INTERP_BAD_ARGS) {
        (void)diff_single_complain(r, "run.arguments", "%s", message);
        return DIFF_EXIT_USAGE;
    }
    buf_printf(out, "%s: ", interp_fault_name(result->fault));
    buf_put_visible(out, message, strlen(message), "");
    if (result->where) {
        buf_puts(out, "\n  at ");
        buf_put_visible(out, result->where, strlen(result->where), "\n");
    }
    buf_putc(out, '\n');
    return interp_is_fault(result->fault) ? DIFF_EXIT_FINDING
                                          : DIFF_EXIT_UNDECIDED;
}

/* The folder of --out, if it is not there; its parent has to be. What killed
 * runs left in one that is there goes. */
static bool prepare_folder(struct diff_single *r)
{
    const char *folder = r->options->out;
    struct buf any = {0};
    if (mkdir(folder, 0777) == 0)
        return true;
    if (errno != EEXIST)
        return diff_single_complain(r, "run.output", "cannot make '%s': %s",
                                    folder, strerror(errno));
    buf_printf(&any, "%s/", folder);
    file_tidy(buf_text(&any));
    buf_fini(&any);
    return true;
}

static bool give_outputs(struct diff_single *r, struct interp_tensor **outputs,
                         size_t noutputs, struct buf *out)
{
    bool fine = !r->options->out || prepare_folder(r);
    if (r->func->kind != IR_FUNC_RELAX) {
        for (size_t i = 0; i < r->args.n && fine; i++) {
            if (r->args.args[i].tensor && r->sig.params[i].stored)
                fine = give_output(r, r->sig.params[i].name,
                                   r->args.args[i].tensor, out);
        }
        return fine;
    }
    for (size_t i = 0; i < noutputs && fine; i++) {
        struct buf name = {0};
        buf_printf(&name, "out%zu", i);
        fine = give_output(r, buf_text(&name), outputs[i], out);
        buf_fini(&name);
    }
    return fine;
}

/* ---- terms ----------------------------------------------------------------------- */

#define MAX_TERMS 65536u /* shown of one element */

/* The elements asked for, or the first of every output. */
static bool choose_elements(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    struct interp_terms **end = &r->mode.terms;
    if (r->mode.domain != INTERP_TERMS)
        return o->nelements == 0 ||
               diff_single_complain(r, "run.element",
                                    "'--element' needs '--domain terms'");
    if (r->func->kind == IR_FUNC_RELAX)
        return diff_single_complain(
            r, "run.element",
            "terms of Relax functions are not traced: choose a "
            "PrimFunc with '--function'");
    size_t n = o->nelements ? o->nelements : r->args.n;
    for (size_t i = 0; i < n; i++) {
        struct interp_terms *t = ARENA_NEW(r->arena, struct interp_terms);
        t->arena = r->arena;
        t->max = MAX_TERMS;
        t->sources = true;
        t->param = i;
        const struct interp_tensor *all = r->args.args[i % r->args.n].tensor;
        if (o->nelements == 0 &&
            (!all || !r->sig.params[i].stored || all->elements == 0))
            continue;
        if (o->nelements > 0 &&
            !diff_single_element(r, o->elements[i], &t->param, &t->element))
            return false;
        *end = t;
        end = &t->next;
    }
    return true;
}

/* ---- all ---------------------------------------------------------------------------- */

static bool set_mode(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    r->mode = interp_default_options();
    r->mode.max_steps = o->budget;
    r->mode.threads = o->jobs;
    r->mode.explicit_barriers = o->explicit_barriers;
    r->mode.key = hash_mix(o->seed, 0);
    if (!num_profile_is_reference(&o->arithmetic))
        r->mode.profile = &o->arithmetic;
    if (o->domain && !interp_domain_find(o->domain, &r->mode.domain))
        DC_BUG("domain '%s' is a word and no domain", o->domain);
    return choose_elements(r);
}

/* What equal fingerprints take for granted, and barriers that rule 3 implies. */
static void note_assumptions(const struct diff_single *r,
                             const struct interp_result *result,
                             struct buf *out)
{
    static const struct {
        unsigned bit;
        const char *text;
    } notes[] = {
        {INTERP_NON_NAN, "no NaN reaches a min or max"},
        {INTERP_FINITE, "0 times a value is 0"},
        {INTERP_IN_RANGE, "the lowest finite value is a unit of max"},
        {INTERP_GENERIC, "exponents that are not linear in the inputs do not "
                         "meet by accident"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(notes); i++)
        if (result->assumptions & notes[i].bit)
            buf_printf(out, "assumes: %s\n", notes[i].text);
    if (result->nimplied > 0) {
        buf_puts(out, "assumes: ");
        diff_put_implied(out, arena_printf(r->arena, "'%s'", r->func->name),
                         result->nimplied, result->implied);
        buf_putc(out, '\n');
    }
}

static int execute(struct diff_single *r, struct buf *out)
{
    struct diff_outcome x;
    int status = DIFF_EXIT_NOTHING;
    const char *said;
    diff_single_run(r, &x);
    bool fine = diff_single_narrow(r, &x, diff_single_faults, &said);
    if (fine && said)
        buf_printf(out,
                   "assumes %s (with other values it faults; see --assume)\n",
                   said);
    if (!fine)
        status = DIFF_EXIT_USAGE;
    else if (x.result.fault != INTERP_OK)
        status = report_fault(r, &x.result, out);
    else if (!give_outputs(r, x.outputs, x.noutputs, out))
        status = DIFF_EXIT_USAGE;
    else
        note_assumptions(r, &x.result, out);
    for (const struct interp_terms *t = r->mode.terms;
         t && x.result.fault == INTERP_OK; t = t->next)
        diff_put_terms(r->sig.params[t->param].name,
                       r->args.args[t->param].tensor, t, out);
    diff_outcome_fini(&x);
    return status;
}

/* What a device gave, judged: one line an outcome, and what is to say of it. */
static int judge_recorded(struct diff_single *r, struct buf *out)
{
    struct report *report = report_new();
    struct report_pair verdict = {.function = r->func->name,
                                  .verdict = REPORT_IDENTICAL};
    struct diff_pair pair = {
        .options = r->options,
        .report = report,
        .out = &verdict,
        .arena = report->arena,
        .side = {{r->module, r->func}, {r->module, r->func}},
        .relax = r->func->kind == IR_FUNC_RELAX,
        .steps_left = r->options->budget,
        .full_limit = r->options->budget,
        .given_case = SIZE_MAX};
    struct diff_harness *harness = diff_harness_new(r->options);
    const char *why = NULL;
    int status = DIFF_EXIT_USAGE;
    if (diff_plan_cases(&pair, r->sink, &why) != DIFF_PLAN_BAD_INPUT &&
        diff_read_given(&pair, r->sink)) {
        diff_measure(&pair, harness);
        for (size_t i = 0; i < verdict.ntargets; i++) {
            const struct report_target *t = &verdict.targets[i];
            buf_printf(out, "%s  %s", t->target,
                       report_outcome_name(t->outcome));
            buf_puts(out, t->reason ? ": " : "");
            buf_puts(out, t->reason ? t->reason : "");
            buf_putc(out, '\n');
            buf_puts(out, t->detail ? t->detail : "");
        }
        status = diff_exit_of_targets(r->options, &verdict);
    }
    diff_given_fini(&pair.given);
    diff_harness_free(harness);
    report_free(report);
    return status;
}

/* Sizes are known, arguments are not made. */
static int run_bound(struct diff_single *r, struct buf *out)
{
    const char *large = diff_inputs_too_large(r->options, &r->sig, r->arena);
    if (large != NULL) {
        buf_printf(out, "%s: %s\n", interp_fault_name(INTERP_BUDGET), large);
        return DIFF_EXIT_UNDECIDED;
    }
    if (!diff_single_args(r, NULL, NULL) || !set_mode(r))
        return DIFF_EXIT_USAGE;
    int status = execute(r, out);
    if (r->options->nexpects > 0 && status == DIFF_EXIT_NOTHING)
        status = judge_recorded(r, out);
    return status;
}

static int run_run(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diff_single r = {.options = &options};
    struct buf out = {0};
    int status = DIFF_EXIT_USAGE;
    r.sink = diag_sink_new();
    r.arena = arena_new();
    bool fine = !diff_casefile_is(options.operands[0]) ||
                diff_casefile_load(&options, r.sink);
    if (fine && diff_single_load(&r) &&
        interp_signature(r.module, r.func, NULL, 0, r.arena, &r.sig, r.sink) &&
        diff_single_bind(&r))
        status = run_bound(&r, &out);
    diff_print(&out);
    diff_print_diags(r.sink);
    diff_single_fini(&r);
    buf_fini(&out);
    diag_sink_free(r.sink);
    return status;
}

const struct diff_command cmd_run = {
    .name = "run",
    .operands = "MODULE",
    .summary = "run one function in the reference interpreter",
    .about =
        "Runs a function on inputs from .npy files or generated ones, checks\n"
        "every access, and prints each output's type, range and hash.\n"
        "bfloat16 and float8 files hold bit patterns (uint16, uint8).\n\n"
        "--domain says what a value is, and so what is printed and, with\n"
        "--out DIR, written for each output:\n"
        "  ieee          the machine's numbers; NAME.npy\n"
        "  interval      enclosures of the result over the reals, casts "
        "between\n"
        "                floats left out; NAME.lo.npy and NAME.hi.npy\n"
        "  bound         numbers, each with a bound on its distance from that\n"
        "                result and the sum of its absolute terms; NAME.npy,\n"
        "                NAME.error.npy, NAME.terms.npy\n"
        "  terms         numbers, and the terms of the elements that "
        "--element\n"
        "                names (else of the first of each output), in order\n"
        "  order, ac, field, field-nocast\n"
        "                expressions of unknown inputs: a fingerprint that is\n"
        "                equal for two functions (with equal --seed) if their\n"
        "                outputs are equal in bits / but for the order of "
        "terms\n"
        "                / as real functions / the same without casts. Inputs\n"
        "                of --in and integers that index stay numbers. "
        "NAME.npy\n"
        "                holds a fingerprint (uint64) an element, 0: "
        "undefined\n\n"
        "  diffcheck run examples/conv/tuned.py --seed 3\n"
        "  diffcheck run examples/conv/tuned.py --in X=examples/conv/X.npy \\\n"
        "      --in W=examples/conv/W.npy --out results\n"
        "  diffcheck run examples/conv/tuned.py --in X=examples/conv/X.npy \\\n"
        "      --in W=examples/conv/W.npy --expect Y=examples/conv/Y.npy\n"
        "  diffcheck run examples/gather/untuned.py --shape n=17 --fill "
        "random\n"
        "  diffcheck run examples/softmax.py --fill random --domain bound\n"
        "  diffcheck run examples/conv/tuned.py --fill unit \\\n"
        "      --arithmetic 'half=statement'\n"
        "  diffcheck run examples/conv/tuned.py --domain terms \\\n"
        "      --element 'Y[0,3,2]'\n"
        "  diffcheck run examples/matmul/tuned.py --domain order --seed 7\n\n"
        "A case file (NAME.case) may stand for MODULE: its section 'module'\n"
        "is run under its contract.\n",
    .one_function = true,
    .min_operands = 1,
    .max_operands = 1,
    .takes_case = true,
    .run = run_run,
};
