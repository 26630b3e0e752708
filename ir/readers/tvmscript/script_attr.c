/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values of scripts: dicts, lists and scalars of annotations, and
 * the values with a constructor of their own: T.target, T.index_map,
 * T.comm_reducer.
 *
 * A Python number stays a number (TVM keeps such annotations as plain ints),
 * but for the places where TVM itself makes expressions of them.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

static struct ir_value *map_value(struct script *s, const struct sv *v)
{
    size_t n = v->u.list.n / 2;
    struct arena *arena = s->m->arena;
    const char **keys = ARENA_ARRAY(arena, n, const char *);
    struct ir_value **items = ARENA_ARRAY(arena, n, struct ir_value *);
    bool strings = true;
    for (size_t i = 0; i < n; i++) {
        const struct sv *key = v->u.list.items[2 * i];
        strings &= key->kind == SV_STRING;
        keys[i] = strings ? key->u.string : "";
        items[i] = script_value_of(s, v->u.list.items[2 * i + 1]);
        if (!items[i])
            return NULL;
    }
    if (strings && n)
        return ir_value_map(s->m, n, keys, items);
    struct ir_value *map = ir_value_make(s->m, IR_V_MAP);
    map->n = n;
    if (!n)
        return map;
    map->items = ARENA_ARRAY(arena, 2 * n, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        map->items[2 * i] = script_value_of(s, v->u.list.items[2 * i]);
        map->items[2 * i + 1] = items[i];
        if (!map->items[2 * i])
            return NULL;
    }
    return map;
}

static struct ir_value *array_value(struct script *s, const struct sv *v)
{
    struct ir_value *array = ir_value_make(s->m, IR_V_ARRAY);
    array->n = v->u.list.n;
    array->items = ARENA_ARRAY(s->m->arena, array->n, struct ir_value *);
    for (size_t i = 0; i < array->n; i++) {
        array->items[i] = script_value_of(s, v->u.list.items[i]);
        if (!array->items[i])
            return NULL;
    }
    return array;
}

static struct ir_value *region_value(struct script *s, const struct sv *v)
{
    struct ir_value *r = ir_value_make(s->m, IR_V_REGION);
    r->u.region = ARENA_NEW(s->m->arena, struct ir_region);
    return script_region_of(s, v, r->u.region) ? r : NULL;
}

/* R.Object, T.int32: a type that is a mere name */
static struct ir_value *type_name_value(struct script *s, const struct sv *v)
{
    struct sv copy = *v;
    if (strncmp(v->u.string, "R.", 2) != 0 &&
        strncmp(v->u.string, "T.", 2) != 0)
        return NULL;
    const struct sv_type *named = script_type_of(s, &copy);
    if (!named || named->is_let)
        return NULL;
    struct ir_value *r = ir_value_make(s->m, IR_V_TYPE);
    r->u.type = named->type;
    return r;
}

static struct ir_value *plain_value(struct script *s, const struct sv *v)
{
    struct ir_value *r = NULL;
    switch (v->kind) {
    case SV_NONE: return ir_value_make(s->m, IR_V_NONE);
    case SV_BOOL: return ir_value_bool(s->m, v->u.boolean);
    case SV_INT:
        return script_fits_int64(s, v) ? ir_value_int(s->m, v->u.integer.value)
                                       : NULL;
    case SV_FLOAT:
        r = ir_value_make(s->m, IR_V_FLOAT);
        r->u.number = v->u.number;
        return r;
    case SV_STRING: return ir_value_string(s->m, v->u.string);
    case SV_EXPR: return ir_value_expr(s->m, v->u.expr);
    case SV_BUFFER:
        r = ir_value_make(s->m, IR_V_BUFFER);
        r->u.buffer = v->u.buffer;
        return r;
    case SV_TYPE:
        if (!v->u.type.type)
            return NULL;
        r = ir_value_make(s->m, IR_V_TYPE);
        r->u.type = v->u.type.type;
        return r;
    case SV_ITER_VAR:
        r = ir_value_make(s->m, IR_V_ITER_VAR);
        r->u.iter_var = v->u.iter_var;
        return r;
    case SV_RANGE:
        r = ir_value_make(s->m, IR_V_RANGE);
        r->u.range = ARENA_NEW(s->m->arena, struct ir_range);
        *r->u.range = v->u.range;
        return r;
    case SV_REDUCER:
        r = ir_value_make(s->m, IR_V_REDUCER);
        r->u.reducer = v->u.reducer;
        return r;
    case SV_VALUE: return v->u.value.value;
    case SV_RELAX:
        if (v->u.relax->kind != RX_CONSTANT)
            return NULL;
        r = ir_value_make(s->m, IR_V_TENSOR);
        r->u.tensor = v->u.relax->tensor;
        return r;
    case SV_PATH: return type_name_value(s, v);
    case SV_REGION:
    case SV_TUPLE:
    case SV_LIST:
    case SV_DICT:
    case SV_SLICE:
    case SV_CALL:
    case SV_METHOD:
    case SV_LAMBDA:
    case SV_GLOBAL:
    case SV_MODULE:
    case SV_TYPEVAR: return NULL;
    }
    return NULL;
}

