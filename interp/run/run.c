/* SPDX-License-Identifier: Apache-2.0
 *
 * A run from outside: the machine is set up, arguments are copied into
 * storage of their own, the function runs, and contents and states are copied
 * back. Distinct parameters never overlap (rule 14).
 *
 * Symbolic dimensions take the value of the tensor at their first occurrence,
 * parameters in order, shape before strides; later occurrences are checked.
 */
#include "interp/fast/fast.h"
#include "interp/keyed/keyed.h"
#include "interp/machine/step.h"
#include "interp/replay/replay.h"
#include "ir/base/limits.h"

#include <string.h>

struct interp_options interp_default_options(void)
{
    struct interp_options o = {0};
    o.domain = INTERP_IEEE;
    o.check_races = true;
    return o;
}

/* ---- machine ------------------------------------------------------------------ */

static void machine_init(struct machine *m, const struct ir_module *module,
                         const struct ir_func *func,
                         const struct interp_options *options)
{
    memset(m, 0, sizeof *m);
    m->module = module;
    m->func = func;
    m->options = *options;
    m->max_steps = options->max_steps > 0 ? options->max_steps : UINT64_MAX;
    m->domain = interp_domain_of(options->domain);
    m->plain = interp_domain_of(INTERP_IEEE);
    m->boxed = m->domain->boxed;
    if (options->profile != NULL && num_profile_is_scalar(options->profile))
        m->scalar_profile = options->profile;
    if (m->domain->keyed != NULL)
        m->keyed = interp_keyed_new(options);
    m->now = 1;
    m->thread = &m->host;
    m->arena = arena_new();
    exec_scratch_init(m);
}

static void machine_fini(struct machine *m)
{
    if (m->hooks.fini != NULL)
        m->hooks.fini(m);
    intrin_thread_fini(m, &m->host);
    vec_fini(&m->host.loops);
    vec_fini(&m->host.collective);
    for (size_t i = 0; i < m->allocs.len; i++)
        while (m->allocs.items[i] != NULL)
            mem_alloc_drop(m, m->allocs.items[i]);
    vec_fini(&m->allocs);
    vec_fini(&m->free_slots);
    vec_fini(&m->plans);
    vec_fini(&m->implied);
    dc_release(m->param_allocs);
    interp_keyed_free(m->keyed);
    exec_scratch_fini(m);
    arena_free(m->arena);
}

/* ---- arguments in --------------------------------------------------------------- */

static bool bad_arg(struct machine *m, const struct ir_param *p,
                    const char *what)
{
    exec_fault(m, INTERP_BAD_ARGS, NULL, NULL, "argument for '%s' %s",
               p->buffer != NULL ? p->buffer->name : p->var->name, what);
    return false;
}

/* Binds a bare variable to a value, or checks an expression against it. */
static bool bind_dim(struct machine *m, const struct ir_param *p,
                     struct ir_expr *e, int64_t value, const char *what)
{
    if (e->kind == IR_VAR_REF) {
        uint32_t id = e->u.var->id - m->frame->plan->var_base;
        if (id < m->frame->plan->nvars &&
            (m->frame->vars[id].flags & V_UNBOUND)) {
            unsigned flags = 0;
            uint64_t bits = num_from_int(e->u.var->dtype, value, &flags);
            if (flags & NUM_WRAPPED) /* storage would be made by what is left */
                return bad_arg(m, p, what);
            var_set(m, e->u.var, exec_value_scalar(bits, 0));
            return true;
        }
    }
    int64_t have;
    if (!exec_eval_index(m, e, "a dimension of a parameter", &have))
        return false;
    return have == value || bad_arg(m, p, what);
}

static bool tensor_fits(struct machine *m, const struct ir_param *p,
                        const struct interp_tensor *t)
{
    const struct ir_buffer *b = p->buffer;
    if (t == NULL)
        return bad_arg(m, p, "must be a tensor");
    if (!dtype_equal(t->dtype, b->dtype)) {
        char want[48], have[48];
        exec_fault(m, INTERP_BAD_ARGS, b, NULL, "wants %s but gets %s",
                   dtype_name(b->dtype, want), dtype_name(t->dtype, have));
        return false;
    }
    if (t->rank != b->rank)
        return bad_arg(m, p, "has another number of dimensions");
    if (dtype_lane_bytes(b->dtype) == 0 || dtype_lane_bytes(b->dtype) > 8)
        return bad_arg(m, p, "has a type that cannot be stored");
    for (size_t i = 0; i < t->elements && dtype_is_bool(b->dtype); i++)
        if (interp_tensor_get(t, i) > 1)
            return bad_arg(m, p, "has a bool that is neither 0 nor 1");
    return true;
}

