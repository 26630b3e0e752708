/* SPDX-License-Identifier: Apache-2.0
 *
 * What A[…] means: loads, slices, regions, elements of lists, and the
 * subscripts of names such as T.Buffer[(16, 16), "float32"].
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- indexing ----------------------------------------------------------- */

/* lo, hi - lo and step of a slice along one dimension. */
static bool slice_parts(struct script *s, const struct ir_buffer *b, size_t dim,
                        const struct sv *v, struct ir_expr **lo,
                        struct ir_expr **extent, int64_t *step)
{
    struct ir_expr *hi =
        v->u.slice.hi ? script_index_of(s, v->u.slice.hi) : b->shape[dim];
    *lo = v->u.slice.lo ? script_index_of(s, v->u.slice.lo)
          : hi          ? ir_int(s->m, hi->dtype, 0)
                        : NULL;
    if (!*lo || !hi)
        return false;
    *step = 1;
    if (v->u.slice.step && v->u.slice.step->kind != SV_NONE &&
        (!script_int_of(v->u.slice.step, step) || *step == 0)) {
        script_fail(s, v->pos, "script.type",
                    "the step of a slice must be a constant");
        return false;
    }
    if ((*lo)->kind == IR_INT_IMM && !dtype_equal((*lo)->dtype, hi->dtype)) {
        unsigned flags = 0;
        if (dtype_is_int(hi->dtype) && hi->dtype.lanes == 1)
            (void)num_from_int(hi->dtype, (*lo)->u.int_value, &flags);
        if (flags & NUM_WRAPPED) {
            script_fail(s, v->pos, "script.type",
                        "the ends of this slice do not fit one type");
            return false;
        }
        *lo = script_cast(s, hi->dtype, *lo);
    }
    *extent = *lo ? script_difference(s, hi, *lo) : NULL;
    return *extent != NULL;
}

static bool has_vscale(const struct ir_expr *e)
{
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_VSCALE)
        return true;
    for (uint32_t i = 0; i < e->nargs && e->nargs < 3; i++) {
        if (has_vscale(e->args[i]))
            return true;
    }
    return false;
}

/* lo:hi:step as an index of lanes. */
static struct ir_expr *slice_index(struct script *s, const struct ir_buffer *b,
                                   size_t dim, const struct sv *v)
{
    struct ir_expr *lo, *extent;
    int64_t step, n;
    if (!slice_parts(s, b, dim, v, &lo, &extent, &step))
        return NULL;
    struct ir_expr *lanes = extent;
    if (ir_const_int(extent, &n)) {
        /* the one quotient that is no int64, hence no number of lanes */
        bool beyond = n == INT64_MIN && step == -1;
        int64_t count = beyond     ? INT64_MAX
                        : step > 0 ? n / step + (n % step > 0)
                                   : n / step + (n % step < 0);
        if (count < 1 || count > DC_MAX_LANES)
            return script_fail(s, v->pos, "script.limit",
                               "a slice has 1 to %u lanes", DC_MAX_LANES);
        if (count == 1)
            return lo;
        lanes = ir_int(s->m, DTYPE_INT32, count);
    } else if (!has_vscale(extent) || step != 1) {
        return script_fail(s, v->pos, "script.type",
                           "the number of lanes of this slice is not "
                           "constant");
    }
    if (lo->dtype.lanes != 1 || lo->dtype.scalable)
        return script_fail(s, v->pos, "script.type",
                           "the bounds of a slice must be scalars");
    struct ir_expr *stride = ir_int(s->m, lo->dtype, step);
    return script_checked(s, ir_ramp(s->m, lo, stride, lanes), v->pos);
}

bool script_region_indices(struct script *s, const struct sv *v,
                           struct ir_expr ***out)
{
    size_t n = v->u.region.n;
    struct ir_buffer *b = v->u.region.buffer;
    *out = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        struct sv *index = v->u.region.indices[i];
        (*out)[i] = index->kind == SV_SLICE ? slice_index(s, b, i, index)
                                            : script_index_of(s, index);
        if (!(*out)[i])
            return false;
        struct dtype t = (*out)[i]->dtype;
        if ((t.lanes > 1 || t.scalable) && i + 1 < n) {
            script_fail(s, index->pos, "script.type",
                        "only the last index may have several lanes");
            return false;
        }
    }
    return true;
}

