/* SPDX-License-Identifier: Apache-2.0
 *
 * The library, which is all that runs in its host's process. It has nothing of
 * the project in it: there, a broken invariant or want of memory ends the
 * process (DC_BUG, dc_alloc). For each call it starts the program, which lies
 * beside it, sends it the job and takes the answer (contained.h), or says how
 * the program ended where it sent none.
 *
 * The program is started rather than this process forked: a fork of a process
 * with threads may find the heap's locks held for ever, and copies the tables of
 * a large one's memory.
 */
#define _GNU_SOURCE /* dladdr, and closing what else is open in a child */
#include "diff/api/contained.h"
#include "diff/api/diffcheck.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Modules and answers beyond it are refused. */
#define MAX_BYTES ((size_t)1 << 30)

struct diffcheck_module {
    struct contained_source source; /* of this module, on the heap */
    char *error;                    /* NULL: none */
};

struct diffcheck_result {
    int status;
    enum diffcheck_verdict verdict;
    const char *error, *text,
        *json;       /* in bytes, or constants; error: or NULL */
    char *bytes;     /* NULL: none */
    char ended[160]; /* how a process ended that sent nothing */
};

static char *copy(const char *text, size_t len)
{
    char *out = malloc(len + 1);
    if (out) {
        if (len)
            memcpy(out, text, len);
        out[len] = '\0';
    }
    return out;
}

/* ---- the process ------------------------------------------------------------------ */

/* All that fd gives, up to a limit, and a zero; NULL with *len 0 where there is nothing, no
 * memory, or more. */
