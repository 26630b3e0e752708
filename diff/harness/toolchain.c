/* SPDX-License-Identifier: Apache-2.0
 *
 * From a target's description to a program that runs.
 *
 * That a compiler is there says little: its C library, the emulator's system
 * root, a data type or an instruction set may be missing. So a small program
 * goes the whole way, compiled with the target's flags and run with its
 * command, and says "ready". It also asks the processor for the instruction
 * sets that the flags permit, since a kernel that traps looks like a crash.
 *
 * What a compiler is, for the cache, is its path, what --version prints, and
 * size and time of the file, so that a compiler replaced in place is another.
 *
 * What kernels of a target share is compiled once, as a build of its own, and
 * linked. Its text is part of what a kernel's build is known by, its place in
 * the cache is not.
 */
#include "diff/harness/target.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Seconds in which a compiler and a program must show that they work. */
#define ASK_SECONDS 120

/* ir/num/alone: own mathematics, and the headers that it needs. */
extern const char diff_math_text[], diff_math_headers[];

static const struct diff_limits ask_limits = {.wall_s = ASK_SECONDS,
                                              .cpu_s = ASK_SECONDS,
                                              .memory = (size_t)2 << 30,
                                              .file = 1 << 20};

const struct diff_target *diff_target_at(size_t i)
{
    for (size_t k = 0; diff_target_families[k] != NULL; k++)
        for (const struct diff_target *t = diff_target_families[k]; t->name;
             t++)
            if (i-- == 0)
                return t;
    return NULL;
}

const struct diff_target *diff_target_find(const char *name)
{
    const struct diff_target *t;
    for (size_t i = 0; (t = diff_target_at(i)) != NULL; i++) {
        if (strcmp(t->name, name) == 0)
            return t;
    }
    return NULL;
}

static bool is_word(const char *text, const char *word, size_t len)
{
    return strlen(text) == len && memcmp(text, word, len) == 0;
}

bool diff_target_matches(const struct diff_target *target, const char *word,
                         size_t len)
{
    return is_word("all", word, len) || is_word(target->name, word, len) ||
           is_word(target->group, word, len);
}

bool diff_target_listed(const struct diff_target *target, const char *list)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ",");
        if (diff_target_matches(target, p, n))
            return true;
        p += n + (p[n] ? 1 : 0);
    }
    return false;
}

/* ---- what there is ------------------------------------------------------------- */

static const char *first_line(const char *text, struct arena *arena)
{
    size_t n = strcspn(text, "\r\n");
    return arena_strndup(arena, text, n < 200 ? n : 200);
}

/* The first line of PROGRAM --version; "" if it gives none. */
static const char *ask_version(const char *path, struct arena *arena)
{
    const char *const argv[] = {path, "--version", NULL};
    struct diff_process p = {.argv = argv, .limits = ask_limits};
    struct diff_ended ended;
    diff_process_run(&p, &ended);
    const char *line =
        diff_ended_well(&ended) ? first_line(buf_text(&ended.text), arena) : "";
    diff_ended_fini(&ended);
    return line;
}

/* The same, asked once of a file as it is for all targets; and what it is. */
static const char *version_of(const char *path, struct diff_cache *cache,
                              struct arena *arena, const char **identity)
{
    struct stat st;
    if (stat(path, &st) != 0)
        memset(&st, 0, sizeof st);
    const char *file =
        arena_printf(arena, "%lld bytes of %lld.%09ld", (long long)st.st_size,
                     (long long)st.st_mtime, (long)st.st_mtim.tv_nsec);
    const char *question = arena_printf(arena, "%s: %s", path, file);
    const char *version = diff_cache_recall(cache, question);
    if (!version) {
        version = ask_version(path, arena);
        if (*version) /* else it failed, and the next target asks again */
            diff_cache_remember(cache, question, version);
    }
    *identity = arena_printf(arena, "%s, %s, %s", path, version, file);
    return arena_strdup(arena, version);
}

static bool right_machine(const struct diff_target *t, struct arena *arena,
                          struct diff_toolchain *out)
{
    struct utsname name;
    if (!t->machine)
        return true;
    if (uname(&name) != 0 || strcmp(name.machine, t->machine) == 0)
        return true;
    out->missing = arena_printf(arena, "the processor is %s, it needs %s",
                                name.machine, t->machine);
    return false;
}

