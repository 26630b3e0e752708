/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointers as values: a slot of the machine's table of allocations and a byte
 * offset packed into one word, the element type beside it. They may point
 * outside of their storage; only an access through them is checked.
 */
#include "interp/machine/exec.h"

/* bits: slot + 1 in the upper 27, byte offset in the lower 37 with a bias, so
 * that 0 is NULL and offsets may be negative. */
#define OFFSET_BITS 37
#define OFFSET_BIAS ((int64_t)1 << 36)

static uint32_t dtype_pack(struct dtype t)
{
    return (uint32_t)t.code << 24 | (uint32_t)t.bits << 16 | t.lanes;
}

static struct dtype dtype_unpack(uint32_t aux)
{
    struct dtype t = {0};
    t.code = (uint8_t)(aux >> 24);
    t.bits = (uint8_t)(aux >> 16);
    t.lanes = (uint16_t)aux;
    return t;
}

struct value exec_pointer_make(struct machine *m, struct pointer p,
                               uint32_t flags)
{
    if (p.alloc == NULL)
        return exec_value_undefined();
    if (p.offset < -OFFSET_BIAS || p.offset >= OFFSET_BIAS) {
        exec_fault(m, INTERP_OUT_OF_BOUNDS, p.alloc->buffer, NULL,
                   "has a pointer %lld bytes from its start",
                   (long long)p.offset);
        return exec_value_undefined();
    }
    struct value v;
    v.u.bits = (uint64_t)(p.alloc->slot + 1) << OFFSET_BITS |
               (uint64_t)(p.offset + OFFSET_BIAS);
    v.flags = V_POINTER | (flags & V_TAINTS);
    v.aux = dtype_pack(p.elem);
    return v;
}

bool exec_pointer_get(struct machine *m, struct value v, struct pointer *out)
{
    if (m->failed)
        return false;
    if (v.flags & V_UNDEF) {
        exec_fault(m, INTERP_UNINITIALISED, NULL, NULL,
                   "a pointer is undefined");
        return false;
    }
    if (!(v.flags & V_POINTER)) {
        if (!(v.flags & (V_VECTOR | V_BOX)) && v.u.bits == 0)
            exec_fault(m, INTERP_OUT_OF_BOUNDS, NULL, NULL,
                       "a NULL pointer is used");
        else
            exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                       "a value that is no pointer is used as one");
        return false;
    }
    if (v.flags & V_INEXACT)
        m->result.control_inexact = m->control_tainted = true;
    if (v.flags & V_DATA)
        m->result.data_dependent = true;
    exec_blame(m, v.flags);
    size_t slot = (size_t)(v.u.bits >> OFFSET_BITS) - 1;
    out->alloc = slot < m->allocs.len ? m->allocs.items[slot] : NULL;
    out->offset =
        (int64_t)(v.u.bits & (((uint64_t)1 << OFFSET_BITS) - 1)) - OFFSET_BIAS;
    out->elem = dtype_unpack(v.aux);
    if (out->alloc == NULL)
        exec_fault(m, INTERP_OUT_OF_BOUNDS, NULL, NULL,
                   "a pointer is used after its storage was freed");
    return out->alloc != NULL;
}
