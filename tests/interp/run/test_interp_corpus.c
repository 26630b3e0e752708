/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of real modules with known answers, run on exact inputs: those that
 * are equal must give equal bits wherever no operation rounded, those that
 * are not must differ, fault, or leave outputs undefined. Needs nothing but
 * the interpreter, so a wrong label or a wrong rule shows here first.
 */
#include "interp/interp.h"
#include "ir/base/json.h"
#include "tests/test.h"

#include <dirent.h>
#include <string.h>

#define DATA      "../shared/data/"
#define MAX_STEPS 8000000u

static const char *const families[] = {
    "tvm/schedule", "tvm/passes", "tvm/metaschedule",
    "tvm/dlight",   "tvm/eras",   "live-bugs",
};

/* Rows where one exact input cannot show what the label says, with why. */
static const struct {
    const char *name, *why;
} silent[] = {
    {"max-nan-rfactor", "shows only on NaN"},
    {"c-float-literal-digits", "the fault is in the generated C"},
};

struct side {
    struct ir_module *module;
    struct interp_signature sig;
    struct interp_arg args[64];
    struct interp_result result;
};

struct pair {
    char path[512];
    struct json_doc *doc;
    const char *expect;
    struct interp_symbol symbols[16];
    size_t nsymbols;
    int64_t lo, hi; /* of integer inputs that are indices */
    struct arena *arena;
    struct side untuned, tuned;
};

static const struct json_value *member(const struct json_value *v,
                                       const char *key)
{
    return v != NULL && json_type(v) == JSON_OBJECT ? json_find(v, key) : NULL;
}

static void read_inputs(struct pair *p, const struct json_value *inputs)
{
    bool big;
    const struct json_value *dims = member(inputs, "dims");
    const struct json_value *index = member(inputs, "index_params");
    p->lo = p->hi = 0;
    for (const struct json_value *v = dims != NULL ? json_first(dims) : NULL;
         v != NULL && p->nsymbols < DC_ARRAY_LEN(p->symbols);
         v = json_next(v)) {
        struct interp_symbol *s = &p->symbols[p->nsymbols++];
        s->name = json_key(v);
        assert_true(json_int(v, &s->value, &big));
    }
    const struct json_value *range = index != NULL ? json_first(index) : NULL;
    if (range != NULL && json_type(range) == JSON_ARRAY &&
        json_size(range) == 2) {
        (void)json_int(json_first(range), &p->lo, &big);
        (void)json_int(json_next(json_first(range)), &p->hi, &big);
    }
}

static bool read_case(struct pair *p, struct diag_sink *sink)
{
    char path[600];
    struct buf text = {0};
    snprintf(path, sizeof path, "%s/case.json", p->path);
    if (!file_read(path, 0, &text, sink))
        return false;
    p->doc = json_parse(buf_text(&text), text.len, path, sink);
    buf_fini(&text);
    assert_non_null(p->doc);
    const struct json_value *root = json_root(p->doc);
    p->expect = json_string(member(root, "expect"));
    read_inputs(p, member(root, "inputs"));
    return p->expect != NULL;
}

static const struct ir_func *entry(const struct ir_module *m)
{
    const struct ir_func *f = ir_module_find(m, "main");
    return f != NULL ? f : m->nfuncs > 0 ? m->funcs[0] : NULL;
}

static bool run_side(struct pair *p, struct side *s, const char *file,
                     uint64_t seed, struct diag_sink *sink)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", p->path, file);
    s->module = ir_read_file(path, sink);
    const struct ir_func *f = s->module != NULL ? entry(s->module) : NULL;
    if (f == NULL ||
        !interp_signature(s->module, f, p->symbols, p->nsymbols, p->arena,
                          &s->sig, sink) ||
        s->sig.nparams > DC_ARRAY_LEN(s->args))
        return false;
    for (size_t i = 0; i < s->sig.nparams; i++) {
        struct interp_param *x = &s->sig.params[i];
        if (!x->is_tensor)
            return false;
        struct interp_tensor *t =
            interp_tensor_new(x->dtype, x->rank, x->shape);
        bool index = x->indexes && !dtype_is_float(x->dtype);
        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : INTERP_FILL_EXACT,
                           seed, i, index ? p->lo : 1, index ? p->hi : 0);
        s->args[i].tensor = t;
    }
    struct interp_options o = interp_default_options();
    o.max_steps = MAX_STEPS;
    s->result = interp_run(s->module, f, s->sig.nparams, s->args, &o);
    return true;
}

