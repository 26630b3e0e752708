/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a foreign program with limits.
 *
 * The child leads a process group of its own, so that a compiler's or a
 * runner's own children end with it. It only waits for its child, which is the
 * program; if our process is killed it kills the group. The program's two
 * output streams come through one pipe, of which the first TEXT_MAX bytes are
 * kept and the rest is read and dropped. The end is told by waitid without reaping, so that the group still
 * has its number when it is killed; nothing waits for the pipe to be closed,
 * since a stray child may hold it. Between fork and exec only functions are
 * called that may be called there in a process with threads.
 *
 * Through a second pipe come the program's status, or why it could not start;
 * children then kill themselves: no library function here ends a process by
 * exit.
 */
#include "diff/harness/process.h"

#include "diff/harness/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define TEXT_MAX ((size_t)65536)
/* How long to wait for output before looking whether the child has ended. */
#define SLICE_MS 10
/* How long a program's descendants may take to die. */
#define DESCENDANTS_MS 2000u

extern char **environ;

/* ---- the child ---------------------------------------------------------------- */

struct start {
    const struct diff_process *process;
    char *const *argv;
    char *const *env;
    int output, trouble; /* write ends of the pipes */
    pid_t parent;
};

#ifdef __linux__
/* The signal comes when our process dies, however it does. */
static void tell_of_parent(int number)
{
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)number);
}

/* What a program leaves behind becomes a child of this process. */
static void adopt_orphans(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1UL);
}
#else
static void tell_of_parent(int number)
{
    (void)number;
}

static void adopt_orphans(void)
{
}
#endif

/* The group's time is counted a process: the hard limit is a second later, for
 * programs that catch the signal. */
static bool limit(int resource, size_t value, size_t slack)
{
    struct rlimit r;
    if (value == 0)
        return true;
    r.rlim_cur = (rlim_t)value;
    r.rlim_max = (rlim_t)(value + slack);
    return setrlimit(resource, &r) == 0;
}

static bool limit_all(const struct diff_limits *l)
{
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 &&
           limit(RLIMIT_CPU, l->cpu_s, 1) && limit(RLIMIT_DATA, l->memory, 0) &&
           limit(RLIMIT_FSIZE, l->file, 0);
}

static bool redirect(int output)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
           dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
}

static void unblock_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM};
    sigset_t none;
    (void)sigemptyset(&none);
    for (size_t i = 0; i < DC_ARRAY_LEN(ignored); i++)
        (void)signal(ignored[i], SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What the parent is told through the second pipe. */
struct word {
    bool ended; /* value is the program's status, else an errno: not started */
    int value;
};

static void tell(const struct start *s, bool ended, int value)
{
    struct word word = {ended, value};
    ssize_t told = write(s->trouble, &word, sizeof word);
    (void)told; /* else the parent sees a child that was killed */
}

/* Never returns. */
static void end_self(void)
{
    for (;;) {
        (void)raise(SIGKILL);
        (void)pause();
    }
}

/* The program itself. Never returns. */
static void run_program(const struct start *s)
{
    const struct diff_process *p = s->process;
    (void)signal(SIGTERM, SIG_DFL);
    if (redirect(s->output) && limit_all(&p->limits) &&
        (!p->folder || chdir(p->folder) == 0) &&
        (!p->writable || diff_confine(p->writable)))
        (void)execve(s->argv[0], s->argv, s->env);
    tell(s, false, errno);
    end_self();
}

/* Kills the children that /proc tells of; whether there were any. */
static bool kill_children(void)
{
    static const char path[] = "/proc/thread-self/children";
    char text[512];
    bool any = false;
    pid_t pid = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
            } else if (pid > 0) {
                (void)kill(pid, SIGKILL);
                any = true;
                pid = 0;
            }
        }
    close(fd);
    return any;
}

/* What a program started ends with it, in whatever group or session it is: its
 * children become this process's as it dies. Not for ever: a process in the
 * middle of a system call may take its time. */
