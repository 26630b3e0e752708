/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report: the object of one comparison (report_object.c); of many, an
 * object that holds theirs with their names and the counts.
 */
#include "reports/reports.h"

static void put_counts(struct json_writer *w, const struct report_set *set)
{
    struct report_counts c;
    report_count(set, &c);
    json_put_key(w, "counts");
    json_begin_object(w);
    json_put_key(w, "pairs");
    json_put_uint(w, c.pairs);
    json_put_key(w, "findings");
    json_put_uint(w, c.findings);
    json_put_key(w, "undecided");
    json_put_uint(w, c.undecided);
    json_put_key(w, "errors");
    json_put_uint(w, c.errors);
    if (set->gate != NULL) {
        json_put_key(w, "known");
        json_put_uint(w, c.known);
    }
    for (size_t v = 0; v < REPORT_NVERDICTS; v++) {
        json_put_key(w, report_verdict_name((enum report_verdict)v));
        json_put_uint(w, c.verdict[v]);
    }
    json_end_object(w);
}

static void put_names(struct json_writer *w, const char *key,
                      const struct report_list *names)
{
    json_put_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < names->n; i++)
        json_put_string(w, names->items[i]);
    json_end_array(w);
}

static void put_gone(struct json_writer *w, const struct report_gate *gate)
{
    json_put_key(w, "fixed");
    json_begin_array(w);
    for (size_t i = 0; i < gate->ngone; i++) {
        const struct report_gone *g = &gate->gone[i];
        json_begin_object(w);
        json_put_key(w, "name");
        json_put_string(w, g->name);
        json_put_key(w, "function");
        json_put_string(w, g->function);
        json_put_key(w, "was");
        json_put_string(w, report_verdict_name(g->was));
        json_put_key(w, "now");
        json_put_string(w, g->now);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_gate(struct json_writer *w, const struct report_gate *gate)
{
    if (gate == NULL)
        return;
    json_put_key(w, "gate");
    json_begin_object(w);
    if (gate->before == NULL) {
        const struct {
            const char *key;
            size_t n;
        } counts[] = {{"kernels", gate->kernels},
                      {"unchanged", gate->unchanged},
                      {"stored", gate->stored},
                      {"checked", gate->checked},
                      {"not_looked_at", gate->unseen}};
        for (size_t i = 0; i < DC_ARRAY_LEN(counts); i++) {
            json_put_key(w, counts[i].key);
            json_put_uint(w, counts[i].n);
        }
        put_names(w, "added", &gate->added);
        put_names(w, "removed", &gate->removed);
    }
    put_gone(w, gate);
    json_end_object(w);
}

static void put_many(struct json_writer *w, const struct report_set *set)
{
    json_begin_object(w);
    report_put_head(w);
    json_put_key(w, "exit");
    json_put_int(w, report_exit_of(set));
    json_put_key(w, "time_s");
    json_put_double(w, set->time_s, false);
    put_counts(w, set);
    put_gate(w, set->gate);
    report_put_shard_object(w, set);
    json_put_key(w, "reports");
    json_begin_array(w);
    for (size_t i = 0; i < set->n; i++) {
        json_begin_object(w);
        json_put_key(w, "name");
        json_put_string(w, set->entries[i].name);
        json_put_key(w, "time_s");
        json_put_double(w, set->entries[i].time_s, false);
        json_put_key(w, "report");
        report_put_object(w, set->entries[i].report);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void write_json(const struct report_set *set, struct report_style style,
                       struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    (void)style;
    if (set->many || set->n != 1)
        put_many(&w, set);
    else
        report_put_object(&w, set->entries[0].report);
    buf_putc(out, '\n');
}

const struct report_writer report_json = {
    .name = "json",
    .summary = "one JSON object, schema 1",
    .machine = true,
    .write = write_json,
};
