/* SPDX-License-Identifier: Apache-2.0
 *
 * Storages: one for each place where memory comes to be. Their canonical
 * buffer has the shape of the source's, or one linear index where views of
 * other shapes look at it (facts.flat). Parameters keep their shape, so that
 * both programs of a proof name their elements alike.
 *
 * Privacy (R4): whatever loops are around an allocation; of a launch's axes
 * those that the scope names. Storage that lanes of a warp share has the warp
 * as an index in front instead.
 */
#include "verifier/front/front.h"

#include <string.h>

bool front_is_fragment(const char *scope)
{
    return strncmp(scope, "wmma.", 5) == 0 ||
           strncmp(scope, "m16n8k8.", 8) == 0 ||
           strncmp(scope, "metal.", 6) == 0;
}

enum scope_class front_scope_class(const char *scope)
{
    if (scope == NULL)
        return CLASS_GLOBAL;
    if (strncmp(scope, "shared", 6) == 0)
        return CLASS_SHARED;
    if (strncmp(scope, "warp", 4) == 0)
        return CLASS_WARP;
    if (strncmp(scope, "local", 5) == 0 || front_is_fragment(scope))
        return CLASS_LOCAL;
    return CLASS_GLOBAL;
}

/* ---- privates ------------------------------------------------------------------ */

static const struct axis *axis_of(const struct front *f,
                                  const struct vloop *loop)
{
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++)
        if (f->launch->axes[i].loop == loop)
            return &f->launch->axes[i];
    return NULL;
}

/* threads: whether threads have their own; blocks do in any case. */
static void set_privates(struct front *f, struct fstorage *s, bool threads,
                         uint32_t shared)
{
    struct vloop **list = ARENA_ARRAY(f->arena, f->scopes.len, struct vloop *);
    size_t n = 0;
    for (size_t i = 0; i < f->scopes.len; i++) {
        struct vloop *loop = f->scopes.items[i].loop;
        if (f->scopes.items[i].kind != VSCOPE_LOOP || loop->lanes)
            continue;
        const struct axis *a = axis_of(f, loop);
        bool own = a == NULL || a->is_block || threads;
        if (a != NULL && (shared >> (a - f->launch->axes) & 1) != 0)
            own = false;
        if (own)
            list[n++] = loop;
    }
    s->pub.privates = list;
    s->pub.nprivate = n;
}

static struct axis *axis_tagged(struct launch *launch, const char *tag)
{
    for (size_t i = 0; i < launch->naxes; i++)
        if (strcmp(launch->axes[i].tag, tag) == 0)
            return &launch->axes[i];
    return NULL;
}

/* One copy for each warp: privacy along all axes but x, the warp of x as an
 * index. Needs warps that lie along x. */
static void set_warp(struct front *f, struct fstorage *s)
{
    struct axis *x = axis_tagged(f->launch, "threadIdx.x");
    int64_t extent = 0, other = 1;
    if (x != NULL)
        (void)ir_const_int(x->loop->extent, &extent);
    for (size_t i = 0; i < f->launch->naxes; i++) {
        const struct axis *a = &f->launch->axes[i];
        int64_t n = 0;
        if (!a->is_block && !a->is_vthread && a != x)
            other *= ir_const_int(a->loop->extent, &n) && n == 1 ? 1 : 2;
    }
    if (x == NULL || extent <= 0 ||
        !OBLIGED_FRONT(f, "warps lie along threadIdx.x",
                       extent % 32 == 0 || other == 1)) {
        front_refuse(f, s->source != NULL ? s->source->pos : f->stmt->pos,
                     "storage of warps that do not lie along threadIdx.x");
        return;
    }
    set_privates(f, s, true, UINT32_C(1) << (x - f->launch->axes));
    if (extent <= 32)
        return;
    s->nprefix = 1;
    s->prefix = ARENA_ARRAY(f->arena, 1, struct ir_expr *);
    s->prefix[0] = fx_floordiv(f, front_axis_value(f, x),
                               fx_int(f, x->loop->var->dtype, 32));
}

static void make_private(struct front *f, struct fstorage *s)
{
    enum scope_class scope = front_scope_class(s->source->scope);
    s->launch = f->launch;
    if (f->launch == NULL) {
        set_privates(f, s, true, 0);
    } else if (scope == CLASS_WARP || (s->facts != NULL && s->facts->warp)) {
        set_warp(f, s);
    } else {
        /* what is moved to a block's loop is one for the block (R4) */
        const char *tag = "";
        bool block = scope == CLASS_GLOBAL && s->facts != NULL &&
                     s->facts->moved != NULL &&
                     ir_thread_var(s->facts->moved, &tag) != NULL &&
                     strncmp(tag, "blockIdx", 8) == 0;
        set_privates(f, s, scope != CLASS_SHARED && !block, 0);
    }
}