static void end_descendants(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < DESCENDANTS_MS && kill_children(); i++) {
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (gone < 0 && errno == ECHILD)
            break;
        (void)nanosleep(&moment, NULL);
    }
}

static void end_group(int number)
{
    (void)number;
    end_descendants();
    (void)kill(0, SIGKILL);
}

/* Our process has threads: each one's death may send the signal, and the second
 * must not end the handler of the first. */
static void catch_sigterm(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_group;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* Leads the group and waits for the program in it: if our process is killed, a
 * compiler's or a runner's own children end, too. Never returns. */
static void run_child(const struct start *s)
{
    int status = 0;
    unblock_signals();
    adopt_orphans();
    catch_sigterm();
    tell_of_parent(SIGTERM);
    if (setpgid(0, 0) != 0 || getppid() != s->parent)
        end_self();
    pid_t program = fork();
    if (program == 0)
        run_program(s);
    if (program < 0) {
        tell(s, false, errno);
        end_self();
    }
    while (waitpid(program, &status, 0) < 0 && errno == EINTR)
        continue;
    tell(s, true, status);
    end_descendants();
    end_self();
}

/* ---- the parent ----------------------------------------------------------------- */

double diff_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    bool fine = true;
    for (size_t i = 0; i < 2; i++)
        fine = fine && fcntl(ends[i], F_SETFD, FD_CLOEXEC) != -1;
    fine = fine && fcntl(ends[0], F_SETFL, O_NONBLOCK) != -1;
    if (fine)
        return true;
    close(ends[0]);
    close(ends[1]);
    return false;
}

/* What there is to read now; false at the end of the stream. */
static bool drain(int fd, struct diff_ended *out)
{
    char block[4096];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n == 0)
            return false;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        size_t room = TEXT_MAX - out->text.len;
        size_t take = (size_t)n < room ? (size_t)n : room;
        buf_append(&out->text, block, take);
        out->cut = out->cut || take < (size_t)n;
    }
}

/* Whether the child has ended; it stays a zombie. */
static bool has_ended(pid_t child)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    return info.si_pid == child;
}

/* Time is up when the clock says so, but not for a program that others keep from
 * running: that has not had so much of processors, and still gets some. */
struct watch {
    double started, next; /* to be looked at */
    double wall_s;        /* 0: no limit */
    double moved;         /* when its processor time was last seen to grow */
    unsigned long ticks;  /* of processors, of the group */
};

#define PATIENCE 10 /* seconds without any; times the limit in all */

/* Of one process, if it is of the group: /proc/PID/stat. */
static unsigned long ticks_of(const char *pid, pid_t group)
{
    char path[64], text[512];
    unsigned long t[4], sum = 0;
    int of;
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *after = strrchr(text, ')'); /* the name may hold anything */
    if (after &&
        sscanf(after,
               ") %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
               &of, &t[0], &t[1], &t[2], &t[3]) == 5 &&
        of == (int)group)
        for (size_t i = 0; i < 4; i++)
            sum += t[i];
    return sum;
}

/* Of the group; false where that cannot be known. */
static bool group_ticks(pid_t group, unsigned long *ticks)
{
    DIR *dir = opendir("/proc");
    bool any = false;
    *ticks = 0;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9')
            continue;
        any = true;
        *ticks += ticks_of(e->d_name, group);
    }
    if (dir)
        (void)closedir(dir);
    return any;
}

static bool is_over(struct watch *w, pid_t group)
{
    double t = diff_seconds() - w->started, limit = w->wall_s;
    double window = limit < PATIENCE ? limit : PATIENCE;
    unsigned long ticks;
    if (limit <= 0 || t < w->next)
        return false;
    w->next = t + window / 10;
    if (!group_ticks(group, &ticks))
        return t > limit;
    if (ticks != w->ticks || w->moved <= 0)
        w->moved = t;
    w->ticks = ticks;
    return t > limit &&
           ((double)ticks >= limit * (double)sysconf(_SC_CLK_TCK) ||
            t - w->moved >= window * 0.9 || t > PATIENCE * limit);
}