static bool find_compiler(const struct diff_target *t, struct diff_cache *cache,
                          struct arena *arena, struct diff_toolchain *out)
{
    struct buf names = {0};
    for (size_t i = 0; t->compilers[i] && !out->compiler; i++) {
        out->compiler = diff_program_find(t->compilers[i], arena);
        buf_printf(&names, "%s%s", i ? ", " : "", t->compilers[i]);
    }
    if (out->compiler) {
        out->version = version_of(out->compiler, cache, arena, &out->identity);
    } else {
        out->missing =
            arena_printf(arena, "no compiler: %s %s not in PATH",
                         buf_text(&names), t->compilers[1] ? "are" : "is");
    }
    buf_fini(&names);
    return out->compiler != NULL;
}

static bool find_emulator(const struct diff_target *t, struct diff_cache *cache,
                          struct arena *arena, struct diff_toolchain *out)
{
    size_t n = 0;
    while (t->emulator && t->emulator[n])
        n++;
    out->run = ARENA_ARRAY(arena, n + 1, const char *);
    if (n == 0)
        return true;
    out->run_path = diff_program_find(t->emulator[0], arena);
    if (!out->run_path) {
        out->missing = arena_printf(arena, "no emulator: %s is not in PATH",
                                    t->emulator[0]);
        return false;
    }
    out->run_version =
        version_of(out->run_path, cache, arena, &out->run_identity);
    out->run[0] = out->run_path;
    for (size_t i = 1; i < n; i++)
        out->run[i] = t->emulator[i];
    return true;
}

/* ---- building -------------------------------------------------------------------- */

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

static void append(const char **argv, size_t *n, const char *const *list)
{
    for (size_t i = 0; list && list[i]; i++)
        argv[(*n)++] = list[i];
}

/* Parts of programs that are the same in all: compiled once for the flags of a
 * target, as builds of their own, and linked. */
struct part {
    const char *what; /* of an error: "the runtime" */
    const char *object;
    const char *source;
};

enum { MAX_PARTS = 2 };

/* Of the program of so many parts; of one of them, which is only compiled, if
 * `alone`. */
static const char **compile_command(const struct diff_toolchain *tools,
                                    const struct part *parts, size_t n_parts,
                                    bool alone, struct arena *arena)
{
    const struct diff_target *t = tools->target;
    size_t n = 0;
    const char **argv = ARENA_ARRAY(arena,
                                    count(t->flags) + count(t->faster) +
                                        count(t->libraries) + n_parts + 6,
                                    const char *);
    argv[n++] = tools->compiler;
    append(argv, &n, t->flags);
    if (tools->faster)
        append(argv, &n, t->faster);
    if (alone)
        argv[n++] = "-c";
    argv[n++] = "kernel.c";
    for (size_t i = 0; i < n_parts; i++)
        argv[n++] = parts[i].object;
    argv[n++] = "-o";
    argv[n++] = "program";
    if (!alone)
        append(argv, &n, t->libraries);
    return argv;
}

static const char *command_text(const char *const *argv, struct arena *arena)
{
    struct buf text = {0};
    for (size_t i = 0; argv[i]; i++)
        buf_printf(&text, "%s%s", i ? " " : "", argv[i]);
    const char *copy = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return copy;
}

struct compile {
    const struct diff_toolchain *tools;
    struct diff_cache *cache;
    const char *const *argv;
    const struct part *parts; /* that are linked */
    size_t n_parts;
    unsigned seconds;
    bool refused; /* the compiler ended by itself, and not well */
};

/* A compiler that could not write says so in its own way: whether there is room
 * for a program is tried. False with *why. */
