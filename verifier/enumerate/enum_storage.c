/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage of a run: parameters, what is allocated, and buffers as views of it.
 * A cell is an address (R4): strides and offsets may map several elements to
 * one, and what stays in the storage is no fault, whatever a view's shape says
 * (R15).
 */
#include "verifier/enumerate/enum_race.h"
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_CELLS (INT64_C(1) << 22)
#define MAX_FAR   (INT64_C(1) << 40) /* cells of a storage that is sliced */

/* ---- layouts ---------------------------------------------------------------- */

static int64_t most_cells(const struct enum_machine *m)
{
    return m->slice != NULL ? MAX_FAR : MAX_CELLS;
}

static bool shape_of(struct enum_machine *m, const struct ir_buffer *b,
                     const struct enum_lane *thread, struct enum_layout *l)
{
    int64_t most = most_cells(m), total = 1;
    for (size_t i = 0; i < b->rank; i++) {
        if (!enum_int(m, thread, b->shape[i], 0, &l->shape[i]))
            return false;
        if (l->shape[i] < 0 || (l->shape[i] > 0 && total > most / l->shape[i]))
            return enum_stop(m, ENUM_LARGE, "too large");
        total *= l->shape[i] > 0 ? l->shape[i] : 1;
    }
    return true;
}

/* Shape, strides (compact ones where none are given) and offset of a buffer by
 * its own definition. */
static bool layout_of(struct enum_machine *m, const struct ir_buffer *b,
                      const struct enum_lane *thread, struct enum_layout *l)
{
    int64_t stride = 1, most = most_cells(m);
    l->rank = b->rank;
    l->offset = 0;
    l->shape = ARENA_ARRAY(m->arena, b->rank + 1, int64_t);
    l->strides = ARENA_ARRAY(m->arena, b->rank + 1, int64_t);
    if (!shape_of(m, b, thread, l))
        return false;
    for (size_t i = b->rank; i-- > 0;) {
        l->strides[i] = stride;
        stride *= l->shape[i] > 0 ? l->shape[i] : 1;
    }
    for (size_t i = 0; i < b->rank && b->nstrides == b->rank; i++) {
        if (!enum_int(m, thread, b->strides[i], 0, &l->strides[i]))
            return false;
        if (l->strides[i] < -most || l->strides[i] > most)
            return enum_stop(m, ENUM_LARGE, "too large");
    }
    if (b->elem_offset != NULL &&
        !enum_int(m, thread, b->elem_offset, 0, &l->offset))
        return false;
    if (l->offset < -most || l->offset > most)
        return enum_stop(m, ENUM_LARGE, "too large");
    return true;
}

static int64_t elements_of(const struct enum_layout *l)
{
    int64_t n = 1;
    for (size_t i = 0; i < l->rank; i++)
        n *= l->shape[i];
    return n;
}

/* Cells from the first to the last that an element has. */
static bool extent_of(struct enum_machine *m, const struct enum_layout *l,
                      int64_t *out)
{
    int64_t most = most_cells(m), last = l->offset;
    for (size_t i = 0; i < l->rank; i++) {
        int64_t far = l->shape[i] > 1 ? l->shape[i] - 1 : 0;
        if (l->strides[i] < 0)
            return enum_stop(m, ENUM_STOPPED, "a stride below 0");
        if (far > 0 && l->strides[i] > most / far)
            return enum_stop(m, ENUM_LARGE, "too large");
        last += far * l->strides[i];
        if (last >= most)
            return enum_stop(m, ENUM_LARGE, "too large");
    }
    if (l->offset < 0)
        return enum_stop(m, ENUM_STOPPED, "an offset below 0");
    *out = elements_of(l) > 0 ? last + 1 : 0;
    return true;
}

bool enum_same_layout(const struct enum_output *u, const struct enum_output *v)
{
    const struct enum_layout *a = &u->layout, *b = &v->layout;
    for (size_t i = 0; i < a->rank && i < b->rank; i++)
        if (a->shape[i] != b->shape[i] || a->strides[i] != b->strides[i])
            return false;
    return a->rank == b->rank;
}

/* The place of an element, counted by rows. */
static int64_t enum_layout_place(const struct enum_layout *l, int64_t element)
{
    int64_t place = l->offset;
    for (size_t i = l->rank; i-- > 0;) {
        place += element % l->shape[i] * l->strides[i];
        element /= l->shape[i];
    }
    return place;
}

