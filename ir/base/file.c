/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in, whole files out.
 *
 * Reading takes regular files, pipes and terminals, and refuses more than a
 * limit, so that a hostile or mistaken input cannot take the machine's memory.
 * Nothing is opened before it is known what it is: opening a device can do
 * things. A pipe may be what a shell makes of <(command), so it is read; one
 * that nobody has open for writing is an error instead of a wait for ever.
 *
 * Writing goes to a temporary file beside the target, which is renamed only
 * when every byte is on its way: a reader never sees half a file, and a failed
 * run leaves the old one as it was; the temporary file of one that was killed goes
 * with the next run that writes beside it. Symbolic links are followed first, so that
 * the link stays. What is no regular file (a device, a pipe) is opened and
 * written in place, and so is an open descriptor that goes by a name, as
 * /dev/stdout does: renaming would take the file away from under it.
 */
#include "ir/base/base.h"
#include "ir/base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct diag_loc at(const char *path)
{
    return (struct diag_loc){.file = path};
}

/* What the mode says it is, if no file that could be read or replaced. */
static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISBLK(mode) || S_ISCHR(mode))
        return "a device";
    if (S_ISSOCK(mode))
        return "a socket";
    return S_ISFIFO(mode) ? "a pipe" : "no regular file";
}

/* ---- reading ------------------------------------------------------------------ */

static bool too_large(const char *path, size_t max, struct diag_sink *sink)
{
    return diag_error(sink, at(path), "file.size",
                      "input is larger than the limit of %zu bytes", max);
}

static bool no_room(const char *path, struct diag_sink *sink)
{
    return diag_error(sink, at(path), "file.memory",
                      "the file does not fit what '--max-memory' leaves");
}

/* All that comes until out has max bytes from `start` on. */
static bool read_stream(int fd, const char *path, size_t start, size_t max,
                        struct buf *out, struct diag_sink *sink)
{
    char block[65536];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n == 0)
            return true;
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return diag_error(sink, at(path), "file.read", "cannot read: %s",
                              strerror(errno));
        }
        if ((size_t)n > max - (out->len - start))
            return too_large(path, max, sink);
        if (out->len + (size_t)n >= out->cap && !dc_memory_fits(out->cap * 2))
            return no_room(path, sink);
        buf_append(out, block, (size_t)n);
    }
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Room for so many bytes more, without that of a buffer that doubles. */
static bool reserve(struct buf *out, size_t more)
{
    size_t want = out->len + more + 1;
    if (want <= out->cap)
        return true;
    if (!dc_memory_fits(want + 64))
        return false;
    out->data = dc_realloc(out->data, want);
    out->data[out->len] = '\0';
    out->cap = want;
    return true;
}

static bool read_regular(int fd, const char *path, size_t max, struct buf *out,
                         struct diag_sink *sink)
{
    struct stat before, after;
    if (fstat(fd, &before) != 0)
        return diag_error(sink, at(path), "file.read", "cannot read: %s",
                          strerror(errno));
    if (before.st_size > 0 && (uintmax_t)before.st_size > max)
        return too_large(path, max, sink);
    if (!reserve(out, (size_t)before.st_size))
        return no_room(path, sink);
    if (!read_stream(fd, path, out->len, max, out, sink))
        return false;
    if (fstat(fd, &after) == 0 && after.st_size == before.st_size &&
        same_time(after.st_mtim, before.st_mtim))
        return true;
    return diag_error(sink, at(path), "file.read",
                      "the file changed while it was read");
}

/* The descriptor does not block yet: without a writer and with nothing left in
 * the pipe the first read says end of file. */
static bool read_pipe(int fd, const char *path, size_t max, struct buf *out,
                      struct diag_sink *sink)
{
    size_t start = out->len;
    char first;
    ssize_t n = read(fd, &first, 1);
    int flags = fcntl(fd, F_GETFL);
    if (n == 0)
        return diag_error(sink, at(path), "file.open",
                          "is a pipe that nobody writes to, expected a file");
    if (n < 0 && errno != EAGAIN)
        return diag_error(sink, at(path), "file.read", "cannot read: %s",
                          strerror(errno));
    if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
        return diag_error(sink, at(path), "file.read", "cannot read: %s",
                          strerror(errno));
    if (n > 0)
        buf_putc(out, first);
    return read_stream(fd, path, start, max, out, sink);
}

