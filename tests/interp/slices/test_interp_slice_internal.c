/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: on real modules, the demanded elements of a sliced run have the bits
 * and states of the whole run. The sets, boxes and intervals under them are
 * compared with enumeration. The full-size convolution of tlc-pack/relax#294
 * is compared with a convolution computed here.
 */
#include "interp/interp.h"
#include "interp/slices/slice_set.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA     "../shared/data"
#define MAX_ARGS 64

/* ---- sets, boxes, intervals ---------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    *seed = hash_mix(*seed, 1);
    return *seed % n;
}

/* Whether a member is >= from and < end. */
static bool row_meets(const struct cell_set *set, size_t from, size_t end)
{
    struct cell_box row = {.rank = 1, .stride = {1}};
    row.lo[0] = (int64_t)from;
    row.hi[0] = (int64_t)end - 1;
    return cell_box_meets(&row, set);
}

static void test_cell_set(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int round = 0; round < 50; round++) {
        size_t n = 1 + draw(&seed, 20000);
        struct cell_set set;
        uint8_t *plain = dc_alloc(n + 1);
        cell_set_init(&set, n);
        for (int i = 0; i < 20; i++) {
            size_t first = draw(&seed, n), last = first + draw(&seed, 200);
            bool fresh = false;
            for (size_t k = first; k <= last && k < n; k++) {
                fresh = fresh || !plain[k];
                plain[k] = 1;
            }
            assert_int_equal(cell_set_add_range(&set, first, last), fresh);
        }
        size_t count = 0;
        for (size_t k = 0; k < n; k++)
            count += plain[k];
        assert_int_equal(set.count, count);
        for (int i = 0; i < 200; i++) {
            size_t from = draw(&seed, n + 5), want = from;
            while (want < n && !plain[want])
                want++;
            assert_false(row_meets(&set, from, want));
            assert_int_equal(row_meets(&set, from, want + 1), want < n);
            assert_int_equal(cell_set_has(&set, from), from < n && plain[from]);
        }
        cell_set_fini(&set);
        dc_release(plain);
    }
}

/* A random box of a random row-major array, strides padded now and then. */
static size_t random_box(uint64_t *seed, struct cell_box *box)
{
    int64_t span = 1;
    box->rank = 1 + draw(seed, 4);
    box->base = (int64_t)draw(seed, 10);
    for (size_t k = box->rank; k-- > 0;) {
        int64_t extent = 1 + (int64_t)draw(seed, 9);
        box->stride[k] = span + (draw(seed, 5) == 0 ? 3 : 0);
        span = box->stride[k] * extent;
        box->lo[k] = (int64_t)draw(seed, (uint64_t)extent);
        box->hi[k] =
            box->lo[k] + (int64_t)draw(seed, (uint64_t)(extent - box->lo[k]));
    }
    return (size_t)(box->base + span);
}

static bool in_box(const struct cell_box *box, size_t cell)
{
    int64_t x[CELL_BOX_RANK];
    for (size_t k = 0; k < box->rank; k++)
        x[k] = box->lo[k];
    for (;;) {
        int64_t at = box->base;
        for (size_t k = 0; k < box->rank; k++)
            at += x[k] * box->stride[k];
        if (at == (int64_t)cell)
            return true;
        size_t k = box->rank;
        while (k > 0 && x[k - 1] == box->hi[k - 1]) {
            x[k - 1] = box->lo[k - 1];
            k--;
        }
        if (k == 0)
            return false;
        x[k - 1]++;
    }
}

static void test_cell_box(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct cell_box box;
        struct cell_set set;
        size_t n = random_box(&seed, &box);
        bool meets = false;
        cell_set_init(&set, n);
        for (int i = 0; i < 4; i++) {
            size_t cell = draw(&seed, n);
            cell_set_add_range(&set, cell, cell);
            meets = meets || in_box(&box, cell);
        }
        assert_int_equal(cell_box_meets(&box, &set), meets);
        cell_set_fini(&set);
        cell_set_init(&set, n);
        cell_box_add(&box, &set);
        for (size_t cell = 0; cell < n; cell++)
            assert_int_equal(cell_set_has(&set, cell), in_box(&box, cell));
        cell_set_fini(&set);
    }
}

