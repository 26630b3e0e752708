/* SPDX-License-Identifier: Apache-2.0
 *
 * Values, the scratch storage behind vectors and boxes, and the variables of
 * a frame.
 *
 * Scratch is a stack of chunks that never move: a mark is taken before a
 * statement and restored after it. A variable that outlives its statement
 * (Bind) owns its lanes and boxes instead; V_OWNED says so.
 */
#include "interp/machine/exec.h"

#include <string.h>

#define CHUNK_SIZE ((size_t)64 << 10)

/* ---- scratch ------------------------------------------------------------------- */

static struct scratch_chunk *chunk_new(size_t size)
{
    struct scratch_chunk *c = dc_alloc(sizeof *c + size);
    c->size = size;
    return c;
}

void *exec_scratch_alloc(struct machine *m, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct scratch_chunk *c = m->scratch;
    while (c->size - c->used < size) {
        if (c->next != NULL && c->next->size < size) {
            /* the chunks behind the mark are empty: replace a small one */
            struct scratch_chunk *small = c->next;
            c->next = small->next;
            dc_release(small);
            continue;
        }
        if (c->next == NULL)
            c->next = chunk_new(size > CHUNK_SIZE ? size : CHUNK_SIZE);
        c = c->next;
        c->used = 0;
        m->scratch = c;
    }
    void *p = (unsigned char *)(c + 1) + c->used;
    c->used += size;
    return p;
}

struct scratch_mark exec_scratch_save(struct machine *m)
{
    return (struct scratch_mark){m->scratch, m->scratch->used};
}

void exec_scratch_restore(struct machine *m, struct scratch_mark mark)
{
    m->scratch = mark.chunk;
    m->scratch->used = mark.used;
}

void exec_scratch_init(struct machine *m)
{
    m->scratch = m->scratch_first = chunk_new(CHUNK_SIZE);
}

void exec_scratch_fini(struct machine *m)
{
    while (m->scratch_first != NULL) {
        struct scratch_chunk *next = m->scratch_first->next;
        dc_release(m->scratch_first);
        m->scratch_first = next;
    }
}

/* ---- values ----------------------------------------------------------------------- */

struct value exec_value_vector(struct machine *m, uint32_t n)
{
    struct value v;
    v.u.lane = exec_scratch_alloc(m, n * sizeof *v.u.lane);
    v.flags = V_VECTOR;
    v.aux = n;
    m->result.steps += n; /* lanes are work, too */
    for (uint32_t i = 0; i < n; i++)
        v.u.lane[i] = exec_value_undefined();
    return v;
}

struct value exec_value_undefined_of(struct machine *m, struct dtype t)
{
    return t.lanes > 1 ? exec_value_vector(m, t.lanes) : exec_value_undefined();
}

struct value exec_value_box(struct machine *m, union interp_box box,
                            uint32_t flags)
{
    struct value v;
    union interp_box *copy = exec_scratch_alloc(m, sizeof *copy);
    *copy = box;
    v.u.box = copy;
    v.flags = V_BOX | (flags & V_TAINTS);
    v.aux = 0;
    return v;
}

struct value exec_value_range(struct machine *m, struct num_interval range,
                              uint32_t flags)
{
    return exec_value_box(m, (union interp_box){.range = range}, flags);
}

struct value exec_value_sym(struct machine *m, struct interp_sym sym)
{
    return exec_value_box(m, (union interp_box){.sym = sym}, 0);
}

/* ---- variables ----------------------------------------------------------------------- */

static struct value *var_slot(struct machine *m, const struct ir_var *var)
{
    struct frame *f = m->frame;
    uint32_t i = var->id - f->plan->var_base;
    if (i < f->plan->nvars)
        return &f->vars[i];
    exec_fault(m, INTERP_UNDEFINED_VAR, NULL, NULL,
               "variable '%s' is not defined", var->name);
    return NULL;
}

struct value var_get(struct machine *m, const struct ir_var *var)
{
    struct value *slot = var_slot(m, var);
    if (slot == NULL)
        return exec_value_undefined();
    if (slot->flags & V_UNBOUND) {
        exec_fault(m, INTERP_UNDEFINED_VAR, NULL, NULL,
                   "variable '%s' is not defined", var->name);
        return exec_value_undefined();
    }
    struct value v = *slot;
    v.flags &= ~(uint32_t)(V_OWNED | V_MATCHED);
    return v;
}

bool exec_var_known(struct machine *m, const struct ir_var *var, int64_t *out)
{
    uint32_t i = var->id - m->frame->plan->var_base;
    if (i >= m->frame->plan->nvars || !dtype_is_int(var->dtype) ||
        var->dtype.lanes > 1)
        return false;
    struct value v = m->frame->vars[i];
    if (v.flags & (V_UNBOUND | V_UNDEF | V_BOX | V_POINTER | V_VECTOR))
        return false;
    *out = num_to_int(var->dtype, v.u.bits);
    return true;
}

/* Copies a vector, boxes included, into one heap block. */
static struct value own_lanes(struct value v)
{
    size_t n = v.aux, nboxes = 0;
    for (size_t i = 0; i < n; i++)
        nboxes += (v.u.lane[i].flags & V_BOX) != 0;
    struct value *lanes =
        dc_alloc(n * sizeof *lanes + nboxes * sizeof(union interp_box));
    union interp_box *box = (union interp_box *)(lanes + n);
    for (size_t i = 0; i < n; i++) {
        lanes[i] = v.u.lane[i];
        if (lanes[i].flags & V_BOX) {
            *box = *lanes[i].u.box;
            lanes[i].u.box = box++;
        }
    }
    v.u.lane = lanes;
    v.flags |= V_OWNED;
    return v;
}

void var_set(struct machine *m, const struct ir_var *var, struct value v)
{
    struct value *slot = var_slot(m, var);
    if (slot == NULL)
        return;
    v.flags &= ~(uint32_t)(V_OWNED | V_UNBOUND);
    if (v.flags & V_VECTOR) {
        v = own_lanes(v);
    } else if (v.flags & V_BOX) {
        union interp_box *box = &m->frame->boxes[slot - m->frame->vars];
        *box = *v.u.box;
        v.u.box = box;
    }
    if (slot->flags & V_OWNED)
        dc_release(slot->u.lane);
    *slot = v;
}

void var_unset(struct machine *m, const struct ir_var *var)
{
    struct value *slot = var_slot(m, var);
    if (slot == NULL)
        return;
    if (slot->flags & V_OWNED)
        dc_release(slot->u.lane);
    *slot = (struct value){{0}, V_UNBOUND, 0};
}
