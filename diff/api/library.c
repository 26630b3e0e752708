/* SPDX-License-Identifier: Apache-2.0
 *
 * The library on the side of its host. This file is all that runs in the
 * host's process, and calls nothing of the project, where want of memory or a
 * broken invariant would end it: it reads files, forks a process for each job
 * (contained.c), takes what that sends, and says how it ended where it sent
 * nothing.
 */
#define _XOPEN_SOURCE 700
#include "diff/api/contained.h"
#include "diff/api/diffcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* All that fd gives, up to a limit; NULL with *len 0 where there is nothing, no
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
    if (!bytes)
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

/* A host that ignores SIGCHLD leaves no status to wait for. */
static void say_how_it_ended(struct diffcheck_result *r, int known, int status)
{
    r->status = 3;
    r->error = r->ended;
    if (known && WIFSIGNALED(status))
        (void)snprintf(r->ended, sizeof r->ended,
                       "internal error: the comparison was ended by signal %d",
                       WTERMSIG(status));
    else
        (void)snprintf(r->ended, sizeof r->ended,
                       "internal error: the comparison ended without an "
                       "answer");
}

static void fail(struct diffcheck_result *r, const char *what)
{
    int why = errno;
    r->status = 2;
    r->error = r->ended;
    (void)snprintf(r->ended, sizeof r->ended, "%s: %s", what, strerror(why));
}

/* Does the job in a process of its own. NULL: no memory. */
static struct diffcheck_result *run(const struct contained_job *job)
{
    struct diffcheck_result *r = calloc(1, sizeof *r);
    int ends[2], status = 0;
    size_t len;
    if (!r)
        return NULL;
    r->verdict = DIFFCHECK_NONE;
    r->text = r->json = "";
    if (pipe(ends) != 0) {
        fail(r, "no pipe can be had");
        return r;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        diff_contained(job, ends[1]);
    }
    if (pid < 0)
        fail(r, "no process can be had");
    (void)close(ends[1]);
    if (pid > 0) {
        char *bytes = read_all(ends[0], &len);
        (void)close(ends[0]); /* what writes on is ended by that */
        pid_t got;
        while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
        }
        if (!take_answer(r, bytes, len)) {
            free(bytes);
            say_how_it_ended(r, got == pid, status);
        }
        return r;
    }
    (void)close(ends[0]);
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
    struct contained_job job = {0};
    if (!m || m->error)
        return m;
    job.tuned = m->source;
    struct diffcheck_result *r = run(&job);
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
    if (tuned && untuned && !bad->error) {
        struct contained_job job = {tuned->source, untuned->source, 1, options};
        return run(&job);
    }
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
