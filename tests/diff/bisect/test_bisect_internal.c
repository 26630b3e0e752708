/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of bisect that are no comparison: what changed between two texts, as
 * a person would mark it.
 */
#include "diff/bisect/bisect.h"
#include "tests/test.h"

#include <string.h>

static void lines_that_differ(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *want;
        size_t most;
    } rows[] = {
        {"", "", "", 9},
        {"a\nb\n", "a\nb\n", "", 9},
        {"a\n", "b\n", "- a\n+ b\n", 9},
        {"", "a\n", "+ a\n", 9},
        {"a\n", "", "- a\n", 9},
        {"a\nb\nc", "a\nc", "  a\n- b\n  c\n", 9},
        /* two lines around a change, others are left out */
        {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n",
         "  2\n  3\n+ x\n  4\n  5\n", 9},
        {"a\n1\n2\n3\n4\n5\nb\n", "x\n1\n2\n3\n4\n5\ny\n",
         "- a\n+ x\n  1\n  2\n  ...\n  4\n  5\n- b\n+ y\n", 99},
        /* what stays is as much as can */
        {"a\nb\nc\nd\n", "b\nd\na\n", "- a\n  b\n- c\n  d\n+ a\n", 9},
        {"a\nb\nc\n", "x\ny\nz\n", "- a\n- b\n  (4 more lines differ)\n", 2},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        bisect_put_lines(&out, rows[i].before, rows[i].after, rows[i].most);
        assert_string_equal(buf_text(&out), rows[i].want);
        buf_fini(&out);
    }
}

/* Beyond what is compared line by line, what lies between is another text. */
static void long_texts(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0}, out = {0};
    for (int i = 0; i < 5000; i++) {
        buf_printf(&a, "%d\n", i);
        buf_printf(&b, "%d\n", i == 100 ? -1 : i == 4900 ? -2 : i);
    }
    bisect_put_lines(&out, buf_text(&a), buf_text(&b), 3);
    assert_non_null(strstr(buf_text(&out), "  98\n  99\n- 100\n"));
    assert_non_null(strstr(buf_text(&out), "(9601 more lines differ)\n"));
    buf_fini(&a);
    buf_fini(&b);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_differ),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
