/* SPDX-License-Identifier: Apache-2.0
 *
 * One function on inputs from files (--in) or generated ones (--fill, --seed);
 * symbolic sizes come from the files' shapes or from --shape.
 */
#include "diff/single.h"

#include "diff/casefile.h"

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
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT,    INTERP_FILL_RANDOM, INTERP_FILL_UNIT,
        INTERP_FILL_BOUNDARY, INTERP_FILL_RANGE,  INTERP_FILL_TINY,
        INTERP_FILL_ZERO,
    };
    for (size_t i = 0; name && i < DC_ARRAY_LEN(fills); i++) {
        if (strcmp(interp_fill_name(fills[i]), name) == 0)
            return fills[i];
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
    return r->func != NULL;
}

static void add_symbol(struct diff_single *r, const char *name, int64_t value)
{
    for (size_t i = 0; i < r->nsymbols; i++) {
        if (strcmp(r->symbols[i].name, name) == 0)
            return; /* the first source wins; a clash is seen as bad shape */
    }
    r->symbols[r->nsymbols].name = name;
    r->symbols[r->nsymbols].value = value;
    r->nsymbols++;
}

/* Reads the --in files and takes symbolic sizes from their shapes. */
static bool read_inputs(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    r->given =
        ARENA_ARRAY(r->arena, r->sig.nparams + 1, struct interp_tensor *);
    for (size_t k = 0; k < o->nins; k++) {
        size_t i = 0;
        while (i < r->sig.nparams &&
               strcmp(r->sig.params[i].name, o->ins[k].name) != 0)
            i++;
        if (i == r->sig.nparams)
            return diff_single_complain(r, "run.input",
                                        "no parameter '%s' in '%s'",
                                        o->ins[k].name, r->func->name);
        const struct interp_param *param = &r->sig.params[i];
        bool raw =
            param->dtype.code >= DT_BFLOAT && param->dtype.code != DT_BOOL;
        interp_tensor_free(r->given[i]);
        r->given[i] =
            npy_read(o->ins[k].value,
                     raw ? dtype_scalar(param->dtype) : DTYPE_VOID, r->sink);
        if (!r->given[i])
            return false;
        for (size_t d = 0; d < param->rank; d++) {
            if (param->dim_names[d] && r->given[i]->rank == param->rank)
                add_symbol(r, param->dim_names[d], r->given[i]->shape[d]);
        }
    }
    return true;
}

