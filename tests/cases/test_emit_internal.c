/* SPDX-License-Identifier: Apache-2.0
 *
 * Emitted C against the interpreter, bit for bit: each function is written as C
 * with the correctly rounded mathematics, many functions are compiled into one
 * shared object by the host's gcc, or the compiler that DC_EMIT_CC names, under
 * flags that round each operation once, and run on the inputs on which the
 * interpreter ran without a fault. All NaNs count as one; elements that the
 * interpreter leaves undefined (R10) may hold anything.
 *
 * With the argument "opencl" the same for OpenCL programs on the device that is
 * there: one of SAMPLE functions, all with DC_EMIT_ALL in the environment. What
 * is refused is listed there. Functions that libraries round in their own ways
 * are computed in double precision; floating atomics run on exact numbers. With
 * "cuda" programs are compiled by nvcc, and not run.
 *
 * What is run: the pairs and litmus programs of corpora/, generated programs,
 * and, where ../shared/data/tvm is there, every module of it. What the emitter
 * refuses is counted by reason; nothing of these sets may be refused.
 */
#include "diff/emit/emit.h"
#include "diff/input/input.h"
#include "fuzz/gen.h"
#include "interp/interp.h"
#include "tests/cases/emit_names_internal.h"
#include "tests/cases/emit_start_internal.h"
#include "tests/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH     64
#define MAX_STEPS UINT64_C(3000000)
#define MAX_RUNS  4
/* once, where a run is longer than MAX_STEPS */
#define MOST_STEPS UINT64_C(2000000000)
#define MAX_BYTES  ((size_t)64 << 20)

/* One run of the interpreter: what went in and what came out. */
struct run {
    size_t n;
    struct interp_arg *in, *out;
};

struct item {
    char *label;
    struct ir_module *module;
    const struct ir_func *f;
    struct arena *arena;
    struct interp_signature sig;
    size_t nruns;
    struct run runs[MAX_RUNS];
    char symbol[32];
    bool threaded;
    enum interp_fault_kind fault; /* of the last run that did not finish */
};

struct reason {
    char *text;
    size_t n;
};

/* How C is written and compiled. */
struct variant {
    const char *name;
    bool soft;      /* float16 by integer code */
    bool openmp;    /* parallel loops on several threads */
    bool spoilt;    /* a bit of the first output is flipped: must be seen */
    bool namesakes; /* all variables and buffers have one name */
    enum emit_language language;
    const char *drop; /* taken out of the text: must be seen */
};

static const struct variant plain = {.name = ""};
static const struct variant soft = {.name = " with float16 by integer code",
                                    .soft = true};
static const struct variant openmp = {.name = " with OpenMP", .openmp = true};
static const struct variant spoilt = {.name = " with a bit flipped",
                                      .spoilt = true};
static const struct variant namesakes = {.name = " with one name for all",
                                         .namesakes = true};
static const struct variant opencl = {.name = " on OpenCL",
                                      .language = EMIT_OPENCL};
static const struct variant opencl_spoilt = {
    .name = " on OpenCL with a bit flipped",
    .spoilt = true,
    .language = EMIT_OPENCL};
static const struct variant cuda = {.name = " as CUDA, compiled only",
                                    .language = EMIT_CUDA};
