/* SPDX-License-Identifier: Apache-2.0
 *
 * What Ansor's steps say of a task whose text is not at hand. Its sketches split
 * each loop of a stage that reuses data into several levels, one step a loop with
 * the loop's extent in it, before they reorder them: the product of the extents is
 * the number of points of that stage. It reuses data because it is a sum of
 * products (NeedsMultilevelTiling in
 * src/auto_scheduler/search_policy of TVM 0.7 to 0.18), so each point is taken as one
 * multiplication and one addition.
 */
#include "audit/count/count.h"
#include "audit/record/record.h"

#include <string.h>

/* Levels of a loop that is tiled: three lengths and more, and the rest. */
#define TILED 3u

struct run {
    int64_t stage; /* -1: none is open */
    double points;
    bool tiled;
};

static void end_run(struct run *run, double *most)
{
    if (run->tiled && run->points > *most)
        *most = run->points;
    *run = (struct run){.stage = -1, .points = 1};
}

bool audit_steps_points(const struct audit_record *record, double *points)
{
    struct json_doc *doc = audit_record_parse(record, NULL);
    const struct json_value *steps =
        doc ? audit_record_steps(record, doc) : NULL;
    struct run run = {.stage = -1, .points = 1};
    *points = 0;
    for (const struct json_value *s =
             audit_json_is(steps, JSON_ARRAY) ? json_first(steps) : NULL;
         s; s = json_next(s)) {
        const char *code = audit_json_word(audit_json_at(s, 0));
        int64_t stage = audit_json_whole(audit_json_at(s, 1), -2),
                extent = audit_json_whole(audit_json_at(s, 3), 0);
        const struct json_value *lengths = audit_json_at(s, 4);
        if (code == NULL || strcmp(code, "SP") != 0 || stage != run.stage)
            end_run(&run, points);
        if (code == NULL || strcmp(code, "SP") != 0 || extent <= 0)
            continue;
        run.stage = stage;
        run.points *= (double)extent;
        run.tiled = run.tiled || (audit_json_is(lengths, JSON_ARRAY) &&
                                  json_size(lengths) >= TILED);
    }
    end_run(&run, points);
    json_free(doc);
    return *points > 0;
}

bool audit_count_steps(const struct audit_record *record, struct arena *arena,
                       struct audit_count *out)
{
    double points, bytes = 0;
    if (!audit_steps_points(record, &points))
        return false;
    /* Types are in no log of Ansor: float32 is what it tunes unless told. */
    out->source = AUDIT_STEPS;
    out->ops[AUDIT_MUL] = out->ops[AUDIT_ADD] = points;
    out->least[AUDIT_F32] = 2 * points;
    for (size_t i = 0; i < record->nargs; i++) {
        double n = 4;
        for (size_t k = 0; k < record->args[i].rank; k++)
            n *= (double)record->args[i].dims[k];
        bytes = n < 0 ? bytes : bytes + n;
    }
    out->bytes = bytes;
    out->how = arena_printf(arena,
                            "2 * %.0f points of the stage that its steps tile; "
                            "the log has no text of the task",
                            points);
    return true;
}
