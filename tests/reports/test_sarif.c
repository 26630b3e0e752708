/* SPDX-License-Identifier: Apache-2.0
 *
 * What a code scanning service refuses never leaves the SARIF writer: more results
 * than it takes, more bytes, longer messages, more places. What is left out is
 * counted, and worse results go first. The limits are those that GitHub documents.
 */
#include "ir/base/json.h"
#include "reports/reports.h"
#include "tests/test.h"

#include <string.h>

#define MOST_RESULTS 25000u
#define MOST_BYTES   10000000u

static const struct json_value *at(const struct json_value *v, const char *key)
{
    const struct json_value *m = json_find(v, key);
    assert_non_null(m);
    return m;
}

static const struct json_value *item(const struct json_value *v, size_t i)
{
    for (v = json_first(v); i > 0; i--)
        v = json_next(v);
    assert_non_null(v);
    return v;
}

/* The run that is written of n reports of this pair each. */
static struct json_doc *write(const struct report *r, size_t n,
                              const struct report_gate *gate, size_t *bytes)
{
    struct report_entry *entries = dc_alloc(n * sizeof *entries);
    struct report_set set = {
        .many = true, .n = n, .entries = entries, .gate = gate};
    struct report_style plain = {0};
    struct buf out = {0};
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct report_entry){.name = "pair", .report = r};
    report_writer_find("sarif", 5)->write(&set, plain, &out);
    struct json_doc *doc = json_parse(out.data, out.len, "sarif", NULL);
    assert_non_null(doc);
    *bytes = out.len;
    buf_fini(&out);
    dc_release(entries);
    return doc;
}

static const struct json_value *run_of(const struct json_doc *doc)
{
    return item(at(json_root(doc), "runs"), 0);
}

static const char *text_of(const struct json_value *v)
{
    return json_string(at(at(v, "message"), "text"));
}

/* How many results are written, and the numbers of the notifications add up. */
static size_t count(const struct json_doc *doc, size_t all)
{
    const struct json_value *run = run_of(doc);
    const struct json_value *told =
        at(item(at(run, "invocations"), 0), "toolExecutionNotifications");
    size_t n = json_size(at(run, "results"));
    unsigned long long left = 0, shown = 0, of = 0;
    for (told = json_first(told); told != NULL; told = json_next(told)) {
        const char *text = text_of(told);
        if (strstr(text, "left out") != NULL)
            assert_int_equal(sscanf(text, "%llu more", &left), 1);
        else
            assert_int_equal(
                sscanf(text, "a service may show %llu of %llu", &shown, &of),
                2);
    }
    assert_int_equal(n + left, all);
    assert_int_equal(of, n > 5000 ? all : 0);
    return n;
}

static struct report_pair finding(void)
{
    return (struct report_pair){.function = "f",
                                .verdict = REPORT_DIFFERENT,
                                .exit_code = REPORT_EXIT_FINDING,
                                .reason = "differs"};
}

static void as_many_as_fit(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_pair p = finding();
    size_t bytes;
    r->tuned = "t.py";
    r->pairs = &p;
    r->npairs = 1;
    struct json_doc *doc = write(r, MOST_RESULTS, NULL, &bytes);
    assert_int_equal(count(doc, MOST_RESULTS), MOST_RESULTS);
    json_free(doc);
    doc = write(r, MOST_RESULTS + 7, NULL, &bytes);
    assert_int_equal(count(doc, MOST_RESULTS + 7), MOST_RESULTS);
    assert_true(bytes <= MOST_BYTES);
    json_free(doc);
    report_free(r);
}

static void no_more_bytes(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_pair p = finding();
    char *command = arena_alloc(r->arena, 4001);
    size_t bytes;
    memset(command, 'x', 4000);
    p.command = command;
    r->tuned = "t.py";
    r->pairs = &p;
    r->npairs = 1;
    struct json_doc *doc = write(r, 6000, NULL, &bytes);
    size_t n = count(doc, 6000);
    assert_true(n > 1500 && n < 6000);
    assert_true(bytes <= MOST_BYTES && bytes > MOST_BYTES / 10 * 9);
    json_free(doc);
    report_free(r);
}

