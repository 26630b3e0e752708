/* SPDX-License-Identifier: Apache-2.0
 *
 * What findings of comparisons and of `lint` are made of: the text of a module,
 * outputs, a folder.
 *
 * A module's text is read a second time, after the comparison. It is what was
 * compared only if its hash says so: a file may be edited meanwhile, and a pipe
 * has nothing more to give. Without it the module is written as it was compared.
 */
#include "diff/input/casefile.h"
#include "diff/saved/saved.h"

#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void saved_take_text(struct saved_module *m, const struct diff_options *options,
                     const char *path, const struct diff_casetext *section,
                     struct diag_sink *sink)
{
    if (m->taken)
        return;
    m->taken = true;
    if (section && !section->file) {
        buf_append(&m->text, section->text, section->len);
        return;
    }
    path = section ? section->file : path;
    if (strcmp(path, "-") == 0 || !is_file(path))
        return;
    if (file_read(path, options->max_input_bytes, &m->text, NULL) &&
        hash_bytes(0, buf_text(&m->text), m->text.len) == m->module->text_hash)
        return;
    m->text.len = 0;
    diag_warn(sink, (struct diag_loc){.file = path}, "save.changed",
              "is not what was compared any more: the module is saved as it "
              "was compared");
}

struct interp_tensor **saved_outputs(struct arena *arena,
                                     const struct interp_signature *sig,
                                     const struct diff_args *args)
{
    struct interp_tensor **out =
        ARENA_ARRAY(arena, args->n + 1, struct interp_tensor *);
    for (size_t i = 0; i < args->n; i++)
        out[i] = sig->params[i].stored ? args->args[i].tensor : NULL;
    return out;
}

bool saved_is_exact(const struct saved_finding *f)
{
    for (size_t k = 0; k < f->nmodules; k++) {
        const struct interp_tensor *t =
            f->outputs[k] ? f->outputs[k][f->element.output] : NULL;
        if (!t || (t->state[f->element.element] & INTERP_INEXACT))
            return false;
    }
    return true;
}

bool saved_is_known(const struct interp_tensor *t, size_t i)
{
    return (t->state[i] & INTERP_DEFINED) && !(t->state[i] & INTERP_SKIPPED);
}

struct interp_tensor *saved_known(const struct interp_tensor *t)
{
    struct interp_tensor *known = interp_tensor_new(
        dtype_with_lanes(DTYPE_BOOL, t->dtype.lanes), t->rank, t->shape);
    for (size_t i = 0; i < t->elements; i++)
        interp_tensor_set(known, i, saved_is_known(t, i));
    return known;
}

bool saved_put(struct saver *s, const char *name, const struct saved_finding *f,
               struct diag_sink *sink)
{
    const char *folder = saved_folder_add(&s->folder, name, s->arena, sink);
    return folder && saved_write(folder, s->folder.path, f, sink);
}
