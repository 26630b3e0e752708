/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck run MODULE`: one run of the reference interpreter.
 *
 * Parameters come from .npy files (--in) or are generated (--fill, --seed);
 * symbolic sizes come from the files' shapes or from --shape. Every access is
 * checked. Prints one line an output, or writes the outputs (--out).
 */
#include "diff/args.h"
#include "diff/casefile.h"
#include "diff/command.h"
#include "diff/outputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct arena *arena;
    struct ir_module *module;
    struct ir_func *func;
    struct interp_signature sig;
    struct interp_tensor **given; /* from --in, by position; may be NULL */
    size_t nsymbols;
    struct interp_symbol *symbols;
    struct diff_args args;
    struct interp_options mode; /* of every run */
};

static bool complain(struct run *r, const char *code, const char *fmt, ...)
    DC_PRINTF(3, 4);

static bool complain(struct run *r, const char *code, const char *fmt, ...)
{
    struct diag_loc loc = {.file = r->module ? r->module->source : NULL};
    va_list args;
    va_start(args, fmt);
    bool ok = diag_report(r->sink, DIAG_ERROR, loc, code, fmt, args);
    va_end(args);
    return ok;
}

static enum interp_fill fill_of(const char *name)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT,    INTERP_FILL_RANDOM, INTERP_FILL_UNIT,
        INTERP_FILL_BOUNDARY, INTERP_FILL_RANGE,  INTERP_FILL_ZERO,
    };
    for (size_t i = 0; name && i < DC_ARRAY_LEN(fills); i++) {
        if (strcmp(interp_fill_name(fills[i]), name) == 0)
            return fills[i];
    }
    return INTERP_FILL_EXACT;
}

static bool load(struct run *r)
{
    const struct diff_options *o = r->options;
    r->module = o->casefile
                    ? diff_casefile_module(o, &o->casefile->module, r->sink)
                    : diff_module_load(o, o->operands[0], r->sink);
    if (!r->module || !ir_wellformed(r->module, r->sink))
        return false;
    r->func = diff_function_choose(r->module, o->function, r->sink);
    return r->func != NULL;
}

static void add_symbol(struct run *r, const char *name, int64_t value)
{
    for (size_t i = 0; i < r->nsymbols; i++) {
        if (strcmp(r->symbols[i].name, name) == 0)
            return; /* the first source wins; a clash is seen as bad shape */
    }
    r->symbols[r->nsymbols].name = name;
    r->symbols[r->nsymbols].value = value;
    r->nsymbols++;
}

/* Reads the --in files and takes symbolic sizes from their shapes. */
static bool read_inputs(struct run *r)
{
    const struct diff_options *o = r->options;
    r->given =
        ARENA_ARRAY(r->arena, r->sig.nparams + 1, struct interp_tensor *);
    for (size_t k = 0; k < o->nins; k++) {
        size_t i = 0;
        while (i < r->sig.nparams &&
               strcmp(r->sig.params[i].name, o->ins[k].name) != 0)
            i++;
        if (i == r->sig.nparams)
            return complain(r, "run.input", "no parameter '%s' in '%s'",
                            o->ins[k].name, r->func->name);
        const struct interp_param *param = &r->sig.params[i];
        bool raw =
            param->dtype.code >= DT_BFLOAT && param->dtype.code != DT_BOOL;
        interp_tensor_free(r->given[i]);
        r->given[i] =
            npy_read(o->ins[k].value,
                     raw ? dtype_scalar(param->dtype) : DTYPE_VOID, r->sink);
        if (!r->given[i])
            return false;
        for (size_t d = 0; d < param->rank; d++) {
            if (param->dim_names[d] && r->given[i]->rank == param->rank)
                add_symbol(r, param->dim_names[d], r->given[i]->shape[d]);
        }
    }
    return true;
}

/* Settles the symbolic sizes and asks for the signature again. */
static bool bind_shapes(struct run *r)
{
    const struct diff_options *o = r->options;
    size_t room = o->nshapes + 1;
    for (size_t i = 0; i < r->sig.nparams; i++)
        room += r->sig.params[i].rank;
    r->symbols = ARENA_ARRAY(r->arena, room, struct interp_symbol);
    for (size_t i = 0; i < o->nshapes; i++) {
        if (!diff_is_symbol(&r->sig, o->shapes[i].name))
            return complain(r, "run.shape", "no symbolic size '%s' in '%s'",
                            o->shapes[i].name, r->func->name);
        add_symbol(r, o->shapes[i].name, o->shapes[i].value);
    }
    if (!read_inputs(r) ||
        !interp_signature(r->module, r->func, r->symbols, r->nsymbols, r->arena,
                          &r->sig, r->sink))
        return false;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct interp_param *param = &r->sig.params[i];
        size_t elements;
        for (size_t d = 0; d < param->rank; d++) {
            if (param->shape[d] < 0)
                return complain(
                    r, "run.shape",
                    "size '%s' of '%s' is not known: give '--shape %s=N'",
                    param->dim_names[d] ? param->dim_names[d] : "?",
                    param->name,
                    param->dim_names[d] ? param->dim_names[d] : "NAME");
        }
        if (param->is_tensor && !diff_param_elements(param, &elements))
            return complain(r, "run.shape", "'%s' has too many elements",
                            param->name);
    }
    return true;
}

/* Whether parameter i holds integers that index, and nothing says which. */
static bool is_unlimited(const struct run *r, size_t i)
{
    const struct interp_param *p = &r->sig.params[i];
    if (!dtype_is_int(p->dtype) || !p->indexes || r->given[i] ||
        diff_assume_find(r->options, p->name))
        return false;
    for (size_t k = 0; k < r->nsymbols; k++) {
        if (!p->is_tensor && strcmp(r->symbols[k].name, p->name) == 0)
            return false; /* a size */
    }
    return true;
}

/* Arguments from the files and the generator, integers of unlimited index
 * parameters in 0..hi where hi >= 0. */
static bool make_args(struct run *r, int64_t hi)
{
    const struct diff_options *o = r->options;
    struct diff_range *ranges =
        ARENA_ARRAY(r->arena, r->sig.nparams + 1, struct diff_range);
    struct diff_recipe recipe = {
        .fill = fill_of(o->fill), .seed = o->seed, .ranges = ranges};
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct diff_range *known =
            diff_assume_find(o, r->sig.params[i].name);
        ranges[i] = known ? *known : (struct diff_range){.lo = 1, .hi = 0};
        if (hi >= 0 && is_unlimited(r, i))
            ranges[i] = (struct diff_range){.lo = 0, .hi = hi};
    }
    diff_args_make(&r->args, &r->sig, r->symbols, r->nsymbols, &recipe);
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct interp_tensor *in = r->given[i];
        struct interp_tensor *t = r->args.args[i].tensor;
        if (!in)
            continue;
        if (!dtype_equal(dtype_scalar(in->dtype),
                         dtype_scalar(r->sig.params[i].dtype)) ||
            (t ? in->elements != t->elements : in->elements != 1))
            return complain(r, "run.input",
                            "'%s' has another type or size than the file "
                            "given for it",
                            r->sig.params[i].name);
        if (!t) {
            r->args.args[i].bits = interp_tensor_get(in, 0);
            continue;
        }
        interp_tensor_copy(t, in);
    }
    return true;
}

/* ---- results ----------------------------------------------------------------- */

static bool give_output(struct run *r, const char *name,
                        const struct interp_tensor *t, struct buf *out)
{
    diff_put_output(name, t, &r->mode, out);
    if (!r->options->out)
        return true;
    if (strchr(name, '/') || *name == '.')
        return complain(r, "run.output", "'%s' is no file name", name);
    return diff_write_output(r->options->out, name, t, &r->mode, r->sink);
}

static int report_fault(const struct interp_result *result, struct buf *out)
{
    buf_printf(out, "%s: %s\n", interp_fault_name(result->fault),
               result->message ? result->message : "");
    if (result->where)
        buf_printf(out, "  at %s\n", result->where);
    return interp_is_fault(result->fault)     ? DIFF_EXIT_FINDING
           : result->fault == INTERP_BAD_ARGS ? DIFF_EXIT_USAGE
                                              : DIFF_EXIT_UNDECIDED;
}

static bool give_outputs(struct run *r, struct interp_tensor **outputs,
                         size_t noutputs, struct buf *out)
{
    bool fine = true;
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

struct outcome {
    struct interp_result result;
    struct interp_tensor **outputs; /* Relax */
    size_t noutputs;
};

static void outcome_fini(struct outcome *x)
{
    for (size_t i = 0; i < x->noutputs; i++)
        interp_tensor_free(x->outputs[i]);
    dc_release(x->outputs);
    interp_result_fini(&x->result);
    memset(x, 0, sizeof *x);
}

/* In a keyed domain every parameter is not known, but for what was given, sizes,
 * and integers that index, which must be numbers. */
static void make_leaves(struct run *r)
{
    union interp_box *scalars =
        ARENA_ARRAY(r->arena, r->args.n + 1, union interp_box);
    for (size_t i = 0; i < r->args.n; i++) {
        const struct interp_param *p = &r->sig.params[i];
        struct interp_arg *arg = &r->args.args[i];
        if (r->given[i] || p->indexes || dtype_is_handle(p->dtype) ||
            diff_is_symbol(&r->sig, p->name))
            continue;
        if (arg->tensor) {
            interp_tensor_to_leaves(arg->tensor, &r->mode, i);
        } else {
            scalars[i] = interp_scalar_leaf(arg->dtype, &r->mode, i);
            arg->box = &scalars[i];
        }
    }
}

static void run_once(struct run *r, struct outcome *x)
{
    memset(x, 0, sizeof *x);
    for (size_t i = 0; i < r->args.n; i++)
        if (r->args.args[i].tensor)
            interp_tensor_to_points(r->args.args[i].tensor, r->mode.domain);
    if (interp_domain_is_keyed(r->mode.domain))
        make_leaves(r);
    if (r->func->kind == IR_FUNC_RELAX)
        x->result =
            interp_run_relax(r->module, r->func, r->args.n, r->args.args,
                             &r->mode, &x->outputs, &x->noutputs);
    else
        x->result =
            interp_run(r->module, r->func, r->args.n, r->args.args, &r->mode);
}

/* The largest dimension below `under`, less one; -1: none is left. */
static int64_t next_bound(const struct run *r, int64_t under)
{
    int64_t best = under > 0 ? 0 : -1;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        for (size_t d = 0; d < r->sig.params[i].rank; d++) {
            int64_t hi = r->sig.params[i].shape[d] - 1;
            if (hi < under && hi > best)
                best = hi;
        }
    }
    return best;
}

static void note_ranges(const struct run *r, int64_t hi, struct buf *out)
{
    for (size_t i = 0; i < r->sig.nparams; i++) {
        if (is_unlimited(r, i))
            buf_printf(out,
                       "assumes %s in 0..%" PRId64
                       " (with other values it faults; see --assume)\n",
                       r->sig.params[i].name, hi);
    }
}

/* A function that faults on arbitrary integers in parameters that index runs
 * on the widest range that it is safe on, 0 to some dimension less one. */
static bool narrow(struct run *r, struct outcome *x, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < r->sig.nparams; i++)
        any = any || is_unlimited(r, i);
    int64_t hi = INT64_MAX;
    while (any && interp_is_fault(x->result.fault) &&
           (hi = next_bound(r, hi)) >= 0) {
        struct outcome next;
        diff_args_fini(&r->args);
        if (!make_args(r, hi))
            return false;
        run_once(r, &next);
        if (!interp_is_fault(next.result.fault)) {
            outcome_fini(x);
            *x = next;
            note_ranges(r, hi, out);
            return true;
        }
        outcome_fini(&next);
    }
    return true;
}

/* ---- terms ----------------------------------------------------------------------- */

#define MAX_TERMS 65536u /* shown of one element */

/* NAME[I, J] or NAME: the first element. */
static bool parse_element(struct run *r, const char *text,
                          struct interp_terms *out)
{
    size_t len = strcspn(text, "["), at = 0;
    while (at < r->sig.nparams &&
           (strncmp(r->sig.params[at].name, text, len) != 0 ||
            r->sig.params[at].name[len] != '\0'))
        at++;
    const struct interp_tensor *t =
        at < r->args.n ? r->args.args[at].tensor : NULL;
    if (!t || !r->sig.params[at].stored)
        return complain(r, "run.element", "'%.*s' is no output of '%s'",
                        (int)(len < 40 ? len : 40), text, r->func->name);
    out->param = at;
    out->element = 0;
    const char *p = text + len;
    size_t n = 0;
    for (; *p && *p != ']' && n < t->rank; n++) {
        char *end;
        long long index = strtoll(p + 1, &end, 10);
        if (end == p + 1 || index < 0 || index >= t->shape[n])
            break;
        out->element = out->element * (size_t)t->shape[n] + (size_t)index;
        p = end + strspn(end, " ");
        if (*p != ',' && *p != ']')
            break;
    }
    out->element *= t->dtype.lanes;
    if (text[len] ? n != t->rank || strcmp(p, "]") != 0 : t->elements == 0)
        return complain(r, "run.element",
                        "'%s' names no element: give %zu indices inside the "
                        "shape, as in NAME[0,2]",
                        text, t->rank);
    return true;
}

/* The elements asked for, or the first of every output. */
static bool choose_elements(struct run *r)
{
    const struct diff_options *o = r->options;
    struct interp_terms **end = &r->mode.terms;
    if (r->mode.domain != INTERP_TERMS)
        return o->nelements == 0 ||
               complain(r, "run.element", "'--element' needs '--domain terms'");
    if (r->func->kind == IR_FUNC_RELAX)
        return complain(r, "run.element",
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
        if (o->nelements > 0 && !parse_element(r, o->elements[i], t))
            return false;
        *end = t;
        end = &t->next;
    }
    return true;
}

/* ---- all ---------------------------------------------------------------------------- */

static bool set_mode(struct run *r)
{
    const struct diff_options *o = r->options;
    r->mode = interp_default_options();
    r->mode.max_steps = o->budget;
    r->mode.threads = o->jobs;
    r->mode.key = hash_mix(o->seed, 0);
    if (o->domain && !interp_domain_find(o->domain, &r->mode.domain))
        DC_BUG("domain '%s' is in options.def alone", o->domain);
    return choose_elements(r);
}

/* What equal fingerprints take for granted. */
static void note_assumptions(unsigned assumptions, struct buf *out)
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
        if (assumptions & notes[i].bit)
            buf_printf(out, "assumes: %s\n", notes[i].text);
}

static int execute(struct run *r, struct buf *out)
{
    struct outcome x;
    int status = DIFF_EXIT_NOTHING;
    run_once(r, &x);
    if (!narrow(r, &x, out))
        status = DIFF_EXIT_USAGE;
    else if (x.result.fault != INTERP_OK)
        status = report_fault(&x.result, out);
    else if (!give_outputs(r, x.outputs, x.noutputs, out))
        status = DIFF_EXIT_USAGE;
    else
        note_assumptions(x.result.assumptions, out);
    for (const struct interp_terms *t = r->mode.terms;
         t && x.result.fault == INTERP_OK; t = t->next)
        diff_put_terms(r->sig.params[t->param].name,
                       r->args.args[t->param].tensor, t, out);
    outcome_fini(&x);
    return status;
}

static int run_run(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct run r = {.options = &options};
    struct buf out = {0};
    int status = DIFF_EXIT_USAGE;
    r.sink = diag_sink_new();
    r.arena = arena_new();
    bool fine = !diff_casefile_is(options.operands[0]) ||
                diff_casefile_load(&options, r.sink);
    if (fine && load(&r) &&
        interp_signature(r.module, r.func, NULL, 0, r.arena, &r.sig, r.sink) &&
        bind_shapes(&r) && make_args(&r, -1) && set_mode(&r))
        status = execute(&r, &out);
    diff_print(&out);
    diff_print_diags(r.sink);
    for (size_t i = 0; r.given && i < r.sig.nparams; i++)
        interp_tensor_free(r.given[i]);
    diff_args_fini(&r.args);
    buf_fini(&out);
    ir_module_free(r.module);
    arena_free(r.arena);
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
        "  diffcheck run conv.json --seed 3\n"
        "  diffcheck run conv.json --in A=a.npy --in W=w.npy --out results\n"
        "  diffcheck run matmul.json --shape n=17 --fill random\n"
        "  diffcheck run softmax.json --fill random --domain bound\n"
        "  diffcheck run conv.json --domain terms --element 'C[0,3,2]'\n"
        "  diffcheck run tuned.json --domain order --seed 7\n\n"
        "A case file (NAME.case) may stand for MODULE: its section 'module'\n"
        "is run under its contract.\n",
    .min_operands = 1,
    .max_operands = 1,
    .takes_case = true,
    .run = run_run,
};
