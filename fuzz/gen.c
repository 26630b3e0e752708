/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated pairs: choices, names, and how a pair is put together.
 *
 * One stream of choices draws the program, then the form of each side, then
 * what is done to the tuned one. The untuned side is the program as drawn,
 * written out with nothing done to it. Both sides thus come from one
 * description, and the only thing between them is a chain of rewrites each of
 * which is known to keep the values, or to change nothing but the order in
 * which a reduction takes its terms.
 */
#include "fuzz/gen_private.h"

#include <string.h>

/* ---- choices --------------------------------------------------------------- */

void gen_bytes_init(struct gen_bytes *b, const uint8_t *data, size_t n,
                    uint64_t seed)
{
    b->data = data;
    b->n = n;
    b->at = 0;
    b->state = hash_mix(UINT64_C(0x67656e6572617465), seed);
    if (n > 0)
        b->state = hash_bytes(b->state, data, n);
}

static uint64_t next_word(struct gen_bytes *b)
{
    b->state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(UINT64_C(0x6368), b->state);
}

uint64_t gen_below(struct gen_bytes *b, uint64_t n)
{
    if (n <= 1)
        return 0;
    if (b->at >= b->n)
        return next_word(b) % n;
    uint64_t value = b->data[b->at++];
    if (n > 256 && b->at < b->n)
        value = value << 8 | b->data[b->at++];
    return value % n;
}

bool gen_chance(struct gen_bytes *b, uint64_t k, uint64_t of)
{
    return gen_below(b, of) < k;
}

/* ---- names ----------------------------------------------------------------- */

const char *gen_form_name(enum gen_form form)
{
    static const char *const names[] = {"blocks", "loops", "kernel"};
    return names[form];
}

const char *gen_kind_name(enum gen_kind kind)
{
    static const char *const names[] = {
        "elementwise", "reduce", "matmul",  "window",    "pad",
        "gather",      "scan",   "reshape", "broadcast", "in-place",
    };
    return names[kind];
}

const char *gen_step_name(enum gen_step step)
{
    static const char *const names[] = {
        "reorder",      "split",         "fuse",         "reverse",
        "shift",        "stride",        "unroll",       "vectorize",
        "ramp",         "parallel",      "bind",         "inline",
        "cache-read",   "cache-write",   "decompose",    "rfactor",
        "accumulate",   "double-buffer", "flatten",      "view",
        "let",          "shared",        "fused-kernel", "implicit-sync",
        "cross-thread",
    };
    return names[step];
}

const char *gen_claim_name(enum gen_claim claim)
{
    return claim == GEN_IDENTICAL ? "identical" : "order-only";
}

/* ---- pairs ----------------------------------------------------------------- */

struct gen_options gen_default_options(void)
{
    return (struct gen_options){5, 9, true, true};
}

struct gen_options gen_small_options(void)
{
    return (struct gen_options){2, 4, true, true};
}

static enum gen_form pick_form(struct gen_bytes *b,
                               const struct gen_options *options)
{
    return (enum gen_form)gen_below(b, options->kernels ? GEN_NFORMS : 2);
}

void gen_pair_init(struct gen_pair *pair, const uint8_t *data, size_t n,
                   uint64_t seed, const struct gen_options *options)
{
    struct gen_bytes b;
    gen_bytes_init(&b, data, n, seed);
    struct gen_program *program = gen_program_new(&b, options);
    memset(pair, 0, sizeof *pair);
    pair->form[0] = gen_chance(&b, 2, 3) ? GEN_BLOCKS : pick_form(&b, options);
    pair->form[1] = pick_form(&b, options);
    pair->kinds = program->kinds;
    pair->symbolic = program->symbolic;
    pair->untuned = gen_module(program, pair->form[0]);
    pair->tuned = gen_transform(program, pair->form[1], &b, &pair->tuning);
    gen_program_free(program);
}

void gen_pair_fini(struct gen_pair *pair)
{
    ir_module_free(pair->untuned);
    ir_module_free(pair->tuned);
    pair->untuned = pair->tuned = NULL;
}

void gen_pair_label(const struct gen_pair *pair, struct buf *out)
{
    buf_printf(out, "%s untuned=%s tuned=%s%s kinds=",
               gen_claim_name(pair->tuning.claim), gen_form_name(pair->form[0]),
               gen_form_name(pair->form[1]), pair->symbolic ? " symbolic" : "");
    const char *comma = "";
    for (unsigned i = 0; i < GEN_NKINDS; i++) {
        if (pair->kinds >> i & 1) {
            buf_printf(out, "%s%s", comma, gen_kind_name((enum gen_kind)i));
            comma = ",";
        }
    }
    buf_puts(out, " steps=");
    comma = "";
    for (unsigned i = 0; i < GEN_NSTEPS; i++) {
        if (pair->tuning.steps >> i & 1) {
            buf_printf(out, "%s%s", comma, gen_step_name((enum gen_step)i));
            comma = ",";
        }
    }
    if (!*comma)
        buf_puts(out, "none");
}
