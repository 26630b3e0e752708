/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0 (OASIS), as code scanning services read it: a result a finding or
 * undecided pair, its rule the verdict and what kind of fault it is, its place
 * the statement of the tuned file where that has lines, beside it those of the
 * untuned one; a race has a flow for each of its two threads.
 *
 * The fingerprint (report_finding.c) stays when something else of the file
 * changes. What a gate has accepted is suppressed and a note.
 *
 * A service takes no file beyond its limits, which are GitHub's here: results come
 * worst first, and those that do not fit are counted in a notification. It takes
 * ten million bytes compressed; uncompressed that many are never more.
 */
#include "reports/reports.h"

#include <string.h>

#define MOST_RESULTS  25000u
#define SHOWN_RESULTS 5000u
#define MOST_BYTES    10000000u
#define END_BYTES     20000u /* of them for what comes after the results */
#define MOST_PLACES   100u   /* of a result, or of a flow */
#define MOST_TEXT     1000u  /* bytes of a message */
#define INDENT_UP_TO  1000u  /* results: beyond, blanks are left out */

enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_NOTE, NLEVELS };
static const char *const level_names[NLEVELS] = {"error", "warning", "note"};

struct sarif {
    struct json_writer w;
    struct arena *arena;
    const struct report_set *set;
    struct VEC(const char *) rules; /* that have results, as they come up */
    size_t written, left;           /* results */
};

static size_t rule_index(struct sarif *s, const char *id)
{
    for (size_t i = 0; i < s->rules.len; i++)
        if (strcmp(s->rules.items[i], id) == 0)
            return i;
    vec_push(&s->rules, id);
    return s->rules.len - 1;
}

/* {"text": "…"} under a key; of a long one its beginning, and how much is cut. */
static void put_message(struct json_writer *w, const char *key,
                        const char *text)
{
    struct buf cut = {0};
    size_t len = strlen(text), keep = utf8_cut(text, len, MOST_TEXT);
    if (len > MOST_TEXT) {
        buf_append(&cut, text, keep);
        buf_printf(&cut, "… (%zu bytes more)", len - keep);
    }
    json_put_key(w, key);
    json_begin_object(w);
    json_put_member(w, "text", len > MOST_TEXT ? buf_text(&cut) : text);
    json_end_object(w);
    buf_fini(&cut);
}

/* A path as a URI: what RFC 3986 has another meaning for is escaped. */
static void put_uri(struct json_writer *w, const char *path)
{
    struct buf uri = {0};
    buf_puts(&uri, path[0] == '/' ? "file://" : "");
    for (const char *c = path; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-._~/", *c) != NULL;
        if (plain)
            buf_putc(&uri, *c);
        else
            buf_printf(&uri, "%%%02X", (unsigned)(unsigned char)*c);
    }
    json_put_member(w, "uri", buf_text(&uri));
    buf_fini(&uri);
}

/* Services show no result without a line. */
static void put_physical(struct json_writer *w, const char *file, uint32_t line)
{
    json_put_key(w, "physicalLocation");
    json_begin_object(w);
    json_put_key(w, "artifactLocation");
    json_begin_object(w);
    put_uri(w, file ? file : "-");
    json_end_object(w);
    json_put_key(w, "region");
    json_begin_object(w);
    json_put_key(w, "startLine");
    json_put_uint(w, line > 0 ? line : 1);
    json_end_object(w);
    json_end_object(w);
}

static void put_location(struct json_writer *w, const char *file, uint32_t line,
                         const char *function)
{
    json_put_key(w, "locations");
    json_begin_array(w);
    json_begin_object(w);
    put_physical(w, file, line);
    if (function != NULL) {
        json_put_key(w, "logicalLocations");
        json_begin_array(w);
        json_begin_object(w);
        json_put_member(w, "name", function);
        json_put_member(w, "kind", "function");
        json_end_object(w);
        json_end_array(w);
    }
    json_end_object(w);
    json_end_array(w);
}

/* ---- places -------------------------------------------------------------------- */

