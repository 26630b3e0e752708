/* SPDX-License-Identifier: Apache-2.0
 *
 * What all readers of logs need. Private to audit/.
 */
#ifndef DC_AUDIT_RECORD_RECORD_H
#define DC_AUDIT_RECORD_RECORD_H

#include "audit/audit.h"
#include "ir/base/limits.h"

/* Longest line that is looked at, and most tensors of a task. */
#define AUDIT_MAX_LINE ((size_t)64 << 20)
#define AUDIT_MAX_ARGS 4096u
/* Times from here on say that nothing was measured: 1e9 and 1e10 seconds. */
#define AUDIT_NEVER 1e9

/* A file on its way: the line that is looked at. */
struct audit_cursor {
    struct audit_set *set;
    const char *file;
    const char *text; /* of the file */
    size_t size;
    size_t from, len; /* of the line, without its end */
    uint32_t line;    /* its number, from 1 */
    size_t file_index;
    const char *target; /* that a comment gave for what has none */
};
const char *audit_cursor_line(const struct audit_cursor *c);
/* False: that was the last. */
bool audit_cursor_next(struct audit_cursor *c);
DC_PRINTF(2, 3)
void audit_cursor_fault(struct audit_cursor *c, const char *fmt, ...);
/* The line as JSON; NULL and a fault. */
struct json_doc *audit_cursor_parse(struct audit_cursor *c) DC_MUST_USE;
/* A record of the line, zero but for where it stands. */
struct audit_record audit_cursor_record(const struct audit_cursor *c);

/* A format: one file each in readers/, registered by the build. */
struct audit_reader {
    const char *name;
    /* Whether a line of so many bytes is of the format, by how it begins. */
    bool (*detect)(const char *line, size_t len);
    /* Reads it, and following lines where they belong to it: the cursor is left on
     * the last of them. */
    void (*read)(struct audit_cursor *c);
};
extern const struct audit_reader *const audit_readers[]; /* NULL at end */

/* record_autotvm.c: a record of AutoTVM, of either version, into the set. */
void audit_autotvm_read(struct audit_cursor *c, const struct json_value *root);

/* The value as compact JSON, as it was written but for blanks. */
void audit_json_put(struct buf *out, const struct json_value *value);
char *audit_json_text(struct arena *arena, const struct json_value *value);
uint64_t audit_json_hash(const struct json_value *value);
/* The i-th element of an array; NULL: there is none. */
const struct json_value *audit_json_at(const struct json_value *array,
                                       size_t i);
bool audit_json_is(const struct json_value *value, enum json_type type);
/* The string, or NULL where it is none. */
const char *audit_json_word(const struct json_value *value);
/* An integer, from an integer; else `other`. */
int64_t audit_json_whole(const struct json_value *value, int64_t other);
/* Seconds of an array of numbers; false: it is none. */
DC_MUST_USE bool audit_json_seconds(struct arena *arena,
                                    const struct json_value *value,
                                    struct audit_record *out);
/* Dimensions of an array of integers; false: it is none. */
DC_MUST_USE bool audit_json_dims(struct arena *arena,
                                 const struct json_value *value,
                                 struct audit_shape *out);
/* The value after the member's or, for an array, element's name: of "i", "input". */
const struct json_value *audit_json_either(const struct json_value *object,
                                           const char *a, const char *b);
/* {"i": …, "r": …, "v": …} and the like: whether the object begins with one of
 * the keys, which are separated by blanks. */
bool audit_begins_with_key(const char *line, size_t len, const char *keys);

#endif
