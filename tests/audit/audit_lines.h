/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs made for tests: lines put together, read, counted and judged.
 */
#ifndef DC_TESTS_AUDIT_AUDIT_LINES_H
#define DC_TESTS_AUDIT_AUDIT_LINES_H

#include "audit/audit.h"
#include "tests/test.h"

#include <string.h>

/* The text as a file of the set, which has to be a log. */
static inline void add_log(struct audit_set *set, const char *name,
                           const char *text)
{
    struct buf buf = {0};
    buf_puts(&buf, text);
    assert_true(audit_set_add(set, name, &buf, NULL));
    buf_fini(&buf);
}

static inline struct audit_set *read_log(const char *text)
{
    struct audit_set *set = audit_set_new();
    add_log(set, "log.json", text);
    return set;
}

static inline void count_all(struct audit_set *set)
{
    audit_set_link(set);
    for (size_t i = 0; i < set->records.len; i++)
        audit_count(set, i, set->arena);
}

static inline void judge_all(struct audit_set *set)
{
    struct audit_options none = {0};
    count_all(set);
    audit_judge(set, &none);
}

/* ["1", "base64 of the length and the module"] */
static inline void put_workload(struct buf *out, const char *module)
{
    struct buf bytes = {0};
    size_t len = strlen(module);
    for (unsigned i = 0; i < 8; i++)
        buf_putc(&bytes, (char)(len >> (8 * i) & 0xff));
    buf_puts(&bytes, module);
    buf_puts(out, "[\"1\",\"");
    base64_encode(bytes.data, bytes.len, out);
    buf_puts(out, "\"]\n");
    buf_fini(&bytes);
}

/* A database of one workload, given as TVMScript, and a record of 1 ms. */
static inline struct audit_set *read_module(const char *module)
{
    struct audit_set *set = audit_set_new();
    struct buf text = {0};
    put_workload(&text, module);
    add_log(set, "d/database_workload.json", buf_text(&text));
    add_log(set, "d/database_tuning_record.json",
            "[0,[[[],[]],[0.001],{\"kind\":\"cuda\"},null]]\n");
    buf_fini(&text);
    count_all(set);
    return set;
}

#endif
