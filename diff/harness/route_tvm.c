/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's own code generators, through an installed TVM.
 *
 * The Python script that diffcheck carries (diff/targets/tvm_runner.py) runs on
 * the user's Python, as a process with limits like a compiler: it reads the
 * module as JSON of its TVM's generation and exports the function as a shared
 * library, which the build cache keeps. Calling it then needs neither Python
 * nor TVM (route_library.c), so that a kernel runs in milliseconds; where the
 * function calls TVM's runtime, Python runs it.
 *
 * What makes a build what it is: the module, the function, the target with the
 * processor's name in place of "native", TVM's version and the file of Python,
 * the compiler that links, the script.
 *
 * Kernels for CUDA: the source is generated, which needs no GPU, and compiled
 * where there is nvcc; they run, by Python, where TVM finds a GPU.
 *
 * That Python has a TVM is asked once for all targets of a command.
 */
#include "diff/harness/route.h"
#include "ir/base/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char diff_tvm_runner[];

#define ASK_SECONDS 60
#define NO_DEVICE   4 /* an exit status of the script */

static struct diff_limits limits(unsigned seconds)
{
    return (struct diff_limits){.wall_s = seconds,
                                .cpu_s = seconds * 2,
                                .memory = (size_t)8 << 30,
                                .file = (size_t)1 << 30};
}

/* ---- the user's Python ----------------------------------------------------------- */

struct diff_python {
    struct dc_lock *lock;
    struct arena *arena;
    const char *option;
    bool asked;
    const char *missing; /* why there is no TVM; NULL: there is */
    bool broken;
    const char *path, *script, *folder;
    const char *version, *mcpu, *arch, *identity;
    enum ir_era era;
    bool cuda;
};

struct diff_python *diff_python_new(const char *option)
{
    struct diff_python *p = dc_alloc(sizeof *p);
    p->lock = dc_lock_new();
    p->arena = arena_new();
    p->option = option;
    return p;
}

void diff_python_free(struct diff_python *python)
{
    if (!python)
        return;
    if (python->folder)
        folder_remove(python->folder);
    dc_lock_free(python->lock);
    arena_free(python->arena);
    dc_release(python);
}

/* The script as a file; false: p->missing says why. */
static bool put_script(struct diff_python *p)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf why = {0};
    p->folder = diff_folder_new(p->arena, &why);
    if (p->folder)
        p->script = arena_printf(p->arena, "%s/tvm_runner.py", p->folder);
    bool fine = p->folder && file_write(p->script, diff_tvm_runner,
                                        strlen(diff_tvm_runner), sink);
    if (!fine) {
        p->broken = true;
        p->missing = arena_strdup(p->arena, why.len > 0 ? buf_text(&why)
                                            : diag_count(sink) > 0
                                                ? diag_at(sink, 0)->message
                                                : "no script");
    }
    buf_fini(&why);
    diag_sink_free(sink);
    return fine;
}

/* The rest of the line after `word`; NULL if no line starts with it. */
static const char *line_after(const char *text, const char *word,
                              struct arena *arena)
{
    for (const char *p = text; *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n"), len = strlen(word);
        if (n >= len && memcmp(p, word, len) == 0)
            return arena_strndup(arena, p + len, n - len);
        p += n;
    }
    return NULL;
}

static void take_version(struct diff_python *p, const char *python_version)
{
    static const struct {
        const char *prefix;
        enum ir_era era;
    } known[] = {{"0.25.", IR_ERA_D}, {"0.26.", IR_ERA_E}, {"0.27.", IR_ERA_F}};
    for (size_t i = 0; i < DC_ARRAY_LEN(known); i++) {
        if (strncmp(python_version, known[i].prefix, 5) == 0) {
            p->era = known[i].era;
            p->version = arena_printf(p->arena, "TVM %s", python_version);
            return;
        }
    }
    p->missing = arena_printf(p->arena, "TVM %s of %s, expected 0.25 to 0.27",
                              python_version, p->path);
}