static const struct variant no_barrier = {
    .name = " on OpenCL without barriers",
    .language = EMIT_OPENCL,
    .drop = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"};

/* Of the functions with threads one in so many runs on a device, of those
 * without one in four times as many. */
#define SAMPLE 8

struct set {
    const char *name;
    const struct variant *variant;
    size_t batches;
    size_t seen, unrun[INTERP_NFAULTS], ran, emitted, refused, compared, differ;
    struct VEC(struct item *) batch;
    struct VEC(struct reason) reasons;
    char folder[64];
    bool soft;               /* the compiler has no _Float16 */
    size_t threaded, serial; /* functions seen of either kind */
    size_t ran_threaded;     /* compared */
};

static const char *current = ""; /* for the signal handler */

static void on_signal(int number)
{
    static const char text[] = "\nsignal in emitted code of ";
    (void)!write(2, text, sizeof text - 1);
    (void)!write(2, current, strlen(current));
    (void)!write(2, "\n", 1);
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- the interpreter's side ----------------------------------------------------- */

static void args_free(size_t n, struct interp_arg *args)
{
    for (size_t i = 0; args && i < n; i++)
        interp_tensor_free(args[i].tensor);
    free(args);
}

static struct interp_arg *args_make(const struct interp_signature *sig,
                                    enum interp_fill fill, int64_t size,
                                    int64_t most)
{
    struct interp_arg *args = calloc(sig->nparams + 1, sizeof *args);

    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i];
        int64_t one = 1;
        bool index = p->indexes && dtype_is_int(p->dtype);
        struct interp_tensor *t =
            interp_tensor_new(p->dtype, p->is_tensor ? p->rank : 1,
                              p->is_tensor ? p->shape : &one);

        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : fill, 7, i,
                           index ? 0 : 1, index ? most : 0);
        args[i].dtype = p->dtype;
        if (p->is_tensor) {
            args[i].tensor = t;
            continue;
        }
        args[i].bits = index ? (uint64_t)size : interp_tensor_get(t, 0);
        interp_tensor_free(t);
    }
    return args;
}

static struct interp_arg *args_copy(size_t n, const struct interp_arg *from)
{
    struct interp_arg *args = calloc(n + 1, sizeof *args);

    for (size_t i = 0; i < n; i++) {
        args[i] = from[i];
        if (from[i].tensor)
            args[i].tensor = interp_tensor_clone(from[i].tensor);
    }
    return args;
}

static bool fits(const struct interp_signature *sig)
{
    size_t total = 0;

    for (size_t i = 0; i < sig->nparams; i++) {
        size_t n = 8;
        for (size_t d = 0; d < sig->params[i].rank; d++)
            if (sig->params[i].shape[d] < 0 ||
                __builtin_mul_overflow(n, (size_t)sig->params[i].shape[d], &n))
                return false;
        if (n > MAX_BYTES || (total += n) > MAX_BYTES)
            return false;
    }
    return true;
}

static void try_run(struct item *item, enum interp_fill fill, int64_t size,
                    int64_t most, uint64_t steps)
{
    struct interp_options options = interp_default_options();
    struct run *run = &item->runs[item->nruns];
    struct interp_result result;

    options.max_steps = steps;
    run->n = item->sig.nparams;
    run->in = args_make(&item->sig, fill, size, most);
    run->out = args_copy(run->n, run->in);
    result = interp_run(item->module, item->f, run->n, run->out, &options);
    if (result.fault == INTERP_OK) {
        item->nruns++;
    } else {
        args_free(run->n, run->in);
        args_free(run->n, run->out);
        item->fault = result.fault;
        if (getenv("DC_EMIT_VERBOSE"))
            print_message("%s: %s: %s\n", item->label,
                          interp_fault_name(result.fault), result.message);
    }
    interp_result_fini(&result);
}

/* ---- devices ---- */

struct facts {
    bool threads, float_atomic;
};

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct facts *facts = user;

    facts->threads |=
        (s->kind == IR_FOR && s->u.loop.kind == IR_FOR_THREAD) ||
        (s->kind == IR_ATTR && strcmp(s->u.attr.key, "thread_extent") == 0);
    return true;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct facts *facts = user;

    facts->float_atomic |= e->kind == IR_CALL &&
                           e->u.call.op == IR_OP_ATOMIC_ADD && e->nargs > 1 &&
                           dtype_is_float(e->args[1]->dtype);
    return true;
}

static struct facts facts_of(const struct ir_func *f)
{
    struct facts facts = {false, false};
    struct ir_visitor v = {see_stmt, see_expr, &facts};

    ir_visit_stmt(&v, f->prim.body);
    return facts;
}

/* Whether the function is one of the sample. */
static bool is_chosen(struct set *set, const struct facts *facts)
{
    size_t n = facts->threads ? set->threaded++ : set->serial++;
    const char *only = getenv("DC_EMIT_THREADS");

    if (set->variant->language == EMIT_C ||
        (getenv("DC_EMIT_ALL") && !set->variant->drop))
        return true;
    if (only && !set->variant->drop)
        return facts->threads;
    return n % (facts->threads ? SAMPLE : 4 * SAMPLE) == 0;
}

