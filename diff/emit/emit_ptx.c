/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX matrix instructions on the registers of the 32 lanes of a warp, laid out
 * as the PTX manual has it. With group = lane / 4, part = lane % 4, e elements
 * of A in 32 bits, r = i / e and h = M / 8, element i of a lane is
 *   A (M x K): row group + 8 (r mod h), column part e + i mod e + 4 e (r / h)
 *   B (K x 8): row part e + i mod e + 4 e r, column group
 *   C (M x 8): row group + 8 (i / 2), column 2 part + i mod 2
 * The tiles are gathered from the lanes, multiplied, and given back.
 *
 * Before LowerWarpMemory registers are `warp` storage that holds those of all
 * lanes; mma_store then names the first lane's (R26).
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* "m16n8k16" */
static bool parse_shape(const char *text, long long *m, long long *k)
{
    long long n;
    int used = 0;
    return sscanf(text, "m%4lldn%4lldk%4lld%n", m, &n, k, &used) == 3 &&
           text[used] == '\0' && (*m == 8 || *m == 16) && n == 8 && *k > 0 &&
           *k <= 64;
}

static bool parse_type(const struct ir_expr *call, uint32_t operand,
                       struct dtype *out)
{
    return ir_ptx_type(ir_call_text(call, operand), out) && out->bits >= 8 &&
           out->lanes == 1 && dtype_has_arithmetic(*out);
}

/* A loop over the lanes of the warp, in which `tid` is each one's thread. */
static void lanes_open(struct emitter *em, const char *lane)
{
    if (em->device != NULL) { /* each for itself */
        emit_thread_loop_open(em);
        emit_open_brace(em, "%s", "");
        emit_line(em, "const int %s = %s;", lane, emit_lane_text(em));
        emit_line(em, "(void)%s;", lane);
        return;
    }
    emit_open_brace(em, "for (int %s = 0; %s < %d; %s++)", lane, lane,
                    EMIT_WARP, lane);
    emit_lane_thread(em, lane);
}

static void lanes_close(struct emitter *em)
{
    emit_close_brace(em); /* of emit_lane_thread */
    if (em->device != NULL)
        emit_thread_loop_close(em);
    else
        emit_close_brace(em);
}

/* "T *name = registers + offset;" of the lane's thread. */
static const char *put_registers(struct emitter *em, const struct ir_expr *call,
                                 uint32_t i, struct dtype t, const char *hint)
{
    const char *name = emit_name_make(em, hint);
    struct dtype have = emit_pointer_elem(em, call->args[i]);
    if (!dtype_equal(have, t))
        emit_refuse(em, "'%s' on registers of another type", call->u.call.name);
    const char *space = emit_space_of(em, call->args[i]);
    emit_line(em, "%s%s *const %s = (%s%s *)%s + (%s);", space,
              emit_alias_name(em, t), name, space, emit_alias_name(em, t),
              emit_pointer_text(em, call->args[i]),
              emit_index_text(em, call->args[i + 1], PREC_ANY));
    return name;
}

static bool full_warps(struct emitter *em, const struct ir_expr *call)
{
    if (em->kernel != NULL && em->kernel->nlinear % EMIT_WARP == 0)
        return true;
    return emit_refuse(em, "'%s' by less than a warp of %d", call->u.call.name,
                       EMIT_WARP);
}

/* ---- mma -------------------------------------------------------------------------------- */

struct mma {
    long long m, k;
    struct dtype a, b, c;
};

static bool parse_mma(struct emitter *em, const struct ir_expr *call,
                      struct mma *x)
{
    bool fine =
        call->nargs == 13 && parse_shape(ir_call_text(call, 0), &x->m, &x->k) &&
        strncmp(ir_call_text(call, 1), "row", 3) == 0 &&
        strncmp(ir_call_text(call, 2), "col", 3) == 0 &&
        parse_type(call, 3, &x->a) && parse_type(call, 4, &x->b) &&
        parse_type(call, 5, &x->c) && x->a.bits == x->b.bits &&
        dtype_is_float(x->a) == dtype_is_float(x->c) &&
        dtype_is_float(x->b) == dtype_is_float(x->c) && x->a.bits <= x->c.bits;
    if (fine) {
        int64_t e = x->a.bits >= 32 ? 1 : 32 / x->a.bits;
        fine = x->k % (4 * e) == 0;
    }
    return fine || emit_refuse(em, "mma of shape '%s' on %s, %s and %s",
                               ir_call_text(call, 0), ir_call_text(call, 3),
                               ir_call_text(call, 4), ir_call_text(call, 5));
}

