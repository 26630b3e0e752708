/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of JSON objects, as reports have them. Private to reports/.
 */
#ifndef DC_REPORTS_REPORT_MEMBERS_H
#define DC_REPORTS_REPORT_MEMBERS_H

#include "reports/reports.h"

/* Nothing where the text is NULL. */
void report_json_put_text(struct json_writer *w, const char *key,
                          const char *text);
void report_json_put_flag(struct json_writer *w, const char *key, bool value);
void report_json_put_number(struct json_writer *w, const char *key, uint64_t n);
void report_json_put_list(struct json_writer *w, const char *key,
                          const struct report_list *list);

/* Reading: what is asked for is refused where it is of another type, with one
 * message for all that follows. Absent members and null are NULL, false, 0 or an
 * empty list, unless they are needed. Texts and lists are in the arena. */
struct report_reading {
    struct arena *arena;
    struct diag_sink *sink; /* or NULL */
    const char *file;
    const char *of; /* "a report" */
    bool failed;
};
/* "'KEY' of a report is not WANTED" */
void report_json_refuse(struct report_reading *r, const char *key,
                        const char *wanted);
const struct json_value *report_json_member(struct report_reading *r,
                                            const struct json_value *v,
                                            const char *key,
                                            enum json_type type);
const char *report_json_text(struct report_reading *r,
                             const struct json_value *v, const char *key);
bool report_json_flag(struct report_reading *r, const struct json_value *v,
                      const char *key);
/* Whether it is a time: finite, not negative; NULL is none. */
bool report_json_is_seconds(const struct json_value *m, double *out);
/* Whether it is a whole number from 0 to most; NULL is none. */
bool report_json_is_whole(const struct json_value *m, uint64_t most,
                          uint64_t *out);
uint64_t report_json_whole(struct report_reading *r, const struct json_value *v,
                           const char *key, uint64_t most);
void report_json_list(struct report_reading *r, const struct json_value *v,
                      const char *key, size_t most, struct report_list *out);
/* The same of members that must be there; "" and 0 where they are not. */
const char *report_json_need_text(struct report_reading *r,
                                  const struct json_value *v, const char *key);
uint64_t report_json_need_whole(struct report_reading *r,
                                const struct json_value *v, const char *key,
                                uint64_t most);
const struct json_value *report_json_need(struct report_reading *r,
                                          const struct json_value *v,
                                          const char *key, enum json_type type);

/* report_set_read.c: report_set_read of what is parsed. */
DC_MUST_USE bool report_json_set(const struct json_value *root,
                                 const char *file, struct report_read_set *out,
                                 struct diag_sink *sink);
/* report_plots_read.c: the members "plots" and "sources" of a pair. */
void report_json_plots(struct report_reading *r, const struct json_value *pair,
                       struct report_pair *out);

#endif