static void free_side(struct side *s)
{
    struct side none = {0};
    for (size_t i = 0; i < DC_ARRAY_LEN(s->args); i++)
        interp_tensor_free(s->args[i].tensor);
    interp_result_fini(&s->result);
    ir_module_free(s->module);
    *s = none;
}

enum outcome { SAME, DIFFERS, UNSAFE, CANNOT };

static enum outcome compare(const struct pair *p)
{
    const struct side *a = &p->untuned, *b = &p->tuned;
    if (interp_is_fault(a->result.fault))
        return CANNOT; /* the reference is unsafe itself */
    if (interp_is_fault(b->result.fault))
        return UNSAFE;
    if (a->result.fault != INTERP_OK || b->result.fault != INTERP_OK ||
        a->sig.nparams != b->sig.nparams)
        return CANNOT;
    enum outcome out = SAME;
    for (size_t i = 0; i < a->sig.nparams; i++) {
        const struct interp_tensor *x = a->args[i].tensor;
        const struct interp_tensor *y = b->args[i].tensor;
        if (x->elements != y->elements)
            return CANNOT;
        for (size_t k = 0; k < x->elements; k++) {
            if (!(y->state[k] & INTERP_DEFINED))
                return UNSAFE;
            if (!((x->state[k] | y->state[k]) & INTERP_INEXACT) &&
                !num_same(x->dtype, interp_tensor_get(x, k),
                          interp_tensor_get(y, k)))
                out = DIFFERS;
        }
    }
    return out;
}

static bool is_silent(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < DC_ARRAY_LEN(silent); i++)
        if (strcmp(silent[i].name, name) == 0)
            return true;
    return false;
}

/* Whether what was seen fits the label: equal pairs never differ, different
 * ones show it. */
static bool fits(const struct pair *p, enum outcome seen)
{
    if (seen == CANNOT)
        return true;
    bool equal = strcmp(p->expect, "identical") == 0 ||
                 strcmp(p->expect, "order-only") == 0 ||
                 strcmp(p->expect, "algebraic") == 0 ||
                 strcmp(p->expect, "precision") == 0;
    if (equal)
        return seen == SAME;
    return seen != SAME || is_silent(p->path);
}

/* One seed; false when the pair cannot be run. */
static bool check_seed(struct pair *p, uint64_t seed, enum outcome *seen,
                       struct diag_sink *sink)
{
    free_side(&p->untuned);
    free_side(&p->tuned);
    if (!run_side(p, &p->untuned, "untuned.json", seed, sink) ||
        !run_side(p, &p->tuned, "tuned.json", seed, sink))
        return false;
    *seen = compare(p);
    return true;
}

/* A difference may need a lucky input (a maximum where all terms are
 * negative), so those get several. */
static unsigned check(const char *path, unsigned *decided)
{
    static const char *const names[] = {"the same", "different", "unsafe",
                                        "undecided"};
    struct pair *p = dc_alloc(sizeof *p);
    struct diag_sink *sink = diag_sink_new();
    snprintf(p->path, sizeof p->path, "%s", path);
    p->arena = arena_new();
    unsigned bad = 0;
    enum outcome seen = CANNOT;
    if (read_case(p, sink) && strcmp(p->expect, "oracle") != 0) {
        bool ran = check_seed(p, 1, &seen, sink);
        for (uint64_t seed = 2;
             ran && seed < 64 && !fits(p, seen) && seen == SAME; seed++)
            ran = check_seed(p, seed, &seen, sink);
        *decided += ran && seen != CANNOT;
        bad = ran && !fits(p, seen);
    }
    if (bad)
        print_error(
            "%s: expected %s, runs are %s (%s)\n", path, p->expect, names[seen],
            p->tuned.result.message != NULL ? p->tuned.result.message : "");
    free_side(&p->untuned);
    free_side(&p->tuned);
    json_free(p->doc);
    arena_free(p->arena);
    diag_sink_free(sink);
    dc_release(p);
    return bad;
}

static void test_family(void **state)
{
    char path[512];
    const char *family = *state;
    snprintf(path, sizeof path, DATA "%s", family);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        print_message("skipped: %s not there\n", path);
        skip();
    }
    unsigned bad = 0, n = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL) {
            snprintf(path, sizeof path, DATA "%s/%s", family, e->d_name);
            bad += check(path, &n);
        }
    closedir(dir);
    print_message("%s: %u pairs decided\n", family, n);
    assert_int_equal(bad, 0);
    assert_true(n >= 5);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(families)];
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++) {
        tests[i].name = families[i];
        tests[i].test_func = test_family;
        union {
            const char *in;
            void *out;
        } name = {families[i]};
        tests[i].initial_state = name.out;
    }
    return _cmocka_run_group_tests("corpus", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
