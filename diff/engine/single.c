/* SPDX-License-Identifier: Apache-2.0
 *
 * One function on inputs from files (--in) or generated ones (--fill, --seed);
 * symbolic sizes come from the files' shapes or from --shape.
 */
#include "diff/engine/single.h"

#include "diff/engine/properties.h"
#include "diff/input/casefile.h"
#include "diff/input/known_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool diff_single_complain(struct diff_single *r, const char *code,
                          const char *fmt, ...)
{
    struct diag_loc loc = {.file = r->module ? r->module->source : NULL};
    va_list args;
    va_start(args, fmt);
    bool ok = diag_report(r->sink, DIAG_ERROR, loc, code, fmt, args);
    va_end(args);
    return ok;
}

static enum interp_fill fill_of(const char *name)
{
    for (unsigned i = 0; name && i < INTERP_FILL_INDEX; i++) {
        if (strcmp(interp_fill_name((enum interp_fill)i), name) == 0)
            return (enum interp_fill)i;
    }
    return INTERP_FILL_EXACT;
}

bool diff_single_load(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    r->module = o->casefile
                    ? diff_casefile_module(o, &o->casefile->module, r->sink)
                    : diff_module_load(o, o->operands[0], r->sink);
    if (!r->module || !ir_wellformed(r->module, r->sink))
        return false;
    r->func = diff_function_choose(r->module, o->function, r->sink);
    return r->func != NULL && diff_property_check(o, r->module, r->sink) &&
           diff_names_check(o, r->module,
                            o->casefile ? o->casefile->nassumes : 0, o->nshapes,
                            r->sink);
}

/* An error that lists what there is. */
static bool no_such_name(struct diff_single *r, const char *code,
                         const char *what, const char *name, bool sizes)
{
    struct buf there = {0};
    diff_put_known_of(&there, &r->sig, sizes);
    (void)diff_single_complain(r, code, "no %s '%s' in '%s'%s", what, name,
                               r->func->name, buf_text(&there));
    buf_fini(&there);
    return false;
}

/* Each file of --in and --expect is for a parameter of the function. */
static bool check_names(struct diff_single *r, size_t n,
                        const struct diff_binding *all)
{
    for (size_t k = 0; k < n; k++) {
        size_t i = 0;
        while (i < r->sig.nparams &&
               strcmp(r->sig.params[i].name, all[k].name) != 0)
            i++;
        if (i == r->sig.nparams)
            return no_such_name(r, "run.input", "parameter", all[k].name,
                                false);
    }
    return true;
}

/* Settles the symbolic sizes and asks for the signature again. */
bool diff_single_bind(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    for (size_t i = 0; i < o->nshapes; i++)
        if (!diff_is_symbol(&r->sig, o->shapes[i].name))
            return no_such_name(r, "run.shape", "symbolic size",
                                o->shapes[i].name, true);
    diff_given_fini(&r->given);
    if (!check_names(r, o->nins, o->ins) ||
        !check_names(r, o->nexpects, o->expects) ||
        !diff_given_read(o, &r->sig, r->arena, &r->given, r->sink))
        return false;
    r->symbols = r->given.symbols;
    r->nsymbols = r->given.nsymbols;
    if (!interp_signature(r->module, r->func, r->symbols, r->nsymbols, r->arena,
                          &r->sig, r->sink) ||
        !diff_given_fits(o, &r->sig, &r->given, r->sink))
        return false;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct interp_param *param = &r->sig.params[i];
        size_t elements;
        for (size_t d = 0; d < param->rank; d++) {
            if (param->shape[d] < 0)
                return diff_single_complain(
                    r, "run.shape",
                    "size '%s' of '%s' is not known: give '--shape %s=N'",
                    param->dim_names[d] ? param->dim_names[d] : "?",
                    param->name,
                    param->dim_names[d] ? param->dim_names[d] : "NAME");
        }
        if (param->is_tensor && !diff_param_elements(param, &elements))
            return diff_single_complain(
                r, "run.shape", "'%s' has too many elements", param->name);
    }
    return true;
}

