/* SPDX-License-Identifier: Apache-2.0
 *
 * A report read back from its JSON object (report_object.c): for those who have
 * the reports of other processes, machines or days in hand, and write them in
 * another format.
 *
 * What is read is not trusted: a member of another type than it should have, an
 * unknown word, a number out of range are errors that name the path. Members
 * that nobody knows are left out, so that reports of later versions are read.
 * Certificates are not part of the object.
 */
#include "reports/report_members.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_PAIRS 100000u /* of a report: more is no report of ours */

/* A double, or one of the strings that stand for what JSON has no number for. */
static bool get_double(const struct json_value *m, double *out)
{
    static const struct {
        const char *name;
        double value;
    } words[] = {{"nan", (double)NAN},
                 {"inf", (double)INFINITY},
                 {"-inf", -(double)INFINITY}};
    if (json_type(m) == JSON_NUMBER)
        return json_double(m, out);
    for (size_t i = 0; json_type(m) == JSON_STRING && i < DC_ARRAY_LEN(words);
         i++) {
        if (strcmp(json_string(m), words[i].name) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

static double double_of(struct report_reading *r, const struct json_value *v,
                        const char *key)
{
    const struct json_value *m = json_find(v, key);
    double x = 0;
    if (m != NULL && !get_double(m, &x))
        report_json_refuse(r, key, "a number");
    return x;
}

static double seconds_of(struct report_reading *r, const struct json_value *v)
{
    const struct json_value *m = json_find(v, "time_s");
    double x = 0;
    if (m != NULL && !report_json_is_seconds(m, &x))
        report_json_refuse(r, "time_s", "a time");
    return x;
}

static enum report_outcome outcome_of(struct report_reading *r,
                                      const struct json_value *v)
{
    enum report_outcome o = REPORT_ERROR;
    const char *text = report_json_text(r, v, "outcome");
    if (text == NULL || !report_outcome_parse(text, strlen(text), &o))
        report_json_refuse(r, "outcome", "an outcome");
    return o;
}

/* ---- counterexamples ---------------------------------------------------------- */

static bool bits_of(const struct json_value *m, struct dtype t, uint64_t *bits)
{
    unsigned flags = 0;
    double x;
    if (dtype_is_float(t)) {
        if (!get_double(m, &x))
            return false;
        *bits = num_from_double(t, x, &flags);
        return true;
    }
    int64_t n;
    bool high = false;
    if (json_type(m) != JSON_NUMBER || !json_int(m, &n, &high))
        return false;
    *bits = (uint64_t)n;
    return true;
}

static void value_of(struct report_reading *r, const struct json_value *v,
                     const char *key, const struct dtype *type,
                     struct report_value *out)
{
    const struct json_value *m = json_find(v, key);
    const char *word = m ? json_string(m) : NULL;
    if (m == NULL)
        return;
    if (word != NULL && strcmp(word, "undefined") == 0) {
        out->kind = REPORT_V_UNDEFINED;
    } else if (json_type(m) == JSON_ARRAY) {
        const struct json_value *lo = json_first(m);
        const struct json_value *hi = lo ? json_next(lo) : NULL;
        out->kind = REPORT_V_BOX;
        if (hi == NULL || !get_double(lo, &out->lo) ||
            !get_double(hi, &out->hi))
            report_json_refuse(r, key, "an enclosure");
    } else if (type != NULL) {
        out->kind = REPORT_V_BITS;
        out->dtype = *type;
        if (!bits_of(m, *type, &out->bits))
            report_json_refuse(r, key, "a value of its type");
    } else {
        out->kind = REPORT_V_NOTHING;
    }
}

/* A list of whole numbers, *n of them; NULL if there is none. */
static int64_t *numbers_of(struct report_reading *r, const struct json_value *v,
                           const char *key, size_t *n)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_ARRAY);
    if (m == NULL)
        return NULL;
    int64_t *out = ARENA_ARRAY(r->arena, json_size(m) + 1, int64_t);
    *n = 0;
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        if (json_type(m) != JSON_NUMBER || !json_int(m, &out[(*n)++], NULL)) {
            report_json_refuse(r, key, "a list of whole numbers");
            return NULL;
        }
    }
    return out;
}

static void extent_of(struct report_reading *r, const struct json_value *v,
                      struct report_witness *w)
{
    const struct json_value *m =
        report_json_member(r, v, "extent", JSON_OBJECT);
    size_t nfrom = w->nindex, nto = w->nindex;
    if (m == NULL)
        return;
    w->compared = (size_t)report_json_whole(r, m, "compared", SIZE_MAX);
    w->differing = (size_t)report_json_whole(r, m, "differing", SIZE_MAX);
    w->from = numbers_of(r, m, "from", &nfrom);
    w->to = numbers_of(r, m, "to", &nto);
    if (nfrom != w->nindex || nto != w->nindex ||
        (w->from == NULL) != (w->to == NULL))
        report_json_refuse(r, "extent", "of as many axes as the index");
}

