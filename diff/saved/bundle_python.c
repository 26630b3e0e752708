/* SPDX-License-Identifier: Apache-2.0
 *
 * reproduce.py: both functions, the input, and what should be there, in one file that
 * needs TVM and NumPy alone.
 *
 * Exit status 1 comes from an AssertionError of the file itself and from nothing
 * else; TVM's own errors are 2, as is a missing TVM. What is compared is as exact as
 * the finding: a number where nothing rounds, a side of the gap between the enclosures,
 * finite or not, or the bits of both sides. A fault needs processes of their own
 * (bundle_fault.py), since they may crash.
 *
 * Text of the input is Python text by buf_put_quoted, or stands in comments without
 * a line's end; the second line is ours, so that no comment of the input is taken
 * for a declaration of an encoding.
 */
#include "diff/saved/bundle_script.h"

#include <math.h>
#include <string.h>

extern const char saved_bundle_fault[], saved_bundle_race[];

static void put_visible(struct buf *out, const char *text)
{
    buf_put_visible(out, text, strlen(text), "");
}

/* As Python text, for people: without control characters. */
static void put_string(struct buf *out, const char *text)
{
    struct buf clean = {0};
    put_visible(&clean, text);
    buf_put_quoted(out, buf_text(&clean), false);
    buf_fini(&clean);
}

/* ---- what is compared ------------------------------------------------------------- */

static const struct interp_tensor *output_of(const struct bundle_script *p,
                                             size_t k)
{
    const struct saved_finding *f = p->f;
    return f->outputs[k] ? f->outputs[k][f->element.output] : NULL;
}

static bool is_defined(const struct bundle_script *p, size_t k)
{
    const struct interp_tensor *t = output_of(p, k);
    return t && (t->state[p->f->element.element] & INTERP_DEFINED);
}

static const char *refused_type(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    for (size_t i = 0; i < f->in->n; i++) {
        const struct interp_tensor *t = f->in->args[i].tensor;
        const char *why =
            bundle_type_refused(t ? t->dtype : f->in->args[i].dtype);
        if (why)
            return arena_printf(p->arena, "it has %s", why);
    }
    return NULL;
}

/* Rounding alone makes the difference: no value is the only right one. */
static bool is_rounding(enum report_verdict verdict)
{
    return verdict != REPORT_UNSAFE && verdict != REPORT_DIFFERENT;
}

static bool has_boxes(const struct saved_finding *f)
{
    const struct report_witness *w = f->witness;
    return w && w->tuned.kind == REPORT_V_BOX &&
           w->untuned.kind == REPORT_V_BOX;
}

static enum bundle_check check_values(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    if (f->target)
        return EXACT;
    if (!is_defined(p, 0) || !is_defined(p, 1))
        return UNDEFINED;
    if (is_rounding(f->bundle->pair->verdict))
        return BITS;
    switch (f->bundle->kind) {
    case DIFF_ENCLOSURE: return has_boxes(f) ? ENCLOSURE : SIDED;
    case DIFF_SIDED: return SIDED;
    case DIFF_UNDEFINED:
    case DIFF_FAULT:
    case DIFF_NOTHING: return BITS;
    case DIFF_VALUE: return EXACT;
    }
    return BITS;
}

static void choose(struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    p->bare = true;
    for (size_t k = 0; k < f->nmodules; k++) {
        const struct bundle_module *m = &p->modules[k];
        p->gpu |= m->gpu;
        p->relax |= m->relax;
        p->bare = p->bare && m->bare;
        if (!m->json && (!m->script || !f->sig))
            p->why = "TVM has no form of a module";
    }
    p->check = REFUSED;
    if (!p->why && !f->sig && f->fault)
        p->check = NO_BUILD;
    else if (!p->why && !f->sig)
        p->why = "there is no input: what is told hangs on none";
    else if (!p->why)
        p->why = refused_type(p);
    if (p->why || !f->sig)
        return;
    if (f->element.known)
        p->check = check_values(p);
    else if (f->fault && f->nmodules > 1 &&
             strcmp(f->fault, interp_fault_name(INTERP_RACE)) == 0)
        p->check = RACE;
    else
        p->check = f->fault && !p->gpu ? FAULT : OUTPUTS;
}