/* Settles the symbolic sizes and asks for the signature again. */
bool diff_single_bind(struct diff_single *r)
{
    const struct diff_options *o = r->options;
    size_t room = o->nshapes + 1;
    for (size_t i = 0; i < r->sig.nparams; i++)
        room += r->sig.params[i].rank;
    r->symbols = ARENA_ARRAY(r->arena, room, struct interp_symbol);
    for (size_t i = 0; i < o->nshapes; i++) {
        if (!diff_is_symbol(&r->sig, o->shapes[i].name))
            return diff_single_complain(r, "run.shape",
                                        "no symbolic size '%s' in '%s'",
                                        o->shapes[i].name, r->func->name);
        add_symbol(r, o->shapes[i].name, o->shapes[i].value);
    }
    if (!read_inputs(r) ||
        !interp_signature(r->module, r->func, r->symbols, r->nsymbols, r->arena,
                          &r->sig, r->sink))
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

/* Whether parameter i holds integers that index, and nothing says which. */
static bool is_unlimited(const struct diff_single *r, size_t i)
{
    const struct interp_param *p = &r->sig.params[i];
    if (!dtype_is_int(p->dtype) || !p->indexes || r->given[i] ||
        diff_assume_find(r->options, p->name))
        return false;
    for (size_t k = 0; k < r->nsymbols; k++) {
        if (!p->is_tensor && strcmp(r->symbols[k].name, p->name) == 0)
            return false; /* a size */
    }
    return true;
}

/* Arguments from the files and the generator, integers of unlimited index
 * parameters in 0..hi where hi >= 0. */
bool diff_single_args(struct diff_single *r, int64_t hi)
{
    const struct diff_options *o = r->options;
    struct diff_range *ranges =
        ARENA_ARRAY(r->arena, r->sig.nparams + 1, struct diff_range);
    struct diff_recipe recipe = {
        .fill = fill_of(o->fill), .seed = o->seed, .ranges = ranges};
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct diff_range *known =
            diff_assume_find(o, r->sig.params[i].name);
        ranges[i] = known ? *known : (struct diff_range){.lo = 1, .hi = 0};
        if (hi >= 0 && is_unlimited(r, i))
            ranges[i] = (struct diff_range){.lo = 0, .hi = hi};
    }
    diff_args_make(&r->args, &r->sig, r->symbols, r->nsymbols, &recipe);
    for (size_t i = 0; i < r->sig.nparams; i++) {
        const struct interp_tensor *in = r->given[i];
        struct interp_tensor *t = r->args.args[i].tensor;
        if (!in)
            continue;
        if (!dtype_equal(dtype_scalar(in->dtype),
                         dtype_scalar(r->sig.params[i].dtype)) ||
            (t ? in->elements != t->elements : in->elements != 1))
            return diff_single_complain(
                r, "run.input",
                "'%s' has another type or size than the file "
                "given for it",
                r->sig.params[i].name);
        if (!t) {
            r->args.args[i].bits = interp_tensor_get(in, 0);
            continue;
        }
        interp_tensor_copy(t, in);
    }
    return true;
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
        if (r->given[i] || p->indexes || dtype_is_handle(p->dtype) ||
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

/* The largest dimension below `under`, less one; -1: none is left. */
static int64_t next_bound(const struct diff_single *r, int64_t under)
{
    int64_t best = under > 0 ? 0 : -1;
    for (size_t i = 0; i < r->sig.nparams; i++) {
        for (size_t d = 0; d < r->sig.params[i].rank; d++) {
            int64_t hi = r->sig.params[i].shape[d] - 1;
            if (hi < under && hi > best)
                best = hi;
        }
    }
    return best;
}

static void note_ranges(const struct diff_single *r, int64_t hi,
                        struct buf *out)
{
    for (size_t i = 0; i < r->sig.nparams; i++) {
        if (is_unlimited(r, i))
            buf_printf(out,
                       "assumes %s in 0..%" PRId64
                       " (with other values it faults; see --assume)\n",
                       r->sig.params[i].name, hi);
    }
}

/* A function that faults on arbitrary integers in parameters that index runs
 * on the widest range that it is safe on, 0 to some dimension less one. */
bool diff_single_narrow(struct diff_single *r, struct diff_outcome *x,
                        struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < r->sig.nparams; i++)
        any = any || is_unlimited(r, i);
    int64_t hi = INT64_MAX;
    while (any && interp_is_fault(x->result.fault) &&
           (hi = next_bound(r, hi)) >= 0) {
        struct diff_outcome next;
        diff_args_fini(&r->args);
        if (!diff_single_args(r, hi))
            return false;
        diff_single_run(r, &next);
        if (!interp_is_fault(next.result.fault)) {
            diff_outcome_fini(x);
            *x = next;
            note_ranges(r, hi, out);
            return true;
        }
        diff_outcome_fini(&next);
    }
    return true;
}

void diff_single_fini(struct diff_single *r)
{
    for (size_t i = 0; r->given && i < r->sig.nparams; i++)
        interp_tensor_free(r->given[i]);
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
    *element = 0;
    const char *p = text + len;
    size_t n = 0;
    for (; *p && *p != ']' && n < t->rank; n++) {
        char *end;
        long long index = strtoll(p + 1, &end, 10);
        if (end == p + 1 || index < 0 || index >= t->shape[n])
            break;
        *element = *element * (size_t)t->shape[n] + (size_t)index;
        p = end + strspn(end, " ");
        if (*p != ',' && *p != ']')
            break;
    }
    *element *= t->dtype.lanes;
    if (text[len] ? n != t->rank || strcmp(p, "]") != 0 : t->elements == 0)
        return diff_single_complain(
            r, "run.element",
            "'%s' names no element: give %zu indices inside the "
            "shape, as in NAME[0,2]",
            text, t->rank);
    return true;
}
