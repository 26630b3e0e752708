/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck lint MODULE`: is each function safe by itself?
 *
 * The prover shows that there is no fault, for all inputs and sizes; where it
 * does not, the function runs on a few inputs, since only a run shows a fault.
 */
#include "diff/cli/command.h"
#include "diff/engine/give.h"
#include "diff/engine/lint_runs.h"
#include "diff/engine/properties.h"
#include "diff/input/known_names.h"
#include "diff/saved/saved.h"
#include "ir/base/json.h"

#include <string.h>

static const char *const state_names[] = {"safe", "unsafe", "unknown"};

/* ---- one function ------------------------------------------------------------- */

static void look(struct lint *l, struct ir_func *func, struct lint_finding *f)
{
    struct verifier_options options = {.explicit_barriers =
                                           l->options->explicit_barriers};
    /* Where no input is as assumed the question is that of every input. */
    bool some = diff_give(l->options, l->one.module, func, l->arena, &options);
    if (!some)
        options.given = NULL;
    f->function = func->name;
    l->one.func = func;
    verifier_lint(l->one.module, func, &options, &f->proof);
    f->state = f->proof.safe ? LINT_SAFE : LINT_UNKNOWN;
    f->reason = f->proof.safe ? "no access out of bounds, no race, no "
                                "overflow, nothing uninitialised, for all "
                                "inputs and sizes"
                              : f->proof.reason;
    if (f->proof.safe)
        diff_lint_confirm(l, f);
    else
        diff_lint_try(l, f);
}

/* ---- reports ------------------------------------------------------------------- */

static uint32_t line_of(const struct lint *l, struct ir_pos pos)
{
    struct buf where = {0};
    uint32_t line = ir_loc(l->one.module, pos, &where).line;
    buf_fini(&where);
    return line;
}

static int status_of(enum lint_state state)
{
    return state == LINT_SAFE     ? DIFF_EXIT_NOTHING
           : state == LINT_UNSAFE ? DIFF_EXIT_FINDING
                                  : DIFF_EXIT_UNDECIDED;
}

static void add_line(struct lint *l, struct report_list *list, const char *text)
{
    const char **grown = ARENA_ARRAY(l->arena, list->n + 1, const char *);
    if (list->n > 0)
        memcpy(grown, list->items, list->n * sizeof *grown);
    grown[list->n++] = text;
    list->items = grown;
}

static void add_barriers(struct lint *l, const struct lint_finding *f,
                         struct report_list *out)
{
    size_t can = 0;
    for (size_t i = 0; i < f->proof.nbarriers; i++) {
        const struct verifier_barrier *b = &f->proof.barriers[i];
        uint32_t line = line_of(l, b->pos);
        struct buf at = {0};
        if (!b->removable)
            continue;
        can++;
        if (line > 0)
            buf_printf(&at, ", line %u", line);
        add_line(l, out,
                 arena_printf(l->arena,
                              "%zu of %zu (\"%s\"%s) can be removed: nothing "
                              "races without it",
                              i + 1, f->proof.nbarriers, b->scope,
                              buf_text(&at)));
        buf_fini(&at);
    }
    if (can > 1)
        add_line(l, out, "all of these together, too");
    if (f->proof.safe && !f->proof.barriers_asked)
        add_line(l, out, "too many to look for removable ones");
}

static void put_text(struct lint *l, const struct lint_finding *f,
                     struct report_style style, struct buf *out)
{
    static const char *const heads[] = {"SAFE", "UNSAFE", "UNKNOWN"};
    struct report_lint r = {.function = f->function,
                            .state = heads[f->state],
                            .exit_code = status_of(f->state),
                            .reason = f->reason,
                            .where = f->where,
                            .file = l->one.module->source,
                            .line = f->where ? line_of(l, f->pos) : 0,
                            .command = f->again};
    if (f->state == LINT_UNKNOWN && !f->some_fault)
        add_line(l, &r.notes, "no run tried shows a fault");
    for (size_t i = 0; i < f->nnotes; i++)
        add_line(l, &r.notes, f->notes[i]);
    for (size_t i = 0; i < f->nassumes; i++)
        add_line(l, &r.assumes, f->assumes[i]);
    for (size_t i = 0; f->state == LINT_SAFE && i < f->proof.nassumptions; i++)
        add_line(l, &r.assumes, f->proof.assumptions[i]);
    add_barriers(l, f, &r.barriers);
    report_put_lint(out, &r, style);
}

static void put_function(const struct lint *l, const struct lint_finding *f,
                         struct json_writer *w)
{
    json_begin_object(w);
    json_put_member(w, "function", f->function);
    json_put_member(w, "verdict", state_names[f->state]);
    json_put_key(w, "finding");
    json_put_bool(w, f->state == LINT_UNSAFE);
    json_put_key(w, "exit");
    json_put_int(w, status_of(f->state));
    json_put_member(w, "evidence",
                    f->state == LINT_SAFE     ? "proof"
                    : f->state == LINT_UNSAFE ? "run"
                                              : "none");
    json_put_member(w, "reason", f->reason);
    json_put_member(w, "where", f->where);
    json_put_member(w, "command", f->again);
    json_put_key(w, "assumptions");
    json_begin_array(w);
    for (size_t i = 0; f->state == LINT_SAFE && i < f->proof.nassumptions; i++)
        json_put_string(w, f->proof.assumptions[i]);
    for (size_t i = 0; i < f->nassumes; i++)
        json_put_string(w, f->assumes[i]);
    json_end_array(w);
    json_put_key(w, "notes");
    json_begin_array(w);
    for (size_t i = 0; i < f->nnotes; i++)
        json_put_string(w, f->notes[i]);
    json_end_array(w);
    json_put_key(w, "barriers");
    json_begin_array(w);
    for (size_t i = 0; i < f->proof.nbarriers; i++) {
        const struct verifier_barrier *b = &f->proof.barriers[i];
        json_begin_object(w);
        json_put_key(w, "line");
        json_put_uint(w, line_of(l, b->pos));
        json_put_member(w, "scope", b->scope);
        json_put_key(w, "removable");
        json_put_bool(w, b->removable);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static enum lint_state worst(const struct lint *l)
{
    enum lint_state out = LINT_SAFE;
    for (size_t i = 0; i < l->n; i++)
        if (l->findings[i].state == LINT_UNSAFE ||
            (l->findings[i].state == LINT_UNKNOWN && out == LINT_SAFE))
            out = l->findings[i].state;
    return out;
}

/* As a report has them. */
static void put_options(const struct lint *l, struct json_writer *w)
{
    struct report *report = report_new();
    diff_put_options(l->options, report);
    json_put_key(w, "options");
    json_begin_array(w);
    for (size_t i = 0; i < report->options.n; i++)
        json_put_string(w, report->options.items[i]);
    json_end_array(w);
    report_free(report);
}

static void put_json(const struct lint *l, struct buf *out)
{
    struct json_writer writer = {.out = out, .indent = 2}, *w = &writer;
    enum lint_state state = worst(l);
    json_begin_object(w);
    report_put_head(w);
    json_put_member(w, "command", "lint");
    json_put_member(w, "module", l->options->operands[0]);
    put_options(l, w);
    json_put_member(w, "verdict", state_names[state]);
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

static bool can_look(const struct ir_func *f)
{
    return f->kind == IR_FUNC_PRIM && f->prim.body != NULL;
}

static bool is_asked_for(const struct diff_options *o, const struct ir_func *f)
{
    bool named = o->nfunctions == 0;
    for (size_t i = 0; i < o->nfunctions; i++)
        named = named || strcmp(o->functions[i], f->name) == 0;
    return named;
}

/* Every function that is named is there; messages list those that are. */
static bool check_named(struct lint *l)
{
    const struct ir_module *m = l->one.module;
    struct buf there = {0};
    bool fine = true;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (can_look(m->funcs[i]))
            buf_printf(&there, "%s'%s'", there.len > 0 ? ", " : "",
                       m->funcs[i]->name);
    for (size_t i = 0; i < l->options->nfunctions; i++) {
        const char *name = l->options->functions[i];
        const struct ir_func *f = ir_module_find(m, name);
        if (f == NULL || !can_look(f))
            fine = diff_single_complain(
                &l->one, "lint.function", "no PrimFunc '%s', there %s: %s",
                name, there.len > 0 ? "are" : "is",
                there.len > 0 ? buf_text(&there) : "none");
    }
    buf_fini(&there);
    return fine;
}

static int look_at_all(struct lint *l)
{
    struct ir_module *m = l->one.module;
    if (!check_named(l))
        return DIFF_EXIT_USAGE;
    l->findings = ARENA_ARRAY(l->arena, m->nfuncs + 1, struct lint_finding);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (can_look(f) && is_asked_for(l->options, f))
            look(l, f, &l->findings[l->n++]);
    }
    if (l->n > 0)
        return status_of(worst(l));
    (void)diff_single_complain(&l->one, "lint.function",
                               "no PrimFunc to look at");
    return DIFF_EXIT_USAGE;
}

/* The formats asked for, on standard output or to files. */
static bool write_all(struct lint *l)
{
    bool fine = true;
    for (size_t i = 0; i < l->options->nformats; i++) {
        const struct diff_format *f = &l->options->formats[i];
        struct buf out = {0};
        if (f->writer->machine)
            put_json(l, &out);
        bool console = strcmp(f->file, "-") == 0;
        struct report_style style = diff_style(l->options, console);
        for (size_t k = 0; k < l->n && !f->writer->machine; k++) {
            if (k > 0)
                buf_putc(&out, '\n');
            put_text(l, &l->findings[k], style, &out);
        }
        if (console)
            diff_print_styled(&out, style);
        else
            fine = file_write(f->file, buf_text(&out), out.len, l->one.sink) &&
                   fine;
        buf_fini(&out);
    }
    return fine;
}

/* The JSON object of what is wrong, where the formats ask for one. */
static void write_errors(const struct lint *l)
{
    struct report *report = report_new();
    diff_put_options(l->options, report);
    report_refuse(report, DIFF_EXIT_USAGE, l->one.sink);
    if (!diff_write_reports(l->options, report, l->one.sink))
        report->exit_code = DIFF_EXIT_USAGE; /* as it is, and told */
    report_free(report);
}

/* What --save asks for. */
static bool save_all(struct lint *l, struct saver *saver)
{
    bool fine = true;
    for (size_t i = 0; i < l->n && fine; i++) {
        struct buf text = {0};
        if (l->findings[i].state != LINT_UNSAFE)
            continue;
        put_text(l, &l->findings[i], (struct report_style){0}, &text);
        fine =
            saved_lint(saver, l, &l->findings[i], buf_text(&text), l->one.sink);
        buf_fini(&text);
    }
    return fine && saved_finish(saver, l->one.sink);
}

/* Everything that is looked at is read, and --save has a folder. */
static int look_and_save(struct lint *l)
{
    struct saver *saver = saved_new(l->options, l->one.sink);
    if (l->options->save && !saver)
        return DIFF_EXIT_USAGE;
    int status = look_at_all(l);
    if (l->refused)
        status = DIFF_EXIT_USAGE;
    if (saver && status != DIFF_EXIT_USAGE && !save_all(l, saver))
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
    saved_free(saver);
    return status;
}

static int run_lint(const struct diff_options *given)
{
    struct lint l = {.options = given, .arena = arena_new()};
    int status = DIFF_EXIT_USAGE;
    l.one.options = given;
    l.one.sink = diag_sink_new();
    l.one.arena = arena_new();
    l.one.module = diff_module_load(given, given->operands[0], l.one.sink);
    if (l.one.module != NULL && ir_wellformed(l.one.module, l.one.sink) &&
        diff_property_check(given, l.one.module, l.one.sink) &&
        diff_names_check(given, l.one.module, 0, 0, l.one.sink))
        status = look_and_save(&l);
    if (status == DIFF_EXIT_USAGE)
        write_errors(&l);
    else if (!write_all(&l))
        status = DIFF_EXIT_USAGE;
    if (status == DIFF_EXIT_USAGE || given->save)
        diff_print_diags(l.one.sink);
    for (size_t i = 0; i < l.n; i++) {
        verifier_lint_fini(&l.findings[i].proof);
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
        "  diffcheck lint examples/matmul/tuned.py\n"
        "  diffcheck lint examples/conv/tuned.py --function conv2d "
        "--format json\n"
        "  diffcheck lint examples/buffers/tuned.py --save found  # exit 1\n"
        "  diffcheck lint found  # exit 1, on the saved input\n\n"
        "verdicts: safe (exit 0), unsafe (shown by a run, exit 1),\n"
        "unknown (exit 4)\n",
    .formats = "json text",
    .min_operands = 1,
    .max_operands = 1,
    .takes_folder = true,
    .run = run_lint,
};
