/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck bisect WORKLOAD TRACE` and `diffcheck bisect FOLDER`: the step of
 * a schedule, or the pass, after which the verdict changes.
 */
#include "diff/bisect/bisect.h"
#include "diff/cli/command.h"

#include <string.h>

#define LINES_SHOWN 24u

static void put_upper(struct buf *out, enum report_verdict v)
{
    buf_put_upper(out, report_verdict_name(v));
}

static const char *name_of(const struct bisect *b)
{
    return b->folder ? b->options->operands[0] : b->function;
}

/* What the comparison of a point says, in a sentence. */
static void put_sentence(struct buf *out, const struct bisect_point *p,
                         enum report_verdict v)
{
    for (size_t i = 0; p->report && i < p->report->npairs; i++)
        if (p->report->pairs[i].verdict == v) {
            report_put_sentence(out, &p->report->pairs[i]);
            return;
        }
    if (p->report && p->report->error)
        buf_puts(out, p->report->error);
}

static void put_point(struct buf *out, const struct bisect *b, size_t i)
{
    const struct bisect_point *p = &b->points[i];
    buf_printf(out, "  %-10s %s\n", b->folder ? "module" : "step", p->what);
    if (p->where)
        buf_printf(out, "  where      %s\n", p->where);
    if (p->illegal)
        buf_printf(out, "  illegal    %s\n", p->illegal);
    if (p->fault)
        buf_printf(out, "  TVM 0.27   %s\n", p->fault);
}

static void put_change(struct buf *out, const struct bisect *b, size_t good,
                       size_t bad)
{
    struct buf before = {0}, after = {0};
    ir_print_script(b->points[good].module, &before);
    ir_print_script(b->points[bad].module, &after);
    buf_puts(out, "  changed\n");
    bisect_put_lines(out, buf_text(&before), buf_text(&after),
                     b->options->verbose ? SIZE_MAX : LINES_SHOWN);
    buf_fini(&before);
    buf_fini(&after);
}

static void put_needed(struct buf *out, const struct bisect *b,
                       const bool *skip)
{
    size_t n = 0;
    for (size_t i = 0; i < b->steps.n; i++)
        n += !skip[i];
    buf_printf(out, "  needed     %zu of %zu steps\n", n, b->steps.n);
    for (size_t i = 0; i < b->steps.n; i++)
        if (!skip[i])
            buf_printf(out, "    %s\n", b->steps.items[i].text);
}

/* ---- what is said ---------------------------------------------------------- */

static void put_illegal(struct buf *out, const struct bisect *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->points[i].illegal)
            buf_printf(out,
                       "  illegal    %s\n             %s; it makes no "
                       "difference here\n",
                       b->points[i].what, b->points[i].illegal);
}

static int say_nothing(const struct bisect *b, struct buf *out)
{
    buf_printf(out, "IDENTICAL  %s: all %zu %s%s\n", name_of(b), b->n - 1,
               b->folder ? "modules after the first" : "steps that change it",
               b->stopped ? " before the one that cannot be done" : "");
    put_illegal(out, b);
    if (b->stopped)
        buf_printf(out, "  stopped    %s\n", b->stopped);
    return b->stopped ? DIFF_EXIT_UNDECIDED : DIFF_EXIT_NOTHING;
}

static void say_found(struct bisect *b, const struct bisect_found *f,
                      const bool *skip, struct buf *out)
{
    struct buf sentence = {0};
    put_upper(out, f->is);
    buf_printf(out, "  %s: %s %zu of %zu that change it\n", name_of(b),
               f->answer == BISECT_FOUND ? "after" : "no later than", f->bad,
               b->n - 1);
    put_point(out, b, f->bad);
    put_sentence(&sentence, &b->points[f->bad], f->is);
    if (sentence.len > 0)
        buf_printf(out, "  says       %s\n", buf_text(&sentence));
    buf_fini(&sentence);
    buf_puts(out, "  before     ");
    put_upper(out, f->was);
    buf_printf(out, "%s%s\n", f->good > 0 ? ": " : ": the first",
               f->good > 0 ? b->points[f->good].what : "");
    if (f->answer == BISECT_BETWEEN)
        buf_printf(out, "  open       %zu between are not decided\n",
                   f->bad - f->good - 1);
    if (f->last != f->is) {
        buf_puts(out, "  at last    ");
        put_upper(out, f->last);
        buf_putc(out, '\n');
    }
    if (skip)
        put_needed(out, b, skip);
    put_change(out, b, f->good, f->bad);
    if (b->stopped)
        buf_printf(out, "  stopped    %s\n", b->stopped);
}

/* The steps keep what the workload computes; what the compiler made by them may
 * not. */
static int say_compiler(struct bisect *b, struct buf *out)
{
    enum report_verdict v;
    struct report *report;
    struct buf sentence = {0};
    int status = DIFF_EXIT_USAGE;
    if (!bisect_judge(b, &report, &v)) {
        report_free(report);
        return status;
    }
    size_t blamed = bisect_blame(b);
    struct bisect_point made = {.report = report};
    status = report->exit_code;
    put_upper(out, v);
    buf_printf(out, "  %s: %s, by steps that keep what %s computes\n",
               b->function, b->options->operands[2], b->options->operands[0]);
    put_sentence(&sentence, &made, v);
    if (sentence.len > 0)
        buf_printf(out, "  says       %s\n", buf_text(&sentence));
    if (v == REPORT_IDENTICAL)
        put_illegal(out, b);
    else if (blamed > 0)
        put_point(out, b, blamed);
    else
        buf_puts(out, "  step       not known: have the compiler write the "
                      "module after each step,\n"
                      "             and give that folder\n");
    if (b->stopped)
        buf_printf(out, "  stopped    %s\n", b->stopped);
    buf_fini(&sentence);
    report_free(report);
    return status;
}

static int answer(struct bisect *b)
{
    struct bisect_found f = {.answer = BISECT_NOTHING,
                             .last = REPORT_IDENTICAL};
    struct buf out = {0};
    int status = DIFF_EXIT_USAGE;
    if (b->n > 1)
        f = bisect_search(b);
    if (b->tuned && f.answer != BISECT_ERROR && f.last > REPORT_PRECISION) {
        status = say_compiler(b, &out);
    } else if (f.answer == BISECT_NOTHING) {
        status = say_nothing(b, &out);
    } else if (f.answer != BISECT_ERROR) {
        bool *skip = b->folder ? NULL : bisect_shrink(b, f.bad, f.is);
        say_found(b, &f, skip, &out);
        status = b->points[f.bad].report->exit_code;
        if (b->options->out && !bisect_keep(b, &f, skip))
            status = DIFF_EXIT_USAGE;
    }
    diff_print(&out);
    buf_fini(&out);
    return status;
}

static int run_bisect(const struct diff_options *options)
{
    struct bisect b = {.options = options, .sink = diag_sink_new()};
    bool fine =
        options->noperands == 1
            ? bisect_begin_folder(&b, options->operands[0])
            : bisect_begin_steps(&b, options->operands[0], options->operands[1],
                                 options->noperands == 3 ? options->operands[2]
                                                         : NULL);
    int status = fine ? answer(&b) : DIFF_EXIT_USAGE;
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