static char *read_all(int fd, size_t *len)
{
    size_t cap = 1 << 16;
    char *bytes = malloc(cap);
    *len = 0;
    while (bytes) {
        ssize_t n = read(fd, bytes + *len, cap - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *len += (size_t)n;
        if (*len < cap)
            continue;
        char *more = cap < MAX_BYTES ? realloc(bytes, cap * 2) : NULL;
        if (!more) {
            free(bytes);
            bytes = NULL;
        } else {
            bytes = more;
            cap *= 2;
        }
    }
    if (bytes)
        bytes[*len] = '\0'; /* there is room: it grew before it was full */
    else
        *len = 0;
    return bytes;
}

/* Whether the bytes are an answer, whole; then the result has them. */
static int take_answer(struct diffcheck_result *r, char *bytes, size_t len)
{
    struct contained_answer a;
    if (len < sizeof a)
        return 0;
    memcpy(&a, bytes, sizeof a);
    len -= sizeof a;
    if (a.magic != CONTAINED_MAGIC || !a.error || !a.text || !a.json ||
        a.error > len || a.text > len - a.error ||
        a.json != len - a.error - a.text)
        return 0;
    char *at = bytes + sizeof a;
    if (at[a.error - 1] || at[a.error + a.text - 1] || at[len - 1])
        return 0;
    r->bytes = bytes;
    r->status = (int)a.status;
    r->verdict = (enum diffcheck_verdict)a.verdict;
    r->error = a.error > 1 ? at : NULL;
    r->text = at + a.error;
    r->json = r->text + a.text;
    return 1;
}

static void fail(struct diffcheck_result *r, const char *what, int why)
{
    r->status = 2;
    r->error = r->ended;
    (void)snprintf(r->ended, sizeof r->ended, "%s: %s", what, strerror(why));
}

/* A host that ignores SIGCHLD leaves no status to wait for. */
static void say_how_it_ended(struct diffcheck_result *r, int known, int status)
{
    r->status = known && WIFEXITED(status) && WEXITSTATUS(status) == 2 ? 2 : 3;
    r->error = r->ended;
    if (known && WIFSIGNALED(status))
        (void)snprintf(r->ended, sizeof r->ended,
                       "internal error: the program was ended by signal %d",
                       WTERMSIG(status));
    else if (r->status == 2)
        (void)snprintf(r->ended, sizeof r->ended,
                       "the program had no memory or stack left");
    else
        (void)snprintf(r->ended, sizeof r->ended,
                       "internal error: the program ended without an answer");
}

/* ---- starting the program ---------------------------------------------------------- */

/* The program: beside the library as packages have it, as the build has it, or
 * where it was to be installed. NULL: nowhere, or no memory. The caller frees
 * it. */
static char *find_program(void)
{
    static const char *const ways[] = {"/../bin/diffcheck",
                                       "/../../bin/diffcheck", "/diffcheck"};
    Dl_info info;
    const void *here;
    const char *(*own)(void) = diffcheck_version;
    memcpy(&here, &own, sizeof here); /* ISO C has no such cast */
    int known = dladdr(here, &info);
    const char *slash =
        known && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof ways / sizeof *ways; i++) {
        size_t len = (size_t)(slash - info.dli_fname);
        char *path = malloc(len + 32);
        if (!path)
            return NULL;
        (void)snprintf(path, len + 32, "%.*s%s", (int)len, info.dli_fname,
                       ways[i]);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return access(DC_PROGRAM, X_OK) == 0 ? copy(DC_PROGRAM, strlen(DC_PROGRAM))
                                         : NULL;
}

/* With the job's socket as standard input and no other descriptor but /dev/null;
 * signals as at a start. 0, or why not. */
static int spawn(const char *program, int fd, pid_t *pid)
{
    char name[] = "diffcheck", job[] = "library-job";
    char *const argv[] = {name, job, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    int why = posix_spawn_file_actions_init(&files);
    if (why)
        return why;
    why = posix_spawnattr_init(&how);
    if (!why) {
        if ((why = posix_spawn_file_actions_adddup2(&files, fd, 0)) == 0 &&
            (why = posix_spawn_file_actions_addopen(&files, 1, "/dev/null",
                                                    O_WRONLY, 0)) == 0 &&
            (why = posix_spawn_file_actions_addopen(&files, 2, "/dev/null",
                                                    O_WRONLY, 0)) == 0 &&
            (why = posix_spawn_file_actions_addclosefrom_np(&files, 3)) == 0 &&
            (why = posix_spawnattr_setsigdefault(&how, &all)) == 0 &&
            (why = posix_spawnattr_setsigmask(&how, &none)) == 0 &&
            (why = posix_spawnattr_setflags(
                 &how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)) == 0)
            why = posix_spawn(pid, program, &files, &how, argv, environ);
        (void)posix_spawnattr_destroy(&how);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return why;
}

/* ---- a job -------------------------------------------------------------------------- */

/* False where nobody takes it. */
static int send_all(int fd, const void *data, size_t len)
{
    const char *p = data;
    while (len > 0) {
        ssize_t n = send(fd, p, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        p += n;
        len -= (size_t)n;
    }
    return 1;
}

static int send_job(int fd, const struct contained_source *tuned,
                    const struct contained_source *untuned,
                    const char *const *options)
{
    static const char version[] = DC_VERSION;
    struct contained_job job = {.magic = CONTAINED_MAGIC,
                                .version = sizeof version,
                                .options = 1,
                                .tuned_name = strlen(tuned->name) + 1,
                                .tuned = tuned->len + 1,
                                .untuned_name =
                                    untuned ? strlen(untuned->name) + 1 : 0,
                                .untuned = untuned ? untuned->len + 1 : 0};
    for (size_t i = 0; options && options[i]; i++)
        job.options += strlen(options[i]) + 1;
    int fine =
        send_all(fd, &job, sizeof job) && send_all(fd, version, sizeof version);
    for (size_t i = 0; fine && options && options[i]; i++)
        fine = send_all(fd, options[i], strlen(options[i]) + 1);
    fine = fine && send_all(fd, "", 1) &&
           send_all(fd, tuned->name, job.tuned_name) &&
           send_all(fd, tuned->text, job.tuned);
    return fine &&
           (!untuned || (send_all(fd, untuned->name, job.untuned_name) &&
                         send_all(fd, untuned->text, job.untuned)));
}

/* Sends the job to the program and takes its answer. */
static void converse(struct diffcheck_result *r, int fd, pid_t pid,
                     const struct contained_source *tuned,
                     const struct contained_source *untuned,
                     const char *const *options)
{
    int status = 0;
    size_t len;
    pid_t got;
    (void)send_job(fd, tuned, untuned,
                   options); /* else how it ended says why */
    (void)shutdown(fd, SHUT_WR);
    char *bytes = read_all(fd, &len);
    (void)close(fd); /* what writes on is ended by that */
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
    }
    if (!take_answer(r, bytes, len)) {
        free(bytes);
        say_how_it_ended(r, got == pid, status);
    }
}

/* Has the program do it; without `untuned` the other module is only read. NULL:
 * no memory. */
static struct diffcheck_result *run(const struct contained_source *tuned,
                                    const struct contained_source *untuned,
                                    const char *const *options)
{
    struct diffcheck_result *r = calloc(1, sizeof *r);
    int ends[2];
    pid_t pid;
    if (!r)
        return NULL;
    r->verdict = DIFFCHECK_NONE;
    r->text = r->json = "";
    char *program = find_program();
    if (!program) {
        fail(r, "the program diffcheck is not beside its library", ENOENT);
        return r;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        fail(r, "no socket can be had", errno);
        free(program);
        return r;
    }
    int why = spawn(program, ends[1], &pid);
    (void)close(ends[1]);
    free(program);
    if (why == 0) {
        converse(r, ends[0], pid, tuned, untuned, options);
    } else {
        (void)close(ends[0]);
        fail(r, "the program diffcheck cannot be started", why);
    }
    return r;
}

/* ---- modules ----------------------------------------------------------------------- */

/* Takes the text, which may be NULL for no memory. */
static struct diffcheck_module *make(char *text, size_t len, const char *name)
{
    struct diffcheck_module *m = calloc(1, sizeof *m);
    char *own = copy(name, strlen(name));
    if (!m || !own || !text) {
        free(m);
        free(own);
        free(text);
        return NULL;
    }
    m->source = (struct contained_source){text, own, len};
    return m;
}

static struct diffcheck_module *checked(struct diffcheck_module *m)
{
    if (!m || m->error)
        return m;
    struct diffcheck_result *r = run(&m->source, NULL, NULL);
    int fine = r != NULL;
    if (r && r->error)
        fine = (m->error = copy(r->error, strlen(r->error))) != NULL;
    diffcheck_result_free(r);
    if (!fine) {
        diffcheck_module_free(m);
        return NULL;
    }
    return m;
}

struct diffcheck_module *diffcheck_load_memory(const void *text, size_t len,
                                               const char *name)
{
    if (!text && len > 0)
        len = 0;
    return checked(make(copy(text, len), len, name ? name : "<memory>"));
}

/* A module that is no more than what is wrong with it. */
static struct diffcheck_module *refused(const char *path, const char *why)
{
    struct diffcheck_module *m = make(copy("", 0), 0, path);
    size_t room = strlen(path) + strlen(why) + 32;
    if (m && !(m->error = malloc(room))) {
        diffcheck_module_free(m);
        return NULL;
    }
    if (m)
        (void)snprintf(m->error, room, "%s: error: %s [file.read]\n", path,
                       why);
    return m;
}

struct diffcheck_module *diffcheck_load_file(const char *path)
{
    struct stat about;
    size_t len = 0;
    char *text = NULL;
    if (!path)
        return refused("<none>", "no path was given");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return refused(path, strerror(errno));
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        (void)close(fd);
        return refused(path, "not a regular file");
    }
    if ((unsigned long long)about.st_size < MAX_BYTES)
        text = read_all(fd, &len);
    (void)close(fd);
    if (!text)
        return refused(path, "too large, or no memory is left for it");
    return checked(make(text, len, path));
}

const char *diffcheck_module_error(const struct diffcheck_module *module)
{
    return module ? module->error : NULL;
}

void diffcheck_module_free(struct diffcheck_module *module)
{
    if (!module)
        return;
    free((char *)(uintptr_t)module->source.text);
    free((char *)(uintptr_t)module->source.name);
    free(module->error);
    free(module);
}

/* ---- results ------------------------------------------------------------------------ */

struct diffcheck_result *
diffcheck_compare(const struct diffcheck_module *tuned,
                  const struct diffcheck_module *untuned,
                  const char *const *options)
{
    const struct diffcheck_module *bad =
        tuned && tuned->error ? tuned : untuned;
    if (tuned && untuned && !bad->error)
        return run(&tuned->source, &untuned->source, options);
    struct diffcheck_result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct diffcheck_result){
        .status = 2, .verdict = DIFFCHECK_NONE, .text = "", .json = ""};
    if (tuned && untuned)
        r->bytes = copy(bad->error, strlen(bad->error));
    r->error = r->bytes ? r->bytes : "there is no module";
    return r;
}

void diffcheck_result_free(struct diffcheck_result *result)
{
    if (!result)
        return;
    free(result->bytes);
    free(result);
}

const char *diffcheck_version(void)
{
    return DC_VERSION;
}

const char *diffcheck_error(const struct diffcheck_result *result)
{
    return result ? result->error : NULL;
}

enum diffcheck_verdict diffcheck_verdict(const struct diffcheck_result *result)
{
    return result ? result->verdict : DIFFCHECK_NONE;
}

const char *diffcheck_verdict_name(enum diffcheck_verdict verdict)
{
    static const char *const names[] = {"unsafe",     "different", "precision",
                                        "unknown",    "agrees",    "algebraic",
                                        "order-only", "identical"};
    return (int)verdict >= 0 && (size_t)verdict < sizeof names / sizeof *names
               ? names[verdict]
               : "none";
}

int diffcheck_exit_status(const struct diffcheck_result *result)
{
    return result ? result->status : 2;
}

const char *diffcheck_text(const struct diffcheck_result *result)
{
    return result ? result->text : "";
}

const char *diffcheck_json(const struct diffcheck_result *result)
{
    return result ? result->json : "";
}
