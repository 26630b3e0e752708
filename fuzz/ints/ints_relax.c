/* SPDX-License-Identifier: Apache-2.0
 *
 * A side as a Relax function: what goes through storage of all trips is a
 * tensor between two calls.
 *
 * The parts are written by ints_place.c; the calls are put around them as text,
 * which is read back. Outputs of calls are uninitialised on entry, so only
 * places that write the whole output have this form, and inputs are tensors.
 */
#include "fuzz/ints/ints_plan.h"

#include <inttypes.h>
#include <string.h>

static bool is_whole(const struct plan *p)
{
    switch (p->place) {
    case INTS_IN_DATA:
    case INTS_IN_SELECT:
    case INTS_IN_LAZY:
    case INTS_IN_FACT:
    case INTS_IN_GATHER: return true;
    case INTS_IN_IF: return p->form % 2 != 0;
    case INTS_IN_GUARD: return p->form % 4 > 1;
    case INTS_IN_BLOCK:
    case INTS_IN_ASSERT:
    case INTS_IN_SCATTER:
    case INTS_IN_REDUCE:
    case INTS_IN_STEP:
    case INTS_IN_EXTENT:
    case INTS_IN_SLOTTED:
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    return false;
}

static bool has_form(const struct plan *p)
{
    const struct draw *d = p->d;
    if (!is_whole(p) || p->route[0] == ROUTE_OUTPUT)
        return false;
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_SCALAR || d->slots[i].t.bits % 8 != 0 ||
            d->slots[i].t.bits == 12)
            return false;
    /* text has no block iterators of other types */
    for (unsigned side = 0; side < 2; side++)
        if (p->kind[side] != IR_FOR_SERIAL ||
            (p->blocks[side] && p->loop.bits != 32))
            return false;
    return true;
}

static void put_type(struct buf *out, struct dtype t, int64_t n)
{
    char name[48];
    buf_printf(out, "R.Tensor((%" PRId64 ",), dtype=\"%s\")", n,
               dtype_name(t, name));
}

static void put_call(struct buf *out, const char *result, const char *callee,
                     const char *args, struct dtype t, int64_t n)
{
    buf_printf(out, "        %s = R.call_tir(cls.%s, (%s), out_sinfo=", result,
               callee, args);
    put_type(out, t, n);
    buf_puts(out, ")\n");
}

static void put_main(struct buf *out, const struct plan *p, unsigned side)
{
    const struct draw *d = p->d;
    struct buf args = {0};
    buf_puts(out, "\n    @R.function\n    def main(");
    for (size_t i = 0; i < d->nslots; i++) {
        if (d->slots[i].kind == SLOT_LOOP)
            continue;
        buf_printf(out, "x%zu: ", i);
        put_type(out, d->slots[i].t, d->n);
        buf_puts(out, ", ");
        buf_printf(&args, "x%zu, ", i);
    }
    struct buf rest = {0};
    buf_puts(&rest, buf_text(&args));
    if (p->table) {
        buf_puts(out, "g: ");
        put_type(out, p->out, p->size);
        buf_puts(out, ", ");
        buf_puts(&rest, "g, ");
    }
    buf_puts(out, "unused: ");
    put_type(out, DTYPE_INT32, 1);
    buf_puts(out, ") -> ");
    put_type(out, p->out, d->n);
    buf_puts(out, ":\n        cls = Module\n");
    if (p->route[side] == ROUTE_ARRAY) {
        put_call(out, "m", "first", buf_text(&rest), p->routed[side]->t, d->n);
        buf_puts(&rest, "m, ");
    }
    put_call(out, "o", "second", buf_text(&rest), p->out, d->n);
    buf_puts(out, "        return o\n");
    buf_fini(&args);
    buf_fini(&rest);
}

struct ir_module *plan_write_relax(const struct plan *p, unsigned side)
{
    if (!has_form(p))
        return NULL;
    struct dtype t = p->routed[side] != NULL ? p->routed[side]->t : p->out;
    if (p->route[side] == ROUTE_ARRAY && t.bits % 8 != 0)
        return NULL;
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *parts = plan_write_parts(p, side);
    buf_puts(&text, "# from tvm.script import relax as R\n");
    ir_print_script(parts, &text);
    put_main(&text, p, side);
    struct ir_module *m = ir_read(text.data, text.len, "generated.py", sink);
    if (m == NULL) {
        struct buf why = {0};
        diag_render(sink, false, &why);
        DC_BUG("a Relax function does not read back: %s\n%s", buf_text(&why),
               buf_text(&text));
    }
    diag_sink_free(sink);
    ir_module_free(parts);
    buf_fini(&text);
    return m;
}
