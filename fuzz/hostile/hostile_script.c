/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs as text in which each statement uses those before it twice: as trees
 * they have 2^n leaves in a few lines. What is chained goes on to be an index, an
 * extent, a condition, a shape, a stride, an offset, or the start of a loop.
 * Values named `i…` are int32, `f…` float32, `c…` bool; lines are made of a
 * pattern with a letter for each of them.
 */
#include "fuzz/hostile/hostile_private.h"

#include <string.h>

struct writer {
    struct buf *out;
    struct gen_bytes *b;
    size_t level; /* of indentation */
    size_t ints, floats, bools, buffers;
    size_t loops;         /* that the line begins */
    size_t scopes[80][4]; /* what there was where each level began */
    size_t newest;        /* chance of the newest value, of 4 */
};

/* ---- patterns -------------------------------------------------------------------------- */

/* I, F, C: some value (most often the newest); K: a small number; E: a number
 * at an edge; S: a buffer made before, or B; L: a new loop variable; N: the next
 * value of the type that the line begins with. */
static const char *const values[] = {
    "N: T.int32 = I + I",
    "N: T.int32 = I * I + I",
    "N: T.int32 = (I + I * 3) % 8",
    "N: T.int32 = I // K + I % K",
    "N: T.int32 = T.Select(I > K, I + K, I - K)",
    "N: T.int32 = T.max(I, T.min(I, I))",
    "N: T.int32 = T.bitwise_xor(I, T.shift_right(I, K))",
    "N: T.int32 = T.shift_left(I, I)",
    "N: T.int32 = T.truncmod(I, I)",
    "N: T.int32 = T.if_then_else(C, I, I)",
    "N: T.int32 = A[I % 8]",
    ("N: T.int32 = T.Cast(\"int32\", T.Cast(\"int64\", I) * T.Cast(\"int64\", "
     "I))"),
    "N: T.int32 = T.Cast(\"int32\", T.Cast(\"int8\", I + I))",
    "N: T.int32 = I - E",
    "N: T.int32 = n + I",
    "N: T.int32 = T.Cast(\"int32\", F)",
    "N: T.int32 = T.Let(x0 + x0, where={x0: I + I})",
    "N: T.float32 = F + F",
    "N: T.float32 = F * (F - T.float32(K))",
    "N: T.float32 = T.max(F, T.exp(F))",
    "N: T.float32 = T.Select(F > T.float32(0), F, F / F)",
    "N: T.float32 = D[I % 8] + F",
    "N: T.float32 = T.sqrt(F) + T.tanh(F)",
    "N: T.float32 = T.pow(F, F)",
    "N: T.float32 = T.Cast(\"float32\", T.Cast(\"float16\", F))",
    "N: T.float32 = T.reinterpret(\"float32\", I)",
    "N: T.float32 = T.if_then_else(C, F, D[I % 8])",
    "N: T.bool = (C and I > K) or (not C and I < K)",
    "N: T.bool = I == I or C",
    "N: T.bool = F < F",
    "N: T.bool = T.likely(C)",
    "N: T.bool = T.Select(C, C, not C)",
};

static const char *const actions[] = {
    "B[I % 8] = I",
    "B[I] = B[I] + I",
    "B[0] = B[0] * B[0] + I",
    "G[I % 8] = F",
    "G[0] = G[0] + G[0]",
    "G[I] = D[I] * F",
    "S[I % 8] = T.Cast(\"float32\", I)",
    "S[I] = S[I] + S[0]",
    "B[T.Ramp(I, I, 4)] = T.Broadcast(I, 4)",
    "B[T.Ramp(I % 8, 0, 3)] = T.Broadcast(B[I % 8], 3)",
    "assert C, \"message\"",
    "assert I > K, \"message\"",
    "T.evaluate(I)",
    "T.evaluate(T.call_extern(\"int32\", \"f\", I, F))",
    "T.evaluate(T.tvm_storage_sync(\"shared\"))",
    "T.evaluate(T.call_intrin(\"int32\", \"tirx.foo\", I))",
    "T.evaluate(T.cuda.atomic_add(T.address_of(G[I]), F))",
    "if C: B[0] = I",
    "if I > K: G[1] = F",
};

/* They hold what comes after them. */
static const char *const openers[] = {
    "for L in range(I):",
    "for L in range(I, I + K):",
    "for L in range(K):",
    "for L in range(E):",
    "for L in T.serial(I, annotations={\"pragma_x\": I}):",
    "for L in T.parallel(I):",
    "for L in T.vectorized(I):",
    "for L in T.vectorized(K):",
    "for L in T.unroll(I):",
    "for L in T.unroll(E):",
    "for L in T.thread_binding(I, thread=\"threadIdx.x\"):",
    "for L in T.thread_binding(K, thread=\"blockIdx.y\"):",
    "for L in T.thread_binding(E, thread=\"threadIdx.y\"):",
    "for L in T.thread_binding(K, thread=\"vthread\"):",
    "for L, M in T.grid(I, I):",
    "if C:",
    "if I > K:",
    "while C:",
    "while I < K:",
    "with T.attr(0, \"pragma_scope\", I):",
    "with T.attr(A.data, \"async_commit_queue_scope\", K):",
    ("with T.attr(T.iter_var(None, None, \"ThreadIndex\", \"threadIdx.z\"), "
     "\"thread_extent\", I):"),
};

