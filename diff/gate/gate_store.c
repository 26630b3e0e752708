/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of results: one SQLite file with a row a result.
 *
 * A row has the key, the value and a SHA-256 of both; one whose sum is wrong is
 * not there. The file is in write-ahead mode, in which a transaction that was not
 * finished does not exist for the next who opens it, whenever a process was
 * killed, and readers and one writer work side by side; others wait for their
 * turn. Each result is a transaction of its own. What has not been asked for in
 * half a year goes.
 *
 * A file is ours if its application id and version say so, or it is empty.
 * Nothing else is written to. Who could put results there decides what passes the
 * gate: the file, its two companions and the folder must be writable by this user
 * alone, like the cache of builds.
 */
#define _XOPEN_SOURCE 700
#include "diff/gate/gate.h"
#include "diff/harness/cache.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define APPLICATION 0x64636774 /* "dcgt" */
#define VERSION     1
#define WAIT_MS     10000 /* for another process to end its transaction */
#define MAX_VALUE   ((size_t)256 << 20)
#define DAY         (24 * 60 * 60)
#define KEPT_DAYS   180
#define TOUCH_DAYS  7 /* the day of last use is that exact */

struct gate_store {
    sqlite3 *db;
    sqlite3_stmt *get, *put, *touch;
    char *path;
    bool read_only;
    bool told; /* that something is damaged */
    bool off;  /* something went wrong: it is not asked again */
    bool wrote;
};

static const struct diff_trusted words = {"store of results", "results",
                                          "--store"};

static long today(void)
{
    return (long)(time(NULL) / DAY);
}

/* ---- what is said ---------------------------------------------------------------- */

/* A store that is locked, say, would be waited for with every result. */
static void give_up(struct gate_store *s, struct diag_sink *sink,
                    const char *what)
{
    struct diag_loc loc = {.file = s->path};
    diag_warn(sink, loc, "gate.store", "%s, it is left alone from here on: %s",
              what, sqlite3_errmsg(s->db));
    s->off = true;
}

static bool refuse(bool given, const char *path, struct diag_sink *sink,
                   const char *what)
{
    struct diag_loc loc = {.file = path};
    if (given)
        return diag_error(sink, loc, "gate.store",
                          "the store of results cannot be used: %s", what);
    diag_warn(sink, loc, "gate.store",
              "the store of results cannot be used, all is compared anew: %s",
              what);
    return true;
}

/* ---- opening --------------------------------------------------------------------- */

/* One number that a statement gives; -1 if it fails. */
static long number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    long n = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        n = (long)sqlite3_column_int64(s, 0);
    (void)sqlite3_finalize(s);
    return n;
}

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Another process may have been first: it is looked at again within the
 * transaction. */
static bool make_tables(sqlite3 *db)
{
    bool fine = run(db, "BEGIN IMMEDIATE");
    if (fine && number_of(db, "PRAGMA user_version") == 0)
        fine = run(db, "CREATE TABLE result (key BLOB PRIMARY KEY NOT NULL, "
                       "value BLOB NOT NULL, sum BLOB NOT NULL, "
                       "used INTEGER NOT NULL);"
                       "CREATE INDEX result_used ON result (used);"
                       "PRAGMA application_id = 1684236148;"
                       "PRAGMA user_version = 1");
    if (fine)
        return run(db, "COMMIT");
    (void)run(db, "ROLLBACK");
    return false;
}

/* NULL, or why the file is none of ours. */
static const char *look(struct gate_store *s)
{
    long tables = number_of(s->db, "SELECT count(*) FROM sqlite_master");
    long id = number_of(s->db, "PRAGMA application_id");
    long version = number_of(s->db, "PRAGMA user_version");
    if (tables < 0)
        return sqlite3_errmsg(s->db);
    if (tables == 0 && id == 0 && version == 0 && s->read_only)
        return "it is empty and cannot be written";
    if (tables == 0 && id == 0 && version == 0)
        return make_tables(s->db) ? NULL : sqlite3_errmsg(s->db);
    if (id != APPLICATION)
        return "it is a database of another program";
    return version == VERSION ? NULL : "it is of another version of diffcheck";
}

