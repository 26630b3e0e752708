/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector expressions whose lanes are not those of their operands: shuffles,
 * halves, and reinterpretation as lanes of another size. The operands' lanes
 * go to an array inside a statement expression.
 */
#include "diff/emit/emit_private.h"

/* "T name[n]; for (…) name[first + lane] = …; " into the text. */
void emit_row(struct emitter *em, struct buf *out, const char *name,
              size_t first, const struct ir_expr *e)
{
    unsigned n = e->dtype.lanes;
    const char *outer = em->lane;
    if (n <= 1) {
        buf_printf(out, "%s[%zu] = %s; ", name, first,
                   emit_expr_text(em, e, PREC_ANY));
        return;
    }
    const char *lane = emit_name_make(em, "lane");
    em->lane = lane;
    buf_printf(out, "for (int %s = 0; %s < %u; %s++) %s[%zu + %s] = %s; ", lane,
               lane, n, lane, name, first, lane,
               emit_expr_text(em, e, PREC_ANY));
    em->lane = outer;
}

/* The value is lane `pick` of the operands' lanes one after the other. */
static void put_picked(struct emitter *em, size_t n, struct ir_expr *const *x,
                       const char *pick)
{
    struct buf text = {0};
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += x[i]->dtype.lanes;
    const char *name = emit_name_make(em, "lanes");
    buf_printf(&text, "({ %s %s[%zu]; ",
               emit_type_name(em, dtype_scalar(x[0]->dtype)), name, total);
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        emit_row(em, &text, name, first, x[i]);
        first += x[i]->dtype.lanes;
    }
    buf_printf(&text, "%s[%s]; })", name, pick);
    buf_puts(em->out, buf_text(&text));
    buf_fini(&text);
}

static const char *shuffle_pick(struct emitter *em, const struct ir_expr *e)
{
    size_t first = e->u.nvectors, n = e->nargs - first;
    if (n == 1)
        return emit_index_text(em, e->args[first], PREC_ANY);
    struct buf text = {0};
    buf_puts(&text, "((const int[]){");
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i > 0 ? ", " : "",
                   emit_index_text(em, e->args[first + i], PREC_CHOICE));
    buf_printf(&text, "})[%s]", em->lane);
    const char *out = arena_strdup(em->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

void emit_shuffle(struct emitter *em, const struct ir_expr *e)
{
    if (e->kind == IR_SHUFFLE) {
        if (e->u.nvectors == 0 || e->nargs <= e->u.nvectors)
            emit_refuse(em, "a shuffle of nothing");
        else
            put_picked(em, e->u.nvectors, e->args, shuffle_pick(em, e));
        return;
    }
    const char *lane = em->lane != NULL ? em->lane : "0";
    if (e->u.call.op == IR_OP_VECTORHIGH)
        lane =
            emit_text_printf(em, "%u + %s", e->args[0]->dtype.lanes / 2u, lane);
    put_picked(em, e->u.call.op == IR_OP_VECTORCOMBINE ? 2 : 1, e->args, lane);
}

void emit_repack(struct emitter *em, const struct ir_expr *e)
{
    struct dtype from = e->args[0]->dtype, to = dtype_scalar(e->dtype);
    size_t have = dtype_lane_bytes(from) * from.lanes;
    if (have != dtype_lane_bytes(to) * e->dtype.lanes || from.scalable) {
        emit_refuse(em, "reinterpretation as a type of another size");
        return;
    }
    struct buf text = {0};
    const char *name = emit_name_make(em, "lanes"),
               *value = emit_name_make(em, "bits");
    buf_printf(&text, "({ %s %s[%u]; ", emit_type_name(em, dtype_scalar(from)),
               name, (unsigned)from.lanes);
    emit_row(em, &text, name, 0, e->args[0]);
    if (emit_is_opencl(em)) { /* no memcpy */
        buf_printf(
            &text,
            "%s %s; for (uint tk = 0; tk < sizeof %s; tk++) ((char *)&%s)"
            "[tk] = ((const char *)%s)[%s * sizeof %s + tk]; %s; })",
            emit_type_name(em, to), value, value, value, name,
            em->lane != NULL && e->dtype.lanes > 1 ? em->lane : "0", value,
            value);
        buf_puts(em->out, buf_text(&text));
        buf_fini(&text);
        return;
    }
    buf_printf(&text,
               "%s %s; memcpy(&%s, (const char *)%s + %s * sizeof %s, "
               "sizeof %s); %s; })",
               emit_type_name(em, to), value, value, name,
               em->lane != NULL && e->dtype.lanes > 1 ? em->lane : "0", value,
               value, value);
    buf_puts(em->out, buf_text(&text));
    buf_fini(&text);
}
