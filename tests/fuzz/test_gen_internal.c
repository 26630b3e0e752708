/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated programs: they are well-formed, print and read back equal, run
 * without a fault; the two sides of a pair relate as is said of them; the same
 * seed gives the same bytes; and each mutation is seen to change what some
 * program computes.
 *
 * What is expected of a pair follows from how it was made: equal bits on any
 * input if nothing but loops was changed, equal exact results if terms of a
 * floating reduction changed places.
 */
#include "fuzz/gen.h"
#include "fuzz/mutate.h"
#include "tests/test.h"

#include <inttypes.h>
#include <string.h>

#define SEEDS 2000u

static void fail_pair(uint64_t seed, const struct gen_pair *pair,
                      const char *what, const char *detail)
{
    struct buf label = {0}, script = {0};
    gen_pair_label(pair, &label);
    ir_print_script(pair->untuned, &script);
    ir_print_script(pair->tuned, &script);
    (void)fprintf(stderr, "seed %" PRIu64 " (%s): %s: %s\n%s\n", seed,
                  buf_text(&label), what, detail, buf_text(&script));
    buf_fini(&label);
    buf_fini(&script);
    fail();
}

static void make_pair(struct gen_pair *pair, uint64_t seed)
{
    struct gen_options options = gen_default_options();
    gen_pair_init(pair, NULL, 0, seed, &options);
}

/* ---- form ------------------------------------------------------------------ */

static void check_wellformed(uint64_t seed, const struct gen_pair *pair,
                             const struct ir_module *m)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    if (!ir_wellformed(m, sink)) {
        diag_render(sink, false, &text);
        fail_pair(seed, pair, "ill-formed", buf_text(&text));
    }
    buf_fini(&text);
    diag_sink_free(sink);
}

static void check_reread(uint64_t seed, const struct gen_pair *pair,
                         const struct ir_module *m, const struct buf *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf where = {0};
    struct ir_module *again = ir_read(buf_text(text), text->len, "again", sink);
    if (!again) {
        diag_render(sink, false, &where);
        fail_pair(seed, pair, "unreadable", buf_text(&where));
    } else if (!ir_module_equal(m, again, (struct ir_equal_options){0},
                                &where)) {
        fail_pair(seed, pair, "reads back different", buf_text(&where));
    }
    ir_module_free(again);
    buf_fini(&where);
    diag_sink_free(sink);
}

static void check_print(uint64_t seed, const struct gen_pair *pair,
                        const struct ir_module *m)
{
    struct buf json = {0}, script = {0};
    if (!ir_write_json(m, IR_ERA_F, &json, NULL))
        fail_pair(seed, pair, "JSON", "refused");
    check_reread(seed, pair, m, &json);
    ir_print_script(m, &script);
    check_reread(seed, pair, m, &script);
    buf_fini(&json);
    buf_fini(&script);
}

static void pairs_are_wellformed_and_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct gen_pair pair;
        make_pair(&pair, seed);
        check_wellformed(seed, &pair, pair.untuned);
        check_wellformed(seed, &pair, pair.tuned);
        if (seed % TEST_ONE_IN(8) == 0) {
            check_print(seed, &pair, pair.untuned);
            check_print(seed, &pair, pair.tuned);
        }
        gen_pair_fini(&pair);
    }
}

/* ---- meaning --------------------------------------------------------------- */

static void check_run(uint64_t seed, const struct gen_pair *pair,
                      const struct gen_run *run, const char *side)
{
    if (run->result.fault != INTERP_OK)
        fail_pair(seed, pair, side,
                  run->result.message ? run->result.message
                                      : interp_fault_name(run->result.fault));
}

static void check_claim(uint64_t seed, const struct gen_pair *pair,
                        size_t which)
{
    struct gen_input input = gen_input_at(which);
    struct gen_run untuned, tuned;
    gen_run_init(&untuned, pair->untuned, &input, NULL);
    gen_run_init(&tuned, pair->tuned, &input, NULL);
    check_run(seed, pair, &untuned, "untuned");
    check_run(seed, pair, &tuned, "tuned");
    struct gen_difference d = gen_compare(&untuned, &tuned);
    if (pair->tuning.claim == GEN_IDENTICAL ? d.bits : d.exact) {
        char text[96];
        (void)snprintf(text, sizeof text,
                       "input %zu, parameter %zu, element %zu", which, d.param,
                       d.element);
        fail_pair(seed, pair, "the sides differ", text);
    }
    gen_run_fini(&untuned);
    gen_run_fini(&tuned);
}

