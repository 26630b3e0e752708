/* SPDX-License-Identifier: Apache-2.0
 *
 * unsafe_set_dtype: a buffer that the block writes holds elements of another
 * type; what is stored is converted to it, what is loaded back from it.
 *
 * Legal where a block allocates the buffer. As the name says, values may be
 * rounded on the way: a pair made so is `precision`, or worse where the type
 * is too narrow for integers; that is what was asked for. Views and accesses
 * of several elements at a time are not handled. Follows TVM,
 * s_tir/schedule/primitive/block_annotate.cc.
 */
#include "schedule/schedule_private.h"

struct retyping {
    struct schedule *s;
    const struct ir_buffer *from;
    struct ir_buffer *to;
    bool scalar;
};

/* Of the new buffer: the map exchanged it already. */
static struct ir_expr *retype_load(void *user, struct ir_expr *load)
{
    struct retyping *r = user;
    if (load->u.buffer != r->to)
        return NULL;
    r->scalar &= load->dtype.lanes == 1;
    return ir_cast(r->s->m, r->from->dtype, load);
}

static struct ir_stmt *retype_store(void *user, struct ir_stmt *store)
{
    struct retyping *r = user;
    if (store->u.store.buffer != r->to)
        return NULL;
    r->scalar &= store->u.store.value->dtype.lanes == 1;
    return ir_store(r->s->m, r->to,
                    ir_cast(r->s->m, r->to->dtype, store->u.store.value),
                    store->u.store.nindices, store->u.store.indices,
                    store->u.store.predicate);
}

static bool is_pointer(const void *buffer, const struct ir_expr *e)
{
    const struct ir_buffer *b = buffer;
    return (e->kind == IR_BUFFER_REF && e->u.buffer->data == b->data) ||
           (e->kind == IR_VAR_REF && e->u.var == b->data) ||
           (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF);
}

bool schedule_unsafe_set_dtype(struct schedule *s, schedule_ref ref,
                               int64_t index, const char *dtype)
{
    struct sched_path path, site;
    struct ir_buffer *buffer;
    struct dtype t;
    sched_begin(s);
    if (!sched_accessed(s, ref, index, true, &path, &buffer))
        return false;
    if (!dtype_parse(dtype, &t) || t.lanes != 1 || t.scalable ||
        dtype_is_handle(t) || t.code == DT_VOID)
        return sched_bad(s, "no element type is called '%s'", dtype);
    if (dtype_equal(t, buffer->dtype))
        return true;
    if (!sched_alloc_site(s, &path, buffer, &site))
        return false;
    if (ir_stmt_any(sched_path_end(&site), NULL, is_pointer, buffer))
        return sched_unsupported(s, "a pointer to buffer '%s' is used",
                                 buffer->name);
    struct retyping r = {s, buffer, NULL, true};
    struct sched_map map = {.s = s,
                            .from = buffer,
                            .load = retype_load,
                            .store = retype_store,
                            .user = &r};
    map.to = r.to = sched_buffer_copy(s, buffer, t, buffer->scope);
    struct schedule_point point = schedule_mark(s);
    if (!sched_exchange(s, &site, &map))
        return false;
    if (r.scalar)
        return true;
    schedule_return(s, point);
    return sched_unsupported(s, "buffer '%s' is accessed in vectors",
                             buffer->name);
}

/* unsafe_set_dtype(block, index, "dtype") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "ris") &&
           schedule_unsafe_set_dtype(s, args[0].u.ref, args[1].u.integer,
                                     args[2].u.string);
}

extern const struct schedule_primitive primitive_unsafe_set_dtype;
const struct schedule_primitive primitive_unsafe_set_dtype = {
    .name = "unsafe_set_dtype",
    .arguments = "block, index of a write, \"dtype\"",
    .source = "block_annotate.cc",
    .apply = apply,
};
