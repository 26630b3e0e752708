/* SPDX-License-Identifier: Apache-2.0
 *
 * The text report: for a person at a terminal.
 *
 * One screen a pair: what was found and whether it counts, how much of the
 * output it concerns, where (statements of both files), why (what separates the
 * two), an input that shows it, the command that gives it again. The rest,
 * notes above all, is said with `verbose`; that something was left out is said
 * at the end. Lines are wrapped to the terminal; commands go on behind a
 * backslash, so that they can be copied.
 */
#include "reports/reports.h"
#include "reports/screen.h"

#include <string.h>

#define OUTCOME_WIDTH 12
#define SHOWN_GROUPS  4u /* families of terms listed a side */
#define SHOWN_LINES   2u /* of a list that goes on with `verbose` */

/* Of the head: red is what counts as a finding, for whatever reason. */
static const char *head_colour(const struct report_pair *pair)
{
    if (pair->exit_code == REPORT_EXIT_FINDING ||
        pair->exit_code == REPORT_EXIT_INTERNAL)
        return SCREEN_RED;
    if (pair->exit_code != REPORT_EXIT_NOTHING)
        return SCREEN_YELLOW;
    return pair->verdict <= REPORT_UNKNOWN ? SCREEN_YELLOW : SCREEN_GREEN;
}

/* "finding, exit status 1", "no finding, exit 0" */
static void put_status(struct buf *out, const struct report_pair *pair)
{
    const char *because = pair->exit_because;
    switch (pair->exit_code) {
    case REPORT_EXIT_NOTHING: buf_puts(out, "no finding, exit 0"); break;
    case REPORT_EXIT_FINDING: buf_puts(out, "finding, exit status 1"); break;
    case REPORT_EXIT_UNDECIDED:
        buf_puts(out, pair->verdict == REPORT_UNKNOWN
                          ? "exit status 4"
                          : "no finding, exit status 4");
        break;
    default: buf_printf(out, "exit status %d", pair->exit_code); break;
    }
    if (because != NULL)
        buf_printf(out, " (%s)", because);
}

/* The verdict, the function, and at the right what comes of it. */
static void put_head(struct screen *s, const struct report_pair *pair)
{
    struct buf left = {0}, right = {0}, verdict = {0};
    buf_put_upper(&verdict, report_verdict_name(pair->verdict));
    buf_puts(&left, "  ");
    buf_put_visible(&left, pair->function, strlen(pair->function), "");
    if (pair->tuned_function != NULL) {
        buf_puts(&left, " (tuned: ");
        buf_put_visible(&left, pair->tuned_function,
                        strlen(pair->tuned_function), "");
        buf_putc(&left, ')');
    }
    put_status(&right, pair);
    screen_put_head(s, head_colour(pair), buf_text(&verdict), buf_text(&left),
                    buf_text(&right));
    buf_fini(&left);
    buf_fini(&right);
    buf_fini(&verdict);
}

/* ---- what, how much -------------------------------------------------------------- */

static bool is_finding(const struct report_pair *pair)
{
    return pair->verdict == REPORT_UNSAFE || pair->verdict == REPORT_DIFFERENT;
}

/* The reason; where an element shows the rest of it, its first clause. */
static void put_reason(struct screen *s, const struct report_pair *pair)
{
    const struct report_origin *o = pair->origin;
    const char *reason = pair->reason != NULL ? pair->reason : "";
    bool told = o != NULL && o->cause != NULL && o->element != NULL;
    struct buf text = {0};
    buf_append(&text, reason, told ? strcspn(reason, ";") : strlen(reason));
    screen_put_sentence(s, buf_text(&text), false);
    text.len = 0;
    if (told) {
        buf_printf(&text, "%s: %s", o->element, o->cause);
        screen_put_sentence(s, buf_text(&text), true);
    }
    buf_fini(&text);
}

static void put_what(struct screen *s, const struct report_pair *pair)
{
    struct buf text = {0};
    const struct report_witness *w = pair->witness;
    if (is_finding(pair) && w != NULL) {
        bool name = report_put_finding(&text, pair);
        screen_put_sentence(s, buf_text(&text), name);
    } else {
        buf_puts(&text, report_verdict_meaning(pair->verdict));
        screen_put_sentence(s, buf_text(&text), false);
        put_reason(s, pair);
    }
    if (pair->suspect != NULL)
        screen_put_sentence(s, pair->suspect, false);
    text.len = 0;
    if (w != NULL && report_put_extent(&text, w))
        screen_put_sentence(s, buf_text(&text), true);
    if (w != NULL && w->every_input)
        screen_put_sentence(s, "happens for every input", false);
    buf_fini(&text);
}

