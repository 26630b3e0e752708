/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies in the proof of safety (copies.c). Rings of buffers of 2
 * to 5 slots with all numbers of groups that a wait may leave pending: which
 * of them are right is known by counting. Then one change at a time, the
 * litmus cases of the rules G22 to G28 and G40, and a row for each condition.
 */
#include "tests/verifier/safety/safety_case_internal.h"

#include <dirent.h>

/* What the proof says of a module's only function. */
static bool is_safe(const char *label, struct ir_module *m,
                    enum vsafety_kind *k)
{
    struct vprog *p = vprog_make(m, m->funcs[0]);
    if (p->unsupported != NULL)
        fail_msg("%s: not translated: %s", label, p->unsupported);
    struct vctx *c = vctx_new(p, p, NULL);
    match_serve(c);
    struct vsafety out;
    bool safe = vsafety_prove(c, p, &out);
    *k = out.kind;
    vctx_free(c);
    vprog_free(p);
    ir_module_free(m);
    return safe;
}

static struct ir_module *read_text(const char *label, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), label, sink);
    if (m == NULL) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        print_error("%s\n%s\n", buf_text(&said), text);
        buf_fini(&said);
        fail();
    }
    diag_sink_free(sink);
    return m;
}

/* ---- rings of buffers ------------------------------------------------------------- */

struct ring {
    int slots, pending; /* the wait in the loop leaves that many */
    int last;           /* the one after the loop, for the last slots */
    bool first;         /* barrier between wait and reads */
    bool second;        /* barrier between reads and the next copy */
    bool swapped;       /* the first barrier before the wait */
    bool guarded;       /* 64 iterations; copies that are not needed left out */
};

#define COPY(slot, row)                                                   \
    "T.evaluate(T.ptx_cp_async(S.data, " slot " * 128 + tx * 8, A.data, " \
    "(" row ") * 128 + tx * 8, 16, dtype=\"float16\"))\n"
#define COMMIT "T.evaluate(T.ptx_commit_group())\n"
#define READ(row, slot)                                                    \
    "for i in range(8):\n                B[" row ", tx * 8 + i] = S[" slot \
    ", (15 - tx) * 8 + i]\n"

/* Slots - 1 copies ahead, each iteration copies one more, commits, waits,
 * reads what other threads have copied. 64 rows in all. */
static void write_ring(const struct ring *r, struct buf *out)
{
    int n = r->slots, ahead = n - 1;
    buf_printf(out,
               HEADER
               "A: T.Buffer((64, 128), \"float16\"), B: "
               "T.Buffer((64, 128), \"float16\")):\n"
               "    S = T.alloc_buffer((%d, 128), \"float16\", "
               "scope=\"shared\")\n"
               "    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
               "        for s in range(%d):\n"
               "            " COPY("s", "s") "            " COMMIT
                                             "        for ko in range(%d):\n",
               n, ahead, r->guarded ? 64 : 64 - ahead);
    if (r->guarded)
        buf_printf(out, "            if ko < %d:\n    ", 64 - ahead);
    buf_printf(out, "            " COPY("(ko + %d) %% %d", "ko + %d"), ahead, n,
               ahead);
    buf_printf(out,
               "            " COMMIT "%s"
               "            T.evaluate(T.ptx_wait_group(%d))\n%s"
               "            " READ("ko", "ko %% %d") "%s",
               r->swapped ? "            " SYNC : "", r->pending,
               r->first && !r->swapped ? "            " SYNC : "", n,
               r->second ? "            " SYNC : "");
    if (r->guarded)
        return;
    buf_printf(out,
               "        T.evaluate(T.ptx_wait_group(%d))\n        " SYNC
               "        for j in range(%d):\n"
               "            " READ("%d + j", "(%d + j) %% %d"),
               r->last, ahead, 64 - ahead, 64 - ahead, n);
}

static void check_ring(const struct ring *r, bool right)
{
    struct buf text = {0};
    char label[160];
    enum vsafety_kind kind;
    snprintf(label, sizeof label,
             "%d slots, %d pending, %d after it, barriers %d %d, swapped %d, "
             "guarded %d",
             r->slots, r->pending, r->last, r->first, r->second, r->swapped,
             r->guarded);
    write_ring(r, &text);
    bool safe = is_safe(label, read_text(label, buf_text(&text)), &kind);
    if (safe != right || (!right && kind != VSAFETY_RACE))
        fail_msg("%s: %s, kind '%s'", label, safe ? "proved" : "not proved",
                 vsafety_kind_name(kind));
    buf_fini(&text);
}

