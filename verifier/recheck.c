/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking certificates. A certificate is never believed: the claim is derived
 * again from the modules with the solver in another configuration, the text
 * must be the same, and each obligation is read from the certificate by a
 * solver of its own, with a third configuration.
 *
 * A fault in the derivation itself would give wrong obligations both times.
 * Against that the terms of both functions are enumerated at small sizes by
 * code of its own (enumerate/), and the caller runs the modules on numbers.
 */
#include "verifier/certificate/certificate.h"
#include "verifier/enumerate/enumerate.h"
#include "verifier/smt/smt_state.h"

#include <inttypes.h>
#include <string.h>

/* Solver units for one obligation and for all: ten times what the first
 * solver had, the other may take longer. */
#define RLIMIT       30000000
#define RLIMIT_TOTAL UINT64_C(2000000000)
#define SCRIPTS      100 /* that one solver reads */

struct check {
    struct verifier_confirmation *out;
    const char *text;
    size_t len;
    Z3_context z3; /* NULL: none was needed yet */
};

DC_PRINTF(3, 4)
static void refuse(struct check *k, enum verifier_check outcome,
                   const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    k->out->reason = arena_vprintf(k->out->again.arena, fmt, args);
    va_end(args);
    k->out->outcome = outcome;
}

/* ---- the text -------------------------------------------------------------------- */

static bool starts(const char *text, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && memcmp(text, with, n) == 0;
}

/* The end of the line that starts at `at`, its newline included. */
static size_t line_end(const char *text, size_t len, size_t at)
{
    const char *nl = at < len ? memchr(text + at, '\n', len - at) : NULL;
    return nl != NULL ? (size_t)(nl - text) + 1 : len;
}

/* From its first line to its `end` line. */
static size_t certificate_size(const char *text, size_t len)
{
    size_t at = line_end(text, len, 0);
    while (at < len && !starts(text + at, len - at, CERTIFICATE_MAGIC)) {
        size_t next = line_end(text, len, at);
        bool end = starts(text + at, len - at, "end ");
        at = next;
        if (end)
            break;
    }
    return at;
}

bool verifier_find_certificate(const char *text, size_t len, const char *name,
                               size_t *start, size_t *size)
{
    for (size_t at = 0; at < len;) {
        size_t n = certificate_size(text + at, len - at);
        size_t first = line_end(text + at, n, 0);
        size_t second = line_end(text + at, n, first);
        size_t wanted = strlen(name);
        /* "untuned " hash " " name newline */
        size_t before = strlen("untuned ") + 16 + 1;
        if (second - first == before + wanted + 1 &&
            memcmp(text + at + first + before, name, wanted) == 0) {
            *start = at;
            *size = n;
            return true;
        }
        at += n;
    }
    return false;
}

static bool check_frame(struct check *k)
{
    size_t last = k->len;
    if (!starts(k->text, k->len, CERTIFICATE_MAGIC)) {
        refuse(k, VERIFIER_REFUSED, "it is no certificate of this version");
        return false;
    }
    if (k->len == 0 || k->text[k->len - 1] != '\n')
        last = 0;
    for (last = last > 0 ? last - 1 : 0; last > 0 && k->text[last - 1] != '\n';)
        last--;
    struct buf want = {0};
    buf_printf(&want, " %016" PRIx64 "\n", hash_bytes(0, k->text, last));
    bool whole = starts(k->text + last, k->len - last, "end ") &&
                 k->len - last > want.len &&
                 memcmp(k->text + k->len - want.len, want.data, want.len) == 0;
    buf_fini(&want);
    if (!whole)
        refuse(k, VERIFIER_REFUSED, "it is cut short or was changed");
    return whole;
}

static bool check_names(struct check *k, const struct ir_module *const m[2],
                        const struct ir_func *const f[2])
{
    struct buf want = {0};
    buf_puts(&want, CERTIFICATE_MAGIC);
    certificate_put_names(m, f, &want);
    bool same = starts(k->text, k->len, buf_text(&want));
    buf_fini(&want);
    if (!same)
        refuse(k, VERIFIER_REFUSED, "it is about other functions");
    return same;
}

/* ---- the derivation ------------------------------------------------------------------ */

