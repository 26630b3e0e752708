/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets for tests of drift: C functions compiled by a compiler of this host
 * with given flags, each run as a process of its own that reads all arguments
 * as raw bytes and writes them back. What they compute is the compiler's and
 * the processor's doing, not this project's.
 */
#ifndef DC_TESTS_UNIT_DRIFT_CASE_H
#define DC_TESTS_UNIT_DRIFT_CASE_H

#include "diff/drift/drift.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- processes ------------------------------------------------------------------ */

/* Runs argv with `in` as its input; its output goes to out. False unless it
 * ends with status 0. The program must read all before it writes. */
static bool process_run(char *const argv[], const struct buf *in,
                        struct buf *out)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)close(to[0]), (void)close(to[1]);
        (void)close(from[0]), (void)close(from[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    size_t done = 0;
    while (in != NULL && done < in->len) {
        ssize_t n = write(to[1], in->data + done, in->len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    (void)close(to[1]);
    char chunk[4096];
    for (ssize_t n; (n = read(from[0], chunk, sizeof chunk)) > 0;)
        buf_append(out, chunk, (size_t)n);
    (void)close(from[0]);
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* Compiles a program; flags are blank-separated. False: no such compiler, or
 * it does not know a flag. */
static bool program_compile(const char *compiler, const char *flags,
                            const char *source, const char *path)
{
    char *argv[32], *copy = dc_alloc(strlen(flags) + 1);
    size_t n = 0;
    struct buf text = {0}, out = {0};
    memcpy(copy, flags, strlen(flags) + 1);
    char compiler_name[32], x[] = "-x", c[] = "c", dash[] = "-", o[] = "-o",
                            path_copy[256], lm[] = "-lm", end[] = "-xnone";
    (void)snprintf(compiler_name, sizeof compiler_name, "%s", compiler);
    (void)snprintf(path_copy, sizeof path_copy, "%s", path);
    argv[n++] = compiler_name;
    for (char *word = copy; *word != '\0' && n < 20;) {
        size_t len = strcspn(word, " ");
        bool last = word[len] == '\0';
        word[len] = '\0';
        if (len > 0)
            argv[n++] = word;
        word += len + !last;
    }
    char *rest[] = {x, c, dash, end, o, path_copy, lm, NULL};
    memcpy(&argv[n], rest, sizeof rest);
    buf_puts(&text, source);
    bool fine = process_run(argv, &text, &out);
    buf_fini(&text);
    buf_fini(&out);
    dc_release(copy);
    return fine;
}

/* Whether the processor has all these, by their names in /proc/cpuinfo. */
static bool cpu_has(const char *name)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[8192], word[40];
    bool found = false;
    (void)snprintf(word, sizeof word, " %s ", name);
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        for (char *c = line; *c != '\0'; c++)
            if (*c == '\n')
                *c = ' ';
        found = strncmp(line, "flags", 5) == 0 && strstr(line, word) != NULL;
    }
    if (f != NULL)
        (void)fclose(f);
    return found;
}

/* ---- one target ------------------------------------------------------------------- */

struct target {
    char dir[64], path[96];
    struct ir_module *module;
    struct arena *arena;
    struct interp_signature sig;
    enum interp_fill fill;
    double scale; /* of random inputs: 0 = as filled */
    bool *is_output;
};

#define DRIFT_HEADER                       \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

static void put_main(struct buf *out, const struct interp_signature *sig)
{
    buf_puts(out, "#include <stdio.h>\n"
                  "#define RW(f, x) (f(x, sizeof x, 1, "
                  "f == (rw)fread ? stdin : stdout) == 1)\n"
                  "typedef unsigned long (*rw)(void *, unsigned long, "
                  "unsigned long, FILE *);\nint main(void) {\n");
    for (size_t i = 0; i < sig->nparams; i++) {
        int64_t n = 1;
        for (size_t d = 0; d < sig->params[i].rank; d++)
            n *= sig->params[i].shape[d];
        buf_printf(out,
                   "  static __attribute__((aligned(64))) unsigned char "
                   "p%zu[%lld * %zu];\n"
                   "  if (fread(p%zu, sizeof p%zu, 1, stdin) != 1) return 1;\n",
                   i, (long long)n, dtype_lane_bytes(sig->params[i].dtype), i,
                   i);
    }
    buf_puts(out, "  kernel(");
    for (size_t i = 0; i < sig->nparams; i++)
        buf_printf(out, "%s(void *)p%zu", i > 0 ? ", " : "", i);
    buf_puts(out, ");\n");
    for (size_t i = 0; i < sig->nparams; i++)
        buf_printf(out,
                   "  if (fwrite(p%zu, sizeof p%zu, 1, stdout) != 1) "
                   "return 1;\n",
                   i, i);
    buf_puts(out, "  return 0;\n}\n");
}

static bool target_read(struct target *t, const char *params, const char *body)
{
    struct buf script = {0};
    buf_printf(&script, DRIFT_HEADER "%s):\n%s", params, body);
    struct diag_sink *sink = diag_sink_new();
    t->arena = arena_new();
    t->module = ir_read(buf_text(&script), script.len, "case", sink);
    bool fine = t->module != NULL && t->module->nfuncs == 1 &&
                interp_signature(t->module, t->module->funcs[0], NULL, 0,
                                 t->arena, &t->sig, sink);
    if (!fine) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        print_error("%s\n%s\n", buf_text(&text), buf_text(&script));
        buf_fini(&text);
    }
    diag_sink_free(sink);
    buf_fini(&script);
    return fine;
}

/* The target's kernel from C source. False: this host cannot build it. */
static bool target_build(struct target *t, const char *compiler,
                         const char *flags, const char *kernel)
{
    struct buf source = {0};
    (void)snprintf(t->dir, sizeof t->dir, "%s", "/tmp/drift-XXXXXX");
    if (mkdtemp(t->dir) == NULL)
        return false;
    (void)snprintf(t->path, sizeof t->path, "%s/kernel", t->dir);
    buf_puts(&source, kernel);
    put_main(&source, &t->sig);
    bool fine = program_compile(compiler, flags, buf_text(&source), t->path);
    buf_fini(&source);
    return fine;
}

static void target_end(struct target *t)
{
    if (t->path[0] != '\0') {
        (void)unlink(t->path);
        (void)rmdir(t->dir);
    }
    if (t->module != NULL)
        ir_module_free(t->module);
    if (t->arena != NULL)
        arena_free(t->arena);
    memset(t, 0, sizeof *t);
}

static void put_tensor(struct buf *out, const struct interp_tensor *x)
{
    struct dtype t = dtype_scalar(x->dtype);
    uint8_t bytes[8];
    for (size_t i = 0; i < x->elements; i++) {
        num_store(t, bytes, interp_tensor_get(x, i));
        buf_append(out, bytes, dtype_lane_bytes(t));
    }
}

/* drift_question's run: arguments in place. */
static bool target_run(void *user, struct interp_arg *args, struct arena *arena,
                       const char **why)
{
    struct target *t = user;
    struct buf in = {0}, out = {0};
    (void)arena;
    for (size_t i = 0; i < t->sig.nparams; i++)
        put_tensor(&in, args[i].tensor);
    char *argv[] = {t->path, NULL};
    bool fine = process_run(argv, &in, &out) && out.len == in.len;
    *why = "the program failed";
    size_t at = 0;
    for (size_t i = 0; fine && i < t->sig.nparams; i++) {
        struct dtype type = dtype_scalar(args[i].tensor->dtype);
        for (size_t k = 0; k < args[i].tensor->elements; k++) {
            interp_tensor_set(args[i].tensor, k, num_load(type, out.data + at));
            args[i].tensor->state[k] = INTERP_DEFINED;
            at += dtype_lane_bytes(type);
        }
    }
    buf_fini(&in);
    buf_fini(&out);
    return fine;
}

static void target_fill(struct target *t, struct interp_arg *args,
                        enum interp_fill fill, uint64_t seed)
{
    for (size_t i = 0; i < t->sig.nparams; i++) {
        struct interp_tensor *x = args[i].tensor;
        interp_fill_tensor(x, fill, seed, i, 1, 0);
        struct dtype type = dtype_scalar(x->dtype);
        for (size_t k = 0; t->scale != 0 && k < x->elements; k++) {
            unsigned flags = 0;
            double v = num_to_double(type, interp_tensor_get(x, k)) * t->scale;
            if (fill != INTERP_FILL_EXACT)
                interp_tensor_set(x, k, num_from_double(type, v, &flags));
        }
    }
}

/* drift_question's fresh. */
static bool target_fresh(void *user, unsigned k, struct interp_arg *args)
{
    struct target *t = user;
    target_fill(t, args, t->fill, 1000 + k);
    return true;
}

static struct interp_arg *target_args(struct target *t)
{
    struct interp_arg *args =
        ARENA_ARRAY(t->arena, t->sig.nparams, struct interp_arg);
    memset(args, 0, t->sig.nparams * sizeof *args);
    for (size_t i = 0; i < t->sig.nparams; i++) {
        args[i].tensor =
            interp_tensor_new(t->sig.params[i].dtype, t->sig.params[i].rank,
                              t->sig.params[i].shape);
        args[i].dtype = t->sig.params[i].dtype;
    }
    return args;
}

/* Runs the target on an exact and a random input and asks for its arithmetic.
 * The caller frees the answer. */
static struct drift_answer *target_ask(struct target *t,
                                       const struct drift_declared *declared)
{
    struct drift_sample samples[2];
    const char *why = NULL;
    memset(samples, 0, sizeof samples);
    t->is_output = ARENA_ARRAY(t->arena, t->sig.nparams, bool);
    for (size_t i = 0; i < t->sig.nparams; i++)
        t->is_output[i] = t->sig.params[i].stored;
    for (size_t k = 0; k < 2; k++) {
        samples[k].exact = k == 0;
        samples[k].label = k == 0 ? "exact" : "random";
        samples[k].in = target_args(t);
        samples[k].out = target_args(t);
        enum interp_fill fill = k == 0 ? INTERP_FILL_EXACT : t->fill;
        target_fill(t, samples[k].in, fill, 7);
        target_fill(t, samples[k].out, fill, 7);
        assert_true(target_run(t, samples[k].out, t->arena, &why));
    }
    struct drift_question q;
    memset(&q, 0, sizeof q);
    q.module = t->module;
    q.func = t->module->funcs[0];
    q.nargs = t->sig.nparams;
    q.is_output = t->is_output;
    q.nsamples = 2;
    q.samples = samples;
    q.declared = *declared;
    q.fresh = target_fresh;
    q.run = target_run;
    q.user = t;
    struct drift_answer *a = drift_explain(&q);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < t->sig.nparams; i++) {
            interp_tensor_free(samples[k].in[i].tensor);
            interp_tensor_free(samples[k].out[i].tensor);
        }
    return a;
}

#endif
