/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of reproduce.py that makes the arrays and calls a function.
 *
 * A function is called as TVM has it: sizes that it takes and the other side has
 * from shapes are numbers in its call, and what it returns takes the place of an
 * array. Of outputs as a whole only what is defined on both sides is given.
 */
#include "diff/saved/bundle_script.h"

static const char here[] =
    "\n\nHERE = os.path.dirname(os.path.abspath(__file__))\n";

/* ---- the arrays --------------------------------------------------------------------- */

/* The names begin as nothing else of a script does, of ours or of Python. */
static const char *variable_of(const struct bundle_script *p, size_t i)
{
    return arena_printf(p->arena, "in_%s", p->names->params[i]);
}

/* Lines that make all arrays; the list of arguments. True: some are read. */
static bool put_arrays(const struct bundle_script *p, struct buf *lines,
                       struct buf *list)
{
    const struct saved_finding *f = p->f;
    bool reads = false;
    for (size_t i = 0; i < f->in->n; i++) {
        const struct interp_arg *arg = &f->in->args[i];
        const char *variable = variable_of(p, i);
        buf_puts(list, i ? ", " : "");
        if (arg->tensor) {
            reads |= bundle_put_array(lines, variable, "in",
                                      p->names->params[i], arg->tensor);
            buf_puts(list, variable);
        } else {
            bundle_put_number(list, arg->dtype, arg->bits);
        }
    }
    return reads;
}

static bool has_scalars(const struct saved_finding *f)
{
    for (size_t i = 0; i < f->in->n; i++)
        if (!f->in->args[i].tensor)
            return true;
    return false;
}

/* ---- what is defined ------------------------------------------------------------------ */

static bool is_masked(const struct bundle_script *p, size_t k, size_t i)
{
    return p->f->outputs[k] && p->f->outputs[k][i] && p->names->masked[k] &&
           p->names->masked[k][i];
}

static bool has_masks(const struct bundle_script *p)
{
    for (size_t k = 0; k < p->f->nmodules; k++)
        for (size_t i = 0; p->f->outputs[k] && i < p->f->noutputs; i++)
            if (is_masked(p, k, i))
                return true;
    return false;
}

static const char *mask_of(const struct bundle_script *p, size_t k, size_t i)
{
    return arena_printf(p->arena, "known_%s_%s", p->modules[k].side,
                        p->names->outputs[i]);
}

/* Lines that make them; true: some are read. */
static bool put_masks(const struct bundle_script *p, struct buf *lines)
{
    bool reads = false;
    for (size_t k = 0; k < p->f->nmodules; k++)
        for (size_t i = 0; p->f->outputs[k] && i < p->f->noutputs; i++) {
            if (!is_masked(p, k, i))
                continue;
            struct interp_tensor *known = saved_known(p->f->outputs[k][i]);
            reads |= bundle_put_array(
                lines, mask_of(p, k, i), p->modules[k].side,
                arena_printf(p->arena, "%s.known", p->names->outputs[i]),
                known);
            interp_tensor_free(known);
        }
    return reads;
}

/* "known_tuned_C & known_untuned_C"; "True" where all is defined. */
static void put_mask(const struct bundle_script *p, struct buf *out, size_t i)
{
    bool any = false;
    for (size_t k = 0; k < p->f->nmodules; k++) {
        if (!is_masked(p, k, i))
            continue;
        buf_printf(out, "%s%s", any ? " & " : "", mask_of(p, k, i));
        any = true;
    }
    if (!any)
        buf_puts(out, "True");
}

/* ---- the call -------------------------------------------------------------------------- */

static bool has_picks(const struct bundle_script *p)
{
    return p->calls[0] || p->calls[1];
}

