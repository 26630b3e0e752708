/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.json: what was found and on what, for programs (README.md lists the
 * members). repro.py and saved_read.c read it; so may anybody.
 *
 * Values are written twice, as shortest decimal text and as their bits. `replay`
 * holds words of a command line: the options that can change the verdict, with
 * files of this folder in place of the user's.
 */
#include "diff/input/contract.h"
#include "diff/saved/saved.h"
#include "ir/base/json.h"
#include "ir/base/limits.h"

#include <inttypes.h>
#include <string.h>

static void put_shape(struct json_writer *w, size_t rank, const int64_t *shape)
{
    json_put_key(w, "shape");
    json_begin_array(w);
    for (size_t d = 0; d < rank; d++)
        json_put_int(w, shape[d]);
    json_end_array(w);
}

static void put_file(struct json_writer *w, const char *key, const char *folder,
                     const char *name, const char *ending)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s%s.npy", folder, name, ending);
    json_put_member(w, key, buf_text(&path));
    buf_fini(&path);
}

/* Its type, and how a file holds it. */
static void put_type(struct json_writer *w, struct dtype t)
{
    char name[48];
    json_put_member(w, "dtype", dtype_name(dtype_scalar(t), name));
    json_put_key(w, "lanes");
    json_put_uint(w, t.lanes);
    (void)snprintf(name, sizeof name, "uint%zu",
                   8 * dtype_lane_bytes(dtype_scalar(t)));
    json_put_member(w, "raw", npy_is_native(dtype_scalar(t)) ? NULL : name);
}

/* ---- the element --------------------------------------------------------------------- */

static void put_value(struct json_writer *w, const char *key,
                      const struct interp_tensor *t, size_t element)
{
    struct dtype type = dtype_scalar(t->dtype);
    uint64_t bits = interp_tensor_get(t, element);
    struct buf text = {0};
    json_put_key(w, key);
    if (!(t->state[element] & INTERP_DEFINED)) {
        json_put_string(w, "undefined");
        return;
    }
    if (type.bits < 64)
        bits &= (UINT64_C(1) << type.bits) - 1;
    json_begin_object(w);
    num_put(&text, type, interp_tensor_get(t, element));
    json_put_member(w, "decimal", buf_text(&text));
    text.len = 0;
    buf_printf(&text, "0x%0*" PRIx64, (int)((type.bits + 3) / 4), bits);
    json_put_member(w, "bits", buf_text(&text));
    json_end_object(w);
    buf_fini(&text);
}

static void put_box(struct json_writer *w, const char *key,
                    const struct report_value *v)
{
    if (v->kind != REPORT_V_BOX)
        return;
    json_put_key(w, key);
    json_begin_array(w);
    json_put_double(w, v->lo, false);
    json_put_double(w, v->hi, false);
    json_end_array(w);
}

/* The first output that is there, for type and shape. */
static const struct interp_tensor *any_output(const struct saved_finding *f)
{
    for (size_t k = 0; k < f->nmodules; k++)
        if (f->outputs[k])
            return f->outputs[k][f->element.output];
    return NULL;
}

static void put_index(struct json_writer *w, const struct interp_tensor *t,
                      size_t element)
{
    int64_t index[DC_MAX_RANK];
    size_t lanes = t->dtype.lanes > 1 ? t->dtype.lanes : 1;
    size_t rest = element / lanes;
    for (size_t d = t->rank; d-- > 0;) {
        size_t extent = t->shape[d] > 0 ? (size_t)t->shape[d] : 1;
        index[d] = (int64_t)(rest % extent);
        rest /= extent;
    }
    json_put_key(w, "index");
    json_begin_array(w);
    for (size_t d = 0; d < t->rank; d++)
        json_put_int(w, index[d]);
    if (lanes > 1)
        json_put_uint(w, element % lanes);
    json_end_array(w);
}

static const char *output_name(const struct saved_finding *f,
                               const struct saved_names *names, size_t i)
{
    return f->relax ? names->outputs[i] : f->sig->params[i].name;
}

