/* SPDX-License-Identifier: Apache-2.0
 *
 * Table-driven tests of the interpreter: a function in TVMScript, what its
 * last parameter holds afterwards, or which fault it has. Each row names the
 * rule of docs/semantics.md that it checks, and is run by the walker and by
 * whichever engine a run without wishes gets.
 *
 * Parameter p starts with the values 10 p + 1, 10 p + 2, … (int8 and bool: 1).
 */
#ifndef DC_TESTS_UNIT_INTERP_CASE_H
#define DC_TESTS_UNIT_INTERP_CASE_H

#include "interp/interp.h"
#include "tests/test.h"

#include <string.h>

struct interp_case {
    const char *label;  /* "rule 4: …" */
    const char *params; /* "A: T.Buffer((4,), \"int32\"), …" */
    const char *body;   /* lines indented by 4 */
    /* Elements of the last parameter, blank-separated, '?' = undefined; NULL
     * when a fault is expected. */
    const char *want;
    enum interp_fault_kind fault;
    const char *message; /* part of the message, or NULL */
    bool implicit;       /* result.implicit_barriers */
    size_t nimplied;     /* result.nimplied; 0: any */
    const char *implied; /* part of result.implied; NULL: any */
    bool no_implied;     /* options.explicit_barriers */
    bool open;           /* result.order_open */
    const char *beyond;  /* part of result.beyond; NULL: there is none */
    enum interp_domain_kind domain;
};

#define HEADER                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

static void case_fail(const struct interp_case *c, const struct diag_sink *sink,
                      const char *script)
{
    struct buf text = {0};
    diag_render(sink, false, &text);
    print_error("%s:\n%s\n%s\n", c->label, buf_text(&text), script);
    buf_fini(&text);
    fail();
}

static struct interp_tensor *case_tensor(const struct interp_param *p,
                                         size_t which)
{
    struct interp_tensor *t = interp_tensor_new(p->dtype, p->rank, p->shape);
    struct dtype lane = dtype_scalar(p->dtype);
    bool small = lane.bits == 8;
    for (size_t i = 0; i < t->elements; i++) {
        double x = small ? 1.0 : (double)(10 * which + i + 1);
        unsigned flags = 0;
        interp_tensor_set(t, i, num_from_double(lane, x, &flags));
        t->state[i] = INTERP_DEFINED;
    }
    return t;
}

static void case_put(struct buf *out, const struct interp_tensor *t)
{
    for (size_t i = 0; i < t->elements; i++) {
        if (i > 0)
            buf_putc(out, ' ');
        if (!(t->state[i] & INTERP_DEFINED))
            buf_putc(out, '?');
        else if (t->box != NULL && dtype_is_float(t->dtype))
            buf_printf(out, "[%g,%g]", t->box[i].range.lo, t->box[i].range.hi);
        else
            num_put(out, dtype_scalar(t->dtype), interp_tensor_get(t, i));
    }
}

static void case_check(const struct interp_case *c, const char *way,
                       const struct interp_result *r,
                       const struct interp_tensor *last)
{
    if (r->fault != c->fault) {
        print_error("%s (%s): fault '%s' (%s), expected '%s'\n", c->label, way,
                    interp_fault_name(r->fault),
                    r->message != NULL ? r->message : "",
                    interp_fault_name(c->fault));
        fail();
    }
    if (c->message != NULL &&
        (r->message == NULL || strstr(r->message, c->message) == NULL)) {
        print_error("%s (%s): message '%s', expected '%s'\n", c->label, way,
                    r->message != NULL ? r->message : "", c->message);
        fail();
    }
    if (c->want == NULL)
        return;
    struct buf have = {0};
    case_put(&have, last);
    if ((c->beyond == NULL) != (r->beyond == NULL) ||
        (c->beyond != NULL && strstr(r->beyond, c->beyond) == NULL)) {
        print_error("%s (%s): claim '%s', expected '%s'\n", c->label, way,
                    r->beyond != NULL ? r->beyond : "",
                    c->beyond != NULL ? c->beyond : "");
        fail();
    }
    if ((c->nimplied != 0 && r->nimplied != c->nimplied) ||
        (c->implied != NULL && strstr(r->implied, c->implied) == NULL)) {
        print_error("%s (%s): %zu implied barriers, the first before '%s'\n",
                    c->label, way, r->nimplied,
                    r->implied != NULL ? r->implied : "");
        fail();
    }
    if (r->order_open != c->open) {
        print_error("%s (%s): open %d, expected %d\n", c->label, way,
                    r->order_open, c->open);
        fail();
    }
    if (strcmp(buf_text(&have), c->want) != 0 ||
        r->implicit_barriers != c->implicit) {
        print_error("%s (%s): have '%s' (implied barriers: %d), expected '%s' "
                    "(%d)\n",
                    c->label, way, buf_text(&have), r->implicit_barriers,
                    c->want, c->implicit);
        fail();
    }
    buf_fini(&have);
}

static const struct {
    const char *name;
    enum interp_engine engine;
} case_engines[] = {{"walker", INTERP_ENGINE_WALK},
                    {"any engine", INTERP_ENGINE_AUTO}};

static void case_run_on(const struct interp_case *c, size_t way)
{
    struct buf script = {0};
    buf_printf(&script, HEADER "%s):\n%s", c->params, c->body);
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(buf_text(&script), script.len, "case", sink);
    if (m == NULL)
        case_fail(c, sink, buf_text(&script));
    struct arena *arena = arena_new();
    struct interp_signature sig;
    if (m->nfuncs != 1 ||
        !interp_signature(m, m->funcs[0], NULL, 0, arena, &sig, sink))
        case_fail(c, sink, buf_text(&script));
    struct interp_arg *args = arena_alloc(arena, sig.nparams * sizeof *args);
    for (size_t i = 0; i < sig.nparams; i++)
        if (sig.params[i].is_tensor) {
            for (size_t d = 0; d < sig.params[i].rank; d++)
                if (sig.params[i].shape[d] < 0)
                    sig.params[i].shape[d] = 4;
            args[i].tensor = case_tensor(&sig.params[i], i);
            if (c->domain == INTERP_INTERVAL)
                interp_tensor_to_box(args[i].tensor);
        } else {
            args[i].dtype = sig.params[i].dtype;
            args[i].bits = 4;
        }
    struct interp_options options = interp_default_options();
    options.domain = c->domain;
    options.max_steps = 10000000;
    options.engine = case_engines[way].engine;
    options.explicit_barriers = c->no_implied;
    struct interp_result r =
        interp_run(m, m->funcs[0], sig.nparams, args, &options);
    case_check(c, case_engines[way].name, &r, args[sig.nparams - 1].tensor);
    interp_result_fini(&r);
    for (size_t i = 0; i < sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
    arena_free(arena);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&script);
}

static void case_run(void **state)
{
    for (size_t way = 0; way < DC_ARRAY_LEN(case_engines); way++)
        case_run_on(*state, way);
}

/* One CMocka test per row. */
static int case_main(const struct interp_case *cases, size_t n)
{
    struct CMUnitTest tests[256];
    memset(tests, 0, sizeof tests);
    if (n > DC_ARRAY_LEN(tests))
        return 1;
    for (size_t i = 0; i < n; i++) {
        tests[i].name = cases[i].label;
        tests[i].test_func = case_run;
        union {
            const struct interp_case *in;
            void *out;
        } row = {&cases[i]};
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("interp", tests, n, NULL, NULL);
}

#endif