/* Counts a value and those inside of it; one level deeper until the caller
 * says otherwise. */
static bool enter_value(struct script *s, const struct sv *v)
{
    bool whole = v->kind == SV_VALUE;
    unsigned depth = s->nesting + 1 + (whole ? v->u.value.depth : 0);
    if (depth > DC_MAX_DEPTH / 2) {
        script_fail(s, v->pos, "script.limit",
                    "this value nests deeper than %u", DC_MAX_DEPTH / 2);
        return false;
    }
    s->deepest = depth > s->deepest ? depth : s->deepest;
    if (!script_charge(s, 1 + (whole ? v->u.value.parts : 0), v->pos) ||
        (v->kind == SV_TYPE && !script_type_fits(s, v->u.type.type, v->pos)))
        return false;
    s->nesting++;
    return true;
}

struct ir_value *script_value_of(struct script *s, const struct sv *v)
{
    if (!v || s->failed)
        return NULL;
    if (!enter_value(s, v))
        return NULL;
    struct ir_value *value;
    if (v->kind == SV_TUPLE || v->kind == SV_LIST)
        value = array_value(s, v);
    else if (v->kind == SV_DICT)
        value = map_value(s, v);
    else if (v->kind == SV_REGION)
        value = region_value(s, v);
    else
        value = plain_value(s, v);
    s->nesting--;
    if (!value)
        return script_fail(s, v->pos, "script.type",
                           "%s cannot be the value of an attribute",
                           sv_kind_name(v));
    return value;
}

struct ir_value *script_map_of(struct script *s, const struct sv *v)
{
    if (!v || v->kind == SV_NONE || s->failed)
        return NULL;
    if (v->kind != SV_DICT)
        return script_fail(s, v->pos, "script.type", "expected a dict, not %s",
                           sv_kind_name(v));
    for (size_t i = 0; i < v->u.list.n; i += 2) {
        if (v->u.list.items[i]->kind != SV_STRING)
            return script_fail(s, v->u.list.items[i]->pos, "script.type",
                               "the keys of attributes are strings");
    }
    return v->u.list.n ? map_value(s, v) : NULL;
}

struct ir_value *script_expr_map_of(struct script *s, const struct sv *v)
{
    struct ir_value *map = script_map_of(s, v);
    for (size_t i = 0; map && i < map->n; i++) {
        struct ir_value *item = map->items[i];
        if (item->kind == IR_V_INT)
            map->items[i] =
                ir_value_expr(s->m, ir_int(s->m, DTYPE_INT32, item->u.integer));
        else if (item->kind == IR_V_FLOAT)
            map->items[i] = ir_value_expr(
                s->m, ir_float(s->m, DTYPE_FLOAT32, item->u.number));
    }
    return map;
}

/* ---- objects ------------------------------------------------------------ */