/* Reads until the child has ended or its time is over; whether it ended. */
static bool attend(pid_t child, int output, double wall_s,
                   struct diff_ended *out)
{
    struct watch watch = {.started = diff_seconds(), .wall_s = wall_s};
    bool open = true;
    watch.next = wall_s > PATIENCE ? wall_s - PATIENCE : 0;
    for (unsigned quiet = 0;; quiet++) {
        struct pollfd p = {.fd = open ? output : -1, .events = POLLIN};
        /* with the pipe closed a short sleep, longer and longer */
        int ms = open ? SLICE_MS : quiet < SLICE_MS ? (int)quiet : SLICE_MS;
        if (poll(&p, 1, ms) > 0)
            open = drain(output, out) && open;
        if (has_ended(child))
            return true;
        if (is_over(&watch, child))
            return false;
    }
}

static void put_status(int status, struct diff_ended *out)
{
    if (WIFEXITED(status)) {
        out->kind = DIFF_END_EXIT;
        out->number = WEXITSTATUS(status);
    } else {
        out->kind = DIFF_END_SIGNAL;
        out->number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
}

static void finish(pid_t child, bool in_time, const int output, int trouble,
                   struct diff_ended *out)
{
    int status = 0;
    struct word word;
    bool told = false, never = false;
    if (!in_time) { /* let it end those that left the group first */
        (void)kill(child, SIGTERM);
        for (unsigned ms = 0; ms < DESCENDANTS_MS && !has_ended(child);
             ms += SLICE_MS)
            (void)poll(NULL, 0, SLICE_MS);
    }
    (void)kill(-child, SIGKILL);
    (void)kill(child, SIGKILL); /* before it has a group of its own */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    (void)drain(output, out);
    while (!never && read(trouble, &word, sizeof word) == sizeof word) {
        told = true;
        never = !word.ended;
    }
    if (never) {
        out->kind = DIFF_END_START;
        out->number = word.value;
    } else if (!in_time) {
        out->kind = DIFF_END_TIME;
    } else {
        put_status(told ? word.value : status, out);
    }
}

/* Our environment, with messages in English and the caller's additions. */
static char **make_env(const char *const *more, struct arena *arena)
{
    size_t n = 0, extra = 0, k = 0;
    while (environ[n])
        n++;
    while (more && more[extra])
        extra++;
    char **env = ARENA_ARRAY(arena, n + extra + 2, char *);
    for (size_t i = 0; i < n; i++) {
        bool replaced = strncmp(environ[i], "LC_ALL=", 7) == 0;
        for (size_t j = 0; j < extra; j++)
            replaced = replaced || strncmp(environ[i], more[j],
                                           strcspn(more[j], "=") + 1) == 0;
        if (!replaced)
            env[k++] = environ[i];
    }
    env[k++] = arena_strdup(arena, "LC_ALL=C");
    for (size_t j = 0; j < extra; j++)
        env[k++] = arena_strdup(arena, more[j]);
    return env;
}

static char **copy_argv(const char *const *argv, struct arena *arena)
{
    size_t n = 0;
    while (argv[n])
        n++;
    char **copy = ARENA_ARRAY(arena, n + 1, char *);
    for (size_t i = 0; i < n; i++)
        copy[i] = arena_strdup(arena, argv[i]);
    return copy;
}

static void not_started(struct diff_ended *out, int why)
{
    out->kind = DIFF_END_START;
    out->number = why;
}

void diff_process_run(const struct diff_process *process,
                      struct diff_ended *out)
{
    int output[2], trouble[2];
    struct arena *arena = arena_new();
    struct start start = {.process = process};
    memset(out, 0, sizeof *out);
    start.argv = copy_argv(process->argv, arena);
    start.env = make_env(process->env, arena);
    if (!open_pipe(output)) {
        not_started(out, errno);
        goto out;
    }
    if (!open_pipe(trouble)) {
        not_started(out, errno);
        goto out_output;
    }
    start.output = output[1];
    start.trouble = trouble[1];
    start.parent = getpid();
    pid_t child = fork();
    if (child == 0)
        run_child(&start);
    int why = errno;
    close(output[1]);
    close(trouble[1]);
    if (child > 0) {
        bool in_time = attend(child, output[0], process->limits.wall_s, out);
        finish(child, in_time, output[0], trouble[0], out);
    } else {
        not_started(out, why);
    }
    close(trouble[0]);
    output[1] = -1;
out_output:
    close(output[0]);
    if (output[1] >= 0)
        close(output[1]);
out:
    arena_free(arena);
}

void diff_ended_fini(struct diff_ended *ended)
{
    buf_fini(&ended->text);
}

bool diff_ended_well(const struct diff_ended *ended)
{
    return ended->kind == DIFF_END_EXIT && ended->number == 0;
}

/* ---- messages ----------------------------------------------------------------------- */

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV: return "SIGSEGV, an invalid memory access";
    case SIGBUS: return "SIGBUS, an invalid memory access";
    case SIGABRT: return "SIGABRT, it gave up";
    case SIGILL: return "SIGILL, an instruction that the processor lacks";
    case SIGFPE: return "SIGFPE, an integer division";
    case SIGXCPU: return "SIGXCPU, its processor time is used up";
    case SIGXFSZ: return "SIGXFSZ, a file grew beyond its limit";
    case SIGKILL: return "SIGKILL";
    case SIGTERM: return "SIGTERM";
    default: return NULL;
    }
}

