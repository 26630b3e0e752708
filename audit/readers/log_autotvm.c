/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of AutoTVM: lines of version 0.2, whose keys are words (those of 0.1 begin
 * as Ansor's do and are told apart there), and the form before that, six fields in
 * base64 between tabs. Its fields are pickled Python objects, which run code when
 * they are read: such a line is refused, and how to convert it is said.
 */
#include "audit/record/record.h"

#include <string.h>

static bool is_base64(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool fine = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                    (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
        if (!fine)
            return false;
    }
    return len > 0;
}

/* Six fields, pickled: each begins as a pickle of protocol 2 and later does, 0x80,
 * in base64 "gA". */
static bool is_pickled(const char *line, size_t len)
{
    size_t fields = 0;
    for (size_t at = 0; at <= len;) {
        const char *tab = memchr(line + at, '\t', len - at);
        size_t n = tab ? (size_t)(tab - (line + at)) : len - at;
        if (n < 2 || strncmp(line + at, "gA", 2) != 0 ||
            !is_base64(line + at, n))
            return false;
        fields++;
        at += n + 1;
    }
    return fields >= 4;
}

static bool detect(const char *line, size_t len)
{
    return audit_begins_with_key(line, len,
                                 "input config result version tvm_version") ||
           is_pickled(line, len);
}

static void read_record(struct audit_cursor *c)
{
    if (is_pickled(audit_cursor_line(c), c->len)) {
        audit_cursor_fault(c, "a pickled record of AutoTVM, which is code: "
                              "rewrite the log with 'python -m "
                              "tvm.autotvm.record --mode read' of the TVM that "
                              "wrote it, into version 0.2");
        return;
    }
    struct json_doc *doc = audit_cursor_parse(c);
    if (doc != NULL)
        audit_autotvm_read(c, json_root(doc));
    json_free(doc);
}

const struct audit_reader log_autotvm = {
    .name = "autotvm", .detect = detect, .read = read_record};