static void pairs_keep_their_claims(void **state)
{
    (void)state;
    size_t claims[2] = {0, 0};
    uint32_t steps = 0, kinds = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct gen_pair pair;
        make_pair(&pair, seed);
        if (seed % TEST_ONE_IN(8) == 0) {
            check_claim(seed, &pair, 0);
            check_claim(seed, &pair, 1 + seed % (GEN_NINPUTS - 1));
        }
        claims[pair.tuning.claim]++;
        steps |= pair.tuning.steps;
        kinds |= pair.kinds;
        gen_pair_fini(&pair);
    }
    /* Nothing is claimed of what is never drawn. */
    assert_true(claims[GEN_IDENTICAL] > SEEDS / 4);
    assert_true(claims[GEN_ORDER_ONLY] > SEEDS / 20);
    for (unsigned i = 0; i < GEN_NKINDS; i++)
        if (!(kinds >> i & 1))
            fail_msg("no seed has kind '%s'", gen_kind_name((enum gen_kind)i));
    for (unsigned i = 0; i < GEN_NSTEPS; i++)
        if (!(steps >> i & 1))
            fail_msg("no seed has step '%s'", gen_step_name((enum gen_step)i));
}

static void put_pair(struct buf *out, uint64_t seed)
{
    struct gen_pair pair;
    make_pair(&pair, seed);
    gen_pair_label(&pair, out);
    assert_true(ir_write_json(pair.untuned, IR_ERA_F, out, NULL));
    assert_true(ir_write_json(pair.tuned, IR_ERA_F, out, NULL));
    gen_pair_fini(&pair);
}

static void same_seed_same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct buf a = {0}, b = {0};
        put_pair(&a, seed);
        put_pair(&b, seed);
        assert_string_equal(buf_text(&a), buf_text(&b));
        buf_fini(&a);
        buf_fini(&b);
    }
}

/* Any bytes give a program: the choices that they make count, and none leads
 * out of bounds. */
static void bytes_make_programs(void **state)
{
    (void)state;
    struct gen_options options = gen_default_options();
    uint8_t bytes[256];
    for (unsigned fill = 0; fill < 256; fill++) {
        struct gen_pair pair;
        memset(bytes, (int)fill, sizeof bytes);
        gen_pair_init(&pair, bytes, sizeof bytes, 0, &options);
        check_wellformed(fill, &pair, pair.untuned);
        check_wellformed(fill, &pair, pair.tuned);
        check_claim(fill, &pair, 0);
        gen_pair_fini(&pair);
    }
}

/* ---- mutations ------------------------------------------------------------- */

/* Whether the mutant faults or computes something else on some input. */
static bool shows(const struct ir_module *right, const struct ir_module *mutant)
{
    bool differs = false;
    for (size_t i = 0; i < GEN_NINPUTS && !differs; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run a, b;
        gen_run_init(&a, right, &input, NULL);
        gen_run_init(&b, mutant, &input, NULL);
        if (a.result.fault == INTERP_OK)
            differs = interp_is_fault(b.result.fault) ||
                      (b.result.fault == INTERP_OK && gen_compare(&a, &b).bits);
        gen_run_fini(&a);
        gen_run_fini(&b);
    }
    return differs;
}

static void mutations_show(void **state)
{
    (void)state;
    bool seen[MUTATE_NKINDS] = {false};
    size_t missing = MUTATE_NKINDS;
    for (uint64_t seed = 0; seed < SEEDS && missing > 0; seed++) {
        struct gen_pair pair;
        make_pair(&pair, seed);
        for (unsigned k = 0; k < MUTATE_NKINDS; k++) {
            if (seen[k])
                continue;
            struct ir_module *mutant =
                mutate_module(pair.tuned, (enum mutate_kind)k, seed, NULL);
            if (!mutant)
                continue;
            check_wellformed(seed, &pair, mutant);
            seen[k] = shows(pair.tuned, mutant);
            missing -= seen[k];
            ir_module_free(mutant);
        }
        gen_pair_fini(&pair);
    }
    for (unsigned k = 0; k < MUTATE_NKINDS; k++)
        if (!seen[k])
            fail_msg("mutation '%s' changes no program",
                     mutate_name((enum mutate_kind)k));
}

/* One mutation of one kind at one place: the same bytes again. */
static void mutations_repeat(void **state)
{
    (void)state;
    for (unsigned k = 0; k < MUTATE_NKINDS; k++) {
        struct gen_pair pair;
        struct buf text[2] = {{0}, {0}};
        make_pair(&pair, 7);
        for (size_t i = 0; i < 2; i++) {
            struct ir_module *mutant =
                mutate_module(pair.tuned, (enum mutate_kind)k, 3, &text[i]);
            if (mutant)
                ir_print_script(mutant, &text[i]);
            ir_module_free(mutant);
        }
        assert_string_equal(buf_text(&text[0]), buf_text(&text[1]));
        buf_fini(&text[0]);
        buf_fini(&text[1]);
        gen_pair_fini(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_wellformed_and_read_back),
        cmocka_unit_test(pairs_keep_their_claims),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(bytes_make_programs),
        cmocka_unit_test(mutations_show),
        cmocka_unit_test(mutations_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
