/* SPDX-License-Identifier: Apache-2.0
 *
 * A report as one JSON object, schema 1. Keys once published keep their
 * meaning; docs/verdicts.md describes them. report_read.c reads it back.
 *
 * Floats are written in the shortest form that reads back as the same double;
 * values that JSON has no number for are the strings "nan", "inf", "-inf".
 * Only `time_s` depends on the clock.
 */
#include "reports/report_members.h"

static void put_value(struct json_writer *w, const char *key,
                      const struct report_value *v)
{
    if (v->kind == REPORT_V_NONE)
        return;
    json_put_key(w, key);
    switch (v->kind) {
    case REPORT_V_NONE: break;
    case REPORT_V_UNDEFINED: json_put_string(w, "undefined"); break;
    case REPORT_V_NOTHING: json_put_string(w, "nan"); break;
    case REPORT_V_BOX:
        json_begin_array(w);
        json_put_double(w, v->lo, false);
        json_put_double(w, v->hi, false);
        json_end_array(w);
        break;
    case REPORT_V_BITS:
        if (dtype_is_float(v->dtype))
            json_put_double(w, num_to_double(dtype_scalar(v->dtype), v->bits),
                            false);
        else if (v->dtype.code == DT_UINT)
            json_put_uint(w, v->bits);
        else
            json_put_int(w, (int64_t)v->bits);
        break;
    }
}

/* Of both values: they are of one element. */
static void put_type(struct json_writer *w, const struct report_witness *x)
{
    char name[48];
    struct dtype t =
        x->untuned.kind == REPORT_V_BITS ? x->untuned.dtype : x->tuned.dtype;
    if (x->untuned.kind == REPORT_V_BITS || x->tuned.kind == REPORT_V_BITS)
        report_json_put_text(w, "dtype", dtype_name(t, name));
}

static void put_terms(struct json_writer *w, const struct report_witness *x)
{
    if (!x->traced)
        return;
    json_put_key(w, "terms");
    json_begin_object(w);
    report_json_put_number(w, "untuned", x->terms_untuned);
    report_json_put_number(w, "tuned", x->terms_tuned);
    report_json_put_list(w, "missing", &x->missing);
    report_json_put_list(w, "extra", &x->extra);
    report_json_put_text(w, "order", x->order);
    json_put_key(w, "truncated");
    json_put_bool(w, x->trace_truncated);
    json_end_object(w);
}

static void put_ends(struct json_writer *w, const char *key, size_t n,
                     const int64_t *ends)
{
    json_put_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_put_int(w, ends[i]);
    json_end_array(w);
}

static void put_place(struct json_writer *w, const struct report_witness *x)
{
    if (!x->parameter)
        return;
    json_put_key(w, "parameter");
    json_put_string(w, x->parameter);
    report_json_put_number(w, "position", x->position);
    put_ends(w, "index", x->nindex, x->index);
}

static void put_extent(struct json_writer *w, const struct report_witness *x)
{
    json_put_key(w, "extent");
    json_begin_object(w);
    report_json_put_number(w, "compared", x->compared);
    report_json_put_number(w, "differing", x->differing);
    if (x->from != NULL) {
        put_ends(w, "from", x->nindex, x->from);
        put_ends(w, "to", x->nindex, x->to);
    }
    json_end_object(w);
}

static void put_witness(struct json_writer *w, const struct report_pair *pair)
{
    const struct report_witness *x = pair->witness;
    json_put_key(w, "witness");
    if (!x) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    json_put_key(w, "kind");
    json_put_string(w, x->kind);
    report_json_put_text(w, "function", pair->function);
    if (x->input) {
        report_json_put_text(w, "input", x->input);
        json_put_key(w, "seed");
        json_put_uint(w, x->seed);
        json_put_key(w, "shapes");
        json_begin_object(w);
        for (size_t i = 0; i < x->ndims; i++) {
            json_put_key(w, x->dims[i].name);
            json_put_int(w, x->dims[i].value);
        }
        json_end_object(w);
    }
    put_place(w, x);
    put_type(w, x);
    put_value(w, "untuned", &x->untuned);
    put_value(w, "tuned", &x->tuned);
    if (x->compared > 0)
        put_extent(w, x);
    report_json_put_text(w, "fault", x->fault);
    report_json_put_text(w, "message", x->message);
    report_json_put_text(w, "where", x->where);
    if (x->line > 0) {
        json_put_key(w, "line");
        json_put_uint(w, x->line);
    }
    report_json_put_text(w, "buffer", x->buffer);
    if (x->every_input)
        report_json_put_flag(w, "every_input", true);
    report_json_put_text(w, "smallest", x->smallest);
    if (x->before_differing > 0) {
        json_put_key(w, "differing_before");
        json_put_uint(w, x->before_differing);
    }
    put_terms(w, x);
    report_json_put_text(w, "command", pair->command);
    json_end_object(w);
}