/* What --about printed. */
static void take_answer(struct diff_python *p, const char *line)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = json_parse(line, strlen(line), "answer", sink);
    const struct json_value *root = doc ? json_root(doc) : NULL;
    const struct json_value *version = json_find(root, "version");
    const struct json_value *mcpu = json_find(root, "mcpu");
    const struct json_value *cuda = json_find(root, "cuda");
    const struct json_value *arch = json_find(root, "arch");
    if (version && json_string(version)) {
        take_version(p, json_string(version));
        if (mcpu && json_string(mcpu))
            p->mcpu = arena_strdup(p->arena, json_string(mcpu));
        if (arch && json_string(arch))
            p->arch = arena_strdup(p->arena, json_string(arch));
        p->cuda = cuda && json_type(cuda) == JSON_BOOL && json_bool(cuda);
    } else {
        p->missing =
            arena_printf(p->arena, "%s does not tell TVM's version", p->path);
        p->broken = true;
    }
    json_free(doc);
    diag_sink_free(sink);
}

static void ask(struct diff_python *p)
{
    const char *const argv[] = {p->path, p->script, "--about", NULL};
    struct diff_process process = {.argv = argv, .limits = limits(ASK_SECONDS)};
    struct diff_ended ended;
    struct buf why = {0};
    diff_process_run(&process, &ended);
    const char *told = line_after(buf_text(&ended.text), "error: ", p->arena);
    const char *line = line_after(buf_text(&ended.text), "{", p->arena);
    if (diff_ended_well(&ended) && line) {
        take_answer(p, arena_printf(p->arena, "{%s", line));
    } else if (ended.kind == DIFF_END_EXIT && ended.number == NO_DEVICE &&
               told) {
        p->missing = arena_printf(p->arena, "%s: %s", p->path, told);
    } else {
        buf_printf(&why, "%s: ", p->path);
        diff_ended_put(&why, &ended);
        p->missing = arena_strdup(p->arena, buf_text(&why));
        p->broken = ended.kind != DIFF_END_START;
    }
    buf_fini(&why);
    diff_ended_fini(&ended);
}

static void ask_once(struct diff_python *p)
{
    const char *variable = getenv("DIFFCHECK_PYTHON");
    struct stat st;
    const char *name = p->option               ? p->option
                       : variable && *variable ? variable
                                               : "python3";
    p->path = diff_program_find(name, p->arena);
    if (!p->path) {
        p->missing = arena_printf(p->arena, "no Python: %s is not %s", name,
                                  strchr(name, '/') ? "a program" : "in PATH");
        return;
    }
    if (put_script(p))
        ask(p);
    if (p->missing)
        return;
    if (stat(p->path, &st) != 0)
        memset(&st, 0, sizeof st);
    p->identity = arena_printf(
        p->arena, "%s, %s, %lld bytes of %lld, script %016llx", p->path,
        p->version, (long long)st.st_size, (long long)st.st_mtime,
        (unsigned long long)hash_bytes(2, diff_tvm_runner,
                                       strlen(diff_tvm_runner)));
}

static const struct diff_python *answer_of(struct diff_python *p)
{
    dc_lock_enter(p->lock);
    if (!p->asked)
        ask_once(p);
    p->asked = true;
    dc_lock_leave(p->lock);
    return p;
}

/* ---- trying ---------------------------------------------------------------------- */

/* What a target of this route has found. */
struct tvm_tools {
    const struct diff_python *python;
    const char *code; /* the target as TVM calls it, no "native" in it */
    bool cuda, c;
    struct diff_toolchain caller; /* or, for c, the compiler */
    const char *nvcc;             /* NULL: none */
};

bool diff_tvm_is(const char *code, const char *kind)
{
    size_t n = strlen(kind);
    const char *at = code;
    if (*code == '{') { /* {"kind": "llvm", … */
        at = strstr(code, "\"kind\"");
        at = at ? at + strlen("\"kind\"") : code;
        at += strspn(at, " :\"");
    }
    return strncmp(at, kind, n) == 0 && strchr(" \"", at[n]) != NULL;
}