/* Findings, then what is undecided, then what was accepted. */
static void worse_first(void **state)
{
    (void)state;
    static const char *const want[] = {"error",   "error", "warning",
                                       "warning", "note",  "note"};
    struct report *r = report_new();
    struct report_known known = {.reason = "so",
                                 .exit_code = REPORT_EXIT_FINDING};
    struct report_gate gate = {0};
    struct report_pair p[3] = {finding(), finding(), finding()};
    size_t bytes;
    p[0].exit_code = REPORT_EXIT_NOTHING;
    p[0].known = &known;
    p[1].exit_code = REPORT_EXIT_UNDECIDED;
    r->pairs = p;
    r->npairs = 3;
    struct json_doc *doc = write(r, 2, &gate, &bytes);
    const struct json_value *results = at(run_of(doc), "results");
    assert_int_equal(json_size(results), DC_ARRAY_LEN(want));
    for (size_t i = 0; i < DC_ARRAY_LEN(want); i++)
        assert_string_equal(json_string(at(item(results, i), "level")),
                            want[i]);
    json_free(doc);
    report_free(r);
}

/* "f: " and 2000 bytes: byte 1000 is the second one of a character. */
static void long_messages(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_pair p = finding();
    struct buf reason = {0};
    size_t bytes;
    for (size_t i = 0; i < 1000; i++)
        buf_puts(&reason, "ä");
    p.reason = buf_text(&reason);
    r->pairs = &p;
    r->npairs = 1;
    struct json_doc *doc = write(r, 1, NULL, &bytes);
    const char *text = text_of(item(at(run_of(doc), "results"), 0));
    assert_true(strlen(text) < 1050);
    assert_int_equal(text_visible(text, strlen(text), ""), strlen(text));
    assert_non_null(strstr(text, "ä… (1004 bytes more)"));
    json_free(doc);
    buf_fini(&reason);
    report_free(r);
}

static void many_places(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_pair p = finding();
    struct report_place places[130];
    struct report_origin origin = {.nplaces = 130, .places = places};
    size_t bytes;
    int64_t left = 0;
    for (size_t i = 0; i < 130; i++)
        places[i] = (struct report_place){.tuned = true,
                                          .file = "t.py",
                                          .line = (uint32_t)i + 1,
                                          .text = "A[0] = 1"};
    p.origin = &origin;
    r->tuned = "t.py";
    r->pairs = &p;
    r->npairs = 1;
    struct json_doc *doc = write(r, 1, NULL, &bytes);
    const struct json_value *result = item(at(run_of(doc), "results"), 0);
    assert_int_equal(json_size(at(result, "relatedLocations")), 100);
    assert_true(json_int(at(at(result, "properties"), "locationsLeftOut"),
                         &left, NULL));
    assert_int_equal(left, 30);
    json_free(doc);
    report_free(r);
}

/* Both accesses, each in a flow of its own, at its line; the one that a file has
 * no line for says which line of `diffcheck show` it is. */
static void flows_of_a_race(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_pair p = finding();
    struct report_place places[2] = {{.tuned = true,
                                      .file = "t.py",
                                      .line = 31,
                                      .text = "C[0] = S[0]",
                                      .vars = "k = 0",
                                      .access = "read",
                                      .thread = "threadIdx.x 3"},
                                     {.tuned = true,
                                      .line = 27,
                                      .text = "S[0] = A[0]",
                                      .vars = "",
                                      .access = "write"}};
    struct report_origin origin = {.nplaces = 2, .places = places};
    size_t bytes;
    int64_t line = 0;
    p.verdict = REPORT_UNSAFE;
    p.origin = &origin;
    r->tuned = "t.py";
    r->pairs = &p;
    r->npairs = 1;
    struct json_doc *doc = write(r, 1, NULL, &bytes);
    const struct json_value *result = item(at(run_of(doc), "results"), 0);
    const struct json_value *flows =
        at(item(at(result, "codeFlows"), 0), "threadFlows");
    assert_int_equal(json_size(flows), 2);
    const struct json_value *read =
        at(item(at(item(flows, 0), "locations"), 0), "location");
    const struct json_value *written =
        at(item(at(item(flows, 1), "locations"), 0), "location");
    assert_true(
        json_int(at(at(at(read, "physicalLocation"), "region"), "startLine"),
                 &line, NULL));
    assert_int_equal(line, 31);
    assert_string_equal(text_of(read),
                        "read by threadIdx.x 3: C[0] = S[0]; with k = 0");
    assert_null(json_find(written, "physicalLocation"));
    assert_string_equal(
        text_of(written),
        "write: S[0] = A[0] (line 27 of what diffcheck show prints)");
    assert_null(json_find(result, "relatedLocations"));
    json_free(doc);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_fit), cmocka_unit_test(no_more_bytes),
        cmocka_unit_test(worse_first),    cmocka_unit_test(long_messages),
        cmocka_unit_test(many_places),    cmocka_unit_test(flows_of_a_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