static struct sv *object_value(struct script *s, const char *type, size_t n,
                               const char *const *keys,
                               struct ir_value *const *items, struct ir_pos pos)
{
    struct ir_value *map = ir_value_map(s->m, n, keys, items);
    struct ir_value *object = ir_value_make(s->m, IR_V_OBJECT);
    object->u.string = type;
    object->n = map->n;
    object->keys = map->keys;
    object->items = map->items;
    struct sv *v = sv_make(s, SV_VALUE, pos);
    v->u.value.value = object;
    return v;
}

/* A target kind is an object whose only content is its name; the JSON reader
 * keeps such content as a field without a name. */
static struct ir_value *target_kind(struct script *s, struct ir_value *name)
{
    static const char *const keys[] = {""};
    if (!name || name->kind != IR_V_STRING)
        return name;
    name->list = true;
    struct sv *kind = object_value(s, "target.TargetKind", 1, keys, &name,
                                   (struct ir_pos){0, 0});
    return kind->u.value.value;
}

/* The target of the host: a configuration, as the target itself. */
static struct ir_value *host_of(struct script *s, struct sv *v)
{
    if (v->kind != SV_DICT && v->kind != SV_STRING)
        return script_value_of(s, v);
    if (!script_enter(s))
        return NULL;
    struct sv_call config = {
        .name = "T.target", .pos = v->pos, .nargs = 1, .args = &v};
    struct sv *made = script_target(s, &config);
    script_leave(s);
    return made ? made->u.value.value : NULL;
}

/* T.target({"kind": "cuda", "keys": […], "tag": "", …}): the keys that are
 * fields of a target become its fields, the rest its attributes. */
struct sv *script_target(struct script *s, const struct sv_call *c)
{
    static const char *const keys[] = {"kind", "tag", "keys", "attrs", "host"};
    struct sv *config = script_arg(c, 0, "target_config");
    struct sv *host = script_arg(c, 1, "host");
    if (!config || (config->kind != SV_DICT && config->kind != SV_STRING))
        return script_fail(s, c->pos, "script.type",
                           "'T.target' takes a dict or a string");
    struct ir_value *items[5] = {NULL};
    size_t n = config->kind == SV_DICT ? config->u.list.n : 0;
    struct sv *rest = sv_make(s, SV_DICT, config->pos);
    rest->u.list.items = ARENA_ARRAY(s->m->arena, n, struct sv *);
    if (config->kind == SV_STRING)
        items[0] = ir_value_string(s->m, config->u.string);
    for (size_t i = 0; i < n; i += 2) {
        struct sv *key = config->u.list.items[i];
        struct sv *value = config->u.list.items[i + 1];
        bool field = false;
        for (size_t k = 0; key->kind == SV_STRING && k < 5; k++) {
            if (k == 3 || strcmp(keys[k], key->u.string) != 0)
                continue;
            field = true;
            items[k] = k == 4 ? host_of(s, value) : script_value_of(s, value);
            if (!items[k])
                return NULL;
        }
        if (!field) {
            rest->u.list.items[rest->u.list.n++] = key;
            rest->u.list.items[rest->u.list.n++] = value;
        }
    }
    if (host)
        items[4] = host_of(s, host);
    items[3] = map_value(s, rest);
    if (!items[3])
        return NULL;
    items[0] = target_kind(s, items[0]);
    if (!items[1])
        items[1] = ir_value_string(s->m, "");
    if (!items[2])
        items[2] = ir_value_make(s->m, IR_V_ARRAY);
    for (size_t k = 0; k < 5; k++) {
        if (!items[k])
            items[k] = ir_value_make(s->m, IR_V_NONE);
    }
    return object_value(s, "target.Target", 5, keys, items, c->pos);
}

struct sv *script_object(struct script *s, const struct sv_call *c)
{
    struct sv *key = script_arg(c, 0, NULL);
    struct sv *fields = script_arg(c, 1, NULL);
    const char *type = key ? script_string_of(s, key) : NULL;
    if (!type || !fields || fields->kind != SV_DICT)
        return script_fail(s, c->pos, "script.type",
                           "'I.object' takes a type key and a dict of fields");
    struct ir_value *map = script_map_of(s, fields);
    if (s->failed)
        return NULL;
    struct sv *v = sv_make(s, SV_VALUE, c->pos);
    v->u.value.value = ir_value_make(s->m, IR_V_OBJECT);
    v->u.value.value->u.string = type;
    if (map) {
        v->u.value.value->n = map->n;
        v->u.value.value->keys = map->keys;
        v->u.value.value->items = map->items;
    }
    return v;
}

