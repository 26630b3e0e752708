/* SPDX-License-Identifier: Apache-2.0
 *
 * The report model and its writers: names, order of verdicts, the JSON object
 * of schema 1 read back key by key, and the text report's first lines.
 */
#include "ir/base/json.h"
#include "reports/reports.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static void names_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {"unsafe",     "different", "precision",
                                        "unknown",    "agrees",    "algebraic",
                                        "order-only", "identical"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        enum report_verdict v;
        assert_true(report_verdict_parse(names[i], strlen(names[i]), &v));
        assert_string_equal(report_verdict_name(v), names[i]);
        assert_true(*report_verdict_meaning(v));
    }
    enum report_verdict v;
    assert_false(report_verdict_parse("unsaf", 5, &v));
    assert_false(report_verdict_parse("", 0, &v));
}

static void worst_of_pairs(void **state)
{
    (void)state;
    /* Worst first, as the exit status ranks them: findings, then undecided,
     * then the equalities from weakest to strongest. */
    static const enum report_verdict order[] = {
        REPORT_UNSAFE, REPORT_DIFFERENT, REPORT_PRECISION,  REPORT_UNKNOWN,
        REPORT_AGREES, REPORT_ALGEBRAIC, REPORT_ORDER_ONLY, REPORT_IDENTICAL};
    for (size_t i = 0; i + 1 < DC_ARRAY_LEN(order); i++) {
        struct report *r = report_new();
        enum report_verdict worst;
        struct report_pair pairs[2] = {{.verdict = order[i + 1]},
                                       {.verdict = order[i]}};
        assert_false(report_worst(r, &worst));
        r->pairs = pairs;
        r->npairs = 2;
        assert_true(report_worst(r, &worst));
        assert_int_equal(worst, order[i]);
        r->error = "unreadable";
        assert_false(report_worst(r, &worst));
        report_free(r);
    }
}

static void lists_are_sorted_sets(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_list list = {0};
    report_list_sort(&list);
    assert_int_equal(list.n, 0);
    for (int i = 19; i >= 0; i--)
        report_add(r, &list, "%02d", i % 10);
    report_list_sort(&list);
    assert_int_equal(list.n, 10);
    for (size_t i = 0; i < list.n; i++)
        assert_int_equal(list.items[i][1], '0' + (int)i);
    report_free(r);
}

static struct report *sample(struct report_witness *w, struct report_pair *p)
{
    static int64_t index[] = {0, 3};
    struct report *r = report_new();
    unsigned flags = 0;
    *w = (struct report_witness){
        .kind = "value",
        .input = "exact",
        .seed = 1,
        .parameter = "C",
        .position = 2,
        .nindex = 2,
        .index = index,
        .traced = true,
        .terms_untuned = 3,
        .terms_tuned = 2,
    };
    w->untuned.kind = w->tuned.kind = REPORT_V_BITS;
    w->untuned.dtype = w->tuned.dtype = DTYPE_FLOAT32;
    w->untuned.bits = num_from_double(DTYPE_FLOAT32, 13, &flags);
    w->tuned.bits = num_from_double(DTYPE_FLOAT32, 0.1, &flags);
    report_add(r, &w->missing, "A[0, 1] * B[1, 3]");
    *p = (struct report_pair){.function = "main",
                              .verdict = REPORT_DIFFERENT,
                              .evidence = REPORT_RUN,
                              .time_s = 0.25,
                              .reason = "because\n\"quoted\"",
                              .witness = w,
                              .command = "diffcheck t u"};
    report_add(r, &p->assumptions, "parameters do not overlap");
    r->pairs = p;
    r->npairs = 1;
    r->exit_code = 1;
    return r;
}

static const char *text_at(const struct json_value *v, const char *key)
{
    const struct json_value *member = json_find(v, key);
    assert_non_null(member);
    assert_int_equal(json_type(member), JSON_STRING);
    return json_string(member);
}