/* At the wait of iteration ko there are slots + ko groups, and row ko is in
 * group ko + 1: at most slots - 1 may be left. */
static void numbers_of_groups(void **state)
{
    (void)state;
    for (int slots = 2; slots <= 5; slots++)
        for (int pending = 0; pending <= slots + 1; pending++)
            for (int guarded = 0; guarded < 2; guarded++)
                check_ring(&(struct ring){.slots = slots,
                                          .pending = pending,
                                          .first = true,
                                          .second = true,
                                          .guarded = guarded != 0},
                           pending <= slots - 1);
}

/* After the loop all groups must be complete at once. */
static void after_the_loop(void **state)
{
    (void)state;
    for (int slots = 2; slots <= 4; slots++)
        for (int last = 0; last < 2; last++)
            check_ring(&(struct ring){.slots = slots,
                                      .pending = slots - 1,
                                      .last = last,
                                      .first = true,
                                      .second = true},
                       last == 0);
}

static void barriers(void **state)
{
    struct ring r = {.slots = 3, .pending = 2, .first = true, .second = true};
    (void)state;
    check_ring(&r, true);
    r.first = false;
    check_ring(&r, false);
    r = (struct ring){.slots = 3, .pending = 2, .first = true};
    check_ring(&r, false);
    r = (struct ring){
        .slots = 3, .pending = 2, .swapped = true, .second = true};
    check_ring(&r, false);
}

/* ---- litmus cases -------------------------------------------------------------------- */

static bool is_about_copies(const char *name)
{
    int rule = name[0] == 'g' && strlen(name) > 3
                   ? (name[1] - '0') * 10 + (name[2] - '0')
                   : 0;
    return (rule >= 22 && rule <= 28) || rule == 40;
}

static void litmus(void **state)
{
    DIR *dir = opendir("corpora/litmus");
    struct dirent *entry;
    size_t seen = 0;
    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[512];
        enum vsafety_kind kind;
        if (!is_about_copies(entry->d_name))
            continue;
        snprintf(path, sizeof path, "corpora/litmus/%s", entry->d_name);
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m = ir_read_file(path, sink);
        diag_sink_free(sink);
        assert_non_null(m);
        bool right = strstr(entry->d_name, "-right") != NULL;
        if (is_safe(path, m, &kind) != right ||
            (!right && kind != VSAFETY_RACE))
            fail_msg("%s: kind '%s'", path, vsafety_kind_name(kind));
        seen++;
    }
    closedir(dir);
    assert_int_equal(seen, 16);
}

/* ---- one condition each ---------------------------------------------------------------- */

#define SIDES                                                      \
    "A: T.Buffer((64, 128), \"float16\"), B: T.Buffer((64, 128), " \
    "\"float16\")"
#define SLOTS(n) \
    "    S = T.alloc_buffer((" #n ", 128), \"float16\", scope=\"shared\")\n"
#define WAIT(n) "T.evaluate(T.ptx_wait_group(" #n "))\n"
/* Each thread copies 8 elements of row `row` to slot `slot`. */
#define IN   "        "
#define DEEP "            "
#define OWN(row, slot)                                                         \
    "for i in range(8):\n                    B[" row ", tx * 8 + i] = S[" slot \
    ", tx * 8 + i]\n"
#define OTHERS(row, slot)                                                      \
    "for i in range(8):\n                    B[" row ", tx * 8 + i] = S[" slot \
    ", (15 - tx) * 8 + i]\n"

