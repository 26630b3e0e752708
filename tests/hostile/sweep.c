/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep quick|dense DIFFCHECK FAILING_MALLOC FAILING_Z3: runs commands of diffcheck
 * with one allocation, or one call of Z3, failing, and with all failing from one
 * on, for each of their numbers in turn; `quick` takes a few numbers of each
 * command, evenly spread, `dense` all of them up to a limit, then spread. Run from
 * the source root.
 *
 * Each run ends by itself, with exit status 0, 1, 2 or 4. With 2 there is one
 * message and no result; otherwise the result is that of a run without failures,
 * or of a verdict that claims less. Files are whole or not there. Time is counted
 * in seconds of the processor.
 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGS  16
#define MAX_TEXT  (1 << 20)
#define QUICK     14   /* runs of one command and kind of failure */
#define DENSE     1500 /* the same */
#define SECONDS   120  /* of the processor, for one run */
#define MAX_SHOWN 20

#define CLI       "tests/cli/data/"
#define BITS      "corpora/pairs/bf16-by-bits/" /* asks scripts of bit vectors */

enum kind { MALLOC_ONE, MALLOC_ON, Z3_ONE, Z3_LATE, Z3_ON, NKINDS };
static const char *const kind_names[NKINDS] = {
    "one allocation", "all allocations from", "one call of Z3",
    "one call of Z3, done all the same,", "all calls of Z3 from"};

/* @W: a folder with what was made before; @D: one that is empty before each run.
 * What a command writes there is compared, too. */
struct command {
    const char *args;
    const char *writes[2];
    bool verdict; /* prints one */
    bool z3;      /* calls it */
};

static const struct command commands[] = {
    {"show " CLI "matmul.py", {0}, false, false},
    {"show --json " CLI "gelu.py", {0}, false, false},
    {"show --c " CLI "softmax.py", {0}, false, false},
    {"show --opencl " CLI "matmul.py", {0}, false, false},
    {"show @W/module.json", {0}, false, false},
    {"run " CLI "gelu.py", {0}, false, false},
    {"run " CLI "matmul.py --out @D", {"C.npy"}, false, false},
    {"run --domain ac " CLI "matmul.py -j 2", {0}, false, false},
    {"run --domain terms " CLI "sum_half.py", {0}, false, false},
    {"lint " CLI "matmul_outside.py", {0}, true, true},
    {"lint " CLI "gather.py --format json", {0}, false, true},
    {"prove " CLI "matmul_ikj.py " CLI "matmul.py --certificate @D/cert "
     "--format text --format json=@D/r.json",
     {"cert", "r.json"},
     true,
     true},
    {"prove " CLI "sum_half_backwards.py " CLI "sum_half.py", {0}, true, true},
    {"prove " CLI "matmul_short.py " CLI "matmul.py", {0}, true, true},
    {"prove " CLI "plus_one_twice.py " CLI "plus_one.py", {0}, true, true},
    {"prove " BITS "tuned.py " BITS "untuned.py", {0}, true, true},
    {"check-certificate @W/cert " CLI "matmul_ikj.py " CLI "matmul.py",
     {0},
     true,
     true},
    {CLI "matmul_ikj.py " CLI "matmul.py", {0}, true, true},
    {CLI "matmul_short.py " CLI "matmul.py --format json", {0}, false, true},
    {CLI "matmul_short.py " CLI "matmul.py --save @D/s",
     {"s/finding.json", "s/tuned/C.npy"},
     true,
     true},
    {CLI "relu_call.py " CLI "relu.py", {0}, true, true},
    {"compare " CLI "softmax.py " CLI "softmax.py -j 2 --format text "
     "--format json=@D/r.json",
     {"r.json"},
     true,
     true},
};

struct text {
    size_t len;
    char bytes[MAX_TEXT + 1];
};

struct result {
    int status; /* of waitpid */
    struct text out, err, files[2];
};

static struct {
    const char *diffcheck, *libraries[2];
    char folder[64];
    bool dense;
    unsigned long runs, faults;
} all;

static struct result expected, got;