static const char *const buffers[] = {
    "N = T.alloc_buffer((8,), \"float32\")",
    "N = T.alloc_buffer((I,), \"float32\")",
    "W = T.alloc_buffer((I, I), \"float32\")",
    "N = T.alloc_buffer((E,), \"float32\")",
    "W = T.alloc_buffer((E, E, E), \"float32\")",
    "N = T.alloc_buffer((8,), \"float32\", scope=\"shared\")",
    "N = T.alloc_buffer((I,), \"float32\", scope=\"local\")",
    "N = T.alloc_buffer((K,), \"float32\", scope=\"wmma.matrix_a\")",
    "N = T.decl_buffer((8,), \"float32\", data=G.data)",
    "N = T.decl_buffer((I,), \"float32\", data=G.data)",
    "N = T.decl_buffer((8,), \"float32\", data=S.data, strides=[I])",
    "W = T.decl_buffer((4, 2), \"float32\", data=G.data, strides=[I, I])",
    "W = T.decl_buffer((4, 2), \"float32\", data=G.data, strides=[E, 0])",
    "N = T.decl_buffer((8,), \"float32\", data=D.data, elem_offset=I)",
    "N = T.decl_buffer((8,), \"float32\", data=G.data, elem_offset=E)",
    "N = T.decl_buffer((8,), \"float32\", data=S.data)",
    "N = T.decl_buffer((8,), \"int8\", data=B.data, elem_offset=I)",
};

static const char *const blocks[] = {
    "v = T.axis.spatial(I, I)",
    "v = T.axis.spatial(8, I)",
    "v = T.axis.reduce(E, I)",
    "v = T.axis.scan(K, I)",
    "T.where(C)",
    "T.where(I < K)",
    "T.reads(B[I:I + I])",
    "T.writes(G[0:E])",
    "T.sblock_attr({\"claims\": I})",
    "T.sblock_attr({\"buffer_dim_align\": [[0, 0, 32, 8]]})",
    "W = T.sblock_alloc_buffer((I,), \"float32\")",
    ("W = T.match_buffer(G[I:I + 4], (4,), \"float32\", strides=[1], "
     "offset_factor=1)"),
    "W = T.match_buffer(G[0:4], (4,), \"float32\")",
    "W = T.match_buffer(B[0:I], (I,), \"int32\", elem_offset=I)",
};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_value(struct writer *w, char prefix, size_t n)
{
    size_t k = n;
    if (k > 1 && !gen_chance(w->b, w->newest, 4))
        k = 1 + (size_t)gen_below(w->b, n);
    buf_printf(w->out, "%c%zu", prefix, k - 1);
}

static void put_new(struct writer *w, const char *pattern)
{
    if (strstr(pattern, "T.int32 ="))
        buf_printf(w->out, "i%zu", w->ints);
    else if (strstr(pattern, "T.float32 ="))
        buf_printf(w->out, "f%zu", w->floats);
    else if (strstr(pattern, "T.bool ="))
        buf_printf(w->out, "c%zu", w->bools);
    else
        buf_printf(w->out, "S%zu", w->buffers);
}

/* A letter of a pattern; false: it is one of the text. */
static bool put_letter(struct writer *w, const char *pattern, char letter)
{
    switch (letter) {
    case 'I': put_value(w, 'i', w->ints); return true;
    case 'F': put_value(w, 'f', w->floats); return true;
    case 'C': put_value(w, 'c', w->bools); return true;
    case 'K': buf_printf(w->out, "%d", (int)gen_below(w->b, 9)); return true;
    case 'E':
        buf_printf(w->out, "T.int64(%lld)", (long long)hostile_number(w->b));
        return true;
    case 'S':
        if (w->buffers == 0)
            buf_puts(w->out, "G");
        else
            put_value(w, 'S', w->buffers);
        return true;
    case 'L':
    case 'M': buf_printf(w->out, "i%zu", w->ints + w->loops++); return true;
    case 'N': put_new(w, pattern); return true;
    default: return false;
    }
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '"' || (c >= '0' && c <= '9');
}

static void put_line(struct writer *w, const char *pattern)
{
    const char *at = pattern;
    for (size_t i = 0; i < w->level; i++)
        buf_puts(w->out, "    ");
    for (const char *p = at; *p != '\0'; p++) {
        bool alone = (p == at || !is_word(p[-1])) && !is_word(p[1]);
        if (!alone || !put_letter(w, pattern, *p))
            buf_putc(w->out, *p);
    }
    buf_putc(w->out, '\n');
    w->ints += w->loops;
    w->loops = 0;
    w->ints += strstr(pattern, "N: T.int32") != NULL;
    w->floats += strstr(pattern, "N: T.float32") != NULL;
    w->bools += strstr(pattern, "N: T.bool") != NULL;
    w->buffers += strncmp(pattern, "N = ", 4) == 0;
}