/* First pass: shapes that are bare variables, so that later expressions in
 * any parameter can use them. */
static bool bind_shapes(struct machine *m, size_t nargs,
                        const struct interp_arg *args)
{
    const struct ir_prim_func *f = &m->func->prim;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < nargs; i++) {
            const struct ir_param *p = &f->params[i];
            for (size_t d = 0; p->buffer != NULL && d < p->buffer->rank; d++) {
                struct ir_expr *e = p->buffer->shape[d];
                if ((e->kind == IR_VAR_REF) != (pass == 0))
                    continue;
                if (!bind_dim(m, p, e, args[i].tensor->shape[d],
                              "has a shape that does not fit"))
                    return false;
            }
        }
    return true;
}

/* Symbolic strides are the compact ones, 0 where buffer_type 2 broadcasts; a
 * symbolic element offset is 0. */
static bool bind_layout(struct machine *m, const struct ir_param *p,
                        const struct interp_tensor *t)
{
    const struct ir_buffer *b = p->buffer;
    uint64_t compact = 1;
    for (size_t d = b->nstrides == b->rank ? b->rank : 0; d-- > 0;) {
        struct ir_expr *e = b->strides[d];
        bool spread = b->auto_broadcast && t->shape[d] == 1;
        uint32_t id = e->kind == IR_VAR_REF
                          ? e->u.var->id - m->frame->plan->var_base
                          : UINT32_MAX;
        if (id < m->frame->plan->nvars &&
            (m->frame->vars[id].flags & V_UNBOUND) &&
            !bind_dim(m, p, e, spread ? 0 : (int64_t)compact,
                      "has a stride that does not fit"))
            return false;
        compact *= (uint64_t)t->shape[d];
    }
    const struct ir_expr *e = b->elem_offset;
    if (e != NULL && e->kind == IR_VAR_REF) {
        uint32_t id = e->u.var->id - m->frame->plan->var_base;
        if (id < m->frame->plan->nvars &&
            (m->frame->vars[id].flags & V_UNBOUND))
            var_set(m, e->u.var, exec_value_scalar(0, 0));
    }
    return !m->failed;
}

/* Calls visit for each element of the tensor with its byte offset. */
static void each_element(const struct view *v, const struct interp_tensor *t,
                         void (*visit)(void *user, size_t element,
                                       int64_t offset),
                         void *user)
{
    int64_t index[DC_MAX_RANK] = {0};
    size_t lanes = v->elem_lanes;
    for (size_t i = 0; i + lanes <= t->elements; i += lanes) {
        int64_t sum = 0;
        for (size_t d = 0; d < v->rank; d++)
            sum += index[d] * v->stride[d];
        int64_t at = v->base + sum * (int64_t)(v->lane_bytes * lanes);
        for (size_t l = 0; l < lanes; l++)
            visit(user, i + l, at + (int64_t)(l * v->lane_bytes));
        for (size_t d = v->rank; d-- > 0;) {
            if (++index[d] < t->shape[d])
                break;
            index[d] = 0;
        }
    }
}

struct transfer {
    struct machine *m;
    struct alloc *a;
    struct interp_tensor *t;
    struct dtype lane;
    bool boxed;
};

static void copy_in(void *user, size_t i, int64_t offset)
{
    struct transfer *x = user;
    uint8_t state = x->t->state != NULL ? x->t->state[i] : INTERP_DEFINED;
    uint32_t flags = V_DATA | (state & INTERP_DEFINED ? 0u : V_UNDEF) |
                     (state & INTERP_INEXACT ? V_INEXACT : 0u) |
                     (state & INTERP_WRAPPED ? V_WRAPPED : 0u);
    struct value v = exec_value_scalar(interp_tensor_get(x->t, i), flags);
    if ((x->boxed || (state & INTERP_SYMBOLIC)) && !(flags & V_UNDEF)) {
        v.u.box = &x->t->box[i];
        v.flags |= V_BOX;
    }
    mem_poke(x->m, x->a, offset, x->lane, v);
    mem_set_marks(x->a, (size_t)offset, dtype_lane_bytes(x->lane),
                  state & (INTERP_WRITTEN | INTERP_SKIPPED));
}

