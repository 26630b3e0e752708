/* SPDX-License-Identifier: Apache-2.0
 *
 * The runs of `lint`.
 *
 * Only a run shows a fault. One that data decide, of which nothing is known,
 * shows none: where some choice of the integers that index has no fault, the
 * function may be meant for such data, and the choice is what is reported.
 */
#include "diff/engine/lint_runs.h"

#include "diff/engine/barriers.h"
#include "diff/input/words.h"

#include <inttypes.h>
#include <string.h>

/* Values for the symbols in try k: the model's first, then sizes that no tile
 * divides, one, and whole tiles. False: no more. */
static bool size_of(const struct lint *l, const struct verifier_lint *proof,
                    size_t k, size_t i, int64_t *out)
{
    static const int64_t sizes[][3] = {
        {7, 5, 3}, {1, 1, 1}, {16, 16, 16}, {33, 35, 37}};
    const char *name = l->one.sig.symbols[i];
    if (diff_shape_find(l->options, name, out))
        return true;
    for (size_t j = 0; k == 0 && j < proof->nsizes; j++)
        if (strcmp(proof->size_names[j], name) == 0 && proof->sizes[j] > 0 &&
            proof->sizes[j] < 4096) {
            *out = proof->sizes[j];
            return true;
        }
    *out = sizes[k % DC_ARRAY_LEN(sizes)][i % 3];
    return k < DC_ARRAY_LEN(sizes);
}

static bool choose_sizes(struct lint *l, const struct verifier_lint *proof,
                         size_t k, struct diff_options *options)
{
    size_t n = l->one.sig.nsymbols;
    options->shapes = ARENA_ARRAY(l->one.arena, n + 1, struct interp_symbol);
    options->nshapes = n;
    for (size_t i = 0; i < n; i++) {
        options->shapes[i].name = l->one.sig.symbols[i];
        if (!size_of(l, proof, k, i, &options->shapes[i].value))
            return false;
    }
    return k == 0 || n > 0;
}

bool diff_lint_undefined(const struct diff_single *r, size_t *param,
                         size_t *element)
{
    for (size_t i = 0; i < r->args.n; i++) {
        const struct interp_tensor *t = r->args.args[i].tensor;
        for (size_t e = 0; t != NULL && e < t->elements; e++) {
            if (t->state[e] & INTERP_DEFINED)
                continue;
            *param = i;
            *element = e;
            return true;
        }
    }
    return false;
}

/* An element of an output that holds what nobody stored. */
static bool find_undefined(const struct diff_single *r, struct buf *out)
{
    size_t param, element;
    if (!diff_lint_undefined(r, &param, &element))
        return false;
    buf_puts(out, r->sig.params[param].name);
    interp_put_index(out, r->args.args[param].tensor, element);
    return true;
}

/* A fault, or an undefined output, and what it is. */
static bool is_bad(const struct diff_single *r, const struct interp_result *x,
                   struct buf *why)
{
    if (interp_is_fault(x->fault)) {
        buf_printf(why, "%s: %s", interp_fault_name(x->fault),
                   x->message ? x->message : "");
        return true;
    }
    if (x->fault != INTERP_OK || !find_undefined(r, why))
        return false;
    buf_puts(why,
             " is undefined: nothing was stored where it comes from, or an "
             "operation on the way has no result");
    return true;
}

static bool shows_fault(const struct diff_single *r,
                        const struct interp_result *x)
{
    struct buf why = {0};
    bool bad = is_bad(r, x, &why);
    buf_fini(&why);
    return bad;
}

/* ---- what is kept ----------------------------------------------------------- */

static void add_line(struct lint *l, const char ***list, size_t *n,
                     const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*list)[i], text) == 0)
            return;
    const char **grown = ARENA_ARRAY(l->arena, *n + 1, const char *);
    if (*n > 0)
        memcpy(grown, *list, *n * sizeof *grown);
    grown[(*n)++] = arena_strdup(l->arena, text);
    *list = grown;
}

static void add_note(struct lint *l, struct lint_finding *f, const char *text)
{
    add_line(l, &f->notes, &f->nnotes, text);
}

/* x is of the run that is over. */
static void keep_fault(struct lint *l, struct lint_finding *f,
                       const struct diff_options *options, const char *reason,
                       const struct interp_result *x)
{
    struct buf again = {0};
    f->state = LINT_UNSAFE;
    f->reason = arena_strdup(l->arena, reason);
    f->where = x->where != NULL ? arena_strdup(l->arena, x->where) : NULL;
    f->pos = x->scene.stmt != NULL ? x->scene.stmt->pos : x->pos;
    buf_puts(&again, "diffcheck run ");
    diff_put_word(&again, l->options->operands[0]);
    buf_puts(&again, " --function ");
    diff_put_word(&again, f->function);
    buf_printf(&again, " --fill %s --seed %" PRIu64, options->fill,
               options->seed);
    if (options->explicit_barriers)
        buf_puts(&again, " --barriers explicit");
    for (size_t i = 0; i < options->nshapes; i++)
        diff_put_option(&again, "--shape", "%s=%" PRId64,
                        options->shapes[i].name, options->shapes[i].value);
    for (size_t i = 0; i < options->nins; i++)
        diff_put_option(&again, "--in", "%s=%s", options->ins[i].name,
                        options->ins[i].value);
    f->options = arena_memdup(l->arena, options, sizeof *options);
    f->again = arena_strdup(l->arena, buf_text(&again));
    buf_fini(&again);
}

