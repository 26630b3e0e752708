/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading modules and choosing functions.
 *
 * The entry functions of a module are its Relax functions if it has any: the
 * PrimFuncs beside them are what they call. Otherwise they are the PrimFuncs,
 * less those that others call (the device half of a split host function).
 */
#include "diff/input/input.h"

#include "ir/base/limits.h"

#include <string.h>

struct ir_module *diff_module_read_raw(const char *path, size_t max,
                                       struct diag_sink *sink)
{
    struct buf text = {0};
    struct ir_module *module = NULL;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (diff_text_read(path, max, &text, sink))
        module = ir_read(buf_text(&text), text.len, name, sink);
    buf_fini(&text);
    return module;
}

struct ir_module *diff_module_read(const char *path, size_t max,
                                   struct diag_sink *sink)
{
    struct ir_module *module = diff_module_read_raw(path, max, sink);
    if (module)
        ir_host_restore(module, sink);
    return module;
}

static bool calls(const void *function, const struct ir_expr *e)
{
    const char *name = e->kind == IR_CALL ? ir_callee(e) : NULL;
    return name && strcmp(name, function) == 0;
}

static bool prim_calls(const struct ir_func *func, const char *name)
{
    return func->kind == IR_FUNC_PRIM &&
           ir_stmt_any(func->prim.body, NULL, calls, name);
}

/* Whether a function other than `not` calls one of this name. */
static bool is_called(const struct ir_module *module, const char *name,
                      const struct ir_func * not )
{
    for (size_t i = 0; i < module->nfuncs; i++) {
        if (module->funcs[i] != not &&prim_calls(module->funcs[i], name))
            return true;
    }
    return false;
}

static const char *symbol_of(const struct ir_func *f)
{
    return ir_value_as_string(ir_attr_find(f->attrs, "global_symbol"));
}

bool diff_is_called(const struct ir_module *module, const struct ir_func *f)
{
    const char *symbol = symbol_of(f);
    return is_called(module, f->name, f) ||
           (symbol && is_called(module, symbol, f));
}

/* ---- parameters in one place ------------------------------------------------------ */

static bool is_named(const struct ir_param *p, const char *name)
{
    return p->buffer && (strcmp(p->buffer->name, name) == 0 ||
                         strcmp(p->var->name, name) == 0);
}

/* Whether the dimensions are constants. */
static bool is_static(const struct ir_buffer *b)
{
    int64_t size;
    for (size_t k = 0; k < b->rank; k++) {
        if (!ir_const_int(b->shape[k], &size))
            return false;
    }
    return b->nstrides == 0 && !b->elem_offset;
}

/* The second buffer becomes a view of the first and leaves the parameters, so
 * that every engine sees one storage. */
static bool join_in(struct ir_module *m, struct ir_prim_func *prim, size_t a,
                    size_t b, struct diag_sink *sink)
{
    struct ir_buffer *from = prim->params[b].buffer;
    const struct ir_buffer *to = prim->params[a].buffer;
    struct diag_loc loc = {.file = m->source};
    struct ir_stmt *view = ir_stmt_make(m, IR_DECL_BUFFER);
    struct ir_param *params =
        ARENA_ARRAY(m->arena, prim->nparams, struct ir_param);
    size_t n = 0;
    if (!is_static(from) || !is_static(to))
        return diag_error(sink, loc, "diff.overlap",
                          "'%s' and '%s' can be put in one place only where "
                          "their shapes are constant",
                          to->name, from->name);
    view->u.decl.buffer = from;
    view->u.decl.value = ir_var_ref(m, to->data);
    ir_stmt_seal(view);
    for (size_t i = 0; i < prim->nparams; i++) {
        if (i != b)
            params[n++] = prim->params[i];
    }
    struct ir_stmt *both[2] = {view, prim->body};
    prim->params = params;
    prim->nparams = n;
    prim->body = ir_seq(m, 2, both);
    return true;
}

static bool join_params(struct ir_module *m, const struct diff_overlap *o,
                        struct diag_sink *sink)
{
    struct diag_loc loc = {.file = m->source};
    bool found = false;
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        size_t n =
            f->kind == IR_FUNC_PRIM && f->prim.body ? f->prim.nparams : 0;
        size_t a = n, b = n;
        for (size_t k = 0; k < n; k++) {
            a = is_named(&f->prim.params[k], o->first) ? k : a;
            b = is_named(&f->prim.params[k], o->second) ? k : b;
        }
        if (a == n || b == n)
            continue;
        if (!join_in(m, &f->prim, a, b, sink))
            return false;
        found = true;
    }
    return found || diag_error(sink, loc, "diff.overlap",
                               "no function has the buffer parameters '%s' and "
                               "'%s'",
                               o->first, o->second);
}

/* ---- external functions --------------------------------------------------------- */

/* Whether the module calls f and has no function of its name. */
static bool is_wanted(const struct ir_module *module, const struct ir_func *f)
{
    return f->kind == IR_FUNC_PRIM && f->prim.body &&
           !ir_module_find(module, f->name) && diff_is_called(module, f);
}

/* Moves what the module calls out of a module of definitions. Variables keep
 * their numbers: they are dense within a function's module, and no analysis
 * mixes functions. */
static bool supply(struct ir_module *module, const char *path, size_t max,
                   struct diag_sink *sink)
{
    struct ir_module *from = diff_module_read_raw(path, max, sink);
    bool any = true;
    if (!from || !ir_wellformed(from, sink)) {
        ir_module_free(from);
        return false;
    }
    while (any) { /* one definition may call another */
        any = false;
        for (size_t i = 0; i < from->nfuncs; i++) {
            struct ir_func *f = from->funcs[i];
            if (is_wanted(module, f))
                any = ir_module_add(module, f) || any;
        }
    }
    if (module->nvars < from->nvars)
        module->nvars = from->nvars;
    if (module->nbuffers < from->nbuffers)
        module->nbuffers = from->nbuffers;
    arena_absorb(module->arena, from->arena);
    return true;
}