static void copy_out(void *user, size_t i, int64_t offset)
{
    struct transfer *x = user;
    struct machine *m = x->m;
    size_t n = dtype_lane_bytes(x->lane);
    unsigned all = 0xff, any = 0;
    for (size_t j = 0; j < n; j++) {
        unsigned s = mem_shadow_at(x->a, (size_t)offset + j);
        all &= s;
        any |= s;
    }
    unsigned seen = MEM_INEXACT | MEM_WRITTEN | MEM_SKIPPED |
                    (m->options.wraps ? MEM_WRAPPED : 0u);
    unsigned state = (all & MEM_DEFINED) | (any & seen);
    if (x->t->state != NULL)
        x->t->state[i] = (uint8_t)state;
    if (!(state & INTERP_DEFINED))
        return;
    struct scratch_mark mark = exec_scratch_save(m);
    struct value v = mem_peek(m, x->a, offset, x->lane);
    if (v.flags & V_BOX) {
        if (x->t->box == NULL)
            x->t->box = dc_alloc((x->t->elements + 1) * sizeof *x->t->box);
        x->t->box[i] = *v.u.box;
        if (m->keyed != NULL)
            x->t->state[i] |= INTERP_SYMBOLIC;
        if (m->domain->kind == INTERP_BOUND)
            interp_tensor_set(x->t, i, v.u.box->bound.bits);
    } else if (!(v.flags & V_UNDEF))
        interp_tensor_set(x->t, i, v.u.bits);
    else if (x->t->state != NULL)
        x->t->state[i] &= (uint8_t)~INTERP_DEFINED;
    exec_scratch_restore(m, mark);
}

/* Negative strides may lead below the storage, which begins where the offset
 * counts from. */
static bool begins_inside(struct machine *m, const struct ir_param *p,
                          const struct interp_tensor *t)
{
    const struct view *v = *view_slot(m, p->buffer);
    int64_t least = v->base, elem = (int64_t)v->lane_bytes * v->elem_lanes;
    for (size_t d = 0; d < v->rank && t->elements > 0; d++)
        if (v->stride[d] < 0 && t->shape[d] > 1)
            least += (t->shape[d] - 1) * v->stride[d] * elem;
    if (least < 0)
        exec_fault(m, INTERP_UNSUPPORTED, p->buffer, NULL,
                   "has elements below its storage");
    return least >= 0;
}

static bool bind_tensor(struct machine *m, size_t i, struct interp_tensor *t)
{
    const struct ir_param *p = &m->func->prim.params[i];
    if (!bind_layout(m, p, t))
        return false;
    struct alloc *a = view_buffer_storage(m, p->buffer);
    if (a == NULL || !begins_inside(m, p, t))
        return false;
    a->param = (int)i;
    a->read_only = m->frame->plan->read_only[i];
    m->param_allocs[i] = a;
    if (!view_buffer_bind(m, p->buffer, a))
        return false;
    if (p->var != p->buffer->data)
        var_set(m, p->var, var_get(m, p->buffer->data));
    bool boxed = m->boxed && dtype_is_float(t->dtype);
    if (boxed && t->box == NULL)
        interp_tensor_to_points(t, m->options.domain);
    struct transfer x = {m, a, t, dtype_scalar(t->dtype), boxed};
    each_element(view_get(m, p->buffer), t, copy_in, &x);
    return !m->failed;
}

static bool bind_args(struct machine *m, size_t nargs,
                      const struct interp_arg *args)
{
    const struct ir_prim_func *f = &m->func->prim;
    if (nargs != f->nparams) {
        exec_fault(m, INTERP_BAD_ARGS, NULL, NULL,
                   "function '%s' wants %zu arguments but gets %zu",
                   m->func->name, f->nparams, nargs);
        return false;
    }
    for (size_t i = 0; i < nargs; i++) {
        const struct ir_param *p = &f->params[i];
        if (p->buffer != NULL) {
            if (!tensor_fits(m, p, args[i].tensor))
                return false;
        } else if (dtype_is_handle(p->var->dtype)) {
            return bad_arg(m, p,
                           "would be a bare pointer, which cannot be "
                           "given");
        } else if (args[i].tensor != NULL) {
            return bad_arg(m, p, "must be a scalar");
        } else {
            struct value v = exec_value_scalar(args[i].bits, V_DATA);
            if (m->boxed && dtype_is_float(p->var->dtype))
                v = exec_value_box(
                    m, m->domain->point(p->var->dtype, args[i].bits), V_DATA);
            if (m->keyed != NULL && args[i].box != NULL)
                v = exec_value_box(m, *args[i].box, V_DATA);
            var_set(m, p->var, v);
        }
    }
    if (!bind_shapes(m, nargs, args))
        return false;
    for (size_t i = 0; i < nargs; i++)
        if (f->params[i].buffer != NULL && !bind_tensor(m, i, args[i].tensor))
            return false;
    return true;
}

