/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions of processors: the prover's specifications against the
 * interpreter's, on bytes of all values, and both against sums worked out here.
 */
int front_rows_main(int argc, char **argv);
#define main front_rows_main
#include "tests/verifier/front/test_verifier_front_internal.c"
#undef main

#define V(name, n)     name "[T.Ramp(0, 1, " #n ")]"
#define AS(type, what) "T.reinterpret(\"" type "\", " what ")"
#define CALL(type, name, operands) \
    "T.call_llvm_pure_intrin(\"" type "\", \"" name "\", " operands ")"

struct dot_row {
    const char *label;
    int na, nb, nc;
    const char *ta, *tb, *tc;
    const char *value;
    /* C[l] = start + sum of `count` products of elements (count l + k) of A and
     * of B (k alone where b_shared), brought to 64 bits, then saturated */
    int count;
    bool no_start, b_shared, saturates, sums;
};

// clang-format off
static const struct dot_row dot_rows[] = {
{"vpdpbusd on words", 64, 64, 16, "uint8", "int8", "int32",
 CALL("int32x16", "llvm.x86.avx512.vpdpbusd.512", V("C", 16) ", " AS("int32x16", V("A", 64)) ", " AS("int32x16", V("B", 64))), .count = 4},
{"vpdpbusd on bytes", 32, 32, 8, "uint8", "int8", "int32",
 CALL("int32x8", "llvm.x86.avx512.vpdpbusd.256", V("C", 8) ", " V("A", 32) ", " V("B", 32)), .count = 4},
{"vpmaddubsw", 64, 64, 32, "uint8", "int8", "int16",
 CALL("int16x32", "llvm.x86.avx512.pmaddubs.w.512", V("A", 64) ", " V("B", 64)), .count = 2, .no_start = true, .saturates = true},
{"vpmaddwd", 32, 32, 16, "int16", "int16", "int32",
 CALL("int32x16", "llvm.x86.avx512.pmaddw.d.512", V("A", 32) ", " V("B", 32)), .count = 2, .no_start = true},
{"vpmaddwd of 256 bits", 16, 16, 8, "int16", "int16", "int32",
 CALL("int32x8", "llvm.x86.avx2.pmadd.wd", V("A", 16) ", " V("B", 16)), .count = 2, .no_start = true},
{"sdot", 16, 16, 4, "int8", "int8", "int32",
 CALL("int32x4", "llvm.aarch64.neon.sdot.v4i32.v16i8", V("C", 4) ", " V("A", 16) ", " V("B", 16)), .count = 4},
{"udot", 16, 16, 4, "uint8", "uint8", "uint32",
 CALL("uint32x4", "llvm.aarch64.neon.udot", V("C", 4) ", " V("A", 16) ", " V("B", 16)), .count = 4},
{"smull", 8, 8, 8, "int8", "int8", "int16",
 CALL("int16x8", "llvm.aarch64.neon.smull.v8i16", V("A", 8) ", " V("B", 8)), .count = 1, .no_start = true},
{"umull", 8, 8, 8, "uint8", "uint8", "uint16",
 CALL("uint16x8", "llvm.aarch64.neon.umull", V("A", 8) ", " V("B", 8)), .count = 1, .no_start = true},
{"saddlp", 8, 1, 4, "int16", "int16", "int32",
 CALL("int32x4", "llvm.aarch64.neon.saddlp.v4i32.v8i16", V("A", 8)), .count = 2, .no_start = true, .sums = true},
{"uaddlp", 8, 1, 4, "uint16", "uint16", "uint32",
 CALL("uint32x4", "llvm.aarch64.neon.uaddlp", V("A", 8)), .count = 2, .no_start = true, .sums = true},
{"addp", 8, 1, 4, "int32", "int32", "int32",
 CALL("int32x4", "llvm.aarch64.neon.addp.v4i32", V("A", 4) ", A[T.Ramp(4, 1, 4)]"), .count = 2, .no_start = true, .sums = true},
{"sdot4, clamped", 4, 4, 1, "int8", "int8", "int32",
 CALL("int32", "llvm.amdgcn.sdot4", AS("int32", V("A", 4)) ", " AS("int32", V("B", 4)) ", 0, T.bool(True)"), .count = 4, .no_start = true},
{"udot4", 4, 4, 1, "uint8", "uint8", "uint32",
 CALL("uint32", "llvm.amdgcn.udot4", AS("uint32", V("A", 4)) ", " AS("uint32", V("B", 4)) ", C[0], T.bool(False)"), .count = 4},
{"vrmpyub", 128, 4, 32, "uint8", "uint8", "int32",
 CALL("int32x32", "llvm.hexagon.V6.vrmpyub.acc.128B", V("C", 32) ", " AS("int32x32", V("A", 128)) ", " AS("int32", V("B", 4))), .count = 4, .b_shared = true},
{"vrmpybusv", 128, 128, 32, "uint8", "int8", "int32",
 CALL("int32x32", "llvm.hexagon.V6.vrmpybusv.acc.128B", V("C", 32) ", " AS("int32x32", V("A", 128)) ", " AS("int32x32", V("B", 128))), .count = 4},
{"vdmpyhvsat", 64, 64, 32, "int16", "int16", "int32",
 CALL("int32x32", "llvm.hexagon.V6.vdmpyhvsat.acc.128B", V("C", 32) ", " AS("int32x32", V("A", 64)) ", " AS("int32x32", V("B", 64))), .count = 2, .saturates = true},
{"__dp4a", 4, 4, 1, "int8", "int8", "int32",
 "T.call_pure_extern(\"int32\", \"__dp4a\", " V("A", 4) ", " V("B", 4) ", C[0])", .count = 4},
{"__dp4a, unsigned", 4, 4, 1, "uint8", "uint8", "uint32",
 "T.call_pure_extern(\"uint32\", \"__dp4a\", " V("A", 4) ", " V("B", 4) ", C[0])", .count = 4},
{"bytes of words and back", 8, 1, 16, "int32", "int8", "uint16",
 AS("uint16x16", AS("uint8x32", V("A", 8))), .count = 0},
};
static const struct dot_row refused_rows[] = {
{"__dp4a of both signs", 4, 4, 1, "uint8", "int8", "int32",
 "T.call_pure_extern(\"int32\", \"__dp4a\", " V("A", 4) ", " V("B", 4) ", C[0])", .count = 0},
{"sdot of half the bytes", 8, 16, 4, "int8", "int8", "int32",
 CALL("int32x4", "llvm.aarch64.neon.sdot", V("C", 4) ", " V("A", 8) ", " V("B", 16)), .count = 0},
{"sdot4 clamped over a sum", 4, 4, 1, "int8", "int8", "int32",
 CALL("int32", "llvm.amdgcn.sdot4", AS("int32", V("A", 4)) ", " AS("int32", V("B", 4)) ", C[0], T.bool(True)"), .count = 0},
{"vpdpbusd to other lanes", 64, 64, 16, "uint8", "int8", "uint32",
 CALL("uint32x16", "llvm.x86.avx512.vpdpbusd.512", V("C", 16) ", " V("A", 64) ", " V("B", 64)), .count = 0},
};
// clang-format on