/* ---- views ------------------------------------------------------------------ */

static bool put_view(struct enum_machine *m, const struct ir_buffer *b,
                     const struct enum_layout *at, struct enum_storage *storage)
{
    struct enum_view v = {storage, *at};
    if (b->id >= m->nbuffers)
        return enum_stop(m, ENUM_STOPPED, "buffers are not numbered");
    if (!dtype_equal(b->dtype, storage->dtype))
        return enum_stop(m, ENUM_STOPPED, "'%s' is seen as another type",
                         b->name);
    if (m->view_of[b->id] == 0) {
        vec_push(&m->views, v);
        m->view_of[b->id] = m->views.len;
    } else {
        m->views.items[m->view_of[b->id] - 1] = v;
    }
    return true;
}

bool enum_view_make(struct enum_machine *m, const struct ir_buffer *b,
                    const struct enum_lane *thread,
                    struct enum_storage *storage)
{
    struct enum_layout at;
    return layout_of(m, b, thread, &at) && put_view(m, b, &at, storage);
}

struct enum_view *enum_view_find(struct enum_machine *m,
                                 const struct ir_buffer *b)
{
    return b->id < m->nbuffers && m->view_of[b->id] > 0
               ? &m->views.items[m->view_of[b->id] - 1]
               : NULL;
}

/* ---- storage ---------------------------------------------------------------- */

enum_id enum_storage_entry(struct enum_machine *m, const struct enum_storage *s,
                           int64_t place)
{
    struct enum_term x = {.kind = ENUM_INPUT,
                          .dtype = s->dtype,
                          .param = s->param,
                          .bits = (uint64_t)place};
    if (s->param < 0)
        return enum_undef(m->t, s->dtype);
    if (m->inputs != NULL)
        return enum_const(
            m->t, s->dtype,
            enum_input(m->inputs, (size_t)s->param, (uint64_t)place, s->dtype));
    return enum_make(m->t, &x);
}

enum_id *enum_held(const struct enum_lane *thread, const struct enum_storage *s,
                   int64_t place)
{
    size_t copy = s->divisor == 0 ? 0 : (size_t)thread->index / s->divisor;
    return s->cells + (copy % s->ncopies) * (size_t)s->n + place;
}

enum_id enum_read(struct enum_machine *m, const struct enum_lane *thread,
                  struct enum_storage *s, int64_t place)
{
    if (m->slice != NULL)
        return enum_slice_read(m, thread, s, place);
    enum_id *cell = enum_held(thread, s, place);
    return enum_race_read(m, thread, s, (size_t)(cell - s->cells), *cell)
               ? *cell
               : ENUM_NONE;
}

static struct enum_storage *storage_make(struct enum_machine *m,
                                         const struct ir_buffer *b, int64_t n,
                                         enum enum_scope scope)
{
    struct enum_storage *s = ARENA_NEW(m->arena, struct enum_storage);
    *s = (struct enum_storage){.dtype = b->dtype,
                               .n = n,
                               .scope = scope,
                               .scope_name = b->scope,
                               .param = -1};
    vec_push(&m->storages, s);
    return s;
}

/* Nothing is stored there; as many copies as the threads need. */
static bool clear(struct enum_machine *m, struct enum_storage *s)
{
    size_t copies;
    enum_id none = enum_undef(m->t, s->dtype);
    if (m->slice != NULL) {
        enum_slice_begin(m, s);
        return true;
    }
    s->divisor = s->scope == ENUM_GLOBAL   ? 0
                 : s->scope == ENUM_SHARED ? m->threads_per_block
                 : s->scope == ENUM_WARP   ? ENUM_WARP_SIZE
                                           : 1;
    if (m->threads_per_block == 1 && s->divisor > 1)
        s->divisor = 1;
    copies = s->divisor == 0 ? 1 : m->nlanes / s->divisor;
    if (s->n * (int64_t)copies > MAX_CELLS)
        return enum_stop(m, ENUM_LARGE, "too large");
    bool fresh = s->cells == NULL || copies != s->ncopies;
    if (fresh) {
        dc_release(s->cells);
        s->cells = dc_alloc(((size_t)s->n * copies + 1) * sizeof *s->cells);
        s->ncopies = copies;
    }
    uint64_t cells = (uint64_t)s->n * copies;
    m->steps = m->steps > cells ? m->steps - cells : 0;
    for (uint64_t i = 0; i < cells; i++)
        s->cells[i] = none;
    /* a block's threads share it in every iteration: only barriers order them */
    if (fresh || s->scope != ENUM_SHARED || !m->launched)
        enum_race_forget(m, s);
    return true;
}