// clang-format off
static const struct safety_case cases[] = {
{"rule 23: a wait for all", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN WAIT(0) IN OWN("0", "0") IN SYNC, .want = VSAFETY_NONE},
{"rule 23: a wait that leaves the group", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN WAIT(1) IN OWN("0", "0") IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a wait before the commit", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN WAIT(0) IN COMMIT IN OWN("0", "0") IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a wait after the read", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN OWN("0", "0") IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: of two groups the older one", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN COPY("1", "1") IN COMMIT IN WAIT(1)
 IN OWN("0", "0") IN WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: of two groups the younger one", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN COPY("1", "1") IN COMMIT IN WAIT(1)
 IN OWN("0", "1") IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a group of an inner loop's commits", SIDES,
 SLOTS(4) TX(16)
 IN COPY("0", "0")
 IN "for s in range(3):\n" DEEP COMMIT
 IN WAIT(2) IN OWN("0", "0") IN WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: as many groups as the inner loop commits", SIDES,
 SLOTS(4) TX(16)
 IN COPY("0", "0")
 IN "for s in range(3):\n" DEEP COMMIT
 IN WAIT(3) IN OWN("0", "0") IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: copies of a loop that begins at 2", SIDES,
 SLOTS(8) TX(16)
 IN "for s in range(2, 6):\n" DEEP COPY("s", "s") DEEP COMMIT
 IN WAIT(3) IN OWN("0", "2") IN WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: its second copy", SIDES,
 SLOTS(8) TX(16)
 IN "for s in range(2, 6):\n" DEEP COPY("s", "s") DEEP COMMIT
 IN WAIT(3) IN OWN("0", "3") IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: other threads' copies after a barrier", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN WAIT(0) IN SYNC IN OTHERS("0", "0") IN SYNC, .want = VSAFETY_NONE},
{"rule 23: other threads' copies after a barrier before the wait", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN SYNC IN WAIT(0) IN OTHERS("0", "0") IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a wait for all, where barriers are implied", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN WAIT(0) IN OWN("0", "0"), .want = VSAFETY_NONE},
{"rule 23: an implied barrier completes nothing", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN OWN("0", "0"), .want = VSAFETY_RACE},
{"rule 23: the target is not stored to", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT
 IN "S[0, tx * 8] = T.float16(1)\n" IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: it is before the issue", SIDES,
 SLOTS(2) TX(16)
 IN "S[0, tx * 8] = T.float16(1)\n"
 IN COPY("0", "0") IN COMMIT IN WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: the source is not stored to", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT
 IN "A[0, tx * 8] = T.float16(1)\n" IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: but it is read", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT
 IN "B[0, tx * 8] = A[0, tx * 8]\n" IN WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: a copy to where another one goes", SIDES,
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN COPY("0", "1") IN COMMIT IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: one iteration's copy and the next one's", SIDES,
 SLOTS(2) TX(16)
 IN "for k in range(4):\n" DEEP COPY("0", "k") DEEP COMMIT
 IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: the same, each waited for", SIDES,
 SLOTS(2) TX(16)
 IN "for k in range(4):\n" DEEP COPY("0", "k") DEEP COMMIT DEEP WAIT(0), .want = VSAFETY_NONE},
{"rule 23: a read of what the iteration before copies", SIDES,
 SLOTS(2) TX(16)
 IN "S[1, tx * 8] = T.float16(0)\n"
 IN "for k in range(2):\n"
 DEEP "B[k, tx * 8] = S[1 - k, tx * 8]\n" DEEP COPY("k", "k") DEEP COMMIT
 IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a read of what it has copied", SIDES,
 SLOTS(2) TX(16)
 IN "S[1, tx * 8] = T.float16(0)\n"
 IN "for k in range(2):\n"
 DEEP "B[k, tx * 8] = S[1 - k, tx * 8]\n" DEEP COPY("k", "k") DEEP COMMIT
 DEEP WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: a store to what the iteration before copies", SIDES,
 SLOTS(2) TX(16)
 IN "for k in range(2):\n"
 DEEP "S[1 - k, tx * 8] = T.float16(1)\n" DEEP COPY("k", "k") DEEP COMMIT
 IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 23: a store to what it has copied", SIDES,
 SLOTS(2) TX(16)
 IN "for k in range(2):\n"
 DEEP "S[1 - k, tx * 8] = T.float16(1)\n" DEEP COPY("k", "k") DEEP COMMIT
 DEEP WAIT(0) IN SYNC, .want = VSAFETY_NONE},
{"rule 23: a wait that may not be reached", SIDES ", X: T.Buffer((1,), \"int32\")",
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT
 IN "if X[0] > 0:\n" DEEP WAIT(0)
 IN OWN("0", "0") IN WAIT(0) IN SYNC, .want = VSAFETY_RACE},
{"rule 18: a kernel ends with its copies", SIDES ", G: T.Buffer((64, 128), \"float16\")",
 SLOTS(2) TX(16)
 IN COPY("0", "0") IN COMMIT IN WAIT(0)
 "    for ty in T.thread_binding(16, thread=\"threadIdx.y\"):\n"
 IN "A[0, ty * 8] = T.float16(1)\n", .want = VSAFETY_NONE},
};
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_groups),
        cmocka_unit_test(after_the_loop),
        cmocka_unit_test(barriers),
        cmocka_unit_test(litmus),
    };
    int failed = safety_main(cases, DC_ARRAY_LEN(cases));
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