static struct ir_module *row_module(const struct dot_row *r)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text,
               HEAD "def main(A: T.Buffer((%d,), \"%s\"), B: T.Buffer((%d,), "
                    "\"%s\"), C: T.Buffer((%d,), \"%s\")):\n    ",
               r->na, r->ta, r->nb, r->tb, r->nc, r->tc);
    if (r->nc == 1)
        buf_printf(&text, "C[0] = %s\n", r->value);
    else
        buf_printf(&text, "C[T.Ramp(0, 1, %d)] = %s\n", r->nc, r->value);
    struct ir_module *m = ir_read(buf_text(&text), text.len, r->label, sink);
    if (m == NULL) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        print_error("%s\n%s\n", buf_text(&said), buf_text(&text));
        buf_fini(&said);
        fail();
    }
    diag_sink_free(sink);
    buf_fini(&text);
    return m;
}

static void specifications_agree(void **state)
{
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(dot_rows); i++) {
        struct ir_module *m = row_module(&dot_rows[i]);
        struct arena *arena = arena_new();
        struct vprog *p = vprog_make(m, m->funcs[0]);
        bool skipped = false;
        const char *what = p->unsupported;
        if (what == NULL)
            what = contradiction(m, m->funcs[0], p, arena, 20, &skipped);
        if (what != NULL || skipped) {
            print_error("%s: %s\n", dot_rows[i].label,
                        what != NULL ? what : "not run");
            bad++;
        }
        vprog_free(p);
        arena_free(arena);
        ir_module_free(m);
    }
    assert_int_equal(bad, 0);
}