static int64_t apply(enum ir_expr_kind kind, int64_t a, int64_t b)
{
    enum num_op op = kind == IR_ADD        ? NUM_ADD
                     : kind == IR_SUB      ? NUM_SUB
                     : kind == IR_MUL      ? NUM_MUL
                     : kind == IR_DIV      ? NUM_DIV
                     : kind == IR_MOD      ? NUM_MOD
                     : kind == IR_FLOORDIV ? NUM_FLOORDIV
                     : kind == IR_FLOORMOD ? NUM_FLOORMOD
                     : kind == IR_MIN      ? NUM_MIN
                     : kind == IR_MAX      ? NUM_MAX
                     : kind == IR_BITAND   ? NUM_BITAND
                     : kind == IR_BITOR    ? NUM_BITOR
                     : kind == IR_BITXOR   ? NUM_BITXOR
                     : kind == IR_EQ       ? NUM_EQ
                     : kind == IR_NE       ? NUM_NE
                     : kind == IR_LT       ? NUM_LT
                     : kind == IR_LE       ? NUM_LE
                     : kind == IR_GT       ? NUM_GT
                                           : NUM_GE;
    unsigned flags = 0;
    return (int64_t)num_binary(op, DTYPE_INT64, (uint64_t)a, (uint64_t)b,
                               &flags);
}

static void test_span(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        enum ir_expr_kind kind =
            (enum ir_expr_kind)(IR_ADD + (int)draw(&seed, IR_GE - IR_ADD + 1));
        if (kind == IR_SHL || kind == IR_SHR)
            continue;
        int64_t a = (int64_t)draw(&seed, 40) - 20;
        int64_t b = (int64_t)draw(&seed, 40) - 20;
        struct span x = slice_span_make(a, a + (int64_t)draw(&seed, 8));
        struct span y = slice_span_make(b, b + (int64_t)draw(&seed, 8));
        struct span r = slice_span_binary(kind, x, y);
        for (int64_t i = x.lo; i <= x.hi; i++) {
            for (int64_t j = y.lo; j <= y.hi; j++) {
                bool divides = kind >= IR_DIV && kind <= IR_FLOORMOD;
                if (divides && j == 0)
                    continue;
                int64_t v = apply(kind, i, j);
                assert_true(v >= r.lo && v <= r.hi);
            }
        }
    }
}

/* ---- whole runs against slices ------------------------------------------------------ */

struct run {
    struct interp_signature signature;
    struct interp_arg args[MAX_ARGS];
    struct interp_result result;
};

static bool prepare(const struct ir_module *m, const struct ir_func *f,
                    struct arena *arena, struct run *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    if (!interp_signature(m, f, NULL, 0, arena, &r->signature, NULL) ||
        r->signature.nparams > MAX_ARGS)
        return false;
    for (size_t i = 0; i < r->signature.nparams; i++) {
        const struct interp_param *p = &r->signature.params[i];
        if (!p->is_tensor) {
            r->args[i].dtype = p->dtype;
            r->args[i].bits = 5;
            continue;
        }
        int64_t shape[DC_MAX_RANK];
        for (size_t k = 0; k < p->rank; k++)
            shape[k] = p->shape[k] < 0 ? 5 : p->shape[k];
        struct interp_tensor *t = interp_tensor_new(p->dtype, p->rank, shape);
        if (t == NULL)
            return false;
        bool index = p->indexes && dtype_is_int(p->dtype);
        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : INTERP_FILL_RANDOM,
                           seed, i, index ? 0 : 1, index ? 3 : 0);
        r->args[i].tensor = t;
    }
    return true;
}

static void release(struct run *r)
{
    for (size_t i = 0; i < MAX_ARGS; i++)
        interp_tensor_free(r->args[i].tensor);
    interp_result_fini(&r->result);
}

/* Compares what was demanded; returns how many elements were left out. */
static size_t compare(const struct run *whole, const struct run *slice,
                      uint8_t *const *demand, const char *name)
{
    size_t skipped = 0;
    for (size_t p = 0; p < whole->signature.nparams; p++) {
        const struct interp_tensor *a = whole->args[p].tensor;
        const struct interp_tensor *b = slice->args[p].tensor;
        for (size_t i = 0; demand[p] != NULL && i < a->elements; i++) {
            if (b->state[i] & INTERP_SKIPPED) {
                skipped++;
                if (demand[p][i])
                    fail_msg("%s: element %zu was skipped", name, i);
                continue;
            }
            bool undefined = !(a->state[i] & INTERP_DEFINED);
            if (a->state[i] != b->state[i] ||
                (!undefined && !num_same(a->dtype, interp_tensor_get(a, i),
                                         interp_tensor_get(b, i))))
                fail_msg("%s: element %zu differs", name, i);
        }
    }
    return skipped;
}

struct tally {
    size_t modules, skipped, faulty;
};