static bool has_room(const char *folder, struct buf *why)
{
    enum { ROOM = 1 << 20 };
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    char *block = dc_alloc(ROOM);
    buf_printf(&path, "%s/room", folder);
    bool fine = file_write(buf_text(&path), block, ROOM, sink);
    if (!fine)
        buf_printf(why, "; no room in the build cache: %s",
                   diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
    (void)unlink(buf_text(&path));
    dc_release(block);
    buf_fini(&path);
    diag_sink_free(sink);
    return fine;
}

static bool compile(void *user, const char *folder, struct buf *why)
{
    struct compile *c = user;
    struct buf own = {
        0}; /* what a killed compiler leaves goes with the folder */
    buf_printf(&own, "TMPDIR=%s", folder);
    const char *const env[] = {buf_text(&own), NULL};
    struct diff_process p = {.argv = c->argv,
                             .folder = folder,
                             .env = env,
                             .limits = {.wall_s = c->seconds,
                                        .cpu_s = c->seconds,
                                        .memory = (size_t)4 << 30,
                                        .file = (size_t)256 << 20}};
    struct diff_ended ended;
    diff_process_run(&p, &ended);
    bool fine = diff_ended_well(&ended);
    if (!fine) {
        buf_printf(why, "%s: ", path_name(c->argv[0]));
        diff_ended_put(why, &ended);
        c->refused = ended.kind == DIFF_END_EXIT && has_room(folder, why);
    }
    diff_ended_fini(&ended);
    buf_fini(&own);
    return fine;
}

static const char *recipe_of(const struct diff_toolchain *tools,
                             const struct compile *c, struct arena *arena)
{
    struct buf text = {0};
    buf_printf(&text, "%s\n%s", tools->identity, command_text(c->argv, arena));
    for (size_t i = 0; i < c->n_parts; i++) /* compiled by the same flags */
        buf_printf(&text, "\n%s:\n%s", c->parts[i].object, c->parts[i].source);
    const char *recipe = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return recipe;
}

/* The part's object, from the cache or compiled now, as a file in `folder`: what
 * becomes of its entry in the cache does not matter then. */
static bool put_part(struct compile *c, const struct part *part,
                     const char *folder, struct buf *why)
{
    struct arena *arena = arena_new();
    struct compile own = {.tools = c->tools,
                          .cache = c->cache,
                          .argv =
                              compile_command(c->tools, NULL, 0, true, arena),
                          .seconds = c->seconds};
    struct diff_build build = {.source = part->source,
                               .recipe = recipe_of(c->tools, &own, arena)};
    struct diag_sink *sink = diag_sink_new();
    struct buf object = {0}, text = {0};
    bool fine =
        diff_cache_load(c->cache, &build, compile, &own, &object, &text);
    c->refused = own.refused;
    if (fine && !file_write(arena_printf(arena, "%s/%s", folder, part->object),
                            buf_text(&object), object.len, sink)) {
        fine = false;
        buf_puts(&text, diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
    }
    if (!fine)
        buf_printf(why, "%s: %s", part->what, buf_text(&text));
    buf_fini(&text);
    buf_fini(&object);
    diag_sink_free(sink);
    arena_free(arena);
    return fine;
}

/* Compiles a program and links its parts, which do not stay beside it. */
static bool compile_all(void *user, const char *folder, struct buf *why)
{
    struct compile *c = user;
    bool fine = true;
    for (size_t i = 0; i < c->n_parts && fine; i++)
        fine = put_part(c, &c->parts[i], folder, why);
    fine = fine && compile(c, folder, why);
    for (size_t i = 0; i < c->n_parts; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s", folder, c->parts[i].object);
        (void)unlink(buf_text(&path));
        buf_fini(&path);
    }
    return fine;
}

/* What a program of the source is linked with: what the target has in place of
 * a C library and, if the source asks for it, the mathematics. */
static size_t parts_of(const struct diff_target *t, const char *source,
                       struct arena *arena, struct part *out)
{
    struct buf text = {0};
    size_t n = 0;
    if (t->runtime) {
        for (size_t i = 0; t->runtime[i]; i++)
            buf_puts(&text, t->runtime[i]);
        out[n++] = (struct part){"the runtime", "runtime.o",
                                 arena_strdup(arena, buf_text(&text))};
    }
    if (t->own_math && strstr(source, "diffcheck_math"))
        out[n++] = (struct part){
            "the mathematics", "mathematics.o",
            arena_printf(arena, "%s%s",
                         t->runtime ? t->runtime[0] : diff_math_headers,
                         diff_math_text)};
    buf_fini(&text);
    return n;
}

static void describe(const struct diff_toolchain *tools,
                     struct diff_cache *cache, const char *source,
                     unsigned seconds, struct arena *arena, struct compile *c,
                     struct diff_build *what)
{
    const struct diff_target *t = tools->target;
    struct part *parts = ARENA_ARRAY(arena, MAX_PARTS, struct part);
    size_t n = parts_of(t, source, arena, parts);
    *c =
        (struct compile){.tools = tools,
                         .cache = cache,
                         .argv = compile_command(tools, parts, n, false, arena),
                         .parts = parts,
                         .n_parts = n,
                         .seconds = seconds};
    *what = (struct diff_build){
        .source = arena_printf(arena, "%s%s%s", t->runtime ? t->runtime[0] : "",
                               t->start ? t->start : "", source),
        .recipe = recipe_of(tools, c, arena)};
}

static const char *build(const struct diff_toolchain *tools,
                         struct diff_cache *cache, const char *source,
                         unsigned seconds, struct arena *arena, struct buf *why,
                         bool *refused)
{
    struct compile c;
    struct diff_build what;
    describe(tools, cache, source, seconds, arena, &c, &what);
    const char *program =
        diff_cache_get(cache, &what, compile_all, &c, arena, why);
    *refused = c.refused;
    return program;
}

const char *diff_toolchain_build(const struct diff_toolchain *tools,
                                 struct diff_cache *cache, const char *source,
                                 unsigned seconds, struct arena *arena,
                                 struct buf *why)
{
    bool refused;
    return build(tools, cache, source, seconds, arena, why, &refused);
}

void diff_toolchain_run(const struct diff_toolchain *tools, const char *program,
                        const char *const *arguments,
                        const struct diff_limits *limits,
                        struct diff_ended *out)
{
    struct arena *arena = arena_new();
    size_t n = 0;
    const char **argv = ARENA_ARRAY(
        arena, count(tools->run) + count(arguments) + 2, const char *);
    append(argv, &n, tools->run);
    argv[n++] = program;
    append(argv, &n, arguments);
    struct diff_process p = {
        .argv = argv,
        .env = diff_device_environment(tools->target, arguments, arena),
        /* drivers of devices write where they like */
        .writable = tools->target->language == EMIT_C ? arguments : NULL,
        .limits = *limits};
    const char *kernels = diff_device_kernels(tools->target, arguments, arena);
    if (kernels)
        diff_compiled_fetch(program, kernels);
    diff_process_run(&p, out);
    if (kernels && diff_ended_well(out))
        diff_compiled_keep(program, kernels);
    arena_free(arena);
}

/* ---- trying ------------------------------------------------------------------------- */

static const char probe_head[] = "#include <math.h>\n"
                                 "#include <stdint.h>\n"
                                 "#include <stdio.h>\n"
                                 "#include <stdlib.h>\n"
                                 "#include <string.h>\n";

static const char probe_tail[] =
    "static int lacks(const char *what)\n"
    "{\n"
    "    printf(\"the processor lacks %s\\n\", what);\n"
    "    return 1;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    (void)argv;\n"
    "#if defined(__x86_64__) && defined(__FMA__)\n"
    "    if (!__builtin_cpu_supports(\"fma\"))\n"
    "        return lacks(\"fma\");\n"
    "#endif\n"
    "#if defined(__x86_64__) && defined(__AVX2__)\n"
    "    if (!__builtin_cpu_supports(\"avx2\"))\n"
    "        return lacks(\"avx2\");\n"
    "#endif\n"
    "#if defined(__x86_64__) && defined(__AVX512BW__)\n"
    "    if (!__builtin_cpu_supports(\"avx512bw\"))\n"
    "        return lacks(\"avx512bw\");\n"
    "#endif\n"
    "    if (argc < 0)\n"
    "        return lacks(\"arguments\");\n"
    "    puts(PROBE == 1 ? \"ready\" : \"wrong\");\n"
    "    return 0;\n"
    "}\n";

static const char *probe_text(const struct diff_target *t, struct arena *arena)
{
    if (t->language != EMIT_C)
        return diff_device_probe(t);
    const char *half = t->float16
                           ? arena_printf(arena,
                                          "extern %s *half(%s *a);\n"
                                          "%s *half(%s *a)\n"
                                          "{\n"
                                          "    *a = (%s)(*a * *a);\n"
                                          "    return a;\n"
                                          "}\n",
                                          t->float16, t->float16, t->float16,
                                          t->float16, t->float16)
                           : "";
    return arena_printf(arena, "%s#define PROBE %s((float)argc %s)\n%s%s",
                        t->runtime ? "" : probe_head,
                        t->runtime ? "sqrtf" : "expf", t->runtime ? "" : "- 1",
                        half, probe_tail);
}

static void try_now(struct diff_toolchain *tools, struct diff_cache *cache,
                    struct arena *arena)
{
    static const char *const nothing[] = {NULL};
    struct buf why = {0};
    struct diff_ended ended = {0};
    bool lacking = false;
    const char *program = build(tools, cache, probe_text(tools->target, arena),
                                ASK_SECONDS, arena, &why, &lacking);
    if (program) {
        diff_toolchain_run(tools, program, nothing, &ask_limits, &ended);
        lacking = ended.kind != DIFF_END_TIME &&
                  (ended.kind != DIFF_END_SIGNAL || ended.number == SIGILL);
        if (!diff_ended_well(&ended)) {
            buf_puts(&why, "a test program: ");
            diff_ended_put(&why, &ended);
        } else if (strcmp(buf_text(&ended.text), "ready\n") != 0) {
            buf_printf(&why, "a test program printed '%s'",
                       first_line(buf_text(&ended.text), arena));
        }
    }
    if (ended.text.len > 0 &&
        diff_device_absent(tools->target, buf_text(&ended.text),
                           &tools->not_run)) {
        why.len = 0;
    }
    if (why.len > 0) {
        tools->missing = arena_strdup(arena, buf_text(&why));
        tools->broken = !lacking;
    }
    diff_ended_fini(&ended);
    buf_fini(&why);
}

struct trial {
    struct diff_toolchain *tools;
    struct diff_cache *cache;
    struct arena *arena;
    bool made;
};

/* What is kept of a trial that went well. */
static bool try_and_keep(void *user, const char *folder, struct buf *why)
{
    struct trial *t = user;
    struct diag_sink *sink = diag_sink_new();
    t->made = true;
    try_now(t->tools, t->cache, t->arena);
    bool fine = !t->tools->missing &&
                file_write(arena_printf(t->arena, "%s/program", folder),
                           "ready\n", 6, sink);
    if (!fine)
        buf_puts(why, "no");
    diag_sink_free(sink);
    return fine;
}

/* The probe of OpenCL knows nothing of the target's options: where it ran for one
 * target it does for the others. */
static void try_device(struct diff_toolchain *tools, struct diff_cache *cache,
                       struct arena *arena)
{
    const char *question = arena_printf(arena, "OpenCL by %s", tools->identity);
    if (diff_cache_recall(cache, question))
        return;
    try_now(tools, cache, arena);
    if (!tools->missing && !tools->not_run)
        diff_cache_remember(cache, question, "ready");
}

/* What an emulator ran once it runs again: that is kept as a build of its own,
 * known by the emulator as well. A processor or a device of the host may be
 * another one tomorrow. */
static void try_once(struct diff_toolchain *tools, struct diff_cache *cache,
                     struct arena *arena)
{
    struct trial trial = {tools, cache, arena, false};
    struct buf out = {0}, why = {0};
    bool known = false;
    if (tools->run_path) {
        struct compile c;
        struct diff_build what;
        describe(tools, cache, probe_text(tools->target, arena), ASK_SECONDS,
                 arena, &c, &what);
        what.recipe =
            arena_printf(arena, "run by %s\n%s\n%s", tools->run_identity,
                         command_text(tools->run, arena), what.recipe);
        known = diff_cache_load(cache, &what, try_and_keep, &trial, &out, &why);
    }
    if (tools->target->language == EMIT_OPENCL && !tools->run_path)
        try_device(tools, cache, arena);
    else if (!trial.made && !known)
        try_now(tools, cache, arena);
    buf_fini(&out);
    buf_fini(&why);
}

/* With the faster flags, and if those do not work without. */
static void try_out(struct diff_toolchain *tools, struct diff_cache *cache,
                    struct arena *arena)
{
    tools->faster = tools->target->faster != NULL;
    try_once(tools, cache, arena);
    if (tools->missing && tools->faster) {
        tools->faster = tools->broken = false;
        tools->missing = NULL;
        try_once(tools, cache, arena);
    }
}

void diff_toolchain_find(const struct diff_target *target,
                         struct diff_cache *cache, struct arena *arena,
                         struct diff_toolchain *out)
{
    memset(out, 0, sizeof *out);
    out->target = target;
    if (right_machine(target, arena, out) &&
        find_compiler(target, cache, arena, out) &&
        find_emulator(target, cache, arena, out))
        try_out(out, cache, arena);
}
