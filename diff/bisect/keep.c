/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search found, as files: the program at first, before the step in question
 * and after it, and the steps that are needed.
 */
#include "diff/bisect/bisect.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool keep_module(struct bisect *b, const char *name,
                        const struct ir_module *m)
{
    const char *path = path_join(b->arena, b->options->out, name);
    struct buf text = {0};
    bool fine = ir_write_json(m, IR_ERA_F, &text, b->sink) &&
                file_write(path, text.data, text.len, b->sink);
    buf_fini(&text);
    return fine;
}

static bool make_folder(struct bisect *b)
{
    struct diag_loc at = {.file = b->options->out};
    return mkdir(b->options->out, 0777) == 0 || errno == EEXIST ||
           diag_error(b->sink, at, "bisect.folder",
                      "cannot make the folder: %s", strerror(errno));
}

bool bisect_keep(struct bisect *b, const struct bisect_found *f,
                 const bool *skip)
{
    struct buf steps = {0};
    bool fine =
        make_folder(b) &&
        keep_module(b, "untuned.json", b->points.items[0].module) &&
        keep_module(b, "before.json", b->points.items[f->good].module) &&
        keep_module(b, "after.json", b->points.items[f->bad].module);
    for (size_t i = 0; skip && i < b->input.steps.n; i++)
        if (!skip[i])
            buf_printf(&steps, "%s\n", b->input.steps.items[i].text);
    if (fine && skip)
        fine = file_write(path_join(b->arena, b->options->out, "steps.txt"),
                          buf_text(&steps), steps.len, b->sink);
    buf_fini(&steps);
    return fine;
}
