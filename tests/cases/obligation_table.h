/* SPDX-License-Identifier: Apache-2.0
 *
 * The obligations of the prover by name, and what shows that each is needed:
 * for test_obligations.c.
 */
#ifndef DC_TESTS_OBLIGATION_TABLE_H
#define DC_TESTS_OBLIGATION_TABLE_H

#include <stddef.h>

/* Left out, `pair` (below corpora/) is proved wrongly. also: what is left out
 * with it, since each of the two keeps the pair from being proved. */
struct obligation {
    const char *what, *also, *pair;
};

// clang-format off
static const struct obligation table[] = {
    {"as many elements", NULL, "traps/as-many-elements-wrong"},
    {"same parameter", NULL, "traps/t07-difference-wrong"},
    {"same type", NULL, "traps/t08-other-half-wrong"},
    {"same constant", NULL, "pairs/max-identity-zero"},
    {"same operator", NULL, "traps/t18-two-quotients-wrong"},
    {"same function called", NULL, "traps/t18-two-functions-wrong"},
    {"same element read", NULL, "traps/t15-gather-other-wrong"},
    {"same integer", NULL, "traps/t18-two-numbers-wrong"},
    {"same initial value", NULL, "traps/t04-negative-zero-wrong"},
    {"choice", NULL, "pairs/conv-pad-guard-off"},
    {"choice decided", NULL, "traps/last-store-cell-wrong"},
    {"the operator commutes", NULL, "traps/t07-difference-wrong"},
    {"minima keep their operands' order", NULL, "traps/t07-max-operands-wrong"},
    {"minima keep their operands' order", NULL, "traps/t07-two-maxima-wrong"},
    {"the sum begins at +0", NULL, "traps/t04-padded-from-minus-zero-wrong"},
    {"each term has a partner", NULL, "traps/t05-dropped-products-wrong"},
    {"one partner only", NULL, "traps/t17-overlapping-parts-wrong"},
    {"onto: each term is reached", NULL, "traps/t16-bounded-terms-wrong"},
    {"reached once", NULL, "traps/t17-overlapping-tiles-wrong"},
    {"the partner is in range", NULL, "traps/t16-fewer-terms-wrong"},
    {"the partner is a term", NULL, "traps/t16-bounded-terms-wrong"},
    {"the maps are inverse", NULL, "traps/t17-copies-wrong"},
    {"partners are equal", NULL, "traps/t15-gather-other-wrong"},
    {"order kept", NULL, "pairs/sum-reversed-float64"},
    {"the order is stated", NULL, "pairs/allreduce"},
    {"the last store runs", NULL, "traps/t03-read-before-write-wrong"},
    {"the last store's cell", NULL, "traps/last-store-cell-wrong"},
    {"the last store comes before", NULL, "traps/t03-read-before-write-wrong"},
    {"the last store's condition", NULL, "traps/t03-stale-accumulator-wrong"},
    {"no store in between", NULL, "traps/store-in-between-wrong"},
    {"no store before", NULL, "traps/store-before-wrong"},
    {"no such term", NULL, "traps/t03-stale-accumulator-wrong"},
    {"the domain of terms", NULL, "traps/t16-bounded-terms-wrong"},
    {"the cell determines these loops", NULL, "pairs/circular-window-twice"},
    {"a term's condition", NULL, "traps/t16-bounded-terms-wrong"},
    {"some store runs", NULL, "traps/window-short-wrong"},
    {"a term's cell", NULL, "traps/term-cell-wrong"},
    {"a term comes before the reader", NULL, "traps/term-before-reader-wrong"},
    {"a term comes after the last store", NULL, "pairs/two-reduce-iters-init"},
    {"one operator updates", NULL, "traps/two-operators-wrong"},
    {"a chain is of one operator", NULL, "traps/chain-of-two-operators-wrong"},
    {"integer fits its type", NULL, "traps/t01-value-wraps-wrong"},
    {"dividend >= 0", NULL, "traps/t02-truncating-index-wrong"},
    {"the tuned side's outputs", NULL, "pairs/extra-output-write"},
    {"the untuned result is defined", NULL, "traps/t03-untuned-undefined-wrong"},
    {"the tuned result is defined", NULL, "traps/t03-times-zero-wrong"},
    {"control is defined", NULL, "traps/t03-undefined-condition-wrong"},
    {"possible: an output", NULL, "traps/t19-no-output-wrong"},
    {"possible: an element", NULL, "traps/t19-vacuous-product-wrong"},
    {"possible: facts of the untuned program", NULL, "traps/t19-vacuous-index-wrong"},
    {"safety: integer fits its type", NULL, "traps/t01-index-wraps-wrong"},
    {"safety: divisor is not zero", NULL, "pairs/div-by-zero-only-tuned"},
    {"safety: access in bounds", NULL, "traps/t06-select-wrong"},
    {"safety: assertion", NULL, "pairs/view-beyond-dimension"},
    {"safety: no race", NULL, "pairs/gemm-parallel-k"},
    {"safety: iterations do not race", NULL, "traps/t11-parallel-other-wrong"},
    {"safety: blocks do not race", NULL, "pairs/block-second-value"},
    {"safety: threads do not race", NULL, "pairs/shared-missing"},
    {"safety: implicit barriers are met", NULL, "traps/implicit-barrier-divergent-wrong"},
    {"safety: writers store one value", NULL, "traps/t11-parallel-other-wrong"},
    {"safety: instances that write one cell", NULL, "traps/t11-parallel-other-wrong"},
    {"safety: barrier is reached by all threads", NULL, "pairs/barrier-divergent"},
    {"safety: the untuned program reads this", NULL, "traps/t15-gather-more-wrong"},
    {"the same combiner", NULL, "pairs/argmax-tie-changed"},
    {"the combiner is commutative", NULL, "pairs/argmax-first-reversed"},
    {"the combiner is associative", NULL, "pairs/argmax-loser-index"},
    {"safety: copy is complete", NULL, "traps/copy-not-waited-wrong"},
    {"a step reads what stands before it", NULL, "pairs/recurrence-read-before-reset"},
    {"steps come one after the other", NULL, "pairs/recurrence-read-once"},
    {"part of an index in its range", NULL, "traps/index-part-range-wrong"},
    {"no component takes another step", NULL, "traps/recurrence-state-kept-wrong"},
    {"the initial state is no NaN", NULL, "traps/nan-initial-state-wrong"},
    {"safety: a fact keeps its conditions", "control is defined", "traps/fact-without-condition-wrong"},
    {"an address is defined", NULL, "pairs/undefined-condition"},
    {"a condition is defined", NULL, "traps/t03-undefined-condition-wrong"},
    {"divisor > 0", NULL, "traps/divisor-negative-wrong"},
    {"indices fit the prover", NULL, "traps/t01-many-factors-wrong"},
    {"indices fit the prover", "safety: integer fits its type", "traps/t01-large-coefficient-wrong"},
    {"no address is of a state", NULL, "traps/recurrence-address-wrong"},
    {"a context says nothing of the state", NULL, "traps/recurrence-condition-wrong"},
    {"loop bounds hold no data", "a store's condition is not computed", "traps/extent-of-data-wrong"},
    /* ---- conditions of the translation: front*.c, spec/ */
    {"a call is a function of its operands", NULL, "traps/t18-two-operators-wrong"},
    {"a function is the operator of its name", NULL, "traps/round-of-c-wrong"},
    {"a return is the last statement", NULL, "pairs/return-early"},
    {"what is viewed flat is compact", NULL, "traps/flat-view-strided-wrong"},
    {"a kernel's storage is its own", NULL, "traps/host-view-of-shared-wrong"},
    {"warps lie along threadIdx.x", NULL, "traps/warps-across-rows-wrong"},
    {"all lanes reach a shuffle", "safety: barrier is reached by all threads", "pairs/shuffle-divergent"},
    {"a shuffle's mask is full", NULL, "traps/shuffle-mask-wrong"},
    {"a shuffle's mask is full", NULL, "traps/shuffle-kept-mask-wrong"},
    {"a shuffle reaches no other segment", NULL, "traps/shuffle-segment-wrong"},
    {"all lanes run where their mask is read", NULL, "traps/active-mask-wrong"},
    {"all lanes reach a tile operation", NULL, "pairs/wmma-half-warp"},
    {"lanes give a tile operation the same operands", NULL, "traps/tile-operands-differ-wrong"},
    {"a fragment has tiles of one size", NULL, "traps/tile-sizes-differ-wrong"},
    {"whole warps reach a matrix instruction", NULL, "traps/ldmatrix-half-warp-wrong"},
    {"another lane's address is known", NULL, "traps/ldmatrix-address-of-data-wrong"},
    {"one queue of copies", NULL, "traps/async-other-queue-wrong"},
    {"the end of each group is reached", NULL, "traps/async-commit-guarded-wrong"},
    {"the identity is a unit", NULL, "traps/allreduce-identity-wrong"},
    {"the identity is a unit", NULL, "traps/crossthread-identity-wrong"},
    {"threads have terms of their own", NULL, "traps/crossthread-same-terms-wrong"},
    {"the reduction's loops are inside of it", NULL, "traps/crossthread-loop-around-wrong"},
    {"a cell begins and goes on in one place", NULL, "traps/crossthread-two-places-wrong"},
    {"some thread takes part", NULL, "traps/crossthread-nobody-wrong"},
};

