/* SPDX-License-Identifier: Apache-2.0
 *
 * What --save writes of a comparison: for each pair that this run counts as a
 * finding a folder, and one for each target that is one.
 *
 * The input is that of the finding, made anew from its recipe, minimised where it
 * was; both sides run on it once more in the numbers of the machine, whatever the
 * arithmetic was in which it showed.
 */
#include "diff/harness/measure.h"
#include "diff/harness/route.h"
#include "diff/input/casefile.h"
#include "diff/saved/saved.h"

#include <string.h>

static void take_texts(struct saver *s, const struct diff_pair *pair,
                       struct diag_sink *sink)
{
    const struct diff_casefile *c = pair->options->casefile;
    const char *paths[NSIDES] = {pair->report->untuned, pair->report->tuned};
    const struct diff_casetext *sections[NSIDES] = {c ? &c->module : NULL,
                                                    c ? &c->transformed : NULL};
    for (size_t side = 0; side < NSIDES; side++) {
        struct saved_module *m = &s->modules[side];
        m->module = pair->side[side].module;
        m->name = diff_side_name(side);
        m->path = paths[side] ? paths[side] : m->name;
        if (paths[side])
            saved_take_text(m, pair->options, paths[side], sections[side],
                            sink);
    }
}

/* ---- a finding of the pair ------------------------------------------------------------ */

/* Both sides of one finding, after its run. */
struct shown {
    struct diff_args in;
    struct diff_run runs[NSIDES];
    struct interp_tensor **outputs[NSIDES];
};

static void run_sides(struct diff_pair *pair, const struct diff_case *c,
                      const struct diff_finding *f, struct shown *out)
{
    diff_make_args(c, UNTUNED, &f->recipe, &out->in);
    for (size_t side = 0; side < NSIDES; side++) {
        pair->steps_left = pair->options->budget;
        diff_run(pair, c, side, &f->recipe, INTERP_IEEE, NULL,
                 &out->runs[side]);
    }
}

/* Those of the outputs that are compared; NULL where the run gave none. */
static struct interp_tensor **outputs_of(struct saver *s,
                                         const struct diff_case *c,
                                         const struct diff_run *run)
{
    struct interp_tensor **out =
        ARENA_ARRAY(s->arena, run->noutputs + 1, struct interp_tensor *);
    if (run->result.fault != INTERP_OK)
        return NULL;
    for (size_t i = 0; i < run->noutputs; i++)
        out[i] = diff_is_compared(c, run, i) ? run->outputs[i] : NULL;
    return out;
}

/* Whether the output is there and has the element. */
static bool has_element(struct interp_tensor *const *outputs, size_t n,
                        const struct diff_finding *f)
{
    return outputs && f->output < n && outputs[f->output] &&
           f->element < outputs[f->output]->elements;
}

static void describe_run(struct saver *s, const struct diff_pair *pair,
                         const struct diff_case *c,
                         const struct diff_finding *f, const struct shown *x,
                         struct saved_finding *out)
{
    static const size_t order[NSIDES] = {TUNED, UNTUNED};
    size_t n = x->runs[UNTUNED].noutputs;
    out->sig = &c->sig[UNTUNED];
    out->in = &x->in;
    out->seed = f->recipe.seed;
    out->minimised = f->recipe.sparse != NULL;
    out->nsymbols = c->nsymbols[UNTUNED];
    out->symbols = c->symbols[UNTUNED];
    out->relax = x->runs[UNTUNED].relax;
    for (size_t k = 0; k < NSIDES; k++) {
        const struct diff_run *run = &x->runs[order[k]];
        out->funcs[k] = pair->side[order[k]].func;
        out->outputs[k] = outputs_of(s, c, run);
        if (out->outputs[k] && run->noutputs < n)
            n = run->noutputs;
    }
    out->noutputs = n;
    out->element.known = f->kind != DIFF_FAULT &&
                         has_element(out->outputs[0], n, f) &&
                         has_element(out->outputs[1], n, f);
    out->element.output = f->output;
    out->element.element = f->element;
}

/* Verdicts of keyed runs and proofs, which have no input: one is looked for. */
static bool is_rounding(enum report_verdict verdict)
{
    return verdict == REPORT_PRECISION || verdict == REPORT_AGREES ||
           verdict == REPORT_ALGEBRAIC || verdict == REPORT_ORDER_ONLY;
}

