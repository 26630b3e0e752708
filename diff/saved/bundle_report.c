/* SPDX-License-Identifier: Apache-2.0
 *
 * report.md: the finding in the terms of TVM's tracker.
 *
 * What is not known is left out. Names and sentences come from the input and are
 * escaped; code stands in fences that it cannot close.
 */
#include "diff/saved/bundle.h"

#include <inttypes.h>
#include <string.h>

/* A tracker takes 65 536 characters: what is longer is a file of the folder. */
#define MOST_SCRIPT 24000u
#define MOST_MODULE 12000u

static const struct report_pair *pair_of(const struct saved_finding *f)
{
    return f->bundle->pair;
}

const char *bundle_version(const struct saved_finding *f)
{
    if (f->options->tvm_version)
        return f->options->tvm_version;
    if (f->bundle->tvm)
        return f->bundle->tvm;
    for (size_t k = 0; k < f->nmodules; k++)
        if (f->modules[k].module->tvm_version)
            return f->modules[k].module->tvm_version;
    return NULL;
}

/* ---- what is wrong ------------------------------------------------------------- */

static void put_sentence(struct buf *out, const struct saved_finding *f)
{
    const struct report_target *t = f->bundle->outcome;
    struct buf text = {0};
    if (t) {
        buf_printf(out, "%s on target %s%s%s", report_outcome_name(t->outcome),
                   t->target, t->reason ? ": " : "",
                   t->reason ? t->reason : "");
        return;
    }
    bool named = report_put_finding(&text, pair_of(f));
    if (!named && text.len > 0 && text.data[0] >= 'a' && text.data[0] <= 'z')
        text.data[0] = (char)(text.data[0] - 'a' + 'A');
    buf_puts(out, buf_text(&text));
    buf_fini(&text);
}

void bundle_put_headline(struct buf *out, const struct saved_finding *f)
{
    struct buf text = {0};
    if (strcmp(f->function, "main") != 0)
        buf_printf(&text, "%s: ", f->function);
    put_sentence(&text, f);
    buf_put_visible(out, buf_text(&text), text.len, "");
    buf_fini(&text);
}

/* "[TIR][Schedule] ", from what is known alone. */
static void put_component(struct buf *out, const struct saved_finding *f)
{
    const struct diff_options *o = f->options;
    const char *target = f->target;
    const char *words = o->component                   ? o->component
                        : o->step                      ? "TIR,Schedule"
                        : target && f->bundle->runs_on ? "Codegen"
                        : target                       ? target
                        : f->relax                     ? "Relax"
                                                       : "TIR";
    while (*words) {
        size_t n = strcspn(words, ",");
        struct buf one = {0};
        buf_append(&one, words, n);
        buf_putc(out, '[');
        report_put_escaped(out, buf_text(&one));
        buf_putc(out, ']');
        buf_fini(&one);
        words += n + (words[n] == ',');
    }
    buf_putc(out, ' ');
}

static void put_line(struct buf *out, const char *before, const char *text,
                     const char *after)
{
    buf_puts(out, before);
    report_put_escaped(out, text);
    buf_puts(out, after);
}

static void put_head(struct buf *out, const struct saved_finding *f)
{
    struct buf text = {0};
    const char *version = bundle_version(f);
    buf_puts(out, "# ");
    put_component(out, f);
    bundle_put_headline(&text, f);
    put_line(out, "", buf_text(&text), "\n\n");
    if (version)
        put_line(out, "TVM ", version, " · ");
    buf_printf(out, "found by diffcheck " DC_VERSION ", seed %" PRIu64 "\n\n",
               f->options->seed);
    buf_fini(&text);
}

/* ---- expected and got ------------------------------------------------------------ */

static bool is_known(const struct report_value *v)
{
    return v->kind != REPORT_V_NONE;
}

static const char *rounding_of(const struct saved_finding *f)
{
    if (f->bundle->kind == DIFF_ENCLOSURE)
        return "; the exact results lie there, whatever rounds";
    if (f->bundle->kind == DIFF_VALUE &&
        pair_of(f)->verdict == REPORT_DIFFERENT)
        return "; no rounding is involved";
    return "";
}