static const char *replaced(const char *code, const char *option,
                            const char *value, struct arena *arena)
{
    const char *word = arena_printf(arena, "%s=native", option);
    const char *at = strstr(code, word);
    if (!at || !value)
        return code;
    return arena_printf(arena, "%.*s%s=%s%s", (int)(at - code), code, option,
                        value, at + strlen(word));
}

/* "-mcpu=native" becomes the processor that LLVM sees here, "-arch=native" the
 * GPU, which runs machine code of its own generation only; without one, 8.0. */
static const char *resolve(const char *code, const struct diff_python *p,
                           struct arena *arena)
{
    code = replaced(code, "-mcpu", p->mcpu, arena);
    return replaced(code, "-arch", p->arch ? p->arch : "sm_80", arena);
}

static void find(const struct diff_target *target, struct diff_python *python,
                 struct diff_cache *cache, struct arena *arena,
                 struct diff_toolchain *out)
{
    const struct diff_python *p = answer_of(python);
    struct tvm_tools *own = ARENA_NEW(arena, struct tvm_tools);
    memset(out, 0, sizeof *out);
    out->target = target;
    if (p->missing) {
        out->missing = arena_strdup(arena, p->missing);
        out->broken = p->broken;
        return;
    }
    own->python = p;
    own->cuda = diff_tvm_is(target->code, "cuda");
    own->c = diff_tvm_is(target->code, "c");
    own->code = resolve(target->code, p, arena);
    own->nvcc = own->cuda ? diff_program_find("nvcc", arena) : NULL;
    out->own = own;
    out->compiler = p->path;
    out->version =
        arena_printf(arena, "%s of %s, %s", p->version, p->path, own->code);
    out->identity = p->identity;
    if (own->cuda)
        return;
    diff_caller_find(cache, arena, &own->caller);
    out->missing = own->caller.missing;
    out->broken = own->caller.broken;
}

/* ---- building -------------------------------------------------------------------- */

struct export
{
    const char *const *argv;
    unsigned seconds;
};

/* For the build cache: runs in the folder of an entry that is being made. */
static bool run_export(void *user, const char *folder, struct buf *why)
{
    const struct export *e = user;
    struct diff_process p = {
        .argv = e->argv, .folder = folder, .limits = limits(e->seconds)};
    struct diff_ended ended;
    struct arena *arena = arena_new();
    diff_process_run(&p, &ended);
    bool fine = diff_ended_well(&ended);
    if (!fine) {
        const char *told = line_after(buf_text(&ended.text), "error: ", arena);
        if (ended.kind == DIFF_END_EXIT && told)
            buf_puts(why, told);
        else
            diff_ended_put(why, &ended);
    }
    const char *made = arena_printf(arena, "%s/program.so", folder);
    if (fine && access(made, F_OK) == 0 &&
        rename(made, arena_printf(arena, "%s/program", folder)) != 0) {
        buf_puts(why, "the library cannot be renamed");
        fine = false;
    }
    arena_free(arena);
    diff_ended_fini(&ended);
    return fine;
}

/* Flags for what TVM's C code generator wrote: no excess precision, nothing
 * fused; clang knows no -fexcess-precision=16 before 16. */
static const char *const strict[] = {"-O2", "-w", "-ffp-contract=off",
                                     "-std=gnu11", NULL};

/* The library, or for CUDA the source, in the cache. */
static const char *make(const struct tvm_tools *own,
                        const struct diff_measurement *m,
                        struct diff_measured *t, size_t side, const char *json,
                        struct buf *why)
{
    const struct diff_python *p = own->python;
    const char *function = m->side[side].func->name;
    const char **argv = ARENA_ARRAY(t->arena, 24, const char *);
    size_t n = 0;
    struct buf recipe = {0};
    argv[n++] = p->path;
    argv[n++] = p->script;
    argv[n++] = "--target";
    argv[n++] = own->code;
    argv[n++] = "--function";
    argv[n++] = function;
    argv[n++] = own->cuda ? "--source" : "--export";
    argv[n++] = own->cuda ? "program" : "program.so";
    if (own->c) {
        argv[n++] = "--cc";
        argv[n++] = own->caller.compiler;
    }
    for (size_t i = 0; own->c && strict[i]; i++)
        argv[n++] = arena_printf(t->arena, "--cc-option=%s", strict[i]);
    argv[n++] = "kernel.c"; /* as the cache calls the source */
    buf_printf(&recipe, "%s\n%s\n", p->identity,
               own->cuda ? "" : own->caller.identity);
    for (size_t i = 2; i < n; i++)
        buf_printf(&recipe, " %s", argv[i]);
    struct export e = {argv, m->pair->options->time_limit};
    const struct diff_build what = {json, buf_text(&recipe)};
    const char *made =
        diff_cache_get(m->harness->cache, &what, run_export, &e, t->arena, why);
    buf_fini(&recipe);
    return made;
}

