/* SPDX-License-Identifier: Apache-2.0
 *
 * TVMScript, the Python text form of TVM modules, in the spellings from
 * TVM 0.8 to 0.27: the descriptor of the format and its entry point. The
 * parser stands in ir/readers/tvmscript/; script.h describes its parts.
 *
 * Text loses what JSON keeps (docs: some data types of symbolic dimensions,
 * constants behind metadata), so JSON is to be preferred where both exist.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

static bool contains(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++) {
        const char *at = memchr(text + i, word[0], len - i - n + 1);
        if (!at)
            return false;
        i = (size_t)(at - text);
        if (memcmp(at, word, n) == 0)
            return true;
    }
    return false;
}

/* A decorator of a function or a module at the start of a line. */
static bool detect(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t stop = end ? (size_t)(end - text) : len;
        while (at < stop && (text[at] == ' ' || text[at] == '\t'))
            at++;
        if (at < stop && text[at] == '@') {
            const char *line = text + at;
            size_t n = stop - at;
            return contains(line, n, "prim_func") ||
                   contains(line, n, "ir_module") ||
                   contains(line, n, "function");
        }
        at = stop + 1;
    }
    return false;
}

static struct ir_module *read_text(const char *text, size_t len,
                                   const char *file, struct diag_sink *sink)
{
    struct script s = {.sink = sink, .m = ir_module_new()};
    if (sink)
        diag_set_source(sink, file, text, len);
    s.m->source = arena_strdup(s.m->arena, file ? file : "");
    s.tirx = contains(text, len, "tirx") || contains(text, len, "sblock") ||
             contains(text, len, "s_tir");
    script_symbols_init(&s.symbols, s.m->arena);
    bool ok = script_lex(text, len, file, &s.symbols, sink, &s.tokens) &&
              script_parse_file(&s);
    script_fini(&s);
    if (ok)
        return s.m;
    ir_module_free(s.m);
    return NULL;
}

const struct ir_reader read_tvmscript = {
    .name = "tvmscript",
    .summary = "TVMScript text, TVM 0.8 to 0.27",
    .detect = detect,
    .read = read_text,
};