static bool prepare(struct gate_store *s)
{
    static const struct {
        size_t at;
        const char *sql;
    } all[] = {
        {offsetof(struct gate_store, get),
         "SELECT value, sum, used FROM result WHERE key = ?"},
        {offsetof(struct gate_store, put),
         "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)"},
        {offsetof(struct gate_store, touch),
         "UPDATE result SET used = ? WHERE key = ?"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        sqlite3_stmt **at = (sqlite3_stmt **)(void *)((char *)s + all[i].at);
        if (sqlite3_prepare_v2(s->db, all[i].sql, -1, at, NULL) != SQLITE_OK)
            return false;
    }
    return true;
}

/* A path as a URI that SQLite opens without locks and companions: of a file that
 * nobody can write there are none. */
static void put_uri(struct buf *out, const char *path)
{
    buf_puts(out, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path) != NULL)
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)*path);
        else
            buf_putc(out, *path);
    buf_puts(out, "?immutable=1");
}

static bool is_writable(const char *path, struct arena *arena)
{
    const char *folder = path_folder(arena, path);
    return access(folder, W_OK) == 0 &&
           (access(path, F_OK) != 0 || access(path, W_OK) == 0);
}

/* NULL, or why it cannot be opened. */
static const char *open_file(struct gate_store *s, struct arena *arena)
{
    struct buf uri = {0};
    int flags = SQLITE_OPEN_NOMUTEX;
    s->read_only = !is_writable(s->path, arena);
    if (s->read_only)
        put_uri(&uri, s->path);
    else
        buf_puts(&uri, s->path);
    flags |= s->read_only ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int rc = sqlite3_open_v2(buf_text(&uri), &s->db, flags, NULL);
    buf_fini(&uri);
    if (rc != SQLITE_OK)
        return s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    (void)sqlite3_busy_timeout(s->db, WAIT_MS);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)run(s->db, "PRAGMA trusted_schema = 0");
    const char *why = look(s);
    if (why == NULL && !s->read_only) {
        /* where the file system has no shared memory it stays as it is */
        (void)run(s->db, "PRAGMA journal_mode = WAL");
        (void)run(s->db, "PRAGMA synchronous = NORMAL");
    }
    if (why == NULL && !prepare(s))
        why = sqlite3_errmsg(s->db);
    return why;
}

/* NULL, or who else could put results there. */
static const char *distrust(const char *path, struct arena *arena)
{
    static const char *const companions[] = {"", "-wal", "-shm", "-journal"};
    const char *folder = path_folder(arena, path);
    const char *why = diff_distrust(folder, &words, arena);
    for (size_t i = 0; i < DC_ARRAY_LEN(companions) && why == NULL; i++)
        why = diff_distrust(arena_printf(arena, "%s%s", path, companions[i]),
                            &words, arena);
    return why;
}

/* The path, its folder made; NULL with *why. */
static const char *place(const char *file, struct arena *arena,
                         const char **why)
{
    if (file != NULL) /* no name that means something else to SQLite */
        return *file == '/' ? file : arena_printf(arena, "./%s", file);
    const char *folder = diff_cache_folder(NULL, arena);
    if (folder == NULL)
        *why = "neither XDG_CACHE_HOME nor HOME names a folder";
    else if (!diff_folders_make(folder))
        *why = arena_printf(arena, "cannot make the folder '%s': %s", folder,
                            strerror(errno));
    else
        return arena_printf(arena, "%s/results.sqlite", folder);
    return NULL;
}