/* All of them, each with all that is known of its place; and as text. */
static void errors_read_back(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct diag_sink *sink = diag_sink_new();
    struct diag_loc line = {.file = "t.py", .line = 4, .col = 9};
    struct diag_loc node = {.file = "u.json", .path = "/nodes/12"};
    struct buf a = {0}, b = {0}, text = {0};
    struct json_writer to_a = {.out = &a}, to_b = {.out = &b};
    diag_warn(sink, line, "a.warning", "that is no error");
    (void)diag_error(sink, line, "script.syntax", "expected a name");
    (void)diag_error(sink, node, "json.node", "no such type");
    (void)diag_error(sink, (struct diag_loc){0}, "usage", "no file at all");
    report_refuse(r, REPORT_EXIT_USAGE, sink);
    assert_int_equal(r->exit_code, REPORT_EXIT_USAGE);
    assert_string_equal(r->error, "expected a name");
    report_put_object(&to_a, r);
    struct json_doc *doc = json_parse(a.data, a.len, "report", NULL);
    struct report *back = report_read(json_root(doc), "report", NULL);
    assert_non_null(back);
    report_put_object(&to_b, back);
    assert_string_equal(buf_text(&a), buf_text(&b));
    report_put_errors(&text, back);
    assert_string_equal(buf_text(&text),
                        "t.py:4:9: expected a name [script.syntax]\n"
                        "u.json: no such type [json.node] (at /nodes/12)\n"
                        "no file at all [usage]\n");
    buf_fini(&a);
    buf_fini(&b);
    buf_fini(&text);
    json_free(doc);
    report_free(back);
    report_free(r);
    diag_sink_free(sink);
}

