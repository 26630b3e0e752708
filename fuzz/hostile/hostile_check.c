/* SPDX-License-Identifier: Apache-2.0
 *
 * Many cases: worker processes run lines on them one after the other, and write
 * down where they are; when one dies, its parent says where, and another goes on
 * behind that. A worker ends by a signal of its own when the memory that it may
 * have is used up, which is no finding, and by the system's when a line takes too
 * much processor time, which is one.
 */
#include "fuzz/hostile/hostile_private.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LARGE   40000u /* bytes of both sides */
#define PORTION 200u   /* cases of one worker: then leaks are looked for */
#define LINES   64u    /* that there is room for */

/* Seconds of processor time of one line. Sanitizers take several times as long
 * as the program. */
#if defined(__SANITIZE_ADDRESS__)
#define SECONDS 60
#else
#define SECONDS 20
#endif

/* Where a worker is, kept in a file that outlives it. */
struct progress {
    uint64_t k, line; /* of the case and line that is run */
    uint64_t cases, runs, found;
    uint64_t micros[LINES];    /* of processor time, by line */
    uint64_t status[LINES][5]; /* how often each was the exit status */
};

struct checking {
    const struct hostile_request *request;
    struct hostile_seeds seeds;
    struct hostile_room room;
    struct progress at;
    uint64_t exhausted;
    int file;     /* of the progress */
    FILE *report; /* standard output; workers send that elsewhere */
};

/* ---- the worker --------------------------------------------------------------------------- */

static void on_exhausted(const char *message)
{
    (void)message;
    (void)raise(SIGUSR2);
}

static void write_down(struct checking *c)
{
    if (pwrite(c->file, &c->at, sizeof c->at, 0) != (ssize_t)sizeof c->at)
        DC_BUG("the place cannot be written down");
}

/* Two in a hundred have budgets as they are. */
static bool is_full(uint64_t seed)
{
    return hash_mix(seed, 0x66756c6c) % 50 == 0;
}

/* With --part; the lines of certificates go together. */
static bool is_of_other_part(const struct hostile_request *request,
                             uint64_t seed, size_t line)
{
    uint64_t key =
        strstr(hostile_line(line), "certificate") != NULL ? LINES : line;
    return request->part > 1 &&
           hash_mix(seed, key + 0x70617274) % request->part != 0;
}

/* What asks the prover takes ten times as long as all other lines, compilers
 * take long, and so do large texts: a part of the cases, unless all is wanted. */
static bool is_left_out(const struct hostile_request *request, uint64_t seed,
                        size_t line, size_t bytes)
{
    const char *text = hostile_line(line);
    if (request->line > 0)
        return line + 1 != request->line;
    if (is_of_other_part(request, seed, line))
        return true;
    if (strstr(text, "gcc-") != NULL)
        return hash_mix(seed, 0x676363) % 300 != 0;
    if (request->all)
        return false;
    if (bytes > LARGE && hash_mix(seed, line + 1000) % 6 != 0)
        return true;
    if (strstr(text, "certificate") != NULL)
        return hash_mix(seed, 0x63657274) % 4 != 0;
    if (strncmp(text, "prove", 5) == 0 ||
        strncmp(text, "compare %t", 10) == 0 ||
        strncmp(text, "compare --format", 16) == 0)
        return hash_mix(seed, line) % 4 != 0;
    return false;
}

static void set_timer(time_t seconds)
{
    struct itimerval timer = {.it_value = {seconds, 0}};
    (void)setitimer(ITIMER_PROF, &timer, NULL);
}

static void keep(const struct checking *c, uint64_t seed,
                 const struct hostile_case *x)
{
    const char *folder = c->request->keep;
    if (folder == NULL)
        return;
    (void)mkdir(folder, 0777);
    if (!hostile_case_save(x, folder, seed))
        fprintf(c->report, "cannot write below '%s'\n", folder);
}

static void tell(const struct checking *c, uint64_t seed, size_t line,
                 const char *label, const char *why)
{
    fprintf(c->report, "%" PRIu64 " line %zu (%s)%s: %s\n  %.200s\n", seed,
            line + 1, line < hostile_nlines() ? hostile_line(line) : "made",
            is_full(seed) ? " full" : "", why, label);
    (void)fflush(c->report);
}

static uint64_t micros(void)
{
    return (uint64_t)clock() * 1000000u / CLOCKS_PER_SEC;
}

static void run_lines(struct checking *c, uint64_t seed, size_t from,
                      const struct hostile_case *x)
{
    for (size_t line = from; line < hostile_nlines(); line++) {
        struct buf why = {0};
        int status = -1;
        if (is_left_out(c->request, seed, line,
                        x->text[0].len + x->text[1].len))
            continue;
        c->at.line = line;
        c->at.runs++;
        write_down(c);
        set_timer(SECONDS);
        uint64_t start = micros();
        if (!hostile_room_run(&c->room, x, line, &status, &why)) {
            c->at.found++;
            tell(c, seed, line, buf_text(&x->label), buf_text(&why));
            keep(c, seed, x);
        }
        set_timer(0);
        c->at.micros[line] += micros() - start;
        if (status >= 0 && status < 5)
            c->at.status[line][status]++;
        buf_fini(&why);
    }
}