bool enum_spread(struct enum_machine *m)
{
    for (size_t i = 0; i < m->storages.len; i++) {
        if (m->storages.items[i]->scope == ENUM_GLOBAL)
            continue;
        enum_race_forget(m, m->storages.items[i]);
        if (!clear(m, m->storages.items[i]))
            return false;
    }
    return true;
}

static bool scope_of(struct enum_machine *m, const struct ir_buffer *b,
                     bool block, enum enum_scope *out)
{
    const struct enum_owner *o = &m->owners[b->id];
    *out = ENUM_GLOBAL;
    if (block && o->several &&
        (strncmp(b->scope, "shared", 6) == 0 || strcmp(b->scope, "warp") == 0))
        return enum_stop(m, ENUM_STOPPED,
                         "'%s' makes one kernel of several bindings", b->name);
    if (strncmp(b->scope, "shared", 6) == 0)
        *out = ENUM_SHARED;
    else if (strncmp(b->scope, "local", 5) == 0)
        *out = ENUM_LOCAL;
    else if (strcmp(b->scope, "warp") == 0 ||
             strncmp(b->scope, "wmma.", 5) == 0)
        *out = ENUM_WARP;
    else if (strcmp(b->scope, "") != 0 && strcmp(b->scope, "global") != 0)
        return enum_stop(m, ENUM_STOPPED, "storage of scope '%s'", b->scope);
    if (*out == ENUM_WARP && m->threads_per_block > 1 &&
        m->threads_per_block % ENUM_WARP_SIZE != 0)
        return enum_stop(m, ENUM_STOPPED, "a part of a warp");
    if (*out != ENUM_GLOBAL || !block)
        return true;
    switch (o->kind) {
    case ENUM_OWNER_SCOPE: break;
    case ENUM_OWNER_THREAD: *out = ENUM_LOCAL; break;
    case ENUM_OWNER_BLOCK: *out = ENUM_SHARED; break;
    case ENUM_OWNER_UNKNOWN:
        return enum_stop(m, ENUM_STOPPED, "'%s' is that of some threads",
                         b->name);
    }
    return true;
}

bool enum_alloc(struct enum_machine *m, const struct ir_buffer *b,
                const struct enum_lane *thread, bool block)
{
    struct enum_layout at;
    enum enum_scope scope;
    int64_t n;
    if (b->id >= m->nbuffers)
        return enum_stop(m, ENUM_STOPPED, "buffers are not numbered");
    if (!layout_of(m, b, thread, &at) || !extent_of(m, &at, &n))
        return false;
    if (b->nseparators > 0 || b->dtype.lanes != 1)
        return enum_stop(m, ENUM_STOPPED, "'%s' is not flat", b->name);
    if (!scope_of(m, b, block, &scope))
        return false;
    struct enum_storage *s = m->storage_of[b->data->id];
    if (s != NULL && s->n != n && m->slice != NULL)
        return enum_stop(m, ENUM_STOPPED, "'%s' changes its size", b->name);
    if (s == NULL || s->n != n) {
        s = storage_make(m, b, n, scope);
        s->own_of = block ? m->owners[b->id].loop : NULL;
        m->storage_of[b->data->id] = s;
    }
    /* backwards its contents begin after all that is done with them */
    return (m->slice != NULL || clear(m, s)) && put_view(m, b, &at, s);
}

/* ---- parameters ------------------------------------------------------------- */

/* Strides that are names are the compact ones, 0 where the buffer broadcasts;
 * an offset that is a name is 0. */
static bool bind_layout(struct enum_machine *m, const struct ir_buffer *b)
{
    const struct enum_lane *host = &m->lanes[0];
    struct enum_layout l = {.shape =
                                ARENA_ARRAY(m->arena, b->rank + 1, int64_t)};
    int64_t stride = 1;
    unsigned flags = 0;
    if (!shape_of(m, b, host, &l))
        return false;
    for (size_t i = b->nstrides == b->rank ? b->rank : 0; i-- > 0;) {
        const struct ir_expr *e = b->strides[i];
        bool spread = b->auto_broadcast && l.shape[i] == 1;
        if (e->kind == IR_VAR_REF && host->vars[e->u.var->id] == ENUM_NONE)
            host->vars[e->u.var->id] =
                enum_const(m->t, e->dtype,
                           num_from_int(e->dtype, spread ? 0 : stride, &flags));
        stride *= l.shape[i];
    }
    const struct ir_expr *e = b->elem_offset;
    if (e != NULL && e->kind == IR_VAR_REF &&
        host->vars[e->u.var->id] == ENUM_NONE)
        host->vars[e->u.var->id] = enum_const(m->t, e->dtype, 0);
    return true;
}