static void put_value(struct buf *out, const struct interp_tensor *t,
                      size_t element)
{
    if (t->state[element] & INTERP_DEFINED)
        num_put(out, dtype_scalar(t->dtype), interp_tensor_get(t, element));
    else
        buf_puts(out, "anything (it is never written)");
}

/* Of the arrays, where no witness has it. */
static void put_element(struct buf *out, const struct saved_finding *f)
{
    const struct saved_element *e = &f->element;
    size_t right = f->nmodules == 1 ? 0 : 1;
    const struct interp_tensor *want =
        f->outputs[right] ? f->outputs[right][e->output] : NULL;
    const struct interp_tensor *have =
        f->recorded ? f->recorded[e->output]
                    : (f->outputs[0] ? f->outputs[0][e->output] : NULL);
    char type[48];
    if (!want || !have)
        return;
    buf_puts(out, "Expected ");
    if (f->sig && !f->relax)
        report_put_escaped(out, f->sig->params[e->output].name);
    else
        buf_printf(out, "output %zu", e->output);
    bundle_put_index(out, want, e->element);
    buf_puts(out, " = ");
    put_value(out, want, e->element);
    buf_puts(out, ", got ");
    put_value(out, have, e->element);
    buf_printf(out, " (%s).\n", dtype_name(dtype_scalar(want->dtype), type));
}

static void put_witness(struct buf *out, const struct saved_finding *f,
                        const struct report_witness *w)
{
    char type[48];
    struct dtype t = w->untuned.dtype;
    put_line(out, "Expected ", w->parameter, "");
    if (w->nindex > 0)
        report_put_index(out, w);
    buf_puts(out, w->untuned.kind == REPORT_V_BOX ? " in " : " = ");
    report_put_value(out, &w->untuned);
    buf_puts(out, ", got ");
    report_put_value(out, &w->tuned);
    if (w->untuned.kind == REPORT_V_BITS)
        buf_printf(out, " (%s%s)", dtype_name(dtype_scalar(t), type),
                   rounding_of(f));
    else
        buf_puts(out, rounding_of(f));
    buf_puts(out, ".\n");
}

static void put_expected(struct buf *out, const struct saved_finding *f)
{
    const struct report_pair *p = pair_of(f);
    const struct report_witness *w = p->witness;
    struct buf text = {0};
    if (!f->bundle->outcome && w && w->parameter && is_known(&w->tuned) &&
        is_known(&w->untuned))
        put_witness(out, f, w);
    else if (f->sig && f->element.known)
        put_element(out, f);
    if (f->fault && w && w->message)
        put_line(out, "Fault: ", w->message, ".\n");
    else if (!f->element.known)
        put_line(out, "", f->reason ? f->reason : "", ".\n");
    if (f->fault && w && w->every_input)
        buf_puts(out, "It happens for every input.\n");
    if (!f->bundle->outcome && w && w->parameter && report_put_extent(&text, w))
        put_line(out, "", buf_text(&text), ".\n");
    if (!f->bundle->outcome && w && w->smallest)
        put_line(out, "Input: ", w->smallest, ".\n");
    buf_fini(&text);
}

/* ---- texts ------------------------------------------------------------------------ */

static void put_code(struct buf *out, const char *language, const char *text)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "\n\t");
    report_put_fenced(out, language, buf_text(&clean));
    buf_fini(&clean);
}

static void put_reproducer(struct buf *out, const char *python, bool gpu)
{
    size_t lines = 0;
    for (const char *c = python; *c; c++)
        lines += *c == '\n';
    buf_printf(out,
               "\n## Reproducer\n`reproduce.py`: %zu lines, needs TVM only; "
               "exit status 1 where the fault is, 0 where it\nis not, 2 where "
               "it cannot be told%s.\n\n",
               lines, gpu ? ", 3 without a GPU" : "");
    if (strlen(python) <= MOST_SCRIPT)
        put_code(out, "python", python);
    else
        buf_puts(out, "It is too long for this text.\n");
}