/* Where the solver failed, it is not for the certificate that less was found. */
static void differs_at(struct check *k, const struct buf *again)
{
    size_t at = 0, line = 1;
    while (at < k->len && at < again->len && k->text[at] == again->data[at])
        line += k->text[at++] == '\n';
    while (at > 0 && k->text[at - 1] != '\n')
        at--;
    size_t n = line_end(k->text, k->len, at) - at;
    if (k->out->again.solver_failed) {
        refuse(k, VERIFIER_UNDECIDED, "the solver failed");
        return;
    }
    refuse(k, VERIFIER_REFUSED, "line %zu is not what the modules give: %.*s",
           line,
           (int)(n > 60  ? 60
                 : n > 0 ? n - 1
                         : 0),
           k->text + at);
}

static bool derive_again(struct check *k, const struct ir_module *const m[2],
                         const struct ir_func *const f[2])
{
    struct verifier_options options = {.rlimit_query = RLIMIT,
                                       .rlimit_total = RLIMIT_TOTAL,
                                       .certificate = "",
                                       .variant = 1};
    arena_free(k->out->again.arena);
    (f[0]->kind == IR_FUNC_RELAX ? verifier_prove_relax : verifier_prove)(
        m[1], f[1], m[0], f[0], &options, &k->out->again);
    const struct verifier_result *r = &k->out->again;
    if (r->certificate.len == 0) {
        refuse(k, VERIFIER_UNDECIDED, "the proof was not found again: %s",
               r->reason != NULL ? r->reason : "no reason given");
        return false;
    }
    if (r->certificate.len != k->len ||
        memcmp(r->certificate.data, k->text, k->len) != 0) {
        differs_at(k, &r->certificate);
        return false;
    }
    return true;
}

/* ---- obligations ------------------------------------------------------------------------ */

static const char LOGIC[] = "(set-logic QF_LIA)\n";

/* NULL where none can be made. */
static Z3_context context_new(const char *logic)
{
    struct buf text = {0};
    Z3_context z3 = solver_context(false);
    if (z3 == NULL)
        return NULL;
    buf_printf(&text,
               "(set-option :smt.arith.solver 6)\n"
               "(set-option :smt.random_seed 11)\n"
               "(set-option :rlimit %d)\n%s",
               RLIMIT, logic);
    const char *said = Z3_eval_smtlib2_string(z3, buf_text(&text));
    buf_fini(&text);
    if (said != NULL && *said == '\0' && Z3_get_error_code(z3) == Z3_OK)
        return z3;
    Z3_del_context(z3);
    return NULL;
}

/* The solver's word: "unsat", "sat", anything else. */
static const char *ask(struct check *k, Z3_context z3, const char *text)
{
    const char *said = Z3_eval_smtlib2_string(z3, text);
    bool fine = said != NULL && Z3_get_error_code(z3) == Z3_OK;
    return arena_strdup(k->out->again.arena, fine ? said : "");
}

/* One script of many: the logic is set already, and may be set but once. */
static const char *ask_among(struct check *k, const char *script, size_t len)
{
    struct buf text = {0};
    size_t at = line_end(script, len, 0);
    buf_puts(&text, "(push 1)\n");
    buf_append(&text, script, at);
    if (starts(script + at, len - at, LOGIC))
        at += strlen(LOGIC);
    buf_append(&text, script + at, len - at);
    buf_puts(&text, "(pop 1)\n");
    const char *said = ask(k, k->z3, buf_text(&text));
    buf_fini(&text);
    return said;
}

static void forget_solver(struct check *k)
{
    if (k->z3 != NULL)
        Z3_del_context(k->z3);
    k->z3 = NULL;
}

/* Solvers are made for many scripts each, since to make one takes longer than
 * most scripts do; what is not unsatisfiable is asked of one of its own. One that
 * gave another answer goes: where that was an error, some of the script may have
 * stayed in it. */
static const char *solve(struct check *k, const char *script, size_t len)
{
    const char *said = "";
    if (k->out->obligations % SCRIPTS == 0)
        forget_solver(k);
    if (k->z3 == NULL)
        k->z3 = context_new(LOGIC);
    if (k->z3 != NULL)
        said = ask_among(k, script, len);
    if (strcmp(said, "unsat\n") != 0) {
        char *alone = arena_strndup(k->out->again.arena, script, len);
        forget_solver(k);
        Z3_context fresh = context_new("");
        said = fresh != NULL ? ask(k, fresh, alone) : "";
        if (fresh != NULL)
            Z3_del_context(fresh);
    }
    solver_memory_count();
    return said;
}

