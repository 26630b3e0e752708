/* SPDX-License-Identifier: Apache-2.0
 *
 * What --save writes of a function that lint has found to be unsafe: one module,
 * the input of the run that shows it, and what that run left, if it came to its
 * end.
 */
#include "diff/saved/saved.h"

#include <string.h>

/* "unsafe/out-of-bounds" */
static const char *rule_of(struct saver *s, enum interp_fault_kind fault)
{
    char *rule = arena_printf(s->arena, "unsafe/%s", interp_fault_name(fault));
    for (char *c = rule; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    return rule;
}

static struct interp_tensor **outputs_of(struct saver *s,
                                         const struct diff_single *r)
{
    struct interp_tensor **out =
        ARENA_ARRAY(s->arena, r->args.n + 1, struct interp_tensor *);
    for (size_t i = 0; i < r->args.n; i++)
        out[i] = r->sig.params[i].stored ? r->args.args[i].tensor : NULL;
    return out;
}

static bool write(struct saver *s, const struct lint *l,
                  const struct lint_finding *f, const struct diff_args *in,
                  struct saved_finding *out, struct diag_sink *sink)
{
    const struct diff_single *r = &l->one;
    out->command = "lint";
    out->options = f->options;
    out->verdict = "unsafe";
    out->reason = f->reason;
    out->function = f->function;
    out->where = f->where;
    out->nmodules = 1;
    out->modules = s->modules;
    out->sig = &r->sig;
    out->in = in;
    out->input = f->options->nins > 0 ? "given" : f->options->fill;
    out->seed = f->options->seed;
    out->nsymbols = r->nsymbols;
    out->symbols = r->symbols;
    out->noutputs = r->args.n;
    const char *folder =
        saved_folder_add(&s->folder, f->function, s->arena, sink);
    return folder && saved_write(folder, s->folder.path, out, sink);
}

/* The only module, as it was given. */
static bool take_module(struct saver *s, const struct lint *l,
                        struct diag_sink *sink)
{
    struct saved_module *m = s->modules;
    const char *path = l->options->operands[0];
    m->name = "module";
    m->path = path;
    m->module = l->one.module;
    return m->text.len > 0 || strcmp(path, "-") == 0 ||
           file_read(path, l->options->max_input_bytes, &m->text, sink);
}

bool saved_lint(struct saver *s, struct lint *l, struct lint_finding *f,
                const char *report, struct diag_sink *sink)
{
    struct diff_args in = {0};
    struct diff_outcome x;
    struct saved_finding out = {.report = report};
    bool fine = diff_lint_again(l, f, &in, &x) && take_module(s, l, sink);
    if (fine) {
        enum interp_fault_kind fault = x.result.fault;
        struct saved_element *e = &out.element;
        if (fault == INTERP_OK) {
            out.outputs[0] = outputs_of(s, &l->one);
            e->known = diff_lint_undefined(l, &e->output, &e->element);
            e->known = e->known && out.outputs[0][e->output];
            fault = INTERP_UNINITIALISED;
        }
        out.rule = rule_of(s, fault);
        out.fault = interp_fault_name(fault);
        fine = write(s, l, f, &in, &out, sink);
    }
    diff_args_fini(&in);
    diff_lint_end(l, &x);
    return fine;
}