bool gate_store_open(const char *file, struct gate_store **out,
                     struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    struct gate_store *s = dc_alloc(sizeof *s);
    const char *why = NULL;
    const char *path = place(file, arena, &why);
    char real[PATH_MAX];
    struct stat st;
    *out = NULL;
    /* where a link leads, there SQLite looks for the companions */
    if (path != NULL && realpath(path, real) != NULL)
        path = real;
    if (path != NULL && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        why = "it is no file";
    if (path != NULL && why == NULL)
        why = distrust(path, arena);
    if (path != NULL && why == NULL) {
        s->path = dc_alloc(strlen(path) + 1);
        memcpy(s->path, path, strlen(path) + 1);
        why = open_file(s, arena);
    }
    bool fine = why == NULL || refuse(file != NULL, path, sink, why);
    if (why != NULL) {
        gate_store_close(s);
    } else {
        *out = s;
        if (s->read_only)
            diag_warn(sink, (struct diag_loc){.file = s->path}, "gate.store",
                      "the store of results cannot be written: what is new is "
                      "not kept");
    }
    arena_free(arena);
    return fine;
}

/* What nobody has asked for in half a year. */
static void tidy(struct gate_store *s)
{
    char sql[96];
    (void)snprintf(sql, sizeof sql, "DELETE FROM result WHERE used < %ld",
                   today() - KEPT_DAYS);
    (void)run(s->db, sql); /* another time, if not now */
}

void gate_store_close(struct gate_store *s)
{
    if (s == NULL)
        return;
    if (s->wrote && !s->off)
        tidy(s);
    (void)sqlite3_finalize(s->get);
    (void)sqlite3_finalize(s->put);
    (void)sqlite3_finalize(s->touch);
    (void)sqlite3_close(s->db);
    dc_release(s->path);
    dc_release(s);
}

/* ---- results --------------------------------------------------------------------- */

/* Of the key and the value. */
static void sum_of(const unsigned char key[GATE_HASH], const void *value,
                   size_t len, unsigned char out[GATE_HASH])
{
    unsigned char both[2 * GATE_HASH];
    memcpy(both, key, GATE_HASH);
    gate_hash(value, len, both + GATE_HASH);
    gate_hash(both, sizeof both, out);
}

static void touch(struct gate_store *s, const unsigned char key[GATE_HASH])
{
    (void)sqlite3_bind_int64(s->touch, 1, today());
    (void)sqlite3_bind_blob(s->touch, 2, key, (int)GATE_HASH, SQLITE_STATIC);
    (void)sqlite3_step(s->touch); /* it goes earlier otherwise, no more */
    (void)sqlite3_reset(s->touch);
}

bool gate_store_get(struct gate_store *s, const unsigned char key[GATE_HASH],
                    struct buf *out, struct diag_sink *sink)
{
    unsigned char sum[GATE_HASH];
    bool found = false, old = false;
    if (s->off)
        return false;
    (void)sqlite3_bind_blob(s->get, 1, key, (int)GATE_HASH, SQLITE_STATIC);
    int rc = sqlite3_step(s->get);
    if (rc == SQLITE_ROW) {
        const void *value = sqlite3_column_blob(s->get, 0);
        size_t len = (size_t)sqlite3_column_bytes(s->get, 0);
        const void *kept = sqlite3_column_blob(s->get, 1);
        if (value != NULL && kept != NULL &&
            sqlite3_column_bytes(s->get, 1) == (int)GATE_HASH) {
            sum_of(key, value, len, sum);
            found = memcmp(kept, sum, GATE_HASH) == 0;
        }
        if (found)
            buf_append(out, value, len);
        old = sqlite3_column_int64(s->get, 2) + TOUCH_DAYS < today();
        if (!found && !s->told)
            diag_warn(sink, (struct diag_loc){.file = s->path}, "gate.store",
                      "a result in the store is damaged: it is made anew");
        s->told = s->told || !found;
    } else if (rc != SQLITE_DONE) {
        give_up(s, sink, "the store of results cannot be read");
    }
    (void)sqlite3_reset(s->get);
    if (found && old && !s->read_only)
        touch(s, key);
    return found;
}

void gate_store_put(struct gate_store *s, const unsigned char key[GATE_HASH],
                    const struct buf *value, struct diag_sink *sink)
{
    unsigned char sum[GATE_HASH];
    if (s->read_only || s->off || value->len > MAX_VALUE)
        return;
    sum_of(key, buf_text(value), value->len, sum);
    (void)sqlite3_bind_blob(s->put, 1, key, (int)GATE_HASH, SQLITE_STATIC);
    (void)sqlite3_bind_blob(s->put, 2, buf_text(value), (int)value->len,
                            SQLITE_STATIC);
    (void)sqlite3_bind_blob(s->put, 3, sum, (int)GATE_HASH, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s->put, 4, today());
    if (sqlite3_step(s->put) != SQLITE_DONE)
        give_up(s, sink, "the store of results cannot be written");
    (void)sqlite3_reset(s->put);
    s->wrote = true;
}