/* "read by threadIdx.x 15: sum[i] = …; with i = 7". */
static void put_place(struct json_writer *w, const struct report_place *p)
{
    struct buf text = {0};
    buf_puts(&text, p->access ? p->access : p->tuned ? "tuned" : "untuned");
    if (p->thread != NULL)
        buf_printf(&text, " by %s", p->thread);
    buf_printf(&text, ": %s", p->text ? p->text : "a statement");
    if (p->vars != NULL && *p->vars)
        buf_printf(&text, "; with %s", p->vars);
    if (p->file == NULL && p->line > 0)
        buf_printf(&text, " (line %u of what diffcheck show prints)", p->line);
    if (p->file != NULL)
        put_physical(w, p->file, p->line);
    put_message(w, "message", buf_text(&text));
    buf_fini(&text);
}

static void put_flow(struct json_writer *w, const struct report_place *p,
                     size_t number)
{
    char id[32];
    (void)snprintf(id, sizeof id, "access %zu", number);
    json_begin_object(w);
    json_put_member(w, "id", id);
    if (p->thread != NULL)
        put_message(w, "message", p->thread);
    json_put_key(w, "locations");
    json_begin_array(w);
    json_begin_object(w);
    json_put_key(w, "location");
    json_begin_object(w);
    put_place(w, p);
    json_end_object(w);
    json_end_object(w);
    json_end_array(w);
    json_end_object(w);
}

/* The two accesses, each in its own thread: nothing says which comes first. */
static void put_race(struct json_writer *w, const struct report_origin *o)
{
    json_put_key(w, "codeFlows");
    json_begin_array(w);
    json_begin_object(w);
    put_message(w, "message", o->cause ? o->cause : "nothing orders the two");
    json_put_key(w, "threadFlows");
    json_begin_array(w);
    for (size_t i = 0; i < 2; i++)
        put_flow(w, &o->places[i], i + 1);
    json_end_array(w);
    json_end_object(w);
    json_end_array(w);
}

/* Other statements that have to do with it; how many are left out. */
static size_t put_related(struct json_writer *w, const struct report_origin *o)
{
    size_t n = o != NULL ? o->nplaces : 0;
    size_t most = n < MOST_PLACES ? n : MOST_PLACES;
    if (n == 0)
        return 0;
    json_put_key(w, "relatedLocations");
    json_begin_array(w);
    for (size_t i = 0; i < most; i++) {
        json_begin_object(w);
        json_put_key(w, "id");
        json_put_uint(w, i + 1);
        put_place(w, &o->places[i]);
        json_end_object(w);
    }
    json_end_array(w);
    return n - most;
}

/* ---- results ------------------------------------------------------------------- */

static void put_fingerprint(struct json_writer *w, const char *hash)
{
    json_put_key(w, "partialFingerprints");
    json_begin_object(w);
    json_put_member(w, "diffcheck/v1", hash);
    json_end_object(w);
}

/* Of a gate: whether the finding is one of this run, and of an accepted one why
 * and until when. No `status` of it: drafts that are in use refuse it. */
static void put_state(struct json_writer *w, const struct report_set *set,
                      const struct report_pair *p)
{
    struct buf text = {0};
    if (set->gate == NULL)
        return;
    json_put_member(w, "baselineState",
                    p->known != NULL   ? "unchanged"
                    : p->again != NULL ? "updated"
                                       : "new");
    if (p->known == NULL)
        return;
    report_put_known(&text, p->known);
    json_put_key(w, "suppressions");
    json_begin_array(w);
    json_begin_object(w);
    json_put_member(w, "kind", "external");
    json_put_member(w, "justification", buf_text(&text));
    json_end_object(w);
    json_end_array(w);
    buf_fini(&text);
}

static void put_properties(struct json_writer *w, const struct report_entry *e,
                           const struct report_pair *p, size_t left)
{
    json_put_key(w, "properties");
    json_begin_object(w);
    json_put_member(w, "pair", e->name);
    json_put_member(w, "function", p->function);
    json_put_member(w, "verdict", report_verdict_name(p->verdict));
    json_put_member(w, "evidence", report_evidence_name(p->evidence));
    if (p->witness && p->witness->input) {
        json_put_key(w, "seed");
        json_put_uint(w, p->witness->seed);
    }
    if (p->command)
        json_put_member(w, "reproduce", p->command);
    if (p->certificate_hash)
        json_put_member(w, "certificateSha256", p->certificate_hash);
    if (left > 0) {
        json_put_key(w, "locationsLeftOut");
        json_put_uint(w, left);
    }
    json_put_key(w, "assumptions");
    json_begin_array(w);
    for (size_t i = 0; i < p->assumptions.n; i++)
        json_put_string(w, p->assumptions.items[i]);
    json_end_array(w);
    json_end_object(w);
}

