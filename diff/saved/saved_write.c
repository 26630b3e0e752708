/* SPDX-License-Identifier: Apache-2.0
 *
 * One finding as files.
 *
 * Modules are written for TVM 0.27, byte for byte as they were given where that is
 * what they are, and for the releases before it in eras/; what was given otherwise
 * is kept beside that in given/. Arrays go by the names of their parameters where
 * these can be names of files.
 */
#include "diff/saved/bundle.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

extern const char saved_repro[];

struct writing {
    const char *folder, *shown;
    const struct saved_finding *f;
    struct arena *arena;
    struct diag_sink *sink;
    struct saved_names names;
    /* As they are written, and those to be freed. */
    const struct ir_module *modules[NSIDES];
    struct ir_module *own[NSIDES];
};

static const char *join(const struct writing *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->folder, name);
}

static bool make_folder(const struct writing *w, const char *name)
{
    const char *path = join(w, name);
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           diag_error(w->sink, (struct diag_loc){.file = w->shown},
                      "save.folder", "cannot make '%s': %s", name,
                      strerror(errno));
}

static bool put_file(const struct writing *w, const char *name,
                     const void *data, size_t len)
{
    return file_write_one(join(w, name), data, len, w->sink);
}

/* ---- names ---------------------------------------------------------------------- */

/* Letters, digits and '_' alone, so that no file system minds; and no other
 * parameter's, small and capital letters being the same to some. */
static bool is_plain(const struct interp_signature *sig, size_t i)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                               "VWXYZ0123456789_";
    const char *name = sig->params[i].name;
    size_t len = strlen(name);
    if (len == 0 || len > 60 || strspn(name, safe) != len)
        return false;
    for (size_t k = 0; k < sig->nparams; k++) {
        const char *other = sig->params[k].name;
        size_t at = 0;
        while (name[at] && (name[at] | 32) == (other[at] | 32))
            at++;
        if (k != i && name[at] == '\0' && other[at] == '\0')
            return false;
    }
    return strncmp(name, "arg", 3) != 0 || name[3] < '0' || name[3] > '9';
}

static void choose_names(struct writing *w)
{
    const struct saved_finding *f = w->f;
    size_t n = f->sig ? f->sig->nparams : 0;
    w->names.params = ARENA_ARRAY(w->arena, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        w->names.params[i] = is_plain(f->sig, i)
                                 ? f->sig->params[i].name
                                 : arena_printf(w->arena, "arg%zu", i);
    w->names.outputs = ARENA_ARRAY(w->arena, f->noutputs + 1, const char *);
    for (size_t i = 0; i < f->noutputs; i++)
        w->names.outputs[i] =
            f->relax ? arena_printf(w->arena, "out%zu", i) : w->names.params[i];
}

/* ---- modules -------------------------------------------------------------------- */

static bool is_json(const struct saved_module *m)
{
    const char *p = buf_text(&m->text);
    return p[strspn(p, " \t\r\n")] == '{';
}

/* The module as it was given, not as it was made ready for the engines. */
static struct ir_module *read_again(const struct saved_module *m)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *out =
        m->text.len > 0
            ? ir_read(buf_text(&m->text), m->text.len, m->path, sink)
            : NULL;
    diag_sink_free(sink);
    return out;
}

/* For one release of TVM; false: it cannot be written, which is no error. */
static bool put_era(const struct writing *w, const struct ir_module *m,
                    enum ir_era era, const char *name, bool *fine)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    bool written = ir_write_json(m, era, &text, sink);
    if (written)
        *fine = put_file(w, name, text.data, text.len) && *fine;
    buf_fini(&text);
    diag_sink_free(sink);
    return written;
}

static bool put_eras(const struct writing *w, const char *name,
                     const struct ir_module *m)
{
    static const struct {
        enum ir_era era;
        const char *release;
    } eras[] = {{IR_ERA_D, "0.25"}, {IR_ERA_E, "0.26"}};
    bool fine = make_folder(w, "eras");
    for (size_t i = 0; i < DC_ARRAY_LEN(eras) && fine; i++)
        (void)put_era(
            w, m, eras[i].era,
            arena_printf(w->arena, "eras/%s.%s.json", name, eras[i].release),
            &fine);
    return fine;
}

