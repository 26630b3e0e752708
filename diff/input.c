/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading modules and choosing functions.
 *
 * The entry functions of a module are its Relax functions if it has any: the
 * PrimFuncs beside them are what they call. Otherwise they are the PrimFuncs,
 * less those that others call (the device half of a split host function).
 */
#include "diff/input.h"

#include "ir/base/limits.h"

#include <string.h>

struct ir_module *diff_module_read(const char *path, size_t max,
                                   struct diag_sink *sink)
{
    struct buf text = {0};
    struct ir_module *module = NULL;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (file_read(path, max, &text, sink))
        module = ir_read(buf_text(&text), text.len, name, sink);
    buf_fini(&text);
    return module;
}

struct call_search {
    const char *name;
    bool found;
};

static bool visit_call(void *user, struct ir_expr *e)
{
    struct call_search *search = user;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_GLOBAL && e->u.call.name &&
        strcmp(e->u.call.name, search->name) == 0)
        search->found = true;
    return !search->found;
}

static bool prim_calls(const struct ir_func *func, const char *name)
{
    struct call_search search = {name, false};
    struct ir_visitor v = {.expr = visit_call, .user = &search};
    if (func->kind == IR_FUNC_PRIM && func->prim.body)
        ir_visit_stmt(&v, func->prim.body);
    return search.found;
}

static bool is_called(const struct ir_module *module, const char *name)
{
    for (size_t i = 0; i < module->nfuncs; i++) {
        if (strcmp(module->funcs[i]->name, name) != 0 &&
            prim_calls(module->funcs[i], name))
            return true;
    }
    return false;
}

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
            !is_called(module, f->name))
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