/* Sizes and index ranges are guessed: the first with which it runs. */
static void find_runs(struct item *item, bool exact)
{
    static const int64_t sizes[] = {5, 16, 64, 1};
    static const int64_t tops[] = {3, 0};
    struct diag_sink *sink = diag_sink_new();

    for (size_t s = 0; s < DC_ARRAY_LEN(sizes) && item->nruns == 0; s++) {
        struct interp_symbol symbols[64];
        size_t n;

        if (!interp_signature(item->module, item->f, NULL, 0, item->arena,
                              &item->sig, sink))
            break;
        n = item->sig.nsymbols < 64 ? item->sig.nsymbols : 64;
        for (size_t i = 0; i < n; i++)
            symbols[i] = (struct interp_symbol){item->sig.symbols[i], sizes[s]};
        if (!interp_signature(item->module, item->f, symbols, n, item->arena,
                              &item->sig, sink) ||
            !fits(&item->sig))
            break;
        for (size_t k = 0; k < DC_ARRAY_LEN(tops) && item->nruns == 0; k++) {
            if (!exact)
                try_run(item, INTERP_FILL_RANDOM, sizes[s], tops[k], MAX_STEPS);
            if (item->nruns == 0)
                try_run(item, INTERP_FILL_EXACT, sizes[s], tops[k], MAX_STEPS);
            if (item->nruns > 0 && !exact) {
                try_run(item, INTERP_FILL_BOUNDARY, sizes[s], tops[k],
                        MAX_STEPS);
                try_run(item, INTERP_FILL_RANGE, sizes[s], tops[k], MAX_STEPS);
            }
        }
        if (item->nruns == 0 && item->fault == INTERP_BUDGET && !exact)
            try_run(item, INTERP_FILL_RANDOM, sizes[s], 3, MOST_STEPS);
        if (item->sig.nsymbols == 0)
            break;
    }
    diag_sink_free(sink);
}

/* ---- the emitted side ------------------------------------------------------------- */

/* Raw bytes as C holds them. */
static void *pack(const struct interp_tensor *t)
{
    struct dtype lane = dtype_scalar(t->dtype);
    size_t unit = dtype_lane_bytes(lane);
    char *bytes = malloc(t->elements * unit + 1);

    for (size_t i = 0; i < t->elements; i++)
        num_store(lane, bytes + i * unit, interp_tensor_get(t, i));
    return bytes;
}

static void tell(const struct item *item, size_t run, size_t param, size_t i,
                 const struct interp_tensor *want, uint64_t have)
{
    struct buf text = {0};

    buf_printf(&text, "%s, run %zu, parameter %zu, element ", item->label, run,
               param);
    interp_put_index(&text, want, i);
    buf_puts(&text, ": interpreter ");
    num_put(&text, dtype_scalar(want->dtype), interp_tensor_get(want, i));
    buf_puts(&text, ", emitted C ");
    num_put(&text, dtype_scalar(want->dtype), have);
    print_message("%s\n", buf_text(&text));
    buf_fini(&text);
}

static bool same_tensor(const struct set *set, const struct item *item,
                        size_t run, size_t param,
                        const struct interp_tensor *want, const char *have)
{
    struct dtype lane = dtype_scalar(want->dtype);
    size_t unit = dtype_lane_bytes(lane);

    for (size_t i = 0; i < want->elements; i++) {
        uint64_t bits = num_load(lane, have + i * unit);
        if (!(want->state[i] & INTERP_DEFINED) ||
            num_same(lane, bits, interp_tensor_get(want, i)))
            continue;
        if (!set->variant->spoilt)
            tell(item, run, param, i, want, bits);
        return false;
    }
    return true;
}

/* Flips a bit of an element that the interpreter defines and stores to. */
static void spoil(const struct set *set, const struct item *item, void **data)
{
    for (size_t i = item->sig.nparams; set->variant->spoilt && i-- > 0;) {
        const struct interp_tensor *t = item->runs[0].out[i].tensor;

        if (!item->sig.params[i].stored || !t || t->elements == 0 ||
            !(t->state[0] & INTERP_DEFINED))
            continue;
        *(unsigned char *)data[i] ^= 1;
        return;
    }
}