/* What races, in other orders (saved_orders.c). They are there where all are. */
static bool put_orders(const struct writing *w, size_t k)
{
    const char *race = interp_fault_name(INTERP_RACE);
    struct ir_module *own = w->own[k];
    bool fine = true, whole = true;
    if (!w->f->fault || strcmp(w->f->fault, race) != 0 || !own)
        return true;
    for (size_t i = 0; saved_order_name(i) && whole && fine; i++) {
        const struct ir_module *m = saved_order_make(own, w->modules[k], i);
        const char *name = arena_printf(
            w->arena, "%s.%s", w->f->modules[k].name, saved_order_name(i));
        whole = m != NULL;
        fine = !whole || make_folder(w, "orders");
        whole = whole &&
                put_era(w, m, IR_ERA_F,
                        arena_printf(w->arena, "orders/%s.json", name), &fine);
        fine = fine && (!whole || put_eras(w, name, m));
    }
    w->names.ordered[k] = whole;
    return fine;
}

/* Modules of a bundle go to others: with what is at fault alone, and not as bytes
 * that name a folder of the user's. */
static bool leave_out(struct writing *w, size_t k)
{
    const struct saved_module *m = &w->f->modules[k];
    const struct ir_module *whole = w->modules[k];
    if (!w->f->bundle)
        return false;
    w->modules[k] = bundle_minimal(whole, saved_function(w->f, k), w->arena);
    return w->modules[k] != whole || bundle_is_private(buf_text(&m->text));
}

/* Text for a module that has no JSON, in the place of what was given. */
static bool put_script(struct writing *w, size_t k)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    const char *name =
        arena_printf(w->arena, "given/%s.py", w->f->modules[k].name);
    bool fine = true;
    if (ir_write_script(w->modules[k], &text, sink)) {
        w->names.given[k] = name;
        fine = make_folder(w, "given") &&
               put_file(w, name, buf_text(&text), text.len);
    }
    buf_fini(&text);
    diag_sink_free(sink);
    return fine;
}

static bool put_module(struct writing *w, size_t k)
{
    const struct saved_module *m = &w->f->modules[k];
    struct ir_module *own = w->own[k] = read_again(m);
    w->modules[k] = own ? own : m->module;
    bool less = leave_out(w, k);
    const struct ir_module *module = w->modules[k];
    const char *name = arena_printf(w->arena, "%s.json", m->name);
    bool as_given = is_json(m) && own && own->era == IR_ERA_F && !less;
    bool fine = true;
    w->names.whole[k] = as_given || put_era(w, module, IR_ERA_F, name, &fine);
    if (as_given)
        fine = put_file(w, name, m->text.data, m->text.len);
    if (fine && less && !w->names.whole[k])
        fine = put_script(w, k);
    if (fine && !as_given && !less && m->text.len > 0) {
        w->names.given[k] = arena_printf(w->arena, "given/%s.%s", m->name,
                                         is_json(m) ? "json" : "py");
        fine = make_folder(w, "given") &&
               put_file(w, w->names.given[k], m->text.data, m->text.len);
    }
    return fine && put_eras(w, m->name, module) && put_orders(w, k);
}

static bool put_externs(const struct writing *w)
{
    const struct diff_options *o = w->f->options;
    bool fine = o->nexterns == 0 || make_folder(w, "extern");
    for (size_t i = 0; i < o->nexterns && fine; i++) {
        struct buf text = {0};
        fine = file_read(o->externs[i], o->max_input_bytes, &text, w->sink) &&
               put_file(w, arena_printf(w->arena, "extern/%zu", i),
                        buf_text(&text), text.len);
        buf_fini(&text);
    }
    return fine;
}

/* ---- arrays ---------------------------------------------------------------------- */

static bool put_array(const struct writing *w, const char *folder,
                      const char *name, const char *ending,
                      const struct interp_tensor *t)
{
    return npy_write(
        join(w, arena_printf(w->arena, "%s/%s%s.npy", folder, name, ending)), t,
        w->sink);
}

