/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole JSON report read back: the object of one comparison, or that of many,
 * whose `reports` have names. Which of the two it is the members say; anything
 * else is an error (report.member). What a gate says beside its reports is not
 * read: it is about that run.
 */
#include "reports/report_members.h"

#define MAX_REPORTS 4000000u

static bool refuse(const char *file, const char *path, const char *what,
                   struct diag_sink *sink)
{
    struct diag_loc loc = {.file = file, .path = path};
    return diag_error(sink, loc, "report.member", "%s", what);
}

static bool add(const struct json_value *v, const char *name, double time_s,
                const char *file, struct report_read_set *out,
                struct diag_sink *sink)
{
    struct report *report = report_read(v, file, sink);
    struct report_named e = {.report = report, .time_s = time_s};
    if (report == NULL)
        return false;
    e.name = name ? arena_strdup(report->arena, name) : NULL;
    vec_push(out, e);
    return true;
}

static bool read_many(const struct json_value *list, const char *file,
                      struct report_read_set *out, struct diag_sink *sink)
{
    if (json_type(list) != JSON_ARRAY || json_size(list) > MAX_REPORTS)
        return refuse(file, "reports", "'reports' is no list of reports", sink);
    for (const struct json_value *m = json_first(list); m != NULL;
         m = json_next(m)) {
        const struct json_value *name = json_find(m, "name");
        const struct json_value *report = json_find(m, "report");
        const struct json_value *time = json_find(m, "time_s");
        double time_s = 0;
        if (report == NULL || name == NULL || json_string(name) == NULL)
            return refuse(file, "reports",
                          "a member of 'reports' has no name or no report",
                          sink);
        if (time != NULL && !report_json_is_seconds(time, &time_s))
            return refuse(file, "reports", "'time_s' is no time", sink);
        if (!add(report, json_string(name), time_s, file, out, sink))
            return false;
    }
    return true;
}

bool report_json_set(const struct json_value *root, const char *file,
                     struct report_read_set *out, struct diag_sink *sink)
{
    const struct json_value *many = json_find(root, "reports");
    if (many != NULL)
        return read_many(many, file, out, sink);
    if (json_find(root, "pairs") == NULL)
        return refuse(file, "pairs", "has neither 'reports' nor 'pairs'", sink);
    return add(root, NULL, 0, file, out, sink);
}

bool report_set_read(const char *text, size_t len, const char *file,
                     struct report_read_set *out, struct diag_sink *sink)
{
    struct json_doc *doc = json_parse(text, len, file, sink);
    bool fine = doc != NULL && report_json_set(json_root(doc), file, out, sink);
    json_free(doc);
    return fine;
}

void report_set_fini(struct report_read_set *set)
{
    for (size_t i = 0; i < set->len; i++)
        report_free(set->items[i].report);
    vec_fini(set);
}