static void check_func(const struct ir_module *m, const struct ir_func *f,
                       const char *name, struct tally *tally)
{
    struct run whole, slice;
    uint8_t *demand[MAX_ARGS] = {NULL};
    struct arena *arena = arena_new();
    struct interp_options o = interp_default_options();
    if (f->kind == IR_FUNC_PRIM && prepare(m, f, arena, &whole, 1) &&
        prepare(m, f, arena, &slice, 1)) {
        size_t n = whole.signature.nparams;
        o.max_steps = 1500000;
        whole.result = interp_run(m, f, n, whole.args, &o);
        for (size_t p = 0; p < n; p++) {
            const struct interp_tensor *t = whole.args[p].tensor;
            if (t == NULL || !whole.signature.params[p].stored ||
                t->elements == 0)
                continue;
            demand[p] = dc_alloc(t->elements);
            for (uint64_t k = 0; k < 4; k++)
                demand[p][hash_mix(k, p) % t->elements] = 1;
        }
        o.max_steps = 0;
        o.demand = (const uint8_t *const *)demand;
        if (whole.result.fault == INTERP_OK) {
            slice.result = interp_run(m, f, n, slice.args, &o);
            if (slice.result.fault != INTERP_OK)
                fail_msg("%s: %s", name, slice.result.message);
            tally->skipped += compare(&whole, &slice, demand, name);
            tally->modules++;
        } else {
            tally->faulty++;
        }
        release(&whole);
        release(&slice);
    }
    for (size_t p = 0; p < MAX_ARGS; p++)
        dc_release(demand[p]);
    arena_free(arena);
}

static void check_file(const char *path, struct tally *tally)
{
    struct ir_module *m = ir_read_file(path, NULL);
    if (m == NULL)
        fail_msg("cannot read %s", path);
    for (size_t i = 0; i < m->nfuncs; i++)
        check_func(m, m->funcs[i], path, tally);
    ir_module_free(m);
}

static void check_family(const char *family, struct tally *tally)
{
    char name[600];
    snprintf(name, sizeof name, DATA "/tvm/%s", family);
    DIR *dir = opendir(name);
    if (dir == NULL)
        return;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        static const char *const sides[] = {"untuned", "tuned"};
        for (size_t k = 0; k < 2; k++) {
            snprintf(name, sizeof name, DATA "/tvm/%s/%s/%s.json", family,
                     e->d_name, sides[k]);
            if (e->d_name[0] != '.' && test_takes(e->d_name, TEST_ONE_IN(6)) &&
                access(name, R_OK) == 0)
                check_file(name, tally);
        }
    }
    closedir(dir);
}

/* Modules whose demanded elements are stored in one arm alone. */
static const char *const sliced[][2] = {
    {"the else arm of an open condition", "            if i < 4:\n"
                                          "                L[i] = A[i]\n"
                                          "            else:\n"
                                          "                C[i] = A[i]\n"},
    {"the first arm of one", "            if i >= 4:\n"
                             "                C[i] = A[i]\n"
                             "            else:\n"
                             "                L[i] = A[i]\n"},
};

static void test_slices_of_arms(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(sliced); i++) {
        struct tally tally = {0, 0, 0};
        struct buf text = {0};
        buf_printf(&text,
                   "from tvm.script import ir as I\n"
                   "from tvm.script import tir as T\n"
                   "@I.ir_module\n"
                   "class Module:\n"
                   "    @T.prim_func\n"
                   "    def main(A: T.Buffer((8,), \"float32\"),\n"
                   "             C: T.Buffer((8,), \"float32\")):\n"
                   "        L = T.alloc_buffer((8,), \"float32\")\n"
                   "        for i in range(8):\n"
                   "%s",
                   sliced[i][1]);
        struct ir_module *m = ir_read(buf_text(&text), text.len, "m.py", NULL);
        assert_non_null(m);
        check_func(m, m->funcs[0], sliced[i][0], &tally);
        assert_int_equal(tally.modules, 1);
        ir_module_free(m);
        buf_fini(&text);
    }
}

static void test_slices_agree_with_whole_runs(void **state)
{
    static const char *const families[] = {"schedule", "metaschedule", "dlight",
                                           "passes", "mutants"};
    struct tally tally = {0, 0, 0};
    (void)state;
    if (access(DATA "/tvm", R_OK) != 0) {
        print_message("skipped: " DATA "/tvm not there\n");
        skip();
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++)
        check_family(families[i], &tally);
    print_message("%zu functions, %zu elements left out, %zu not run to the "
                  "end\n",
                  tally.modules, tally.skipped, tally.faulty);
    assert_true(tally.modules > 300 / TEST_ONE_IN(12));
    assert_true(tally.skipped > 10000 / TEST_ONE_IN(24));
}

/* ---- the full-size convolution --------------------------------------------------------- */

static double element(const struct interp_tensor *t, size_t at)
{
    return num_to_double(t->dtype, interp_tensor_get(t, at));
}

static double convolution(const struct interp_tensor *x,
                          const struct interp_tensor *w, size_t out)
{
    size_t ff = out % 64, xx = out / 64 % 112, yy = out / 64 / 112;
    double sum = 0;
    for (size_t ry = 0; ry < 7; ry++)
        for (size_t rx = 0; rx < 7; rx++)
            for (size_t rc = 0; rc < 3; rc++)
                sum +=
                    element(x, ((yy * 2 + ry) * 230 + xx * 2 + rx) * 3 + rc) *
                    element(w, ((ry * 7 + rx) * 3 + rc) * 64 + ff);
    return sum;
}