bool file_read(const char *path, size_t max, struct buf *out,
               struct diag_sink *sink)
{
    if (!max)
        max = DC_MAX_INPUT_BYTES;
    if (!strcmp(path, "-"))
        return read_stream(0, "<stdin>", out->len, max, out, sink);
    struct stat st;
    bool ok = stat(path, &st) == 0;
    bool odd = ok && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) &&
               !S_ISCHR(st.st_mode);
    int fd = !ok || odd
                 ? -1
                 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ok = fd >= 0 && fstat(fd, &st) == 0;
    odd = odd || (ok && S_ISCHR(st.st_mode) && !isatty(fd));
    if (odd)
        ok = diag_error(sink, at(path), "file.open", "is %s, expected a file",
                        kind_of(st.st_mode));
    else if (!ok)
        diag_error(sink, at(path), "file.open", "cannot open: %s",
                   strerror(errno));
    else if (S_ISREG(st.st_mode))
        ok = read_regular(fd, path, max, out, sink);
    else
        ok = read_pipe(fd, path, max, out, sink);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* ---- writing ------------------------------------------------------------------ */

#define TEMPORARY     ".diffcheck."
#define MAX_LINKS     40
#define MAX_TEMPORARY 100

static bool write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* Length of the folder's part of a path, its last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *path_name(const char *path)
{
    return path + folder_length(path);
}

const char *path_folder(struct arena *arena, const char *path)
{
    size_t n = folder_length(path);
    return n == 0 ? "." : n == 1 ? "/" : arena_strndup(arena, path, n - 1);
}

const char *path_join(struct arena *arena, const char *folder, const char *name)
{
    size_t n = strlen(folder);
    if (n == 0 || *name == '\0')
        return arena_strdup(arena, n == 0 ? name : folder);
    return arena_printf(arena, "%s%s%s", folder,
                        folder[n - 1] == '/' ? "" : "/", name);
}

const char *path_beside(struct arena *arena, const char *file, const char *name)
{
    int n = *name == '/' ? 0 : (int)folder_length(file);
    return arena_printf(arena, "%.*s%s", n, file, name);
}

/* The number of the open descriptor of this process that the path names, as
 * /dev/stdout and /dev/fd/3 do; -1 if it names none. */
static int descriptor_of(const char *path)
{
    struct buf folder = {0};
    struct stat of_path, own;
    size_t n = folder_length(path);
    char *end;
    long fd = strtol(path + n, &end, 10);
    if (path[n] < '0' || path[n] > '9' || *end || fd > 1 << 20)
        return -1;
    buf_append(&folder, path, n);
    buf_putc(&folder, '.');
    /* held open, so that the folder keeps its number meanwhile */
    int held = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_own = held >= 0 && fstat(held, &of_path) == 0 &&
                  stat("/proc/self/fd", &own) == 0 &&
                  of_path.st_dev == own.st_dev && of_path.st_ino == own.st_ino;
    if (held >= 0)
        close(held);
    buf_fini(&folder);
    return is_own ? (int)fd : -1;
}

/* Puts the path that a symbolic link leads to in place of the link's; *fd gets
 * the descriptor if it is one of ours, else -1. False with errno on a loop. */
static bool follow(struct buf *path, int *fd)
{
    char to[4096];
    for (int i = 0; i < MAX_LINKS; i++) {
        *fd = descriptor_of(path->data);
        ssize_t n = *fd < 0 ? readlink(path->data, to, sizeof to - 1) : -1;
        if (n < 0) /* no link, or nothing yet */
            return true;
        if (n == sizeof to - 1) {
            errno = ENAMETOOLONG;
            return false;
        }
        to[n] = '\0';
        if (*to == '/')
            path->len = 0;
        else
            path->len = folder_length(path->data);
        buf_puts(path, to);
    }
    errno = ELOOP;
    return false;
}

/* A pipe that nobody reads from is an error, not a wait. */
static bool write_in_place(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    int flags = fcntl(fd, F_GETFL);
    bool ok = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 &&
              write_all(fd, data, len);
    int error = errno;
    bool closed = close(fd) == 0;
    if (!ok)
        errno = error;
    return ok && closed;
}

unsigned long file_machine(void)
{
    struct utsname name;
    memset(&name, 0, sizeof name);
    (void)uname(&name);
    return (unsigned long)(hash_bytes(1, name.nodename, strlen(name.nodename)) &
                           0xffffffffu);
}

bool file_is_abandoned(const char *name)
{
    char *end;
    unsigned long where = strtoul(name, &end, 16);
    if (end != name + 8 || *end != '.' || where != file_machine())
        return false;
    long owner = strtol(end + 1, &end, 10);
    return *end == '.' && owner > 0 && owner != (long)getpid() &&
           kill((pid_t)owner, 0) != 0 && errno == ESRCH;
}

void file_tidy(const char *path)
{
    struct buf where = {0};
    size_t folder = folder_length(path);
    buf_append(&where, folder ? path : "./", folder ? folder : 2);
    DIR *dir = opendir(buf_text(&where));
    folder = where.len;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        struct stat st;
        size_t len = strlen(e->d_name);
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) != 0 || len < 4 ||
            strcmp(e->d_name + len - 4, ".tmp") != 0 ||
            !file_is_abandoned(e->d_name + strlen(TEMPORARY)))
            continue;
        where.len = folder;
        buf_puts(&where, e->d_name);
        if (lstat(buf_text(&where), &st) == 0 && S_ISREG(st.st_mode) &&
            st.st_uid == geteuid())
            (void)unlink(buf_text(&where));
    }
    if (dir)
        (void)closedir(dir);
    buf_fini(&where);
}