struct ir_expr *script_region_load(struct script *s, const struct sv *v)
{
    struct ir_expr **indices;
    if (!script_region_indices(s, v, &indices))
        return NULL;
    return script_checked(
        s, ir_load(s->m, v->u.region.buffer, v->u.region.n, indices, NULL),
        v->pos);
}

struct ir_region script_full_region(struct script *s, struct ir_buffer *b)
{
    struct ir_region r = {b, NULL, b->rank};
    r.ranges = ARENA_ARRAY(s->m->arena, b->rank, struct ir_range);
    for (size_t i = 0; i < b->rank; i++) {
        r.ranges[i].min = ir_int(s->m, b->shape[i]->dtype, 0);
        r.ranges[i].extent = b->shape[i];
    }
    return r;
}

/* The range that one index of a load covers. */
static struct ir_range index_range(struct script *s, struct ir_expr *index)
{
    bool ramp = index->kind == IR_RAMP;
    struct ir_expr *min = ramp ? index->args[0] : index;
    struct ir_range r = {min, ir_int(s->m, dtype_scalar(min->dtype), 1)};
    int64_t stride, lanes;
    if (ramp && ir_const_int(index->args[1], &stride) &&
        ir_const_int(index->args[2], &lanes) && stride > 0 &&
        stride < INT32_MAX)
        r.extent = ir_int(s->m, min->dtype, (lanes - 1) * stride + 1);
    return r;
}

static bool slices_region(struct script *s, const struct sv *v,
                          struct ir_region *out)
{
    size_t n = v->u.region.n;
    out->buffer = v->u.region.buffer;
    out->nranges = n;
    out->ranges = ARENA_ARRAY(s->m->arena, n, struct ir_range);
    for (size_t i = 0; i < n; i++) {
        struct sv *index = v->u.region.indices[i];
        if (index->kind == SV_SLICE) {
            int64_t step;
            if (!slice_parts(s, out->buffer, i, index, &out->ranges[i].min,
                             &out->ranges[i].extent, &step))
                return false;
            if (step != 1) {
                script_fail(s, index->pos, "script.unsupported",
                            "a region takes in every element; it has no step");
                return false;
            }
            continue;
        }
        struct ir_expr *e = script_index_of(s, index);
        if (!e)
            return false;
        out->ranges[i] = index_range(s, e);
    }
    return true;
}

bool script_region_of(struct script *s, const struct sv *v,
                      struct ir_region *out)
{
    if (s->failed)
        return false;
    if (v->kind == SV_BUFFER) {
        *out = script_full_region(s, v->u.buffer);
        return true;
    }
    if (v->kind == SV_REGION)
        return slices_region(s, v, out);
    if (v->kind != SV_EXPR || v->u.expr->kind != IR_LOAD) {
        script_fail(s, v->pos, "script.type",
                    "expected a region of a buffer, not %s", sv_kind_name(v));
        return false;
    }
    struct ir_expr *load = v->u.expr;
    out->buffer = load->u.buffer;
    out->nranges = load->nargs;
    out->ranges = ARENA_ARRAY(s->m->arena, load->nargs, struct ir_range);
    for (uint32_t i = 0; i < load->nargs; i++)
        out->ranges[i] = index_range(s, load->args[i]);
    return true;
}

struct sv *script_index_buffer(struct script *s, struct ir_buffer *b,
                               struct sv *index, struct ir_pos pos)
{
    struct sv *const *items = &index;
    size_t n = 1;
    if (index->kind == SV_TUPLE || index->kind == SV_LIST)
        n = script_items(index, &items);
    if (n != b->rank)
        return script_fail(s, pos, "script.type",
                           "buffer '%s' has %zu dimensions, not %zu", b->name,
                           b->rank, n);
    struct sv *v = sv_make(s, SV_REGION, pos);
    v->u.region.buffer = b;
    v->u.region.n = n;
    v->u.region.indices =
        arena_memdup(s->m->arena, items, n * sizeof(struct sv *));
    for (size_t i = 0; i < n; i++) {
        if (items[i]->kind == SV_SLICE)
            return v;
    }
    return sv_expr(s, script_region_load(s, v), pos);
}

