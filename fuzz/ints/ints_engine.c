/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter's engines held against the evaluator: both sides of a pair on
 * a few inputs. An engine is right if it does what the evaluator does: faults
 * where that does, else leaves the same bytes defined with the same contents.
 * A Select on an undefined condition is undefined for both.
 */
#include "fuzz/ints/ints_private.h"
#include "interp/interp.h"

#include <string.h>

static struct interp_arg arg_of(const struct ints_param *p,
                                const uint64_t *values)
{
    struct interp_arg arg = {.dtype = p->dtype};
    if (!p->tensor) {
        arg.bits = values[0];
        return arg;
    }
    return arg;
}

/* Tensors have the declared shape; storage with rows that overlap or leave gaps
 * is not filled here. */
static bool make_args(const struct ir_func *f, const struct ints_machine *m,
                      const uint64_t *const *values, int64_t size,
                      struct interp_arg *args)
{
    for (size_t i = 0; i < f->prim.nparams; i++) {
        const struct ints_param *p = ints_machine_param(m, i);
        const struct ir_buffer *b = f->prim.params[i].buffer;
        int64_t shape[8], n = 1;
        args[i] = arg_of(p, values[i]);
        if (b == NULL)
            continue;
        for (size_t d = 0; d < b->rank && d < 8; d++) {
            if (!ir_const_int(b->shape[d], &shape[d]))
                shape[d] = size;
            n *= shape[d];
        }
        if (b->rank > 8 || b->nstrides > 0 || b->elem_offset != NULL ||
            (size_t)n != p->n)
            return false;
        args[i].tensor = interp_tensor_new(p->dtype, b->rank, shape);
        for (size_t k = 0; k < p->n; k++) {
            interp_tensor_set(args[i].tensor, k, values[i][k]);
            args[i].tensor->state[k] = INTERP_DEFINED;
        }
    }
    return true;
}

/* The outputs as the evaluator left them. */
static bool same_outputs(const struct ints_machine *m, size_t nargs,
                         const struct interp_arg *args)
{
    for (size_t i = 0; i < nargs; i++) {
        const struct ints_param *p = ints_machine_param(m, i);
        size_t unit = dtype_lane_bytes(p->dtype);
        for (size_t k = 0; p->tensor && k < p->n; k++) {
            const struct interp_tensor *t = args[i].tensor;
            bool defined = (t->state[k] & INTERP_DEFINED) != 0;
            uint64_t mask =
                unit < 8 ? (UINT64_C(1) << (8 * unit)) - 1 : ~UINT64_C(0);
            uint64_t bits = 0;
            for (size_t b = unit; b-- > 0;)
                bits = bits << 8 | p->bytes[k * unit + b];
            if (defined != (bool)(p->defined[k * unit] & 1) ||
                (defined && (interp_tensor_get(t, k) & mask) != bits))
                return false;
        }
    }
    return true;
}

static bool agrees(struct ints_machine *m, const uint64_t *const *values,
                   const struct interp_result *r, size_t nargs,
                   const struct interp_arg *args, bool *known)
{
    const char *why;
    ints_machine_be_lenient(m, true);
    enum ints_stop stop = ints_machine_run(m, values, &why);
    ints_machine_be_lenient(m, false);
    *known = stop != INTS_STUCK;
    if (stop == INTS_FAULTS)
        return interp_is_fault(r->fault);
    return stop == INTS_GOES && r->fault == INTERP_OK &&
           same_outputs(m, nargs, args);
}

char *ints_check_engine(const struct ir_module *module, struct ints_machine *m,
                        const uint64_t *const *values, int64_t size, bool fast)
{
    const struct ir_func *f = ir_module_find(module, "main");
    size_t n = f->prim.nparams;
    struct interp_arg *args = dc_alloc((n + 1) * sizeof *args);
    struct interp_options options = interp_default_options();
    char *found = NULL;
    options.engine = fast ? INTERP_ENGINE_FAST : INTERP_ENGINE_WALK;
    options.max_steps = 4000000;
    if (make_args(f, m, values, size, args)) {
        struct interp_result r = interp_run(module, f, n, args, &options);
        bool fine = r.fault == INTERP_UNSUPPORTED || r.fault == INTERP_BUDGET;
        bool known;
        if (!fine && !agrees(m, values, &r, n, args, &known) && known) {
            struct buf text = {0};
            buf_printf(
                &text, "the %s engine says %s%s%s", fast ? "fast" : "walking",
                r.fault == INTERP_OK ? "fine" : interp_fault_name(r.fault),
                r.message ? ": " : "", r.message ? r.message : "");
            found = text.data;
        }
        interp_result_fini(&r);
    }
    for (size_t i = 0; i < n; i++)
        interp_tensor_free(args[i].tensor);
    dc_release(args);
    return found;
}
