/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments out, outputs in.
 *
 * Everything crosses as .npy files, since the other side may be another
 * machine. What comes back is checked as input from anywhere is: a file that
 * is missing, malformed, of another type or of another size is told by name,
 * and then none of the outputs is used.
 *
 * All inputs of a kernel go through one process: starting one costs more than
 * most kernels do, an emulator's start most of all.
 */
#include "diff/harness/kernel_io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processor time is of all threads together. */
struct diff_limits diff_kernel_limits(unsigned seconds)
{
    return (struct diff_limits){.wall_s = seconds,
                                .cpu_s = seconds * 2,
                                .memory = (size_t)8 << 30,
                                .file = (size_t)4 << 30};
}

static void put_first(struct buf *why, const struct diag_sink *sink)
{
    if (diag_count(sink) == 0)
        return;
    const struct diag *d = diag_at(sink, 0);
    buf_printf(why, "%s%s%s", d->file ? path_name(d->file) : "",
               d->file ? ": " : "", d->message);
}

/* A scalar as a tensor of rank 0. */
static struct interp_tensor *scalar_tensor(const struct interp_arg *arg)
{
    struct interp_tensor *t =
        interp_tensor_new(dtype_scalar(arg->dtype), 0, NULL);
    interp_tensor_set(t, 0, arg->bits);
    t->state[0] = INTERP_DEFINED;
    return t;
}

/* Writes arg<i>.npy for each argument into the folder. */
static bool diff_kernel_put(const char *folder, const struct diff_args *args,
                            struct buf *why)
{
    struct diag_sink *sink = diag_sink_new();
    bool fine = true;
    for (size_t i = 0; fine && i < args->n; i++) {
        struct buf path = {0};
        struct interp_tensor *t = args->args[i].tensor;
        struct interp_tensor *scalar = t ? NULL : scalar_tensor(&args->args[i]);
        buf_printf(&path, "%s/arg%zu.npy", folder, i);
        fine = npy_write(buf_text(&path), t ? t : scalar, sink);
        interp_tensor_free(scalar);
        buf_fini(&path);
    }
    if (!fine)
        put_first(why, sink);
    diag_sink_free(sink);
    return fine;
}

/* One output; the shape is the parameter's, or a flat one of its size. */
static bool get_one(const char *folder, const struct interp_signature *sig,
                    size_t i, struct interp_tensor *into, struct buf *why)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    bool fine = false;
    buf_printf(&path, "%s/out%zu.npy", folder, i);
    struct interp_tensor *t = npy_read(buf_text(&path), into->dtype, sink);
    if (!t && access(buf_text(&path), F_OK) != 0) {
        buf_printf(why, "out%zu.npy, the output '%s', is missing", i,
                   sig->params[i].name);
    } else if (!t) {
        put_first(why, sink);
    } else if (t->elements != into->elements) {
        buf_printf(why,
                   "out%zu.npy, the output '%s', has %zu elements, expected "
                   "%zu",
                   i, sig->params[i].name, t->elements, into->elements);
    } else {
        interp_tensor_copy(into, t);
        fine = true;
    }
    interp_tensor_free(t);
    buf_fini(&path);
    diag_sink_free(sink);
    return fine;
}

/* Reads out<i>.npy of each stored parameter into the arguments, which hold
 * what the kernel was given. */
static bool diff_kernel_get(const char *folder,
                            const struct interp_signature *sig,
                            struct diff_args *args, struct buf *why)
{
    for (size_t i = 0; i < sig->nparams; i++)
        if (sig->params[i].stored && args->args[i].tensor &&
            !get_one(folder, sig, i, args->args[i].tensor, why))
            return false;
    return true;
}

/* ---- running -------------------------------------------------------------------- */

static bool prepare(const struct diff_kernel *kernel, const char *folder,
                    const struct diff_args *args, struct buf *why)
{
    if (mkdir(folder, 0777) != 0) {
        buf_printf(why, "cannot make the folder '%s': %s", folder,
                   strerror(errno));
        return false;
    }
    return diff_kernel_put(folder, args, why) &&
           (!kernel->texts.function ||
            diff_request_put(folder, &kernel->texts, kernel->sig, args, why));
}

static void start(const struct diff_kernel *kernel, const char *const *folders,
                  size_t n, struct arena *arena, struct diff_ended *out)
{
    size_t k = 0;
    if (kernel->tools) {
        diff_toolchain_run(kernel->tools, kernel->program, folders,
                           &kernel->limits, out);
        return;
    }
    while (kernel->runner[k])
        k++;
    const char **argv = ARENA_ARRAY(arena, k + n + 1, const char *);
    memcpy(argv, kernel->runner, k * sizeof *argv);
    memcpy(argv + k, folders, n * sizeof *argv);
    struct diff_process p = {.argv = argv, .limits = kernel->limits};
    diff_process_run(&p, out);
}

bool diff_kernel_run(const struct diff_kernel *kernel, const char *folder,
                     size_t n, struct diff_args *args, struct buf *why)
{
    struct arena *arena = arena_new();
    const char **folders = ARENA_ARRAY(arena, n + 1, const char *);
    struct diff_ended ended = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        folders[i] = arena_printf(arena, "%s/%zu", folder, i);
        fine = prepare(kernel, folders[i], &args[i], why);
    }
    if (fine) {
        start(kernel, folders, n, arena, &ended);
        fine = diff_ended_well(&ended);
        if (!fine) {
            buf_printf(why, "%s: ",
                       kernel->what    ? kernel->what
                       : kernel->tools ? "the kernel"
                                       : "the runner");
            diff_ended_put(why, &ended);
        }
    }
    for (size_t i = 0; i < n; i++) {
        fine = fine && diff_kernel_get(folders[i], kernel->sig, &args[i], why);
        if (folders[i])
            folder_remove(folders[i]);
    }
    diff_ended_fini(&ended);
    arena_free(arena);
    return fine;
}

bool diff_kernel_run_each(const struct diff_kernel *kernel, const char *folder,
                          size_t nargs, size_t n, struct interp_arg **args,
                          struct arena *arena, const char **why)
{
    struct diff_args *all = ARENA_ARRAY(arena, n + 1, struct diff_args);
    struct buf text = {0};
    for (size_t i = 0; i < n; i++)
        all[i] = (struct diff_args){nargs, args[i]};
    bool fine = diff_kernel_run(kernel, folder, n, all, &text);
    if (!fine)
        *why = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return fine;
}