typedef const char *(*entry_function)(void *const *, const int64_t *const *);

static void compare(struct set *set, const struct item *item,
                    entry_function entry)
{
    for (size_t r = 0; r < item->nruns; r++) {
        const struct run *run = &item->runs[r];
        void **data = calloc(run->n + 1, sizeof *data);
        const int64_t **dims = calloc(run->n + 1, sizeof *dims);
        bool same = true;
        const char *wrong;

        for (size_t i = 0; i < run->n; i++) {
            if (run->in[i].tensor) {
                data[i] = pack(run->in[i].tensor);
                dims[i] = run->in[i].tensor->shape;
            } else {
                data[i] = malloc(8);
                num_store(run->in[i].dtype, data[i], run->in[i].bits);
            }
        }
        current = item->label;
        wrong = entry(data, dims);
        if (wrong)
            print_message("%s: %s\n", item->label, wrong);
        spoil(set, item, data);
        for (size_t i = 0; i < run->n && same && !wrong; i++)
            if (run->out[i].tensor)
                same =
                    same_tensor(set, item, r, i, run->out[i].tensor, data[i]);
        set->compared++;
        set->ran_threaded += r == 0 && item->threaded;
        set->differ += wrong || !same;
        for (size_t i = 0; i < run->n; i++)
            free(data[i]);
        free(data);
        free(dims);
        if (wrong || !same)
            break;
    }
}

/* ---- batches ---------------------------------------------------------------------------- */

static void item_free(struct item *item)
{
    for (size_t i = 0; i < item->nruns; i++) {
        args_free(item->runs[i].n, item->runs[i].in);
        args_free(item->runs[i].n, item->runs[i].out);
    }
    ir_module_free(item->module);
    arena_free(item->arena);
    free(item->label);
    free(item);
}

/* Messages that differ only in what is quoted, or in positions, are one. */
static void count_reason(struct set *set, const char *message)
{
    const char *end = strstr(message, ", in function");
    char text[160];
    size_t n = end ? (size_t)(end - message) : strlen(message);

    snprintf(text, sizeof text, "%.*s", (int)n, message);
    for (size_t i = 0; i < set->reasons.len; i++)
        if (strcmp(set->reasons.items[i].text, text) == 0) {
            set->reasons.items[i].n++;
            return;
        }
    vec_push(&set->reasons, ((struct reason){strdup(text), 1}));
}

static bool emit_item(struct set *set, struct item *item,
                      struct emit_runtime *runtime, struct buf *code)
{
    struct diag_sink *sink = diag_sink_new();
    struct emit_options o = {.reference_math = true,
                             .body_only = true,
                             .symbol = item->symbol,
                             .openmp = set->variant->openmp,
                             .language = set->variant->language,
                             .float16 = set->soft ? "float16_soft" : NULL};
    bool fine = emit_c_into(item->module, item->f, &o, runtime, code, sink);

    if (!fine) {
        assert_true(diag_count(sink) > 0);
        count_reason(set, diag_at(sink, 0)->message);
        if (getenv("DC_EMIT_VERBOSE"))
            print_message("%s: %s\n", item->label, diag_at(sink, 0)->message);
    }
    diag_sink_free(sink);
    return fine;
}

/* nvcc FLAGS… -c -o folder/stem.so folder/stem.c */
static bool compile_cuda(const char *source, const char *object,
                         const char *errors)
{
    const char *const command[] = {
        "nvcc",         "-x", "cu", "-std=c++17", "-w",   "-arch=sm_80",
        "--fmad=false", "-c", "-o", object,       source, NULL};

    return start_program(command, errors);
}