struct ir_module *diff_module_load(const struct diff_options *options,
                                   const char *path, struct diag_sink *sink)
{
    return diff_module_complete(
        options, diff_module_read(path, options->max_input_bytes, sink), sink);
}

struct ir_module *diff_module_complete(const struct diff_options *options,
                                       struct ir_module *module,
                                       struct diag_sink *sink)
{
    if (module)
        diff_store_returned(module);
    for (size_t i = 0; module && i < options->noverlaps; i++) {
        if (!join_params(module, &options->overlaps[i], sink)) {
            ir_module_free(module);
            return NULL;
        }
    }
    for (size_t i = 0; module && i < options->nexterns; i++) {
        if (!supply(module, options->externs[i], options->max_input_bytes,
                    sink)) {
            ir_module_free(module);
            return NULL;
        }
    }
    return module;
}

/* ---- choosing functions --------------------------------------------------------- */

size_t diff_entries(const struct ir_module *module, const struct ir_func **out)
{
    size_t n = 0;
    for (size_t i = 0; i < module->nfuncs; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->kind == IR_FUNC_RELAX && f->relax && f->relax->body)
            out[n++] = f;
    }
    if (n > 0)
        return n;
    for (size_t i = 0; i < module->nfuncs; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->kind == IR_FUNC_PRIM && f->prim.body &&
            !diff_is_called(module, f))
            out[n++] = f;
    }
    for (size_t i = 0; i < module->nfuncs && n == 0; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->kind == IR_FUNC_PRIM && f->prim.body)
            out[n++] = f;
    }
    return n;
}

static void put_names(const struct ir_module *module, struct buf *out)
{
    for (size_t i = 0; i < module->nfuncs; i++)
        buf_printf(out, "%s'%s'", i ? ", " : "", module->funcs[i]->name);
}

struct ir_func *diff_function_choose(const struct ir_module *module,
                                     const char *name, struct diag_sink *sink)
{
    struct diag_loc loc = {.file = module->source};
    struct arena *arena = arena_new();
    const struct ir_func **entries =
        ARENA_ARRAY(arena, module->nfuncs + 1, const struct ir_func *);
    size_t n = diff_entries(module, entries);
    struct ir_func *func = NULL;
    struct buf names = {0};
    put_names(module, &names);
    if (name)
        func = ir_module_find(module, name);
    else if (n == 1)
        func = ir_module_find(module, entries[0]->name);
    else
        func = ir_module_find(module, "main");
    if (!func && name)
        (void)diag_error(sink, loc, "diff.function",
                         "no function '%s', there are: %s", name,
                         buf_text(&names));
    else if (!func && n == 0)
        (void)diag_error(sink, loc, "diff.function",
                         "the module has no function with a body");
    else if (!func)
        (void)diag_error(sink, loc, "diff.function",
                         "several functions and none is 'main': name one "
                         "with '--function'; there are: %s",
                         buf_text(&names));
    buf_fini(&names);
    arena_free(arena);
    return func;
}

const struct diff_range *diff_assume_find(const struct diff_options *options,
                                          const char *name)
{
    for (size_t i = options->nassumes; i-- > 0;) {
        if (strcmp(options->assumes[i].name, name) == 0)
            return &options->assumes[i];
    }
    return NULL;
}

bool diff_shape_find(const struct diff_options *options, const char *name,
                     int64_t *out)
{
    for (size_t i = options->nshapes; i-- > 0;) {
        if (strcmp(options->shapes[i].name, name) == 0) {
            *out = options->shapes[i].value;
            return true;
        }
    }
    return false;
}

bool diff_is_symbol(const struct interp_signature *sig, const char *name)
{
    for (size_t i = 0; i < sig->nsymbols; i++) {
        if (strcmp(sig->symbols[i], name) == 0)
            return true;
    }
    return false;
}

bool diff_param_elements(const struct interp_param *param, size_t *out)
{
    const size_t most = DC_MAX_BUFFER_BYTES / 32;
    size_t n = param->dtype.lanes ? param->dtype.lanes : 1;
    for (size_t i = 0; i < param->rank; i++) {
        if (param->shape[i] < 0)
            return false;
        size_t d = (size_t)param->shape[i];
        if (d != 0 && n > most / d)
            return false;
        n *= d;
    }
    *out = n;
    return n <= most;
}

/* To make an element takes less than a step, and sampled elements of outputs
 * need all of the inputs. */
#define ELEMENTS_A_STEP 16u
#define FEW_ELEMENTS    65536u
/* Of one element, with its state and copies for the run and the other side. */
#define ELEMENT_BYTES 24u

const char *diff_inputs_too_large(const struct diff_options *options,
                                  const struct interp_signature *sig,
                                  struct arena *arena)
{
    size_t total = 0, n;
    for (size_t i = 0; i < sig->nparams; i++)
        if (sig->params[i].is_tensor &&
            diff_param_elements(&sig->params[i], &n))
            total += n;
    if (total > FEW_ELEMENTS &&
        (total - FEW_ELEMENTS) / ELEMENTS_A_STEP > options->budget)
        return arena_printf(arena,
                            "the parameters have %zu elements, too many for a "
                            "budget of %llu steps; raise it with '--budget'",
                            total, (unsigned long long)options->budget);
    if (dc_memory_low() || !dc_memory_fits(total * ELEMENT_BYTES))
        return arena_printf(arena,
                            "the parameters have %zu elements, more than "
                            "'--max-memory' leaves room for",
                            total);
    return NULL;
}
