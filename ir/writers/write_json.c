/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM JSON of eras D (0.24, 0.25), E (0.26) and F (0.27): one compact line, as
 * tvm.ir.save_json writes since 0.25. What TVM derives from the rest (types of
 * functions, index maps) is derived here too; positions are not written.
 * Modules of other eras and from text get the names of the era: operators,
 * node types, the namespace of function attributes.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

/* ---- functions ------------------------------------------------------------------ */

/* Attributes of a function; "tir.x" became "tirx.x" in 0.24. */
static uint32_t func_attrs(struct out *o, const struct ir_value *attrs,
                           const char *omit)
{
    struct out_list list = {0};
    for (size_t i = 0; attrs && i < attrs->n; i++) {
        const char *key = attrs->keys[i];
        if (omit && strcmp(key, omit) == 0)
            continue;
        o->text.len = 0;
        if (strncmp(key, "tir.", 4) == 0) {
            buf_printf(&o->text, "tirx.%s", key + 4);
            if (ir_value_find(attrs, buf_text(&o->text)))
                out_fail(o, (struct ir_pos){0},
                         "attributes '%s' and '%s' are one since TVM 0.24", key,
                         buf_text(&o->text));
        } else {
            buf_puts(&o->text, key);
        }
        vec_push(&list, out_string(o, buf_text(&o->text)));
        vec_push(&list, out_value(o, attrs->items[i]));
    }
    uint32_t dict = out_array(o, "ffi.Map", list.len, list.items);
    vec_fini(&list);
    out_begin(o, "ir.DictAttrs");
    out_ref(o, "__dict__", dict);
    return out_end(o);
}

struct prim_parts {
    uint32_t type, attrs, params, map, ret, body;
};

static void prim_params(struct out *o, const struct ir_prim_func *f,
                        struct prim_parts *p)
{
    struct out_list params = {0}, map = {0};
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_param *param = &f->params[i];
        if (o->era != IR_ERA_D) {
            vec_push(&params, param->buffer ? out_buffer(o, param->buffer)
                                            : out_var(o, param->var));
            continue;
        }
        vec_push(&params, out_var(o, param->var));
        if (param->buffer) {
            vec_push(&map, out_var(o, param->var));
            vec_push(&map, out_buffer(o, param->buffer));
        }
    }
    p->params = out_array(o, "ffi.Array", params.len, params.items);
    p->map = out_array(o, "ffi.Map", map.len, map.items);
    vec_fini(&params);
    vec_fini(&map);
}

static bool find_introduced(void *user, struct ir_stmt *s)
{
    struct out *o = user;
    if (s->kind == IR_DECL_BUFFER)
        ptr_map_put(&o->introduced, s->u.decl.buffer, NULL, 1);
    if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        ptr_map_put(&o->introduced, s->u.alloc.buffer, NULL, 1);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nallocs; i++)
        ptr_map_put(&o->introduced, s->u.block->allocs[i], NULL, 1);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nmatches; i++)
        ptr_map_put(&o->introduced, s->u.block->matches[i].buffer, NULL, 1);
    return true;
}

/* Notes the buffers that the function introduces, before any is written. */
static void introduce(struct out *o, const struct ir_func *f)
{
    struct ir_visitor visitor = {find_introduced, NULL, o};
    for (size_t i = 0; i < f->prim.nparams; i++)
        if (f->prim.params[i].buffer) {
            ptr_map_put(&o->introduced, f->prim.params[i].buffer, NULL, 1);
            if (o->era != IR_ERA_D)
                ptr_map_put(&o->handles, f->prim.params[i].var, NULL, 1);
        }
    ir_visit_stmt(&visitor, f->prim.body);
}

static uint32_t prim_func(struct out *o, const struct ir_func *f)
{
    static const struct ir_type empty = {.kind = IR_TYPE_TUPLE};
    const struct ir_type *ret =
        f->prim.ret_type && f->prim.ret_type->kind != IR_TYPE_NONE
            ? f->prim.ret_type
            : &empty;
    introduce(o, f);
    struct prim_parts p = {.type = out_func_type(o, f)};
    p.attrs = func_attrs(o, f->attrs, NULL);
    prim_params(o, &f->prim, &p);
    p.ret = out_type(o, ret);
    p.body = out_stmt(o, f->prim.body);
    out_begin(o, "tirx.PrimFunc");
    out_span(o);
    out_ref(o, o->era == IR_ERA_D ? "struct_info_" : "ty", p.type);
    out_ref(o, "attrs", p.attrs);
    out_ref(o, "params", p.params);
    out_ref(o, "ret_type", p.ret);
    if (o->era == IR_ERA_D)
        out_ref(o, "buffer_map", p.map);
    out_ref(o, "body", p.body);
    return out_end_unique(o);
}

