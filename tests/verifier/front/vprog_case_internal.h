/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the interpreter's tests once more, for the front end of the
 * prover: what the last parameter holds afterwards was found by hand there and
 * must be what the program of the function leaves, run by the letter. Rows
 * that expect a fault, or an undefined element, have it on one input: they are
 * never shown safe for all of them. Rows whose indices leave a declared shape
 * are left out.
 *
 * To be included after a file of rows: `cases`.
 */
#ifndef DC_TESTS_UNIT_VPROG_CASE_INTERNAL_H
#define DC_TESTS_UNIT_VPROG_CASE_INTERNAL_H

#include "tests/interp/interp_case.h"
#include "tests/verifier/front/vprog_run_internal.h"
#include "verifier/verifier.h"

/* Rows whose functions have no translation, with what is said of them; NULL:
 * they are left out, as what the prover takes for faulty. */
struct vcase_refused {
    const char *label, *message;
};

static const struct vcase_refused *vcase_list;
static size_t vcase_count;

static const char *vcase_expected(const char *label)
{
    for (size_t i = 0; i < vcase_count; i++)
        if (strcmp(vcase_list[i].label, label) == 0)
            return vcase_list[i].message;
    return NULL;
}

static bool vcase_left_out(const char *label)
{
    for (size_t i = 0; i < vcase_count; i++)
        if (strcmp(vcase_list[i].label, label) == 0)
            return vcase_list[i].message == NULL;
    return false;
}

static void vcase_compare(const struct interp_case *c, const struct vprog *p,
                          struct interp_arg *args, size_t last)
{
    struct vrun run;
    struct buf have = {0};
    vrun(&run, p, args, 100000000);
    if (run.message[0] != '\0')
        fail_msg("%s: %s", c->label, run.message);
    case_put(&have, args[last].tensor);
    if (strcmp(buf_text(&have), c->want) != 0)
        fail_msg("%s: %s instead of %s", c->label, buf_text(&have), c->want);
    buf_fini(&have);
}

static void vcase_run(void **state)
{
    const struct interp_case *c = *state;
    struct buf script = {0};
    buf_printf(&script, HEADER "%s):\n%s", c->params, c->body);
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(buf_text(&script), script.len, "case", sink);
    if (m == NULL)
        case_fail(c, sink, buf_text(&script));
    struct arena *arena = arena_new();
    struct interp_signature sig;
    if (!interp_signature(m, m->funcs[0], NULL, 0, arena, &sig, sink))
        case_fail(c, sink, buf_text(&script));
    struct interp_arg *args =
        ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    for (size_t i = 0; i < sig.nparams; i++)
        if (sig.params[i].is_tensor) {
            for (size_t d = 0; d < sig.params[i].rank; d++)
                if (sig.params[i].shape[d] < 0)
                    sig.params[i].shape[d] = 4;
            args[i].tensor = case_tensor(&sig.params[i], i);
        } else {
            args[i].dtype = sig.params[i].dtype;
            args[i].bits = 4;
        }
    struct vprog *p = vprog_make(m, m->funcs[0]);
    const char *refused = vcase_expected(c->label);
    if (p->unsupported != NULL || refused != NULL) {
        if (p->unsupported == NULL || refused == NULL ||
            strstr(p->unsupported, refused) == NULL)
            fail_msg("%s: '%s' instead of '%s'", c->label,
                     p->unsupported != NULL ? p->unsupported : "",
                     refused != NULL ? refused : "");
    } else {
        vcase_compare(c, p, args, sig.nparams - 1);
    }
    vprog_free(p);
    for (size_t i = 0; i < sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
    arena_free(arena);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&script);
}

/* A row with a fault, or with an undefined element in its last parameter: not
 * shown to have none. */
static void vcase_faulty(void **state)
{
    const struct interp_case *c = *state;
    struct buf script = {0};
    struct verifier_lint lint;
    const struct verifier_options options = {.explicit_barriers =
                                                 c->no_implied};
    buf_printf(&script, HEADER "%s):\n%s", c->params, c->body);
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(buf_text(&script), script.len, "case", sink);
    if (m == NULL)
        case_fail(c, sink, buf_text(&script));
    verifier_lint(m, m->funcs[0], &options, &lint);
    if (lint.safe)
        fail_msg("%s: is called safe", c->label);
    verifier_lint_fini(&lint);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&script);
}

static bool vcase_is_faulty(const struct interp_case *c)
{
    return c->fault != INTERP_OK || (c->want != NULL && strchr(c->want, '?'));
}

/* One test a row that is not left out. */
static void vcase_add(struct CMUnitTest *tests, size_t *k, size_t most,
                      const struct interp_case *c, CMUnitTestFunction run)
{
    union {
        const struct interp_case *in;
        void *out;
    } row = {c};
    assert_true(*k < most);
    tests[*k].name = c->label;
    tests[*k].test_func = run;
    tests[(*k)++].initial_state = row.out;
}

static int vcase_main(const struct interp_case *rows, size_t n,
                      const struct vcase_refused *refused, size_t nrefused)
{
    struct CMUnitTest tests[384];
    size_t k = 0;
    memset(tests, 0, sizeof tests);
    vcase_list = refused;
    vcase_count = nrefused;
    for (size_t i = 0; i < n; i++) {
        if (vcase_is_faulty(&rows[i]))
            vcase_add(tests, &k, DC_ARRAY_LEN(tests), &rows[i], vcase_faulty);
        if (rows[i].fault != INTERP_OK || rows[i].want == NULL ||
            rows[i].beyond != NULL || rows[i].no_implied ||
            rows[i].domain != INTERP_IEEE || vcase_left_out(rows[i].label))
            continue;
        vcase_add(tests, &k, DC_ARRAY_LEN(tests), &rows[i], vcase_run);
    }
    return _cmocka_run_group_tests("front end", tests, k, NULL, NULL);
}

#endif
