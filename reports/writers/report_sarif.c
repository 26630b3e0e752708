/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0 (OASIS), as code scanning services read it: a result a finding or
 * undecided pair, its rule the verdict and what kind of fault it is, its place
 * the statement of the tuned file where that has lines.
 *
 * The fingerprint (report_finding.c) stays when something else of the file
 * changes. What a gate has accepted is suppressed and a note. GitHub shows at most 5000
 * results of an upload; all are written here.
 */
#include "reports/reports.h"

#include <string.h>

/* Rules that have results, in the order in which they come up. */
struct rules {
    struct arena *arena;
    struct VEC(const char *) ids;
};

static size_t rule_index(struct rules *r, const char *id)
{
    for (size_t i = 0; i < r->ids.len; i++)
        if (strcmp(r->ids.items[i], id) == 0)
            return i;
    vec_push(&r->ids, id);
    return r->ids.len - 1;
}

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    json_put_key(w, key);
    json_put_string(w, text);
}

/* {"text": "…"} under a key. */
static void put_message(struct json_writer *w, const char *key,
                        const char *text)
{
    json_put_key(w, key);
    json_begin_object(w);
    put_text(w, "text", text);
    json_end_object(w);
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
    put_text(w, "uri", buf_text(&uri));
    buf_fini(&uri);
}

static void put_location(struct json_writer *w, const struct report *r,
                         const struct report_pair *p)
{
    uint32_t line = report_line(r, p);
    json_put_key(w, "locations");
    json_begin_array(w);
    json_begin_object(w);
    json_put_key(w, "physicalLocation");
    json_begin_object(w);
    json_put_key(w, "artifactLocation");
    json_begin_object(w);
    put_uri(w, r->tuned ? r->tuned : "-");
    json_end_object(w);
    json_put_key(w, "region");
    json_begin_object(w);
    json_put_key(w, "startLine"); /* services show no result without one */
    json_put_uint(w, line > 0 ? line : 1);
    json_end_object(w);
    json_end_object(w);
    json_end_object(w);
    json_end_array(w);
}

static void put_fingerprint(struct json_writer *w, const char *hash)
{
    json_put_key(w, "partialFingerprints");
    json_begin_object(w);
    put_text(w, "diffcheck/v1", hash);
    json_end_object(w);
}

/* Of a gate: whether the finding is one of this run, and of an accepted one why
 * and until when. */
static void put_state(struct json_writer *w, const struct report_set *set,
                      const struct report_pair *p)
{
    struct buf text = {0};
    if (set->gate == NULL)
        return;
    put_text(w, "baselineState",
             p->known != NULL   ? "unchanged"
             : p->again != NULL ? "updated"
                                : "new");
    if (p->known == NULL)
        return;
    report_put_known(&text, p->known);
    json_put_key(w, "suppressions");
    json_begin_array(w);
    json_begin_object(w);
    put_text(w, "kind", "external");
    put_text(w, "status", "accepted");
    put_text(w, "justification", buf_text(&text));
    json_end_object(w);
    json_end_array(w);
    buf_fini(&text);
}

static void put_properties(struct json_writer *w, const struct report_entry *e,
                           const struct report_pair *p)
{
    json_put_key(w, "properties");
    json_begin_object(w);
    put_text(w, "pair", e->name);
    put_text(w, "function", p->function);
    put_text(w, "verdict", report_verdict_name(p->verdict));
    put_text(w, "evidence", report_evidence_name(p->evidence));
    if (p->witness && p->witness->input) {
        json_put_key(w, "seed");
        json_put_uint(w, p->witness->seed);
    }
    if (p->command)
        put_text(w, "reproduce", p->command);
    json_put_key(w, "assumptions");
    json_begin_array(w);
    for (size_t i = 0; i < p->assumptions.n; i++)
        json_put_string(w, p->assumptions.items[i]);
    json_end_array(w);
    json_end_object(w);
}

static void begin_result(struct json_writer *w, struct rules *rules,
                         const char *rule, const char *level,
                         const char *message)
{
    json_begin_object(w);
    put_text(w, "ruleId", rule);
    json_put_key(w, "ruleIndex");
    json_put_uint(w, rule_index(rules, rule));
    put_text(w, "level", level);
    put_message(w, "message", message);
}

static void put_pair(struct json_writer *w, struct rules *rules,
                     const struct report_set *set, const struct report_entry *e,
                     const struct report_pair *p)
{
    struct buf text = {0};
    if (p->exit_code == REPORT_EXIT_NOTHING && p->known == NULL)
        return;
    buf_printf(&text, "%s: ", p->function);
    report_put_sentence(&text, p);
    if (p->again != NULL)
        buf_printf(&text, " (%s)", p->again);
    begin_result(w, rules, report_rule(rules->arena, p),
                 p->known != NULL                        ? "note"
                 : p->exit_code == REPORT_EXIT_UNDECIDED ? "warning"
                                                         : "error",
                 buf_text(&text));
    put_location(w, e->report, p);
    put_fingerprint(w, report_fingerprint(rules->arena, p));
    put_state(w, set, p);
    put_properties(w, e, p);
    json_end_object(w);
    buf_fini(&text);
}

static void put_error(struct json_writer *w, struct rules *rules,
                      const struct report_set *set,
                      const struct report_entry *e)
{
    struct buf hash = {0};
    begin_result(w, rules, "input", "error", e->report->error);
    put_location(w, e->report, NULL);
    report_put_hash(&hash, "input", e->name, e->report->error);
    put_fingerprint(w, buf_text(&hash));
    if (set->gate != NULL)
        put_text(w, "baselineState", "new");
    json_end_object(w);
    buf_fini(&hash);
}

static void put_results(struct json_writer *w, struct rules *rules,
                        const struct report_set *set)
{
    json_put_key(w, "results");
    json_begin_array(w);
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        if (e->report->error != NULL)
            put_error(w, rules, set, e);
        for (size_t k = 0; k < e->report->npairs && !e->report->error; k++)
            put_pair(w, rules, set, e, &e->report->pairs[k]);
    }
    json_end_array(w);
}

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

static void put_tool(struct json_writer *w, const struct rules *rules)
{
    json_put_key(w, "tool");
    json_begin_object(w);
    json_put_key(w, "driver");
    json_begin_object(w);
    put_text(w, "name", "diffcheck");
    put_text(w, "version", DC_VERSION);
    json_put_key(w, "rules");
    json_begin_array(w);
    for (size_t i = 0; i < rules->ids.len; i++) {
        json_begin_object(w);
        put_text(w, "id", rules->ids.items[i]);
        put_message(w, "shortDescription", rule_meaning(rules->ids.items[i]));
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
    json_end_object(w);
}

static void write_sarif(const struct report_set *set, struct report_style style,
                        struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    struct rules rules = {.arena = arena_new()};
    (void)style;
    json_begin_object(&w);
    put_text(&w, "version", "2.1.0");
    put_text(&w, "$schema",
             "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
             "schemas/sarif-schema-2.1.0.json");
    json_put_key(&w, "runs");
    json_begin_array(&w);
    json_begin_object(&w);
    put_results(&w, &rules, set); /* which finds the rules */
    put_tool(&w, &rules);
    put_text(&w, "columnKind", "utf16CodeUnits");
    json_end_object(&w);
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(out, '\n');
    vec_fini(&rules.ids);
    arena_free(rules.arena);
}

const struct report_writer report_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0 for code scanning",
    .machine = true,
    .write = write_sarif,
};
