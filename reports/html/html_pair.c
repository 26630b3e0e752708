/* SPDX-License-Identifier: Apache-2.0
 *
 * All that is known of one pair: the first screen, one element step by step, the
 * drawings, both programs, targets, what the verdict rests on, the command that
 * gives it again.
 */
#include "reports/html/html.h"

#include <ctype.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------- */

const char *html_pair_word(const struct html_item *item)
{
    return item->pair == NULL ? "error"
                              : report_verdict_name(item->pair->verdict);
}

int html_pair_rank(const struct html_item *item)
{
    const struct report_pair *p = item->pair;
    if (p == NULL || p->exit_code == REPORT_EXIT_INTERNAL ||
        p->exit_code == REPORT_EXIT_USAGE)
        return 0;
    if (p->exit_code == REPORT_EXIT_FINDING)
        return 1;
    if (p->exit_code != REPORT_EXIT_NOTHING)
        return 2;
    return p->known != NULL ? 3 : 4;
}

const char *html_pair_class(const struct html_item *item)
{
    static const char *const classes[] = {"bad", "bad", "open", "known",
                                          "good"};
    return classes[html_pair_rank(item)];
}

void html_put_sign(struct buf *out, const char *name)
{
    const char *sign = strcmp(name, "bad") == 0     ? "\xe2\x9c\x96"
                       : strcmp(name, "open") == 0  ? "\xe2\x96\xb2"
                       : strcmp(name, "known") == 0 ? "\xe2\x97\x8b"
                                                    : "\xe2\x9c\x94";
    buf_printf(out, "<span class=\"sign\" aria-hidden=\"true\">%s</span> ",
               sign);
}

void html_put_name(struct buf *out, const struct report_set *set,
                   const struct html_item *item)
{
    const struct report_entry *e = item->entry;
    const char *function = item->pair != NULL ? item->pair->function : NULL;
    if (set->many && e->name != NULL)
        html_put(out, e->name);
    if (function != NULL && (!set->many || e->report->npairs > 1)) {
        if (set->many)
            buf_puts(out, ": ");
        html_put(out, function);
    }
    if (!set->many && function == NULL)
        html_put(out, e->report->tuned != NULL ? e->report->tuned : "the pair");
}

/* ---- lists of facts ---------------------------------------------------------------- */

static void put_fact(struct buf *out, const char *name, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    html_put_element(out, "dt", NULL, name);
    html_put_element(out, "dd", NULL, text);
    buf_putc(out, '\n');
}

static void put_code(struct buf *out, const char *name, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    html_put_element(out, "dt", NULL, name);
    buf_puts(out, "<dd>");
    html_put_element(out, "code", NULL, text);
    buf_puts(out, "</dd>\n");
}

static void put_facts(struct buf *out, const char *name,
                      const struct report_list *list)
{
    if (list->n == 0)
        return;
    html_put_element(out, "dt", NULL, name);
    for (size_t i = 0; i < list->n; i++)
        html_put_element(out, "dd", NULL, list->items[i]);
    buf_putc(out, '\n');
}

static void begin_section(struct buf *out, size_t number, const char *name,
                          const char *title)
{
    buf_printf(out,
               "<section class=\"%s\" aria-labelledby=\"p%zu-%s-h\">"
               "<h4 id=\"p%zu-%s-h\">%s</h4>\n",
               name, number, name, number, name, title);
}

/* ---- one element ------------------------------------------------------------------- */

/* "99.0 (int32, bits 0x00000063)" */
static void put_value(struct buf *out, const char *name,
                      const struct report_value *v)
{
    struct buf text = {0};
    char type[48];
    if (v->kind == REPORT_V_NONE)
        return;
    report_put_value(&text, v);
    if (v->kind == REPORT_V_BITS) {
        unsigned digits = (v->dtype.bits + 3u) / 4;
        uint64_t mask = v->dtype.bits < 64 ? ((uint64_t)1 << v->dtype.bits) - 1
                                           : UINT64_MAX;
        buf_printf(&text, " (%s, bits 0x%0*llx)",
                   dtype_name(dtype_scalar(v->dtype), type), (int)digits,
                   (unsigned long long)(v->bits & mask));
    }
    put_code(out, name, buf_text(&text));
    buf_fini(&text);
}