/* Guilty statements of both sides. */
static void put_places(struct json_writer *w, const struct report_origin *x)
{
    json_put_key(w, "places");
    json_begin_array(w);
    for (size_t i = 0; i < x->nplaces; i++) {
        const struct report_place *p = &x->places[i];
        json_begin_object(w);
        report_json_put_text(w, "side", p->tuned ? "tuned" : "untuned");
        report_json_put_text(w, "file", p->file);
        if (p->line > 0) {
            json_put_key(w, "line");
            json_put_uint(w, p->line);
        }
        report_json_put_text(w, "statement", p->text);
        report_json_put_text(w, "variables", p->vars);
        report_json_put_text(w, "access", p->access);
        report_json_put_text(w, "thread", p->thread);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_origin(struct json_writer *w, const struct report_origin *x)
{
    if (x == NULL)
        return;
    json_put_key(w, "origin");
    json_begin_object(w);
    report_json_put_text(w, "element", x->element);
    report_json_put_text(w, "cause", x->cause);
    report_json_put_text(w, "untuned", x->formula_untuned);
    report_json_put_text(w, "tuned", x->formula_tuned);
    put_places(w, x);
    json_end_object(w);
}

static void put_distance(struct json_writer *w, const struct report_distance *d)
{
    report_json_put_number(w, "elements", d->elements);
    report_json_put_number(w, "differing", d->differing);
    json_put_key(w, "max_abs");
    json_put_double(w, d->max_abs, false);
    json_put_key(w, "mean_abs");
    json_put_double(w, d->mean_abs, false);
    report_json_put_number(w, "max_ulp", d->max_ulp);
}

static void put_kernel(struct json_writer *w, const char *key,
                       const struct report_kernel *k)
{
    json_put_key(w, key);
    json_begin_object(w);
    report_json_put_text(w, "outcome", report_outcome_name(k->outcome));
    report_json_put_text(w, "reason", k->reason);
    report_json_put_text(w, "hypothesis", k->hypothesis);
    report_json_put_number(w, "outputs", k->outputs);
    put_distance(w, &k->from_reference);
    json_end_object(w);
}

/* The larger of both kernels' distances, for those who want one number. */
static struct report_distance larger(const struct report_target *t)
{
    struct report_distance d = t->tuned.from_reference;
    const struct report_distance *u = &t->untuned.from_reference;
    d.elements += u->elements;
    d.differing += u->differing;
    d.max_abs = u->max_abs > d.max_abs ? u->max_abs : d.max_abs;
    d.mean_abs = u->mean_abs > d.mean_abs ? u->mean_abs : d.mean_abs;
    d.max_ulp = u->max_ulp > d.max_ulp ? u->max_ulp : d.max_ulp;
    return d;
}

static void put_targets(struct json_writer *w, const struct report_pair *pair)
{
    json_put_key(w, "targets");
    json_begin_array(w);
    for (size_t i = 0; i < pair->ntargets; i++) {
        const struct report_target *t = &pair->targets[i];
        json_begin_object(w);
        report_json_put_text(w, "target", t->target);
        report_json_put_text(w, "outcome", report_outcome_name(t->outcome));
        report_json_put_text(w, "reason", t->reason);
        report_json_put_text(w, "hypothesis", t->hypothesis);
        if (t->part)
            report_json_put_flag(w, "part", true);
        if (t->ran) {
            struct report_distance d = larger(t);
            json_put_key(w, "inputs");
            json_put_uint(w, t->inputs);
            put_distance(w, &d);
            json_put_key(w, "tuned_against_untuned");
            json_begin_object(w);
            put_distance(w, &t->between);
            json_end_object(w);
            put_kernel(w, "tuned", &t->tuned);
            put_kernel(w, "untuned", &t->untuned);
        }
        report_json_put_text(w, "detail", t->detail);
        json_put_key(w, "time_s");
        json_put_double(w, t->time_s, false);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_known(struct json_writer *w, const struct report_known *known)
{
    if (known == NULL)
        return;
    json_put_key(w, "known");
    json_begin_object(w);
    report_json_put_text(w, "reason", known->reason);
    report_json_put_text(w, "author", known->author);
    report_json_put_text(w, "until", known->until);
    report_json_put_text(w, "also", known->also);
    json_put_key(w, "exit");
    json_put_int(w, known->exit_code);
    json_end_object(w);
}

static void put_rounding(struct json_writer *w, const struct report_rounding *r)
{
    if (r == NULL)
        return;
    json_put_key(w, "rounding");
    json_begin_object(w);
    report_json_put_flag(w, "wider", r->wider);
    report_json_put_text(w, "reason", r->reason);
    report_json_put_text(w, "untuned", r->untuned);
    report_json_put_text(w, "tuned", r->tuned);
    json_end_object(w);
}

/* What a finding is known by, for those who read it; computed, not read back. */
static void put_rule(struct json_writer *w, const struct report_pair *pair)
{
    if (pair->exit_code == REPORT_EXIT_NOTHING && pair->known == NULL)
        return;
    struct arena *arena = arena_new();
    report_json_put_text(w, "rule", report_rule(arena, pair));
    report_json_put_text(w, "fingerprint", report_fingerprint(arena, pair));
    arena_free(arena);
}

static void put_pair(struct json_writer *w, const struct report *report,
                     const struct report_pair *pair)
{
    json_begin_object(w);
    report_json_put_text(w, "tuned", report->tuned);
    report_json_put_text(w, "untuned", report->untuned);
    report_json_put_list(w, "options", &report->options);
    report_json_put_text(w, "function", pair->function);
    report_json_put_text(w, "tuned_function", pair->tuned_function);
    report_json_put_text(w, "verdict", report_verdict_name(pair->verdict));
    report_json_put_text(w, "evidence", report_evidence_name(pair->evidence));
    report_json_put_flag(w, "finding", pair->exit_code == REPORT_EXIT_FINDING);
    json_put_key(w, "exit");
    json_put_int(w, pair->exit_code);
    report_json_put_text(w, "exit_because", pair->exit_because);
    put_rule(w, pair);
    report_json_put_text(w, "suspect", pair->suspect);
    json_put_key(w, "time_s");
    json_put_double(w, pair->time_s, false);
    if (pair->steps > 0) {
        json_put_key(w, "steps");
        json_put_uint(w, pair->steps);
    }
    put_known(w, pair->known);
    report_json_put_text(w, "again", pair->again);
    if (pair->expired)
        report_json_put_flag(w, "expired", true);
    report_json_put_text(w, "reason", pair->reason ? pair->reason : "");
    put_witness(w, pair);
    put_origin(w, pair->origin);
    put_rounding(w, pair->rounding);
    report_json_put_list(w, "assumptions", &pair->assumptions);
    if (pair->holds_for.n > 0)
        report_json_put_list(w, "holds_for", &pair->holds_for);
    report_json_put_list(w, "warnings", &pair->warnings);
    report_json_put_list(w, "notes", &pair->notes);
    if (pair->drift.n > 0)
        report_json_put_list(w, "drift", &pair->drift);
    report_json_put_text(w, "explanation", pair->explanation);
    report_json_put_text(w, "command", pair->command);
    report_json_put_text(w, "certificate_sha256", pair->certificate_hash);
    put_targets(w, pair);
    report_put_plots(w, pair);
    json_end_object(w);
}

static void put_errors(struct json_writer *w, const struct report *report)
{
    json_put_key(w, "errors");
    json_begin_array(w);
    for (size_t i = 0; i < report->nerrors; i++) {
        const struct report_error *e = &report->errors[i];
        json_begin_object(w);
        report_json_put_text(w, "code", e->code);
        report_json_put_text(w, "message", e->message);
        report_json_put_text(w, "file", e->file);
        if (e->line > 0) {
            json_put_key(w, "line");
            json_put_uint(w, e->line);
        }
        if (e->col > 0) {
            json_put_key(w, "column");
            json_put_uint(w, e->col);
        }
        report_json_put_text(w, "path", e->path);
        json_end_object(w);
    }
    json_end_array(w);
}

void report_put_head(struct json_writer *w)
{
    json_put_key(w, "schema");
    json_put_int(w, 1);
    report_json_put_text(w, "tool", "diffcheck");
    report_json_put_text(w, "version", DC_VERSION);
}

void report_put_object(struct json_writer *w, const struct report *report)
{
    enum report_verdict worst;
    json_begin_object(w);
    report_put_head(w);
    report_json_put_text(w, "tuned", report->tuned);
    report_json_put_text(w, "untuned", report->untuned);
    report_json_put_list(w, "options", &report->options);
    json_put_key(w, "verdict");
    if (report_worst(report, &worst))
        json_put_string(w, report_verdict_name(worst));
    else
        json_put_null(w);
    json_put_key(w, "exit");
    json_put_int(w, report->exit_code);
    report_json_put_text(w, "error", report->error);
    if (report->error)
        put_errors(w, report);
    json_put_key(w, "pairs");
    json_begin_array(w);
    for (size_t i = 0; i < report->npairs && !report->error; i++)
        put_pair(w, report, &report->pairs[i]);
    json_end_array(w);
    if (report->only_tuned.n > 0)
        report_json_put_list(w, "only_tuned", &report->only_tuned);
    if (report->only_untuned.n > 0)
        report_json_put_list(w, "only_untuned", &report->only_untuned);
    if (report->environment.n > 0)
        report_json_put_list(w, "environment", &report->environment);
    json_end_object(w);
}
