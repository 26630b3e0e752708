/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes certificates: what was proved, of which functions, by which
 * obligations, in the form that certificate.h gives.
 */
#include "verifier/certificate/certificate.h"

#include <inttypes.h>
#include <string.h>

/* One line: no name or text of the input may break the format. */
static void put_line(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_putc(out, *p);
    }
    buf_putc(out, '\n');
}

static const char *certificate_claim(enum verifier_verdict verdict)
{
    switch (verdict) {
    case VERIFIER_IDENTICAL: return "identical";
    case VERIFIER_ORDER_ONLY: return "order-only";
    case VERIFIER_PRECISION: return "precision";
    case VERIFIER_UNKNOWN:
    case VERIFIER_CANDIDATE: break;
    }
    return "nothing";
}

void certificate_put_names(const struct ir_module *const modules[2],
                           const struct ir_func *const funcs[2],
                           struct buf *out)
{
    static const char *const side[] = {"untuned", "tuned"};
    for (size_t i = 0; i < 2; i++) {
        /* the function tells those of one module apart */
        uint64_t hash =
            hash_mix(ir_module_hash(modules[i]), ir_func_hash(funcs[i]));
        buf_printf(out, "%s %016" PRIx64 " ", side[i], hash);
        put_line(out, funcs[i]->name);
    }
}

static void put_value(struct vctx *c, const char *side, int param,
                      const struct value *v, struct buf *out)
{
    struct buf text = {0};
    buf_printf(out, "value %s %d ", side, param);
    if (v != NULL)
        value_print(c, v, &text);
    put_line(out, buf_text(&text));
    buf_fini(&text);
}

static void put_claim(const struct verifier_result *r, struct buf *out)
{
    buf_printf(out, "claim %s\n", certificate_claim(r->verdict));
    for (size_t i = 0; i < r->nassumptions; i++) {
        buf_puts(out, "assume ");
        put_line(out, r->assumptions[i]);
    }
}

static void put_end(size_t n, struct buf *out)
{
    buf_printf(out, "end %zu %016" PRIx64 "\n", n,
               hash_bytes(0, out->data, out->len));
}

void certificate_write(struct vctx *c, const struct ir_module *const modules[2],
                       const struct ir_func *const funcs[2],
                       const struct verifier_result *r, size_t noutputs,
                       const struct certificate_output *outputs,
                       struct buf *out)
{
    size_t n = smt_log_size(c->smt);
    buf_puts(out, CERTIFICATE_MAGIC);
    certificate_put_names(modules, funcs, out);
    put_claim(r, out);
    for (size_t i = 0; i < noutputs; i++) {
        put_value(c, "untuned", outputs[i].param, outputs[i].values[0], out);
        put_value(c, "tuned", outputs[i].param, outputs[i].values[1], out);
    }
    for (size_t i = 0; i < n; i++) {
        const struct smt_obligation *o = smt_log_at(c->smt, i);
        buf_printf(out, "obligation %zu ", i + 1);
        put_line(out, o->what);
        smt_print(c->smt, o, out);
    }
    put_end(n, out);
}

/* ---- of several proofs ------------------------------------------------------ */

/* The lines of a certificate that begin with the word, or, from the first
 * obligation on, all up to the end. Gives the number of obligations. */
static size_t put_part(const struct buf *proof, bool obligations,
                       struct buf *out)
{
    static const char value[] = "value ", first[] = "obligation ";
    size_t n = 0;
    bool begun = false;
    for (size_t at = 0; at < proof->len;) {
        const char *line = proof->data + at;
        const char *nl = memchr(line, '\n', proof->len - at);
        size_t len = nl != NULL ? (size_t)(nl - line) + 1 : proof->len - at;
        bool is_first =
            len > sizeof first && strncmp(line, first, sizeof first - 1) == 0;
        begun = begun || is_first;
        n += is_first;
        if (begun && len > 4 && strncmp(line, "end ", 4) == 0)
            break;
        if (obligations ? begun
                        : !begun && len > sizeof value &&
                              strncmp(line, value, sizeof value - 1) == 0)
            buf_append(out, line, len);
        at += len;
    }
    return n;
}

void certificate_write_chain(const struct ir_module *const modules[2],
                             const struct ir_func *const funcs[2],
                             const struct verifier_result *r, size_t ncalls,
                             const struct certificate_call *calls, size_t n,
                             const struct certificate_callees *callees,
                             struct buf *out)
{
    struct buf text = {0};
    size_t total = 0;
    buf_puts(out, CERTIFICATE_MAGIC);
    certificate_put_names(modules, funcs, out);
    put_claim(r, out);
    for (size_t i = 0; i < ncalls; i++) {
        const struct certificate_call *c = &calls[i];
        text.len = 0;
        buf_printf(&text, "call %zu %s is %s %s", i, c->tuned,
                   c->untuned != NULL ? c->untuned : "a part",
                   c->untuned != NULL ? certificate_claim(c->verdict) : "");
        put_line(out, buf_text(&text));
    }
    for (size_t i = 0; i < n; i++) {
        text.len = 0;
        buf_printf(&text, "callees %s %s | %s",
                   certificate_claim(callees[i].verdict), callees[i].untuned,
                   callees[i].tuned);
        put_line(out, buf_text(&text));
        (void)put_part(callees[i].proof, false, out);
    }
    for (size_t i = 0; i < n; i++)
        total += put_part(callees[i].proof, true, out);
    put_end(total, out);
    buf_fini(&text);
}