const char *bundle_picks(const struct bundle_script *p, size_t k)
{
    const struct saved_call *call = p->calls[k];
    struct buf text = {0};
    if (!has_picks(p))
        return NULL;
    buf_puts(&text, call ? "lambda a: [" : "lambda a: a");
    for (size_t i = 0; call && i < call->n; i++) {
        buf_puts(&text, i ? ", " : "");
        if (call->args[i].is_number)
            buf_printf(&text, "%lld", (long long)call->args[i].number);
        else
            buf_printf(&text, "a[%zu]", call->args[i].position);
    }
    if (call)
        buf_putc(&text, ']');
    const char *out = arena_strdup(p->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* What a side returns stands where the array would be that the other side, or an
 * engine, writes it to. */
static void put_returned(const struct bundle_script *p)
{
    char type[48];
    for (size_t k = 0; k < NSIDES; k++) {
        const struct saved_call *call = p->calls[k];
        if (!call || !call->returns)
            continue;
        buf_printf(p->out,
                   "    if result is not None:\n"
                   "        args[%zu] = tvm.runtime.tensor(np.array([result], "
                   "\"%s\"))\n",
                   call->returned,
                   dtype_name(p->f->sig->params[call->returned].dtype, type));
        return;
    }
}

/* built["name"](*args) */
static void put_call(const struct bundle_script *p, const char *built)
{
    buf_puts(p->out, p->f->relax || has_picks(p) ? "    result = " : "    ");
    if (p->f->relax)
        buf_printf(p->out, "tvm.relax.VirtualMachine(%s, %s)", built,
                   p->gpu ? "dev" : "tvm.cpu()");
    else
        buf_puts(p->out, built);
    buf_printf(p->out, "%s(*%s)\n", p->bare ? "" : "[name]",
               has_picks(p) ? "pick(args)" : "args");
    put_returned(p);
}

/* ---- the outputs ------------------------------------------------------------------------ */

static void put_one(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    if (!f->relax)
        buf_printf(p->out, "args[%zu].numpy()\n", f->element.output);
    else if (f->noutputs > 1)
        buf_printf(p->out, "result[%zu].numpy()\n", f->element.output);
    else
        buf_puts(p->out, "result.numpy()\n");
}

static void put_all(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    bool masks = has_masks(p);
    const char *known = masks ? "[k]" : "";
    struct buf list = {0};
    for (size_t i = 0; i < f->noutputs; i++) {
        if (!f->relax && (!f->sig->params[i].stored || !f->in->args[i].tensor))
            continue;
        if (f->relax)
            put_mask(p, &list, i);
        else if (masks) {
            buf_printf(&list, "(%zu, ", i);
            put_mask(p, &list, i);
            buf_putc(&list, ')');
        } else
            buf_printf(&list, "%zu", i);
        buf_puts(&list, ", ");
    }
    const char *all = "([result] if hasattr(result, \"numpy\") else result)";
    if (f->relax && masks)
        buf_printf(p->out, "[x.numpy()[k] for x, k in zip(%s, (%s))]\n", all,
                   buf_text(&list));
    else if (f->relax)
        buf_printf(p->out, "[x.numpy() for x in %s]\n", all);
    else
        buf_printf(p->out, "[args[i].numpy()%s for i%s in (%s)]\n", known,
                   masks ? ", k" : "", buf_text(&list));
    buf_fini(&list);
}

/* ---- functions --------------------------------------------------------------------------- */

/* Where one side alone is a kernel, the other is run by the processor. */
static void put_target(const struct bundle_script *p)
{
    const struct saved_finding *f = p->f;
    size_t kernel = p->modules[0].gpu ? 0 : 1;
    if (!p->gpu || f->nmodules == 1 || p->modules[1 - kernel].gpu)
        return;
    buf_printf(p->out,
               "    target, dev = (\"cuda\", tvm.cuda(0)) if mod is %s else "
               "(\"llvm\", tvm.cpu())\n",
               p->modules[kernel].side);
}

static const char *build_text(const struct bundle_script *p)
{
    const char *own = p->f->bundle->runs_on;
    bool mixed =
        p->gpu && p->f->nmodules > 1 && p->modules[0].gpu != p->modules[1].gpu;
    return own      ? arena_printf(p->arena,
                                   "tvm.compile(mod, target="
                                        "tvm.target.Target(%s))",
                                   own)
           : mixed  ? "tvm.compile(mod, target=target)"
           : p->gpu ? "tvm.compile(mod, target=\"cuda\")"
                    : "tvm.compile(mod, target=\"llvm\")";
}

void bundle_put_run(const struct bundle_script *p)
{
    struct buf lines = {0}, list = {0};
    bool all = p->check == OUTPUTS;
    bool reads = put_arrays(p, &lines, &list);
    if (all)
        reads |= put_masks(p, &lines);
    if (reads)
        buf_puts(p->out, here);
    buf_printf(p->out, "\n\ndef run(mod%s%s):\n%s", p->bare ? "" : ", name",
               has_picks(p) ? ", pick" : "", buf_text(&lines));
    put_target(p);
    buf_printf(p->out, "    args = [tvm.runtime.tensor(x%s)",
               p->gpu ? ", dev" : "");
    if (has_scalars(p->f))
        buf_puts(p->out, " if hasattr(x, \"shape\") else x");
    buf_printf(p->out, " for x in (%s%s)]\n", buf_text(&list),
               p->f->in->n == 1 ? "," : "");
    put_call(p, build_text(p));
    buf_puts(p->out, "    return ");
    if (all)
        put_all(p);
    else
        put_one(p);
    buf_fini(&list);
    buf_fini(&lines);
}

/* {"tuned": …, "untuned": …}[side] */
static void put_by_side(const struct bundle_script *p, const char *variable,
                        bool names)
{
    buf_printf(p->out, "    %s = {", variable);
    for (size_t k = 0; k < p->f->nmodules; k++) {
        buf_printf(p->out, "%s\"%s\": ", k ? ", " : "", p->modules[k].side);
        if (names)
            buf_put_quoted(p->out, p->modules[k].function, false);
        else
            buf_puts(p->out, bundle_picks(p, k));
    }
    buf_puts(p->out, "}[side]\n");
}

void bundle_put_calls(const struct bundle_script *p)
{
    struct buf lines = {0}, list = {0}, masks = {0};
    bool reads = put_arrays(p, &lines, &list);
    reads |= put_masks(p, &masks);
    if (reads || p->check == RACE)
        buf_puts(p->out, here);
    buf_printf(p->out, "\n\ndef arrays():\n%s    return [%s]\n\n\n",
               buf_text(&lines), buf_text(&list));
    buf_printf(p->out, "def call(built, args, side):\n%s", buf_text(&masks));
    if (!p->bare)
        put_by_side(p, "name", true);
    if (has_picks(p))
        put_by_side(p, "pick", false);
    if (p->check == RACE && p->gpu && p->f->relax)
        buf_puts(p->out, "    dev = device(side)\n");
    put_call(p, "built");
    buf_puts(p->out, "    return ");
    put_all(p);
    buf_fini(&masks);
    buf_fini(&list);
    buf_fini(&lines);
}
