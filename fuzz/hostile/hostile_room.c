/* SPDX-License-Identifier: Apache-2.0
 *
 * Running lines on a case, in this process or as the executable, and what is
 * true of every run: the status is one that the command has; status 2 has a
 * message, and no half a result; what is printed is text; files appear where the
 * line says and nowhere else; all memory is given back.
 */
#include "diff/diff.h"
#include "fuzz/hostile/hostile_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *statuses, *line;
} lines[] = {
#define LINE(statuses, line) {statuses, line},
#include "fuzz/hostile/hostile.def"
#undef LINE
};

size_t hostile_nlines(void)
{
    return DC_ARRAY_LEN(lines);
}

const char *hostile_line(size_t line)
{
    return lines[line].line;
}

/* ---- files ------------------------------------------------------------------------------- */

static const char *path_in(const struct hostile_room *room, struct arena *arena,
                           const char *name)
{
    return arena_printf(arena, "%s/%s", room->folder, name);
}

bool hostile_room_fill(const struct hostile_room *room,
                       const struct hostile_case *c)
{
    static const char *const names[] = {"tuned", "untuned"};
    struct arena *arena = arena_new();
    bool fine = true;
    (void)remove(path_in(room, arena, "certificate"));
    (void)mkdir(path_in(room, arena, "out"), 0777);
    (void)mkdir(path_in(room, arena, "decoy"), 0777);
    for (size_t i = 0; i < 2 && fine; i++)
        fine = file_write(path_in(room, arena, names[i]), buf_text(&c->text[i]),
                          c->text[i].len, NULL);
    arena_free(arena);
    return fine;
}

/* Everything in a folder, for comparing it with what was there before. */
static void list_folder(const char *path, struct buf *out)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct buf name = {0};
        struct stat s;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        buf_printf(&name, "%s/%s", path, entry->d_name);
        if (lstat(buf_text(&name), &s) == 0) {
            buf_printf(out, "%s %lu %lu %ld.%ld\n", buf_text(&name),
                       (unsigned long)s.st_ino, (unsigned long)s.st_size,
                       (long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
            if (S_ISDIR(s.st_mode))
                list_folder(buf_text(&name), out);
        }
        buf_fini(&name);
    }
    if (folder != NULL)
        (void)closedir(folder);
}

void hostile_room_clear(const struct hostile_room *room)
{
    folder_remove(room->folder);
}

/* ---- lines -------------------------------------------------------------------------------- */

#define MAX_WORDS 32

struct words {
    int n;
    char *word[MAX_WORDS + 1];
};

static void add_word(struct words *w, struct arena *arena, const char *word)
{
    if (w->n < MAX_WORDS)
        w->word[w->n++] = arena_strdup(arena, word);
}

static void add_limits(struct words *w, struct arena *arena,
                       const struct hostile_room *room, const char *command)
{
    if (strcmp(command, "show") != 0) {
        add_word(w, arena, "-j");
        add_word(w, arena, "1");
    }
    if (room->full)
        return;
    add_word(w, arena, "--max-memory");
    add_word(w, arena, "300M");
    if (strcmp(command, "show") != 0) {
        add_word(w, arena, "--budget");
        add_word(w, arena, "20000");
    }
}

static void split(const struct hostile_room *room, const struct hostile_case *c,
                  const char *line, struct arena *arena, struct words *w)
{
    add_word(w, arena, room->program ? room->program : "diffcheck");
    for (const char *p = line; *p != '\0';) {
        size_t n = strcspn(p, " ");
        const char *word = arena_strndup(arena, p, n);
        if (word[0] == '%')
            word = path_in(room, arena,
                           word[1] == 't'   ? "tuned"
                           : word[1] == 'u' ? "untuned"
                           : word[1] == 'c' ? "certificate"
                                            : "out");
        add_word(w, arena, word);
        p += n;
        p += *p == ' ';
    }
    add_limits(w, arena, room, w->word[1]);
    if (c->symbolic && strcmp(w->word[1], "run") == 0) {
        add_word(w, arena, "--shape");
        add_word(w, arena, "n=5");
    }
    w->word[w->n] = NULL;
}

/* ---- in this process ------------------------------------------------------------------------- */

/* The descriptor goes to the file, and comes back. */
static int redirect(int fd, const char *path)
{
    int saved = dup(fd);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (saved < 0 || file < 0 || dup2(file, fd) < 0)
        DC_BUG("'%s' cannot be written", path);
    (void)close(file);
    return saved;
}

static void restore(int fd, int saved)
{
    (void)dup2(saved, fd);
    (void)close(saved);
}