/* COMPILER FLAGS… -o folder/stem.so folder/stem.c -lm 2>folder/stem.err */
static bool compile(const struct set *set, const char *stem)
{
    char source[96], object[96], errors[96];
    const char *command[28] = {
        compiler(),       "-std=gnu11",       "-O2", "-w", "-shared", "-fPIC",
        "-fno-fast-math", "-ffp-contract=off"};
    size_t n = 8;

    snprintf(source, sizeof source, "%s/%s.c", set->folder, stem);
    snprintf(object, sizeof object, "%s/%s.so", set->folder, stem);
    snprintf(errors, sizeof errors, "%s/%s.err", set->folder, stem);
    if (set->variant->language == EMIT_CUDA)
        return compile_cuda(source, object, errors);
    if (!set->soft && is_clang())
        command[n++] = "-Xclang";
    if (!set->soft)
        command[n++] = is_clang() ? "-ffloat16-excess-precision=none"
                                  : "-fexcess-precision=16";
    if (set->variant->openmp)
        command[n++] = "-fopenmp";
    command[n++] = "-o";
    command[n++] = object;
    command[n++] = source;
    command[n++] = "-lm";
    if (set->variant->language == EMIT_OPENCL) {
        command[n++] = "-DOPENCL_STRICT";
        command[n++] = "-lOpenCL";
    }
    return start_program(command, errors);
}

/* Takes every occurrence out of the text, which is to be seen. */
static void drop(const struct set *set, struct buf *text)
{
    const char *what = set->variant->drop;
    char *p = what && text->data ? strstr(text->data, what) : NULL;

    for (; p; p = strstr(p, what))
        memset(p, ' ', strlen(what));
}

static void run_batch(struct set *set)
{
    struct emit_runtime *runtime = emit_runtime_new();
    struct buf code = {0}, all = {0}, path = {0};
    struct diag_sink *sink = diag_sink_new();
    size_t kept = 0;
    char stem[32];
    void *object;

    for (size_t i = 0; i < set->batch.len; i++) {
        struct item *item = set->batch.items[i];
        struct buf text = {0};

        snprintf(item->symbol, sizeof item->symbol, "kernel_%zu", i);
        if (emit_item(set, item, runtime, &text)) {
            set->emitted++;
            drop(set, &text);
            buf_append(&code, buf_text(&text), text.len);
            set->batch.items[kept++] = item;
        } else {
            set->refused++;
            item_free(item);
        }
        buf_fini(&text);
    }
    set->batch.len = kept;
    emit_runtime_put(runtime, &all);
    buf_append(&all, buf_text(&code), code.len);
    snprintf(stem, sizeof stem, "batch%zu", set->batches++);
    buf_printf(&path, "%s/%s.c", set->folder, stem);
    assert_true(file_write(buf_text(&path), buf_text(&all), all.len, sink));
    if (kept > 0 && !compile(set, stem)) {
        struct buf errors = {0};
        path.len = 0;
        buf_printf(&path, "%s/%s.err", set->folder, stem);
        (void)!file_read(buf_text(&path), 0, &errors, sink);
        fail_msg("%s: the emitted code does not compile:\n%.2000s", set->name,
                 buf_text(&errors));
    }
    path.len = 0;
    buf_printf(&path, "%s/%s.so", set->folder, stem);
    if (set->variant->language == EMIT_CUDA) {
        for (size_t i = 0; i < kept; i++) {
            set->compared++;
            set->ran_threaded += set->batch.items[i]->threaded;
            item_free(set->batch.items[i]);
        }
        kept = 0;
    }
    object = kept > 0 ? dlopen(buf_text(&path), RTLD_NOW | RTLD_LOCAL) : NULL;
    if (kept > 0 && !object)
        fail_msg("%s", dlerror());
    for (size_t i = 0; i < kept; i++) {
        struct item *item = set->batch.items[i];
        char name[64];
        union {
            void *object;
            entry_function function;
        } entry;

        snprintf(name, sizeof name, "%s_entry", item->symbol);
        entry.object = dlsym(object, name);
        assert_non_null(entry.object);
        compare(set, item, entry.function);
        item_free(item);
    }
    /* libgomp's threads outlive the loop that made them */
    if (object && !set->variant->openmp)
        dlclose(object);
    path.len = 0;
    buf_printf(&path, "%s/%s.so", set->folder, stem);
    (void)unlink(buf_text(&path));
    set->batch.len = 0;
    buf_fini(&code);
    buf_fini(&all);
    buf_fini(&path);
    emit_runtime_free(runtime);
    diag_sink_free(sink);
}