/* Whether parameter i holds what a choice is made of: integers that index, or
 * any values of which some have no result. A float that decides a condition and
 * nothing else is not meant for some values alone: what its arms lack is a
 * fault. */
static bool is_decisive(const struct diff_single *r, size_t i,
                        const struct diff_index_choice *choice)
{
    const struct interp_param *p = &r->sig.params[i];
    struct dtype t = dtype_scalar(p->dtype);
    bool any =
        choice->all && p->partial && !dtype_is_handle(t) && !dtype_is_bool(t);
    return !r->given.in[i] && (any || (p->indexes && dtype_is_int(p->dtype)));
}

/* The same, and nothing says in which range. */
static bool is_unlimited(const struct diff_single *r, size_t i,
                         const struct diff_index_choice *choice)
{
    const struct interp_param *p = &r->sig.params[i];
    if (!is_decisive(r, i, choice) || diff_assume_find(r->options, p->name))
        return false;
    for (size_t k = 0; k < r->nsymbols; k++) {
        if (!p->is_tensor && strcmp(r->symbols[k].name, p->name) == 0)
            return false; /* a size */
    }
    return true;
}

/* What the choice has of parameter i as a whole. */
static unsigned kinds_of(const struct diff_single *r, size_t i,
                         const struct diff_index_choice *choice)
{
    const struct interp_param *p = &r->sig.params[i];
    return p->is_tensor && dtype_is_int(p->dtype) &&
                   is_decisive(r, i, choice) &&
                   diff_property_find(r->options, p->name) == 0
               ? choice->kinds
               : 0;
}

/* What is assumed of tensors: files must have it, the others are made so. */
static bool make_properties(struct diff_single *r,
                            const struct diff_range *ranges,
                            const struct diff_index_choice *choice, bool *none)
{
    for (size_t i = 0; i < r->sig.nparams; i++) {
        struct interp_tensor *t = r->args.args[i].tensor;
        const char *name = r->sig.params[i].name;
        unsigned kinds = diff_property_find(r->options, name);
        if (!t || !dtype_is_int(t->dtype))
            continue;
        if (r->given.in[i] && !diff_property_holds(t, kinds)) {
            struct buf text = {0};
            diff_property_put(&text, kinds);
            (void)diff_single_complain(r, "run.input",
                                       "the file for '%s' is not %s, as "
                                       "'--assume' has it",
                                       name, buf_text(&text));
            buf_fini(&text);
            return false;
        }
        if (choice && kinds == 0)
            kinds = kinds_of(r, i, choice);
        if (r->given.in[i] || kinds == 0 ||
            diff_property_make(t, kinds, &ranges[i]))
            continue;
        if (!choice)
            return diff_single_complain(
                r, "run.input", "no contents of '%s' are as '--assume' has it",
                name);
        *none = true;
    }
    return true;
}

bool diff_single_args(struct diff_single *r,
                      const struct diff_index_choice *choice, bool *none)
{
    const struct diff_options *o = r->options;
    struct diff_range *ranges =
        ARENA_ARRAY(r->arena, r->sig.nparams + 1, struct diff_range);
    struct diff_recipe recipe = {
        .fill = fill_of(o->fill),
        .seed = o->seed,
        .ranges = ranges,
        .given = r->given.nin > 0
                     ? (const struct interp_tensor *const *)r->given.in
                     : NULL};
    recipe.sweep = choice ? choice->sweep : 0;
    recipe.first = ranges;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct diff_range *known =
            diff_assume_find(o, r->sig.params[i].name);
        ranges[i] = known ? *known : (struct diff_range){.lo = 1, .hi = 0};
        if (choice && choice->lo <= choice->hi && is_unlimited(r, i, choice))
            ranges[i] = (struct diff_range){.text = "", /* for floats, too */
                                            .lo = choice->lo,
                                            .hi = choice->hi,
                                            .least = (double)choice->lo,
                                            .most = (double)choice->hi};
    }
    diff_args_make(&r->args, &r->sig, r->symbols, r->nsymbols, &recipe);
    return make_properties(r, ranges, choice, none);
}