static void put_element(struct json_writer *w, const struct saved_finding *f,
                        const struct saved_names *names)
{
    const struct saved_element *e = &f->element;
    const struct interp_tensor *t = f->sig && e->known ? any_output(f) : NULL;
    json_put_key(w, "element");
    if (t == NULL) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    json_put_member(w, "output", output_name(f, names, e->output));
    json_put_key(w, "position");
    json_put_uint(w, e->output);
    put_index(w, t, e->element);
    json_put_key(w, "flat");
    json_put_uint(w, e->element);
    put_type(w, t->dtype);
    for (size_t k = 0; k < f->nmodules; k++)
        if (f->outputs[k])
            put_value(w, f->modules[k].name, f->outputs[k][e->output],
                      e->element);
        else
            json_put_member(w, f->modules[k].name, NULL);
    if (f->recorded)
        put_value(w, "target", f->recorded[e->output], e->element);
    json_put_key(w, "exact");
    json_put_bool(w, saved_is_exact(f));
    if (f->witness && f->witness->untuned.kind == REPORT_V_BOX) {
        json_put_key(w, "enclosures");
        json_begin_object(w);
        put_box(w, "tuned", &f->witness->tuned);
        put_box(w, "untuned", &f->witness->untuned);
        json_end_object(w);
    }
    json_end_object(w);
}

/* ---- arrays ---------------------------------------------------------------------------- */

static void put_outputs_of(struct json_writer *w, const struct saved_finding *f,
                           const struct saved_names *names, size_t i)
{
    const char *name = f->relax ? names->outputs[i] : names->params[i];
    for (size_t k = 0; k < f->nmodules; k++) {
        const char *side = f->modules[k].name;
        struct buf key = {0};
        if (!f->outputs[k]) { /* it faults: there is none */
            json_put_member(w, side, NULL);
            continue;
        }
        if (!f->outputs[k][i])
            continue;
        put_file(w, side, side, name, "");
        buf_printf(&key, "%s_known", side);
        if (names->masked[k] && names->masked[k][i])
            put_file(w, buf_text(&key), side, name, ".known");
        buf_fini(&key);
    }
    if (f->recorded && f->recorded[i])
        put_file(w, "target", "target", name, "");
}

/* Whether the parameter is an output on any side. */
static bool is_output(const struct saved_finding *f, size_t i)
{
    bool stored = f->sig->params[i].stored;
    for (size_t k = 0; k < f->nmodules; k++)
        stored = stored || (f->outputs[k] && f->outputs[k][i]);
    return stored && f->in->args[i].tensor && !f->relax;
}

static void put_param(struct json_writer *w, const struct saved_finding *f,
                      const struct saved_names *names, size_t i)
{
    const struct interp_param *p = &f->sig->params[i];
    const struct interp_tensor *t = f->in->args[i].tensor;
    json_begin_object(w);
    json_put_member(w, "name", p->name);
    json_put_member(w, "kind", t ? "tensor" : "scalar");
    put_type(w, p->dtype);
    put_shape(w, t ? t->rank : 0, t ? t->shape : NULL);
    put_file(w, "in", "in", names->params[i], "");
    json_put_key(w, "stored");
    json_put_bool(w, is_output(f, i));
    if (is_output(f, i))
        put_outputs_of(w, f, names, i);
    json_end_object(w);
}

static void put_arrays(struct json_writer *w, const struct saved_finding *f,
                       const struct saved_names *names)
{
    json_put_key(w, "parameters");
    json_begin_array(w);
    for (size_t i = 0; f->sig && i < f->in->n; i++)
        put_param(w, f, names, i);
    json_end_array(w);
    json_put_key(w, "relax");
    json_put_bool(w, f->relax);
    if (!f->relax)
        return;
    json_put_key(w, "outputs");
    json_begin_array(w);
    for (size_t i = 0; i < f->noutputs; i++) {
        const struct interp_tensor *t = NULL;
        for (size_t k = 0; k < f->nmodules && t == NULL; k++)
            t = f->outputs[k] ? f->outputs[k][i] : NULL;
        json_begin_object(w);
        json_put_member(w, "name", names->outputs[i]);
        if (t) {
            put_type(w, t->dtype);
            put_shape(w, t->rank, t->shape);
        }
        put_outputs_of(w, f, names, i);
        json_end_object(w);
    }
    json_end_array(w);
}

/* ---- the run ------------------------------------------------------------------------------ */