/* ---- kernels ------------------------------------------------------------------------ */

static bool is_thread(const void *user, const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    (void)user;
    return ir_thread_axis(s, &axis) && !axis.is_virtual;
}

/* Barriers, shuffles, matrix units: a GPU's. */
static bool is_gpu_call(const void *user, const struct ir_expr *e)
{
    (void)user;
    if (e->kind != IR_CALL)
        return false;
    const struct ir_op_info *op = ir_op_info(e->u.call.op);
    return (op->flags & IR_OPF_SYNC) || strncmp(op->name, "ptx_", 4) == 0 ||
           strstr(op->name, "matrix_sync") || strstr(op->name, "mma_");
}

static bool has_threads(const struct ir_func *func)
{
    return ir_stmt_any(func->prim.body, is_thread, is_gpu_call, NULL);
}

static const char *const *nvcc_command(const struct tvm_tools *own,
                                       struct arena *arena)
{
    const char **argv = ARENA_ARRAY(arena, 8, const char *);
    const char *arch = strstr(own->code, "-arch=");
    size_t n = 0;
    argv[n++] = own->nvcc;
    argv[n++] = "-w";
    if (arch)
        argv[n++] = arena_strndup(arena, arch, strcspn(arch, " "));
    argv[n++] = "-cubin";
    argv[n++] = "-o";
    argv[n++] = "program";
    argv[n++] = "kernel.cu";
    return argv;
}

static bool run_nvcc(void *user, const char *folder, struct buf *why)
{
    const struct export *e = user;
    struct arena *arena = arena_new();
    struct diff_process p = {
        .argv = e->argv, .folder = folder, .limits = limits(e->seconds)};
    struct diff_ended ended = {0};
    bool fine =
        symlink("kernel.c", arena_printf(arena, "%s/kernel.cu", folder)) == 0;
    if (fine) {
        diff_process_run(&p, &ended);
        fine = diff_ended_well(&ended);
        if (!fine) {
            buf_puts(why, "nvcc: ");
            diff_ended_put(why, &ended);
        }
    } else {
        buf_puts(why, "no link can be made in the build cache");
    }
    diff_ended_fini(&ended);
    arena_free(arena);
    return fine;
}

/* The generated source, compiled; then it runs where TVM finds a GPU. */
static enum report_outcome finish_cuda(const struct tvm_tools *own,
                                       const struct diff_measurement *m,
                                       struct diff_measured *t, size_t side,
                                       const char *made, struct buf *why)
{
    struct buf source = {0};
    bool fine = true;
    if (own->nvcc && file_read(made, 0, &source, NULL)) {
        struct export e = {nvcc_command(own, t->arena),
                           m->pair->options->time_limit};
        const struct diff_build what = {
            buf_text(&source),
            arena_printf(t->arena, "nvcc 1\n%s %s", own->nvcc, e.argv[2])};
        fine = diff_cache_get(m->harness->cache, &what, run_nvcc, &e, t->arena,
                              why) != NULL;
    }
    buf_fini(&source);
    if (!fine)
        return REPORT_ERROR;
    if (!own->python->cuda) {
        buf_printf(why, "CUDA was generated%s; there is no GPU to run it on",
                   own->nvcc ? " and compiled by nvcc" : "");
        return REPORT_SKIPPED;
    }
    const char **argv = ARENA_ARRAY(t->arena, 5, const char *);
    argv[0] = own->python->path;
    argv[1] = own->python->script;
    argv[2] = "--target";
    argv[3] = own->code;
    t->kernel[side].runner = argv;
    t->kernel[side].what = "TVM";
    diff_request_texts(&m->side[side], side, t->arena, &t->kernel[side].texts);
    return REPORT_EXACT;
}