static void dims_of(struct report_reading *r, const struct json_value *v,
                    struct report_witness *w)
{
    const struct json_value *m =
        report_json_member(r, v, "shapes", JSON_OBJECT);
    if (m == NULL)
        return;
    w->dims = ARENA_ARRAY(r->arena, json_size(m) + 1, struct report_dim);
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        struct report_dim *d = &w->dims[w->ndims++];
        d->name = arena_strdup(r->arena, json_key(m));
        if (json_type(m) != JSON_NUMBER || !json_int(m, &d->value, NULL)) {
            report_json_refuse(r, "shapes", "made of whole numbers");
            return;
        }
    }
}

static void terms_of(struct report_reading *r, const struct json_value *v,
                     struct report_witness *w)
{
    const struct json_value *m = report_json_member(r, v, "terms", JSON_OBJECT);
    if (m == NULL)
        return;
    w->traced = true;
    w->terms_untuned = (size_t)report_json_whole(r, m, "untuned", SIZE_MAX);
    w->terms_tuned = (size_t)report_json_whole(r, m, "tuned", SIZE_MAX);
    report_json_list(r, m, "missing", SIZE_MAX, &w->missing);
    report_json_list(r, m, "extra", SIZE_MAX, &w->extra);
    w->order = report_json_text(r, m, "order");
    w->trace_truncated = report_json_flag(r, m, "truncated");
}

static void places_of(struct report_reading *r, const struct json_value *v,
                      struct report_origin *w)
{
    const struct json_value *m = report_json_member(r, v, "places", JSON_ARRAY);
    if (m == NULL)
        return;
    w->places = ARENA_ARRAY(r->arena, json_size(m) + 1, struct report_place);
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        struct report_place *p = &w->places[w->nplaces++];
        const char *side =
            json_type(m) == JSON_OBJECT ? report_json_text(r, m, "side") : NULL;
        if (side == NULL) {
            report_json_refuse(r, "places", "made of places");
            return;
        }
        p->tuned = strcmp(side, "tuned") == 0;
        p->file = report_json_text(r, m, "file");
        p->line = (uint32_t)report_json_whole(r, m, "line", UINT32_MAX);
        p->text = report_json_text(r, m, "statement");
        p->vars = report_json_text(r, m, "variables");
        p->access = report_json_text(r, m, "access");
        p->thread = report_json_text(r, m, "thread");
    }
}

static struct report_origin *origin_of(struct report_reading *r,
                                       const struct json_value *v)
{
    const struct json_value *m =
        report_json_member(r, v, "origin", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_origin *o = ARENA_NEW(r->arena, struct report_origin);
    o->element = report_json_text(r, m, "element");
    o->cause = report_json_text(r, m, "cause");
    o->formula_untuned = report_json_text(r, m, "untuned");
    o->formula_tuned = report_json_text(r, m, "tuned");
    places_of(r, m, o);
    return o;
}

static struct report_witness *witness_of(struct report_reading *r,
                                         const struct json_value *v)
{
    const struct json_value *m =
        report_json_member(r, v, "witness", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_witness *w = ARENA_NEW(r->arena, struct report_witness);
    struct dtype type;
    const char *name = report_json_text(r, m, "dtype");
    bool typed = name != NULL && dtype_parse(name, &type);
    if (name != NULL && !typed)
        report_json_refuse(r, "dtype", "a data type");
    w->kind = report_json_text(r, m, "kind");
    if (w->kind == NULL)
        report_json_refuse(r, "kind", "given");
    w->input = report_json_text(r, m, "input");
    w->seed = report_json_whole(r, m, "seed", UINT64_MAX);
    dims_of(r, m, w);
    w->parameter = report_json_text(r, m, "parameter");
    w->position = (size_t)report_json_whole(r, m, "position", SIZE_MAX);
    w->index = numbers_of(r, m, "index", &w->nindex);
    extent_of(r, m, w);
    value_of(r, m, "untuned", typed ? &type : NULL, &w->untuned);
    value_of(r, m, "tuned", typed ? &type : NULL, &w->tuned);
    w->fault = report_json_text(r, m, "fault");
    w->message = report_json_text(r, m, "message");
    w->where = report_json_text(r, m, "where");
    w->buffer = report_json_text(r, m, "buffer");
    w->line = (uint32_t)report_json_whole(r, m, "line", UINT32_MAX);
    w->every_input = report_json_flag(r, m, "every_input");
    w->smallest = report_json_text(r, m, "smallest");
    w->before_differing =
        (size_t)report_json_whole(r, m, "differing_before", SIZE_MAX);
    terms_of(r, m, w);
    return w;
}

/* ---- targets ------------------------------------------------------------------ */

static void distance_of(struct report_reading *r, const struct json_value *v,
                        struct report_distance *d)
{
    d->elements = report_json_whole(r, v, "elements", UINT64_MAX);
    d->differing = report_json_whole(r, v, "differing", UINT64_MAX);
    d->max_abs = double_of(r, v, "max_abs");
    d->mean_abs = double_of(r, v, "mean_abs");
    d->max_ulp = report_json_whole(r, v, "max_ulp", UINT64_MAX);
}

static void kernel_of(struct report_reading *r, const struct json_value *v,
                      const char *key, struct report_kernel *k)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_OBJECT);
    if (m == NULL)
        return;
    k->outcome = outcome_of(r, m);
    k->reason = report_json_text(r, m, "reason");
    k->hypothesis = report_json_text(r, m, "hypothesis");
    k->outputs = (size_t)report_json_whole(r, m, "outputs", SIZE_MAX);
    distance_of(r, m, &k->from_reference);
}

