/* SPDX-License-Identifier: Apache-2.0
 *
 * Strange neighbours of a text, in an order of our own: what a test can go
 * through on any machine and find the same. A text is cut into tokens (strings,
 * numbers, words, signs), which JSON and Python have in common; a variant has
 * some of them replaced. Variant k of a text is a function of the text and of
 * k alone.
 */
#ifndef DC_FUZZ_VARY_H
#define DC_FUZZ_VARY_H

#include "ir/base/base.h"

struct vary;

/* Cuts the text, which must outlive the result. */
struct vary *vary_new(const uint8_t *data, size_t size);
void vary_free(struct vary *v);

/* Every single replacement: each string, number and word in turn by each
 * strange one of its kind and by each other string of the text. */
size_t vary_count(const struct vary *v);
void vary_single(const struct vary *v, size_t k, struct buf *out);

/* One to four edits, drawn from seed and k: replacements as above, tokens and
 * whole brackets removed, doubled, exchanged or copied to another place, bytes
 * changed. */
void vary_random(const struct vary *v, uint64_t seed, uint64_t k,
                 struct buf *out);

#endif
