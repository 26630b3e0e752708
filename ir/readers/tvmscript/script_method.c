/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes and methods of buffers and expressions: A.data, A.shape[0],
 * A.elem_offset, A.vload(…), A.access_ptr("r"), x.astype("float32").
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- attributes and methods --------------------------------------------- */

static struct sv *expr_tuple(struct script *s, size_t n,
                             struct ir_expr *const *exprs, struct ir_pos pos)
{
    struct sv *v = sv_make(s, SV_TUPLE, pos);
    v->u.list.n = n;
    v->u.list.items = ARENA_ARRAY(s->m->arena, n, struct sv *);
    for (size_t i = 0; i < n; i++)
        v->u.list.items[i] = sv_expr(s, exprs[i], pos);
    return v;
}

static struct sv *dtype_value(struct script *s, struct dtype t,
                              struct ir_pos pos)
{
    char name[48];
    struct sv *v = sv_make(s, SV_STRING, pos);
    v->u.string = arena_strdup(s->m->arena, dtype_name(t, name));
    return v;
}

static struct sv *method(struct script *s, struct sv *object, const char *name,
                         struct ir_pos pos)
{
    struct sv *v = sv_make(s, SV_METHOD, pos);
    v->u.method.object = object;
    v->u.method.name = name;
    return v;
}

static struct sv *buffer_attribute(struct script *s, struct sv *object,
                                   const char *name, struct ir_pos pos)
{
    static const char *const methods[] = {"vload", "vstore", "access_ptr",
                                          "view", "scope"};
    struct ir_buffer *b = object->u.buffer;
    if (strcmp(name, "data") == 0)
        return sv_expr(s, script_data_of(s, b), pos);
    if (strcmp(name, "shape") == 0)
        return expr_tuple(s, b->rank, b->shape, pos);
    if (strcmp(name, "strides") == 0)
        return expr_tuple(s, b->nstrides, b->strides, pos);
    if (strcmp(name, "elem_offset") == 0) {
        struct dtype t = b->rank ? b->shape[0]->dtype : DTYPE_INT32;
        return sv_expr(s, b->elem_offset ? b->elem_offset : ir_int(s->m, t, 0),
                       pos);
    }
    if (strcmp(name, "dtype") == 0)
        return dtype_value(s, b->dtype, pos);
    for (size_t i = 0; i < DC_ARRAY_LEN(methods); i++) {
        if (strcmp(methods[i], name) == 0)
            return method(s, object, name, pos);
    }
    return script_fail(s, pos, "script.name",
                       "buffer '%s' has no attribute '%s'", b->name, name);
}

struct sv *script_attribute(struct script *s, struct sv *object,
                            const char *name, struct ir_pos pos)
{
    if (s->failed)
        return NULL;
    if (object->kind == SV_BUFFER)
        return buffer_attribute(s, object, name, pos);
    if (object->kind == SV_EXPR && strcmp(name, "dtype") == 0)
        return dtype_value(s, object->u.expr->dtype, pos);
    struct ir_var *pointer =
        object->kind == SV_EXPR ? script_pointer_of(object->u.expr) : NULL;
    if (pointer && pointer->owner)
        return buffer_attribute(s, sv_buffer(s, pointer->owner, pos), name,
                                pos);
    if (object->kind == SV_EXPR)
        return method(s, object, name, pos);
    if (object->kind == SV_ITER_VAR && strcmp(name, "var") == 0)
        return sv_expr(s, ir_var_ref(s->m, object->u.iter_var->var), pos);
    if (object->kind == SV_RANGE && strcmp(name, "min") == 0)
        return sv_expr(s, object->u.range.min, pos);
    if (object->kind == SV_RANGE && strcmp(name, "extent") == 0)
        return sv_expr(s, object->u.range.extent, pos);
    if (object->kind == SV_MODULE) {
        struct sv *v = sv_make(s, SV_GLOBAL, pos);
        v->u.string = name;
        return v;
    }
    return script_fail(s, pos, "script.name", "%s has no attribute '%s'",
                       sv_kind_name(object), name);
}

