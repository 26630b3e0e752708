/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a command line: those that a reader may repeat, quoted for a POSIX shell
 * where one would take them apart, and which of some one was meant.
 */
#include "diff/input/words.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

void diff_put_word(struct buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./=:,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        buf_puts(out, word);
        return;
    }
    buf_putc(out, '\'');
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            buf_puts(out, "'\\''");
        else
            buf_putc(out, *p);
    }
    buf_putc(out, '\'');
}

bool diff_is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    size_t i = 0;
    for (; form[i]; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9'
                           : text[i] != form[i])
            return false;
    if (text[i])
        return false;
    int year = (int)strtol(text, NULL, 10);
    int month = (int)strtol(text + 5, NULL, 10);
    int day = (int)strtol(text + 8, NULL, 10);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && leap);
}

void diff_put_option(struct buf *out, const char *option, const char *fmt, ...)
{
    struct buf word = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&word, fmt, args);
    va_end(args);
    buf_printf(out, " %s ", option);
    diff_put_word(out, buf_text(&word));
    buf_fini(&word);
}

/* A number above 0 that begins with a digit; *end: behind it. */
static bool read_positive(const char *text, char **end, double *out)
{
    if (*text < '0' || *text > '9')
        return false;
    *out = strtod(text, end);
    return *out > 0 && *out < DBL_MAX;
}

bool diff_read_peak(const char *text, double *gflops, double *gbs)
{
    char *end;
    if (!read_positive(text, &end, gflops))
        return false;
    return *end == '\0' ||
           (*end == ',' && read_positive(end + 1, &end, gbs) && *end == '\0');
}

#define MAX_WORD 40u

/* Levenshtein distance; words longer than MAX_WORD are never near. */
static size_t distance(const char *a, const char *b)
{
    size_t row[MAX_WORD + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > MAX_WORD || m > MAX_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

const char *diff_nearest(const char *word, size_t n, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2; /* farther is no typo */
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, names[i]);
        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    return best;
}