/* Elements of all lanes' registers to, or from, the tiles. */
static void put_mma_gather(struct emitter *em, const struct ir_expr *call,
                           const struct mma *x, const char *const tile[3])
{
    long long e = x->a.bits >= 32 ? 1 : 32 / x->a.bits, h = x->m / 8;
    const char *lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *a = put_registers(em, call, 6, x->a, "ra");
    const char *b = put_registers(em, call, 8, x->b, "rb");
    const char *c = put_registers(em, call, 10, x->c, "rc");
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", x->m * x->k / EMIT_WARP);
    emit_line(
        em,
        "    %s[%s / 4 + 8 * (ti / %lld %% %lld)][%s %% 4 * %lld + ti %% %lld "
        "+ "
        "%lld * (ti / %lld / %lld)] = %s[ti];",
        tile[0], lane, e, h, lane, e, e, 4 * e, e, h, a);
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", x->k * 8 / EMIT_WARP);
    emit_line(
        em,
        "    %s[%s %% 4 * %lld + ti %% %lld + %lld * (ti / %lld)][%s / 4] = "
        "%s[ti];",
        tile[1], lane, e, e, 4 * e, e, lane, b);
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", x->m * 8 / EMIT_WARP);
    emit_line(
        em, "    %s[%s / 4 + 8 * (ti / 2)][2 * (%s %% 4) + ti %% 2] = %s[ti];",
        tile[2], lane, lane, c);
    lanes_close(em);
}

/* On a device the tiles are the block's, one a warp, and each lane computes its
 * own elements. */
static void put_device_mma(struct emitter *em, const struct ir_expr *call,
                           const struct mma *x)
{
    if (emit_is_cuda(em)) {
        const char *one = emit_name_make(em, "lane"), *from[3];
        lanes_open(em, one);
        from[0] = put_registers(em, call, 6, x->a, "ra");
        from[1] = put_registers(em, call, 8, x->b, "rb");
        from[2] = put_registers(em, call, 10, x->c, "rc");
        (void)emit_cuda_mma(em, x->m, x->k, x->a, x->b, x->c, from);
        lanes_close(em);
        return;
    }
    const char *tile[3];
    struct dtype types[3] = {x->a, x->b, x->c};
    long long rows[3] = {x->m, x->k, x->m}, columns[3] = {x->k, 8, 8};
    for (size_t i = 0; i < 3; i++) {
        const char *name = emit_name_make(em, "tile");
        buf_printf(&em->device->head, "    %s %s %s[%lld][%lld][%lld];\n",
                   emit_is_opencl(em) ? "__local" : "__shared__",
                   emit_type_name(em, types[i]), name,
                   (long long)emit_warp_count(em->kernel), rows[i], columns[i]);
        em->device->shared_bytes += emit_warp_count(em->kernel) * rows[i] *
                                    columns[i] *
                                    (int64_t)dtype_lane_bytes(types[i]);
        tile[i] = emit_text_printf(em, "%s[%s]", name, emit_warp_text(em));
    }
    put_mma_gather(em, call, x, tile);
    emit_barrier(em);
    const char *lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *c = put_registers(em, call, 10, x->c, "rc");
    emit_open_brace(em, "for (int ti = 0; ti < %lld; ti++)",
                    x->m * 8 / EMIT_WARP);
    emit_line(em, "const int tile_row = %s / 4 + 8 * (ti / 2);", lane);
    emit_line(em, "const int tile_column = 2 * (%s %% 4) + ti %% 2;", lane);
    emit_line(em, "%s tile_sum = %s[tile_row][tile_column];",
              emit_type_name(em, x->c), tile[2]);
    emit_line(em, "for (int tk = 0; tk < %lld; tk++)", x->k);
    emit_line(
        em, "    tile_sum = %s;",
        emit_fma_text(
            em, x->c,
            emit_cast_text(em, x->a, x->c,
                           emit_text_printf(em, "%s[tile_row][tk]", tile[0])),
            emit_cast_text(
                em, x->b, x->c,
                emit_text_printf(em, "%s[tk][tile_column]", tile[1])),
            "tile_sum"));
    emit_line(em, "%s[ti] = tile_sum;", c);
    emit_close_brace(em);
    lanes_close(em);
}