static bool put_inputs(const struct writing *w)
{
    const struct diff_args *in = w->f->in;
    bool fine = make_folder(w, "in");
    for (size_t i = 0; i < in->n && fine; i++) {
        const struct interp_arg *arg = &in->args[i];
        struct interp_tensor *scalar = NULL;
        if (!arg->tensor) {
            scalar = interp_tensor_new(dtype_scalar(arg->dtype), 0, NULL);
            interp_tensor_set(scalar, 0, arg->bits);
        }
        fine = put_array(w, "in", w->names.params[i], "",
                         arg->tensor ? arg->tensor : scalar);
        interp_tensor_free(scalar);
    }
    return fine;
}

/* An output of which some elements were not computed, or may hold anything: 0
 * there, and a file that says where. */
static bool put_part(const struct writing *w, const char *folder,
                     const char *name, const struct interp_tensor *t)
{
    struct interp_tensor *values = interp_tensor_clone(t);
    struct interp_tensor *known = saved_known(t);
    for (size_t i = 0; i < t->elements; i++)
        if (!saved_is_known(t, i))
            interp_tensor_set(values, i, 0);
    bool fine = put_array(w, folder, name, "", values) &&
                put_array(w, folder, name, ".known", known);
    interp_tensor_free(values);
    interp_tensor_free(known);
    return fine;
}

static bool put_outputs(struct writing *w, size_t k)
{
    const struct saved_finding *f = w->f;
    const char *folder = f->modules[k].name;
    bool *masked = ARENA_ARRAY(w->arena, f->noutputs + 1, bool);
    bool fine = !f->outputs[k] || make_folder(w, folder);
    w->names.masked[k] = masked;
    for (size_t i = 0; f->outputs[k] && i < f->noutputs && fine; i++) {
        const struct interp_tensor *t = f->outputs[k][i];
        for (size_t e = 0; t && e < t->elements && !masked[i]; e++)
            masked[i] = !saved_is_known(t, e);
        if (t)
            fine = masked[i] ? put_part(w, folder, w->names.outputs[i], t)
                             : put_array(w, folder, w->names.outputs[i], "", t);
    }
    return fine;
}

static bool put_recorded(const struct writing *w)
{
    const struct saved_finding *f = w->f;
    bool fine = !f->recorded || make_folder(w, "target");
    for (size_t i = 0; f->recorded && i < f->noutputs && fine; i++)
        if (f->recorded[i])
            fine =
                put_array(w, "target", w->names.outputs[i], "", f->recorded[i]);
    return fine;
}

/* ---- all ------------------------------------------------------------------------- */

/* Its folder may be one of several, and may be moved: the commands say nothing of
 * where it is. */
static bool put_report(const struct writing *w)
{
    struct buf text = {0};
    buf_puts(&text, w->f->report);
    buf_puts(&text, "\nThe same again, in this folder, and with an installed "
                    "TVM:\n  diffcheck .\n  python3 repro.py\n");
    bool fine = put_file(w, "report.txt", text.data, text.len);
    buf_fini(&text);
    return fine;
}

bool saved_write(const char *folder, const char *shown,
                 const struct saved_finding *f, struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    const char *given[NSIDES] = {NULL};
    bool whole[NSIDES] = {false}, ordered[NSIDES] = {false};
    struct writing w = {
        .folder = folder, .shown = shown, .f = f, .arena = arena, .sink = sink};
    struct buf text = {0};
    bool fine = true;
    w.names.given = given;
    w.names.whole = whole;
    w.names.ordered = ordered;
    choose_names(&w);
    for (size_t k = 0; k < f->nmodules && fine; k++)
        fine = put_module(&w, k) && (!f->sig || put_outputs(&w, k));
    fine = fine && put_externs(&w) && (!f->sig || put_inputs(&w)) &&
           put_recorded(&w);
    if (fine)
        saved_put_finding(&text, f, &w.names);
    fine = fine && put_file(&w, "finding.json", text.data, text.len) &&
           put_file(&w, "repro.py", saved_repro, strlen(saved_repro)) &&
           put_report(&w);
    if (fine && f->bundle)
        fine = bundle_write(folder, f, &w.names, w.modules, sink);
    buf_fini(&text);
    for (size_t k = 0; k < NSIDES; k++)
        ir_module_free(w.own[k]);
    arena_free(arena);
    return fine;
}