static void copy_back(struct machine *m, struct interp_arg *args)
{
    const struct ir_prim_func *f = &m->func->prim;
    for (size_t i = 0; i < f->nparams; i++) {
        struct alloc *a = m->param_allocs[i];
        struct interp_tensor *t = args[i].tensor;
        struct view *v = a == NULL ? NULL : *view_slot(m, f->params[i].buffer);
        if (v == NULL || v->alloc == NULL || a->read_only)
            continue;
        struct transfer x = {m, a, t, dtype_scalar(t->dtype), m->boxed};
        each_element(v, t, copy_out, &x);
    }
}

/* What has been computed is given back even after a fault, which stays the one
 * that is told, whatever there is to say of an output. */
static void give_back(struct machine *m, struct interp_arg *args)
{
    struct interp_result first = m->result;
    bool failed = m->failed;
    m->failed = false;
    memset(&m->result.scene, 0, sizeof m->result.scene);
    copy_back(m, args);
    if (failed && m->failed) {
        if (m->result.message != first.message)
            dc_release(m->result.message);
        if (m->result.where != first.where)
            dc_release(m->result.where);
        interp_scene_fini(&m->result.scene);
        m->result = first;
    }
    if (failed)
        m->result.scene = first.scene;
    m->failed |= failed;
}

/* ---- entry ------------------------------------------------------------------------------ */

static void run_function(struct machine *m, size_t nargs,
                         struct interp_arg *args)
{
    m->host.frame = m->frame = exec_frame_new(m, m->func);
    m->param_allocs =
        dc_alloc((m->func->prim.nparams + 1) * sizeof *m->param_allocs);
    m->nargs = nargs;
    m->args = args;
    if (bind_args(m, nargs, args) && slice_install(m)) {
        if (m->domain->install != NULL)
            m->domain->install(m);
        slice_formula_install(m);
        m->stmt = NULL;
        (void)exec_stmt(m, m->func->prim.body);
        m->thread = &m->host;
        m->frame = m->host.frame;
        give_back(m, args);
    }
    m->frame = m->host.frame;
    for (size_t i = 0; i < m->func->prim.nparams; i++)
        mem_alloc_drop(m, m->param_allocs[i]);
    exec_frame_free(m, m->host.frame);
}

/* How many barriers rule 3 had to supply, and where the first stands. */
static void tell_implied(struct machine *m)
{
    const struct ir_plan_info *first = NULL;
    for (size_t i = 0; i < m->implied.len; i++)
        if (first == NULL || m->implied.items[i]->order < first->order)
            first = m->implied.items[i];
    m->result.nimplied = m->implied.len;
    if (first != NULL)
        m->result.implied = exec_one_line(first->stmt);
}

/* A PrimFunc as it stands; of options.profile only what concerns single
 * operations. */
static struct interp_result run_prim(const struct ir_module *module,
                                     const struct ir_func *func, size_t nargs,
                                     struct interp_arg *args,
                                     const struct interp_options *options)
{
    struct interp_result fast;
    const char *why = NULL;
    bool watched = options->formula != NULL || options->watch != NULL;
    if (options->engine != INTERP_ENGINE_WALK && !watched &&
        fast_run(module, func, nargs, args, options, &fast, &why) == FAST_DONE)
        return fast;
    struct machine m;
    machine_init(&m, module, func, options);
    if (options->engine == INTERP_ENGINE_FAST)
        exec_fault(&m, INTERP_UNSUPPORTED, NULL, NULL,
                   "the fast engine does not handle this: %s",
                   why != NULL ? why : "?");
    else if (func->kind != IR_FUNC_PRIM || func->prim.body == NULL)
        exec_fault(&m, INTERP_UNSUPPORTED, NULL, NULL,
                   "function '%s' has no body to run", func->name);
    else
        run_function(&m, nargs, args);
    tell_implied(&m);
    struct interp_result result = m.result;
    if (m.keyed != NULL) {
        result.keyed_ops = m.keyed->ops;
        result.degree = m.keyed->degree;
        result.assumptions = m.keyed->assumptions;
    }
    machine_fini(&m);
    return result;
}