static void put_mma(struct emitter *em, const struct ir_expr *call)
{
    struct mma x = {0};
    if (!full_warps(em, call) || !parse_mma(em, call, &x))
        return;
    if (em->device != NULL) {
        put_device_mma(em, call, &x);
        return;
    }
    const char *const tile[3] = {emit_name_make(em, "ta"),
                                 emit_name_make(em, "tb"),
                                 emit_name_make(em, "tc")};
    emit_line(em, "%s %s[%lld][%lld];", emit_type_name(em, x.a), tile[0], x.m,
              x.k);
    emit_line(em, "%s %s[%lld][8];", emit_type_name(em, x.b), tile[1], x.k);
    emit_line(em, "%s %s[%lld][8];", emit_type_name(em, x.c), tile[2], x.m);
    put_mma_gather(em, call, &x, tile);
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", x.m);
    emit_line(em, "    for (int tj = 0; tj < 8; tj++)");
    emit_line(em, "        for (int tk = 0; tk < %lld; tk++)", x.k);
    const char *a = emit_text_printf(em, "%s[ti][tk]", tile[0]);
    const char *b = emit_text_printf(em, "%s[tk][tj]", tile[1]);
    const char *sum = emit_text_printf(em, "%s[ti][tj]", tile[2]);
    emit_line(em, "            %s = %s;", sum,
              emit_fma_text(em, x.c, emit_cast_text(em, x.a, x.c, a),
                            emit_cast_text(em, x.b, x.c, b), sum));
    const char *lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *c = put_registers(em, call, 10, x.c, "rc");
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", x.m * 8 / EMIT_WARP);
    emit_line(
        em, "    %s[ti] = %s[%s / 4 + 8 * (ti / 2)][2 * (%s %% 4) + ti %% 2];",
        c, tile[2], lane, lane);
    lanes_close(em);
}

/* ---- ldmatrix: trans, num, type, local, offset, shared, offset ------------------------ */

/* A transposed matrix of 8-bit elements: 16 loads a lane; the last operand is
 * the row stride. */
static void put_load_bytes(struct emitter *em, const struct ir_expr *call,
                           struct dtype t)
{
    const char *lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *to = put_registers(em, call, 3, t, "to");
    const char *space = emit_space_of(em, call->args[5]);
    const char *from = emit_name_make(em, "from"),
               *stride = emit_name_make(em, "stride");
    emit_line(em, "const %s%s *const %s = (%s%s *)%s;", space,
              emit_alias_name(em, t), from, space, emit_alias_name(em, t),
              emit_pointer_text(em, call->args[5]));
    emit_line(em, "const int64_t %s = %s;", stride,
              emit_index_text(em, call->args[6], PREC_ANY));
    emit_line(em, "for (int ti = 0; ti < 16; ti++)");
    emit_line(
        em,
        "    %s[ti] = %s[(16 * (ti %% 8 / 4) + 4 * (%s %% 4) + ti %% 4) * %s + "
        "%s / 4 + 8 * (ti / 8)];",
        to, from, lane, stride, lane);
    lanes_close(em);
}