/* ---- the head ---------------------------------------------------------------------- */

static void put_head(const struct bundle_script *p)
{
    const char *version = bundle_version(p->f);
    buf_puts(p->out, "#!/usr/bin/env python3\n# Needs ");
    buf_puts(p->out, "TVM 0.27 and NumPy. Exit status: 1 the fault is there, "
                     "0 it is not, 2 it cannot be told");
    buf_puts(p->out, p->gpu ? ",\n# 3 there is no GPU.\n# " : ".\n# ");
    bundle_put_headline(p->out, p->f);
    if (version) {
        buf_puts(p->out, " (found with TVM ");
        put_visible(p->out, version);
        buf_putc(p->out, ')');
    }
    if (p->f->nsymbols > 0) /* buffers of shape ("n",): for TVM's parser */
        buf_puts(p->out, "\nfrom __future__ import annotations\n");
    buf_puts(p->out, p->check == UNDEFINED ? "\nimport os\nimport subprocess\n"
                     : p->check == FAULT || p->check == RACE
                         ? "\nimport hashlib\nimport os\nimport subprocess\n"
                         : "\nimport os\n");
    buf_puts(p->out, "import sys\n");
    buf_puts(p->out, p->check == RACE ? "import time\n\n" : "\n");
    buf_puts(p->out, "sys.excepthook = lambda kind, why, trace: (\n"
                     "    print(kind.__name__, why, sep=\": \", flush=True),\n"
                     "    os._exit(1 if kind is AssertionError and not "
                     "trace.tb_next else 2))\n");
    if (p->check == UNDEFINED && !p->gpu)
        buf_puts(p->out,
                 "if \"MALLOC_PERTURB_\" not in os.environ:  # so that memory "
                 "is not zeros by chance\n"
                 "    os.environ[\"MALLOC_PERTURB_\"] = \"85\"\n"
                 "    os.execv(sys.executable, [sys.executable, "
                 "os.path.abspath(__file__)])\n");
}

static bool needs_types(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    for (size_t i = 0; f->sig && i < f->in->n; i++)
        if (f->in->args[i].tensor &&
            !npy_is_native(f->in->args[i].tensor->dtype))
            return true;
    return false;
}

static void put_imports(const struct bundle_script *p)
{
    bool sizes = false, bare = true, any = false;
    for (size_t k = 0; k < p->f->nmodules; k++) {
        const struct bundle_module *m = &p->modules[k];
        sizes |= m->sizes;
        any |= m->script != NULL;
        bare = bare && (m->bare || !m->script);
    }
    if (sizes)
        buf_puts(p->out, "from typing import TypeVar\n");
    if (needs_types(p))
        buf_puts(p->out, "import ml_dtypes  # noqa: F401, NumPy then has its "
                         "types\n");
    buf_puts(p->out, "import numpy as np\nimport tvm\n");
    if (any)
        buf_printf(p->out, "from tvm.script import %s%stirx as T\n",
                   bare ? "" : "ir as I, ", p->relax ? "relax as R, " : "");
}

/* Of a race both accesses, that at fault first. */
static void put_accesses(const struct bundle_script *p)
{
    const struct report_origin *o = p->f->origin;
    buf_puts(p->out, "\n\nACCESSES = [");
    for (size_t i = 0; o && report_is_race(o) && i < o->nplaces; i++) {
        const struct report_place *place = &o->places[i];
        const char *vars = place->vars ? place->vars : "";
        const char *thread = place->thread ? place->thread : "";
        buf_puts(p->out, i ? ",\n            " : "");
        put_string(p->out,
                   arena_printf(p->arena, "%s %s%s%s%s%s", place->access,
                                place->text, *vars ? ", " : "", vars,
                                *thread ? ", thread " : "", thread));
    }
    buf_puts(p->out, "]\n");
}