/* T.DataType("float32"): the type itself, not its name. */
struct sv *script_dtype_value(struct script *s, const struct sv_call *c)
{
    struct dtype t;
    if (!script_dtype_of(s, script_arg(c, 0, "dtype"), &t))
        return script_fail(s, c->pos, "script.type",
                           "'%s' takes the name of a data type", c->name);
    struct sv *v = sv_make(s, SV_VALUE, c->pos);
    v->u.value.value = ir_value_make(s->m, IR_V_DTYPE);
    v->u.value.value->u.dtype = t;
    return v;
}

struct sv *script_shape_value(struct script *s, const struct sv_call *c)
{
    struct sv *list = script_arg(c, 0, NULL);
    struct sv *const *items;
    size_t n = list ? script_items(list, &items) : SIZE_MAX;
    if (n == SIZE_MAX)
        return script_fail(s, c->pos, "script.type",
                           "'I.shape' takes a list of integers");
    struct sv *v = sv_make(s, SV_VALUE, c->pos);
    v->u.value.value = ir_value_make(s->m, IR_V_SHAPE);
    v->u.value.value->n = n;
    v->u.value.value->u.ints = ARENA_ARRAY(s->m->arena, n, int64_t);
    for (size_t i = 0; i < n; i++) {
        if (!script_int_of(items[i], &v->u.value.value->u.ints[i]))
            return script_fail(s, items[i]->pos, "script.type",
                               "expected an integer");
    }
    return v;
}

/* I.vdevice({"kind": …}, 0, "global"), I.dummy_global_info() */
struct sv *script_global_info(struct script *s, const struct sv_call *c)
{
    static const char *const keys[] = {"memory_scope", "target", "vdevice_id"};
    if (strcmp(script_last_name(c->name), "vdevice") != 0) {
        struct sv *v = sv_make(s, SV_VALUE, c->pos);
        v->u.value.value = ir_value_make(s->m, IR_V_OBJECT);
        v->u.value.value->u.string = "ir.DummyGlobalInfo";
        return v;
    }
    struct sv *target = script_arg(c, 0, "target");
    struct sv *id = script_arg(c, 1, "vdevice_id");
    struct sv *scope = script_arg(c, 2, "memory_scope");
    struct sv_call config = {
        .name = "T.target", .pos = c->pos, .nargs = 1, .args = &target};
    struct sv *made = !target || target->kind == SV_VALUE
                          ? target
                          : script_target(s, &config);
    struct ir_value *items[] = {
        scope ? script_value_of(s, scope) : ir_value_string(s->m, "global"),
        made ? script_value_of(s, made) : ir_value_make(s->m, IR_V_NONE),
        id ? script_value_of(s, id) : ir_value_int(s->m, 0)};
    if (!items[0] || !items[1] || !items[2])
        return NULL;
    return object_value(s, "ir.VDevice", 3, keys, items, c->pos);
}

/* The results of a lambda: one expression, or several in a list. */
static bool lambda_results(struct script *s, const struct sv *v, size_t *n,
                           struct ir_expr ***out)
{
    struct sv *const *items = &(struct sv *){NULL};
    *n = script_items(v, &items);
    bool one = *n == SIZE_MAX;
    if (one)
        *n = 1;
    *out = ARENA_ARRAY(s->m->arena, *n, struct ir_expr *);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = script_expr_of(s, one ? v : items[i]);
        if (!(*out)[i])
            return false;
    }
    return true;
}