/* Names of a level end with it. */
static void enter(struct writer *w)
{
    size_t *scope = w->scopes[++w->level % DC_ARRAY_LEN(w->scopes)];
    scope[0] = w->ints;
    scope[1] = w->floats;
    scope[2] = w->bools;
    scope[3] = w->buffers;
}

static void leave(struct writer *w)
{
    const size_t *scope = w->scopes[w->level-- % DC_ARRAY_LEN(w->scopes)];
    w->ints = scope[0];
    w->floats = scope[1];
    w->bools = scope[2];
    w->buffers = scope[3];
}

static void put_block(struct writer *w)
{
    put_line(w, "with T.sblock(\"block\"):");
    enter(w);
    for (uint64_t n = gen_below(w->b, 5); n > 0; n--)
        put_line(w, hostile_pick(w->b, blocks));
    if (gen_chance(w->b, 1, 3)) {
        put_line(w, "with T.init():");
        enter(w);
        put_line(w, hostile_pick(w->b, actions));
        leave(w);
    }
}

/* What few kinds of lines are taken again and again, as an attacker does. */
struct taste {
    const char *values[3];
    const char *actions[3];
    uint64_t openers; /* of 40 lines */
};

static struct taste draw_taste(struct gen_bytes *b)
{
    struct taste t = {.openers = gen_below(b, 5)};
    for (size_t i = 0; i < 3; i++) {
        t.values[i] = hostile_pick(b, values);
        t.actions[i] = hostile_pick(b, actions);
    }
    return t;
}

static void put_one(struct writer *w, const struct taste *t, size_t base)
{
    uint64_t what = gen_below(w->b, 40);
    if (what < t->openers && w->level < 60) {
        if (gen_chance(w->b, 1, 5)) {
            put_block(w);
        } else {
            const char *opener = hostile_pick(w->b, openers);
            size_t before = w->ints;
            put_line(w, opener);
            size_t after = w->ints;
            w->ints = before; /* its loops are inside */
            enter(w);
            w->ints = after;
        }
    } else if (what < 6) {
        put_line(w, hostile_pick(w->b, buffers));
    } else if (what < 14) {
        put_line(w, gen_chance(w->b, 1, 2) ? t->actions[gen_below(w->b, 3)]
                                           : hostile_pick(w->b, actions));
    } else if (what < 16 && w->level > base) {
        put_line(w, hostile_pick(w->b, actions));
        leave(w);
    } else {
        put_line(w, gen_chance(w->b, 2, 3) ? t->values[gen_below(w->b, 3)]
                                           : hostile_pick(w->b, values));
    }
}

static const char *const heads[] = {
    "A: T.Buffer((8,), \"int32\"), D: T.Buffer((8,), \"float32\"), B: "
    "T.Buffer((8,), \"int32\"), G: T.Buffer((8,), \"float32\"), n: T.int32",
    "A: T.Buffer((n,), \"int32\"), D: T.Buffer((n,), \"float32\"), B: "
    "T.Buffer((n,), \"int32\"), G: T.Buffer((n,), \"float32\"), n: T.int32",
    "A: T.Buffer((8,), \"int32\"), D: T.Buffer((8,), \"float32\", "
    "strides=(0,)), B: T.Buffer((8,), \"int32\"), G: T.Buffer((4, 2), "
    "\"float32\", strides=(1, 1)), n: T.int32",
};

void hostile_script_write(struct buf *out, struct gen_bytes *bytes,
                          int constant, struct buf *label)
{
    struct writer w = {
        .out = out, .b = bytes, .level = 2, .ints = 1, .floats = 1, .bools = 1};
    struct taste taste = draw_taste(bytes);
    size_t n = hostile_count(bytes, 900);
    bool blocks_too = gen_chance(bytes, 1, 2);
    w.newest = 1 + (size_t)gen_below(bytes, 4);
    buf_printf(label, "script of %zu lines", n);
    buf_puts(out, "# from tvm.script import ir as I\n"
                  "# from tvm.script import tirx as T\n\n"
                  "@I.ir_module\nclass Module:\n");
    buf_printf(out, "    @T.prim_func%s\n    def main(",
               blocks_too ? "(s_tir=True)" : "");
    buf_puts(out, heads[gen_chance(bytes, 2, 3) ? 0 : gen_below(bytes, 3)]);
    buf_puts(out, "):\n");
    buf_puts(out, "        x0 = T.var(\"int32\")\n");
    buf_printf(out, "        i0: T.int32 = A[0] + %d\n", constant);
    buf_printf(out, "        f0: T.float32 = D[0] + T.float32(%d)\n", constant);
    buf_printf(out, "        c0: T.bool = A[1] > %d\n", constant);
    for (size_t i = 0; i < n; i++)
        put_one(&w, &taste, 2);
    put_line(&w, "B[0] = I");
    put_line(&w, "G[0] = F");
}