static void put_places(struct buf *out, const struct report_origin *o)
{
    for (size_t i = 0; i < o->nplaces; i++) {
        const struct report_place *p = &o->places[i];
        html_put_element(out, "dt", NULL,
                         p->tuned ? "Tuned statement" : "Untuned statement");
        buf_puts(out, "<dd>");
        html_put_element(out, "code", NULL, p->text != NULL ? p->text : "");
        buf_puts(out, "<br>");
        if (p->access != NULL) {
            html_put(out, p->access);
            buf_puts(out, ", ");
        }
        html_put(out, p->file != NULL ? p->file : "diffcheck show");
        if (p->line > 0)
            buf_printf(out, ":%u", p->line);
        if (p->vars != NULL && *p->vars != '\0') {
            buf_puts(out, ", with ");
            html_put(out, p->vars);
        }
        if (p->thread != NULL) {
            buf_puts(out, ", in ");
            html_put(out, p->thread);
        }
        buf_puts(out, "</dd>\n");
    }
}

static void put_families(struct buf *out, const char *name,
                         const struct report_list *list)
{
    struct report_list families = {0};
    struct arena *arena = arena_new();
    report_find_families(arena, list, &families);
    put_facts(out, name, &families);
    arena_free(arena);
}

static void put_counterexample(struct buf *out, const struct report_witness *w)
{
    struct buf text = {0};
    if (w->input == NULL)
        return;
    report_put_input(&text, w, true);
    put_fact(out, "Input", buf_text(&text));
    buf_fini(&text);
}

static void put_witness(struct buf *out, const struct report_witness *w)
{
    struct buf text = {0};
    if (w->parameter != NULL) {
        buf_puts(&text, w->parameter);
        report_put_index(&text, w);
        put_code(out, "Element", buf_text(&text));
    }
    put_value(out, "Tuned value", &w->tuned);
    put_value(out, "Untuned value", &w->untuned);
    put_fact(out, "Fault", w->fault);
    put_fact(out, "Message", w->message);
    text.len = 0;
    if (report_put_extent(&text, w))
        put_fact(out, "How much", buf_text(&text));
    put_counterexample(out, w);
    buf_fini(&text);
}

/* The walk through one element: values, both formulas, statements, terms. */
static void put_element(struct buf *out, const struct html_item *item)
{
    const struct report_pair *p = item->pair;
    const struct report_witness *w = p->witness;
    const struct report_origin *o = p->origin;
    begin_section(out, item->number, "walk", "One element, step by step");
    if (w == NULL && o == NULL) {
        buf_puts(out, "<p class=\"absent\">No element is named: there is "
                      "none that the sides compute in another way, or none "
                      "was followed.</p></section>\n");
        return;
    }
    buf_puts(out, "<dl>\n");
    if (o != NULL)
        put_code(out, "Element", o->element);
    if (w != NULL)
        put_witness(out, w);
    if (o != NULL) {
        put_fact(out, "Cause", o->cause);
        put_code(out, "Tuned formula", o->formula_tuned);
        put_code(out, "Untuned formula", o->formula_untuned);
        put_places(out, o);
    }
    if (w != NULL && w->traced) {
        put_families(out, "Missing terms", &w->missing);
        put_families(out, "Extra terms", &w->extra);
        put_fact(out, "Order", w->order);
    }
    buf_puts(out, "</dl></section>\n");
}

/* ---- drawings ----------------------------------------------------------------------- */

/* The reason as a sentence of its own. */
static void put_why(struct buf *out, const char *why)
{
    struct buf text = {0};
    buf_puts(&text, why);
    if (text.len > 0)
        text.data[0] = (char)toupper((unsigned char)text.data[0]);
    html_put(out, buf_text(&text));
    buf_puts(out, ".</p>\n");
    buf_fini(&text);
}

