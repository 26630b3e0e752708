/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes → a generated pair and a mutant of it. What must hold: the sides relate
 * as is known of them, all engines do the same to all three modules, enclosures
 * hold exact results, and no verdict contradicts what runs show.
 *
 * The bytes are the generator's choices, one or two a choice; the first picks
 * the mutation. Where they end, a generator seeded by them goes on, so that
 * short inputs are whole programs, too.
 */
#include "fuzz/fuzz.h"
#include "fuzz/gen_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct gen_options options = gen_small_options();
    uint64_t seed = size > 0 ? data[0] : 0;
    struct gen_pair pair;
    struct gen_mutation mutation = {0};
    gen_pair_init(&pair, data + (size > 0), size - (size > 0), seed, &options);
    struct ir_module *mutant = gen_next_mutant(&pair, seed, &mutation, NULL);
    if (gen_check_pair(seed, &pair, mutant).found > 0)
        DC_BUG("engines contradict each other, or the pair");
    if (!gen_check_verdict(seed, &pair, pair.tuned, NULL, GEN_SMALL_BUDGET))
        DC_BUG("the verdict on a right pair is wrong");
    if (mutant && !gen_check_verdict(seed, &pair, mutant, &mutation.kind,
                                     GEN_SMALL_BUDGET))
        DC_BUG("the verdict on a mutant is wrong");
    ir_module_free(mutant);
    gen_pair_fini(&pair);
    return 0;
}
