/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of results: what is put is got, by its key alone; other bytes are no
 * result; keys differ where a part does.
 */
#include "diff/gate/gate.h"
#include "tests/test.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gate_store.XXXXXX";
static char path[64];

static int begin(void **state)
{
    (void)state;
    (void)umask(022);
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/results.sqlite", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    folder_remove(folder);
    return 0;
}

static struct gate_store *open_store(struct diag_sink *sink)
{
    struct gate_store *store = NULL;
    assert_true(gate_store_open(path, &store, sink));
    assert_non_null(store);
    assert_int_equal(diag_count(sink), 0);
    return store;
}

static void put(struct gate_store *store, unsigned char first, const char *text,
                struct diag_sink *sink)
{
    unsigned char key[GATE_HASH] = {first};
    struct buf value = {0};
    buf_puts(&value, text);
    gate_store_put(store, key, &value, sink);
    buf_fini(&value);
}

/* NULL: the store has none. */
static void wants(struct gate_store *store, unsigned char first,
                  const char *text, struct diag_sink *sink)
{
    unsigned char key[GATE_HASH] = {first};
    struct buf got = {0};
    assert_int_equal(gate_store_get(store, key, &got, sink), text != NULL);
    assert_string_equal(buf_text(&got), text ? text : "");
    buf_fini(&got);
}

static void keeps_what_is_put(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    struct gate_store *store = open_store(sink);
    wants(store, 1, NULL, sink);
    put(store, 1, "one", sink);
    put(store, 2, "two", sink);
    put(store, 1, "another", sink);
    wants(store, 1, "another", sink);
    wants(store, 3, NULL, sink);
    gate_store_close(store);
    store = open_store(sink);
    wants(store, 1, "another", sink);
    wants(store, 2, "two", sink);
    gate_store_close(store);
    gate_store_close(NULL);
    assert_int_equal(diag_count(sink), 0);
    diag_sink_free(sink);
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

static void other_bytes_are_no_result(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    run_sql("UPDATE result SET value = CAST('twp' AS BLOB) "
            "WHERE value = CAST('two' AS BLOB)");
    struct gate_store *store = open_store(sink);
    wants(store, 2, NULL, sink);
    wants(store, 1, "another", sink);
    assert_int_equal(diag_count(sink), 1); /* and once only */
    wants(store, 2, NULL, sink);
    assert_int_equal(diag_count(sink), 1);
    gate_store_close(store);
    diag_sink_free(sink);
}

/* A row of another key, whole as it is, is none of this one. */
static void a_row_of_another_key_is_none(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    run_sql("UPDATE result SET (value, sum) = (SELECT value, sum FROM result "
            "WHERE value = CAST('another' AS BLOB))");
    struct gate_store *store = open_store(sink);
    wants(store, 2, NULL, sink);
    wants(store, 1, "another", sink);
    gate_store_close(store);
    diag_sink_free(sink);
}

static void what_nobody_asks_for_goes(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    struct gate_store *store = open_store(sink);
    put(store, 7, "old", sink);
    put(store, 8, "older", sink);
    gate_store_close(store);
    /* 180 days are kept, and a look makes it young again */
    run_sql("UPDATE result SET used = used - 179 "
            "WHERE value = CAST('old' AS BLOB);"
            "UPDATE result SET used = used - 181 "
            "WHERE value = CAST('older' AS BLOB)");
    store = open_store(sink);
    wants(store, 7, "old", sink);
    put(store, 9, "new", sink); /* then it is tidied */
    gate_store_close(store);
    run_sql("CREATE TABLE seen AS SELECT * FROM result "
            "WHERE value = CAST('old' AS BLOB) AND used < "
            "(SELECT max(used) FROM result)");
    run_sql("CREATE TRIGGER stale BEFORE DELETE ON seen BEGIN "
            "SELECT RAISE(ABORT, 'it was not made young'); END;"
            "DELETE FROM seen; DROP TABLE seen");
    store = open_store(sink);
    wants(store, 7, "old", sink);
    wants(store, 8, NULL, sink);
    wants(store, 9, "new", sink);
    gate_store_close(store);
    diag_sink_free(sink);
}

static void hex_is(const char *text, const char *want)
{
    unsigned char hash[GATE_HASH];
    char hex[2 * GATE_HASH + 1];
    gate_hash(text, strlen(text), hash);
    for (size_t i = 0; i < GATE_HASH; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, want);
}

/* FIPS 180-4, examples of SHA-256. */
static void hash_is_sha_256(void **state)
{
    (void)state;
    hex_is("abc", "ba7816bf8f01cfea414140de5dae2223"
                  "b00361a396177a9cb410ff61f20015ad");
    hex_is("", "e3b0c44298fc1c149afbf4c8996fb924"
               "27ae41e4649b934ca495991b7852b855");
}

static void common_of(struct diff_said *said, size_t n,
                      unsigned char out[GATE_HASH])
{
    struct diff_options options = {.said = said, .nsaid = n};
    assert_true(gate_key_common(&options, out));
}

static void keys_have_all_parts(void **state)
{
    (void)state;
    unsigned char plain[GATE_HASH], other[GATE_HASH], key[GATE_HASH],
        swapped[GATE_HASH];
    struct diff_said said[] = {{DIFF_OPT_SEED, "1"}, {DIFF_OPT_BUDGET, "2"}};
    common_of(NULL, 0, plain);
    common_of(said, 1, other);
    assert_memory_not_equal(plain, other, GATE_HASH);
    common_of(said, 2, plain);
    assert_memory_not_equal(plain, other, GATE_HASH);
    said[0] = (struct diff_said){DIFF_OPT_JOBS, "9"}; /* changes nothing */
    common_of(said, 1, other);
    common_of(NULL, 0, plain);
    assert_memory_equal(plain, other, GATE_HASH);
    struct gate_file a = {.hash = {1}}, b = {.hash = {2}};
    struct gate_pair pair = {.before = &a, .after = &b};
    gate_key(plain, &pair, key);
    pair = (struct gate_pair){.before = &b, .after = &a};
    gate_key(plain, &pair, swapped);
    assert_memory_not_equal(key, swapped, GATE_HASH);
    said[0] = (struct diff_said){DIFF_OPT_EXTERN, "/nowhere/at/all"};
    struct diff_options options = {.said = said, .nsaid = 1};
    assert_false(gate_key_common(&options, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_is_put),
        cmocka_unit_test(other_bytes_are_no_result),
        cmocka_unit_test(a_row_of_another_key_is_none),
        cmocka_unit_test(what_nobody_asks_for_goes),
        cmocka_unit_test(hash_is_sha_256),
        cmocka_unit_test(keys_have_all_parts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
