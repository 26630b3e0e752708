/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in, whole files out. Reading refuses more than a limit, so that
 * a hostile or mistaken input cannot take the machine's memory. Writing goes
 * to a temporary file beside the target, which is renamed only when every byte
 * is on its way: a reader never sees half a file, and a failed run leaves the
 * old one as it was.
 */
#include "ir/base/base.h"
#include "ir/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct diag_loc at(const char *path)
{
    return (struct diag_loc){.file = path};
}

static bool read_stream(int fd, const char *path, size_t max, struct buf *out,
                        struct diag_sink *sink)
{
    char block[65536];
    size_t total = 0;
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
        if ((size_t)n > max - total)
            return diag_error(sink, at(path), "file.size",
                              "input is larger than the limit of %zu bytes",
                              max);
        buf_append(out, block, (size_t)n);
        total += (size_t)n;
    }
}

bool file_read(const char *path, size_t max, struct buf *out,
               struct diag_sink *sink)
{
    if (!max)
        max = DC_MAX_INPUT_BYTES;
    if (!strcmp(path, "-"))
        return read_stream(0, "<stdin>", max, out, sink);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return diag_error(sink, at(path), "file.open", "cannot open: %s",
                          strerror(errno));
    struct stat st;
    bool ok = fstat(fd, &st) == 0;
    if (!ok)
        diag_error(sink, at(path), "file.open", "cannot open: %s",
                   strerror(errno));
    else if (S_ISDIR(st.st_mode))
        ok = diag_error(sink, at(path), "file.open",
                        "is a directory, expected a file");
    ok = ok && read_stream(fd, path, max, out, sink);
    close(fd);
    return ok;
}

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

bool file_write(const char *path, const void *data, size_t len,
                struct diag_sink *sink)
{
    if (!strcmp(path, "-")) {
        if (write_all(1, data, len))
            return true;
        return diag_error(sink, at("<stdout>"), "file.write",
                          "cannot write: %s", strerror(errno));
    }
    struct buf temp = {0};
    buf_printf(&temp, "%s.tmp.%ld", path, (long)getpid());
    bool ok = false;
    int fd = open(temp.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        diag_error(sink, at(path), "file.write", "cannot create '%s': %s",
                   temp.data, strerror(errno));
        goto out;
    }
    ok = write_all(fd, data, len);
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temp.data, path) == 0;
    if (!ok) {
        diag_error(sink, at(path), "file.write", "cannot write: %s",
                   strerror(errno));
        unlink(temp.data);
    }
out:
    buf_fini(&temp);
    return ok;
}