/* Takes the module: one item a function. modules are read anew for each since
 * items own theirs. */
static void add_function(struct set *set, struct ir_module *module,
                         const struct ir_func *f, const char *label)
{
    struct item *item;
    struct buf text = {0};
    struct facts facts = facts_of(f);

    if (!is_chosen(set, &facts)) {
        ir_module_free(module);
        return;
    }
    if (set->variant->namesakes)
        emit_rename_all(module);
    item = calloc(1, sizeof *item);
    item->threaded = facts.threads;
    buf_printf(&text, "%s:%s", label, f->name);
    item->label = strdup(buf_text(&text));
    buf_fini(&text);
    item->module = module;
    item->f = f;
    item->arena = arena_new();
    set->seen++;
    if (set->variant->language != EMIT_CUDA)
        find_runs(item, set->variant->language != EMIT_C && facts.float_atomic);
    if (item->nruns == 0 && set->variant->language != EMIT_CUDA) {
        set->unrun[item->fault]++;
        item_free(item);
        return;
    }
    set->ran++;
    vec_push(&set->batch, item);
    if (set->batch.len == BATCH)
        run_batch(set);
}

static struct ir_module *read_module(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *module = ir_read_file(path, sink);

    if (module) { /* as compare has it, which emits no other */
        ir_host_restore(module, sink);
        diff_store_returned(module);
    }
    diag_sink_free(sink);
    return module;
}

static void add_file(struct set *set, const char *path)
{
    struct ir_module *module = read_module(path);
    size_t n = module ? module->nfuncs : 0;

    for (size_t i = 0; i < n; i++) {
        if (module->funcs[i]->kind == IR_FUNC_PRIM &&
            module->funcs[i]->prim.body) {
            add_function(set, module, module->funcs[i], path);
            module = i + 1 < n ? read_module(path) : NULL;
        }
        if (!module)
            break;
    }
    ir_module_free(module);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_module(const char *name)
{
    size_t n = strlen(name);

    return (n > 3 && strcmp(name + n - 3, ".py") == 0) ||
           strcmp(name, "tuned.json") == 0 || strcmp(name, "untuned.json") == 0;
}

/* Every module below a folder; of NAME.py and NAME.json the latter. */
static void add_folder(struct set *set, const char *folder)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, by_name);
    bool json = false;

    for (int i = 0; i < n; i++)
        json |= strcmp(entries[i]->d_name, "untuned.json") == 0;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        struct buf path = {0};
        struct stat info;

        buf_printf(&path, "%s/%s", folder, name);
        if (name[0] != '.' && stat(buf_text(&path), &info) == 0) {
            if (S_ISDIR(info.st_mode))
                add_folder(set, buf_text(&path));
            else if (is_module(name) && !(json && strstr(name, ".py")))
                add_file(set, buf_text(&path));
        }
        buf_fini(&path);
        free(entries[i]);
    }
    free(entries);
}

/* ---- sets ---------------------------------------------------------------------------------- */

/* Whether the compiler is there and compiles the text. */
static bool compiles(struct set *set, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    bool fine;

    buf_printf(&path, "%s/half.c", set->folder);
    fine = file_write(buf_text(&path), text, strlen(text), sink) &&
           compile(set, "half");
    buf_fini(&path);
    diag_sink_free(sink);
    return fine;
}

static void set_begin(struct set *set, const char *name,
                      const struct variant *variant)
{
    memset(set, 0, sizeof *set);
    set->name = name;
    set->variant = variant;
    set->soft = variant->soft;
    snprintf(set->folder, sizeof set->folder, "/tmp/diffcheck-emit-XXXXXX");
    assert_non_null(mkdtemp(set->folder));
    if (!set->soft)
        set->soft =
            !compiles(set, "_Float16 f(_Float16 a) { return a * a; }\n");
}