/* A new file beside path, under a name that is put into temp. */
static int create_beside(const char *path, mode_t mode, struct buf *temp)
{
    int fd = -1;
    errno = EEXIST; /* left by a run that was killed */
    for (int i = 0; fd < 0 && errno == EEXIST && i < MAX_TEMPORARY; i++) {
        temp->len = 0;
        buf_append(temp, path, folder_length(path));
        buf_printf(temp, TEMPORARY "%08lx.%ld.%d.tmp", file_machine(),
                   (long)getpid(), i);
        fd = open(temp->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return fd;
}

/* `old` is what the path names now, NULL if nothing. */
static bool replace(const char *path, const struct stat *old, const void *data,
                    size_t len)
{
    struct buf temp = {0};
    /* what replaces a file that others may not read is never readable */
    int fd = create_beside(path, old ? 0600 : 0666, &temp);
    bool ok = fd >= 0;
    if (ok && old && (old->st_uid != geteuid() || old->st_gid != getegid())) {
        /* only the owner's right to give files away is missing here */
        if (fchown(fd, old->st_uid, old->st_gid) != 0)
            errno = 0;
    }
    ok = ok && (!old || fchmod(fd, old->st_mode & 0777) == 0);
    ok = ok && write_all(fd, data, len);
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (ok && rename(temp.data, path) != 0) {
        ok = false;
        error = errno;
    }
    if (!ok && fd >= 0)
        unlink(temp.data);
    buf_fini(&temp);
    errno = error;
    return ok;
}

static bool write_path(const struct buf *target, int fd, const char *path,
                       const void *data, size_t len, bool tidy,
                       struct diag_sink *sink)
{
    struct stat st;
    bool there = fd < 0 && stat(target->data, &st) == 0;
    bool absent = fd < 0 && !there && errno == ENOENT;
    bool ok;
    if (tidy && (absent || (there && S_ISREG(st.st_mode))))
        file_tidy(target->data);
    if (fd == STDOUT_FILENO)
        (void)fflush(stdout); /* in the order in which it was printed */
    if (fd >= 0)
        ok = write_all(fd, data, len);
    else if (!there)
        ok = absent && replace(target->data, NULL, data, len);
    else if (S_ISDIR(st.st_mode) || S_ISSOCK(st.st_mode))
        return diag_error(sink, at(path), "file.write",
                          "is %s, expected a file", kind_of(st.st_mode));
    else if (!S_ISREG(st.st_mode))
        ok = write_in_place(target->data, data, len);
    else
        ok = access(target->data, W_OK) == 0 &&
             replace(target->data, &st, data, len);
    if (!ok && there && S_ISFIFO(st.st_mode) && errno == ENXIO)
        return diag_error(sink, at(path), "file.write",
                          "is a pipe that nobody reads from");
    return ok || diag_error(sink, at(path), "file.write", "cannot write: %s",
                            strerror(errno));
}

static bool write_to(const char *path, const void *data, size_t len, bool tidy,
                     struct diag_sink *sink)
{
    struct buf target = {0};
    int fd = -1;
    bool ok;
    buf_puts(&target, path);
    if (!strcmp(path, "-"))
        ok = write_path(&target, STDOUT_FILENO, "<stdout>", data, len, false,
                        sink);
    else if (!*path || !follow(&target, &fd))
        ok = diag_error(sink, at(path), "file.write", "cannot write: %s",
                        strerror(*path ? errno : ENOENT));
    else
        ok = write_path(&target, fd, path, data, len, tidy, sink);
    buf_fini(&target);
    return ok;
}

bool file_write(const char *path, const void *data, size_t len,
                struct diag_sink *sink)
{
    return write_to(path, data, len, true, sink);
}

bool file_write_one(const char *path, const void *data, size_t len,
                    struct diag_sink *sink)
{
    return write_to(path, data, len, false, sink);
}

/* ---- folders ------------------------------------------------------------------ */

static void remove_in(const char *folder, unsigned depth)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        struct buf path = {0};
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        buf_printf(&path, "%s/%s", folder, entry->d_name);
        if (lstat(buf_text(&path), &st) == 0 && S_ISDIR(st.st_mode)) {
            if (depth > 0)
                remove_in(buf_text(&path), depth - 1);
        } else {
            (void)unlink(buf_text(&path));
        }
        buf_fini(&path);
    }
    if (dir)
        (void)closedir(dir);
    (void)rmdir(folder);
}

/* Deeper trees than anything made here are none of ours. */
#define MAX_FOLDERS 8

void folder_remove(const char *folder)
{
    remove_in(folder, MAX_FOLDERS);
}