/* ---- where ------------------------------------------------------------------------- */

/* The file's name, with as much of its path as tells the two sides apart. */
static const char *short_path(const char *path, const char *other)
{
    size_t n = other != NULL ? strlen(other) : 0;
    const char *at = path + strlen(path);
    while (at > path) {
        if (*--at != '/')
            continue;
        size_t tail = strlen(at); /* with the slash */
        bool same = n + 1 == tail
                        ? strcmp(other, at + 1) == 0
                        : n >= tail && strcmp(other + n - tail, at) == 0;
        if (!same)
            return at + 1;
    }
    return path;
}

static void put_location(struct buf *out, const struct report *report,
                         const struct report_place *p)
{
    const char *path = p->tuned ? report->tuned : report->untuned;
    const char *other = p->tuned ? report->untuned : report->tuned;
    path = path != NULL ? path : p->tuned ? "tuned" : "untuned";
    const char *name = short_path(path, other);
    if (p->file != NULL) {
        /* a text beside it has the same name but for its end */
        size_t skip = (size_t)(name - path);
        name = strlen(p->file) > skip && strncmp(p->file, path, skip) == 0
                   ? p->file + skip
                   : p->file;
    }
    if (p->file == NULL)
        buf_puts(out, "show ");
    buf_put_visible(out, name, strlen(name), "");
    if (p->line > 0)
        buf_printf(out, ":%u", p->line);
}

static void put_place(struct screen *s, const struct report_place *p,
                      const char *location, size_t indent)
{
    struct buf text = {0}, vars = {0};
    buf_puts(&text, p->text != NULL ? p->text : "");
    if (p->thread != NULL) {
        report_put_thread(&vars, p->thread);
        buf_puts(&vars, "; ");
    }
    buf_puts(&vars, p->vars != NULL ? p->vars : "");
    size_t room = s->width > indent ? s->width - indent : 1;
    size_t a = screen_columns(buf_text(&text));
    size_t b = screen_columns(buf_text(&vars));
    if (a + 4 + b <= room) {
        buf_printf(&text, "%*s%s", b > 0 ? 4 : 0, "", buf_text(&vars));
        vars.len = 0;
    }
    screen_put_cut(s, location, indent, buf_text(&text));
    if (vars.len > 0)
        screen_put_cut(s, "", indent, buf_text(&vars));
    buf_fini(&text);
    buf_fini(&vars);
}

static void put_places(struct screen *s, const struct report *report,
                       const struct report_origin *w)
{
    struct buf at = {0};
    size_t wide = 0;
    bool shown = false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < w->nplaces; i++) {
            const struct report_place *p = &w->places[i];
            at.len = 0;
            buf_puts(&at, "  ");
            if (p->access != NULL)
                buf_printf(&at, "%-6s", p->access);
            put_location(&at, report, p);
            buf_puts(&at, "  ");
            size_t n = screen_columns(buf_text(&at));
            wide = n > wide ? n : wide;
            shown |= p->file == NULL;
            if (pass == 0)
                continue;
            if (i == 0)
                buf_putc(s->out, '\n');
            put_place(s, p, buf_text(&at), wide);
        }
    buf_fini(&at);
    if (w->nplaces == 2 && w->places[0].access != NULL)
        screen_put(s, "", 2, "no barrier or other order between the two");
    if (shown)
        screen_put(s, "", 2,
                   "(show: a line of what `diffcheck show FILE` prints)");
}

/* Where no statement could be named, what the fault said. */
static bool put_where(struct screen *s, const struct report *report,
                      const struct report_pair *pair)
{
    const struct report_witness *w = pair->witness;
    if (pair->origin != NULL && pair->origin->nplaces > 0)
        put_places(s, report, pair->origin);
    else if (w != NULL && w->where != NULL)
        screen_put_cut(s, "  at ", 5, w->where);
    else
        return false;
    return true;
}

/* ---- why ----------------------------------------------------------------------------- */

static void put_family(struct screen *s, const char *label,
                       const struct report_list *list)
{
    struct report_list families = {0};
    struct arena *arena = arena_new();
    report_find_families(arena, list, &families);
    for (size_t i = 0; i < families.n && (s->style.verbose || i < SHOWN_GROUPS);
         i++)
        screen_put_cut(s, i == 0 ? label : "", SCREEN_LABEL, families.items[i]);
    if (families.n > SHOWN_GROUPS && !s->style.verbose) {
        struct buf more = {0};
        buf_printf(&more, "… and %zu more", families.n - SHOWN_GROUPS);
        screen_put(s, "", SCREEN_LABEL, buf_text(&more));
        buf_fini(&more);
    }
    arena_free(arena);
}