static void begin_result(struct sarif *s, const char *rule, enum level level,
                         const char *message)
{
    struct json_writer *w = &s->w;
    json_begin_object(w);
    json_put_member(w, "ruleId", rule);
    json_put_key(w, "ruleIndex");
    json_put_uint(w, rule_index(s, rule));
    json_put_member(w, "level", level_names[level]);
    put_message(w, "message", message);
}

static void put_pair(struct sarif *s, const struct report_entry *e,
                     const struct report_pair *p, enum level level)
{
    struct json_writer *w = &s->w;
    struct buf text = {0};
    size_t left = 0;
    buf_printf(&text, "%s: ", p->function);
    report_put_sentence(&text, p);
    if (p->again != NULL)
        buf_printf(&text, " (%s)", p->again);
    begin_result(s, report_rule(s->arena, p), level, buf_text(&text));
    put_location(w, e->report->tuned, report_line(e->report, p), p->function);
    if (report_is_race(p->origin)) /* which has flows instead */
        put_race(w, p->origin);
    else
        left = put_related(w, p->origin);
    put_fingerprint(w, report_fingerprint(s->arena, p));
    put_state(w, s->set, p);
    put_properties(w, e, p, left);
    json_end_object(w);
    buf_fini(&text);
}

/* All that is wrong with a pair of files, at the first place that is known. */
static void put_error(struct sarif *s, const struct report_entry *e)
{
    const struct report *r = e->report;
    const struct report_error *at = NULL;
    struct buf hash = {0}, text = {0};
    buf_puts(&text, r->nerrors > 0 ? "" : r->error);
    for (size_t i = 0; i < r->nerrors; i++) {
        const struct report_error *x = &r->errors[i];
        at = at == NULL && x->file != NULL ? x : at;
        buf_printf(&text, "%s%s [%s]", i > 0 ? "; " : "", x->message, x->code);
        if (x->path != NULL)
            buf_printf(&text, " at %s", x->path);
    }
    begin_result(s, "input", LEVEL_ERROR, buf_text(&text));
    put_location(&s->w, at ? at->file : r->tuned, at ? at->line : 0, NULL);
    report_put_hash(&hash, "input", e->name, r->error);
    put_fingerprint(&s->w, buf_text(&hash));
    if (s->set->gate != NULL)
        json_put_member(&s->w, "baselineState", "new");
    json_end_object(&s->w);
    buf_fini(&hash);
    buf_fini(&text);
}

/* One result, or nothing of it and the count of those left out. */
static void put_result(struct sarif *s, const struct report_entry *e,
                       const struct report_pair *p, enum level level)
{
    const struct json_writer before = s->w;
    size_t len = s->w.out->len, rules = s->rules.len;
    if (s->written < MOST_RESULTS) {
        if (p != NULL)
            put_pair(s, e, p, level);
        else
            put_error(s, e);
        if (s->w.out->len <= MOST_BYTES - END_BYTES) {
            s->written++;
            return;
        }
        s->w = before;
        s->rules.len = rules;
        s->w.out->len = len;
        s->w.out->data[len] = '\0';
    }
    s->left++;
}

static enum level level_of(const struct report_pair *p)
{
    return p->known != NULL                        ? LEVEL_NOTE
           : p->exit_code == REPORT_EXIT_UNDECIDED ? LEVEL_WARNING
                                                   : LEVEL_ERROR;
}

static void put_level(struct sarif *s, enum level level)
{
    for (size_t i = 0; i < s->set->n; i++) {
        const struct report_entry *e = &s->set->entries[i];
        if (e->report->error != NULL) {
            if (level == LEVEL_ERROR)
                put_result(s, e, NULL, level);
            continue;
        }
        for (size_t k = 0; k < e->report->npairs; k++) {
            const struct report_pair *p = &e->report->pairs[k];
            bool told = p->exit_code != REPORT_EXIT_NOTHING || p->known != NULL;
            if (told && level_of(p) == level)
                put_result(s, e, p, level);
        }
    }
}

