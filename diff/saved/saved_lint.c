/* SPDX-License-Identifier: Apache-2.0
 *
 * What --save writes of a function that lint has found to be unsafe: one module,
 * the input of the run that shows it, and what that run left, if it came to its
 * end.
 */
#include "diff/saved/saved.h"

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
    out->funcs[0] = r->func;
    out->sig = &r->sig;
    out->in = in;
    out->input = f->options->nins > 0 ? "given" : f->options->fill;
    out->seed = f->options->seed;
    out->nsymbols = r->nsymbols;
    out->symbols = r->symbols;
    out->noutputs = r->args.n;
    return saved_put(s, f->function, out, sink);
}

/* The only module, as it was given. */
static void take_module(struct saver *s, const struct lint *l,
                        struct diag_sink *sink)
{
    struct saved_module *m = s->modules;
    m->name = "module";
    m->path = l->options->operands[0];
    m->module = l->one.module;
    saved_take_text(m, l->options, m->path, NULL, sink);
}

/* The run has been made before, so that it is nothing of the function. */
static bool fails(const struct lint_finding *f, const char *why,
                  struct diag_sink *sink)
{
    return diag_error(sink, (struct diag_loc){0}, "save.again",
                      "the run of '%s' cannot be made again: %s", f->function,
                      why);
}

/* What the run came to: a fault, or an element that is undefined. */
static bool describe(struct saver *s, const struct lint *l,
                     const struct lint_finding *f,
                     const struct interp_result *x, struct saved_finding *out,
                     struct diag_sink *sink)
{
    struct saved_element *e = &out->element;
    enum interp_fault_kind fault = x->fault;
    if (fault != INTERP_OK && !interp_is_fault(fault))
        return fails(f, x->message ? x->message : interp_fault_name(fault),
                     sink);
    if (fault == INTERP_OK) {
        fault = INTERP_UNINITIALISED;
        out->outputs[0] = saved_outputs(s->arena, &l->one.sig, &l->one.args);
        e->known = diff_lint_undefined(&l->one, &e->output, &e->element);
        if (!e->known && f->options->nins > 0)
            return fails(f, "the files of '--in' are others by now", sink);
        if (!e->known)
            DC_BUG("lint of '%s' shows nothing when it is run again",
                   f->function);
        e->known = out->outputs[0][e->output] != NULL;
    }
    out->fault = interp_fault_name(fault);
    out->rule = report_fault_rule(s->arena, out->fault);
    return true;
}

bool saved_lint(struct saver *s, struct lint *l, struct lint_finding *f,
                const char *report, struct diag_sink *sink)
{
    struct diff_args in = {0};
    struct diff_outcome x;
    struct saved_finding out = {.report = report};
    size_t errors = diag_error_count(sink);
    bool fine = diff_lint_again(l, f, &in, &x);
    if (!fine && diag_error_count(sink) == errors)
        (void)fails(f, f->nnotes ? f->notes[f->nnotes - 1] : "no room for it",
                    sink);
    take_module(s, l, sink);
    fine = fine && describe(s, l, f, &x.result, &out, sink) &&
           write(s, l, f, &in, &out, sink);
    diff_args_fini(&in);
    diff_lint_end(l, &x);
    return fine;
}