void diff_outcome_fini(struct diff_outcome *x)
{
    for (size_t i = 0; i < x->noutputs; i++)
        interp_tensor_free(x->outputs[i]);
    dc_release(x->outputs);
    interp_result_fini(&x->result);
    memset(x, 0, sizeof *x);
}

/* In a keyed domain every parameter is not known, but for what was given, sizes,
 * and integers that index, which must be numbers. */
static void make_leaves(struct diff_single *r)
{
    union interp_box *scalars =
        ARENA_ARRAY(r->arena, r->args.n + 1, union interp_box);
    for (size_t i = 0; i < r->args.n; i++) {
        const struct interp_param *p = &r->sig.params[i];
        struct interp_arg *arg = &r->args.args[i];
        if (r->given.in[i] || p->indexes || dtype_is_handle(p->dtype) ||
            diff_is_symbol(&r->sig, p->name))
            continue;
        if (arg->tensor) {
            interp_tensor_to_leaves(arg->tensor, &r->mode, i);
        } else {
            scalars[i] = interp_scalar_leaf(arg->dtype, &r->mode, i);
            arg->box = &scalars[i];
        }
    }
}

void diff_single_run(struct diff_single *r, struct diff_outcome *x)
{
    memset(x, 0, sizeof *x);
    for (size_t i = 0; i < r->args.n; i++)
        if (r->args.args[i].tensor)
            interp_tensor_to_points(r->args.args[i].tensor, r->mode.domain);
    if (interp_domain_is_keyed(r->mode.domain))
        make_leaves(r);
    if (r->func->kind == IR_FUNC_RELAX)
        x->result =
            interp_run_relax(r->module, r->func, r->args.n, r->args.args,
                             &r->mode, &x->outputs, &x->noutputs);
    else
        x->result =
            interp_run(r->module, r->func, r->args.n, r->args.args, &r->mode);
}

/* ---- choices of integers that index ------------------------------------------- */

/* The largest dimension below `under`; 0: none is left. */
static int64_t next_size(const struct diff_single *r, int64_t under)
{
    int64_t best = under > 1 ? 1 : 0;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        for (size_t d = 0; d < r->sig.params[i].rank; d++) {
            int64_t size = r->sig.params[i].shape[d];
            if (size < under && size > best)
                best = size;
        }
    }
    return best;
}

static const char *say_choice(const struct diff_single *r,
                              const struct diff_index_choice *choice)
{
    struct buf text = {0};
    for (size_t i = 0; i < r->sig.nparams; i++) {
        bool range = is_unlimited(r, i, choice);
        unsigned kinds = kinds_of(r, i, choice);
        if (!range && kinds == 0)
            continue;
        buf_printf(&text, "%s%s ", text.len > 0 ? ", " : "",
                   r->sig.params[i].name);
        if (range)
            buf_printf(&text, "in %" PRId64 "..%" PRId64, choice->lo,
                       choice->hi);
        if (kinds != 0) {
            buf_puts(&text, range ? " and " : "");
            diff_property_put(&text, kinds);
        }
    }
    const char *said = arena_strdup(r->arena, buf_text(&text));
    buf_fini(&text);
    return said;
}

/* Of the budget, for all choices tried. */
#define SHARE 16

struct search {
    struct diff_single *r;
    struct diff_outcome *x;
    bool (*bad)(const struct diff_single *r, const struct interp_result *x);
    const char **said;
    uint64_t steps;
};

static bool is_over(const struct search *s)
{
    return *s->said || s->steps > s->r->options->budget / SHARE;
}

/* One run; *faults is also set where there is no such input. */
static bool run_choice(struct search *s, const struct diff_index_choice *choice,
                       struct diff_outcome *next, bool *faults)
{
    bool none = false;
    memset(next, 0, sizeof *next);
    diff_args_fini(&s->r->args);
    if (!diff_single_args(s->r, choice, &none))
        return false;
    if (!none)
        diff_single_run(s->r, next);
    s->steps += next->result.steps;
    *faults = none || next->result.fault == INTERP_BUDGET ||
              s->bad(s->r, &next->result);
    return true;
}