/* ---- shapes -------------------------------------------------------------------------- */

/* Whether no two elements of the shape share an address: by ascending stride, each
 * is larger than what all before it reach. */
static bool is_injective(const struct fstorage *s)
{
    int64_t reach = 0, extent, step, most;
    bool *done = dc_alloc(s->rank + 1), fine = true;
    for (size_t round = 0; round < s->rank && fine; round++) {
        size_t at = s->rank;
        int64_t least = INT64_MAX, width = 1;
        for (size_t d = 0; d < s->rank && fine; d++) {
            fine = ir_const_int(s->shape[d], &extent) &&
                   ir_const_int(s->stride[d], &step);
            if (fine && !done[d] && (extent <= 1 || step < least)) {
                at = d;
                least = extent <= 1 ? 0 : step;
                width = extent;
            }
        }
        if (!fine)
            break;
        done[at] = true;
        fine =
            width <= 1 || (least > reach &&
                           !__builtin_mul_overflow(least, width - 1, &most) &&
                           !__builtin_add_overflow(reach, most, &reach));
    }
    dc_release(done);
    return fine;
}

/* Given strides: the last element's place bounds the storage. A cell is an address
 * (R4): what the program allocates is one linear array then; a parameter keeps its
 * shape if that names each address once. */
static void set_strides(struct front *f, struct fstorage *s,
                        const struct ir_buffer *b)
{
    struct ir_expr *last = fx_index(f, 0);
    bool compact = true;
    for (size_t d = 0; d < b->rank; d++) {
        struct ir_expr *given =
            front_fixed(f, b->name, fx_wide(f, front_scalar(f, b->strides[d])));
        compact = compact && fx_same(given, s->stride[d]);
        s->stride[d] = given;
        last =
            fx_add(f, last,
                   fx_mul(f, fx_sub(f, fx_wide(f, s->shape[d]), fx_index(f, 1)),
                          given));
    }
    if (compact)
        return;
    s->total =
        fx_mul(f, fx_add(f, last, fx_index(f, 1)), fx_index(f, s->lanes));
    s->pub.strides = s->stride;
    if (!OBLIGED_FRONT(f, "strided storage is linear", false))
        s->facts->flat = s->flat = true;
}

static void set_shape(struct front *f, struct fstorage *s,
                      const struct ir_buffer *b)
{
    s->source = b;
    s->scalar = dtype_scalar(b->dtype);
    s->lanes = b->dtype.lanes > 0 ? b->dtype.lanes : 1;
    s->rank = b->rank;
    s->shape = ARENA_ARRAY(f->arena, b->rank, struct ir_expr *);
    s->stride = ARENA_ARRAY(f->arena, b->rank, struct ir_expr *);
    struct ir_expr *step = fx_index(f, 1);
    for (size_t d = b->rank; d-- > 0;) {
        s->shape[d] = front_fixed(f, b->name, front_scalar(f, b->shape[d]));
        s->stride[d] = step;
        step = fx_mul(f, step, fx_wide(f, s->shape[d]));
    }
    s->total = fx_mul(f, step, fx_index(f, s->lanes));
    if (b->nstrides == b->rank && b->rank > 0)
        set_strides(f, s, b);
}

static bool is_storable(struct dtype t)
{
    size_t bytes = dtype_lane_bytes(t);
    return !t.scalable && bytes > 0 && bytes <= 8 && !dtype_is_handle(t);
}

struct fstorage *front_storage(struct front *f, const struct ir_buffer *b)
{
    struct fstorage *s = ARENA_NEW(f->arena, struct fstorage);
    if (!is_storable(b->dtype)) {
        char name[48];
        front_refuse(f, b->pos, "buffer '%s' of %s", b->name,
                     dtype_name(b->dtype, name));
    }
    s->facts = front_facts(f, b);
    s->flat = s->facts->flat;
    s->pub.param = -1;
    set_shape(f, s, b);
    make_private(f, s);
    return s;
}