static void put_input(struct json_writer *w, const struct saved_finding *f)
{
    json_put_key(w, "input");
    if (!f->sig) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    json_put_member(w, "fill", f->input);
    json_put_key(w, "seed");
    json_put_uint(w, f->seed);
    json_put_key(w, "minimised");
    json_put_bool(w, f->minimised);
    json_put_key(w, "sizes");
    json_begin_object(w);
    for (size_t i = 0; i < f->nsymbols; i++) {
        json_put_key(w, f->symbols[i].name);
        json_put_int(w, f->symbols[i].value);
    }
    json_end_object(w);
    json_end_object(w);
}

DC_PRINTF(3, 4)
static void put_word(struct json_writer *w, const char *option, const char *fmt,
                     ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    json_put_string(w, option);
    json_put_string(w, buf_text(&text));
    buf_fini(&text);
}

static void put_contract(struct json_writer *w, const struct diff_options *o)
{
    for (size_t i = 0; i < o->nassumes; i++)
        put_word(w, "--assume", "%s:%s", o->assumes[i].name,
                 o->assumes[i].text);
    for (size_t i = 0; i < o->nproperties; i++)
        put_word(w, "--assume", "%s:%s", o->properties[i].name,
                 diff_property_word(o->properties[i].kinds));
    for (size_t i = 0; i < o->noverlaps; i++)
        put_word(w, "--assume", "overlap=%s,%s", o->overlaps[i].first,
                 o->overlaps[i].second);
}

/* The element, of a comparison: others may differ on the input, too. */
static void put_place(struct json_writer *w, const struct saved_finding *f)
{
    const struct interp_tensor *t =
        f->sig && f->element.known && f->nmodules == NSIDES && !f->relax
            ? any_output(f)
            : NULL;
    const char *name = t ? f->sig->params[f->element.output].name : "[";
    struct buf text = {0};
    if (strchr(name, '[') || t->dtype.lanes != 1)
        return;
    interp_put_index(&text, t, f->element.element);
    put_word(w, "--element", "%s%s", name, buf_text(&text));
    buf_fini(&text);
}

/* Whether `--in NAME=FILE` can give the parameter and no other one. */
static bool can_give(const struct interp_signature *sig, size_t i)
{
    const char *name = sig->params[i].name;
    for (size_t k = 0; k < sig->nparams; k++)
        if (k != i && strcmp(sig->params[k].name, name) == 0)
            return false;
    return *name && !strchr(name, '=');
}

/* The input and what was recorded of it. The latter, and the element, mean nothing
 * where a part of the input is generated anew. */
static void put_given(struct json_writer *w, const struct saved_finding *f,
                      const struct saved_names *names)
{
    bool whole = true;
    for (size_t i = 0; f->sig && i < f->in->n; i++)
        if (can_give(f->sig, i))
            put_word(w, "--in", "%s=in/%s.npy", f->sig->params[i].name,
                     names->params[i]);
        else
            whole = false;
    for (size_t i = 0; f->recorded && whole && i < f->noutputs; i++)
        if (f->recorded[i])
            put_word(w, "--expect", "%s=target/%s.npy", f->sig->params[i].name,
                     names->params[i]);
    if (whole)
        put_place(w, f);
}

/* The same finding again, from the arrays. */
static void put_replay(struct json_writer *w, const struct saved_finding *f,
                       const struct saved_names *names)
{
    const struct diff_options *o = f->options;
    json_put_key(w, "replay");
    json_begin_array(w);
    if (!f->tuned_function || o->nrenames > 0)
        put_word(w, "--function", "%s", f->function);
    if (f->tuned_function && o->nrenames > 0)
        put_word(w, "--pair", "%s=%s", f->tuned_function, f->function);
    put_word(w, "--seed", "%" PRIu64, o->seed);
    if (o->given[DIFF_OPT_BUDGET])
        put_word(w, "--budget", "%" PRIu64, o->budget);
    if (o->given[DIFF_OPT_SAMPLES])
        put_word(w, "--samples", "%zu", o->samples);
    put_word(w, "--barriers", "%s",
             o->explicit_barriers ? "explicit" : "implied");
    put_contract(w, o);
    for (size_t i = 0; i < o->nexterns; i++)
        put_word(w, "--extern", "extern/%zu", i);
    if (f->fail_on)
        put_word(w, "--fail-on", "%s", f->fail_on);
    put_given(w, f, names);
    json_end_array(w);
}