static int run_here(const struct hostile_room *room, struct arena *arena,
                    const struct words *w, struct buf *why)
{
    (void)fflush(stdout);
    (void)fflush(stderr);
    int out = redirect(STDOUT_FILENO, path_in(room, arena, "stdout"));
    int err = getenv("DC_REPLAY_VERBOSE")
                  ? -1
                  : redirect(STDERR_FILENO, path_in(room, arena, "stderr"));
    size_t before = dc_memory_used();
    int status = diff_line(w->n, w->word);
    size_t after = dc_memory_used();
    (void)fflush(stdout);
    (void)fflush(stderr);
    restore(STDOUT_FILENO, out);
    if (err >= 0)
        restore(STDERR_FILENO, err);
    if (after != before)
        buf_printf(why, "%zu bytes are not given back; ", after - before);
    return status;
}

/* ---- as the executable ------------------------------------------------------------------------- */

#define SECONDS     20
#define SPACE_BYTES ((rlim_t)2 << 30)

static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return true;
#else
    return false;
#endif
}

static void become(const struct hostile_room *room, struct arena *arena,
                   const struct words *w)
{
    const char *decoy = path_in(room, arena, "decoy");
    char *environment[] = {arena_printf(arena, "HOME=%s", decoy),
                           arena_printf(arena, "TMPDIR=%s", decoy),
                           arena_printf(arena, "XDG_CACHE_HOME=%s", decoy),
                           arena_printf(arena, "PATH=%s", getenv("PATH")),
                           NULL};
    struct rlimit space = {SPACE_BYTES, SPACE_BYTES};
    struct rlimit cpu = {SECONDS, SECONDS + 1};
    (void)redirect(STDOUT_FILENO, path_in(room, arena, "stdout"));
    (void)redirect(STDERR_FILENO, path_in(room, arena, "stderr"));
    if (chdir(decoy) == 0 &&
        (is_sanitized() || setrlimit(RLIMIT_AS, &space) == 0) &&
        setrlimit(RLIMIT_CPU, &cpu) == 0)
        (void)execve(room->program, w->word, environment);
    (void)raise(SIGABRT);
}

/* The status; -1 where it ended by a signal. */
static int run_program(const struct hostile_room *room, struct arena *arena,
                       const struct words *w, struct buf *why)
{
    struct buf before = {0}, after = {0};
    int status = 0;
    list_folder(path_in(room, arena, "decoy"), &before);
    pid_t child = fork();
    if (child == 0)
        become(room, arena, w);
    if (child < 0 || waitpid(child, &status, 0) != child)
        DC_BUG("no process can be made");
    list_folder(path_in(room, arena, "decoy"), &after);
    if (strcmp(buf_text(&before), buf_text(&after)) != 0)
        buf_printf(why, "files were touched:\n%s", buf_text(&after));
    buf_fini(&before);
    buf_fini(&after);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    buf_printf(why, "signal %d (%s); ", WTERMSIG(status),
               WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
                   ? "time-out"
                   : "crash");
    return -1;
}

/* ---- what was printed ----------------------------------------------------------------------------- */

static void look_at_text(const char *name, const struct buf *text,
                         struct buf *why)
{
    size_t n = text_visible(buf_text(text), text->len, "\n\t");
    if (n < text->len)
        buf_printf(why, "byte %02x at %zu of %s; ",
                   (unsigned)(unsigned char)text->data[n], n, name);
}

static void look_at_output(const struct hostile_room *room, struct arena *arena,
                           int status, const char *line, struct buf *why)
{
    struct buf out = {0}, err = {0};
    bool json = strstr(line, "--format json") != NULL;
    if (!file_read(path_in(room, arena, "stdout"), 0, &out, NULL) ||
        !file_read(path_in(room, arena, "stderr"), 0, &err, NULL))
        buf_puts(why, "no output; ");
    look_at_text("standard output", &out, why);
    look_at_text("standard error", &err, why);
    if (status == 2 && strstr(buf_text(&err), "error: ") == NULL)
        buf_puts(why, "status 2 without a message; ");
    if (status == 2 && out.len > 0 && !json && strncmp(line, "show", 4) == 0)
        buf_puts(why, "half a result; ");
    if (status != 2 && strstr(buf_text(&err), "error: ") != NULL)
        buf_puts(why, "an error without status 2; ");
    buf_fini(&out);
    buf_fini(&err);
}

bool hostile_room_run(const struct hostile_room *room,
                      const struct hostile_case *c, size_t line, int *out,
                      struct buf *why)
{
    struct arena *arena = arena_new();
    struct words words = {0};
    split(room, c, lines[line].line, arena, &words);
    int status = room->program ? run_program(room, arena, &words, why)
                               : run_here(room, arena, &words, why);
    if (status >= 0 &&
        (status > 9 || strchr(lines[line].statuses, '0' + status) == NULL))
        buf_printf(why, "status %d; ", status);
    if (status >= 0 && !getenv("DC_REPLAY_VERBOSE"))
        look_at_output(room, arena, status, lines[line].line, why);
    arena_free(arena);
    *out = status;
    return why->len == 0;
}