/* The ends of the choice come first, so that no luck hides that they fault. */
static bool try_choice(struct search *s, struct diff_index_choice choice)
{
    bool faults = false;
    for (choice.sweep = 3; choice.sweep-- > 0 && !faults;) {
        struct diff_outcome next;
        if (!run_choice(s, &choice, &next, &faults))
            return false;
        if (choice.sweep > 0 || faults) {
            diff_outcome_fini(&next);
            continue;
        }
        diff_outcome_fini(s->x);
        *s->x = next;
        *s->said = say_choice(s->r, &choice);
    }
    return true;
}

/* 0 to some size less one, 1 to some size, 0 to some size. */
static bool try_ranges(struct search *s, struct diff_index_choice choice)
{
    static const struct {
        int64_t lo, over; /* hi is the size and that */
    } families[] = {{0, -1}, {1, 0}, {0, 0}};
    for (size_t f = 0; f < DC_ARRAY_LEN(families); f++)
        for (int64_t size = next_size(s->r, INT64_MAX); size > 0 && !is_over(s);
             size = next_size(s->r, size)) {
            choice.lo = families[f].lo;
            choice.hi = size + families[f].over;
            if (!try_choice(s, choice))
                return false;
        }
    return true;
}

/* Of integers that index, or of all that decides. */
static bool try_choices(struct search *s, bool all)
{
    static const unsigned kinds[] = {0, DIFF_SORTED, DIFF_DISTINCT,
                                     DIFF_PERMUTATION};
    struct diff_single *r = s->r;
    struct diff_index_choice choice = {.all = all};
    bool ranges = false, tensors = false;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        choice.kinds = DIFF_SORTED;
        tensors = tensors || kinds_of(r, i, &choice) != 0;
        ranges = ranges || is_unlimited(r, i, &choice);
    }
    for (size_t k = 0; k < DC_ARRAY_LEN(kinds) && !is_over(s); k++) {
        choice.kinds = kinds[k];
        if ((kinds[k] == 0 || tensors) && (ranges || kinds[k] != 0) &&
            !try_ranges(s, choice))
            return false;
    }
    return true;
}

/* Whether other data might have no such fault; an output that is undefined may
 * be so for its data's sake. */
static bool may_be_data(const struct interp_result *x)
{
    return x->fault == INTERP_OK || x->blames_data;
}

const char diff_note_unchosen[] =
    "the fault is in an arm that its Select does not choose: both are "
    "evaluated, as long as TVM has not made the Select lazy (rule 8)";

bool diff_single_faults(const struct diff_single *r,
                        const struct interp_result *x)
{
    (void)r;
    return interp_is_fault(x->fault);
}

bool diff_single_narrow(struct diff_single *r, struct diff_outcome *x,
                        bool (*bad)(const struct diff_single *,
                                    const struct interp_result *),
                        const char **said)
{
    struct search s = {r, x, bad, said, 0};
    *said = NULL;
    if (!bad(r, &x->result))
        return true;
    return try_choices(&s, false) &&
           (is_over(&s) || !may_be_data(&x->result) || try_choices(&s, true));
}

void diff_single_fini(struct diff_single *r)
{
    diff_given_fini(&r->given);
    diff_args_fini(&r->args);
    ir_module_free(r->module);
    arena_free(r->arena);
}

bool diff_single_element(struct diff_single *r, const char *text, size_t *param,
                         size_t *element)
{
    size_t len = strcspn(text, "["), at = 0;
    while (at < r->sig.nparams &&
           (strncmp(r->sig.params[at].name, text, len) != 0 ||
            r->sig.params[at].name[len] != '\0'))
        at++;
    const struct interp_tensor *t =
        at < r->args.n ? r->args.args[at].tensor : NULL;
    if (!t || !r->sig.params[at].stored)
        return diff_single_complain(
            r, "run.element", "'%.*s' is no output of '%s'",
            (int)(len < 40 ? len : 40), text, r->func->name);
    *param = at;
    if (!diff_element_find(&r->sig.params[at], text + len, element) ||
        t->elements == 0)
        return diff_single_complain(
            r, "run.element",
            "'%s' names no element: give %zu indices inside the "
            "shape, as in NAME[0,2]",
            text, t->rank);
    return true;
}