static void json_reads_back(void **state)
{
    (void)state;
    struct report_witness w;
    struct report_pair p;
    struct report *r = sample(&w, &p);
    struct buf out = {0};
    struct report_style plain = {0};
    report_write_one(report_writer_find("json", 4), r, plain, &out);
    struct json_doc *doc = json_parse(buf_text(&out), out.len, "report", NULL);
    assert_non_null(doc);
    const struct json_value *root = json_root(doc);
    int64_t n;
    assert_true(json_int(json_find(root, "schema"), &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(text_at(root, "tool"), "diffcheck");
    assert_string_equal(text_at(root, "verdict"), "different");
    assert_true(json_int(json_find(root, "exit"), &n, NULL));
    assert_int_equal(n, 1);
    assert_null(json_find(root, "error"));
    const struct json_value *pair = json_first(json_find(root, "pairs"));
    assert_string_equal(text_at(pair, "function"), "main");
    assert_string_equal(text_at(pair, "evidence"), "run");
    assert_string_equal(text_at(pair, "reason"), "because\n\"quoted\"");
    assert_int_equal(json_type(json_find(pair, "time_s")), JSON_NUMBER);
    assert_int_equal(json_size(json_find(pair, "assumptions")), 1);
    assert_int_equal(json_size(json_find(pair, "targets")), 0);
    assert_null(json_find(pair, "holds_for"));
    const struct json_value *x = json_find(pair, "witness");
    double value;
    assert_true(json_double(json_find(x, "untuned"), &value));
    assert_true(value == 13.0);
    assert_true(json_double(json_find(x, "tuned"), &value));
    assert_true(value == (double)0.1f); /* floats round-trip */
    assert_int_equal(json_size(json_find(x, "index")), 2);
    assert_string_equal(
        json_string(json_first(json_find(json_find(x, "terms"), "missing"))),
        "A[0, 1] * B[1, 3]");
    json_free(doc);
    buf_fini(&out);
    report_free(r);
}

static void json_of_an_error(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct buf out = {0};
    struct report_style plain = {0};
    r->error = "no such file";
    r->exit_code = 2;
    const struct report_writer *json = report_writer_find("json", 4);
    assert_true(json->machine);
    report_write_one(json, r, plain, &out);
    struct json_doc *doc = json_parse(buf_text(&out), out.len, "report", NULL);
    assert_non_null(doc);
    const struct json_value *root = json_root(doc);
    assert_int_equal(json_type(json_find(root, "verdict")), JSON_NULL);
    assert_string_equal(text_at(root, "error"), "no such file");
    assert_int_equal(json_size(json_find(root, "pairs")), 0);
    json_free(doc);
    buf_fini(&out);
    report_free(r);
}

static void text_starts_with_the_verdict(void **state)
{
    (void)state;
    struct report_witness w;
    struct report_pair p;
    struct report *r = sample(&w, &p);
    struct buf out = {0};
    struct report_style all = {.verbose = true}, coloured = {.colour = true};
    const struct report_writer *text = report_writer_find("text", 4);
    report_write_one(text, r, all, &out);
    const char *body = buf_text(&out);
    assert_memory_equal(body, "DIFFERENT  main", 15);
    assert_null(strchr(body, '\033'));
    /* Control bytes of names and messages never reach a terminal. */
    assert_non_null(strstr(body, "because\\x0a\"quoted\""));
    assert_non_null(strstr(body, "C[0, 3]   untuned 13.0   tuned 0.1"));
    assert_non_null(strstr(body, "A[0, 1] * B[1, 3]"));
    out.len = 0;
    report_write_one(text, r, coloured, &out);
    assert_non_null(strchr(buf_text(&out), '\033'));
    buf_fini(&out);
    report_free(r);
}

/* ---- read back ---------------------------------------------------------------- */

static void fill_target(struct report_target *t, bool ran)
{
    static const struct report_distance some = {100, 7, 0.5, 0.03125, 12};
    *t = (struct report_target){.target = ran ? "gcc-fma" : "cuda",
                                .outcome =
                                    ran ? REPORT_EXPLAINED : REPORT_SKIPPED,
                                .reason = "a reason",
                                .ran = ran,
                                .time_s = 0.5};
    if (!ran)
        return;
    t->part = true;
    t->hypothesis = "contract=left";
    t->inputs = 5;
    t->between = some;
    t->detail = "two\nlines";
    t->tuned = (struct report_kernel){REPORT_EXPLAINED, "fused",
                                      "contract=left", 3, some};
    t->untuned = (struct report_kernel){.outcome = REPORT_EXACT};
    t->untuned.from_reference.max_ulp = UINT64_MAX;
}

/* A report with every member that there is, by kind of value. */
static struct report *full(struct report_witness *w, struct report_pair p[2],
                           struct report_target targets[2], unsigned kind)
{
    static struct report_dim dims[] = {{"m", 3}, {"n", 1337}};
    static int64_t from[] = {0, 1}, to[] = {0, 3};
    struct report *r = sample(w, p);
    fill_target(&targets[0], true);
    fill_target(&targets[1], false);
    r->tuned = "a/tuned.json";
    r->untuned = "a/untuned.json";
    p[0].tuned_function = "main_1";
    p[0].exit_code = 1;
    p[0].explanation = "a line";
    p[0].ntargets = 2;
    p[0].targets = targets;
    report_add(r, &p[0].holds_for, "n = 3");
    report_add(r, &p[0].warnings, "a warning");
    report_add(r, &p[0].notes, "a note");
    report_add(r, &p[0].drift, "a sentence");
    w->ndims = 2;
    w->dims = dims;
    w->order = "term 1 of 2 is A[0]";
    w->trace_truncated = true;
    report_add(r, &w->extra, "A[0, 2]");
    w->line = 18;
    w->compared = 12;
    w->differing = 5;
    w->from = from;
    w->to = to;
    w->seed = UINT64_MAX;
    if (kind == 1) { /* integers beyond 63 bits, and none */
        w->untuned.dtype = w->tuned.dtype = dtype_make(DT_UINT, 64, 1);
        w->untuned.bits = UINT64_MAX;
        w->tuned = (struct report_value){.kind = REPORT_V_UNDEFINED};
    } else if (kind == 2) {
        w->kind = "enclosure";
        w->untuned = (struct report_value){
            .kind = REPORT_V_BOX, .lo = -HUGE_VAL, .hi = 0.1};
        w->tuned = (struct report_value){.kind = REPORT_V_NOTHING};
    } else if (kind == 3) {
        w->kind = "fault";
        w->fault = "race";
        w->message = "buffer 'A'";
        w->where = "A[0] = 1";
        w->buffer = "A";
        w->untuned.dtype = w->tuned.dtype = DTYPE_INT32;
        w->untuned.bits = (uint64_t)INT64_C(-7);
        w->tuned.bits = 7;
    }
    p[1] = (struct report_pair){.function = "g",
                                .verdict = REPORT_IDENTICAL,
                                .evidence = REPORT_PROOF,
                                .reason = ""};
    r->npairs = 2;
    return r;
}

static void object_reads_back_whole(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct report_witness w;
        struct report_pair p[2];
        struct report_target t[2];
        struct report *r = full(&w, p, t, kind), *back;
        struct buf one = {0}, two = {0};
        struct json_writer a = {.out = &one}, b = {.out = &two};
        report_put_object(&a, r);
        struct json_doc *doc =
            json_parse(buf_text(&one), one.len, "report", NULL);
        assert_non_null(doc);
        back = report_read(json_root(doc), "report", NULL);
        assert_non_null(back);
        report_put_object(&b, back);
        assert_string_equal(buf_text(&one), buf_text(&two));
        assert_int_equal(back->npairs, 2);
        assert_int_equal(back->pairs[0].exit_code, 1);
        if (kind == 0)
            assert_true(num_same(DTYPE_FLOAT32, w.tuned.bits,
                                 back->pairs[0].witness->tuned.bits));
        json_free(doc);
        report_free(back);
        report_free(r);
        buf_fini(&one);
        buf_fini(&two);
    }
}

static void other_objects_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *member;
    } rows[] = {
        {"[]", "schema"},
        {"{}", "schema"},
        {"{\"schema\": 2}", "schema"},
        {"{\"schema\": 1, \"exit\": 5}", "exit"},
        {"{\"schema\": 1, \"exit\": -1}", "exit"},
        {"{\"schema\": 1, \"pairs\": {}}", "pairs"},
        {"{\"schema\": 1, \"pairs\": [3]}", "pairs"},
        {"{\"schema\": 1, \"tuned\": 3}", "tuned"},
        {"{\"schema\": 1, \"pairs\": [{}]}", "function"},
        {"{\"schema\": 1, \"pairs\": [{\"function\": \"f\", \"verdict\": "
         "\"odd\"}]}",
         "verdict"},
        {"{\"schema\": 1, \"pairs\": [{\"function\": \"f\", \"verdict\": "
         "\"agrees\", \"evidence\": \"x\"}]}",
         "evidence"},
#define PAIR                                                          \
    "{\"schema\": 1, \"pairs\": [{\"function\": \"f\", \"verdict\": " \
    "\"agrees\", \"evidence\": \"run\", "
        {PAIR "\"notes\": [1]}]}", "notes"},
        {PAIR "\"time_s\": \"soon\"}]}", "time_s"},
        {PAIR "\"witness\": {}}]}", "kind"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"dtype\": \"int9q\"}}]}",
         "dtype"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"dtype\": \"int32\", "
              "\"tuned\": 1.5}}]}",
         "tuned"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"tuned\": [1]}}]}", "tuned"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"index\": [\"a\"]}}]}",
         "index"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"shapes\": {\"n\": "
              "\"a\"}}}]}",
         "shapes"},
        {PAIR "\"witness\": {\"kind\": \"value\", \"index\": [1], "
              "\"extent\": {\"from\": [1], \"to\": [1, 2]}}}]}",
         "extent"},
        {PAIR "\"targets\": [{\"outcome\": \"exact\"}]}]}", "target"},
        {PAIR "\"targets\": [{\"target\": \"a\", \"outcome\": \"b\"}]}]}",
         "outcome"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct diag_sink *sink = diag_sink_new();
        struct buf want = {0};
        struct json_doc *doc =
            json_parse(rows[i].text, strlen(rows[i].text), "r.json", sink);
        assert_non_null(doc);
        assert_null(report_read(json_root(doc), "r.json", sink));
        assert_int_equal(diag_count(sink), 1);
        buf_printf(&want, "'%s' of a report is not ", rows[i].member);
        assert_int_equal(
            strncmp(diag_at(sink, 0)->message, buf_text(&want), want.len), 0);
        buf_fini(&want);
        json_free(doc);
        diag_sink_free(sink);
    }
}

