/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates: those that the prover writes are confirmed, those that were
 * changed are not, also where the closing hash was made to fit again, nor those
 * of other modules.
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <inttypes.h>
#include <string.h>

#define HEADER                                     \
    "from typing import TypeVar\n"                 \
    "from tvm.script import ir as I\n"             \
    "from tvm.script import tirx as T\n\n"         \
    "n = TypeVar(\"n\")\n"                         \
    "@T.prim_func(s_tir=True)\n"                   \
    "def main(A: T.Buffer((n, 32), \"float32\"), " \
    "C: T.Buffer((n,), \"float32\")):\n"

/* Row sums, in tiles of 8 rows, and backwards. */
static const char rows[] = HEADER "    for i in range(n):\n"
                                  "        C[i] = T.float32(0)\n"
                                  "        for k in range(32):\n"
                                  "            C[i] = C[i] + A[i, k]\n";
static const char tiled[] = HEADER
    "    for io in range((n + 7) // 8):\n"
    "        for ii in T.parallel(8):\n"
    "            if io * 8 + ii < n:\n"
    "                C[io * 8 + ii] = T.float32(0)\n"
    "                for k in range(32):\n"
    "                    C[io * 8 + ii] = C[io * 8 + ii] + A[io * 8 + ii, k]\n";
static const char backwards[] =
    HEADER "    for i in range(n):\n"
           "        C[i] = T.float32(0)\n"
           "        for k in range(32):\n"
           "            C[i] = C[i] + A[i, 31 - k]\n";

static struct ir_module *module(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "case.py", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        print_error("%s\n%s\n", buf_text(&said), text);
        buf_fini(&said);
        fail();
    }
    diag_sink_free(sink);
    return m;
}

struct pair {
    struct ir_module *tuned, *untuned;
    struct verifier_result proof;
};

static void prove_pair(struct pair *p, const char *tuned, const char *untuned,
                       enum verifier_verdict want)
{
    struct verifier_options options = {.certificate = ""};
    p->tuned = module(tuned);
    p->untuned = module(untuned);
    verifier_prove(p->tuned, p->tuned->funcs[0], p->untuned,
                   p->untuned->funcs[0], &options, &p->proof);
    if (p->proof.verdict != want)
        fail_msg("not proved as expected: %s", p->proof.reason);
    assert_true(p->proof.certificate.len > 0);
}

static void pair_fini(struct pair *p)
{
    verifier_result_fini(&p->proof);
    ir_module_free(p->tuned);
    ir_module_free(p->untuned);
}

static enum verifier_check check(const struct pair *p, const char *text,
                                 size_t len, struct buf *why)
{
    struct verifier_confirmation c;
    verifier_check_certificate(text, len, p->tuned, p->tuned->funcs[0],
                               p->untuned, p->untuned->funcs[0], &c);
    enum verifier_check outcome = c.outcome;
    if (outcome == VERIFIER_CONFIRMED)
        assert_true(c.obligations > 0);
    else
        assert_non_null(c.reason);
    if (why != NULL && c.reason != NULL)
        buf_puts(why, c.reason);
    verifier_confirmation_fini(&c);
    return outcome;
}

static void test_confirmed(void **state)
{
    static const struct {
        const char *tuned;
        enum verifier_verdict verdict;
    } cases[] = {{tiled, VERIFIER_IDENTICAL}, {backwards, VERIFIER_ORDER_ONLY}};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct pair p;
        struct buf why = {0};
        prove_pair(&p, cases[i].tuned, rows, cases[i].verdict);
        if (check(&p, p.proof.certificate.data, p.proof.certificate.len,
                  &why) != VERIFIER_CONFIRMED)
            fail_msg("case %zu: %s", i, buf_text(&why));
        buf_fini(&why);
        pair_fini(&p);
    }
}

static void test_other_modules(void **state)
{
    struct pair p, q;
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    prove_pair(&q, backwards, rows, VERIFIER_ORDER_ONLY);
    const struct buf *a = &p.proof.certificate, *b = &q.proof.certificate;
    assert_int_equal(check(&p, b->data, b->len, NULL), VERIFIER_REFUSED);
    assert_int_equal(check(&q, a->data, a->len, NULL), VERIFIER_REFUSED);
    pair_fini(&p);
    pair_fini(&q);
}

/* What is said of a certificate whose hash fits again. */
#define VERSION "it is no certificate of this version"
#define CHANGED "it is cut short or was changed"
#define OTHERS  "it is about other functions"
#define LINE    "is not what the modules give"

