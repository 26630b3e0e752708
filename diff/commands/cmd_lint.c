/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck lint MODULE`: is each function safe by itself?
 *
 * The prover shows that there is no fault, for all inputs and sizes; where it
 * does not, the function runs on a few inputs, since only a run shows a fault.
 */
#include "diff/casefile.h"
#include "diff/command.h"
#include "diff/single.h"
#include "ir/base/json.h"
#include "verifier/verifier.h"

#include <inttypes.h>
#include <string.h>

enum state { SAFE, UNSAFE, UNKNOWN };
static const char *const state_names[] = {"safe", "unsafe", "unknown"};

struct finding {
    enum state state;
    const char *function, *reason;
    const char *where; /* the statement at fault, as text; or NULL */
    const char *again; /* command that shows the fault; or NULL */
    struct buf notes;  /* lines */
    struct verifier_lint proof;
};

struct lint {
    const struct diff_options *options;
    struct arena *arena;
    struct diff_single one;
    size_t n;
    struct finding *findings;
};

/* ---- runs ------------------------------------------------------------------- */

/* Values for the symbols in try k: the model's first, then sizes that no tile
 * divides, one, and whole tiles. False: no more. */
static bool size_of(const struct lint *l, const struct verifier_lint *proof,
                    size_t k, size_t i, int64_t *out)
{
    static const int64_t sizes[][3] = {
        {7, 5, 3}, {1, 1, 1}, {16, 16, 16}, {33, 35, 37}};
    const char *name = l->one.sig.symbols[i];
    if (diff_shape_find(l->options, name, out))
        return true;
    for (size_t j = 0; k == 0 && j < proof->nsizes; j++)
        if (strcmp(proof->size_names[j], name) == 0 && proof->sizes[j] > 0 &&
            proof->sizes[j] < 4096) {
            *out = proof->sizes[j];
            return true;
        }
    *out = sizes[k % DC_ARRAY_LEN(sizes)][i % 3];
    return k < DC_ARRAY_LEN(sizes);
}

static bool choose_sizes(struct lint *l, const struct verifier_lint *proof,
                         size_t k, struct diff_options *options)
{
    size_t n = l->one.sig.nsymbols;
    options->shapes = ARENA_ARRAY(l->one.arena, n + 1, struct interp_symbol);
    options->nshapes = n;
    for (size_t i = 0; i < n; i++) {
        options->shapes[i].name = l->one.sig.symbols[i];
        if (!size_of(l, proof, k, i, &options->shapes[i].value))
            return false;
    }
    return k == 0 || n > 0;
}

/* An element of an output that holds what nobody stored. */
static bool find_undefined(const struct diff_single *r, struct buf *out)
{
    for (size_t i = 0; i < r->args.n; i++) {
        const struct interp_tensor *t = r->args.args[i].tensor;
        for (size_t e = 0; t != NULL && e < t->elements; e++) {
            if (t->state[e] & INTERP_DEFINED)
                continue;
            buf_puts(out, r->sig.params[i].name);
            interp_put_index(out, t, e);
            return true;
        }
    }
    return false;
}

/* reason and where are of the run that is over. */
static void keep_fault(struct lint *l, struct finding *f,
                       const struct diff_options *options, const char *reason,
                       const char *where)
{
    struct buf again = {0};
    f->state = UNSAFE;
    f->reason = arena_strdup(l->arena, reason);
    f->where = where != NULL ? arena_strdup(l->arena, where) : NULL;
    buf_printf(
        &again, "diffcheck run %s --function %s --fill %s --seed %" PRIu64,
        l->options->operands[0], f->function, options->fill, options->seed);
    for (size_t i = 0; i < options->nshapes; i++)
        buf_printf(&again, " --shape %s=%" PRId64, options->shapes[i].name,
                   options->shapes[i].value);
    f->again = arena_strdup(l->arena, buf_text(&again));
    buf_fini(&again);
}

/* One run of l->one.func; true if it faults. */
static bool run_faults(struct lint *l, struct finding *f,
                       struct diff_options *options)
{
    struct diff_single *r = &l->one;
    struct buf notes = {0};
    bool found = false;
    r->options = options;
    r->nsymbols = 0;
    r->mode = interp_default_options();
    r->mode.max_steps = options->budget;
    r->mode.threads = options->jobs;
    if (interp_signature(r->module, r->func, NULL, 0, r->arena, &r->sig,
                         r->sink) &&
        diff_single_bind(r) && diff_single_args(r, -1)) {
        struct diff_outcome x;
        diff_single_run(r, &x);
        struct buf reason = {0};
        if (!diff_single_narrow(r, &x, &notes)) {
            found = false;
        } else if (interp_is_fault(x.result.fault)) {
            found = true;
            buf_printf(&reason, "%s: %s", interp_fault_name(x.result.fault),
                       x.result.message ? x.result.message : "");
        } else if (x.result.fault == INTERP_OK && find_undefined(r, &reason)) {
            found = true;
            buf_puts(&reason, " is undefined: nothing was stored where it "
                              "comes from");
        }
        if (found) {
            keep_fault(l, f, options, buf_text(&reason), x.result.where);
        } else if (notes.len > 0 && f->notes.len == 0) {
            buf_puts(&f->notes, buf_text(&notes));
        }
        buf_fini(&reason);
        diff_outcome_fini(&x);
    }
    diff_args_fini(&r->args);
    r->args = (struct diff_args){0};
    buf_fini(&notes);
    return found;
}

static void try_runs(struct lint *l, struct finding *f)
{
    static const char *const fills[] = {"exact", "random", "boundary"};
    struct diff_single *r = &l->one;
    struct diff_options options = *l->options;
    if (!interp_signature(r->module, r->func, NULL, 0, r->arena, &r->sig,
                          r->sink))
        return;
    for (size_t k = 0; choose_sizes(l, &f->proof, k, &options); k++)
        for (size_t i = 0; i < DC_ARRAY_LEN(fills); i++) {
            options.fill = fills[i];
            if (run_faults(l, f, &options))
                return;
        }
}

/* ---- one function ------------------------------------------------------------- */

static void look(struct lint *l, struct ir_func *func, struct finding *f)
{
    const struct verifier_options options = {0};
    f->function = func->name;
    l->one.func = func;
    verifier_lint(l->one.module, func, &options, &f->proof);
    f->state = f->proof.safe ? SAFE : UNKNOWN;
    f->reason = f->proof.safe ? "no access out of bounds, no race, no "
                                "overflow, nothing uninitialised, for all "
                                "inputs and sizes"
                              : f->proof.reason;
    if (!f->proof.safe)
        try_runs(l, f);
}

/* ---- reports ------------------------------------------------------------------- */

static uint32_t line_of(const struct lint *l, struct ir_pos pos)
{
    struct buf where = {0};
    uint32_t line = ir_loc(l->one.module, pos, &where).line;
    buf_fini(&where);
    return line;
}

static void put_barriers(const struct lint *l, const struct finding *f,
                         struct buf *out)
{
    size_t can = 0;
    for (size_t i = 0; i < f->proof.nbarriers; i++) {
        const struct verifier_barrier *b = &f->proof.barriers[i];
        uint32_t line = line_of(l, b->pos);
        if (!b->removable)
            continue;
        can++;
        buf_printf(out, "  barrier   %zu of %zu (\"%s\"", i + 1,
                   f->proof.nbarriers, b->scope);
        if (line > 0)
            buf_printf(out, ", line %u", line);
        buf_puts(out, ") can be removed: nothing races without it\n");
    }
    if (can > 1)
        buf_puts(out, "            all of these together, too\n");
    if (f->proof.safe && !f->proof.barriers_asked)
        buf_puts(out, "  barriers  too many to look for removable ones\n");
}

static void put_text(const struct lint *l, const struct finding *f,
                     struct buf *out)
{
    buf_printf(out, "%s  %s\n  reason    %s\n", state_names[f->state],
               f->function, f->reason);
    if (f->where != NULL)
        buf_printf(out, "  at        %s\n", f->where);
    if (f->again != NULL)
        buf_printf(out, "  again     %s\n", f->again);
    if (f->state == UNKNOWN)
        buf_puts(out, "  note      no run tried shows a fault\n");
    if (f->notes.len > 0)
        buf_printf(out, "  note      %s", buf_text(&f->notes));
    for (size_t i = 0; f->state == SAFE && i < f->proof.nassumptions; i++)
        buf_printf(out, "  assumes   %s\n", f->proof.assumptions[i]);
    put_barriers(l, f, out);
}

static void put_member(struct json_writer *w, const char *key, const char *text)
{
    json_put_key(w, key);
    if (text != NULL)
        json_put_string(w, text);
    else
        json_put_null(w);
}

static void put_function(const struct lint *l, const struct finding *f,
                         struct json_writer *w)
{
    json_begin_object(w);
    put_member(w, "function", f->function);
    put_member(w, "verdict", state_names[f->state]);
    put_member(w, "evidence",
               f->state == SAFE     ? "proof"
               : f->state == UNSAFE ? "run"
                                    : "none");
    put_member(w, "reason", f->reason);
    put_member(w, "where", f->where);
    put_member(w, "command", f->again);
    json_put_key(w, "assumptions");
    json_begin_array(w);
    for (size_t i = 0; f->state == SAFE && i < f->proof.nassumptions; i++)
        json_put_string(w, f->proof.assumptions[i]);
    json_end_array(w);
    json_put_key(w, "barriers");
    json_begin_array(w);
    for (size_t i = 0; i < f->proof.nbarriers; i++) {
        const struct verifier_barrier *b = &f->proof.barriers[i];
        json_begin_object(w);
        json_put_key(w, "line");
        json_put_uint(w, line_of(l, b->pos));
        put_member(w, "scope", b->scope);
        json_put_key(w, "removable");
        json_put_bool(w, b->removable);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static enum state worst(const struct lint *l)
{
    enum state out = SAFE;
    for (size_t i = 0; i < l->n; i++)
        if (l->findings[i].state == UNSAFE ||
            (l->findings[i].state == UNKNOWN && out == SAFE))
            out = l->findings[i].state;
    return out;
}

static int status_of(enum state state)
{
    return state == SAFE     ? DIFF_EXIT_NOTHING
           : state == UNSAFE ? DIFF_EXIT_FINDING
                             : DIFF_EXIT_UNDECIDED;
}

static void put_json(const struct lint *l, struct buf *out)
{
    struct json_writer writer = {.out = out, .indent = 2}, *w = &writer;
    enum state state = worst(l);
    json_begin_object(w);
    json_put_key(w, "schema");
    json_put_int(w, 1);
    put_member(w, "tool", "diffcheck");
    put_member(w, "version", DC_VERSION);
    put_member(w, "command", "lint");
    put_member(w, "verdict", state_names[state]);
    json_put_key(w, "exit");
    json_put_int(w, status_of(state));
    json_put_key(w, "functions");
    json_begin_array(w);
    for (size_t i = 0; i < l->n; i++)
        put_function(l, &l->findings[i], w);
    json_end_array(w);
    json_end_object(w);
    buf_putc(out, '\n');
}

/* ---- all ---------------------------------------------------------------------------- */

static int look_at_all(struct lint *l)
{
    struct ir_module *m = l->one.module;
    l->findings = ARENA_ARRAY(l->arena, m->nfuncs + 1, struct finding);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (f->kind == IR_FUNC_PRIM && f->prim.body != NULL &&
            (l->options->function == NULL ||
             strcmp(l->options->function, f->name) == 0))
            look(l, f, &l->findings[l->n++]);
    }
    if (l->n == 0) {
        (void)diff_single_complain(
            &l->one, "lint.function",
            l->options->function ? "no PrimFunc of this name: '%s'"
                                 : "no PrimFunc to look at%s",
            l->options->function ? l->options->function : "");
        return DIFF_EXIT_USAGE;
    }
    return status_of(worst(l));
}

/* The formats asked for, on standard output or to files. */
static bool write_all(const struct lint *l)
{
    bool fine = true;
    for (size_t i = 0; i < l->options->nformats; i++) {
        const struct diff_format *f = &l->options->formats[i];
        struct buf out = {0};
        if (f->writer->machine)
            put_json(l, &out);
        for (size_t k = 0; k < l->n && !f->writer->machine; k++)
            put_text(l, &l->findings[k], &out);
        if (strcmp(f->file, "-") == 0)
            diff_print(&out);
        else
            fine = file_write(f->file, buf_text(&out), out.len, l->one.sink) &&
                   fine;
        buf_fini(&out);
    }
    return fine;
}

static int run_lint(const struct diff_options *given)
{
    struct lint l = {.options = given, .arena = arena_new()};
    int status = DIFF_EXIT_USAGE;
    l.one.options = given;
    l.one.sink = diag_sink_new();
    l.one.arena = arena_new();
    l.one.module = diff_module_load(given, given->operands[0], l.one.sink);
    if (l.one.module != NULL && ir_wellformed(l.one.module, l.one.sink))
        status = look_at_all(&l);
    bool shown = status != DIFF_EXIT_USAGE;
    if (shown && !write_all(&l))
        status = DIFF_EXIT_USAGE;
    if (status == DIFF_EXIT_USAGE)
        diff_print_diags(l.one.sink);
    for (size_t i = 0; i < l.n; i++) {
        verifier_lint_fini(&l.findings[i].proof);
        buf_fini(&l.findings[i].notes);
    }
    diag_sink_free(l.one.sink);
    diff_single_fini(&l.one);
    arena_free(l.arena);
    return status;
}

const struct diff_command cmd_lint = {
    .name = "lint",
    .operands = "MODULE",
    .summary = "is each function of MODULE safe by itself?",
    .about =
        "Shows for each PrimFunc, for all inputs and sizes, that no access is\n"
        "out of bounds, no two threads or iterations race, barriers are "
        "reached\n"
        "by all threads, no index overflows, no divisor is zero and nothing\n"
        "uninitialised reaches an output, an address or a condition. What is\n"
        "not shown is tried on a few inputs: only a run shows a fault.\n"
        "Barriers without which nothing would race are listed.\n\n"
        "  diffcheck lint kernel.json\n"
        "  diffcheck lint kernel.py --function main --format json\n\n"
        "verdicts: safe (exit 0), unsafe (shown by a run, exit 1),\n"
        "unknown (exit 4)\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_lint,
};