/* Both accesses of a race, that at fault first. */
static void put_accesses(struct json_writer *w, const struct saved_finding *f)
{
    const struct report_origin *o = f->origin;
    json_put_key(w, "accesses");
    json_begin_array(w);
    for (size_t i = 0; o && report_is_race(o) && i < o->nplaces; i++) {
        const struct report_place *p = &o->places[i];
        json_begin_object(w);
        json_put_member(w, "access", p->access);
        json_put_member(w, "statement", p->text);
        json_put_member(w, "variables", p->vars);
        json_put_member(w, "thread", p->thread);
        json_put_member(w, "file", p->file);
        json_put_key(w, "line");
        json_put_uint(w, p->line);
        json_end_object(w);
    }
    json_end_array(w);
}

/* How TVM calls the function: positions in `parameters`, and numbers. */
static void put_call(struct json_writer *w, const struct saved_call *call)
{
    json_put_key(w, "arguments");
    if (call)
        json_begin_array(w);
    else
        json_put_null(w);
    for (size_t i = 0; call && i < call->n; i++) {
        if (!call->args[i].is_number) {
            json_put_uint(w, call->args[i].position);
            continue;
        }
        json_begin_object(w);
        json_put_key(w, "value");
        json_put_int(w, call->args[i].number);
        json_end_object(w);
    }
    if (call)
        json_end_array(w);
    json_put_key(w, "returns");
    if (call && call->returns)
        json_put_uint(w, call->returned);
    else
        json_put_null(w);
}

static void put_modules(struct json_writer *w, const struct saved_finding *f,
                        const struct saved_names *names)
{
    struct arena *arena = arena_new();
    json_put_key(w, "modules");
    json_begin_array(w);
    for (size_t k = 0; k < f->nmodules; k++) {
        const struct saved_module *m = &f->modules[k];
        struct buf file = {0};
        buf_printf(&file, "%s.json", m->name);
        json_begin_object(w);
        json_put_member(w, "side", m->name);
        json_put_member(w, "path",
                        f->bundle ? saved_bare_name(m->path) : m->path);
        json_put_member(w, "file", names->whole[k] ? buf_text(&file) : NULL);
        json_put_member(w, "given", names->given[k]);
        json_put_member(w, "tvm_version", m->module->tvm_version);
        put_call(w, saved_call_make(f, k, arena));
        json_put_key(w, "orders");
        json_begin_array(w);
        for (size_t i = 0; names->ordered[k] && saved_order_name(i); i++)
            json_put_string(w, saved_order_name(i));
        json_end_array(w);
        json_end_object(w);
        buf_fini(&file);
    }
    json_end_array(w);
    arena_free(arena);
}

void saved_put_finding(struct buf *out, const struct saved_finding *f,
                       const struct saved_names *names)
{
    struct json_writer writer = {.out = out, .indent = 2}, *w = &writer;
    json_begin_object(w);
    json_put_key(w, "schema");
    json_put_int(w, 1);
    json_put_member(w, "tool", "diffcheck");
    json_put_member(w, "version", DC_VERSION);
    json_put_member(w, "command", f->command);
    json_put_member(w, "verdict", f->verdict);
    json_put_member(w, "rule", f->rule);
    json_put_member(w, "function", f->function);
    json_put_member(w, "tuned_function",
                    f->tuned_function ? f->tuned_function : f->function);
    json_put_member(w, "reason", f->reason);
    json_put_member(w, "target", f->target);
    json_put_member(w, "fault", f->fault);
    json_put_member(w, "where", f->where);
    put_accesses(w, f);
    put_element(w, f, names);
    put_input(w, f);
    put_arrays(w, f, names);
    json_put_key(w, "assumptions");
    json_begin_array(w);
    for (size_t i = 0; f->assumptions && i < f->assumptions->n; i++)
        json_put_string(w, f->assumptions->items[i]);
    json_end_array(w);
    put_modules(w, f, names);
    put_replay(w, f, names);
    json_end_object(w);
    buf_putc(out, '\n');
}