static bool put_formulas(struct screen *s, const struct report_origin *o,
                         bool after)
{
    if (o == NULL || (!o->formula_tuned && !o->formula_untuned))
        return false;
    if (after)
        buf_putc(s->out, '\n');
    if (o->formula_tuned)
        screen_put_cut(s, "  tuned", SCREEN_LABEL, o->formula_tuned);
    if (o->formula_untuned)
        screen_put_cut(s, "  untuned", SCREEN_LABEL, o->formula_untuned);
    return true;
}

static void put_terms(struct screen *s, const struct report_witness *w,
                      bool formulas)
{
    /* of one term for another the formulas say enough */
    if (w->missing.n > 1 || w->extra.n > 1 || !formulas || s->style.verbose) {
        put_family(s, "  missing", &w->missing);
        put_family(s, "  extra", &w->extra);
    }
    if (w->order)
        screen_put(s, "  order", SCREEN_LABEL, w->order);
}

static void put_origin(struct screen *s, const struct report *report,
                       const struct report_pair *pair)
{
    size_t before = s->out->len;
    bool where = put_where(s, report, pair);
    bool why = put_formulas(s, pair->origin, where);
    if (pair->witness != NULL)
        put_terms(s, pair->witness, why);
    if (s->out->len > before)
        buf_putc(s->out, '\n');
}

/* ---- the input -------------------------------------------------------------------------- */

static void put_input(struct screen *s, const struct report_witness *w)
{
    struct buf line = {0};
    if (!w->input)
        return;
    report_put_input(&line, w, true);
    screen_put(s, "Counterexample", SCREEN_LABEL, buf_text(&line));
    buf_fini(&line);
}

/* ---- targets ---------------------------------------------------------------------------- */

static void put_distances(struct screen *s, const struct report_target *t)
{
    struct buf lines[SCREEN_DISTANCES] = {{0}};
    size_t n = screen_list_distances(t, lines);
    for (size_t i = 0; i < n; i++) {
        screen_put(s, "", SCREEN_LABEL, buf_text(&lines[i]));
        buf_fini(&lines[i]);
    }
}

static bool is_alike(const struct report_target *a,
                     const struct report_target *b)
{
    const char *x = a->reason ? a->reason : "", *y = b->reason ? b->reason : "";
    return a->outcome == b->outcome && strcmp(x, y) == 0 && a->ran == b->ran &&
           (!a->ran || (screen_same_distance(&a->between, &b->between) &&
                        screen_same_distance(&a->tuned.from_reference,
                                             &b->tuned.from_reference) &&
                        screen_same_distance(&a->untuned.from_reference,
                                             &b->untuned.from_reference)));
}

/* The worst of those that speak against the pair, the first of several: its
 * sentence stands before the verdict's. NULL: none does. */
static const struct report_target *find_guilty(const struct report_pair *pair)
{
    const struct report_target *out = NULL;
    for (size_t i = 0; i < pair->ntargets; i++)
        if (pair->targets[i].outcome <= REPORT_UNEXPLAINED &&
            (out == NULL || pair->targets[i].outcome < out->outcome))
            out = &pair->targets[i];
    return out;
}

/* Targets of one outcome for one reason: a sentence once. */
static void put_group(struct screen *s, const struct report_pair *pair,
                      size_t first)
{
    const struct report_target *guilty = find_guilty(pair);
    const struct report_target *t = &pair->targets[first];
    const char *name = report_outcome_name(t->outcome);
    struct buf label = {0}, line = {0};
    for (size_t i = first; i < pair->ntargets; i++)
        if (is_alike(t, &pair->targets[i]))
            buf_printf(&line, "%s%s", line.len > 0 ? ", " : "",
                       pair->targets[i].target);
    bool told = guilty != NULL && is_alike(guilty, t);
    if (t->reason != NULL && *t->reason != '\0' && !told)
        buf_printf(&line, ": %s", t->reason);
    buf_printf(&label, "  %s%s%s%s",
               s->style.colour ? screen_outcome_colour(t->outcome) : "", name,
               s->style.colour ? "\033[0m" : "",
               strlen(name) + 2 < SCREEN_LABEL ? "" : "  ");
    screen_put(s, buf_text(&label), SCREEN_LABEL, buf_text(&line));
    put_distances(s, t);
    buf_fini(&label);
    buf_fini(&line);
}