static void stop(const char *what)
{
    fprintf(stderr, "sweep: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void join(char *path, size_t size, const char *folder, const char *name)
{
    int n = snprintf(path, size, "%s/%s/%s", all.folder, folder, name);
    if (n < 0 || (size_t)n >= size)
        stop("a path is too long");
}

static void slurp(const char *path, struct text *out)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, out->bytes, MAX_TEXT) : 0;
    if (n < 0)
        stop(path);
    out->len = (size_t)n;
    out->bytes[n] = '\0';
    if (fd >= 0)
        (void)close(fd);
}

static bool same(const struct text *a, const struct text *b)
{
    return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Removes the files in it. A temporary one that a run left is a fault. */
static void empty(const char *folder)
{
    char path[128];
    join(path, sizeof path, folder, "");
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        char file[512];
        int n = snprintf(file, sizeof file, "%s%s", path, e->d_name);
        if (strncmp(e->d_name, ".diffcheck.", 11) == 0) {
            printf("FAILED: a run left %s\n", e->d_name);
            all.faults++;
        }
        if (n > 0 && (size_t)n < sizeof file)
            (void)unlink(file); /* no folder */
    }
    if (dir)
        (void)closedir(dir);
}

/* ---- one run ----------------------------------------------------------------- */

/* The words of args, with folders put in for @W and @D. */
static void split(const char *args, char *room, size_t size, char **argv)
{
    size_t n = 1, used = 0; /* 0: the program */
    argv[n++] = room;
    for (const char *p = args; *p; p++) {
        if (*p == ' ') {
            room[used++] = '\0';
            argv[n++] = room + used;
        } else if (*p == '@') {
            int more =
                snprintf(room + used, size - used, "%s/%c", all.folder, p[1]);
            used += (size_t)more;
            p++;
        } else {
            room[used++] = *p;
        }
        if (used + sizeof all.folder + 2 >= size || n >= MAX_ARGS)
            stop("a command is too long");
    }
    room[used] = '\0';
    argv[n] = NULL;
}