/* The first `find` becomes `put`. Empty find: at the end. */
struct edit {
    const char *label, *find, *put, *says;
};

// clang-format off
static const struct edit edits[] = {
    {"format", "certificate 1", "certificate 2", VERSION},
    {"hash of the untuned module", "untuned ", "untuned f", OTHERS},
    {"hash of the tuned module", "\ntuned ", "\ntuned 0", OTHERS},
    {"untuned name", " main\n", " niam\n", OTHERS},
    {"names exchanged", "\ntuned", "\nuntuned", OTHERS},
    {"weaker claim", "claim identical", "claim order-only", LINE},
    {"another claim", "claim identical", "claim precision", LINE},
    {"no claim", "claim identical\n", "", LINE},
    {"an assumption more", "\nassume", "\nassume all is well\nassume", LINE},
    {"an assumption changed", "2^30", "2^20", LINE},
    {"a value changed", "from 0.0", "from 1.0", LINE},
    {"a value left out", "value untuned", "walue untuned", LINE},
    {"side of a value", "value tuned", "value untuned", LINE},
    {"a value's parameter", "value untuned 1", "value untuned 0", LINE},
    {"an obligation renamed", "obligation 1 ", "obligation 1 not ", LINE},
    {"an obligation renumbered", "obligation 2", "obligation 3", LINE},
    {"an obligation's head left out", "obligation 2", "obligatio 2", LINE},
    {"a goal that is true", "(assert (not ", "(assert (or true ", LINE},
    {"a goal that is false", "(assert (not ", "(assert (or false ", LINE},
    {"a contradiction added", "(check-sat)", "(assert false)\n(check-sat)", LINE},
    {"a context left out", "(assert (>=", "(assert (distinct 1 2 (- 1)", LINE},
    {"a variable renamed", "(declare-const |", "(declare-const |x", LINE},
    {"another logic", "QF_LIA", "QF_NIA", LINE},
    {"no question", "(check-sat)\n", "", LINE},
    {"the question asked twice", "(check-sat)\n", "(check-sat)\n(check-sat)\n", LINE},
    {"a solver that is told the answer", "(check-sat)", "(echo \"unsat\")", LINE},
    {"the number of obligations", "\nend ", "\nend 1", LINE},
    {"a comment", "(check-sat)\n", "(check-sat)\n; fine\n", LINE},
    {"something after the end", "", "end 0 0000000000000000\n", LINE},
    {"a zero byte's place", "claim", "cl\001im", LINE},
    {"a tuned name", "\ntuned ", "\ntuned 0123456789abcdef other\ntuned ",
     OTHERS},
    {"a constant edited", "(* (- 1)", "(* (- 2)", LINE},
    {"a huge constant", "(* (- 1)", "(* (- 10000000000000000000000)", LINE},
    {"the number of obligations is huge", "\nend ",
     "\nend 99999999999999999999", LINE},
    {"another line end", "\nclaim", "\r\nclaim", OTHERS},
    {"a claim twice", "claim identical\n",
     "claim identical\nclaim identical\n", LINE},
    {"an assumption left out", "\nassume", "\nnothing", LINE},
};
// clang-format on

/* Makes the end line's hash fit the text before it. */
static void sign(struct buf *text)
{
    size_t last = text->len;
    if (last > 0)
        last--;
    while (last > 0 && text->data[last - 1] != '\n')
        last--;
    if (text->len < last + 18 || memcmp(text->data + last, "end ", 4) != 0)
        return;
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64 "\n",
                   hash_bytes(0, text->data, last));
    memcpy(text->data + text->len - 17, digits, 17);
}

static void apply(const struct edit *e, const struct buf *from, struct buf *out)
{
    const char *at =
        *e->find ? strstr(from->data, e->find) : from->data + from->len;
    if (at == NULL)
        fail_msg("%s: nothing to change", e->label);
    size_t before = (size_t)(at - from->data);
    buf_append(out, from->data, before);
    buf_puts(out, e->put);
    at += strlen(e->find);
    buf_append(out, at, from->len - (size_t)(at - from->data));
}