/* ---- many --------------------------------------------------------------------- */

static void sentences(void **state)
{
    (void)state;
    struct report_witness w;
    struct report_pair p[2];
    struct report_target t[2];
    static const char *const want[] = {
        "C[0, 3] is 0.1, should be 13.0",
        "C[0, 3] is undefined, should be 18446744073709551615",
        "because\n\"quoted\"", /* no real number: the reason says it */
        "C[0, 3] is 7, should be -7",
        "wrong on target cuda: a reason",
    };
    for (unsigned kind = 0; kind < DC_ARRAY_LEN(want); kind++) {
        struct report *r = full(&w, p, t, kind < 4 ? kind : 0);
        struct buf out = {0};
        if (kind == 4) { /* the target is what makes it a finding */
            p[0].verdict = REPORT_IDENTICAL;
            t[1].outcome = REPORT_WRONG;
        }
        report_put_sentence(&out, &p[0]);
        assert_string_equal(buf_text(&out), want[kind]);
        buf_fini(&out);
        report_free(r);
    }
}

static void families(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_list list = {0}, out = {0};
    for (int k = 11; k >= 8; k--) /* as text 10 and 11 come before 8 */
        report_add(r, &list, "A[0, %d] * B[%d, 3]", k, 2 * k + 1);
    report_add(r, &list, "A[7]");
    report_add(r, &list, "C1[4]"); /* digits of names are none of these */
    report_find_families(r->arena, &list, &out);
    assert_int_equal(out.n, 3);
    assert_string_equal(out.items[0], "A[0, k] * B[2*k + 1, 3] for k in 8..11");
    assert_string_equal(out.items[1], "A[7]");
    assert_string_equal(out.items[2], "C1[4]");
    /* two are no family, nor are steps that change */
    list.n = 0;
    report_add(r, &list, "A[1]");
    report_add(r, &list, "A[2]");
    report_add(r, &list, "A[4]");
    report_find_families(r->arena, &list, &out);
    assert_int_equal(out.n, 3);
    list.n = 0;
    for (int k = 0; k < 4; k++)
        report_add(r, &list, "A[%d]", 3 * k + 2);
    report_find_families(r->arena, &list, &out);
    assert_int_equal(out.n, 1);
    assert_string_equal(out.items[0], "A[k] for k in 2..11 step 3");
    report_free(r);
}