/* What TVM has no translation for, so that it is not asked. */
static bool translates(const struct tvm_tools *own,
                       const struct diff_measurement *m, size_t side,
                       struct buf *why)
{
    bool threads = has_threads(m->side[side].func);
    if (threads && !own->cuda)
        buf_puts(why, "a GPU module has no translation for a processor");
    else if (!threads && own->cuda)
        buf_puts(why, "no loop is bound to GPU threads");
    return why->len == 0;
}

/* What TVM's C generator prints for vectors and for small floats is no C. */
static bool is_vector(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_FOR && s->u.loop.kind == IR_FOR_VECTORIZED;
}

static bool is_odd_type(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->dtype.lanes > 1 ||
           (dtype_is_float(e->dtype) && e->dtype.bits < 32);
}

static bool c_lacks(const struct ir_func *func)
{
    return ir_stmt_any(func->prim.body, is_vector, is_odd_type, NULL);
}

static bool is_llvm(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL && (e->u.call.op == IR_OP_CALL_LLVM_INTRIN ||
                                  e->u.call.op == IR_OP_CALL_LLVM_PURE_INTRIN);
}

/* Whether the function asks for instructions of some processor by name, and
 * LLVM gave up on finding them in this one. */
static bool of_another_processor(const struct ir_func *func, const char *why)
{
    return ir_stmt_any(func->prim.body, NULL, is_llvm, NULL) &&
           strstr(why, "LLVM ERROR: ");
}

/* The outcome of a build that gave nothing. */
static enum report_outcome refused(const struct tvm_tools *own,
                                   const struct ir_func *func, struct buf *why,
                                   struct arena *arena)
{
    const char *said = arena_strdup(arena, buf_text(why));
    const char *lack = NULL;
    if (own->c && c_lacks(func))
        lack = "TVM's C has no vectors and no small floats";
    else if (of_another_processor(func, said))
        lack = "the target has not the instructions of the intrinsics";
    else if (strstr(said, "TVM does not read the module") &&
             strstr(said, "is not registered"))
        lack = "this TVM has not all operators of the module";
    if (!lack)
        return REPORT_ERROR;
    why->len = 0;
    buf_printf(why, "%s (%s)", lack, said);
    return REPORT_SKIPPED;
}

static enum report_outcome build(const struct diff_measurement *m,
                                 struct diff_measured *t, size_t side,
                                 struct buf *why)
{
    const struct tvm_tools *own = t->choice->tools.own;
    struct diag_sink *sink = diag_sink_new();
    struct buf json = {0};
    enum report_outcome outcome = REPORT_SKIPPED;
    const char *made = NULL;
    if (!translates(own, m, side, why)) {
        /* skipped */
    } else if (!ir_write_json(m->side[side].module, own->python->era, &json,
                              sink)) {
        buf_printf(why, "the module cannot be said in JSON of %s: %s",
                   own->python->version,
                   diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
    } else {
        made = make(own, m, t, side, buf_text(&json), why);
        outcome = !made ? refused(own, m->side[side].func, why, t->arena)
                  : own->cuda
                      ? finish_cuda(own, m, t, side, made, why)
                      : diff_caller_kernel(&own->caller, m, t, side, made, why);
    }
    buf_fini(&json);
    diag_sink_free(sink);
    return outcome;
}

const struct diff_route diff_route_tvm = {.find = find, .build = build};

/* ---- all routes ---------------------------------------------------------------------- */

void diff_target_try(const struct diff_target *target,
                     struct diff_python *python, struct diff_cache *cache,
                     struct arena *arena, struct diff_toolchain *out)
{
    if (target->route)
        target->route->find(target, python, cache, arena, out);
    else
        diff_toolchain_find(target, cache, arena, out);
}
