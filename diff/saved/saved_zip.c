/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of findings as one file, and whether a file is one of those.
 *
 * The format is that of PKWARE's APPNOTE.TXT 6.3 (sections in the comments below):
 * for each file a header and its bytes, then the central directory, which says all
 * of it again, and its end. Bytes are deflated by zlib (RFC 1951) where that is
 * shorter. Names are sorted, times are the first that the format has, and modes are
 * those of any file: the same folder gives the same bytes with the same zlib. No
 * file here needs more than the 32 bits of the plain format.
 *
 * The comment at the end holds a checksum of the central directory, and with it of
 * the names and contents of all files: what somebody else has changed or added shows.
 */
#include "diff/saved/saved.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define LOCAL       UINT32_C(0x04034b50) /* signatures: 4.3.7, 4.3.12, 4.3.16 */
#define CENTRAL     UINT32_C(0x02014b50)
#define END         UINT32_C(0x06054b50)

#define END_BYTES   22u
#define COMMENT     "diffcheck bundle %08lx"
#define COMMENT_LEN 25u

#define VERSION     20u              /* 4.4.3: folders, deflate */
#define FROM_UNIX   (3u << 8)        /* 4.4.2: what the attributes are of */
#define FIRST_DATE  (1u << 5 | 1u)   /* 4.4.6: 1980-01-01 */
#define FILE_MODE   (0100644u << 16) /* 4.4.15 */
#define DIR_MODE    (040755u << 16 | 0x10u)

#define MAX_FILES   0xffffu
#define MAX_BYTES   UINT32_MAX
#define MAX_FOLDERS 4u /* one in another: deeper ones are none of ours */

struct entry {
    const char *name; /* under `top`; of a folder it ends in a slash */
    uint32_t offset, crc, packed, size;
    bool deflated;
};

struct zipping {
    const char *folder, *top, *shown;
    struct arena *arena;
    struct diag_sink *sink;
    struct buf *out;
    struct VEC(const char *) names; /* relative to the folder */
};

static bool complain(const struct zipping *z, const char *name, const char *why)
{
    return diag_error(z->sink, (struct diag_loc){.file = z->shown},
                      "save.archive", "cannot take '%s': %s", name, why);
}

static bool is_folder(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && name[n - 1] == '/';
}

/* ---- which files ----------------------------------------------------------------- */

static bool collect(struct zipping *z, const char *under, unsigned depth);

static bool collect_one(struct zipping *z, const char *name, unsigned depth)
{
    struct stat st;
    if (lstat(path_join(z->arena, z->folder, name), &st) != 0)
        return complain(z, name, strerror(errno));
    if (S_ISREG(st.st_mode)) {
        vec_push(&z->names, name);
        return true;
    }
    name = arena_printf(z->arena, "%s/", name);
    if (!S_ISDIR(st.st_mode) || depth == MAX_FOLDERS)
        return complain(z, name, "it was not written here");
    vec_push(&z->names, name);
    return collect(z, name, depth + 1);
}

static bool collect(struct zipping *z, const char *under, unsigned depth)
{
    DIR *dir = opendir(path_join(z->arena, z->folder, under));
    struct dirent *e;
    bool fine = dir != NULL || complain(z, under, strerror(errno));
    while (fine && (e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            fine = collect_one(
                z, arena_printf(z->arena, "%s%s", under, e->d_name), depth);
    if (dir)
        (void)closedir(dir);
    return fine;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* ---- bytes ------------------------------------------------------------------------ */

/* Numbers have their lowest byte first, and at most four. */
static void put_number(struct buf *out, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buf_putc(out, (char)(unsigned char)(value >> 8 * i));
}

static uint32_t get_number(const char *at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)(unsigned char)at[i] << 8 * i;
    return value;
}

static uint32_t checksum(const char *data, size_t len)
{
    return (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)data, (uInt)len);
}

static void *take(void *unused, unsigned n, unsigned size)
{
    (void)unused;
    return dc_alloc((size_t)n * size);
}

static void give(void *unused, void *block)
{
    (void)unused;
    dc_release(block);
}

static void deflate_all(const struct buf *in, struct buf *out)
{
    unsigned char block[1 << 15];
    z_stream s = {.zalloc = take, .zfree = give};
    int state = deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
                             8, Z_DEFAULT_STRATEGY);
    s.next_in = (Bytef *)in->data;
    s.avail_in = (uInt)in->len;
    while (state == Z_OK) {
        s.next_out = block;
        s.avail_out = sizeof block;
        state = deflate(&s, Z_FINISH);
        buf_append(out, block, sizeof block - s.avail_out);
    }
    if (state != Z_STREAM_END)
        DC_BUG("zlib's deflate ends with %d", state);
    (void)deflateEnd(&s);
}