static void test_changed(void **state)
{
    struct pair p;
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    for (size_t i = 0; i < DC_ARRAY_LEN(edits); i++) {
        for (int signed_again = 0; signed_again < 2; signed_again++) {
            struct buf text = {0}, why = {0};
            apply(&edits[i], &p.proof.certificate, &text);
            if (signed_again)
                sign(&text);
            enum verifier_check got = check(&p, text.data, text.len, &why);
            /* the version comes first, and the hash is of what is before it */
            bool fits = signed_again || strcmp(edits[i].says, VERSION) == 0 ||
                        strcmp(edits[i].find, "\nend ") == 0;
            const char *says = fits ? edits[i].says : CHANGED;
            if (got != VERIFIER_REFUSED || strstr(buf_text(&why), says) == NULL)
                fail_msg("%s%s: wanted '%s': %s", edits[i].label,
                         signed_again ? ", signed again" : "", says,
                         got == VERIFIER_CONFIRMED ? "confirmed"
                                                   : buf_text(&why));
            buf_fini(&text);
            buf_fini(&why);
        }
    }
    pair_fini(&p);
}

/* ---- whole parts moved ------------------------------------------------------ */

/* The n-th part (from 1) that begins with `head` at a line's start, to the next
 * obligation, value or end. */
static void find_part(const struct buf *text, const char *head, size_t n,
                      size_t *start, size_t *size)
{
    static const char *const heads[] = {"\nobligation ", "\nvalue ", "\nend "};
    const char *at = text->data;
    for (size_t i = 0; i < n; i++) {
        at = strstr(at, head);
        assert_non_null(at);
        at++;
    }
    *start = (size_t)(at - text->data);
    *size = text->len - *start;
    for (size_t i = 0; i < DC_ARRAY_LEN(heads); i++) {
        const char *next = strstr(at, heads[i]);
        if (next != NULL && (size_t)(next + 1 - at) < *size)
            *size = (size_t)(next + 1 - at);
    }
}

/* Parts i and k of that head, i before k, change places; k twice where i is 0,
 * i left out where k is 0. */
struct move {
    const char *label, *head;
    size_t i, k;
};

static const struct move moves[] = {
    {"an obligation left out", "\nobligation ", 1, 0},
    {"another obligation left out", "\nobligation ", 3, 0},
    {"an obligation twice", "\nobligation ", 0, 2},
    {"obligations reordered", "\nobligation ", 1, 2},
    {"the sides' values exchanged", "\nvalue ", 1, 2},
    {"a value left out", "\nvalue ", 2, 0},
    {"a value twice", "\nvalue ", 0, 1},
};

static void apply_move(const struct move *m, const struct buf *from,
                       struct buf *out)
{
    size_t a = 0, na = 0, b = 0, nb = 0;
    if (m->i > 0)
        find_part(from, m->head, m->i, &a, &na);
    if (m->k > 0)
        find_part(from, m->head, m->k, &b, &nb);
    if (m->k == 0) {
        buf_append(out, from->data, a);
        buf_append(out, from->data + a + na, from->len - a - na);
        return;
    }
    if (m->i == 0) {
        buf_append(out, from->data, b + nb);
        buf_append(out, from->data + b, from->len - b);
        return;
    }
    buf_append(out, from->data, a);
    buf_append(out, from->data + b, nb);
    buf_append(out, from->data + a + na, b - a - na);
    buf_append(out, from->data + a, na);
    buf_append(out, from->data + b + nb, from->len - b - nb);
}

static void refused(const struct pair *p, const char *label, const void *text,
                    size_t len, const char *says)
{
    struct buf why = {0};
    enum verifier_check got = check(p, text, len, &why);
    if (got != VERIFIER_REFUSED || strstr(buf_text(&why), says) == NULL)
        fail_msg("%s: wanted '%s': %s", label, says,
                 got == VERIFIER_CONFIRMED ? "confirmed" : buf_text(&why));
    buf_fini(&why);
}

static void test_moved(void **state)
{
    struct pair p;
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    for (size_t i = 0; i < DC_ARRAY_LEN(moves); i++) {
        struct buf text = {0};
        apply_move(&moves[i], &p.proof.certificate, &text);
        refused(&p, moves[i].label, text.data, text.len, CHANGED);
        sign(&text);
        refused(&p, moves[i].label, text.data, text.len, LINE);
        buf_fini(&text);
    }
    pair_fini(&p);
}

/* The names and hashes of this pair over the proof of another: its values, its
 * maps between terms, its claim. */
static void test_other_proof(void **state)
{
    struct pair p, q;
    struct buf text = {0};
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    prove_pair(&q, backwards, rows, VERIFIER_ORDER_ONLY);
    const char *head = strstr(p.proof.certificate.data, "claim ");
    const char *rest = strstr(q.proof.certificate.data, "claim ");
    buf_append(&text, p.proof.certificate.data,
               (size_t)(head - p.proof.certificate.data));
    buf_puts(&text, rest);
    sign(&text);
    refused(&p, "another proof", text.data, text.len, LINE);
    buf_fini(&text);
    pair_fini(&p);
    pair_fini(&q);
}