static void put_modules(const struct bundle_script *p)
{
    for (size_t k = 0; k < p->f->nmodules; k++) {
        const struct bundle_module *m = &p->modules[k];
        buf_puts(p->out, "\n\n");
        if (m->script && p->check != NO_BUILD) {
            buf_puts(p->out, m->script);
            continue;
        }
        buf_printf(p->out,
                   p->check == NO_BUILD ? "%s = " : "%s = tvm.ir.load_json(",
                   m->side);
        buf_put_quoted(p->out, m->json, false);
        buf_puts(p->out, p->check == NO_BUILD ? "\n" : ")\n");
    }
    if (p->check == RACE)
        put_accesses(p);
    if (p->gpu && p->check != NO_BUILD)
        buf_printf(p->out,
                   "\n\ndev = tvm.cuda(0)\nif not dev.exist:\n%s"
                   "    print(\"not run: a GPU kernel, and TVM finds no GPU "
                   "here\")\n    sys.exit(3)\n",
                   p->check == RACE ? "    print(\"\\n\".join(ACCESSES))\n"
                                    : "");
}

/* ---- what it should be ---------------------------------------------------------------- */

/* run(tuned)[0, 3] */
static const char *run_text(const struct bundle_script *p, size_t k)
{
    const struct bundle_module *m = &p->modules[k];
    struct buf text = {0};
    buf_printf(&text, "run(%s", m->side);
    if (!p->bare) {
        buf_puts(&text, ", ");
        buf_put_quoted(&text, m->function, false);
    }
    if (bundle_picks(p, k))
        buf_printf(&text, ", %s", bundle_picks(p, k));
    buf_putc(&text, ')');
    if (p->check != OUTPUTS)
        bundle_put_index(&text, output_of(p, k), p->f->element.element);
    const char *out = arena_strdup(p->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* "B[0]", as Python text. */
static const char *place_text(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    struct buf text = {0}, out = {0};
    buf_puts(&text, f->relax ? p->names->outputs[f->element.output]
                             : f->sig->params[f->element.output].name);
    if (output_of(p, 0)->rank > 0)
        bundle_put_index(&text, output_of(p, 0), f->element.element);
    put_string(&out, buf_text(&text));
    const char *kept = arena_strdup(p->arena, buf_text(&out));
    buf_fini(&text);
    buf_fini(&out);
    return kept;
}

/* An expression that holds where the variable is not the value. */
static void put_is_wrong(struct buf *out, const char *variable, struct dtype t,
                         uint64_t want)
{
    double value = dtype_is_float(t) ? num_to_double(t, want) : 1;
    if (isnan(value)) {
        buf_printf(out, "not np.isnan(%s)", variable);
        return;
    }
    buf_printf(out, "%s != ", variable);
    bundle_put_number(out, t, want);
    if (value == 0)
        buf_printf(out, " or %snp.signbit(%s)", signbit(value) ? "not " : "",
                   variable);
}

/* The side whose value is right; a target's module has one alone. */
static size_t right_side(const struct bundle_script *p)
{
    return p->f->nmodules == 1 ? 0 : 1;
}

static void put_exact(const struct bundle_script *p, struct buf *wrong,
                      struct buf *should)
{
    size_t k = right_side(p);
    const struct interp_tensor *t = output_of(p, k);
    uint64_t want = interp_tensor_get(t, p->f->element.element);
    put_is_wrong(wrong, "got", t->dtype, want);
    if (p->f->nmodules > 1) {
        buf_puts(wrong, " or ");
        put_is_wrong(wrong, "before", t->dtype, want);
    }
    bundle_put_number(should, t->dtype, want);
}

static void put_enclosure(const struct bundle_script *p, struct buf *wrong,
                          struct buf *should)
{
    const struct report_value *t = &p->f->witness->tuned;
    const struct report_value *u = &p->f->witness->untuned;
    bool above = t->lo > u->hi;
    double gap = above ? u->hi / 2 + t->lo / 2 : t->hi / 2 + u->lo / 2;
    if (!isfinite(gap))
        gap = above ? u->hi : u->lo;
    for (size_t i = 0; i < 2; i++) {
        buf_printf(wrong, "%snot %s %s ", i ? " or " : "", i ? "before" : "got",
                   above ? "<" : ">");
        bundle_put_double(wrong, gap);
    }
    buf_puts(should, above ? "below " : "above ");
    buf_put_double(should, gap);
}

static void put_sided(const struct bundle_script *p, struct buf *wrong,
                      struct buf *should)
{
    const struct interp_tensor *t = output_of(p, 1);
    bool finite = isfinite(
        num_to_double(t->dtype, interp_tensor_get(t, p->f->element.element)));
    const char *is = finite ? "not " : "";
    buf_printf(wrong, "%snp.isfinite(got) or %snp.isfinite(before)", is, is);
    buf_puts(should, finite ? "finite" : "infinite or no number");
}

static void put_bits(const struct bundle_script *p, struct buf *wrong,
                     struct buf *should)
{
    buf_puts(wrong, "got.tobytes() != before.tobytes()");
    if (dtype_is_float(output_of(p, right_side(p))->dtype))
        buf_puts(wrong, " and (got == got or before == before)");
    buf_puts(should, "that of the untuned one");
}

/* Beside the untuned one's value only where nothing rounds, or rounding cannot
 * be it. */
static void put_undefined(const struct bundle_script *p, struct buf *wrong,
                          struct buf *should)
{
    buf_puts(wrong, "again and again != [got.tobytes().hex()]");
    if (saved_is_exact(p->f)) {
        buf_puts(wrong, " or ");
        put_bits(p, wrong, should);
    } else {
        if (dtype_is_float(output_of(p, right_side(p))->dtype))
            buf_puts(wrong, " or np.isfinite(got) != np.isfinite(before)");
        buf_puts(should, "that of the untuned one but for rounding, "
                         "whatever memory held before");
    }
}

static void put_condition(const struct bundle_script *p, struct buf *wrong,
                          struct buf *should)
{
    switch (p->check) {
    case EXACT: put_exact(p, wrong, should); return;
    case ENCLOSURE: put_enclosure(p, wrong, should); return;
    case SIDED: put_sided(p, wrong, should); return;
    case BITS: put_bits(p, wrong, should); return;
    case UNDEFINED: put_undefined(p, wrong, should); return;
    case REFUSED:
    case NO_BUILD:
    case OUTPUTS:
    case RACE:
    case FAULT: return;
    }
}

/* The tuned one where glibc fills memory with something else: what is undefined may
 * be another sum than the untuned one's and no fault, but not another one then. */
static void put_again(const struct bundle_script *p)
{
    buf_printf(p->out, "if len(sys.argv) > 1:\n"
                       "    print(got.tobytes().hex())\n    sys.exit(0)\n"
                       "again = subprocess.run([sys.executable, "
                       "os.path.abspath(__file__), \"again\"],\n"
                       "                       env=dict(os.environ, "
                       "MALLOC_PERTURB_=\"170\"), text=True,\n"
                       "                       capture_output=True, "
                       "check=False).stdout.split()[-1:]\n");
}

static void put_comparison(const struct bundle_script *p)
{
    struct buf wrong = {0}, should = {0};
    const char *place = place_text(p);
    put_condition(p, &wrong, &should);
    if (p->f->nmodules > 1) {
        buf_printf(p->out, "\n\ngot, before = %s, %s\n", run_text(p, 0),
                   run_text(p, 1));
        buf_printf(p->out, "print(%s, \"tuned:\", got, \"untuned:\", before)\n",
                   place);
        if (p->check == UNDEFINED)
            put_again(p);
    } else {
        buf_printf(p->out, "\n\ngot = %s\nprint(%s, \"is\", got)\n",
                   run_text(p, 0), place);
    }
    buf_printf(p->out, "if %s:\n    raise AssertionError(", buf_text(&wrong));
    buf_printf(p->out, "\"it should be %s\")\n", buf_text(&should));
    if (p->f->target && !p->f->bundle->runs_on)
        buf_puts(p->out, "print(\"cannot be told: TVM has not this target\")\n"
                         "sys.exit(2)\n");
    if (p->check == UNDEFINED)
        buf_puts(p->out, "print(\"cannot be told: what may hold anything held "
                         "the right value\")\nsys.exit(2)\n");
    buf_fini(&should);
    buf_fini(&wrong);
}

/* Across the sides only where nothing rounds: sums in another order are no fault.
 * Else each side with itself. */
static void put_outputs(const struct bundle_script *p)
{
    const char *tuned = run_text(p, 0), *untuned = run_text(p, 1);
    buf_puts(p->out, "\n\ndef same(a, b):\n"
                     "    return all(x.tobytes() == y.tobytes() for x, y in "
                     "zip(a, b))\n");
    buf_printf(
        p->out,
        "\n\ngot, before = %s, %s\n"
        "if not same(got, %s) and same(before, %s):\n"
        "    raise AssertionError(\"run again, the tuned one gives other "
        "outputs\")\n",
        tuned, untuned, tuned, untuned);
    buf_puts(p->out,
             "rounds = \"float\" in tvm.ir.save_json(tuned) + "
             "tvm.ir.save_json(untuned)\n"
             "if not rounds and not same(got, before):\n"
             "    raise AssertionError(\"the outputs differ\")\n"
             "print(\"cannot be told: \" + (\"rounding may make the outputs "
             "differ\" if rounds\n"
             "      else \"the outputs are the same\"))\n"
             "sys.exit(2)\n");
}

static void put_fault(const struct bundle_script *p)
{
    bundle_put_calls(p);
    buf_puts(p->out, "\n\nFAULT = ");
    put_string(p->out, p->f->fault);
    buf_putc(p->out, '\n');
    buf_puts(p->out, saved_bundle_fault);
}

/* "tuned": …, "untuned": … */
static void put_race(const struct bundle_script *p)
{
    struct buf targets = {0}, orders = {0};
    bundle_put_calls(p);
    for (size_t k = 0; k < p->f->nmodules; k++) {
        const struct bundle_module *m = &p->modules[k];
        const char *comma = k ? ", " : "";
        buf_printf(&targets, "%s\"%s\": \"%s\"", comma, m->side,
                   m->gpu ? "cuda" : "llvm");
        buf_printf(&orders, "%s\"%s\": [", comma, m->side);
        for (size_t i = 0; p->names->ordered[k] && saved_order_name(i); i++)
            buf_printf(&orders, "%s\"%s\"", i ? ", " : "", saved_order_name(i));
        buf_putc(&orders, ']');
    }
    buf_printf(p->out, "\n\nTARGETS = {%s}\nORDERS = {%s}\nBARE = %s\n",
               buf_text(&targets), buf_text(&orders),
               p->bare ? "True" : "False");
    buf_puts(p->out, saved_bundle_race);
    buf_fini(&orders);
    buf_fini(&targets);
}

static void put_no_build(const struct bundle_script *p)
{
    buf_puts(
        p->out,
        "\n\ntvm.compile(tvm.ir.load_json(untuned), target=\"llvm\")\n"
        "try:\n"
        "    tvm.compile(tvm.ir.load_json(tuned), target=\"llvm\")\n"
        "    refused = None\n"
        "except Exception as why:\n"
        "    refused = str(why)\n"
        "if refused is not None:\n"
        "    raise AssertionError(\"TVM builds the untuned one alone: \" + "
        "refused)\n");
}

void bundle_put_python(struct buf *out, const struct saved_finding *f,
                       const struct saved_names *names,
                       const struct bundle_module *modules)
{
    struct bundle_script p = {
        .out = out, .f = f, .names = names, .modules = modules};
    p.arena = arena_new();
    for (size_t k = 0; k < f->nmodules; k++)
        p.calls[k] = saved_call_make(f, k, p.arena);
    choose(&p);
    put_head(&p);
    if (p.check == REFUSED) {
        buf_puts(out, "print(\"cannot be told: \" + ");
        put_string(out, p.why);
        buf_puts(out, ")\nsys.exit(2)\n");
    } else {
        put_imports(&p);
        put_modules(&p);
    }
    switch (p.check) {
    case REFUSED: break;
    case NO_BUILD: put_no_build(&p); break;
    case RACE: put_race(&p); break;
    case FAULT: put_fault(&p); break;
    case OUTPUTS:
        bundle_put_run(&p);
        put_outputs(&p);
        break;
    case EXACT:
    case ENCLOSURE:
    case SIDED:
    case BITS:
    case UNDEFINED:
        bundle_put_run(&p);
        put_comparison(&p);
        break;
    }
    arena_free(p.arena);
}