static void put_results(struct sarif *s)
{
    json_put_key(&s->w, "results");
    json_begin_array(&s->w);
    for (size_t level = 0; level < NLEVELS; level++)
        put_level(s, (enum level)level);
    json_end_array(&s->w);
}

/* ---- the run ------------------------------------------------------------------- */

/* What a rule says of itself: its verdict's meaning. */
static const char *rule_meaning(const char *id)
{
    enum report_verdict v;
    if (strcmp(id, "input") == 0)
        return "the pair could not be read";
    if (strcmp(id, "undecided") == 0)
        return "not decided, or on weaker evidence than is asked for";
    if (strncmp(id, "target/", 7) == 0)
        return "a target does not compute what the module says";
    return report_verdict_parse(id, strcspn(id, "/"), &v)
               ? report_verdict_meaning(v)
               : "a finding";
}

static void put_rule(struct json_writer *w, const char *id)
{
    const char *meaning = rule_meaning(id);
    json_begin_object(w);
    json_put_member(w, "id", id);
    put_message(w, "shortDescription", meaning);
    put_message(w, "fullDescription", meaning);
    put_message(w, "help", "docs/verdicts.md says what each verdict claims");
    json_end_object(w);
}

static void put_tool(struct sarif *s)
{
    struct json_writer *w = &s->w;
    json_put_key(w, "tool");
    json_begin_object(w);
    json_put_key(w, "driver");
    json_begin_object(w);
    json_put_member(w, "name", "diffcheck");
    json_put_member(w, "version", DC_VERSION);
    json_put_key(w, "rules");
    json_begin_array(w);
    for (size_t i = 0; i < s->rules.len; i++)
        put_rule(w, s->rules.items[i]);
    json_end_array(w);
    json_end_object(w);
    json_end_object(w);
}

static void put_notification(struct json_writer *w, const char *level,
                             const char *text)
{
    json_begin_object(w);
    json_put_member(w, "level", level);
    put_message(w, "message", text);
    json_end_object(w);
}

/* How it ended, and what a reader does not see. */
static void put_invocation(struct sarif *s)
{
    struct json_writer *w = &s->w;
    int status = report_exit_of(s->set);
    json_put_key(w, "invocations");
    json_begin_array(w);
    json_begin_object(w);
    json_put_key(w, "executionSuccessful");
    json_put_bool(w, status != REPORT_EXIT_USAGE &&
                         status != REPORT_EXIT_INTERNAL);
    json_put_key(w, "exitCode");
    json_put_int(w, status);
    json_put_key(w, "toolExecutionNotifications");
    json_begin_array(w);
    if (s->left > 0)
        put_notification(
            w, "warning",
            arena_printf(s->arena,
                         "%zu more results are left out: a service takes %u, "
                         "and %u bytes",
                         s->left, MOST_RESULTS, MOST_BYTES));
    if (s->written > SHOWN_RESULTS)
        put_notification(w, "note",
                         arena_printf(s->arena,
                                      "a service may show %u of %zu results",
                                      SHOWN_RESULTS, s->written + s->left));
    json_end_array(w);
    json_end_object(w);
    json_end_array(w);
}

static int indent_of(const struct report_set *set)
{
    struct report_counts c;
    report_count(set, &c);
    return c.pairs - c.fine <= INDENT_UP_TO ? 2 : 0;
}

static void write_sarif(const struct report_set *set, struct report_style style,
                        struct buf *out)
{
    struct sarif s = {.w = {.out = out, .indent = indent_of(set)},
                      .arena = arena_new(),
                      .set = set};
    (void)style;
    json_begin_object(&s.w);
    json_put_member(&s.w, "version", "2.1.0");
    json_put_member(
        &s.w, "$schema",
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
        "schemas/sarif-schema-2.1.0.json");
    json_put_key(&s.w, "runs");
    json_begin_array(&s.w);
    json_begin_object(&s.w);
    put_results(&s); /* which finds the rules */
    put_tool(&s);
    put_invocation(&s);
    json_put_member(&s.w, "columnKind", "utf16CodeUnits");
    json_end_object(&s.w);
    json_end_array(&s.w);
    json_end_object(&s.w);
    buf_putc(out, '\n');
    vec_fini(&s.rules);
    arena_free(s.arena);
}

const struct report_writer report_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0 for code scanning",
    .machine = true,
    .write = write_sarif,
};