static void extents(void **state)
{
    (void)state;
    int64_t from[] = {0, 7}, to[] = {3, 7};
    struct report_witness w = {.parameter = "C",
                               .nindex = 2,
                               .compared = 64,
                               .differing = 4,
                               .from = from,
                               .to = to};
    struct buf out = {0};
    assert_true(report_put_extent(&out, &w));
    assert_string_equal(buf_text(&out), "4 of 64 elements of C differ on this "
                                        "input, all in C[0..3, 7]");
    buf_fini(&out);
    w.differing = 64; /* the region is all there is */
    assert_true(report_put_extent(&out, &w));
    assert_string_equal(buf_text(&out),
                        "64 of 64 elements of C differ on this input");
    buf_fini(&out);
    w.differing = 1; /* the element is named already */
    assert_true(report_put_extent(&out, &w));
    assert_string_equal(buf_text(&out),
                        "1 of 64 elements of C differs on this input");
    buf_fini(&out);
    w.compared = 0;
    assert_false(report_put_extent(&out, &w));
    assert_int_equal(out.len, 0);
}

static void counts_of_many(void **state)
{
    (void)state;
    static const struct {
        enum report_verdict verdict;
        int exit_code;
    } all[] = {{REPORT_IDENTICAL, 0}, {REPORT_DIFFERENT, 1},
               {REPORT_UNKNOWN, 4},   {REPORT_AGREES, 4},
               {REPORT_IDENTICAL, 3}, {REPORT_IDENTICAL, 1}};
    enum { N = DC_ARRAY_LEN(all) };
    struct report_pair pairs[N];
    struct report reports[N + 1];
    struct report_entry entries[N + 1];
    struct report_set set = {
        .many = true, .n = N + 1, .entries = entries, .time_s = 1.25};
    struct report_counts c;
    memset(reports, 0, sizeof reports);
    for (size_t i = 0; i < N; i++) {
        pairs[i] = (struct report_pair){.function = "f",
                                        .verdict = all[i].verdict,
                                        .exit_code = all[i].exit_code};
        reports[i].pairs = &pairs[i];
        reports[i].npairs = 1;
        reports[i].exit_code = all[i].exit_code;
        entries[i] = (struct report_entry){"a/b", &reports[i], 0.5};
    }
    reports[N].error = "unreadable";
    reports[N].exit_code = 2;
    entries[N] = (struct report_entry){"c", &reports[N], 0};
    report_count(&set, &c);
    assert_int_equal(c.pairs, 7);
    assert_int_equal(c.errors, 1);
    assert_int_equal(c.findings, 3);
    assert_int_equal(c.broken, 1);
    assert_int_equal(c.undecided, 2);
    assert_int_equal(c.fine, 1);
    assert_int_equal(c.verdict[REPORT_IDENTICAL], 3);
    assert_int_equal(report_exit_of(&set), 3);
    set.n = 1;
    assert_int_equal(report_exit_of(&set), 0);
    set.n = N + 1;
    struct buf out = {0};
    report_put_closing(&out, &set);
    assert_string_equal(buf_text(&out),
                        "7 pairs: 3 identical, 1 agrees, 1 unknown, 1 "
                        "different, 1 not compared  1.2 s\n"
                        "1 passed, 4 failed, 2 undecided\n");
    buf_fini(&out);
}