/* One sentence a reason. */
static void put_absent(struct buf *out, const struct report_plots *p)
{
    static const char *const names[REPORT_NPLOTS] = {
        [REPORT_PLOT_HEAT] = "where the output differs",
        [REPORT_PLOT_ULPS] = "signed distances",
        [REPORT_PLOT_BOUND] = "|difference| against the error bound",
        [REPORT_PLOT_GROWTH] = "growth of the error",
        [REPORT_PLOT_TREES] = "trees of both sides",
    };
    bool told[REPORT_NPLOTS] = {false};
    for (int i = 0; i < REPORT_NPLOTS; i++) {
        const char *why = p->why[i];
        if (why == NULL || told[i])
            continue;
        buf_printf(out, "<p class=\"absent\">Not drawn: %s", names[i]);
        for (int k = i + 1; k < REPORT_NPLOTS; k++)
            if (p->why[k] != NULL && strcmp(p->why[k], why) == 0) {
                told[k] = true;
                buf_printf(out, ", %s", names[k]);
            }
        buf_puts(out, ". ");
        put_why(out, why);
    }
}

static void put_plots(struct buf *out, const struct html_item *item)
{
    const struct report_plots *p = item->pair->plots;
    begin_section(out, item->number, "plots", "Plots");
    if (p == NULL) {
        buf_puts(out, "<p class=\"absent\">None: the run that this result is "
                      "from was not asked for a page.</p></section>\n");
        return;
    }
    if (p->input != NULL) {
        buf_puts(out, "<p>Input: ");
        html_put(out, p->input);
        if (p->dtype != NULL) {
            buf_puts(out, ". Output ");
            html_put_element(out, "code", NULL,
                             p->output != NULL ? p->output : "?");
            buf_puts(out, " of ");
            html_put(out, p->dtype);
        }
        buf_puts(out, ".</p>\n");
    }
    html_put_race(out, item->number, item->pair);
    html_put_heat(out, item->number, p);
    html_put_bound(out, item->number, p);
    html_put_growth(out, item->number, p);
    html_put_ulps(out, item->number, p);
    html_put_trees(out, item->number, p);
    put_absent(out, p);
    buf_puts(out, "</section>\n");
}

/* ---- what it rests on ----------------------------------------------------------------- */

static const char *evidence_words(enum report_evidence evidence)
{
    switch (evidence) {
    case REPORT_NO_EVIDENCE: return "none";
    case REPORT_RUN: return "runs on concrete inputs";
    case REPORT_FINGERPRINT:
        return "runs in which inputs are unknowns: for all inputs of these "
               "sizes, but for a chance of accident";
    case REPORT_PROOF:
        return "a proof, for all inputs; \xe2\x80\x98"
               "diffcheck prove --certificate FILE\xe2\x80\x99 writes it, "
               "\xe2\x80\x98"
               "diffcheck check-certificate\xe2\x80\x99 derives it again";
    }
    return "?";
}

static void put_certificate(struct buf *out, const struct html_item *item)
{
    struct report_pair *p = item->pair;
    struct arena *arena = arena_new();
    struct buf text = {0};
    begin_section(out, item->number, "rests", "What the verdict rests on");
    buf_puts(out, "<dl>\n");
    put_fact(out, "Claim", report_verdict_meaning(p->verdict));
    put_fact(out, "Reason", p->reason);
    put_fact(out, "Evidence", evidence_words(p->evidence));
    put_facts(out, "Holds for", &p->holds_for);
    put_facts(out, "Assumes", &p->assumptions);
    put_facts(out, "Warnings", &p->warnings);
    put_facts(out, "Targets", &p->drift);
    put_facts(out, "Notes", &p->notes);
    if (p->known != NULL) {
        report_put_known(&text, p->known);
        put_fact(out, "Known", buf_text(&text));
    }
    put_fact(out, "Again", p->again);
    text.len = 0;
    buf_printf(&text, "%s, %s", report_rule(arena, p),
               report_fingerprint(arena, p));
    put_code(out, "Rule, fingerprint", buf_text(&text));
    text.len = 0;
    if (p->steps > 0)
        buf_printf(&text, "%llu steps of the interpreter",
                   (unsigned long long)p->steps);
    if (p->time_s > 0) {
        buf_puts(&text, text.len > 0 ? ", " : "");
        report_put_time(&text, p->time_s);
    }
    if (text.len > 0)
        put_fact(out, "Took", buf_text(&text));
    buf_puts(out, "</dl>\n");
    if (p->explanation != NULL) {
        buf_puts(out, "<pre tabindex=\"0\">");
        html_put(out, p->explanation);
        buf_puts(out, "</pre>\n");
    }
    buf_puts(out, "</section>\n");
    buf_fini(&text);
    arena_free(arena);
}

