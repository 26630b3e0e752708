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
#include "reports/reports.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_PAIRS 100000u /* of a report: more is no report of ours */

struct reading {
    struct report *report;
    struct diag_sink *sink;
    const char *file;
    bool failed;
};

static const char *const json_words[] = {
    [JSON_NULL] = "null",       [JSON_BOOL] = "a truth value",
    [JSON_NUMBER] = "a number", [JSON_STRING] = "text",
    [JSON_ARRAY] = "a list",    [JSON_OBJECT] = "an object",
};

static void refuse(struct reading *r, const char *key, const char *wanted)
{
    struct diag_loc loc = {.file = r->file, .path = key};
    if (!r->failed)
        (void)diag_error(r->sink, loc, "report.member",
                         "'%s' of a report is not %s", key, wanted);
    r->failed = true;
}

/* The member, of the type, or NULL: absent, null or refused. */
static const struct json_value *member(struct reading *r,
                                       const struct json_value *v,
                                       const char *key, enum json_type type)
{
    const struct json_value *m = json_find(v, key);
    if (m == NULL || json_type(m) == JSON_NULL)
        return NULL;
    if (json_type(m) == type)
        return m;
    refuse(r, key, json_words[type]);
    return NULL;
}

static const char *text_of(struct reading *r, const struct json_value *v,
                           const char *key)
{
    const struct json_value *m = member(r, v, key, JSON_STRING);
    return m == NULL ? NULL : arena_strdup(r->report->arena, json_string(m));
}

static bool flag_of(struct reading *r, const struct json_value *v,
                    const char *key)
{
    const struct json_value *m = member(r, v, key, JSON_BOOL);
    return m != NULL && json_bool(m);
}

static uint64_t whole_of(struct reading *r, const struct json_value *v,
                         const char *key, uint64_t most)
{
    const struct json_value *m = member(r, v, key, JSON_NUMBER);
    int64_t n = 0;
    bool high = false;
    if (m == NULL)
        return 0;
    if (!json_int(m, &n, &high) || (n < 0 && !high) || (uint64_t)n > most) {
        refuse(r, key, "a whole number in range");
        return 0;
    }
    return (uint64_t)n;
}

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

static double double_of(struct reading *r, const struct json_value *v,
                        const char *key)
{
    const struct json_value *m = json_find(v, key);
    double x = 0;
    if (m != NULL && !get_double(m, &x))
        refuse(r, key, "a number");
    return x;
}

static void list_of(struct reading *r, const struct json_value *v,
                    const char *key, struct report_list *out)
{
    const struct json_value *m = member(r, v, key, JSON_ARRAY);
    for (m = m ? json_first(m) : NULL; m != NULL && !r->failed;
         m = json_next(m)) {
        if (json_type(m) == JSON_STRING)
            report_add(r->report, out, "%s", json_string(m));
        else
            refuse(r, key, "a list of texts");
    }
}

static enum report_outcome outcome_of(struct reading *r,
                                      const struct json_value *v)
{
    enum report_outcome o = REPORT_ERROR;
    const char *text = text_of(r, v, "outcome");
    if (text == NULL || !report_outcome_parse(text, strlen(text), &o))
        refuse(r, "outcome", "an outcome");
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

static void value_of(struct reading *r, const struct json_value *v,
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
            refuse(r, key, "an enclosure");
    } else if (type != NULL) {
        out->kind = REPORT_V_BITS;
        out->dtype = *type;
        if (!bits_of(m, *type, &out->bits))
            refuse(r, key, "a value of its type");
    } else {
        out->kind = REPORT_V_NOTHING;
    }
}

/* A list of whole numbers, *n of them; NULL if there is none. */
static int64_t *numbers_of(struct reading *r, const struct json_value *v,
                           const char *key, size_t *n)
{
    const struct json_value *m = member(r, v, key, JSON_ARRAY);
    if (m == NULL)
        return NULL;
    int64_t *out = ARENA_ARRAY(r->report->arena, json_size(m) + 1, int64_t);
    *n = 0;
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        if (json_type(m) != JSON_NUMBER || !json_int(m, &out[(*n)++], NULL)) {
            refuse(r, key, "a list of whole numbers");
            return NULL;
        }
    }
    return out;
}