static size_t columns_of(const char *line)
{
    size_t n = 0;
    for (; *line && *line != '\n'; line++)
        n += ((unsigned char)*line & 0xc0) != 0x80;
    return n;
}

/* A row is as wide as the terminal at most, and says that it was cut. */
static void rows_fit(void **state)
{
    (void)state;
    struct report_pair p[2] = {
        {.function = "f",
         .verdict = REPORT_DIFFERENT,
         .exit_code = 1,
         .reason = "a sentence that is \xe2\x89\xa5 long, longer than any "
                   "terminal that it is going to be printed on, and goes on",
         .time_s = 0.0001},
        {.function = "g", .verdict = REPORT_IDENTICAL}};
    struct report r = {.exit_code = 1, .npairs = 2, .pairs = p};
    struct report_entry e = {"name", &r, 0.012};
    static const unsigned widths[] = {0, 60, 80, 100, 300};
    for (size_t i = 0; i < DC_ARRAY_LEN(widths); i++) {
        struct buf out = {0};
        struct report_style style = {.columns = widths[i]};
        size_t most = widths[i] == 0 || widths[i] > 100 ? 100 : widths[i];
        report_put_rows(&out, &e, 4, style);
        assert_int_equal(columns_of(buf_text(&out)), most);
        assert_non_null(
            strstr(buf_text(&out), "name:f  DIFFERENT  a sentence "));
        assert_non_null(strstr(buf_text(&out), "\xe2\x80\xa6    0 ms\n"));
        assert_null(strstr(buf_text(&out), "name:g"));
        buf_fini(&out);
    }
    struct buf out = {0};
    struct report_style verbose = {.verbose = true, .columns = 60};
    p[0].reason = "short";
    p[1].time_s = 12.34;
    report_put_rows(&out, &e, 6, verbose);
    assert_string_equal(
        buf_text(&out),
        "name:f  DIFFERENT  short                                0 ms\n"
        "name:g  IDENTICAL                                     12.3 s\n");
    out.len = 0;
    report_forget_times(&r);
    report_put_rows(&out, &e, 6, verbose);
    assert_string_equal(buf_text(&out), "name:f  DIFFERENT  short\n"
                                        "name:g  IDENTICAL\n");
    buf_fini(&out);
}