/* A.vload([i], dtype="float32x4", predicate=p) */
static struct sv *method_vload(struct script *s, struct ir_buffer *b,
                               const struct sv_call *c)
{
    if (!script_check_call(s, c, ".vload"))
        return NULL;
    struct sv *begin = script_arg(c, 0, "begin");
    struct sv *type = script_arg(c, 1, "dtype");
    struct sv *predicate = script_arg(c, 2, "predicate");
    if (!begin)
        return script_fail(s, c->pos, "script.type", "expected an index");
    struct sv *v = script_index_buffer(s, b, begin, c->pos);
    struct ir_expr *load = v ? script_expr_of(s, v) : NULL;
    struct dtype t;
    if (!load || (type && !script_dtype_of(s, type, &t)))
        return NULL;
    if (type && !dtype_equal(dtype_scalar(t), dtype_scalar(b->dtype)))
        return script_fail(s, type->pos, "script.type",
                           "the elements of buffer '%s' have another type",
                           b->name);
    if (type && load->dtype.lanes != t.lanes) {
        if (!load->nargs)
            return script_fail(s, type->pos, "script.type",
                               "a load without an index has the lanes of an "
                               "element");
        struct ir_expr *last = load->args[load->nargs - 1];
        if (last->dtype.lanes != 1 || t.lanes % b->dtype.lanes)
            return script_fail(s, c->pos, "script.type",
                               "the lanes of the index and of the data type "
                               "differ");
        load->args[load->nargs - 1] =
            ir_ramp(s->m, last, ir_int(s->m, last->dtype, 1),
                    ir_int(s->m, DTYPE_INT32, t.lanes / b->dtype.lanes));
    }
    struct ir_expr *mask = predicate ? script_expr_of(s, predicate) : NULL;
    if (predicate && !mask)
        return NULL;
    struct ir_expr *e = ir_load(s->m, b, load->nargs, load->args, mask);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* Number of elements from `offset` to the end of the buffer. */
static struct ir_expr *elements_after(struct script *s, struct ir_buffer *b,
                                      struct ir_expr *offset, struct ir_pos pos)
{
    struct ir_expr *n = ir_int(s->m, DTYPE_INT32, 1);
    if (b->nstrides) {
        n = script_binary(s, IR_MUL, b->strides[0], b->shape[0], pos);
    } else {
        for (size_t i = 0; i < b->rank && n; i++)
            n = script_binary(s, IR_MUL, n, b->shape[i], pos);
    }
    return script_binary(s, IR_SUB, n, offset, pos);
}

/* A.access_ptr("rw", offset=…) */
static struct sv *method_access_ptr(struct script *s, struct ir_buffer *b,
                                    const struct sv_call *c)
{
    if (!script_check_call(s, c, ".access_ptr"))
        return NULL;
    struct sv *mask = script_arg(c, 0, "access_mask");
    struct sv *pointer = script_arg(c, 1, "ptr_type");
    struct sv *offset = script_arg(c, 3, "offset");
    struct sv *extent = script_arg(c, 4, "extent");
    struct sv *lanes = script_arg(c, 2, "content_lanes");
    int64_t bits = 0, content = 1;
    if (mask && mask->kind == SV_STRING)
        bits = (strchr(mask->u.string, 'r') ? 1 : 0) |
               (strchr(mask->u.string, 'w') ? 2 : 0);
    else if (!script_int_of(mask, &bits))
        bits = 0;
    if (lanes && (!script_int_of(lanes, &content) || content != 1))
        return script_fail(s, c->pos, "script.unsupported",
                           "only content_lanes=1 is supported");
    if (pointer && (pointer->kind != SV_STRING ||
                    strcmp(pointer->u.string, "handle") != 0))
        return script_fail(s, pointer->pos, "script.unsupported",
                           "only ptr_type=\"handle\" is supported");
    if (bits < 1 || bits > 3)
        return script_fail(s, c->pos, "script.type",
                           "expected \"r\", \"w\" or \"rw\"");
    struct ir_expr *at =
        offset ? script_index_of(s, offset) : ir_int(s->m, DTYPE_INT32, 0);
    struct ir_expr *args[5];
    if (!at)
        return NULL;
    args[0] = ir_call(s->m, b->dtype, "tirx.type_annotation", 0, NULL);
    args[1] = script_data_of(s, b);
    args[3] =
        extent ? script_index_of(s, extent) : elements_after(s, b, at, c->pos);
    args[2] = b->elem_offset
                  ? script_binary(s, IR_ADD, b->elem_offset, at, c->pos)
                  : at;
    args[4] = ir_int(s->m, DTYPE_INT32, bits);
    if (!args[2] || !args[3])
        return NULL;
    struct ir_expr *e =
        ir_call(s->m, DTYPE_HANDLE, "tirx.tvm_access_ptr", 5, args);
    return sv_expr(s, script_checked(s, e, c->pos), c->pos);
}

/* A method that declares or stores: left to a statement, with the buffer as
 * first argument. */
static struct sv *statement_method(struct script *s, struct sv *object,
                                   const char *name, struct sv_call *c)
{
    struct sv **args = ARENA_ARRAY(s->m->arena, c->nargs + 1, struct sv *);
    args[0] = object;
    for (size_t i = 0; i < c->nargs; i++)
        args[i + 1] = c->args[i];
    c->args = args;
    c->nargs++;
    c->name = name;
    struct sv *v = sv_make(s, SV_CALL, c->pos);
    v->u.call = c;
    return v;
}

struct sv *script_call_method(struct script *s, const struct sv *m,
                              struct sv_call *c)
{
    struct sv *object = m->u.method.object;
    const char *name = m->u.method.name;
    if (object->kind == SV_EXPR && strcmp(name, "astype") == 0) {
        struct dtype t;
        if (!script_check_call(s, c, ".astype"))
            return NULL;
        if (!script_value_dtype_of(s, script_arg(c, 0, "dtype"), &t))
            return script_fail(s, c->pos, "script.type",
                               "expected a data type");
        return sv_expr(s, script_cast(s, t, object->u.expr), c->pos);
    }
    if (object->kind == SV_BUFFER) {
        struct ir_buffer *b = object->u.buffer;
        if (strcmp(name, "vload") == 0)
            return method_vload(s, b, c);
        if (strcmp(name, "access_ptr") == 0)
            return method_access_ptr(s, b, c);
        if (strcmp(name, "vstore") == 0)
            return statement_method(s, object, ".vstore", c);
        if (strcmp(name, "view") == 0)
            return statement_method(s, object, ".view", c);
        if (strcmp(name, "scope") == 0 && script_check_call(s, c, ".scope")) {
            struct sv *v = sv_make(s, SV_STRING, c->pos);
            v->u.string = b->scope;
            return v;
        }
    }
    return script_fail(s, c->pos, "script.unsupported", "%s has no method '%s'",
                       sv_kind_name(object), name);
}
