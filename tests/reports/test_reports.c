/* SPDX-License-Identifier: Apache-2.0
 *
 * The report model and its writers: names, order of verdicts, the JSON object
 * of schema 1 read back key by key, and the text report's first lines.
 */
#include "ir/base/json.h"
#include "reports/reports.h"
#include "tests/test.h"

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
    assert_true(report_list_has(&list, "07"));
    assert_false(report_list_has(&list, "7"));
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

static void json_reads_back(void **state)
{
    (void)state;
    struct report_witness w;
    struct report_pair p;
    struct report *r = sample(&w, &p);
    struct buf out = {0};
    struct report_style plain = {false};
    report_writer_find("json", 4)->write(r, plain, &out);
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
    struct report_style plain = {false};
    r->error = "no such file";
    r->exit_code = 2;
    const struct report_writer *json = report_writer_find("json", 4);
    assert_true(json->machine);
    json->write(r, plain, &out);
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
    struct report_style plain = {false}, coloured = {true};
    const struct report_writer *text = report_writer_find("text", 4);
    text->write(r, plain, &out);
    const char *body = buf_text(&out);
    assert_memory_equal(body, "different  main", 15);
    assert_null(strchr(body, '\033'));
    /* Control bytes of names and messages never reach a terminal. */
    assert_non_null(strstr(body, "because\\x0a\"quoted\""));
    assert_non_null(strstr(body, "C[0, 3]   untuned 13.0   tuned 0.1"));
    assert_non_null(strstr(body, "A[0, 1] * B[1, 3]"));
    out.len = 0;
    text->write(r, coloured, &out);
    assert_non_null(strchr(buf_text(&out), '\033'));
    buf_fini(&out);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(worst_of_pairs),
        cmocka_unit_test(lists_are_sorted_sets),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(json_of_an_error),
        cmocka_unit_test(text_starts_with_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
