/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck bisect WORKLOAD TRACE` and `diffcheck bisect FOLDER`: the step of
 * a schedule, or the pass, after which the verdict changes.
 */
#include "diff/bisect/bisect.h"
#include "diff/cli/command.h"

#include <string.h>

#define LINES_SHOWN 24u

/* ---- facts ------------------------------------------------------------------ */

static void add(struct report_facts *f, const char *label, const char *text)
{
    vec_push(&f->items, ((struct report_fact){.label = label, .text = text}));
}

DC_PRINTF(4, 5)
static void add_text(struct bisect *b, struct report_facts *f,
                     const char *label, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(f, label, arena_vprintf(b->arena, fmt, args));
    va_end(args);
}

static const char *upper(struct bisect *b, enum report_verdict v)
{
    struct buf text = {0};
    buf_put_upper(&text, report_verdict_name(v));
    const char *out = arena_strdup(b->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

static const char *name_of(const struct bisect *b)
{
    return b->folder ? b->options->operands[0] : b->input.func->name;
}

/* What the comparison says, in a sentence. */
static void add_sentence(struct bisect *b, struct report_facts *f,
                         const struct report *report, enum report_verdict v)
{
    struct buf text = {0};
    for (size_t i = 0; i < report->npairs && text.len == 0; i++)
        if (report->pairs[i].verdict == v)
            report_put_sentence(&text, &report->pairs[i]);
    if (text.len > 0)
        add_text(b, f, "Says", "%s", buf_text(&text));
    buf_fini(&text);
}

static void add_point(const struct bisect *b, struct report_facts *f, size_t i)
{
    const struct bisect_point *p = &b->points.items[i];
    add(f, b->folder ? "Module" : "Step", p->what);
    if (p->where)
        add(f, "Where", p->where);
    if (p->illegal)
        add(f, "Illegal", p->illegal);
    if (p->fault)
        add(f, "TVM 0.27", p->fault);
}

static void add_change(struct bisect *b, struct report_facts *f, size_t good,
                       size_t bad)
{
    struct buf before = {0}, after = {0}, lines = {0};
    ir_print_script(b->points.items[good].module, &before);
    ir_print_script(b->points.items[bad].module, &after);
    bisect_put_lines(&lines, buf_text(&before), buf_text(&after),
                     b->options->verbose ? SIZE_MAX : LINES_SHOWN);
    vec_push(&f->items, ((struct report_fact){
                            "Changed", arena_strdup(b->arena, buf_text(&lines)),
                            REPORT_FACT_CUT}));
    buf_fini(&before);
    buf_fini(&after);
    buf_fini(&lines);
}

static void add_needed(struct bisect *b, struct report_facts *f,
                       const bool *skip)
{
    size_t n = 0;
    for (size_t i = 0; i < b->input.steps.n; i++)
        n += !skip[i];
    add_text(b, f, "Needed", "%zu of %zu steps", n, b->input.steps.n);
    for (size_t i = 0; i < b->input.steps.n; i++)
        if (!skip[i])
            add(f, "", b->input.steps.items[i].text);
}

static void add_stopped(const struct bisect *b, struct report_facts *f)
{
    if (b->stopped)
        add(f, "Stopped", b->stopped);
}

static void add_illegal(struct bisect *b, struct report_facts *f)
{
    for (size_t i = 0; i < b->points.len; i++)
        if (b->points.items[i].illegal)
            add_text(b, f, "Illegal", "%s: %s; it makes no difference here",
                     b->points.items[i].what, b->points.items[i].illegal);
}

/* ---- what is said ------------------------------------------------------------ */

static void say_nothing(struct bisect *b, struct report_facts *f)
{
    f->verdict = "IDENTICAL";
    f->about = arena_printf(
        b->arena, "%s: all %zu %s%s", name_of(b), b->points.len - 1,
        b->folder ? "modules after the first" : "steps that change it",
        b->stopped ? " before the one that cannot be done" : "");
    f->exit_code = b->stopped ? DIFF_EXIT_UNDECIDED : DIFF_EXIT_NOTHING;
    add_illegal(b, f);
    add_stopped(b, f);
}

static void say_found(struct bisect *b, const struct bisect_found *found,
                      const bool *skip, struct report_facts *f)
{
    const struct bisect_point *bad = &b->points.items[found->bad];
    const char *good = b->points.items[found->good].what;
    f->verdict = upper(b, found->is);
    f->about =
        arena_printf(b->arena, "%s: %s %zu of %zu that change it", name_of(b),
                     found->answer == BISECT_FOUND ? "after" : "no later than",
                     found->bad, b->points.len - 1);
    f->exit_code = bad->report->exit_code;
    add_point(b, f, found->bad);
    add_sentence(b, f, bad->report, found->is);
    add_text(b, f, "Before", "%s: %s", upper(b, found->was),
             found->good > 0 ? good : "the first");
    if (found->answer == BISECT_BETWEEN)
        add_text(b, f, "Open", "%zu between are not decided",
                 found->bad - found->good - 1);
    if (found->last != found->is)
        add(f, "At last", upper(b, found->last));
    if (skip)
        add_needed(b, f, skip);
    add_change(b, f, found->good, found->bad);
    add_stopped(b, f);
}

/* The steps keep what the workload computes; what the compiler made by them may
 * not. */
static bool say_compiler(struct bisect *b, struct report_facts *f)
{
    enum report_verdict v;
    struct report *report;
    bool known = bisect_judge(b, &report, &v);
    size_t blamed = bisect_blame(b);
    if (known) {
        f->verdict = upper(b, v);
        f->about = arena_printf(b->arena, "%s: by steps that keep what it does",
                                name_of(b));
        f->exit_code = report->exit_code;
        add(f, "Module", b->options->operands[2]);
        add_sentence(b, f, report, v);
        if (v == REPORT_IDENTICAL)
            add_illegal(b, f);
        else if (blamed > 0)
            add_point(b, f, blamed);
        else
            add(f, "Step",
                "not known: have the compiler write the module after each "
                "step, and give that folder");
        add_stopped(b, f);
    }
    report_free(report);
    return known;
}

/* False where something could not be compared, of which the sink is told. */
static bool answer(struct bisect *b, struct report_facts *f)
{
    struct bisect_found found = {.answer = BISECT_NOTHING,
                                 .last = REPORT_IDENTICAL};
    if (b->points.len > 1)
        found = bisect_search(b);
    if (found.answer == BISECT_ERROR)
        return false;
    if (b->tuned && found.last > REPORT_PRECISION)
        return say_compiler(b, f);
    if (found.answer == BISECT_NOTHING) {
        say_nothing(b, f);
        return true;
    }
    bool *skip = b->folder ? NULL : bisect_shrink(b, found.bad, found.is);
    say_found(b, &found, skip, f);
    if (b->options->out && !bisect_keep(b, &found, skip))
        f->exit_code = DIFF_EXIT_USAGE;
    return true;
}

static int run_bisect(const struct diff_options *options)
{
    struct bisect b = {.options = options, .sink = diag_sink_new()};
    struct report_facts f = {.verdict = ""};
    bool fine =
        options->noperands == 1
            ? bisect_begin_folder(&b, options->operands[0])
            : bisect_begin_steps(&b, options->operands[0], options->operands[1],
                                 options->noperands == 3 ? options->operands[2]
                                                         : NULL);
    int status = DIFF_EXIT_USAGE;
    if (fine && answer(&b, &f)) {
        struct report_style style = diff_style(options, true);
        struct buf out = {0};
        status = f.exit_code;
        report_put_facts(&out, &f, style);
        diff_print_styled(&out, style);
        buf_fini(&out);
    }
    vec_fini(&f.items);
    diff_print_diags(b.sink);
    bisect_fini(&b);
    diag_sink_free(b.sink);
    return status;
}

const struct diff_command cmd_bisect = {
    .name = "bisect",
    .operands = "WORKLOAD TRACE [TUNED] | FOLDER",
    .summary = "the step of a schedule, or the pass, after which the verdict "
               "changes",
    .about =
        "WORKLOAD TRACE: as for 'schedule'. The steps are done one after the\n"
        "other; the program after each is compared with WORKLOAD, halving\n"
        "between the last that is as it was and the first that is not. An\n"
        "illegal step is done all the same, if it can be, and named; then the\n"
        "steps that do not matter are left out. TUNED is what a compiler made\n"
        "by the steps: where that is wrong and they are not, the step that "
        "the\n"
        "compiler went wrong at is named, as far as that is known.\n\n"
        "FOLDER: modules that a compiler wrote after each pass, .json or .py,\n"
        "in the order of their names (9 before 10); the first is what the\n"
        "others are compared with.\n\n"
        "  diffcheck bisect examples/matmul/untuned.py \\\n"
        "      examples/matmul/racing.txt  # exit 1\n"
        "  diffcheck bisect examples/passes --out found  # exit 1\n"
        "\n"
        "With --out the modules before and after it and the steps that are\n"
        "needed are written there.\n",
    .like = "compare",
    .one_function = true,
    .min_operands = 1,
    .max_operands = 3,
    .run = run_bisect,
};