/* The first line with "error", else the first that is not blank. */
static void put_line(struct buf *out, const char *text)
{
    const char *first = NULL, *telling = NULL;
    for (const char *p = text; *p && !telling;) {
        size_t n = strcspn(p, "\n");
        const char *error = strstr(p, "error");
        if (strspn(p, " \t\r") < n && !first)
            first = p;
        if (error && error < p + n)
            telling = p;
        p += n + (p[n] ? 1 : 0);
    }
    const char *line = telling ? telling : first;
    if (!line)
        return;
    size_t n = strcspn(line, "\r\n");
    buf_puts(out, ": ");
    buf_append(out, line, n < 300 ? n : 300);
}

void diff_ended_put(struct buf *out, const struct diff_ended *ended)
{
    const char *name;
    switch (ended->kind) {
    case DIFF_END_EXIT: buf_printf(out, "exit status %d", ended->number); break;
    case DIFF_END_SIGNAL:
        name = signal_name(ended->number);
        if (name)
            buf_printf(out, "killed by %s", name);
        else
            buf_printf(out, "killed by signal %d", ended->number);
        break;
    case DIFF_END_TIME: buf_puts(out, "its time limit is used up"); break;
    case DIFF_END_START:
        buf_printf(out, "cannot be started: %s", strerror(ended->number));
        break;
    }
    put_line(out, buf_text(&ended->text));
}

/* ---- PATH ---------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

/* Programs run in folders of their own: no path may be relative. */
static char *make_absolute(char *path, struct arena *arena)
{
    char here[4096];
    if (*path == '/' || !getcwd(here, sizeof here))
        return path;
    return arena_printf(arena, "%s/%s", here, path);
}

char *diff_program_find(const char *name, struct arena *arena)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return is_program(name)
                   ? make_absolute(arena_strdup(arena, name), arena)
                   : NULL;
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        char *full = arena_printf(arena, "%.*s/%s", n > 0 ? (int)n : 1,
                                  n > 0 ? p : ".", name);
        if (is_program(full))
            return make_absolute(full, arena);
        p += n + (p[n] ? 1 : 0);
    }
    return NULL;
}