/* Claims that a run has shown not to hold, though no fault follows. */
static void note_claims(struct lint *l, struct lint_finding *f,
                        const struct interp_result *x)
{
    if (x->beyond != NULL)
        add_note(l, f, x->beyond);
    if (x->unchosen)
        add_note(l, f, diff_note_unchosen);
}

/* ---- runs ------------------------------------------------------------------- */

/* Parameters of l->one.func under the options; what is then to be freed is
 * freed by end_run. False, with a note, where inputs are too large. */
static bool begin_run(struct lint *l, struct lint_finding *f,
                      const struct diff_options *options)
{
    struct diff_single *r = &l->one;
    r->options = options;
    r->nsymbols = 0;
    r->mode = interp_default_options();
    r->mode.max_steps = options->budget;
    r->mode.threads = options->jobs;
    r->mode.explicit_barriers = options->explicit_barriers;
    if (!interp_signature(r->module, r->func, NULL, 0, r->arena, &r->sig,
                          r->sink) ||
        !diff_single_bind(r))
        return false;
    const char *large = diff_inputs_too_large(options, &r->sig, r->arena);
    if (large != NULL)
        add_note(l, f, arena_printf(l->arena, "not run: %s", large));
    return large == NULL && diff_single_args(r, NULL, NULL);
}

static void end_run(struct lint *l)
{
    diff_args_fini(&l->one.args);
    l->one.args = (struct diff_args){0};
}

/* One run of l->one.func; true if it faults, whatever data index. */
static bool run_faults(struct lint *l, struct lint_finding *f,
                       const struct diff_options *options)
{
    struct diff_single *r = &l->one;
    bool found = false;
    if (begin_run(l, f, options)) {
        struct diff_outcome x;
        struct buf reason = {0};
        const char *said = NULL;
        diff_single_run(r, &x);
        if (diff_single_narrow(r, &x, shows_fault, &said))
            found = said == NULL && is_bad(r, &x.result, &reason);
        if (found)
            keep_fault(l, f, options, buf_text(&reason), &x.result);
        if (!found && said != NULL) {
            f->some_fault = true;
            add_note(l, f,
                     arena_printf(l->arena,
                                  "assumes %s (with other values it faults; "
                                  "see --assume)",
                                  said));
        }
        note_claims(l, f, &x.result);
        buf_fini(&reason);
        diff_outcome_fini(&x);
    }
    end_run(l);
    return found;
}

static const char *const fills[] = {"exact", "random", "boundary"};

/* The input that files give; true if it faults. */
static bool given_faults(struct lint *l, struct lint_finding *f)
{
    struct diff_options options = *l->options;
    if (options.nins == 0)
        return false;
    size_t errors = diag_error_count(l->one.sink);
    options.fill = fills[0];
    bool found = run_faults(l, f, &options);
    l->refused = l->refused || diag_error_count(l->one.sink) > errors;
    return found || l->refused;
}

void diff_lint_try(struct lint *l, struct lint_finding *f)
{
    struct diff_single *r = &l->one;
    struct diff_options options = *l->options;
    if (given_faults(l, f))
        return;
    options.nins = 0;
    if (!interp_signature(r->module, r->func, NULL, 0, r->arena, &r->sig,
                          r->sink))
        return;
    for (size_t k = 0; choose_sizes(l, &f->proof, k, &options); k++)
        for (size_t i = 0; i < DC_ARRAY_LEN(fills); i++) {
            options.fill = fills[i];
            if (run_faults(l, f, &options))
                return;
        }
}

void diff_lint_confirm(struct lint *l, struct lint_finding *f)
{
    struct diff_single *r = &l->one;
    struct diff_options options = *l->options;
    struct buf text = {0};
    struct diff_outcome x = {0};
    bool may = !options.explicit_barriers && diff_may_imply_barriers(r->func);
    options.fill = fills[0];
    options.nins = 0;
    if (!interp_signature(r->module, r->func, NULL, 0, r->arena, &r->sig,
                          r->sink) ||
        !choose_sizes(l, &f->proof, 0, &options))
        return;
    bool ran = begin_run(l, f, &options);
    if (ran)
        diff_single_run(r, &x);
    ran = ran && x.result.fault == INTERP_OK;
    if (ran)
        note_claims(l, f, &x.result);
    if (may && (!ran || x.result.nimplied > 0)) {
        diff_put_implied(&text, "it", ran ? x.result.nimplied : 0,
                         x.result.implied);
        add_line(l, &f->assumes, &f->nassumes, buf_text(&text));
    }
    buf_fini(&text);
    diff_outcome_fini(&x);
    end_run(l);
}

/* ---- once more ------------------------------------------------------------------ */

bool diff_lint_again(struct lint *l, struct lint_finding *f,
                     struct diff_args *in, struct diff_outcome *x)
{
    struct diff_single *r = &l->one;
    memset(x, 0, sizeof *x);
    r->func = ir_module_find(r->module, f->function);
    if (r->func == NULL || f->options == NULL || !begin_run(l, f, f->options))
        return false;
    diff_args_copy(in, &r->sig, &r->args);
    diff_single_run(r, x);
    return true;
}

void diff_lint_end(struct lint *l, struct diff_outcome *x)
{
    diff_outcome_fini(x);
    end_run(l);
}