/* What both headers have in common: 4.4.3 to 4.4.11. */
static void put_common(struct buf *out, const struct entry *e)
{
    put_number(out, VERSION, 2);
    put_number(out, 0, 2); /* flags: names are ASCII, sizes are known */
    put_number(out, e->deflated ? Z_DEFLATED : 0, 2);
    put_number(out, 0, 2); /* midnight */
    put_number(out, FIRST_DATE, 2);
    put_number(out, e->crc, 4);
    put_number(out, e->packed, 4);
    put_number(out, e->size, 4);
    put_number(out, (uint32_t)strlen(e->name), 2);
    put_number(out, 0, 2); /* nothing extra */
}

static void put_central(struct buf *out, const struct entry *e)
{
    put_number(out, CENTRAL, 4);
    put_number(out, FROM_UNIX | VERSION, 2);
    put_common(out, e);
    put_number(out, 0, 4); /* no comment, disk 0 */
    put_number(out, 0, 2); /* bytes, not text */
    put_number(out, is_folder(e->name) ? DIR_MODE : FILE_MODE, 4);
    put_number(out, e->offset, 4);
    buf_puts(out, e->name);
}

/* One file, or folder, with its header; e->name is set. */
static bool put_entry(struct zipping *z, const char *name, struct entry *e)
{
    struct buf text = {0}, packed = {0};
    bool fine =
        is_folder(name) || file_read(path_join(z->arena, z->folder, name),
                                     MAX_BYTES, &text, z->sink);
    if (fine)
        deflate_all(&text, &packed);
    e->deflated = packed.len < text.len;
    e->offset = (uint32_t)z->out->len;
    e->crc = checksum(buf_text(&text), text.len);
    e->size = (uint32_t)text.len;
    e->packed = (uint32_t)(e->deflated ? packed.len : text.len);
    if (fine) {
        put_number(z->out, LOCAL, 4);
        put_common(z->out, e);
        buf_puts(z->out, e->name);
        buf_append(z->out, buf_text(e->deflated ? &packed : &text), e->packed);
    }
    buf_fini(&packed);
    buf_fini(&text);
    if (fine && z->out->len > MAX_BYTES)
        fine = complain(z, name,
                        "the archive would be larger than the format "
                        "allows; a folder can be");
    return fine;
}

static void put_end(struct buf *out, const struct buf *central, size_t n)
{
    size_t start = out->len;
    buf_append(out, buf_text(central), central->len);
    put_number(out, END, 4);
    put_number(out, 0, 4); /* one disk */
    put_number(out, (uint32_t)n, 2);
    put_number(out, (uint32_t)n, 2);
    put_number(out, (uint32_t)central->len, 4);
    put_number(out, (uint32_t)start, 4);
    put_number(out, COMMENT_LEN, 2);
    buf_printf(out, COMMENT,
               (unsigned long)checksum(buf_text(central), central->len));
}

static bool put_all(struct zipping *z)
{
    struct buf central = {0};
    bool fine = true;
    for (size_t i = 0; i < z->names.len && fine; i++) {
        struct entry e = {
            .name = arena_printf(z->arena, "%s/%s", z->top, z->names.items[i])};
        fine = put_entry(z, z->names.items[i], &e);
        put_central(&central, &e);
    }
    if (fine && z->out->len + central.len > MAX_BYTES)
        fine = complain(z, z->top, "the archive would be too large");
    if (fine)
        put_end(z->out, &central, z->names.len);
    buf_fini(&central);
    return fine;
}

bool saved_zip_put(struct buf *out, const char *folder, const char *top,
                   const char *shown, struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    struct zipping z = {folder, top, shown, arena, sink, out, {0}};
    bool fine = collect(&z, "", 0);
    if (fine && z.names.len > MAX_FILES)
        fine = complain(&z, top,
                        "too many files for an archive; a folder "
                        "can hold them");
    if (fine && z.names.len > 0)
        qsort(z.names.items, z.names.len, sizeof *z.names.items, by_name);
    fine = fine && put_all(&z);
    vec_fini(&z.names);
    arena_free(arena);
    return fine;
}

/* ---- one that is there -------------------------------------------------------------- */

bool saved_zip_is_own(const char *path)
{
    struct buf text = {0}, comment = {0};
    bool own = false;
    if (file_read(path, MAX_BYTES, &text, NULL) &&
        text.len >= END_BYTES + COMMENT_LEN) {
        const char *end = text.data + text.len - END_BYTES - COMMENT_LEN;
        size_t before = text.len - END_BYTES - COMMENT_LEN;
        size_t len = get_number(end + 12, 4), start = get_number(end + 16, 4);
        if (get_number(end, 4) == END && start <= before &&
            len == before - start) {
            buf_printf(&comment, COMMENT,
                       (unsigned long)checksum(text.data + start, len));
            own = memcmp(end + END_BYTES, comment.data, COMMENT_LEN) == 0;
        }
    }
    buf_fini(&comment);
    buf_fini(&text);
    return own;
}