static struct sv *index_list(struct script *s, struct sv *list,
                             struct sv *index, struct ir_pos pos)
{
    int64_t i;
    int64_t n = (int64_t)list->u.list.n;
    if (!script_int_of(index, &i) || i < -n || i >= n)
        return script_fail(s, pos, "script.type",
                           "expected a constant index below %lld",
                           (long long)n);
    return list->u.list.items[i < 0 ? i + n : i];
}

/* T.Buffer[(16, 16), "float32"], T.Ptr[T.float32], T.let[T.int32], … */
static struct sv *index_path(struct script *s, struct sv *path,
                             struct sv *index, struct ir_pos pos)
{
    const char *last = script_last_name(path->u.string);
    struct sv_call *call = ARENA_NEW(s->m->arena, struct sv_call);
    call->name = path->u.string;
    call->pos = pos;
    call->nargs = 1;
    call->args = arena_memdup(s->m->arena, &index, sizeof index);
    bool buffer = strcmp(last, "Buffer") == 0 || strcmp(last, "Tensor") == 0;
    bool tuple = index->kind == SV_TUPLE && index->u.list.n > 0;
    if (strcmp(last, "let") == 0) {
        const struct sv_type *inner = script_type_of(s, index);
        struct sv *v = inner ? sv_type(s, inner->type, pos) : NULL;
        if (v)
            v->u.type.is_let = true;
        return v;
    }
    if (index->kind == SV_STRING && strcmp(last, "ptx") == 0) {
        char *name =
            arena_printf(s->m->arena, "%s.%s", path->u.string, index->u.string);
        struct sv *v = sv_make(s, SV_PATH, pos);
        v->u.string = name;
        return v;
    }
    if (strcmp(path->u.string, "metadata") == 0)
        return script_fail(s, pos, "script.unsupported",
                           "this constant is not in the text; read the "
                           "module's JSON instead");
    bool spread =
        tuple && (!buffer || (index->u.list.n >= 2 &&
                              index->u.list.items[1]->kind == SV_STRING));
    if (spread) {
        call->nargs = index->u.list.n;
        call->args = index->u.list.items;
    }
    return script_call(s, call);
}

/* lv[i]; an index from the end needs a tuple of known length */
static struct sv *index_relax(struct script *s, struct rx_expr *tuple,
                              const struct sv *index, struct ir_pos pos)
{
    const struct ir_type *t = tuple->type;
    bool known = t && t->kind == IR_TYPE_TUPLE;
    int64_t i, n = known ? (int64_t)t->nfields : INT32_MAX;
    if (!script_int_of(index, &i) || i < (known ? -n : 0) || i >= n)
        return script_fail(s, pos, "script.type",
                           "expected a constant index of an element");
    if (i < 0)
        i += n;
    struct rx_expr *get = rx_expr_make(s->m, RX_TUPLE_GET);
    get->nitems = 1;
    get->items = arena_memdup(s->m->arena, &tuple, sizeof(struct rx_expr *));
    get->index = i;
    get->pos = pos;
    if (known)
        get->type = t->fields[i];
    rx_expr_seal(get);
    struct sv *v = sv_make(s, SV_RELAX, pos);
    v->u.relax = get;
    return v;
}

struct sv *script_subscript(struct script *s, struct sv *object,
                            struct sv *index, struct ir_pos pos)
{
    if (s->failed)
        return NULL;
    if (object->kind == SV_BUFFER)
        return script_index_buffer(s, object->u.buffer, index, pos);
    if (object->kind == SV_LIST || object->kind == SV_TUPLE)
        return index_list(s, object, index, pos);
    if (object->kind == SV_PATH)
        return index_path(s, object, index, pos);
    if (object->kind == SV_EXPR) {
        struct ir_var *var = script_pointer_of(object->u.expr);
        if (var && var->owner)
            return script_index_buffer(s, var->owner, index, pos);
    }
    if (object->kind == SV_RELAX)
        return index_relax(s, object->u.relax, index, pos);
    return script_fail(s, pos, "script.type", "%s has no elements",
                       sv_kind_name(object));
}