/* The finding that the report has, or an input on which bits differ. */
static bool choose_finding(struct diff_pair *pair, struct diff_finding *f,
                           struct diff_case *c)
{
    *f = pair->found;
    *c = pair->found_case;
    if (!is_rounding(pair->out->verdict))
        return f->kind != DIFF_NOTHING && pair->out->witness != NULL;
    if (pair->ncases == 0 || !diff_find_rounding(pair, f))
        return false;
    *c = pair->cases[f->case_index];
    return true;
}

/* What a finding is told with: the pair as the report has it, or, for a bundle,
 * without what is of this machine. */
struct telling {
    const struct report_pair *pair;
    const char *text;
    struct saved_bundle *bundle; /* NULL: --save */
};

static void describe_pair(struct diff_pair *pair, const struct telling *told,
                          struct saver *s, struct saved_finding *out)
{
    const struct report_pair *p = told->pair;
    *out = (struct saved_finding){.command = "compare",
                                  .options = pair->options,
                                  .verdict = report_verdict_name(p->verdict),
                                  .rule = report_rule(s->arena, p),
                                  .reason = p->reason,
                                  .function = p->function,
                                  .tuned_function = p->tuned_function,
                                  .witness = p->witness,
                                  .origin = p->origin,
                                  .assumptions = &p->assumptions,
                                  .bundle = told->bundle,
                                  .report = told->text,
                                  .nmodules = NSIDES};
    if (p->verdict > REPORT_PRECISION)
        out->fail_on = out->verdict;
    if (p->witness) {
        out->fault = p->witness->fault;
        out->where = p->witness->where;
    }
}

static bool save_pair(struct saver *s, struct diff_pair *pair,
                      const struct telling *told, struct diag_sink *sink)
{
    struct saved_module modules[NSIDES] = {s->modules[TUNED],
                                           s->modules[UNTUNED]};
    struct diff_finding f;
    struct diff_case c;
    struct shown x = {0};
    struct saved_finding out;
    describe_pair(pair, told, s, &out);
    out.modules = modules;
    bool ran = choose_finding(pair, &f, &c);
    if (told->bundle)
        told->bundle->kind = ran ? f.kind : DIFF_NOTHING;
    if (ran) {
        run_sides(pair, &c, &f, &x);
        describe_run(s, pair, &c, &f, &x, &out);
        out.input = pair->out->witness && pair->out->witness->input
                        ? pair->out->witness->input
                        : interp_fill_name(f.recipe.fill);
    }
    bool fine = saved_put(s, pair->out->function, &out, sink);
    if (ran) {
        diff_run_fini(&x.runs[UNTUNED]);
        diff_run_fini(&x.runs[TUNED]);
        diff_args_fini(&x.in);
    }
    return fine;
}

/* ---- a finding of a target --------------------------------------------------------------- */