static uint32_t function(struct out *o, const struct ir_func *f)
{
    o->func = f;
    if (f->kind == IR_FUNC_PRIM)
        return prim_func(o, f);
    if (f->kind == IR_FUNC_RELAX)
        return out_rx_func(o, f->relax, f->attrs);
    const char *symbol =
        ir_value_as_string(ir_value_find(f->attrs, "global_symbol"));
    return out_extern(o, symbol ? symbol : f->name, f->attrs);
}

/* ---- modules --------------------------------------------------------------------- */

static uint32_t source_map(struct out *o)
{
    uint32_t map = out_array(o, "ffi.Map", 0, NULL);
    out_begin(o, "ir.SourceMap");
    out_ref(o, "source_map", map);
    return out_end(o);
}

static uint32_t module_node(struct out *o)
{
    const struct ir_module *m = o->m;
    struct out_list funcs = {0}, names = {0};
    for (size_t i = 0; i < m->nfuncs; i++) {
        uint32_t var = out_global(o, m->funcs[i]->name);
        vec_push(&names, out_string(o, m->funcs[i]->name));
        vec_push(&names, var);
        vec_push(&funcs, var);
        vec_push(&funcs, function(o, m->funcs[i]));
    }
    o->func = NULL;
    uint32_t functions = out_array(o, "ffi.Map", funcs.len, funcs.items);
    uint32_t by_name = out_array(o, "ffi.Map", names.len, names.items);
    vec_fini(&funcs);
    vec_fini(&names);
    uint32_t source = source_map(o);
    uint32_t attrs = out_dict_attrs(o, m->attrs);
    uint32_t infos = out_map(o, m->global_infos);
    out_begin(o, "ir.IRModule");
    out_ref(o, "functions", functions);
    out_ref(o, "global_var_map_", by_name);
    out_ref(o, "source_map", source);
    out_ref(o, "attrs", attrs);
    out_ref(o, "global_infos", infos);
    return out_end_unique(o);
}

/* The version of TVM that reads the file: its own when the era is kept. */
static const char *version(const struct out *o)
{
    if (o->m->era == o->era && o->m->tvm_version)
        return o->m->tvm_version;
    if (o->era == IR_ERA_D)
        return "0.25.0";
    return o->era == IR_ERA_E ? "0.26.0" : "0.27.0";
}

static void put_document(const struct out *o, uint32_t root, struct buf *out)
{
    struct json_writer w = {.out = out};
    buf_printf(out, "{\"root_index\":%u,\"nodes\":[", (unsigned)root);
    buf_append(out, o->nodes.data, o->nodes.len);
    buf_puts(out, "],\"metadata\":{\"tvm_version\":");
    json_put_string(&w, version(o));
    buf_puts(out, "}}");
}

/* A function alone is found again under its global_symbol, or as "main". */
static bool is_bare(const struct ir_module *m)
{
    if (!m->bare_func || m->nfuncs != 1 || m->funcs[0]->kind == IR_FUNC_EXTERN)
        return false;
    const char *symbol =
        ir_value_as_string(ir_value_find(m->funcs[0]->attrs, "global_symbol"));
    return strcmp(symbol ? symbol : "main", m->funcs[0]->name) == 0;
}

bool ir_write_json(const struct ir_module *m, enum ir_era era, struct buf *out,
                   struct diag_sink *sink)
{
    struct out o = {.m = m, .era = era, .sink = sink};
    if (era != IR_ERA_D && era != IR_ERA_E && era != IR_ERA_F)
        return diag_error(
            sink, (struct diag_loc){.file = m->source}, "write.json",
            "cannot write JSON of era '%s', only D, E and F", ir_era_name(era));
    for (size_t i = 0; i < m->nfuncs; i++)
        o.has_relax |= m->funcs[i]->kind == IR_FUNC_RELAX;
    out_init(&o);
    uint32_t root = is_bare(m) ? function(&o, m->funcs[0]) : module_node(&o);
    if (!o.failed)
        put_document(&o, root, out);
    out_fini(&o);
    return !o.failed;
}