/* Anything at all in place of a certificate. */
static void test_garbage(void **state)
{
    struct pair p;
    struct buf text = {0};
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    refused(&p, "nothing", "", 0, VERSION);
    refused(&p, "a line end", "\n", 1, VERSION);
    refused(&p, "zero bytes", "\0\0\0\0\0\0\0\0", 8, VERSION);
    refused(&p, "the first line", "diffcheck-certificate 1\n", 24, CHANGED);
    refused(&p, "an end alone", "diffcheck-certificate 1\nend ", 28, CHANGED);
    for (uint64_t i = 0; i < 4096; i++)
        buf_putc(&text, (char)hash_mix(7, i));
    refused(&p, "random bytes", text.data, text.len, VERSION);
    text.len = 0;
    buf_puts(&text, "diffcheck-certificate 1\n");
    for (uint64_t i = 0; i < 4096; i++)
        buf_putc(&text, (char)hash_mix(8, i));
    refused(&p, "random bytes after the first line", text.data, text.len,
            CHANGED);
    text.len = 0;
    buf_puts(&text, "diffcheck-certificate 1\n");
    for (size_t i = 0; i < 1 << 20; i++)
        buf_putc(&text, 'a');
    buf_puts(&text, "\nend 0 0000000000000000\n");
    sign(&text);
    refused(&p, "a line of a megabyte", text.data, text.len, OTHERS);
    buf_fini(&text);
    pair_fini(&p);
}

/* The same functions, one of them with another body, have other hashes. */
static void test_edited_module(void **state)
{
    static const char eight[] = HEADER "    for i in range(n):\n"
                                       "        C[i] = T.float32(0)\n"
                                       "        for k in range(31):\n"
                                       "            C[i] = C[i] + A[i, k]\n";
    struct pair p;
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    struct ir_module *kept = p.untuned;
    p.untuned = module(eight);
    refused(&p, "an edited module", p.proof.certificate.data,
            p.proof.certificate.len, OTHERS);
    ir_module_free(p.untuned);
    p.untuned = kept;
    struct pair swapped = {.tuned = p.untuned, .untuned = p.tuned};
    refused(&swapped, "sides exchanged", p.proof.certificate.data,
            p.proof.certificate.len, OTHERS);
    pair_fini(&p);
}

/* Cut anywhere, or with any byte changed. */
static void test_cut(void **state)
{
    struct pair p;
    (void)state;
    prove_pair(&p, tiled, rows, VERIFIER_IDENTICAL);
    const struct buf *whole = &p.proof.certificate;
    for (size_t len = 0; len < whole->len; len += 1 + whole->len / 50)
        assert_int_equal(check(&p, whole->data, len, NULL), VERIFIER_REFUSED);
    struct buf text = {0};
    buf_append(&text, whole->data, whole->len);
    for (size_t i = 0; i < text.len; i += 1 + text.len / 50) {
        text.data[i] ^= 1;
        assert_int_equal(check(&p, text.data, text.len, NULL),
                         VERIFIER_REFUSED);
        text.data[i] ^= 1;
    }
    assert_int_equal(check(&p, text.data, text.len, NULL), VERIFIER_CONFIRMED);
    buf_fini(&text);
    pair_fini(&p);
}

static void test_find(void **state)
{
    static const char two[] = "diffcheck-certificate 1\n"
                              "untuned 0123456789abcdef a\nend 0 0\n"
                              "diffcheck-certificate 1\n"
                              "untuned 0123456789abcdef bc\nend 0 0\n";
    size_t start = 0, size = 0, len = sizeof two - 1;
    (void)state;
    assert_true(verifier_find_certificate(two, len, "a", &start, &size));
    assert_int_equal(start, 0);
    assert_int_equal(size, 24 + 27 + 8);
    assert_true(verifier_find_certificate(two, len, "bc", &start, &size));
    assert_int_equal(start, 59);
    assert_int_equal(start + size, len);
    assert_false(verifier_find_certificate(two, len, "b", &start, &size));
    assert_false(verifier_find_certificate(two, 0, "a", &start, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confirmed),
        cmocka_unit_test(test_other_modules),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_other_proof),
        cmocka_unit_test(test_edited_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
