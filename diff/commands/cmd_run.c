/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck run MODULE`: one run of the reference interpreter.
 *
 * Parameters come from .npy files (--in) or are generated (--fill, --seed);
 * symbolic sizes come from the files' shapes or from --shape. Every access is
 * checked. Prints one line an output, or writes the outputs (--out).
 */
#include "diff/args.h"
#include "diff/command.h"

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
    r->module = diff_module_load(o, o->operands[0], r->sink);
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
            r->args.args[i].bits = in->bits[0];
            continue;
        }
        memcpy(t->bits, in->bits, in->elements * sizeof *t->bits);
    }
    return true;
}

/* ---- results ----------------------------------------------------------------- */

static void put_extremes(const struct interp_tensor *t, struct buf *out)
{
    struct dtype type = dtype_scalar(t->dtype);
    size_t undefined = 0, nan = 0;
    bool any = false;
    uint64_t lo = 0, hi = 0;
    unsigned flags = 0;
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t v = t->bits[i];
        if (!(t->state[i] & INTERP_DEFINED)) {
            undefined++;
            continue;
        }
        if (dtype_is_float(type) && num_is_nan(type, v)) {
            nan++;
            continue;
        }
        if (!any || num_binary(NUM_LT, type, v, lo, &flags))
            lo = v;
        if (!any || num_binary(NUM_GT, type, v, hi, &flags))
            hi = v;
        any = true;
    }
    if (any) {
        buf_puts(out, "  min ");
        num_put(out, type, lo);
        buf_puts(out, "  max ");
        num_put(out, type, hi);
    }
    if (nan)
        buf_printf(out, "  nan %zu", nan);
    if (undefined)
        buf_printf(out, "  undefined %zu", undefined);
}

static void put_boxes(const struct interp_tensor *t, struct buf *out)
{
    double widest = 0;
    for (size_t i = 0; i < t->elements; i++) {
        double width = t->box[i].range.hi - t->box[i].range.lo;
        if (width > widest)
            widest = width;
    }
    buf_puts(out, "  widest enclosure ");
    buf_put_double(out, widest);
}

static uint64_t content_hash(const struct interp_tensor *t)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < t->elements; i++) {
        bool defined = t->state[i] & INTERP_DEFINED;
        bool nan = defined && dtype_is_float(t->dtype) &&
                   num_is_nan(dtype_scalar(t->dtype), t->bits[i]);
        hash = hash_mix(hash, defined ? (nan ? 1 : 2) : 0);
        hash = hash_mix(hash, defined && !nan ? t->bits[i] : 0);
    }
    return hash;
}

static void put_output(const char *name, const struct interp_tensor *t,
                       bool boxes, struct buf *out)
{
    char type[48];
    buf_printf(out, "%s  %s", name, dtype_name(t->dtype, type));
    buf_putc(out, '[');
    for (size_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%" PRId64, d ? ", " : "", t->shape[d]);
    buf_putc(out, ']');
    if (boxes && t->box && dtype_is_float(t->dtype)) {
        put_boxes(t, out);
    } else {
        put_extremes(t, out);
        buf_printf(out, "  hash %016" PRIx64, content_hash(t));
    }
    buf_putc(out, '\n');
}

static bool give_output(struct run *r, const char *name,
                        const struct interp_tensor *t, bool boxes,
                        struct buf *out)
{
    put_output(name, t, boxes, out);
    if (!r->options->out)
        return true;
    if (strchr(name, '/') || *name == '.')
        return complain(r, "run.output", "'%s' is no file name", name);
    struct buf path = {0};
    buf_printf(&path, "%s/%s.npy", r->options->out, name);
    bool fine = npy_write(buf_text(&path), t, r->sink);
    buf_fini(&path);
    return fine;
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
                         size_t noutputs, bool boxes, struct buf *out)
{
    bool fine = true;
    if (r->func->kind != IR_FUNC_RELAX) {
        for (size_t i = 0; i < r->args.n && fine; i++) {
            if (r->args.args[i].tensor && r->sig.params[i].stored)
                fine = give_output(r, r->sig.params[i].name,
                                   r->args.args[i].tensor, boxes, out);
        }
        return fine;
    }
    for (size_t i = 0; i < noutputs && fine; i++) {
        struct buf name = {0};
        buf_printf(&name, "out%zu", i);
        fine = give_output(r, buf_text(&name), outputs[i], boxes, out);
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

static void run_once(struct run *r, bool boxes, struct outcome *x)
{
    struct interp_options options = interp_default_options();
    options.max_steps = r->options->budget;
    options.threads = r->options->jobs;
    options.domain = boxes ? INTERP_INTERVAL : INTERP_IEEE;
    memset(x, 0, sizeof *x);
    if (boxes)
        diff_args_to_boxes(&r->args);
    if (r->func->kind == IR_FUNC_RELAX)
        x->result =
            interp_run_relax(r->module, r->func, r->args.n, r->args.args,
                             &options, &x->outputs, &x->noutputs);
    else
        x->result =
            interp_run(r->module, r->func, r->args.n, r->args.args, &options);
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
static bool narrow(struct run *r, bool boxes, struct outcome *x,
                   struct buf *out)
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
        run_once(r, boxes, &next);
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

static int execute(struct run *r, struct buf *out)
{
    const char *domain = r->options->domain;
    struct outcome x;
    bool boxes = domain && strcmp(domain, "interval") == 0;
    int status = DIFF_EXIT_NOTHING;
    run_once(r, boxes, &x);
    if (!narrow(r, boxes, &x, out))
        status = DIFF_EXIT_USAGE;
    else if (x.result.fault != INTERP_OK)
        status = report_fault(&x.result, out);
    else if (!give_outputs(r, x.outputs, x.noutputs, boxes, out))
        status = DIFF_EXIT_USAGE;
    outcome_fini(&x);
    return status;
}

static int run_run(const struct diff_options *options)
{
    struct run r = {.options = options};
    struct buf out = {0};
    int status = DIFF_EXIT_USAGE;
    r.sink = diag_sink_new();
    r.arena = arena_new();
    if (load(&r) &&
        interp_signature(r.module, r.func, NULL, 0, r.arena, &r.sig, r.sink) &&
        bind_shapes(&r) && make_args(&r, -1))
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
        "  diffcheck run conv.json --seed 3\n"
        "  diffcheck run conv.json --in A=a.npy --in W=w.npy --out results\n"
        "  diffcheck run matmul.json --shape n=17 --fill random\n"
        "  diffcheck run softmax.json --fill random --domain interval\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_run,
};