static void work(struct checking *c, uint64_t end)
{
    dc_set_memory_handler(on_exhausted);
    size_t from = (size_t)c->at.line;
    for (; c->at.k < end; c->at.k++, from = 0) {
        uint64_t seed = c->request->seed + c->at.k;
        struct hostile_case x;
        c->at.line = from > 0 ? from : hostile_nlines();
        c->at.cases += from == 0;
        write_down(c);
        set_timer(SECONDS);
        hostile_case_init(&x, NULL, 0, seed, &c->seeds);
        if (c->request->tell)
            fprintf(c->report, "%" PRIu64 " %s (%zu, %zu bytes)\n", seed,
                    buf_text(&x.label), x.text[0].len, x.text[1].len);
        c->room.full = is_full(seed);
        if (from == 0 && !hostile_room_fill(&c->room, &x))
            DC_BUG("the files of a case cannot be written");
        run_lines(c, seed, from, &x);
        hostile_case_fini(&x);
    }
    c->at.line = 0;
    write_down(c);
}

/* ---- the parent ---------------------------------------------------------------------------- */

/* The last lines of what a worker wrote to standard error. */
static void tell_end(const struct checking *c)
{
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/stderr", c->room.folder);
    if (file_read(buf_text(&path), 0, &text, NULL) && text.len > 0)
        fprintf(c->report, "%.4000s\n", buf_text(&text));
    buf_fini(&path);
    buf_fini(&text);
}

static void tell_death(struct checking *c, int status)
{
    uint64_t seed = c->request->seed + c->at.k;
    struct hostile_case x;
    struct buf why = {0};
    c->at.found++;
    if (WIFSIGNALED(status))
        buf_printf(&why, "%s (signal %d)",
                   WTERMSIG(status) == SIGPROF ? "time-out" : "crash",
                   WTERMSIG(status));
    else
        buf_printf(&why, "ended with %d", WEXITSTATUS(status));
    if (c->at.line < hostile_nlines()) {
        hostile_case_init(&x, NULL, 0, seed, &c->seeds);
        keep(c, seed, &x);
        tell(c, seed, (size_t)c->at.line, buf_text(&x.label), buf_text(&why));
        hostile_case_fini(&x);
    } else {
        tell(c, seed, (size_t)c->at.line, "", buf_text(&why));
    }
    if (!(WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF))
        tell_end(c);
    buf_fini(&why);
}

static void go_on_behind(struct checking *c)
{
    if (c->at.line + 1 < hostile_nlines()) {
        c->at.line++;
        return;
    }
    c->at.k++;
    c->at.line = 0;
}

/* One worker after the other. True in a worker, when it has nothing more to do. */
static bool run_all(struct checking *c)
{
    while (c->at.k < c->request->count) {
        uint64_t end = c->at.k + PORTION;
        int status = 0;
        (void)fflush(c->report);
        pid_t child = fork();
        if (child == 0) {
            work(c, end < c->request->count ? end : c->request->count);
            return true;
        }
        if (child < 0 || waitpid(child, &status, 0) != child ||
            pread(c->file, &c->at, sizeof c->at, 0) != (ssize_t)sizeof c->at)
            DC_BUG("a worker cannot be followed");
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2)
            c->exhausted++;
        else
            tell_death(c, status);
        /* it has done all, and leaked */
        if (!(WIFEXITED(status) && c->at.line == 0))
            go_on_behind(c);
    }
    return false;
}

/* How often each line ended how. */
static void put_table(const struct checking *c)
{
    if (c->request->tell)
        fprintf(c->report, "%8s%8s%8s%8s%8s  line\n", "0", "1", "2", "4", "us");
    for (size_t i = 0; c->request->tell && i < hostile_nlines(); i++) {
        const uint64_t *n = c->at.status[i], all = n[0] + n[1] + n[2] + n[4];
        fprintf(c->report,
                "%8" PRIu64 "%8" PRIu64 "%8" PRIu64 "%8" PRIu64 "%8" PRIu64
                "  %s\n",
                n[0], n[1], n[2], n[4], c->at.micros[i] / (all + 1),
                hostile_line(i));
    }
}

size_t hostile_check(const struct hostile_request *request, bool *again)
{
    struct checking c = {.request = request, .report = stdout};
    const char *place = getenv("TMPDIR");
    struct buf folder = {0}, path = {0};
    if (hostile_nlines() > LINES)
        DC_BUG("%zu lines, and room for %u", hostile_nlines(), LINES);
    buf_printf(&folder, "%s/diffcheck-hostile-XXXXXX", place ? place : "/tmp");
    if (mkdtemp(folder.data) == NULL)
        DC_BUG("no folder can be made below '%s'", place ? place : "/tmp");
    buf_printf(&path, "%s/progress", buf_text(&folder));
    c.file = open(buf_text(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    c.room = (struct hostile_room){.folder = buf_text(&folder),
                                   .program = request->program};
    hostile_seeds_init(&c.seeds,
                       request->corpora ? request->corpora : "corpora");
    *again = run_all(&c);
    if (!*again) {
        fprintf(c.report,
                "%" PRIu64 " cases, %" PRIu64 " runs, %" PRIu64
                " out of memory, %" PRIu64 " found\n",
                c.at.cases, c.at.runs, c.exhausted, c.at.found);
        put_table(&c);
        hostile_room_clear(&c.room);
    }
    (void)close(c.file);
    hostile_seeds_fini(&c.seeds);
    buf_fini(&folder);
    buf_fini(&path);
    return *again ? 0 : (size_t)c.at.found;
}
