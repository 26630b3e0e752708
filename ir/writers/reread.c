/* SPDX-License-Identifier: Apache-2.0
 *
 * What was written, read again and held against what it was written from. The
 * writers refuse what their format cannot say; of an ill-formed module they do
 * not know all, and nobody should have to trust them.
 */
#include "ir/ir.h"

#include <string.h>

/* The number-th line of a text, cut to what a message can hold. */
static const char *line_of(const char *text, uint32_t number, int *len)
{
    for (uint32_t i = 1; i < number && *text; i++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    text += strspn(text, " ");
    size_t n = strcspn(text, "\n");
    *len = n > 120 ? 120 : (int)n;
    return text;
}

static const struct diag *first_error(const struct diag_sink *sink)
{
    for (size_t i = 0; i < diag_count(sink); i++)
        if (diag_at(sink, i)->severity == DIAG_ERROR)
            return diag_at(sink, i);
    return NULL;
}

static void tell(const struct ir_module *m, const char *text,
                 const struct diag *why, struct diag_sink *sink)
{
    struct diag_loc loc = {.file = m->source};
    int len;
    if (why && why->line) {
        const char *line = line_of(text, why->line, &len);
        diag_error(sink, loc, "write.reread",
                   "what this module is written as does not read back: %s, in "
                   "\"%.*s\"",
                   why->message, len, line);
    } else {
        diag_error(sink, loc, "write.reread",
                   "what this module is written as does not read back: %s%s%s",
                   why ? why->message : "", why && why->path ? " at " : "",
                   why && why->path ? why->path : "");
    }
}

bool ir_check_reread(const struct ir_module *m, const struct buf *text,
                     bool same, struct diag_sink *sink)
{
    static const struct ir_equal_options options = {.map_free_vars = true};
    struct diag_sink *own = diag_sink_new();
    struct ir_module *again = ir_read(buf_text(text), text->len, "again", own);
    struct buf where = {0};
    bool fine = again != NULL;
    if (!again) {
        tell(m, buf_text(text), first_error(own), sink);
    } else if (same && !ir_module_equal(m, again, options, &where)) {
        fine = diag_error(sink, (struct diag_loc){.file = m->source},
                          "write.reread",
                          "what this module is written as reads back as "
                          "another one: %s",
                          buf_text(&where));
    }
    buf_fini(&where);
    ir_module_free(again);
    diag_sink_free(own);
    return fine;
}