struct fstorage *front_parameter(struct front *f, const struct ir_buffer *b,
                                 int number)
{
    struct fstorage *s = front_storage(f, b);
    s->pub.param = number;
    s->flat = false;
    if (s->pub.strides != NULL &&
        !OBLIGED_FRONT(f, "a parameter's elements have addresses of their own",
                       is_injective(s)))
        front_refuse(f, b->pos,
                     "parameter '%s' has strides that may put two of its "
                     "elements at one address",
                     b->name);
    return s;
}

struct fstorage *front_temporary(struct front *f, const char *name,
                                 struct dtype scalar, size_t rank,
                                 struct ir_expr *const *shape, uint32_t shared)
{
    struct fstorage *s = ARENA_NEW(f->arena, struct fstorage);
    union {
        struct ir_expr *const *in;
        struct ir_expr **out;
    } dims = {shape};
    struct ir_buffer *b = ARENA_NEW(f->arena, struct ir_buffer);
    *b = (struct ir_buffer){.name = name,
                            .dtype = dtype_scalar(scalar),
                            .rank = rank,
                            .shape = dims.out,
                            .scope = shared != 0 ? "reduction" : "local"};
    s->source = b;
    s->scalar = b->dtype;
    s->lanes = 1;
    s->rank = rank;
    s->shape = ARENA_ARRAY(f->arena, rank, struct ir_expr *);
    s->stride = ARENA_ARRAY(f->arena, rank, struct ir_expr *);
    s->total = fx_index(f, 1);
    for (size_t d = rank; d-- > 0;) {
        s->shape[d] = shape[d];
        s->stride[d] = s->total;
        s->total = fx_mul(f, s->total, fx_wide(f, shape[d]));
    }
    s->pub.param = -1;
    s->launch = f->launch;
    set_privates(f, s, true, shared);
    return s;
}

void front_list(struct front *f, struct fstorage *s)
{
    if (s->listed)
        return;
    s->listed = true;
    size_t n = s->nprefix + s->rank + 1, rank = 0;
    struct ir_expr **shape = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    for (size_t i = 0; i < s->nprefix; i++) {
        int64_t lo, hi;
        if (!fx_range(f, s->prefix[i], &lo, &hi))
            front_refuse(f, s->source->pos, "a number of warps not known");
        shape[rank++] = fx_index(f, hi + 1);
    }
    for (size_t d = 0; d < s->rank && !s->flat; d++)
        shape[rank++] = s->shape[d];
    if (s->flat)
        shape[rank++] = s->total;
    else if (s->lanes > 1)
        shape[rank++] = fx_index(f, s->lanes);
    s->pub.buffer = ir_buffer_make(f->m, s->source->name, s->scalar, rank,
                                   shape, NULL, s->source->scope);
    s->pub.id = (uint32_t)f->storages.len;
    vec_push(&f->storages, &s->pub);
}

static void touch_launch(const struct front *f, struct facts *x)
{
    if (f->launch == NULL)
        return;
    x->several |= x->launch != 0 && x->launch != f->launch->number;
    x->launch = f->launch->number;
}

/* What a block allocates outside of all bindings and several of them share makes
 * one kernel of these, which is not how they are launched here. */
void front_check_launches(struct front *f)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++) {
        const struct facts *x = f->facts[i];
        enum scope_class scope =
            x != NULL ? front_scope_class(x->buffer->scope) : CLASS_GLOBAL;
        if (x == NULL || !x->of_block || x->moved != NULL ||
            (scope != CLASS_SHARED && scope != CLASS_WARP) ||
            OBLIGED_FRONT(f, "kernels share no storage of a block",
                          !x->several))
            continue;
        front_refuse(f, x->buffer->pos,
                     "'%s' is used by several thread bindings, which are one "
                     "kernel",
                     x->buffer->name);
    }
}

void front_touch(struct front *f, struct fstorage *s)
{
    struct facts *x = s->facts;
    if (s->launch == NULL && f->launch != NULL && s->pub.param < 0 &&
        s->pub.constant == NULL && s->source != NULL &&
        !OBLIGED_FRONT(f, "a kernel's storage is its own",
                       front_scope_class(s->source->scope) == CLASS_GLOBAL))
        front_refuse(f, f->stmt->pos,
                     "a kernel uses a view of '%s' that the host declares",
                     s->source->name);
    if (x != NULL)
        touch_launch(f, x);
    if (x == NULL || f->pass > 0)
        return;
    struct par_loop *a = x->common, *b = f->par;
    while (a != NULL && a != b)
        if (a->depth > b->depth)
            a = a->parent;
        else
            b = b->parent;
    x->common = b;
}