/* The target as TVM has it, where it is one of LLVM's: {"kind": "llvm", …}. */
static const char *tvm_target(struct saver *s, const struct diff_target *t)
{
    const char *code = t && t->route == &diff_route_tvm ? t->code : NULL;
    if (!code || strncmp(code, "llvm", 4) != 0)
        return NULL;
    if (strcmp(code, "llvm") == 0)
        return "{\"kind\": \"llvm\"}";
    const char *cpu = strstr(code, " -mcpu=");
    if (!cpu || strchr(cpu + 1, ' '))
        return NULL;
    struct buf text = {0}; /* pasted as Python, too */
    buf_puts(&text, "{\"kind\": \"llvm\", \"mcpu\": ");
    buf_put_quoted(&text, cpu + strlen(" -mcpu="), false);
    buf_putc(&text, '}');
    const char *out = arena_strdup(s->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* What built the kernel: the compiler, its version and flags. */
static void describe_target(struct saver *s, const struct diff_kept *k,
                            struct saved_bundle *out)
{
    const struct diff_harness *h = s->harness;
    out->outcome = NULL; /* of the one before */
    out->built_with = out->runs_on = out->tvm = NULL;
    for (size_t i = 0; i < out->pair->ntargets; i++)
        if (strcmp(out->pair->targets[i].target, k->target) == 0)
            out->outcome = &out->pair->targets[i];
    for (size_t i = 0; h && i < h->n; i++) {
        const struct diff_toolchain *tools = &h->choices[i].tools;
        const struct diff_target *t = tools->target;
        struct buf text = {0};
        if (!t || strcmp(h->choices[i].name, k->target) != 0)
            continue;
        const char *version = tools->version ? tools->version : t->summary;
        if (t->route == &diff_route_tvm) { /* "TVM 0.27.0 of PYTHON, …" */
            version = arena_strndup(s->arena, version, strcspn(version, ","));
            const char *of = strstr(version, " of ");
            version =
                of ? arena_strndup(s->arena, version, (size_t)(of - version))
                   : version;
            out->tvm = strncmp(version, "TVM ", 4) == 0 ? version + 4 : NULL;
        }
        buf_puts(&text, version);
        for (size_t n = 0; t->flags && t->flags[n]; n++)
            buf_printf(&text, " %s", t->flags[n]);
        if (t->code)
            buf_printf(&text, ", target %s", t->code);
        out->built_with = arena_strdup(s->arena, buf_text(&text));
        out->runs_on = tvm_target(s, t);
        buf_fini(&text);
    }
}

static bool save_target(struct saver *s, struct diff_pair *pair,
                        const struct diff_kept *k, const struct telling *told,
                        struct diag_sink *sink)
{
    const struct report_pair *p = told->pair;
    const struct report_target *t = k->out;
    if (told->bundle) {
        told->bundle->kind = DIFF_VALUE;
        describe_target(s, k, told->bundle);
        t = told->bundle->outcome ? told->bundle->outcome : t;
    }
    struct saved_module module = s->modules[k->side];
    struct diff_args in;
    const char *outcome = report_outcome_name(t->outcome);
    module.name = "module";
    diff_make_args(k->c, k->side, &k->recipe, &in);
    const struct saved_finding out = {
        .command = "compare",
        .options = pair->options,
        .verdict = outcome,
        .rule = arena_printf(s->arena, "target/%s", outcome),
        .reason = t->reason,
        .fail_on = diff_is_drift(t->outcome) ? "drift" : NULL,
        .function = k->side == TUNED && p->tuned_function ? p->tuned_function
                                                          : p->function,
        .target = k->target,
        .assumptions = &p->assumptions,
        .bundle = told->bundle,
        .report = told->text,
        .nmodules = 1,
        .modules = &module,
        .sig = &k->c->sig[k->side],
        .in = &in,
        .input = k->label,
        .seed = k->recipe.seed,
        .nsymbols = k->c->nsymbols[k->side],
        .symbols = k->c->symbols[k->side],
        .noutputs = in.n,
        .funcs = {pair->side[k->side].func},
        .outputs = {saved_outputs(s->arena, &k->c->sig[k->side], &k->want)},
        .element = {true, k->output, k->element},
        .recorded = saved_outputs(s->arena, &k->c->sig[k->side], &k->have)};
    bool fine = saved_put(
        s, arena_printf(s->arena, "%s@%s", p->function, k->target), &out, sink);
    diff_args_fini(&in);
    return fine;
}

/* ---- all ------------------------------------------------------------------------------------ */

struct saver *saved_new(const struct diff_options *options,
                        struct diag_sink *sink)
{
    const struct saved_folder folder = {
        .path = options->save,
        .archive = options->save && options->bundle &&
                   text_ends_in(path_name(options->save), ".zip")};
    if (!options->save || !saved_folder_check(&folder, sink))
        return NULL;
    struct saver *s = dc_alloc(sizeof *s);
    s->arena = arena_new();
    s->folder = folder;
    return s;
}

bool saved_pair(struct saver *s, struct diff_pair *pair, struct diag_sink *sink)
{
    bool found = diff_exit_of(pair->options, pair->out) == DIFF_EXIT_FINDING;
    struct buf text = {0};
    const struct report *whole = pair->report;
    struct report_pair *shown = pair->out;
    if (!found && !pair->kept)
        return true;
    if (pair->options->bundle) {
        shown = saved_pair_without_paths(shown, whole, s->arena);
        whole = saved_without_paths(whole, s->arena);
    }
    report_put_screen(&text, whole, shown);
    take_texts(s, pair, sink);
    struct saved_bundle bundle = {.whole = whole, .pair = shown};
    const struct telling told = {shown, buf_text(&text),
                                 pair->options->bundle ? &bundle : NULL};
    bool fine = !found || save_pair(s, pair, &told, sink);
    for (const struct diff_kept *k = pair->kept; k && fine; k = k->next)
        fine = save_target(s, pair, k, &told, sink);
    buf_fini(&text);
    return fine;
}

bool saved_finish(struct saver *s, struct diag_sink *sink)
{
    if (s->folder.n > 0)
        return saved_folder_finish(&s->folder, sink);
    diag_warn(sink, (struct diag_loc){.file = s->folder.path}, "save.nothing",
              "there is no finding to save: nothing is written");
    return true;
}

void saved_free(struct saver *s)
{
    if (s == NULL)
        return;
    saved_folder_drop(&s->folder);
    for (size_t side = 0; side < NSIDES; side++)
        buf_fini(&s->modules[side].text);
    arena_free(s->arena);
    dc_release(s);
}