static void put_counts(struct screen *s, const struct report_pair *pair)
{
    size_t n[REPORT_NOUTCOMES] = {0};
    struct buf line = {0};
    for (size_t i = 0; i < pair->ntargets; i++)
        n[pair->targets[i].outcome]++;
    size_t ran = pair->ntargets - n[REPORT_SKIPPED];
    buf_printf(&line, "%zu run, ", ran);
    if (n[REPORT_WRONG] == 0)
        buf_puts(&line, "none wrong");
    else
        buf_printf(&line, "%zu wrong", n[REPORT_WRONG]);
    screen_put(s, "Targets", SCREEN_LABEL, buf_text(&line));
    buf_fini(&line);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; text != NULL && *text != '\0'; n++) {
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    return n;
}

/* Worst first, grouped. Returns how many lines of the worst were left out. */
static size_t put_targets(struct screen *s, const struct report_pair *pair)
{
    const struct report_target *worst = screen_worst_target(pair);
    if (pair->ntargets == 0)
        return 0;
    put_counts(s, pair);
    for (int o = 0; o < REPORT_NOUTCOMES; o++)
        for (size_t i = 0; i < pair->ntargets; i++) {
            const struct report_target *t = &pair->targets[i];
            bool first = t->outcome == (enum report_outcome)o;
            for (size_t k = 0; k < i; k++)
                first = first && !is_alike(&pair->targets[k], t);
            if (first)
                put_group(s, pair, i);
        }
    return worst != NULL ? count_lines(worst->detail) : 0;
}

static void put_guilty(struct screen *s, const struct report_pair *pair)
{
    const struct report_target *t = find_guilty(pair);
    struct buf line = {0};
    if (t == NULL)
        return;
    buf_printf(&line, "On target %s the result %s%s%s%s", t->target,
               t->outcome == REPORT_DEVIATES ? "" : "is ",
               report_outcome_name(t->outcome), t->reason ? ": " : "",
               t->reason ? t->reason : "");
    screen_put_sentence(s, buf_text(&line), false);
    buf_fini(&line);
}

/* ---- roundings ----------------------------------------------------------------------- */

/* The option that makes `precision` no finding, and what that rests on. */
static void put_rounding(struct screen *s, const struct report_rounding *r)
{
    struct buf line = {0};
    if (r->wider)
        buf_printf(&line, "--allow wider: %s", r->reason);
    else
        buf_printf(&line, "--allow precision; not by --allow wider: %s",
                   r->reason != NULL ? r->reason : "not known");
    screen_put(s, "Allowed by", SCREEN_LABEL, buf_text(&line));
    buf_fini(&line);
}

/* ---- the rest ---------------------------------------------------------------------------- */

/* Returns how many were left out. */
static size_t put_list(struct screen *s, const char *label,
                       const struct report_list *list, size_t most)
{
    size_t n = list->n <= most + 1 ? list->n : most;
    screen_put_list(s, label, list, n);
    return list->n - n;
}

static void put_hidden(struct screen *s, size_t hidden)
{
    struct buf line = {0};
    if (hidden == 0)
        return;
    buf_printf(&line, "-v shows %zu more line%s", hidden,
               hidden == 1 ? "" : "s");
    screen_put(s, "More", SCREEN_LABEL, buf_text(&line));
    buf_fini(&line);
}

/* Of the notes where a proof stopped, and an assumption without which there is
 * a finding. */
static size_t put_notes(struct screen *s, const struct report_pair *pair)
{
    size_t hidden = 0;
    bool undecided =
        pair->verdict == REPORT_UNKNOWN || pair->verdict == REPORT_AGREES ||
        pair->verdict == REPORT_ALGEBRAIC || pair->verdict == REPORT_PRECISION;
    for (size_t i = 0; i < pair->notes.n; i++) {
        const char *note = pair->notes.items[i];
        bool stop = strncmp(note, "no proof: ", 10) == 0;
        bool tries = strncmp(note, "with --", 7) == 0;
        if (undecided && stop)
            screen_put_cut(s, "Stopped at", SCREEN_LABEL, note + 10);
        else if (tries)
            screen_put(s, "Try", SCREEN_LABEL, note + 5);
        else
            hidden++;
    }
    return hidden;
}