static void target_of(struct report_reading *r, const struct json_value *v,
                      struct report_target *t)
{
    t->target = report_json_text(r, v, "target");
    if (t->target == NULL)
        report_json_refuse(r, "target", "given");
    t->outcome = outcome_of(r, v);
    t->reason = report_json_text(r, v, "reason");
    t->hypothesis = report_json_text(r, v, "hypothesis");
    t->part = report_json_flag(r, v, "part");
    t->detail = report_json_text(r, v, "detail");
    t->time_s = seconds_of(r, v);
    const struct json_value *between =
        report_json_member(r, v, "tuned_against_untuned", JSON_OBJECT);
    if (between == NULL)
        return;
    t->ran = true;
    t->inputs = (size_t)report_json_whole(r, v, "inputs", SIZE_MAX);
    distance_of(r, between, &t->between);
    kernel_of(r, v, "tuned", &t->tuned);
    kernel_of(r, v, "untuned", &t->untuned);
}

static void targets_of(struct report_reading *r, const struct json_value *v,
                       struct report_pair *p)
{
    const struct json_value *m =
        report_json_member(r, v, "targets", JSON_ARRAY);
    if (m == NULL)
        return;
    p->targets = ARENA_ARRAY(r->arena, json_size(m) + 1, struct report_target);
    for (m = json_first(m); m != NULL && !r->failed; m = json_next(m))
        target_of(r, m, &p->targets[p->ntargets++]);
}

/* ---- pairs -------------------------------------------------------------------- */

static bool evidence_parse(const char *text, enum report_evidence *out)
{
    static const enum report_evidence all[] = {
        REPORT_NO_EVIDENCE, REPORT_RUN, REPORT_FINGERPRINT, REPORT_PROOF};
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        if (strcmp(report_evidence_name(all[i]), text) == 0) {
            *out = all[i];
            return true;
        }
    }
    return false;
}