static void put_ldmatrix(struct emitter *em, const struct ir_expr *call)
{
    int64_t transposed, matrices;
    struct dtype t = emit_pointer_elem(em, call->args[3]);
    struct dtype from = emit_pointer_elem(em, call->args[5]);
    size_t bytes = dtype_lane_bytes(t);
    if (!full_warps(em, call))
        return;
    bool fine = ir_const_int(call->args[0], &transposed) &&
                ir_const_int(call->args[1], &matrices) &&
                (matrices == 1 || matrices == 2 || matrices == 4) &&
                strcmp(ir_call_text(call, 2), ".b16") == 0 &&
                t.code != DT_VOID && from.code != DT_VOID &&
                (bytes == 1 || bytes == 2);
    if (!fine || (bytes == 1 && transposed && matrices != 4)) {
        emit_refuse(em, "ldmatrix of this form");
        return;
    }
    if (bytes == 1 && transposed) {
        put_load_bytes(em, call, t);
        return;
    }
    const char *lane = emit_name_make(em, "lane");
    if (emit_is_cuda(em) && emit_storage_of(call->args[5]) == PLACE_SHARED) {
        lanes_open(em, lane);
        const char *parts = put_registers(em, call, 3, t, "to");
        emit_cuda_ldmatrix(
            em, parts,
            emit_text_printf(em, "(const char *)%s + (%s) * %zu",
                             emit_pointer_text(em, call->args[5]),
                             emit_index_text(em, call->args[6], PREC_ANY),
                             dtype_lane_bytes(from)),
            (int)matrices, transposed != 0);
        lanes_close(em);
        return;
    }
    const char *space = emit_space_of(em, call->args[5]);
    const char *name = emit_name_make(em, "rows"), *rows = name;
    if (em->device != NULL) {
        buf_printf(&em->device->head, "    %s uint64_t %s[%lld][%d];\n",
                   emit_is_opencl(em) ? "__local" : "__shared__", name,
                   (long long)emit_warp_count(em->kernel), EMIT_WARP);
        em->device->shared_bytes += 8 * EMIT_WARP * emit_warp_count(em->kernel);
        rows = emit_text_printf(em, "%s[%s]", name, emit_warp_text(em));
    } else {
        emit_line(em, "const char *%s[%d];", rows, EMIT_WARP);
    }
    lanes_open(em, lane);
    emit_line(em, "%s[%s] = %s((const %schar *)%s + (%s) * %zu);", rows, lane,
              em->device != NULL ? "(uint64_t)" : "", space,
              emit_pointer_text(em, call->args[5]),
              emit_index_text(em, call->args[6], PREC_ANY),
              dtype_lane_bytes(from));
    lanes_close(em);
    emit_barrier(em);
    lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *to = put_registers(em, call, 3, t, "to");
    emit_open_brace(em, "for (int tu = 0; tu < %lld; tu++)",
                    (long long)(2 * matrices));
    emit_line(em, "const int tile_row = %s;",
              transposed ? emit_text_printf(em, "2 * (%s %% 4) + tu %% 2", lane)
                         : emit_text_printf(em, "%s / 4", lane));
    emit_line(em, "const int tile_unit = %s;",
              transposed
                  ? emit_text_printf(em, "%s / 4", lane)
                  : emit_text_printf(em, "2 * (%s %% 4) + tu %% 2", lane));
    if (em->device != NULL) {
        emit_line(em, "for (int tile_byte = 0; tile_byte < 2; tile_byte++)");
        emit_line(
            em,
            "    ((%schar *)%s)[2 * tu + tile_byte] = ((const %schar *)%s[8 * "
            "(tu / "
            "2) + tile_row])[2 * tile_unit + tile_byte];",
            emit_space_of(em, call->args[3]), to, space, rows);
    } else {
        emit_line(
            em,
            "memcpy((char *)%s + 2 * tu, %s[8 * (tu / 2) + tile_row] + 2 * "
            "tile_unit, 2);",
            to, rows);
    }
    emit_close_brace(em);
    lanes_close(em);
}

/* ---- mma_store(16, 16, target, registers, offset, stride) ------------------------------ */

static void put_mma_store(struct emitter *em, const struct ir_expr *call)
{
    struct dtype t = emit_pointer_elem(em, call->args[3]);
    struct dtype to = emit_pointer_elem(em, call->args[2]);
    if (!full_warps(em, call))
        return;
    if (!ir_is_const_int(call->args[0], 16) ||
        !ir_is_const_int(call->args[1], 16) || t.code == DT_VOID ||
        !dtype_equal(t, to)) {
        emit_refuse(em, "mma_store of this form");
        return;
    }
    const char *lane = emit_name_make(em, "lane");
    lanes_open(em, lane);
    const char *from = put_registers(em, call, 3, t, "from");
    const char *space = emit_space_of(em, call->args[2]);
    const char *target = emit_name_make(em, "target");
    const char *stride = emit_name_make(em, "stride");
    emit_line(em, "%s%s *const %s = (%s%s *)%s;", space, emit_alias_name(em, t),
              target, space, emit_alias_name(em, t),
              emit_pointer_text(em, call->args[2]));
    emit_line(em, "const int64_t %s = %s;", stride,
              emit_index_text(em, call->args[5], PREC_ANY));
    emit_line(em, "for (int ti = 0; ti < 8; ti++)");
    emit_line(
        em,
        "    %s[(8 * (ti %% 4 / 2) + %s / 4) * %s + 8 * (ti / 4) + 2 * (%s %% "
        "4) + ti %% 2] = %s[%sti];",
        target, lane, stride, lane, from,
        emit_is_warp_storage(call->args[3])
            ? emit_text_printf(em, "8 * %s + ", lane)
            : "");
    lanes_close(em);
}

void emit_ptx(struct emitter *em, const struct ir_expr *call)
{
    switch (ir_call_op(call)) {
    case IR_OP_PTX_MMA: put_mma(em, call); return;
    case IR_OP_PTX_LDMATRIX: put_ldmatrix(em, call); return;
    case IR_OP_MMA_STORE: put_mma_store(em, call); return;
    default: emit_refuse(em, "the operator '%s'", call->u.call.name); return;
    }
}