static int64_t int_of(const struct interp_tensor *t, size_t i)
{
    return (int64_t)num_to_double(dtype_scalar(t->dtype),
                                  interp_tensor_get(t, i));
}

/* The sum that the row describes. */
static int64_t worked_out(const struct dot_row *r, const struct interp_arg *a,
                          int64_t start, size_t lane)
{
    unsigned flags = 0;
    int64_t sum = r->no_start ? 0 : start;
    struct dtype t = dtype_scalar(a[2].tensor->dtype);
    for (int k = 0; k < r->count; k++) {
        size_t at = (size_t)r->count * lane + (size_t)k;
        sum +=
            int_of(a[0].tensor, at) *
            (r->sums ? 1 : int_of(a[1].tensor, r->b_shared ? (size_t)k : at));
    }
    int64_t top = (INT64_C(1) << (t.bits - 1)) - 1;
    if (r->saturates)
        sum = sum > top ? top : sum < -top - 1 ? -top - 1 : sum;
    return (int64_t)num_to_double(t, num_from_int(t, sum, &flags));
}

static void interpreter_is_right(void **state)
{
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(dot_rows); i++) {
        const struct dot_row *r = &dot_rows[i];
        struct ir_module *m = row_module(r);
        struct arena *arena = arena_new();
        struct interp_signature sig;
        struct interp_arg a[3];
        int64_t start[32];
        memset(a, 0, sizeof a);
        assert_true(
            interp_signature(m, m->funcs[0], NULL, 0, arena, &sig, NULL));
        for (size_t k = 0; k < 3; k++) {
            a[k].tensor = interp_tensor_new(
                sig.params[k].dtype, sig.params[k].rank, sig.params[k].shape);
            for (size_t j = 0; j < a[k].tensor->elements; j++) {
                /* all bytes, the ends of their range more often */
                static const int64_t ends[] = {0, -1, 127, 128, 32767, 32768};
                unsigned flags = 0;
                uint64_t h = hash_mix(k + 7, j + 31);
                int64_t v = h % 3 == 0 ? ends[h / 3 % DC_ARRAY_LEN(ends)]
                                       : (int64_t)(h >> 20);
                struct dtype t = dtype_scalar(a[k].tensor->dtype);
                interp_tensor_set(a[k].tensor, j, num_from_int(t, v, &flags));
                a[k].tensor->state[j] = INTERP_DEFINED;
            }
        }
        for (int l = 0; l < r->nc; l++)
            start[l] = int_of(a[2].tensor, (size_t)l);
        struct interp_options o = interp_default_options();
        struct interp_result result = interp_run(m, m->funcs[0], 3, a, &o);
        for (int l = 0; l < r->nc && r->count > 0; l++)
            if (result.fault != INTERP_OK ||
                int_of(a[2].tensor, (size_t)l) !=
                    worked_out(r, a, start[l], (size_t)l)) {
                print_error("%s: lane %d is %lld instead of %lld\n", r->label,
                            l, (long long)int_of(a[2].tensor, (size_t)l),
                            (long long)worked_out(r, a, start[l], (size_t)l));
                bad++;
                break;
            }
        interp_result_fini(&result);
        for (size_t k = 0; k < 3; k++)
            interp_tensor_free(a[k].tensor);
        arena_free(arena);
        ir_module_free(m);
    }
    assert_int_equal(bad, 0);
}

static void wrong_forms_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(refused_rows); i++) {
        struct ir_module *m = row_module(&refused_rows[i]);
        struct vprog *p = vprog_make(m, m->funcs[0]);
        if (p->unsupported == NULL ||
            strstr(p->unsupported, "does not have") == NULL)
            fail_msg("%s: not refused", refused_rows[i].label);
        vprog_free(p);
        ir_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specifications_agree),
        cmocka_unit_test(interpreter_is_right),
        cmocka_unit_test(wrong_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
