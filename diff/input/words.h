/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a command line, as text to repeat. Private to diff/.
 */
#ifndef DC_DIFF_INPUT_WORDS_H
#define DC_DIFF_INPUT_WORDS_H

#include "ir/base/base.h"

/* A word of a command line to repeat, quoted for a POSIX shell where needed. */
void diff_put_word(struct buf *out, const char *word);
/* " --option word" */
void diff_put_option(struct buf *out, const char *option, const char *fmt, ...)
    DC_PRINTF(3, 4);
/* digest.c: SHA-256 of the bytes, 64 hexadecimal digits. */
void diff_put_digest(struct buf *out, const void *data, size_t len);
/* YYYY-MM-DD, a day that there is. */
bool diff_is_date(const char *text);
/* GFLOPS[,GB/s], both above 0; *gbs stays as it was without the latter. */
bool diff_read_peak(const char *text, double *gflops, double *gbs);
/* The nearest of the names by edit distance, or NULL if none is near. */
const char *diff_nearest(const char *word, size_t n, const char *const *names);

#endif
