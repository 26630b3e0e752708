/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a module from text of any registered format: the first reader that
 * recognises the content reads it; file names decide nothing.
 */
#include "ir/base/limits.h"
#include "ir/ir.h"
#include "ir/readers/foreign.h"
#include "ir/readers/tvmjson/tvmjson.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

static bool blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
            return false;
    return true;
}

static struct ir_module *unknown_format(const char *text, size_t len,
                                        struct diag_loc loc,
                                        struct diag_sink *sink)
{
    size_t bad;
    const char *words = ir_foreign_words(text, len);
    if (words != NULL)
        diag_error(sink, loc, "read.foreign", "%s", words);
    else if (blank(text, len))
        diag_error(sink, loc, "read.empty",
                   "the file is empty, expected a TVM module");
    else if (memchr(text, '\0', len) || !utf8_valid(text, len, &bad))
        diag_error(sink, loc, "read.format",
                   "binary data, expected the JSON or the script of a TVM "
                   "module");
    else
        diag_error(sink, loc, "read.format",
                   "neither TVM JSON (tvm.ir.save_json) nor TVMScript "
                   "(mod.script())");
    return NULL;
}

struct ir_module *ir_read(const char *text, size_t len, const char *file,
                          struct diag_sink *sink)
{
    struct diag_loc loc = {.file = file};
    if (len > DC_MAX_INPUT_BYTES) {
        diag_error(sink, loc, "read.limit",
                   "the file has %zu bytes, at most %zu are read", len,
                   DC_MAX_INPUT_BYTES);
        return NULL;
    }
    const char *foreign = ir_foreign_answer(text, len);
    if (foreign != NULL) {
        diag_error(sink, loc, "read.foreign", "%s", foreign);
        return NULL;
    }
    for (const struct ir_reader *const *r = ir_readers; *r; r++)
        if ((*r)->detect(text, len)) {
            struct ir_module *m = (*r)->read(text, len, file, sink);
            if (m)
                m->text_hash = hash_bytes(0, text, len);
            return m;
        }
    return unknown_format(text, len, loc, sink);
}

struct ir_module *ir_read_file(const char *path, struct diag_sink *sink)
{
    struct buf text = {0};
    struct ir_module *m = NULL;
    if (file_read(path, 0, &text, sink)) {
        diag_set_source(sink, path, buf_text(&text), text.len);
        m = ir_read(buf_text(&text), text.len, path, sink);
    }
    buf_fini(&text);
    return m;
}

bool ir_read_index_map(struct ir_module *m, const char *text, size_t len,
                       const char *file, struct diag_sink *sink,
                       struct ir_index_map *out)
{
    static const char word[] = "lambda";
    memset(out, 0, sizeof *out);
    if (len > DC_MAX_INPUT_BYTES) {
        struct diag_loc loc = {.file = file};
        return diag_error(sink, loc, "read.limit",
                          "the index map has %zu bytes, at most %zu are read",
                          len, DC_MAX_INPUT_BYTES);
    }
    if (len >= sizeof word && memcmp(text, word, sizeof word - 1) == 0)
        return script_read_lambda(m, text, len, file, sink, out);
    return tj_read_index_map(m, text, len, file, sink, out);
}