static void extent_of(struct reading *r, const struct json_value *v,
                      struct report_witness *w)
{
    const struct json_value *m = member(r, v, "extent", JSON_OBJECT);
    size_t nfrom = w->nindex, nto = w->nindex;
    if (m == NULL)
        return;
    w->compared = (size_t)whole_of(r, m, "compared", SIZE_MAX);
    w->differing = (size_t)whole_of(r, m, "differing", SIZE_MAX);
    w->from = numbers_of(r, m, "from", &nfrom);
    w->to = numbers_of(r, m, "to", &nto);
    if (nfrom != w->nindex || nto != w->nindex ||
        (w->from == NULL) != (w->to == NULL))
        refuse(r, "extent", "of as many axes as the index");
}

static void dims_of(struct reading *r, const struct json_value *v,
                    struct report_witness *w)
{
    const struct json_value *m = member(r, v, "shapes", JSON_OBJECT);
    if (m == NULL)
        return;
    w->dims =
        ARENA_ARRAY(r->report->arena, json_size(m) + 1, struct report_dim);
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        struct report_dim *d = &w->dims[w->ndims++];
        d->name = arena_strdup(r->report->arena, json_key(m));
        if (json_type(m) != JSON_NUMBER || !json_int(m, &d->value, NULL)) {
            refuse(r, "shapes", "made of whole numbers");
            return;
        }
    }
}

static void terms_of(struct reading *r, const struct json_value *v,
                     struct report_witness *w)
{
    const struct json_value *m = member(r, v, "terms", JSON_OBJECT);
    if (m == NULL)
        return;
    w->traced = true;
    w->terms_untuned = (size_t)whole_of(r, m, "untuned", SIZE_MAX);
    w->terms_tuned = (size_t)whole_of(r, m, "tuned", SIZE_MAX);
    list_of(r, m, "missing", &w->missing);
    list_of(r, m, "extra", &w->extra);
    w->order = text_of(r, m, "order");
    w->trace_truncated = flag_of(r, m, "truncated");
}

static void places_of(struct reading *r, const struct json_value *v,
                      struct report_origin *w)
{
    const struct json_value *m = member(r, v, "places", JSON_ARRAY);
    if (m == NULL)
        return;
    w->places =
        ARENA_ARRAY(r->report->arena, json_size(m) + 1, struct report_place);
    for (m = json_first(m); m != NULL; m = json_next(m)) {
        struct report_place *p = &w->places[w->nplaces++];
        const char *side =
            json_type(m) == JSON_OBJECT ? text_of(r, m, "side") : NULL;
        if (side == NULL) {
            refuse(r, "places", "made of places");
            return;
        }
        p->tuned = strcmp(side, "tuned") == 0;
        p->file = text_of(r, m, "file");
        p->line = (uint32_t)whole_of(r, m, "line", UINT32_MAX);
        p->text = text_of(r, m, "statement");
        p->vars = text_of(r, m, "variables");
        p->access = text_of(r, m, "access");
        p->thread = text_of(r, m, "thread");
    }
}