static bool solve_again(struct check *k)
{
    for (size_t at = 0; at < k->len;) {
        size_t next = line_end(k->text, k->len, at);
        if (!starts(k->text + at, k->len - at, "obligation ")) {
            at = next;
            continue;
        }
        size_t end = next;
        while (end < k->len &&
               !starts(k->text + end, k->len - end, "obligation ") &&
               !starts(k->text + end, k->len - end, "end "))
            end = line_end(k->text, k->len, end);
        const char *said = solve(k, k->text + next, end - next);
        k->out->obligations++;
        if (strcmp(said, "unsat\n") != 0) {
            bool sat = strncmp(said, "sat", 3) == 0;
            refuse(k, sat ? VERIFIER_REFUSED : VERIFIER_UNDECIDED,
                   "obligation %zu was not confirmed: %.40s",
                   k->out->obligations,
                   *said != '\0' ? said : "the solver failed");
            return false;
        }
        at = end;
    }
    return true;
}

/* ---- brute force -------------------------------------------------------------------- */

static enum enumerate_claim claim_of(enum verifier_verdict v)
{
    return v == VERIFIER_IDENTICAL    ? ENUMERATE_IDENTICAL
           : v == VERIFIER_ORDER_ONLY ? ENUMERATE_ORDER
                                      : ENUMERATE_PRECISION;
}

static bool enumerate_terms(struct check *k, const struct ir_func *const f[2])
{
    const struct verifier_result *r = &k->out->again;
    struct enumerate_result e;
    bool finite = false;
    if (f[0]->kind == IR_FUNC_RELAX) {
        k->out->enumerated = "terms not enumerated: a Relax function";
        return true;
    }
    for (size_t i = 0; i < r->nassumptions; i++)
        finite = finite || strcmp(r->assumptions[i], "finite") == 0;
    enumerate_check(f[0], f[1], claim_of(r->verdict), finite, 0, &e);
    switch (e.outcome) {
    case ENUMERATE_EQUAL:
        /* where numbers are all there is, keyed runs are asked as well */
        k->out->compared = e.by_numbers < e.elements;
        k->out->enumerated = arena_printf(
            r->arena, "terms of %zu elements%s enumerated%s%s%s", e.elements,
            e.of == 0 ? "" : arena_printf(r->arena, ", sampled of %zu,", e.of),
            *e.sizes != '\0' ? " at " : "", e.sizes,
            e.by_numbers == 0
                ? ""
                : arena_printf(r->arena, ", %zu of them by numbers",
                               e.by_numbers));
        break;
    case ENUMERATE_NOT_DONE:
        k->out->enumerated =
            arena_printf(r->arena, "terms not enumerated: %s", e.why);
        break;
    case ENUMERATE_UNEQUAL:
        refuse(k, VERIFIER_REFUSED, "its claim fails at small sizes%s%s: %s",
               *e.sizes != '\0' ? ", " : "", e.sizes, e.why);
        break;
    }
    enumerate_fini(&e);
    return k->out->outcome == VERIFIER_CONFIRMED;
}

void verifier_check_certificate(const char *text, size_t len,
                                const struct ir_module *tuned_module,
                                const struct ir_func *tuned,
                                const struct ir_module *untuned_module,
                                const struct ir_func *untuned,
                                struct verifier_confirmation *out)
{
    const struct ir_module *const m[2] = {untuned_module, tuned_module};
    const struct ir_func *const f[2] = {untuned, tuned};
    struct check k = {out, text, len, NULL};
    memset(out, 0, sizeof *out);
    out->again.arena = arena_new();
    out->outcome = VERIFIER_CONFIRMED;
    (void)(check_frame(&k) && check_names(&k, m, f) && derive_again(&k, m, f) &&
           solve_again(&k) && enumerate_terms(&k, f));
    forget_solver(&k);
    solver_memory_count();
}

void verifier_confirmation_fini(struct verifier_confirmation *c)
{
    verifier_result_fini(&c->again);
}