static void set_fini(struct set *set)
{
    static const char *const ends[] = {"c", "so", "err"};

    for (size_t i = 0; i < 3 * (set->batches + 1); i++) {
        char path[128];

        if (i < 3)
            snprintf(path, sizeof path, "%s/half.%s", set->folder, ends[i]);
        else
            snprintf(path, sizeof path, "%s/batch%zu.%s", set->folder,
                     i / 3 - 1, ends[i % 3]);
        if (!getenv("DC_EMIT_KEEP"))
            (void)unlink(path);
    }
    (void)rmdir(set->folder);
    for (size_t i = 0; i < set->reasons.len; i++)
        free(set->reasons.items[i].text);
    vec_fini(&set->batch);
    vec_fini(&set->reasons);
}

static void set_end(struct set *set)
{
    size_t compared, differ, refused;

    run_batch(set);
    print_message("%s%s: %zu functions, %zu run, %zu emitted, %zu refused, "
                  "%zu runs compared, %zu differ\n",
                  set->name, set->variant->name, set->seen, set->ran,
                  set->emitted, set->refused, set->compared, set->differ);
    if (set->variant->language != EMIT_C)
        print_message("  %5zu of them with threads, of %zu there are\n",
                      set->ran_threaded, set->threaded);
    for (size_t i = 0; i < INTERP_NFAULTS; i++)
        if (set->unrun[i] > 0)
            print_message("  %5zu not run: %s\n", set->unrun[i],
                          i == INTERP_OK
                              ? "no arguments can be made"
                              : interp_fault_name((enum interp_fault_kind)i));
    for (size_t i = 0; i < set->reasons.len; i++)
        print_message("  %5zu refused: %s\n", set->reasons.items[i].n,
                      set->reasons.items[i].text);
    compared = set->compared;
    differ = set->differ;
    refused = set->refused;
    set_fini(set);
    assert_true(compared > 0);
    if (set->variant->language == EMIT_C)
        assert_int_equal(refused, 0);
    if (set->variant->drop)
        assert_true(differ > 0);
    else if (!set->variant->spoilt)
        assert_int_equal(differ, 0);
    else
        assert_int_equal(differ, compared);
}

/* What a test looks at: a folder, or NULL for generated programs. */
struct subject {
    const char *folder;
    const struct variant *variant;
};

static void add_generated(struct set *set, uint64_t programs)
{
    struct gen_options options = gen_default_options();

    for (uint64_t seed = 1; seed <= programs; seed++) {
        struct gen_pair pair;
        char label[64];

        gen_pair_init(&pair, NULL, 0, seed, &options);
        snprintf(label, sizeof label, "seed %llu untuned",
                 (unsigned long long)seed);
        add_function(set, pair.untuned, ir_module_find(pair.untuned, "main"),
                     label);
        snprintf(label, sizeof label, "seed %llu tuned",
                 (unsigned long long)seed);
        add_function(set, pair.tuned, ir_module_find(pair.tuned, "main"),
                     label);
        pair.untuned = pair.tuned = NULL;
        gen_pair_fini(&pair);
    }
}

#define GENERATED 150

static void test_set(void **state)
{
    const struct subject *subject = *state;
    struct set set;

    set_begin(&set, subject->folder ? subject->folder : "generated programs",
              subject->variant);
    if (subject->folder)
        add_folder(&set, subject->folder);
    else
        add_generated(&set,
                      subject->variant == &plain ? GENERATED : GENERATED / 3);
    set_end(&set);
}

/* Whether an OpenCL program can be built and run. */
static bool have_opencl(void)
{
    static const char text[] =
        "#define CL_TARGET_OPENCL_VERSION 120\n"
        "#include <CL/cl.h>\n"
        "int f(void);\n"
        "int f(void)\n{\n"
        "    cl_platform_id p;\n"
        "    cl_uint n = 0;\n"
        "    return clGetPlatformIDs(1, &p, &n) == CL_SUCCESS && n > 0;\n}\n";
    struct set set;
    struct buf path = {0};
    bool fine;

    set_begin(&set, "OpenCL", &opencl);
    fine = compiles(&set, text);
    if (fine) {
        void *object;
        union {
            void *object;
            int (*function)(void);
        } f = {NULL};

        buf_printf(&path, "%s/half.so", set.folder);
        object = dlopen(buf_text(&path), RTLD_NOW | RTLD_LOCAL);
        f.object = object ? dlsym(object, "f") : NULL;
        fine = f.object && f.function();
    }
    buf_fini(&path);
    set_fini(&set);
    return fine;
}