/* Of one function by itself: left out, the pair's tuned side is called safe. */
static const struct obligation lint_table[] = {
    {"lint: an output is defined", NULL, "pairs/missing-init-alloc"},
    {"control is defined", NULL, "traps/t03-undefined-condition-wrong"},
    {"a condition is defined", NULL, "traps/t03-undefined-condition-wrong"},
    {"all lanes reach a tile operation", NULL, "pairs/wmma-half-warp"},
    {"a shuffle's mask is full", NULL, "traps/shuffle-mask-wrong"},
    {"whole warps reach a matrix instruction", NULL, "traps/ldmatrix-half-warp-wrong"},
    {"the end of each group is reached", NULL, "traps/async-commit-guarded-wrong"},
    {"warps lie along threadIdx.x", NULL, "traps/warps-across-rows-wrong"},
    {"safety: access in bounds", NULL, "traps/t06-select-wrong"},
    {"safety: no race", NULL, "pairs/gemm-parallel-k"},
};

/* What only guides the search: left out, another way is tried, or none. What it
 * lets through is asked again by `again`, an obligation of the table; NULL:
 * nothing follows from it but words of a report. */
struct guide {
    const char *what, *again, *why;
};

static const struct guide guides[] = {
    {"terms covered", "each term has a partner", "ends the search for partners early"},
    {"all terms covered", "each term has a partner", "ends the search for partners early"},
    {"no common terms", "each term has a partner", "leaves a pair of parts out; a term that it loses has no partner"},
    {"guess", "no store before", "leaves a guessed store out; then another one is the last, or none is"},
    {"a term does not read what is summed", "the last store runs", "of two readings of a store, as a term or as a plain store, takes one; both are right, as either way what it reads is found at its own time"},
    {"swapped", NULL, "the pair of terms that a report names"},
    {"candidate", NULL, "an element for a run to look at"},
    {"law", NULL, "an instance at which a law of a combiner fails, for the message"},
};
// clang-format on

#endif