/* What is there on entry: elements by their number, nothing between them. */
static bool fill(struct enum_machine *m, struct enum_storage *s,
                 struct enum_output *o)
{
    for (int64_t k = 0; k < o->total; k++) {
        int64_t place = enum_layout_place(&o->layout, k);
        o->folded |= m->t->items.items[s->cells[place]].kind != ENUM_UNDEF;
        s->cells[place] = enum_storage_entry(m, s, k);
    }
    return true;
}

static bool is_compact(const struct enum_layout *l)
{
    int64_t stride = 1;
    for (size_t i = l->rank; i-- > 0;) {
        if (l->strides[i] != stride)
            return false;
        stride *= l->shape[i];
    }
    return l->offset == 0;
}

static bool bind_buffer(struct enum_machine *m, size_t i, struct enum_output *o)
{
    const struct ir_buffer *b = m->func->prim.params[i].buffer;
    int64_t n;
    if (b->dtype.lanes != 1)
        return enum_stop(m, ENUM_STOPPED, "parameter '%s' is of vectors",
                         b->name);
    if (!bind_layout(m, b) || !layout_of(m, b, &m->lanes[0], &o->layout) ||
        !extent_of(m, &o->layout, &n))
        return false;
    if (m->slice != NULL && !is_compact(&o->layout))
        return enum_stop(m, ENUM_STOPPED, "parameter '%s' is not compact",
                         b->name);
    if (m->storage_of[b->data->id] != NULL)
        return enum_stop(m, ENUM_STOPPED, "'%s' is another parameter's storage",
                         b->name);
    struct enum_storage *s = storage_make(m, b, n, ENUM_GLOBAL);
    size_t bytes = b->rank * sizeof *o->layout.shape;
    o->layout.shape = arena_memdup(m->t->arena, o->layout.shape, bytes);
    o->layout.strides = arena_memdup(m->t->arena, o->layout.strides, bytes);
    s->param = (int)i;
    o->total = elements_of(&o->layout);
    o->n = (size_t)o->total;
    m->storage_of[b->data->id] = s;
    return clear(m, s) && (m->slice != NULL || fill(m, s, o)) &&
           put_view(m, b, &o->layout, s);
}

/* A scalar: a size, or an input. */
static bool bind_scalar(struct enum_machine *m, size_t i)
{
    const struct ir_var *v = m->func->prim.params[i].var;
    struct enum_term x = {
        .kind = ENUM_INPUT, .dtype = v->dtype, .param = (int)i};
    if (dtype_is_handle(v->dtype))
        return enum_stop(m, ENUM_STOPPED, "a pointer parameter");
    if (m->lanes[0].vars[v->id] != ENUM_NONE)
        return true;
    m->lanes[0].vars[v->id] =
        m->inputs == NULL
            ? enum_make(m->t, &x)
            : enum_const(m->t, v->dtype, enum_input(m->inputs, i, 0, v->dtype));
    return true;
}

bool enum_params(struct enum_machine *m, struct enum_output *outputs)
{
    size_t n = m->func->prim.nparams;
    for (size_t i = 0; i < n; i++)
        if (m->func->prim.params[i].buffer == NULL && !bind_scalar(m, i))
            return false;
    for (size_t i = 0; i < n; i++)
        if (m->func->prim.params[i].buffer != NULL &&
            !bind_buffer(m, i, &outputs[i]))
            return false;
    return true;
}

void enum_keep(const struct enum_machine *m, struct enum_output *outputs)
{
    for (size_t i = 0; i < m->storages.len; i++) {
        const struct enum_storage *s = m->storages.items[i];
        if (s->param < 0 || m->slice != NULL)
            continue;
        struct enum_output *o = &outputs[s->param];
        o->stored = s->stored;
        o->cells = ARENA_ARRAY(m->t->arena, o->n + 1, enum_id);
        for (size_t k = 0; k < o->n; k++)
            o->cells[k] = s->cells[enum_layout_place(&o->layout, (int64_t)k)];
    }
}