/* Names and sentences of the input are text wherever they go. */
static void markup_is_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *format, *want;
    } rows[] = {
        {"junit", "name=\"&lt;b&gt;&quot;&amp;|`@x\\x1b\""},
        {"markdown", "| &lt;b\\>\"&amp;\\|\\`@\xe2\x80\x8bx\\\\x1b | "},
        {"markdown", "\n````\n"}, /* longer than the run in it */
        {"github", "::a%25%0Ab::c"},
        {"github", "title=diffcheck%3A different::<b>"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct report_pair p = {.function = "f",
                                .verdict = REPORT_DIFFERENT,
                                .exit_code = 1,
                                .reason = "::a%\nb::c ```"};
        struct report r = {.exit_code = 1, .npairs = 1, .pairs = &p};
        struct report_entry e = {"<b>\"&|`@x\033", &r, 0.5};
        struct report_set set = {
            .many = true, .n = 1, .entries = &e, .time_s = 0.5};
        struct report_style plain = {0};
        struct buf out = {0};
        report_writer_find(rows[i].format, strlen(rows[i].format))
            ->write(&set, plain, &out);
        if (strstr(buf_text(&out), rows[i].want) == NULL)
            fail_msg("%s: no %s in %s", rows[i].format, rows[i].want,
                     buf_text(&out));
        buf_fini(&out);
    }
}

/* However many there are and wherever the last that fits ends, a comment of
 * GitHub holds it, and says what is left. */
static void markdown_is_bounded(void **state)
{
    (void)state;
    enum { N = 2000 };
    static struct report_entry entries[N];
    static const char name[] = "folder/a-name-of-a-good-many-characters";
    size_t most = 0;
    for (size_t skip = 0; skip + 1 < sizeof name; skip++) {
        struct report_pair p = {.function = "f",
                                .verdict = REPORT_DIFFERENT,
                                .exit_code = 1,
                                .reason = "a sentence of some length"};
        struct report r = {.exit_code = 1, .npairs = 1, .pairs = &p};
        struct report_set set = {
            .many = true, .n = N, .entries = entries, .time_s = 1};
        struct report_style plain = {0};
        struct buf out = {0};
        for (size_t i = 0; i < N; i++)
            entries[i] = (struct report_entry){name + skip, &r, 0.5};
        report_writer_find("markdown", 8)->write(&set, plain, &out);
        assert_true(out.len < 60000);
        most = out.len > most ? out.len : most;
        assert_non_null(strstr(buf_text(&out), "2000 of 2000 failed"));
        assert_non_null(strstr(buf_text(&out), " more\n"));
        assert_non_null(strstr(buf_text(&out), "more reports that do not fit"));
        buf_fini(&out);
    }
    assert_true(most > 59900); /* the room is used */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(worst_of_pairs),
        cmocka_unit_test(lists_are_sorted_sets),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(errors_read_back),
        cmocka_unit_test(json_of_an_error),
        cmocka_unit_test(text_starts_with_the_verdict),
        cmocka_unit_test(object_reads_back_whole),
        cmocka_unit_test(other_objects_are_refused),
        cmocka_unit_test(sentences),
        cmocka_unit_test(families),
        cmocka_unit_test(extents),
        cmocka_unit_test(counts_of_many),
        cmocka_unit_test(rows_fit),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(markdown_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