/* The options without a profile that changes nothing. */
static struct interp_options plain_options(const struct interp_options *options)
{
    struct interp_options plain =
        options != NULL ? *options : interp_default_options();
    if (plain.profile != NULL && num_profile_is_reference(plain.profile))
        plain.profile = NULL;
    return plain;
}

static struct interp_result refused(const struct interp_options *options,
                                    const struct ir_module *module,
                                    const struct ir_func *func, const char *why)
{
    struct machine m;
    machine_init(&m, module, func, options);
    exec_fault(&m, INTERP_UNSUPPORTED, NULL, NULL, "%s", why);
    struct interp_result result = m.result;
    machine_fini(&m);
    return result;
}

/* The function rewritten for the profile, then run. */
static struct interp_result run_profile(const struct ir_module *module,
                                        const struct ir_func *func,
                                        size_t nargs, struct interp_arg *args,
                                        const struct interp_options *options)
{
    const char *why = "another arithmetic is for the domains of machine "
                      "numbers";
    const struct ir_func *rewritten;
    if (options->domain != INTERP_IEEE && options->domain != INTERP_TERMS)
        return refused(options, module, func, why);
    struct ir_module *m =
        replay_make(module, func, options->profile, &rewritten, &why);
    if (m == NULL)
        return refused(options, module, func, why);
    struct interp_result r = run_prim(m, rewritten, nargs, args, options);
    r.buffer = NULL; /* it may be a name of the rewritten function's */
    ir_module_free(m);
    return r;
}

struct interp_result interp_run(const struct ir_module *module,
                                const struct ir_func *func, size_t nargs,
                                struct interp_arg *args,
                                const struct interp_options *options)
{
    struct interp_options plain = plain_options(options);
    if (func->kind == IR_FUNC_RELAX) {
        struct interp_tensor **outputs = NULL;
        size_t noutputs = 0;
        struct interp_result r = interp_run_relax(module, func, nargs, args,
                                                  &plain, &outputs, &noutputs);
        for (size_t i = 0; i < noutputs; i++)
            interp_tensor_free(outputs[i]);
        dc_release(outputs);
        return r;
    }
    return plain.profile != NULL
               ? run_profile(module, func, nargs, args, &plain)
               : run_prim(module, func, nargs, args, &plain);
}

uint64_t interp_profile_print(const struct ir_module *module,
                              const struct ir_func *func,
                              const struct num_profile *profile)
{
    static const uint8_t scalar[] = {
        NUM_T_ROUND,     NUM_T_ROUND_CAST, NUM_T_FLUSH_HALF, NUM_T_FLUSH_SINGLE,
        NUM_T_FUNCTIONS, NUM_T_LITERALS,   NUM_T_QFLOAT,     NUM_T_MATRIX};
    const struct ir_func *rewritten;
    const char *why;
    struct ir_module *m = replay_make(module, func, profile, &rewritten, &why);
    if (m == NULL)
        return 0;
    uint64_t h = ir_func_hash(rewritten);
    for (size_t i = 0; i < sizeof scalar; i++)
        h = hash_mix(h, profile->set[scalar[i]]);
    ir_module_free(m);
    return h | 1;
}

double interp_speed(const struct ir_module *module, const struct ir_func *func,
                    size_t nargs, struct interp_arg *args,
                    const struct interp_options *options)
{
    struct interp_options plain = plain_options(options);
    if (plain.engine == INTERP_ENGINE_WALK || func->kind != IR_FUNC_PRIM)
        return 1;
    if (plain.profile == NULL)
        return fast_ratio(module, func, nargs, args, &plain);
    const struct ir_func *rewritten;
    const char *why;
    struct ir_module *m =
        replay_make(module, func, plain.profile, &rewritten, &why);
    if (m == NULL)
        return 1;
    double ratio = fast_ratio(m, rewritten, nargs, args, &plain);
    ir_module_free(m);
    return ratio;
}
