/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a gate, line by line as the description of what users see has it; what
 * does not fit is cut or put below; and what a finding is known by.
 */
#include "reports/reports.h"
#include "tests/test.h"

#include <string.h>

static struct report *report_of(enum report_verdict verdict, int exit_code,
                                const char *reason, struct report_witness *w)
{
    struct report *r = report_new();
    r->tuned = "kernels/conv_3.py";
    r->pairs = ARENA_NEW(r->arena, struct report_pair);
    r->pairs[0] = (struct report_pair){.function = "main",
                                       .verdict = verdict,
                                       .exit_code = exit_code,
                                       .reason = reason,
                                       .witness = w};
    r->npairs = 1;
    r->exit_code = exit_code;
    return r;
}

static struct report_witness different(int64_t *index)
{
    unsigned flags = 0;
    struct report_witness w = {.kind = "value",
                               .parameter = "D",
                               .line = 18,
                               .nindex = 2,
                               .index = index};
    w.tuned.kind = w.untuned.kind = REPORT_V_BITS;
    w.tuned.dtype = w.untuned.dtype = DTYPE_FLOAT32;
    w.tuned.bits = num_from_double(DTYPE_FLOAT32, 1, &flags);
    w.untuned.bits = num_from_double(DTYPE_FLOAT32, 4, &flags);
    return w;
}

static void as_described(void **state)
{
    (void)state;
    int64_t index[] = {0, 3};
    struct report_witness w = different(index);
    static const struct report_known known = {.reason = "page tables, see #812",
                                              .until = "2027-02-01"};
    struct report *conv = report_of(REPORT_DIFFERENT, 1, "x", &w);
    struct report *att = report_of(REPORT_AGREES, 0, "17 inputs", NULL);
    att->pairs[0].known = &known;
    struct report_entry entries[] = {{"kernels/att_1", att, 0},
                                     {"kernels/conv_3", conv, 0}};
    struct report_gone gone = {"kernels/norm_2", "main", REPORT_UNSAFE,
                               "now IDENTICAL"};
    struct report_gate gate = {.kernels = 225,
                               .unchanged = 220,
                               .stored = 220,
                               .checked = 5,
                               .ngone = 1,
                               .gone = &gone};
    struct report_set set = {.many = true,
                             .gate = &gate,
                             .n = 2,
                             .entries = entries,
                             .time_s = 1.44};
    struct report_style style = {0};
    struct buf out = {0};
    report_writer_find("text", 4)->write(&set, style, &out);
    assert_string_equal(
        buf_text(&out),
        "225 kernels, 220 unchanged (stored), 5 checked, 1.4 s\n"
        "  new      conv_3    DIFFERENT  D[0, 3] is 1.0, should be 4.0    "
        "kernels/conv_3.py:18\n"
        "  known    att_1     AGREES     accepted until 2027-02-01: page "
        "tables, see #812\n"
        "  fixed    norm_2    was UNSAFE, now IDENTICAL\n"
        "1 new finding, 1 known, 1 fixed\n");
    buf_fini(&out);
    report_free(conv);
    report_free(att);
}

/* No line is wider than asked for, but where a place must be whole. */
static void lines_fit(void **state)
{
    (void)state;
    int64_t index[] = {0, 3};
    struct report_witness w = different(index);
    struct report *r = report_of(REPORT_DIFFERENT, 1, "x", &w);
    struct report *u = report_of(
        REPORT_UNKNOWN, 4,
        "a reason that is longer than any line of a terminal has room for, "
        "\xc3\xa4\xc3\xb6 \x1b[31m and with more behind it to be cut",
        NULL);
    struct report_entry entries[] = {{"k", r, 0}, {"l", u, 0}};
    struct report_gate gate = {.kernels = 2, .checked = 2};
    struct report_set set = {
        .many = true, .gate = &gate, .n = 2, .entries = entries};
    struct report_style style = {.columns = 72};
    struct buf out = {0};
    report_writer_find("text", 4)->write(&set, style, &out);
    assert_non_null(strstr(buf_text(&out), "\n                                "
                                           "kernels/conv_3.py:18\n"));
    assert_null(strchr(buf_text(&out), '\x1b'));
    assert_non_null(strstr(buf_text(&out), "…\n"));
    for (const char *line = buf_text(&out); *line;) {
        size_t n = 0;
        for (; *line != '\n'; line++)
            n += ((unsigned char)*line & 0xc0) != 0x80;
        assert_true(n <= 72);
        line++;
    }
    buf_fini(&out);
    report_free(r);
    report_free(u);
}

