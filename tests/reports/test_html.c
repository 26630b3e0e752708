/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of HTML, from a model made by hand: what is there and what is left out,
 * names that would be markup, the same bytes from a report read back from its
 * JSON; and plots in JSON that are none, which are refused.
 */
#include "ir/base/json.h"
#include "reports/reports.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#define EVIL     "<script>alert(1)</script>"
#define EVIL_TOO "x\" onload='go()' </title></desc></style>]]>--><!--"

static const char *page_of(const struct report *r, struct buf *out)
{
    const struct report_writer *w = report_writer_find("html", 4);
    assert_non_null(w);
    assert_true(w->plots);
    report_write_one(w, r, (struct report_style){0}, out);
    return buf_text(out);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

/* ---- a model --------------------------------------------------------------------- */

static void fill_grids(struct report *r, struct report_plots *p)
{
    static uint64_t seen[] = {1, 1, 1, 0}, ulp[] = {0, 1, UINT64_MAX, 0};
    static uint64_t counts[] = {3, 0, 0, 1};
    p->output = EVIL;
    p->dtype = "float32";
    p->input = "exact, seed 1";
    p->heat = ARENA_NEW(r->arena, struct report_heat);
    *p->heat = (struct report_heat){2, 2, 1, {2, 2, seen}, {2, 2, ulp}};
    p->ulps = ARENA_NEW(r->arena, struct report_histogram);
    p->ulps->equal = 1;
    p->ulps->odd = 1;
    p->ulps->above[0] = 1;
    p->bound = ARENA_NEW(r->arena, struct report_bound);
    *p->bound = (struct report_bound){.left = -3,
                                      .bottom = -2,
                                      .step = 1,
                                      .count = {2, 2, counts},
                                      .elements = 6,
                                      .equal = 2,
                                      .beyond = 1};
}

static void fill_sums(struct report *r, struct report_plots *p)
{
    static int64_t forwards[] = {0, 1, -1, 2, -1}, other[] = {0, 2, -1, 3, -1};
    static struct report_step steps[] = {{2, 1.5, 0}, {3, 2.25, -0.125}};
    p->element = "C[0, " EVIL_TOO "]";
    p->operation = "sum";
    report_add(r, &p->terms, "0");
    report_add(r, &p->terms, "A[0]");
    report_add(r, &p->terms, "%s", EVIL);
    report_add(r, &p->terms, "tuned only");
    p->untuned = (struct report_reduction){
        "one after the other", 3, 5, forwards, 2, steps};
    p->tuned = (struct report_reduction){"one after the other, in an order of "
                                         "its own",
                                         3,
                                         5,
                                         other,
                                         2,
                                         steps};
}

static void fill_sources(struct report *r, struct report_pair *pair)
{
    static const char *const tuned[] = {
        "def f(A):", "    X[i] = first(A)",
        "    for i in T.serial(4):", "        call(A, i)",
        ("        Y[i] = A[i] # " EVIL)};
    static const char *const untuned[] = {
        "def f(A):", "    for i_1 in T.serial(4):", "        call(A, i_1)",
        "        Z[i_1] = A[i_1]", "    X[i] = first(A)"};
    pair->sources = ARENA_ARRAY(r->arena, 2, struct report_source);
    pair->sources[0] = (struct report_source){.name = "u.py", .first = 7};
    pair->sources[1] =
        (struct report_source){.name = EVIL_TOO, .first = 20, .cut = true};
    for (size_t i = 0; i < 5; i++) {
        report_add(r, &pair->sources[0].lines, "%s", untuned[i]);
        report_add(r, &pair->sources[1].lines, "%s", tuned[i]);
    }
}

static void fill_race(struct report *r, struct report_pair *pair)
{
    static struct report_place places[] = {
        {true, EVIL_TOO, 24, "Y[i] = A[i]", "k = 0, i = 1", "read", "tx 3"},
        {true, EVIL_TOO, 21, EVIL, "k = 1, i = 1", "write", EVIL}};
    static struct report_barrier barriers[] = {{22, EVIL}};
    static struct report_origin origin = {.nplaces = 2,
                                          .places = places,
                                          .cause = EVIL,
                                          .formula_tuned = EVIL_TOO};
    (void)r;
    pair->origin = &origin;
    pair->plots->nbarriers = 1;
    pair->plots->barriers = barriers;
}

static struct report *model(void)
{
    static int64_t index[] = {0};
    struct report *r = report_new();
    struct report_pair *pair = ARENA_NEW(r->arena, struct report_pair);
    struct report_witness *w = ARENA_NEW(r->arena, struct report_witness);
    struct report_target *t = ARENA_ARRAY(r->arena, 2, struct report_target);
    *w = (struct report_witness){.kind = "fault",
                                 .fault = "race",
                                 .message = EVIL,
                                 .parameter = EVIL,
                                 .nindex = 1,
                                 .index = index,
                                 .smallest = EVIL_TOO,
                                 .input = "exact"};
    t[0] = (struct report_target){.target = EVIL, .outcome = REPORT_EXACT};
    t[1] = (struct report_target){.target = "gcc",
                                  .hypothesis = EVIL_TOO,
                                  .reason = EVIL,
                                  .outcome = REPORT_EXPLAINED,
                                  .ran = true};
    *pair = (struct report_pair){.function = EVIL,
                                 .verdict = REPORT_UNSAFE,
                                 .evidence = REPORT_RUN,
                                 .exit_code = 1,
                                 .reason = EVIL_TOO,
                                 .witness = w,
                                 .command = "diffcheck '" EVIL "'",
                                 .ntargets = 2,
                                 .targets = t};
    pair->plots = ARENA_NEW(r->arena, struct report_plots);
    fill_grids(r, pair->plots);
    fill_sums(r, pair->plots);
    fill_sources(r, pair);
    fill_race(r, pair);
    report_add(r, &pair->notes, "%s", EVIL);
    report_add(r, &pair->assumptions, "%s", EVIL_TOO);
    report_add(r, &r->environment, "Z3 %s", EVIL);
    r->tuned = EVIL_TOO;
    r->untuned = "u.py";
    r->exit_code = 1;
    r->npairs = 1;
    r->pairs = pair;
    return r;
}

/* ---- the page -------------------------------------------------------------------- */

/* Whatever names say, the page has one script, and no attribute of theirs. */
static void names_are_text(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    const char *page = page_of(r, &out);
    (void)state;
    assert_int_equal(count(page, "<script"), 1);
    assert_int_equal(count(page, "</script"), 1);
    assert_int_equal(count(page, "<style"), 1);
    assert_int_equal(count(page, "alert(1)"),
                     count(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_true(count(page, "alert(1)") > 15);
    assert_null(strstr(page, "<!--"));
    assert_null(strstr(page, " onload='"));
    assert_non_null(strstr(page, "x&quot; onload=&#39;go()&#39; &lt;/title"));
    report_free(r);
    buf_fini(&out);
}

static void all_is_drawn(void **state)
{
    static const char *const parts[] = {
        "<figure class=\"plot heat\">", "<figure class=\"plot ulps\">",
        "<figure class=\"plot bound\">", "<figure class=\"plot growth\">",
        "<figure class=\"plot trees\">", "<figure class=\"plot race\">",
        /* of four cells three were computed, two differ, one is NaN */
        "2 of 3 cells have an element that differs; the most, NaN or "
        "undefined on one side, in row 1, column 0.",
        "1 elements are equal, 0 smaller and 1 larger in the tuned module, 1 "
        "NaN or undefined on one side",
        "Of 6 elements 1 differs by more than the bound",
        "Tuned (solid): the result is 2.25, off by -0.12",
        "In the tuned module alone (crosses): tuned only.",
        "In the untuned module alone (crosses): A[0].",
        "in iteration k = 1. The tuned module has 1 barrier;",
        /* the statement that moved names its line on the other side */
        "href=\"#p1-u11\"", "href=\"#p1-t21\"", "<td class=\"mark\">yes</td>",
        "id=\"p1-cmd\""};
    struct buf out = {0};
    struct report *r = model();
    const char *page = page_of(r, &out);
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(parts); i++)
        if (strstr(page, parts[i]) == NULL)
            fail_msg("the page has no '%s'", parts[i]);
    report_free(r);
    buf_fini(&out);
}

/* Marks that turn text round are shown, as are bytes that are no text. */
static void odd_bytes_are_shown(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    (void)state;
    r->pairs[0].function = "a\xe2\x80\xae"
                           "b\xff\x1b[31m";
    const char *page = page_of(r, &out);
    assert_non_null(strstr(page, "aU+202Eb\\xff\\x1b[31m"));
    assert_null(strstr(page, "\xe2\x80\xae"));
    assert_true(utf8_valid(page, out.len, &(size_t){0}));
    report_free(r);
    buf_fini(&out);
}

/* A value without a name is that of no loop. */
static void nameless_variables_are_none(void **state)
{
    static struct report_place places[2];
    struct buf out = {0};
    struct report *r = model();
    struct report_origin *o = r->pairs[0].origin;
    (void)state;
    memcpy(places, o->places, sizeof places);
    places[0].vars = " = 1";
    places[1].vars = " = 2";
    struct report_origin nameless = *o;
    nameless.places = places;
    r->pairs[0].origin = &nameless;
    r->pairs[0].sources[1].lines.items[0] = "T.thread_binding(4)";
    const char *page = page_of(r, &out);
    assert_non_null(strstr(page, "plot race"));
    assert_null(strstr(page, "in iteration"));
    report_free(r);
    buf_fini(&out);
}

static void what_is_absent_says_why(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    struct report_plots *p = r->pairs[0].plots;
    (void)state;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < REPORT_NPLOTS; i++)
        p->why[i] = i == REPORT_PLOT_TREES ? EVIL : "it has faulted";
    r->pairs[0].sources = NULL;
    r->pairs[0].origin = NULL;
    r->pairs[0].ntargets = 0;
    const char *page = page_of(r, &out);
    assert_null(strstr(page, "<figure"));
    assert_non_null(strstr(page, "Not drawn: where the output differs, signed "
                                 "distances, |difference| against the error "
                                 "bound, growth of the error. It has "
                                 "faulted.</p>"));
    assert_non_null(strstr(page, "Not drawn: trees of both sides. "
                                 "&lt;script&gt;alert(1)"));
    assert_int_equal(count(page, "<script"), 1);
    assert_non_null(strstr(page, "side by side</b> is not drawn"));
    out.len = 0;
    r->pairs[0].plots = NULL;
    page = page_of(r, &out);
    assert_non_null(strstr(page, "was not asked for a page"));
    report_free(r);
    buf_fini(&out);
}

/* The table filters by so many targets; a row of another claims none of them. */
static void a_target_beyond_the_filter_has_no_number(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    struct report_pair *pairs = ARENA_ARRAY(r->arena, 2, struct report_pair);
    (void)state;
    pairs[0] = pairs[1] = r->pairs[0];
    pairs[0].ntargets = pairs[1].ntargets = 64;
    for (size_t p = 0; p < 2; p++) {
        pairs[p].targets = ARENA_ARRAY(r->arena, 64, struct report_target);
        for (size_t i = 0; i < 64; i++)
            pairs[p].targets[i] = (struct report_target){
                .target = arena_printf(r->arena, "t%zu", 64 * p + i),
                .outcome = p == 0 ? REPORT_EXACT : REPORT_WRONG};
    }
    r->pairs = pairs;
    r->npairs = 2;
    const char *page = page_of(r, &out);
    assert_non_null(strstr(page, "<option value=\"63\">not exact on t63<"));
    assert_null(strstr(page, "data-t="));
    report_free(r);
    buf_fini(&out);
}

/* --no-times: 0 s was not measured. */
static void no_time_is_no_time(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    (void)state;
    const char *page = page_of(r, &out);
    assert_null(strstr(page, "<dt>Took</dt>"));
    assert_non_null(strstr(page, "<td class=\"number\"></td>"));
    out.len = 0;
    r->pairs[0].steps = 7;
    page = page_of(r, &out);
    assert_non_null(
        strstr(page, "<dt>Took</dt><dd>7 steps of the interpreter</dd>"));
    out.len = 0;
    r->pairs[0].time_s = 2;
    page = page_of(r, &out);
    assert_non_null(strstr(page, "7 steps of the interpreter, 2.0 s</dd>"));
    report_free(r);
    buf_fini(&out);
}

static void an_error_is_a_row(void **state)
{
    struct buf out = {0};
    struct report *r = model();
    (void)state;
    r->error = "cannot read " EVIL;
    r->exit_code = REPORT_EXIT_USAGE;
    const char *page = page_of(r, &out);
    assert_non_null(strstr(page, "data-v=\"error\""));
    assert_non_null(strstr(page, "cannot read &lt;script&gt;"));
    assert_int_equal(count(page, "<script"), 1);
    report_free(r);
    buf_fini(&out);
}

/* ---- JSON ------------------------------------------------------------------------ */

static struct report *read_back(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = json_parse(text, strlen(text), "r.json", sink);
    assert_non_null(doc);
    struct report *r = report_read(json_root(doc), "r.json", sink);
    assert_true(r != NULL || diag_error_count(sink) == 1);
    if (r == NULL)
        assert_string_equal(diag_at(sink, 0)->code, "report.member");
    json_free(doc);
    diag_sink_free(sink);
    return r;
}

static void the_page_is_the_same_from_json(void **state)
{
    struct buf first = {0}, second = {0}, json = {0};
    struct json_writer w = {.out = &json};
    struct report *r = model();
    (void)state;
    report_put_object(&w, r);
    struct report *again = read_back(buf_text(&json));
    assert_non_null(again);
    assert_string_equal(page_of(r, &first), page_of(again, &second));
    report_free(again);
    report_free(r);
    buf_fini(&first);
    buf_fini(&second);
    buf_fini(&json);
}

/* The text with the first `from` behind `key` replaced. */
static char *changed(const char *text, const char *key, const char *from,
                     const char *to)
{
    const char *at = strstr(text, key);
    struct buf out = {0};
    assert_non_null(at);
    at = strstr(at, from);
    assert_non_null(at);
    buf_append(&out, text, (size_t)(at - text));
    buf_puts(&out, to);
    buf_puts(&out, at + strlen(from));
    return out.data;
}

static void plots_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *key, *from, *to;
    } changes[] = {
        {"\"heat\":{", "\"rows\":2", "\"rows\":3"},
        {"\"heat\":{", "\"rows\":2", "\"rows\":65"},
        {"\"heat\":{", "\"rows\":2", "\"rows\":-1"},
        {"\"heat\":{", "\"down\":2", "\"down\":1"},
        {"\"heat\":{", "\"cells\":[1", "\"cells\":[\"1\""},
        {"\"ulps\":{", "\"below\":[0", "\"below\":[0,0"},
        {"\"bound\":{", "\"step\":1", "\"step\":0"},
        {"\"bound\":{", "\"left\":-3", "\"left\":-30000"},
        {"\"untuned\":{\"order\"", "[0,1,-1,2,-1]", "[0,1,-1,2]"},
        {"\"untuned\":{\"order\"", "[0,1,-1,2,-1]", "[0,-1,1,2,-1]"},
        {"\"untuned\":{\"order\"", "[0,1,-1,2,-1]", "[0,1,-1,4,-1]"},
        {"\"untuned\":{\"order\"", "[0,1,-1,2,-1]", "[0,1,-2,2,-1]"},
        {"\"untuned\":{\"order\"", "[2,1.5,0", "[2,1e999,0"},
        {"\"untuned\":{\"order\"", "[2,1.5,0", "[2,\"nan\",0"},
        {"\"untuned\":{\"order\"", "[2,1.5,0", "[0,1.5,0"},
        {"\"heat\":{", "\"down\":2", "\"down\":9223372036854775807"},
        {"\"heat\":{", "\"folded\":1", "\"folded\":9223372036854775807"},
        {"\"time_s\"", "\"time_s\":0.0", "\"time_s\":\"nan\""},
        {"\"time_s\"", "\"time_s\":0.0", "\"time_s\":1e999"},
        {"\"time_s\"", "\"time_s\":0.0", "\"time_s\":-1"},
        {"\"plots\":{", "\"operation\":\"sum\"", "\"operation\":7"},
        {"\"plots\":{", "\"terms\":[\"0\"", "\"terms\":[0"},
        {"\"barriers\":", "\"line\":22", "\"line\":1.5"},
        {"\"sources\":{", "\"first\":7", "\"first\":null"},
    };
    struct buf json = {0};
    struct json_writer w = {.out = &json};
    struct report *r = model();
    (void)state;
    report_put_object(&w, r);
    for (size_t i = 0; i < DC_ARRAY_LEN(changes); i++) {
        char *bad = changed(buf_text(&json), changes[i].key, changes[i].from,
                            changes[i].to);
        struct report *none = read_back(bad);
        if (none != NULL)
            fail_msg("%s -> %s is read", changes[i].from, changes[i].to);
        dc_release(bad);
    }
    report_free(r);
    buf_fini(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(all_is_drawn),
        cmocka_unit_test(odd_bytes_are_shown),
        cmocka_unit_test(nameless_variables_are_none),
        cmocka_unit_test(what_is_absent_says_why),
        cmocka_unit_test(a_target_beyond_the_filter_has_no_number),
        cmocka_unit_test(no_time_is_no_time),
        cmocka_unit_test(an_error_is_a_row),
        cmocka_unit_test(the_page_is_the_same_from_json),
        cmocka_unit_test(plots_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