/* T.comm_reducer(lambda x, y: x + y, [T.float32(0)]) */
struct sv *script_reducer(struct script *s, const struct sv_call *c)
{
    struct sv *lambda = script_arg(c, 0, "combiner");
    struct sv *identity = script_arg(c, 1, "identity");
    struct sv *const *units;
    size_t n = identity ? script_items(identity, &units) : SIZE_MAX;
    if (!lambda || lambda->kind != SV_LAMBDA || n == SIZE_MAX || n == 0 ||
        n > 64 || script_lambda_arity(s, lambda) != 2 * n)
        return script_fail(s, c->pos, "script.type",
                           "'T.comm_reducer' takes a lambda of 2 n "
                           "parameters and a list of n identities");
    struct ir_comm_reducer *r = ARENA_NEW(s->m->arena, struct ir_comm_reducer);
    struct sv *args[128];
    r->n = n;
    r->identity = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    r->lhs = ARENA_ARRAY(s->m->arena, n, struct ir_var *);
    r->rhs = ARENA_ARRAY(s->m->arena, n, struct ir_var *);
    for (size_t i = 0; i < n; i++) {
        struct ir_expr *unit = script_expr_of(s, units[i]);
        if (!unit)
            return NULL;
        r->identity[i] = unit;
        r->lhs[i] = ir_var_make(s->m, "x", unit->dtype);
        r->rhs[i] = ir_var_make(s->m, "y", unit->dtype);
        args[i] = sv_expr(s, ir_var_ref(s->m, r->lhs[i]), c->pos);
        args[n + i] = sv_expr(s, ir_var_ref(s->m, r->rhs[i]), c->pos);
    }
    struct sv *body = script_apply_lambda(s, lambda, 2 * n, args);
    size_t nresults;
    if (!body || !lambda_results(s, body, &nresults, &r->result))
        return NULL;
    if (nresults != n)
        return script_fail(s, c->pos, "script.type",
                           "the lambda gives %zu results, not %zu", nresults,
                           n);
    struct sv *v = sv_make(s, SV_REDUCER, c->pos);
    v->u.reducer = r;
    return v;
}

static struct ir_value *expr_array(struct script *s, size_t n,
                                   struct ir_expr *const *exprs)
{
    struct ir_value *array = ir_value_make(s->m, IR_V_ARRAY);
    array->n = n;
    array->items = ARENA_ARRAY(s->m->arena, n, struct ir_value *);
    for (size_t i = 0; i < n; i++)
        array->items[i] = ir_value_expr(s->m, exprs[i]);
    return array;
}

/* T.index_map(lambda i, j: (j, i), index_dtype="int32") */
struct sv *script_index_map(struct script *s, const struct sv_call *c)
{
    static const char *const keys[] = {"initial_indices", "final_indices",
                                       "inverse_index_map"};
    struct sv *lambda = script_arg(c, 0, "mapping");
    struct sv *inverse = script_arg(c, SIZE_MAX, "inverse_index_map");
    struct sv *type = script_arg(c, SIZE_MAX, "index_dtype");
    struct dtype t = DTYPE_INT64;
    size_t n = lambda && lambda->kind == SV_LAMBDA
                   ? script_lambda_arity(s, lambda)
                   : SIZE_MAX;
    if (n > 64)
        return script_fail(s, c->pos, "script.type",
                           "'T.index_map' takes a lambda");
    if (type && !script_dtype_of(s, type, &t))
        return NULL;
    struct sv *args[64];
    struct ir_expr *vars[64];
    for (size_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "i%zu", i);
        vars[i] = ir_var_ref(s->m, ir_var_make(s->m, name, t));
        args[i] = sv_expr(s, vars[i], c->pos);
    }
    struct sv *body = script_apply_lambda(s, lambda, n, args);
    size_t nresults;
    struct ir_expr **results;
    if (!body || !lambda_results(s, body, &nresults, &results))
        return NULL;
    struct ir_value *items[] = {
        expr_array(s, n, vars), expr_array(s, nresults, results),
        inverse ? script_value_of(s, inverse) : ir_value_make(s->m, IR_V_NONE)};
    if (!items[2])
        return NULL;
    return object_value(s, "tirx.IndexMap", 3, keys, items, c->pos);
}