static void put_module(struct buf *out, const char *title,
                       const struct bundle_module *m)
{
    buf_printf(out, "\n## %s\n", title);
    if (strlen(m->shown) <= MOST_MODULE)
        put_code(out, "python", m->shown);
    else
        buf_printf(out, "It is too long for this text: `%s.json`.\n", m->side);
}

static void put_place(struct buf *out, const struct report_place *p)
{
    buf_puts(out, p->tuned ? "after:  " : "before: ");
    if (p->access)
        buf_printf(out, "%s ", p->access);
    buf_puts(out, p->text ? p->text : "");
    if (p->vars && *p->vars)
        buf_printf(out, "    # %s", p->vars);
    if (p->thread && *p->thread)
        buf_printf(out, "    # %s", p->thread);
    if (p->file && p->line)
        buf_printf(out, "    (%s:%" PRIu32 ")", p->file, p->line);
    buf_putc(out, '\n');
}

static void put_cause(struct buf *out, const struct saved_finding *f)
{
    const struct report_origin *o = pair_of(f)->origin;
    struct buf text = {0};
    if (f->bundle->outcome || !o ||
        (!o->cause && !o->formula_tuned && !o->formula_untuned &&
         o->nplaces == 0))
        return;
    buf_puts(out, "\n## Cause\n");
    if (o->cause)
        put_line(out, "", o->cause, ".\n\n");
    if (o->formula_untuned)
        buf_printf(&text, "before: %s\n", o->formula_untuned);
    if (o->formula_tuned)
        buf_printf(&text, "after:  %s\n", o->formula_tuned);
    for (size_t i = 0; i < o->nplaces; i++)
        put_place(&text, &o->places[i]);
    if (text.len > 0)
        put_code(out, "", buf_text(&text));
    buf_fini(&text);
}

static void put_list(struct buf *out, const char *title,
                     const struct report_list *list)
{
    if (list == NULL || list->n == 0)
        return;
    buf_printf(out, "\n## %s\n", title);
    for (size_t i = 0; i < list->n; i++)
        put_line(out, "- ", list->items[i], "\n");
}

/* ---- targets ---------------------------------------------------------------------- */

static void put_target(struct buf *out, const struct saved_finding *f)
{
    const struct report_target *t = f->bundle->outcome;
    if (!t)
        return;
    buf_puts(out, "\n## Target\n");
    put_line(out, "", t->target, "");
    if (f->bundle->built_with)
        put_line(out, " (", f->bundle->built_with, ")");
    put_line(out, ": ", report_outcome_name(t->outcome), "");
    if (t->reason)
        put_line(out, ", ", t->reason, "");
    buf_puts(out, "\n");
    if (t->hypothesis)
        put_line(out, "\nThe arithmetic that gives its bits: ", t->hypothesis,
                 ".\n");
    if (t->detail) {
        buf_putc(out, '\n');
        put_code(out, "", t->detail);
    }
}

static void put_files(struct buf *out)
{
    buf_puts(
        out,
        "\n## Files\n"
        "- `reproduce.sh`: reproduce.py and, where diffcheck is installed, "
        "the comparison\n"
        "- the modules with the functions at fault alone, for TVM 0.27 "
        "and, in `eras/`, for others;\n"
        "  `in/` and what both sides give, as NumPy files; "
        "`finding.json`, `report.txt`, `repro.py`\n"
        "- `environment.txt`: with what it was found\n");
}

void bundle_put_report(struct buf *out, const struct saved_finding *f,
                       const struct bundle_module *modules, const char *python)
{
    put_head(out, f);
    put_expected(out, f);
    put_reproducer(out, python,
                   modules[0].gpu || (f->nmodules > 1 && modules[1].gpu));
    if (f->nmodules == NSIDES) {
        put_module(out, "Before", &modules[1]);
        put_module(out, "After", &modules[0]);
    } else {
        put_module(out, "Module", &modules[0]);
    }
    put_cause(out, f);
    if (f->options->step) {
        buf_puts(out, "\n## Step\n");
        put_code(out, "", f->options->step);
    }
    put_target(out, f);
    put_list(out, "Assumptions", f->assumptions);
    put_files(out);
}
