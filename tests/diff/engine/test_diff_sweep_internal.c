/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps of index parameters: after as many steps as are said to be needed,
 * every value of the range has been there, the ends in the first ones, and
 * nothing outside of the range; also at the ends of the types.
 */
#include "diff/engine/args.h"
#include "tests/test.h"

#define SPAN 200

static const struct row {
    const char *label;
    int64_t lo, hi, first_lo, first_hi, elements;
    size_t param;
    uint64_t ends_by; /* both ends of the first range by this step */
} rows[] = {
    {"one element", 0, 39, 0, 39, 1, 0, 2},
    {"one element, another stride", 0, 39, 0, 39, 1, 3, 2},
    {"one value", 5, 5, 5, 5, 1, 1, 1},
    {"three elements", 0, 39, 0, 39, 3, 2, 1},
    {"more elements than values", 0, 4, 0, 4, 11, 1, 1},
    {"ends inside", -41, 80, 0, 39, 1, 0, 2},
    {"ends inside, seven elements", -41, 80, 0, 39, 7, 5, 1},
    {"a first range outside", 0, 9, -3, 12, 1, 0, 2},
    {"no first range", 0, 9, 1, 0, 1, 4, 2},
    {"the least numbers", INT64_MIN, INT64_MIN + 6, INT64_MIN, INT64_MIN + 2, 1,
     1, 2},
    {"the largest numbers", INT64_MAX - 6, INT64_MAX, INT64_MAX - 6, INT64_MAX,
     2, 1, 1},
};

/* Elements of the parameter at one step; the caller finishes args. */
static struct interp_tensor *step(const struct row *row, uint64_t k,
                                  struct diff_args *args)
{
    struct diff_range ranges[8] = {{0}}, first[8] = {{0}};
    struct interp_param params[8] = {{0}};
    const struct interp_signature sig = {.nparams = row->param + 1,
                                         .params = params};
    const struct diff_recipe recipe = {.fill = INTERP_FILL_EXACT,
                                       .ranges = ranges,
                                       .sweep = k + 1,
                                       .first = first};
    int64_t shape[1] = {row->elements};
    for (size_t i = 0; i <= row->param; i++)
        params[i] = (struct interp_param){.name = "I",
                                          .is_tensor = true,
                                          .dtype = DTYPE_INT64,
                                          .rank = 1,
                                          .shape = shape,
                                          .indexes = true};
    ranges[row->param] = (struct diff_range){.lo = row->lo, .hi = row->hi};
    first[row->param] =
        (struct diff_range){.lo = row->first_lo, .hi = row->first_hi};
    diff_args_make(args, &sig, NULL, 0, &recipe);
    return args->args[row->param].tensor;
}

static uint64_t steps_of(const struct row *row)
{
    const struct diff_range range = {.lo = row->lo, .hi = row->hi};
    const struct diff_range first = {.lo = row->first_lo, .hi = row->first_hi};
    return diff_sweep_windows(&range, &first, (size_t)row->elements);
}

static void every_value_is_there(void **state)
{
    const struct row *row = *state;
    bool inside = row->first_lo <= row->first_hi && row->first_lo >= row->lo &&
                  row->first_hi <= row->hi;
    int64_t lo = inside ? row->first_lo : row->lo;
    int64_t hi = inside ? row->first_hi : row->hi;
    bool seen[SPAN] = {false}, low = false, high = false;
    for (uint64_t k = 0; k < steps_of(row); k++) {
        struct diff_args args;
        const struct interp_tensor *t = step(row, k, &args);
        for (size_t i = 0; i < t->elements; i++) {
            int64_t value = (int64_t)interp_tensor_get(t, i);
            assert_true(value >= row->lo && value <= row->hi);
            seen[(uint64_t)value - (uint64_t)row->lo] = true;
            low |= value == lo;
            high |= value == hi;
        }
        diff_args_fini(&args);
        if (k + 1 == row->ends_by)
            assert_true(low && high);
    }
    for (uint64_t i = 0; i <= (uint64_t)row->hi - (uint64_t)row->lo; i++)
        if (!seen[i])
            fail_msg("no element is ever %lld",
                     (long long)((uint64_t)row->lo + i));
}

/* Two parameters of one value each do not go in step. */
static void parameters_meet_otherwise(void **state)
{
    (void)state;
    struct row a = rows[0], b = rows[0];
    bool seen[2 * 40] = {false};
    size_t differences = 0;
    a.param = 0;
    b.param = 1;
    for (uint64_t k = 0; k < steps_of(&a); k++) {
        struct diff_args x, y;
        int64_t u = (int64_t)interp_tensor_get(step(&a, k, &x), 0);
        int64_t v = (int64_t)interp_tensor_get(step(&b, k, &y), 0);
        differences += !seen[u - v + 40];
        seen[u - v + 40] = true;
        diff_args_fini(&x);
        diff_args_fini(&y);
    }
    assert_true(differences > 20);
}

/* The whole of a type has no number of values of its own. */
static void all_integers_are_a_range(void **state)
{
    (void)state;
    const struct row all = {"",        INT64_MIN, INT64_MAX, INT64_MIN,
                            INT64_MAX, 1,         0,         2};
    assert_true(steps_of(&all) > UINT64_MAX / 2);
    for (uint64_t k = 0; k < 4; k++) {
        struct diff_args args;
        int64_t value = (int64_t)interp_tensor_get(step(&all, k, &args), 0);
        assert_int_equal(value, k == 1   ? INT64_MAX
                                : k == 3 ? INT64_MIN + 1
                                         : INT64_MIN);
        diff_args_fini(&args);
    }
}

#define NROWS DC_ARRAY_LEN(rows)

int main(void)
{
    struct CMUnitTest tests[NROWS + 2] = {
        cmocka_unit_test(parameters_meet_otherwise),
        cmocka_unit_test(all_integers_are_a_range),
    };
    for (size_t i = 0; i < NROWS; i++) {
        tests[i + 2].name = rows[i].label;
        tests[i + 2].test_func = every_value_is_there;
        tests[i + 2].initial_state = (void *)(uintptr_t)&rows[i];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