static void put_pair(struct screen *s, const struct report *report,
                     const struct report_pair *pair)
{
    const struct report_witness *w = pair->witness;
    size_t hidden = 0;
    bool finding = is_finding(pair) && w != NULL;
    put_head(s, pair);
    put_guilty(s, pair);
    put_what(s, pair);
    put_origin(s, report, pair);
    if (s->style.verbose) {
        screen_put_details(s, pair);
        return;
    }
    if (pair->rounding != NULL)
        put_rounding(s, pair->rounding);
    hidden += put_list(s, "Drift", &pair->drift, SHOWN_LINES);
    hidden += put_targets(s, pair);
    hidden += put_list(s, "Warning", &pair->warnings, SHOWN_LINES);
    hidden += put_list(s, "Holds for", &pair->holds_for, SHOWN_LINES);
    if (finding)
        hidden += pair->assumptions.n;
    else
        hidden += put_list(s, "Assumes", &pair->assumptions, SHOWN_LINES);
    hidden += put_notes(s, pair);
    if (w != NULL)
        put_input(s, w);
    if (pair->explanation != NULL)
        screen_put_lines(s, "Proof", pair->explanation);
    put_hidden(s, hidden);
    if (pair->command)
        screen_put_command(s, "Reproduce", pair->command);
}

/* ---- all pairs on all targets -------------------------------------------------- */

#define NAME_WIDTH 28u /* of a function, in the matrix */

/* Every pair has the targets that the command line chose, in one order. */
static void put_matrix_row(struct buf *out, const struct report_pair *pair,
                           bool colour)
{
    struct buf name = {0};
    buf_put_visible(&name, pair->function, strlen(pair->function), "");
    if (name.len > NAME_WIDTH) {
        name.len = text_visible(name.data, NAME_WIDTH - 3, "");
        name.data[name.len] = '\0';
        buf_puts(&name, "...");
    }
    buf_printf(out, "  %-*s  %-10s", (int)NAME_WIDTH, buf_text(&name),
               report_verdict_name(pair->verdict));
    for (size_t i = 0; i < pair->ntargets; i++) {
        enum report_outcome o = pair->targets[i].outcome;
        int width = (int)strlen(pair->targets[i].target);
        bool last = i + 1 == pair->ntargets;
        buf_printf(out, "  %s%s%s", colour ? screen_outcome_colour(o) : "",
                   report_outcome_name(o), colour ? "\033[0m" : "");
        int used = (int)strlen(report_outcome_name(o));
        width = width < OUTCOME_WIDTH ? OUTCOME_WIDTH : width;
        for (; !last && used < width; used++)
            buf_putc(out, ' ');
    }
    buf_putc(out, '\n');
    buf_fini(&name);
}

static void put_matrix(struct buf *out, const struct report *report,
                       bool colour)
{
    const struct report_pair *first = &report->pairs[0];
    if (report->npairs < 2 || first->ntargets == 0)
        return;
    buf_printf(out, "\n  %-*s  %-10s", (int)NAME_WIDTH, "pair", "verdict");
    for (size_t i = 0; i < first->ntargets; i++)
        buf_printf(out, "  %-*s", i + 1 < first->ntargets ? OUTCOME_WIDTH : 0,
                   first->targets[i].target);
    buf_putc(out, '\n');
    for (size_t i = 0; i < report->npairs; i++)
        put_matrix_row(out, &report->pairs[i], colour);
}

static void write_one(const struct report *report, struct report_style style,
                      struct buf *out)
{
    enum report_verdict worst;
    if (!report_worst(report, &worst))
        return; /* the diagnostics have said it on standard error */
    struct screen screen = screen_make(out, style);
    for (size_t i = 0; i < report->npairs; i++) {
        if (i > 0)
            buf_putc(out, '\n');
        put_pair(&screen, report, &report->pairs[i]);
    }
    put_matrix(out, report, style.colour);
    if (report->npairs > 1)
        buf_printf(out, "\n%zu pairs, worst: %s\n", report->npairs,
                   report_verdict_name(worst));
}

static void write_text(const struct report_set *set, struct report_style style,
                       struct buf *out)
{
    size_t width = 0;
    if (set->gate != NULL) {
        report_put_gate(out, set, style);
        return;
    }
    if (!set->many && set->n == 1) {
        write_one(set->entries[0].report, style, out);
        return;
    }
    for (size_t i = 0; i < set->n; i++)
        width = report_name_width(set->entries[i].name, width);
    for (size_t i = 0; i < set->n; i++)
        report_put_rows(out, &set->entries[i], width, style);
    report_put_closing(out, set);
}

const struct report_writer report_text = {
    .name = "text",
    .summary = "for people (the default)",
    .machine = false,
    .write = write_text,
};