static bool same_print(struct report_witness *a, struct report_witness *b,
                       const char *f, const char *g)
{
    struct arena *arena = arena_new();
    struct report_pair p = {.function = f,
                            .verdict = REPORT_DIFFERENT,
                            .exit_code = 1,
                            .witness = a};
    struct report_pair q = p;
    q.function = g;
    q.witness = b;
    bool same = strcmp(report_fingerprint(arena, &p),
                       report_fingerprint(arena, &q)) == 0;
    arena_free(arena);
    return same;
}

static void a_cause_has_no_numbers(void **state)
{
    (void)state;
    struct report *r = report_new();
    struct report_witness a = {.kind = "value", .parameter = "C"}, b = a, c = a,
                          d = a;
    report_add(r, &a.missing, "A[0, 5] * B[5, 3]");
    report_add(r, &a.missing, "A[0, 4] * B[4, 3]");
    report_add(r, &b.missing, "A[1, 7] * B[7, 12]"); /* another element */
    report_add(r, &c.extra, "A[0, 5] * B[5, 3]");
    report_add(r, &d.missing, "A0[0, 5] * B[5, 3]"); /* another name */
    b.line = 9;
    assert_true(same_print(&a, &b, "main", "main"));
    assert_false(same_print(&a, &b, "main", "other"));
    assert_false(same_print(&a, &c, "main", "main"));
    assert_false(same_print(&a, &d, "main", "main"));
    c = a;
    c.parameter = "D";
    assert_false(same_print(&a, &c, "main", "main"));
    c = a;
    c.kind = "enclosure"; /* another rule */
    assert_false(same_print(&a, &c, "main", "main"));
    report_free(r);
}

static void sets_read_back(void **state)
{
    (void)state;
    static const struct report_known known = {
        .reason = "so", .author = "who", .until = "2027-02-01", .exit_code = 1};
    struct report *r = report_of(REPORT_DIFFERENT, 0, "x", NULL);
    r->pairs[0].known = &known;
    r->pairs[0].steps = 12345678901;
    r->pairs[0].again = "again";
    r->pairs[0].expired = true;
    report_add(r, &r->only_tuned, "f");
    report_add(r, &r->only_untuned, "g");
    struct report_entry entries[] = {{"first", r, 0}, {"second", r, 0}};
    struct report_set set = {.many = true, .n = 2, .entries = entries};
    struct report_style style = {0};
    struct report_read_set back = {0};
    struct buf out = {0};
    report_writer_find("json", 4)->write(&set, style, &out);
    assert_true(report_set_read(buf_text(&out), out.len, "x", &back, NULL));
    assert_int_equal(back.len, 2);
    assert_string_equal(back.items[1].name, "second");
    const struct report *got = back.items[1].report;
    const struct report_pair *p = &got->pairs[0];
    assert_string_equal(p->known->reason, "so");
    assert_string_equal(p->known->author, "who");
    assert_string_equal(p->known->until, "2027-02-01");
    assert_int_equal(p->known->exit_code, 1);
    assert_true(p->steps == 12345678901);
    assert_true(p->expired);
    assert_string_equal(p->again, "again");
    assert_string_equal(got->only_tuned.items[0], "f");
    assert_string_equal(got->only_untuned.items[0], "g");
    report_set_fini(&back);
    static const char *const bad[] = {
        "{\"reports\": 3}",
        "{\"reports\": [{\"name\": 1}]}",
        "{\"schema\": 1, \"reports\": [{\"name\": \"a\", \"report\": []}]}",
        "{\"schema\": 1}",
        "[]",
        "{"};
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        assert_false(report_set_read(bad[i], strlen(bad[i]), "x", &back, NULL));
        report_set_fini(&back);
    }
    buf_fini(&out);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_described),
        cmocka_unit_test(lines_fit),
        cmocka_unit_test(a_cause_has_no_numbers),
        cmocka_unit_test(sets_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