static void put_command(struct buf *out, const struct html_item *item)
{
    if (item->pair->command == NULL)
        return;
    begin_section(out, item->number, "again", "Reproduce");
    buf_printf(out, "<pre class=\"command\" tabindex=\"0\" id=\"p%zu-cmd\">",
               item->number);
    html_put(out, item->pair->command);
    buf_printf(out,
               "</pre><button type=\"button\" class=\"copy\" hidden "
               "data-copy=\"p%zu-cmd\">Copy the command</button>"
               "</section>\n",
               item->number);
}

/* ---- all ------------------------------------------------------------------------------ */

static void put_screen(struct buf *out, const struct html_item *item)
{
    struct buf text = {0};
    begin_section(out, item->number, "screen", "First screen");
    report_put_screen(&text, item->entry->report, item->pair);
    buf_puts(out, "<pre tabindex=\"0\">");
    html_put(out, buf_text(&text));
    buf_puts(out, "</pre></section>\n");
    buf_fini(&text);
}

static void put_summary(struct buf *out, const struct report_set *set,
                        const struct html_item *item, bool open)
{
    const char *name = html_pair_class(item);
    const char *error = item->entry->report->error;
    struct buf what = {0};
    buf_printf(out,
               "<details class=\"pair\" id=\"s%zu\"%s><summary><span "
               "class=\"word %s\">",
               item->number, open ? " open" : "", name);
    html_put_sign(out, name);
    buf_put_upper(out, html_pair_word(item));
    buf_puts(out, "</span> <b>");
    html_put_name(out, set, item);
    buf_puts(out, "</b> <span class=\"what\">");
    if (item->pair != NULL)
        report_put_sentence(&what, item->pair);
    else if (error != NULL)
        buf_puts(&what, error);
    html_put(out, buf_text(&what));
    buf_printf(out,
               "</span></summary>\n<div class=\"body\" id=\"pair-%zu\" "
               "tabindex=\"-1\"><h3 class=\"vh\">",
               item->number);
    html_put_name(out, set, item);
    buf_puts(out, "</h3>\n");
    buf_fini(&what);
}

static void put_error(struct buf *out, const struct html_item *item)
{
    const struct report *r = item->entry->report;
    buf_puts(out, "<dl>\n");
    put_fact(out, "Error", r->error);
    put_code(out, "Tuned", r->tuned);
    put_code(out, "Untuned", r->untuned);
    buf_puts(out, "</dl>\n");
}

void html_put_pair(struct buf *out, const struct report_set *set,
                   const struct html_item *item, bool full, bool open)
{
    put_summary(out, set, item, open);
    if (item->pair == NULL) {
        put_error(out, item);
    } else if (full) {
        put_screen(out, item);
        put_element(out, item);
        put_plots(out, item);
        begin_section(out, item->number, "sides", "Both programs");
        html_put_programs(out, item->number, item->pair);
        buf_puts(out, "</section>\n");
        begin_section(out, item->number, "targets", "Targets");
        html_put_targets(out, item->pair);
        buf_puts(out, "</section>\n");
        put_certificate(out, item);
        put_command(out, item);
    } else {
        put_screen(out, item);
        buf_puts(out, "<p class=\"absent\">Plots and programs are left out, "
                      "to keep the page small: the command above with "
                      "--format html=FILE draws them.</p>\n");
    }
    buf_puts(out, "</div></details>\n");
}