static bool have_cuda(void)
{
    struct set set;
    bool fine;

    set_begin(&set, "CUDA", &cuda);
    fine = compiles(&set, "__global__ void f(int *p) { *p = 0; }\n");
    set_fini(&set);
    return fine;
}

static bool have_compiler(void)
{
    struct set set;
    bool fine;

    set_begin(&set, compiler(), &soft);
    fine = compiles(&set, "int f(void) { return 0; }\n");
    set_fini(&set);
    return fine;
}

static void remove_folder(const char *folder)
{
    const char *const command[] = {"rm", "-rf", "--", folder, NULL};

    (void)start_program(command, "/dev/null");
}

/* PoCL keeps what it compiles, by default in the user's home. */
static char pocl_folder[] = "/tmp/diffcheck-emit-pocl-XXXXXX";

int main(int argc, char **argv)
{
    static const struct subject subjects[] = {
        {NULL, &plain},
        {NULL, &soft},
        {NULL, &openmp},
        {NULL, &spoilt},
        {"corpora/pairs", &plain},
        {"corpora/pairs", &soft},
        {"corpora/pairs", &namesakes},
        {"corpora/litmus", &plain},
        {"../shared/data/tvm", &plain},
        {NULL, &opencl_spoilt},
        {"corpora/pairs", &no_barrier},
        {"corpora/pairs", &opencl},
        {"../shared/data/tvm", &opencl},
        {"corpora/pairs", &cuda},
        {"../shared/data/tvm", &cuda},
    };
    enum emit_language language = EMIT_C;
    struct VEC(struct CMUnitTest) tests = {0};
    struct subject given = {NULL, &plain};
    int failed;

    if (!have_compiler()) {
        printf("skipped: no %s here to compile what is emitted\n", compiler());
        return 77;
    }
    if (argc > 1 && strcmp(argv[1], "opencl") == 0) {
        argc--;
        argv++;
        assert_non_null(mkdtemp(pocl_folder));
        setenv("POCL_CACHE_DIR", pocl_folder, 1);
        if (!have_opencl()) {
            remove_folder(pocl_folder);
            printf("skipped: no OpenCL here to run what is emitted\n");
            return 77;
        }
        language = EMIT_OPENCL;
        given.variant = &opencl;
    }
    if (argc > 1 && strcmp(argv[1], "cuda") == 0) {
        argc--;
        argv++;
        if (!have_cuda()) {
            printf("skipped: no nvcc here to compile what is emitted\n");
            return 77;
        }
        language = EMIT_CUDA;
        given.variant = &cuda;
    }
    given.folder = argc > 1 ? argv[1] : NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(subjects); i++) {
        const struct subject *s = &subjects[i];
        const char *name = s->folder ? s->folder : "generated";
        union {
            const struct subject *in;
            void *out;
        } state = {s};
        struct stat info;

        if ((argc > 1 && strcmp(argv[1], name) != 0) ||
            s->variant->language != language)
            continue;
        if (s->folder && stat(s->folder, &info) != 0)
            printf("skipped: %s is not there\n", s->folder);
        else
            vec_push(&tests, ((struct CMUnitTest){name, test_set, NULL, NULL,
                                                  state.out}));
    }
    if (tests.len == 0 && given.folder) /* any folder */
        vec_push(&tests, ((struct CMUnitTest){given.folder, test_set, NULL,
                                              NULL, &given}));
    signal(SIGSEGV, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGBUS, on_signal);
    signal(SIGABRT, on_signal);
    /* the functions that emitted code calls are linked in */
    if (diffcheck_math1(NUM_EXP, DT_FLOAT << 8 | 32, 0) != 0x3f800000 ||
        diffcheck_math2(NUM_POW, DT_FLOAT << 8 | 32, 0, 0) != 0x3f800000)
        return 1;
    failed =
        _cmocka_run_group_tests("emit", tests.items, tests.len, NULL, NULL);
    vec_fini(&tests);
    if (language == EMIT_OPENCL)
        remove_folder(pocl_folder);
    return failed;
}