static struct report_origin *origin_of(struct reading *r,
                                       const struct json_value *v)
{
    const struct json_value *m = member(r, v, "origin", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_origin *o = ARENA_NEW(r->report->arena, struct report_origin);
    o->element = text_of(r, m, "element");
    o->cause = text_of(r, m, "cause");
    o->formula_untuned = text_of(r, m, "untuned");
    o->formula_tuned = text_of(r, m, "tuned");
    places_of(r, m, o);
    return o;
}

static struct report_witness *witness_of(struct reading *r,
                                         const struct json_value *v)
{
    const struct json_value *m = member(r, v, "witness", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_witness *w =
        ARENA_NEW(r->report->arena, struct report_witness);
    struct dtype type;
    const char *name = text_of(r, m, "dtype");
    bool typed = name != NULL && dtype_parse(name, &type);
    if (name != NULL && !typed)
        refuse(r, "dtype", "a data type");
    w->kind = text_of(r, m, "kind");
    if (w->kind == NULL)
        refuse(r, "kind", "given");
    w->input = text_of(r, m, "input");
    w->seed = whole_of(r, m, "seed", UINT64_MAX);
    dims_of(r, m, w);
    w->parameter = text_of(r, m, "parameter");
    w->position = (size_t)whole_of(r, m, "position", SIZE_MAX);
    w->index = numbers_of(r, m, "index", &w->nindex);
    extent_of(r, m, w);
    value_of(r, m, "untuned", typed ? &type : NULL, &w->untuned);
    value_of(r, m, "tuned", typed ? &type : NULL, &w->tuned);
    w->fault = text_of(r, m, "fault");
    w->message = text_of(r, m, "message");
    w->where = text_of(r, m, "where");
    w->buffer = text_of(r, m, "buffer");
    w->line = (uint32_t)whole_of(r, m, "line", UINT32_MAX);
    w->every_input = flag_of(r, m, "every_input");
    w->smallest = text_of(r, m, "smallest");
    w->before_differing = (size_t)whole_of(r, m, "differing_before", SIZE_MAX);
    terms_of(r, m, w);
    return w;
}

/* ---- targets ------------------------------------------------------------------ */

static void distance_of(struct reading *r, const struct json_value *v,
                        struct report_distance *d)
{
    d->elements = whole_of(r, v, "elements", UINT64_MAX);
    d->differing = whole_of(r, v, "differing", UINT64_MAX);
    d->max_abs = double_of(r, v, "max_abs");
    d->mean_abs = double_of(r, v, "mean_abs");
    d->max_ulp = whole_of(r, v, "max_ulp", UINT64_MAX);
}

static void kernel_of(struct reading *r, const struct json_value *v,
                      const char *key, struct report_kernel *k)
{
    const struct json_value *m = member(r, v, key, JSON_OBJECT);
    if (m == NULL)
        return;
    k->outcome = outcome_of(r, m);
    k->reason = text_of(r, m, "reason");
    k->hypothesis = text_of(r, m, "hypothesis");
    k->outputs = (size_t)whole_of(r, m, "outputs", SIZE_MAX);
    distance_of(r, m, &k->from_reference);
}

static void target_of(struct reading *r, const struct json_value *v,
                      struct report_target *t)
{
    t->target = text_of(r, v, "target");
    if (t->target == NULL)
        refuse(r, "target", "given");
    t->outcome = outcome_of(r, v);
    t->reason = text_of(r, v, "reason");
    t->hypothesis = text_of(r, v, "hypothesis");
    t->part = flag_of(r, v, "part");
    t->detail = text_of(r, v, "detail");
    t->time_s = double_of(r, v, "time_s");
    const struct json_value *between =
        member(r, v, "tuned_against_untuned", JSON_OBJECT);
    if (between == NULL)
        return;
    t->ran = true;
    t->inputs = (size_t)whole_of(r, v, "inputs", SIZE_MAX);
    distance_of(r, between, &t->between);
    kernel_of(r, v, "tuned", &t->tuned);
    kernel_of(r, v, "untuned", &t->untuned);
}

static void targets_of(struct reading *r, const struct json_value *v,
                       struct report_pair *p)
{
    const struct json_value *m = member(r, v, "targets", JSON_ARRAY);
    if (m == NULL)
        return;
    p->targets =
        ARENA_ARRAY(r->report->arena, json_size(m) + 1, struct report_target);
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

static const struct report_known *known_of(struct reading *r,
                                           const struct json_value *v)
{
    const struct json_value *m = member(r, v, "known", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_known *known =
        ARENA_NEW(r->report->arena, struct report_known);
    known->reason = text_of(r, m, "reason");
    known->author = text_of(r, m, "author");
    known->until = text_of(r, m, "until");
    known->also = text_of(r, m, "also");
    known->exit_code = (int)whole_of(r, m, "exit", REPORT_EXIT_UNDECIDED);
    return known;
}

static struct report_rounding *rounding_of(struct reading *r,
                                           const struct json_value *v)
{
    const struct json_value *m = member(r, v, "rounding", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_rounding *out =
        ARENA_NEW(r->report->arena, struct report_rounding);
    out->wider = flag_of(r, m, "wider");
    out->reason = text_of(r, m, "reason");
    out->untuned = text_of(r, m, "untuned");
    out->tuned = text_of(r, m, "tuned");
    return out;
}

static void pair_of(struct reading *r, const struct json_value *v,
                    struct report_pair *p)
{
    const char *verdict = text_of(r, v, "verdict");
    const char *evidence = text_of(r, v, "evidence");
    p->function = text_of(r, v, "function");
    if (p->function == NULL)
        refuse(r, "function", "given");
    p->tuned_function = text_of(r, v, "tuned_function");
    if (verdict == NULL ||
        !report_verdict_parse(verdict, strlen(verdict), &p->verdict))
        refuse(r, "verdict", "a verdict");
    if (evidence == NULL || !evidence_parse(evidence, &p->evidence))
        refuse(r, "evidence", "a kind of evidence");
    p->exit_code = (int)whole_of(r, v, "exit", REPORT_EXIT_UNDECIDED);
    p->exit_because = text_of(r, v, "exit_because");
    p->suspect = text_of(r, v, "suspect");
    p->time_s = double_of(r, v, "time_s");
    p->steps = whole_of(r, v, "steps", UINT64_MAX);
    p->known = known_of(r, v);
    p->again = text_of(r, v, "again");
    p->expired = flag_of(r, v, "expired");
    p->reason = text_of(r, v, "reason");
    p->witness = witness_of(r, v);
    p->origin = origin_of(r, v);
    p->rounding = rounding_of(r, v);
    list_of(r, v, "assumptions", &p->assumptions);
    list_of(r, v, "holds_for", &p->holds_for);
    list_of(r, v, "warnings", &p->warnings);
    list_of(r, v, "notes", &p->notes);
    list_of(r, v, "drift", &p->drift);
    p->explanation = text_of(r, v, "explanation");
    p->command = text_of(r, v, "command");
    p->certificate_hash = text_of(r, v, "certificate_sha256");
    targets_of(r, v, p);
    if (!report_plots_read(v, r->report->arena, p))
        refuse(r, "plots", "as diffcheck writes it");
}

/* Of a report with an error; one of an earlier version has its text alone. */
static void errors_of(struct reading *r, const struct json_value *v)
{
    const struct json_value *m = member(r, v, "errors", JSON_ARRAY);
    struct report *out = r->report;
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
        e->code = text_of(r, m, "code");
        e->message = text_of(r, m, "message");
        if (e->code == NULL || e->message == NULL)
            refuse(r, "errors", "made of errors");
        e->file = text_of(r, m, "file");
        e->line = (uint32_t)whole_of(r, m, "line", UINT32_MAX);
        e->col = (uint32_t)whole_of(r, m, "column", UINT32_MAX);
        e->path = text_of(r, m, "path");
    }
}

struct report *report_read(const struct json_value *v, const char *file,
                           struct diag_sink *sink)
{
    struct reading r = {report_new(), sink, file, false};
    struct report *out = r.report;
    if (json_type(v) != JSON_OBJECT ||
        whole_of(&r, v, "schema", UINT64_MAX) != 1)
        refuse(&r, "schema", "1");
    out->tuned = text_of(&r, v, "tuned");
    out->untuned = text_of(&r, v, "untuned");
    out->error = text_of(&r, v, "error");
    list_of(&r, v, "options", &out->options);
    out->exit_code = (int)whole_of(&r, v, "exit", REPORT_EXIT_UNDECIDED);
    errors_of(&r, v);
    const struct json_value *m = member(&r, v, "pairs", JSON_ARRAY);
    size_t n = m ? json_size(m) : 0;
    if (n > MAX_PAIRS)
        refuse(&r, "pairs", "a list of a length that a report has");
    else if (m != NULL)
        out->pairs = ARENA_ARRAY(out->arena, n + 1, struct report_pair);
    for (m = m ? json_first(m) : NULL; m != NULL && !r.failed;
         m = json_next(m)) {
        if (json_type(m) == JSON_OBJECT)
            pair_of(&r, m, &out->pairs[out->npairs++]);
        else
            refuse(&r, "pairs", "a list of objects");
    }
    list_of(&r, v, "only_tuned", &out->only_tuned);
    list_of(&r, v, "only_untuned", &out->only_untuned);
    list_of(&r, v, "environment", &out->environment);
    if (!r.failed)
        return out;
    report_free(out);
    return NULL;
}