static void redirect(int fd, const char *name)
{
    char path[128];
    join(path, sizeof path, ".", name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(126);
    (void)close(file);
}

static void start(const struct command *c, const char *library,
                  const char *const settings[][2])
{
    char room[2048], program[4096], *argv[MAX_ARGS + 2];
    split(c->args, room, sizeof room, argv);
    (void)snprintf(program, sizeof program, "%s", all.diffcheck);
    argv[0] = program;
    struct rlimit cpu = {SECONDS, SECONDS}, none = {0, 0};
    int null = open("/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, "out");
    redirect(STDERR_FILENO, "err");
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        setrlimit(RLIMIT_CPU, &cpu) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
        _exit(126);
    for (size_t i = 0; settings[i][0]; i++)
        if (setenv(settings[i][0], settings[i][1], 1) != 0)
            _exit(126);
    if (library && setenv("LD_PRELOAD", library, 1) != 0)
        _exit(126);
    (void)execv(all.diffcheck, argv);
    _exit(126);
}

static void run(const struct command *c, const char *library,
                const char *const settings[][2], struct result *r)
{
    static const char *const streams[] = {"out", "err"};
    char path[128];
    empty("D");
    pid_t child = fork();
    if (child == 0)
        start(c, library, settings);
    if (child < 0 || waitpid(child, &r->status, 0) != child)
        stop("a run");
    for (size_t i = 0; i < 2; i++) {
        join(path, sizeof path, ".", streams[i]);
        slurp(path, i == 0 ? &r->out : &r->err);
    }
    for (size_t i = 0; i < 2; i++) {
        r->files[i].len = 0;
        if (!c->writes[i])
            continue;
        join(path, sizeof path, "D", c->writes[i]);
        slurp(path, &r->files[i]);
    }
    all.runs++;
}

/* ---- what is right -------------------------------------------------------------- */

/* How much a verdict claims; the more, the greater. */
static int claim(const struct text *out)
{
    static const char *const words[] = {"unknown",   "agrees",     "precision",
                                        "algebraic", "order-only", "identical"};
    size_t n = strcspn(out->bytes, " \n");
    for (int i = 0; i < 6; i++)
        if (strlen(words[i]) == n && strncasecmp(out->bytes, words[i], n) == 0)
            return i;
    return n == 4 && strncmp(out->bytes, "safe", n) == 0 ? 5 : -1;
}

/* Whether the verdict says no more than the expected one: the same, or unknown, or
 * a weaker one of equality. Of differences nothing may be said that was not. */
static bool is_no_stronger(void)
{
    int had = claim(&expected.out), has = claim(&got.out);
    size_t n = strcspn(got.out.bytes, " \n");
    if (has < 0 || had < 0)
        return has == 0 ||
               (strncmp(expected.out.bytes, got.out.bytes, n) == 0 &&
                expected.out.bytes[n] == got.out.bytes[n]);
    return has <= had;
}

/* As for text, but of the value of "verdict". */
static const char *json_verdict(const struct text *t)
{
    const char *at = strstr(t->bytes, "\"verdict\": ");
    return at ? at + strlen("\"verdict\": ") : "";
}

static bool is_json_no_stronger(void)
{
    const char *has = json_verdict(&got.out),
               *had = json_verdict(&expected.out);
    size_t n = strcspn(had, ",\n");
    return strncmp(has, had, n) == 0 || strncmp(has, "\"unknown\"", 9) == 0 ||
           strncmp(has, "\"agrees\"", 8) == 0;
}

static bool is_message(void)
{
    const char *end = strchr(got.err.bytes, '\n');
    return end && end[1] == '\0' && strstr(got.err.bytes, "error: ") &&
           !strstr(got.err.bytes, "internal error");
}

static bool is_error_object(void)
{
    return strstr(got.out.bytes, "\"exit\": 2") &&
           strstr(got.out.bytes, "\"verdict\": null") &&
           strstr(got.out.bytes, "\"error\": \"") && got.out.len > 2 &&
           strcmp(got.out.bytes + got.out.len - 2, "}\n") == 0;
}

/* Whether what the command wrote to files is whole, or not there. A report may be
 * another one where the verdict may be. */
static bool has_half_a_file(const struct command *c)
{
    for (size_t i = 0; i < 2; i++) {
        const struct text *f = &got.files[i];
        if (f->len > 0 && !same(f, &expected.files[i]) &&
            (!c->z3 || f->bytes[f->len - 1] != '\n'))
            return true;
    }
    return false;
}

static const char *judge_refusal(bool json)
{
    if (!is_message())
        return "not one message";
    if (got.out.len > 0 && !same(&got.out, &expected.out) &&
        !(json && is_error_object()))
        return "half a result";
    return NULL;
}

/* What is wrong; NULL if nothing. */
static const char *judge(const struct command *c)
{
    bool json = strstr(c->args, "json") != NULL;
    if (!WIFEXITED(got.status))
        return WTERMSIG(got.status) == SIGXCPU ? "does not end"
                                               : "ended by a signal";
    int status = WEXITSTATUS(got.status);
    if (has_half_a_file(c))
        return "half a file";
    if (status == 2)
        return judge_refusal(json);
    if (status != 0 && status != 1 && status != 4)
        return "exit status";
    if (same(&got.out, &expected.out))
        return got.status == expected.status ? NULL
                                             : "status of the same result";
    if (c->z3 && !c->verdict)
        return json && is_json_no_stronger() ? NULL : "another result";
    if (!c->verdict)
        return "another result";
    if (!is_no_stronger())
        return "a stronger verdict";
    return claim(&got.out) == 0 && status != 4 ? "status of unknown" : NULL;
}

static void tell(const struct command *c, enum kind kind, unsigned long n,
                 const char *wrong)
{
    if (++all.faults > MAX_SHOWN)
        return;
    printf("FAILED: %s: %s: %s %lu fails: ", c->args, wrong, kind_names[kind],
           n);
    if (WIFEXITED(got.status))
        printf("exit status %d\n", WEXITSTATUS(got.status));
    else
        printf("signal %d\n", WTERMSIG(got.status));
    printf("%.600s%.600s", got.out.bytes, got.err.bytes);
}

/* ---- the sweep ------------------------------------------------------------------- */

static unsigned long counted(const struct command *c, const char *library)
{
    char path[128];
    static struct text text;
    join(path, sizeof path, ".", "count");
    (void)unlink(path);
    const char *const settings[][2] = {{"DC_FAIL_COUNT", path}, {NULL, NULL}};
    run(c, library, settings, &expected);
    slurp(path, &text);
    if (!WIFEXITED(expected.status) || text.len == 0) {
        printf("%s%s", expected.out.bytes, expected.err.bytes);
        stop(c->args);
    }
    return strtoul(text.bytes, NULL, 10);
}

static void sweep(const struct command *c, enum kind kind, unsigned long count,
                  unsigned long phase)
{
    const char *library = all.libraries[kind >= Z3_ONE];
    unsigned long most = all.dense ? DENSE : QUICK;
    unsigned long step = count > most ? count / most : 1;
    for (unsigned long n = 1 + phase % step; n <= count; n += step) {
        char number[32];
        (void)snprintf(number, sizeof number, "%lu", n);
        const char *const settings[][2] = {
            {"DC_FAIL_AT", number},
            {"DC_FAIL_ON", kind == MALLOC_ON || kind == Z3_ON ? "1" : "0"},
            {"DC_FAIL_LATE", kind == Z3_LATE ? "1" : "0"},
            {NULL, NULL}};
        run(c, library, settings, &got);
        const char *wrong = judge(c);
        if (wrong)
            tell(c, kind, n, wrong);
    }
}

/* What commands read that other commands wrote. */
static void prepare(void)
{
    static const struct command first[] = {
        {"show --json " CLI "matmul.py", {0}, false, false},
        {"prove " CLI "matmul_ikj.py " CLI "matmul.py --certificate @W/cert",
         {0},
         false,
         false},
    };
    static const char *const none[][2] = {{NULL, NULL}};
    char path[128];
    for (size_t i = 0; i < 2; i++) {
        run(&first[i], NULL, none, &got);
        if (!WIFEXITED(got.status) || WEXITSTATUS(got.status) != 0)
            stop(first[i].args);
        join(path, sizeof path, "W", i == 0 ? "module.json" : "unused");
        FILE *file = fopen(path, "w");
        if (!file ||
            fwrite(got.out.bytes, 1, got.out.len, file) != got.out.len ||
            fclose(file) != 0)
            stop(path);
    }
}

int main(int argc, char **argv)
{
    char path[128];
    if (argc != 5) {
        fputs("usage: sweep quick|dense DIFFCHECK FAILING_MALLOC FAILING_Z3\n",
              stderr);
        return 2;
    }
    all.dense = strcmp(argv[1], "dense") == 0;
    all.diffcheck = argv[2];
    all.libraries[0] = argv[3];
    all.libraries[1] = argv[4];
    (void)snprintf(all.folder, sizeof all.folder, "/tmp/dc-sweep-XXXXXX");
    if (!mkdtemp(all.folder))
        stop(all.folder);
    join(path, sizeof path, "D", "");
    if (mkdir(path, 0777) != 0)
        stop(path);
    join(path, sizeof path, "W", "");
    if (mkdir(path, 0777) != 0)
        stop(path);
    prepare();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *c = &commands[i];
        unsigned long before = all.runs, faults = all.faults;
        for (enum kind k = MALLOC_ONE; k < NKINDS; k++) {
            if (k >= Z3_ONE && !c->z3)
                continue;
            unsigned long count = counted(c, all.libraries[k >= Z3_ONE]);
            sweep(c, k, count, (unsigned long)i * 7 + (unsigned long)k * 3);
        }
        printf("%lu runs, %lu wrong: %s\n", all.runs - before,
               all.faults - faults, c->args);
        (void)fflush(stdout);
    }
    printf("%lu runs, %lu wrong\n", all.runs, all.faults);
    static const char *const folders[] = {"D", "W", "."};
    for (size_t i = 0; i < 3; i++) {
        empty(folders[i]);
        join(path, sizeof path, folders[i], "");
        (void)rmdir(path);
    }
    (void)rmdir(all.folder);
    return all.faults == 0 ? 0 : 1;
}
