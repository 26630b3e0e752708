/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows for the safety proof of one program: what must be shown, and what must
 * not be, with the kind of the obligation that stands in the way. Verdicts are
 * by hand, from the rules of docs/semantics.md named in the labels.
 *
 * With a second body the first is the untuned program: what it accesses by
 * data is given for the second.
 */
#ifndef DC_TESTS_UNIT_SAFETY_CASE_INTERNAL_H
#define DC_TESTS_UNIT_SAFETY_CASE_INTERNAL_H

#include "tests/test.h"
#include "verifier/compare/match.h"
#include "verifier/safety/safety.h"

#include <string.h>

#define HEADER                             \
    "from typing import TypeVar\n"         \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "n = TypeVar(\"n\")\n"                 \
    "m = TypeVar(\"m\")\n"                 \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

#define F1(name, n) name ": T.Buffer((" #n ",), \"float32\")"
#define I1(name, n) name ": T.Buffer((" #n ",), \"int32\")"
#define BX(n)       "    for bx in T.thread_binding(" #n ", thread=\"blockIdx.x\"):\n"
#define TX(n) \
    "    for tx in T.thread_binding(" #n ", thread=\"threadIdx.x\"):\n"
#define SHARED "    S = T.alloc_buffer((64,), scope=\"shared\")\n"
#define SYNC   "T.evaluate(T.tvm_storage_sync(\"shared\"))\n"

struct safety_case {
    const char *label, *params, *body;
    enum vsafety_kind want; /* NONE: proved */
    const char *untuned;    /* another body, or NULL: the same */
    const char *index;      /* of the candidate, or NULL: not looked at */
    bool not_read;          /* not proved, since it is not understood */
    const char *assumes;    /* by either side, or NULL: not looked at */
};

static struct vprog *safety_program(const struct safety_case *c,
                                    const char *body, struct ir_module **module)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text, "%s%s):\n%s", HEADER, c->params, body);
    *module = ir_read(buf_text(&text), text.len, "case.py", sink);
    if (*module == NULL || !ir_wellformed(*module, sink)) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        print_error("%s:\n%s\n%s\n", c->label, buf_text(&said),
                    buf_text(&text));
        buf_fini(&said);
        fail();
    }
    buf_fini(&text);
    diag_sink_free(sink);
    struct vprog *p = vprog_make(*module, (*module)->funcs[0]);
    if (p->unsupported != NULL)
        fail_msg("%s: not translated: %s", c->label, p->unsupported);
    return p;
}

/* What the proofs of both sides take for granted, in the order of the report. */
static void safety_assumes(const struct vsafety *a, const struct vsafety *b,
                           struct buf *out)
{
    const struct {
        bool is;
        const char *name;
    } all[] = {{a->assumes_sizes || b->assumes_sizes, "sizes"},
               {a->gives_assertion || b->gives_assertion, "assertion"},
               {a->uses_untuned || b->uses_untuned, "untuned"},
               {a->assumes_fit || b->assumes_fit, "fit"},
               {a->assumes_defined || b->assumes_defined, "defined"}};
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++)
        if (all[i].is)
            buf_printf(out, "%s%s", out->len > 0 ? " " : "", all[i].name);
}

static void safety_check(void **state)
{
    const struct safety_case *c = *state;
    struct ir_module *modules[2];
    struct vprog *untuned =
        safety_program(c, c->untuned ? c->untuned : c->body, &modules[0]);
    struct vprog *tuned = safety_program(c, c->body, &modules[1]);
    struct vctx *ctx = vctx_new(untuned, tuned, NULL);
    match_serve(ctx);
    struct vsafety first, second;
    bool same = c->untuned == NULL;
    bool fine = vsafety_prove(ctx, untuned, &first);
    if (!same && !fine)
        fail_msg("%s: untuned: %s", c->label, first.reason);
    bool proved = vsafety_prove(ctx, tuned, &second);
    if (proved != (c->want == VSAFETY_NONE && !c->not_read) ||
        second.kind != c->want)
        fail_msg("%s: %s, expected '%s': %s", c->label,
                 proved ? "proved" : vsafety_kind_name(second.kind),
                 vsafety_kind_name(c->want),
                 second.reason ? second.reason : "");
    if (same) /* both sides by themselves say the same */
        assert_int_equal(first.kind, second.kind);
    if (c->index != NULL) {
        struct buf text = {0};
        assert_true(second.candidate);
        for (size_t i = 0; i < second.nindex; i++)
            buf_printf(&text, "%s%lld", i > 0 ? " " : "",
                       (long long)second.index[i]);
        assert_string_equal(buf_text(&text), c->index);
        buf_fini(&text);
    }
    if (c->assumes != NULL) {
        struct buf text = {0};
        safety_assumes(&first, &second, &text);
        if (strcmp(buf_text(&text), c->assumes) != 0)
            fail_msg("%s: assumes '%s' instead of '%s'", c->label,
                     buf_text(&text), c->assumes);
        buf_fini(&text);
    }
    vctx_free(ctx);
    vprog_free(untuned);
    vprog_free(tuned);
    ir_module_free(modules[0]);
    ir_module_free(modules[1]);
}

static int safety_main(const struct safety_case *cases, size_t n)
{
    struct CMUnitTest tests[256];
    memset(tests, 0, sizeof tests);
    assert_true(n <= DC_ARRAY_LEN(tests));
    for (size_t i = 0; i < n; i++) {
        union {
            const struct safety_case *in;
            void *out;
        } row = {&cases[i]};
        tests[i].name = cases[i].label;
        tests[i].test_func = safety_check;
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("cases", tests, n, NULL, NULL);
}

#endif
