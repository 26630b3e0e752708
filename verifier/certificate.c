/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes certificates: what was proved, of which functions, by which
 * obligations, in the form that certificate.h gives.
 */
#include "verifier/certificate.h"

#include <inttypes.h>

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

const char *certificate_claim(enum verifier_verdict verdict)
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

void certificate_write(struct vctx *c, const struct ir_module *const modules[2],
                       const struct ir_func *const funcs[2],
                       const struct verifier_result *r, size_t noutputs,
                       const struct certificate_output *outputs,
                       struct buf *out)
{
    size_t n = smt_log_size(c->smt);
    buf_puts(out, CERTIFICATE_MAGIC);
    certificate_put_names(modules, funcs, out);
    buf_printf(out, "claim %s\n", certificate_claim(r->verdict));
    for (size_t i = 0; i < r->nassumptions; i++) {
        buf_puts(out, "assume ");
        put_line(out, r->assumptions[i]);
    }
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
    buf_printf(out, "end %zu %016" PRIx64 "\n", n,
               hash_bytes(0, out->data, out->len));
}