static void check_convolution(const char *path)
{
    struct ir_module *m = ir_read_file(path, NULL);
    struct arena *arena = arena_new();
    struct run r;
    uint8_t *demand[3] = {NULL};
    assert_non_null(m);
    assert_true(prepare(m, m->funcs[0], arena, &r, 1));
    for (size_t i = 0; i < 2; i++)
        interp_fill_tensor(r.args[i].tensor, INTERP_FILL_EXACT, 2, i, 1, 0);
    size_t n = r.args[2].tensor->elements, checked = 0;
    assert_int_equal(n, 802816);
    demand[2] = dc_alloc(n);
    for (uint64_t k = 0; k < 64; k++)
        demand[2][hash_mix(k, 17) % n] = 1;
    struct interp_options o = interp_default_options();
    o.demand = (const uint8_t *const *)demand;
    o.max_steps = 20000000; /* a whole run takes more than a billion */
    r.result = interp_run(m, m->funcs[0], 3, r.args, &o);
    if (r.result.fault != INTERP_OK)
        fail_msg("%s: %s", path, r.result.message);
    for (size_t i = 0; i < n; i++) {
        if (!demand[2][i])
            continue;
        assert_int_equal(r.args[2].tensor->state[i],
                         INTERP_DEFINED | INTERP_WRITTEN);
        assert_true(element(r.args[2].tensor, i) ==
                    convolution(r.args[0].tensor, r.args[1].tensor, i));
        checked++;
    }
    assert_in_range(checked, 60, 64);
    release(&r);
    dc_release(demand[2]);
    arena_free(arena);
    ir_module_free(m);
}

static void test_full_size_convolution(void **state)
{
    (void)state;
    if (access(DATA "/seeds/relax294_tuned.py", R_OK) != 0) {
        print_message("skipped: " DATA "/seeds not there\n");
        skip();
    }
    check_convolution(DATA "/seeds/relax294_untuned.py");
    check_convolution(DATA "/seeds/relax294_tuned.py");
}

/* ---- terms ------------------------------------------------------------------------------- */

static const char matmul_text[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def main(A: T.Buffer((4, 3), \"float32\"),\n"
    "             B: T.Buffer((3, 4), \"float32\"),\n"
    "             C: T.Buffer((4, 4), \"float32\")):\n"
    "        L = T.alloc_buffer((4, 4), \"float32\")\n"
    "        for i, j in T.grid(4, 4):\n"
    "            L[i, j] = T.float32(0)\n"
    "            for k in range(3):\n"
    "                L[i, j] = L[i, j] + A[i, k] * B[k, j]\n"
    "        for i, j in T.grid(4, 4):\n"
    "            C[i, j] = L[i, j]\n";

static void test_terms(void **state)
{
    static const char *const want[] = {"A[2, 0] * B[0, 1]", "A[2, 1] * B[1, 1]",
                                       "A[2, 2] * B[2, 1]"};
    struct ir_module *m =
        ir_read(matmul_text, sizeof matmul_text - 1, "m.py", NULL);
    struct arena *arena = arena_new();
    struct run r;
    uint8_t wanted[16] = {0};
    const uint8_t *demand[3] = {NULL, NULL, wanted};
    struct interp_terms terms = {
        .arena = arena, .param = 2, .element = 9, .max = 10};
    struct interp_options o = interp_default_options();
    (void)state;
    assert_non_null(m);
    assert_true(prepare(m, m->funcs[0], arena, &r, 1));
    for (size_t i = 0; i < 2; i++)
        interp_fill_tensor(r.args[i].tensor, INTERP_FILL_EXACT, 2, i, 1, 0);
    wanted[9] = 1;
    o.demand = demand;
    o.domain = INTERP_TERMS;
    o.terms = &terms;
    r.result = interp_run(m, m->funcs[0], 3, r.args, &o);
    assert_int_equal(r.result.fault, INTERP_OK);
    assert_int_equal(terms.n, 3);
    assert_false(terms.truncated);
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(terms.items[k].text, want[k]);
        sum += element(r.args[0].tensor, 2 * 3 + k) *
               element(r.args[1].tensor, k * 4 + 1);
        assert_true(num_to_double(DTYPE_FLOAT32, terms.items[k].bits) == sum);
    }
    assert_true(terms.items[0].key != terms.items[1].key);
    release(&r);
    arena_free(arena);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_set),
        cmocka_unit_test(test_cell_box),
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_slices_of_arms),
        cmocka_unit_test(test_slices_agree_with_whole_runs),
        cmocka_unit_test(test_full_size_convolution),
        cmocka_unit_test(test_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
