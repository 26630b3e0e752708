/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of text for people: labels in one column, wrapped to a width. Private
 * to reports/.
 */
#ifndef DC_REPORTS_SCREEN_H
#define DC_REPORTS_SCREEN_H

#include "reports/reports.h"

#define SCREEN_LABEL 16u /* column where the text behind a label begins */

struct screen {
    struct buf *out;
    struct report_style style;
    size_t width; /* columns of a line */
};
/* The width is that of the terminal, 80 where there is none. */
struct screen screen_make(struct buf *out, struct report_style style);

#define SCREEN_RED    "\033[1;31m"
#define SCREEN_YELLOW "\033[1;33m"
#define SCREEN_GREEN  "\033[1;32m"

/* Columns that a text takes: its characters, without escapes of colour. */
size_t screen_columns(const char *text);
/* The text on one line of at most so many columns, at least 1: what is longer is
 * cut with "…". Control characters are made visible. Gives the columns. */
size_t screen_put_fit(struct buf *out, const char *text, size_t room);
/* The label, then the text from column `indent` on, wrapped between words; a
 * longer label keeps its line. Control characters of the text are made
 * visible, the label is taken as it is. */
void screen_put(struct screen *s, const char *label, size_t indent,
                const char *text);
/* The same on one line, cut with "…" where it is too long, unless verbose. */
void screen_put_cut(struct screen *s, const char *label, size_t indent,
                    const char *text);
/* A line of its own: in colour the verdict, what follows it, and at the right end,
 * or on the next line where there is no room, what comes of it. */
void screen_put_head(struct screen *s, const char *colour, const char *verdict,
                     const char *left, const char *right);
/* The head of what ends with that exit status: in its colour, with the name of
 * what was looked at. */
void screen_put_judged(struct screen *s, const char *verdict, const char *name,
                       int exit_code);
/* The text as a sentence: a capital unless it begins with a name, a full stop. */
void screen_put_sentence(struct screen *s, const char *text, bool name);
/* The first n of a list, labelled once. */
void screen_put_list(struct screen *s, const char *label,
                     const struct report_list *list, size_t n);
/* Several lines, as they are. */
void screen_put_lines(struct screen *s, const char *label, const char *text);
/* A command: where it is too long it goes on behind a backslash. */
void screen_put_command(struct screen *s, const char *label, const char *text);
/* screen_targets.c. A colour; "" for what is neither good nor bad. */
const char *screen_outcome_colour(enum report_outcome outcome);
#define SCREEN_DISTANCES 3
/* How far both kernels are from the interpreter and from each other: how many
 * lines, the caller's to free. Nothing for what does not differ. */
size_t screen_list_distances(const struct report_target *t,
                             struct buf out[SCREEN_DISTANCES]);
bool screen_same_distance(const struct report_distance *a,
                          const struct report_distance *b);
/* Of those with something in detail the worst, on most outputs; or NULL. */
const struct report_target *screen_worst_target(const struct report_pair *pair);

/* details.c: all that is known, one fact a line. */
void screen_put_details(struct screen *s, const struct report_pair *pair);

#endif