static const struct report_known *known_of(struct report_reading *r,
                                           const struct json_value *v)
{
    const struct json_value *m = report_json_member(r, v, "known", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_known *known = ARENA_NEW(r->arena, struct report_known);
    known->reason = report_json_text(r, m, "reason");
    known->author = report_json_text(r, m, "author");
    known->until = report_json_text(r, m, "until");
    known->also = report_json_text(r, m, "also");
    known->exit_code =
        (int)report_json_whole(r, m, "exit", REPORT_EXIT_UNDECIDED);
    return known;
}

static struct report_rounding *rounding_of(struct report_reading *r,
                                           const struct json_value *v)
{
    const struct json_value *m =
        report_json_member(r, v, "rounding", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_rounding *out = ARENA_NEW(r->arena, struct report_rounding);
    out->wider = report_json_flag(r, m, "wider");
    out->reason = report_json_text(r, m, "reason");
    out->untuned = report_json_text(r, m, "untuned");
    out->tuned = report_json_text(r, m, "tuned");
    return out;
}

static void pair_of(struct report_reading *r, const struct json_value *v,
                    struct report_pair *p)
{
    const char *verdict = report_json_text(r, v, "verdict");
    const char *evidence = report_json_text(r, v, "evidence");
    p->function = report_json_text(r, v, "function");
    if (p->function == NULL)
        report_json_refuse(r, "function", "given");
    p->tuned_function = report_json_text(r, v, "tuned_function");
    if (verdict == NULL ||
        !report_verdict_parse(verdict, strlen(verdict), &p->verdict))
        report_json_refuse(r, "verdict", "a verdict");
    if (evidence == NULL || !evidence_parse(evidence, &p->evidence))
        report_json_refuse(r, "evidence", "a kind of evidence");
    p->exit_code = (int)report_json_whole(r, v, "exit", REPORT_EXIT_UNDECIDED);
    p->exit_because = report_json_text(r, v, "exit_because");
    p->suspect = report_json_text(r, v, "suspect");
    p->time_s = seconds_of(r, v);
    p->steps = report_json_whole(r, v, "steps", UINT64_MAX);
    p->known = known_of(r, v);
    p->again = report_json_text(r, v, "again");
    p->expired = report_json_flag(r, v, "expired");
    p->reason = report_json_text(r, v, "reason");
    p->witness = witness_of(r, v);
    p->origin = origin_of(r, v);
    p->rounding = rounding_of(r, v);
    report_json_list(r, v, "assumptions", SIZE_MAX, &p->assumptions);
    report_json_list(r, v, "holds_for", SIZE_MAX, &p->holds_for);
    report_json_list(r, v, "warnings", SIZE_MAX, &p->warnings);
    report_json_list(r, v, "notes", SIZE_MAX, &p->notes);
    report_json_list(r, v, "drift", SIZE_MAX, &p->drift);
    p->explanation = report_json_text(r, v, "explanation");
    p->command = report_json_text(r, v, "command");
    p->certificate_hash = report_json_text(r, v, "certificate_sha256");
    targets_of(r, v, p);
    report_json_plots(r, v, p);
}

/* Of a report with an error; one of an earlier version has its text alone. */
static void errors_of(struct report_reading *r, const struct json_value *v,
                      struct report *out)
{
    const struct json_value *m = report_json_member(r, v, "errors", JSON_ARRAY);
    size_t n = m ? json_size(m) : 0;
    if (out->error == NULL)
        return;
    report_fail(out, out->exit_code, "input", out->error);
    if (n == 0)
        return;
    out->errors = ARENA_ARRAY(out->arena, n, struct report_error);
    out->nerrors = 0;
    for (m = json_first(m); m != NULL && !r->failed; m = json_next(m)) {
        struct report_error *e = &out->errors[out->nerrors++];
        e->code = report_json_text(r, m, "code");
        e->message = report_json_text(r, m, "message");
        if (e->code == NULL || e->message == NULL)
            report_json_refuse(r, "errors", "made of errors");
        e->file = report_json_text(r, m, "file");
        e->line = (uint32_t)report_json_whole(r, m, "line", UINT32_MAX);
        e->col = (uint32_t)report_json_whole(r, m, "column", UINT32_MAX);
        e->path = report_json_text(r, m, "path");
    }
}

struct report *report_read(const struct json_value *v, const char *file,
                           struct diag_sink *sink)
{
    struct report *out = report_new();
    struct report_reading r = {out->arena, sink, file, "a report", false};
    if (json_type(v) != JSON_OBJECT ||
        report_json_whole(&r, v, "schema", UINT64_MAX) != 1)
        report_json_refuse(&r, "schema", "1");
    out->tuned = report_json_text(&r, v, "tuned");
    out->untuned = report_json_text(&r, v, "untuned");
    out->error = report_json_text(&r, v, "error");
    report_json_list(&r, v, "options", SIZE_MAX, &out->options);
    out->exit_code =
        (int)report_json_whole(&r, v, "exit", REPORT_EXIT_UNDECIDED);
    errors_of(&r, v, out);
    const struct json_value *m = report_json_member(&r, v, "pairs", JSON_ARRAY);
    size_t n = m ? json_size(m) : 0;
    if (n > MAX_PAIRS)
        report_json_refuse(&r, "pairs", "a list of a length that a report has");
    else if (m != NULL)
        out->pairs = ARENA_ARRAY(out->arena, n + 1, struct report_pair);
    for (m = m ? json_first(m) : NULL; m != NULL && !r.failed;
         m = json_next(m)) {
        if (json_type(m) == JSON_OBJECT)
            pair_of(&r, m, &out->pairs[out->npairs++]);
        else
            report_json_refuse(&r, "pairs", "a list of objects");
    }
    report_json_list(&r, v, "only_tuned", SIZE_MAX, &out->only_tuned);
    report_json_list(&r, v, "only_untuned", SIZE_MAX, &out->only_untuned);
    report_json_list(&r, v, "environment", SIZE_MAX, &out->environment);
    if (!r.failed)
        return out;
    report_free(out);
    return NULL;
}
