/* SPDX-License-Identifier: Apache-2.0
 *
 * .npy files: the bytes of the published format, round trips of every type,
 * and one malformed file per fault.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/dc-npy-XXXXXX";

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static char path[64];

static const char *file_path(void)
{
    snprintf(path, sizeof path, "%s/x.npy", directory);
    return path;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(file_path());
    return rmdir(directory);
}

static void test_bytes_are_the_published_format(void **state)
{
    int64_t shape[] = {2, 3};
    struct interp_tensor *t = interp_tensor_new(DTYPE_FLOAT32, 2, shape);
    unsigned flags = 0;
    (void)state;
    for (size_t i = 0; i < 6; i++)
        interp_tensor_set(t, i,
                          num_from_double(DTYPE_FLOAT32, (double)i, &flags));
    assert_true(npy_write(file_path(), t, NULL));
    interp_tensor_free(t);
    struct buf b = {0};
    assert_true(file_read(path, 0, &b, NULL));
    /* numpy.save of the same array: 128 bytes of header, 24 of data */
    static const char dict[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assert_int_equal(b.len, 152);
    assert_memory_equal(b.data, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(b.data + 10, dict, sizeof dict - 1);
    for (size_t i = 10 + sizeof dict - 1; i < 127; i++)
        assert_int_equal(b.data[i], ' ');
    assert_int_equal(b.data[127], '\n');
    assert_memory_equal(b.data + 128 + 4, "\x00\x00\x80\x3f", 4);
    buf_fini(&b);
}

static const char *const types[] = {
    "float16",  "float32",   "float64",       "int8",        "int16",  "int32",
    "int64",    "uint8",     "uint16",        "uint32",      "uint64", "bool",
    "bfloat16", "float32x4", "float8_e4m3fn", "float8_e5m2", "int4"};

static void test_round_trip(void **state)
{
    int64_t shape[] = {3, 1, 5};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(types); k++) {
        for (size_t rank = 0; rank <= 3; rank++) {
            struct dtype type;
            assert_true(dtype_parse(types[k], &type));
            struct interp_tensor *t = interp_tensor_new(type, rank, shape);
            interp_fill_tensor(t, INTERP_FILL_RANGE, 1, 0, 1, 0);
            assert_true(npy_write(file_path(), t, NULL));
            struct interp_tensor *u = npy_read(path, type, NULL);
            assert_non_null(u);
            assert_true(dtype_equal(u->dtype, type));
            assert_int_equal(u->rank, rank);
            assert_int_equal(u->elements, t->elements);
            assert_memory_equal(u->cells, t->cells,
                                t->elements * interp_cell_bytes(t->cell));
            assert_int_equal(u->state[0], INTERP_DEFINED);
            interp_tensor_free(t);
            interp_tensor_free(u);
        }
    }
}

#define F4 "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"

/* Either all bytes, or (raw NULL) a dict that gets a proper preamble, and the
 * data behind it. */
static const struct {
    const char *label;
    const char *raw;
    size_t len;
    const char *dict, *data;
    const char *as;
    const char *code;
} bad[] = {
#define RAW(label, bytes, code)                                 \
    {                                                           \
        label, bytes, sizeof(bytes) - 1, NULL, NULL, NULL, code \
    }
#define DICT(label, dict, data, as, code)    \
    {                                        \
        label, NULL, 0, dict, data, as, code \
    }
    RAW("empty", "", "npy.magic"),
    RAW("other magic", "\x93NUMPX\x01\x00\x02\x00{}", "npy.magic"),
    RAW("version 9", "\x93NUMPY\x09\x00\x02\x00{}", "npy.version"),
    RAW("header cut", "\x93NUMPY\x01\x00\x76\x00{'descr'", "npy.header"),
    RAW("version 2 cut", "\x93NUMPY\x02\x00\x76\x00", "npy.header"),
    DICT("no dict", "[1]", "", NULL, "npy.header"),
    DICT("empty dict", "{}", "", NULL, "npy.header"),
    DICT("unknown key", "{'other': 1}", "", NULL, "npy.header"),
    DICT("text behind", F4 " 1", "1234", NULL, "npy.header"),
    DICT("structured", "{'descr': [('a', '<f4')]}", "", NULL, "npy.dtype"),
    DICT("complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
         "12345678", NULL, "npy.dtype"),
    DICT("fortran", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }",
         "1234", NULL, "npy.order"),
    DICT("too short", F4, "123", NULL, "npy.size"),
    DICT("too long", F4, "12345", NULL, "npy.size"),
    DICT("huge shape",
         "{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(999999999999999999,), }",
         "1234", NULL, "npy.size"),
    DICT("dimension overflow",
         "{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(99999999999999999999,), }",
         "1234", NULL, "npy.shape"),
    DICT("bool 2", "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }",
         "\x02", NULL, "npy.bool"),
    DICT("other type", F4, "1234", "float16", "npy.dtype"),
    DICT("other size", F4, "1234", "bfloat16", "npy.dtype"),
    DICT("lanes", F4, "1234", "float32x4", "npy.shape"),
};

static void put_file(const char *dict, const char *data, size_t len)
{
    struct buf b = {0};
    buf_append(&b, "\x93NUMPY\x01\x00", 8);
    buf_putc(&b, (char)strlen(dict));
    buf_putc(&b, 0);
    buf_puts(&b, dict);
    buf_append(&b, data, len);
    assert_true(file_write(file_path(), b.data, b.len, NULL));
    buf_fini(&b);
}

static void test_bad_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        struct diag_sink *sink = diag_sink_new();
        struct dtype as = DTYPE_VOID;
        if (bad[i].as != NULL)
            assert_true(dtype_parse(bad[i].as, &as));
        if (bad[i].raw != NULL)
            assert_true(file_write(file_path(), bad[i].raw, bad[i].len, NULL));
        else
            put_file(bad[i].dict, bad[i].data, strlen(bad[i].data));
        assert_null(npy_read(path, as, sink));
        assert_int_equal(diag_error_count(sink), 1);
        if (strcmp(diag_at(sink, 0)->code, bad[i].code) != 0)
            fail_msg("%s: %s: %s", bad[i].label, diag_at(sink, 0)->code,
                     diag_at(sink, 0)->message);
        diag_sink_free(sink);
    }
}

static void no_memory(const char *message)
{
    fail_msg("more was asked for than there is: %s", message);
}

/* A shape is compared with the file, and a file with the memory that is left,
 * before anything of their size is made. */
static void test_memory_limit(void **state)
{
    static const struct {
        const char *shape, *code;
        size_t bytes;
    } rows[] = {{"(16384, 16384)", "npy.size", 4},
                {"(65536,)", "npy.memory", 262144}};
    char *data = dc_alloc(262144);
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct diag_sink *sink = diag_sink_new();
        char dict[128];
        snprintf(dict, sizeof dict,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
                 rows[i].shape);
        put_file(dict, data, rows[i].bytes);
        dc_set_memory_handler(no_memory);
        dc_memory_limit(dc_memory_used() + 600000);
        assert_null(npy_read(path, DTYPE_VOID, sink));
        dc_memory_limit(0);
        assert_string_equal(diag_at(sink, 0)->code, rows[i].code);
        diag_sink_free(sink);
    }
    dc_set_memory_handler(NULL);
    dc_release(data);
}

/* No bytes of a header do more than end in a message. */
static void test_every_cut_and_change(void **state)
{
    static const char dict[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    struct buf whole = {0};
    size_t read = 0;
    (void)state;
    put_file(dict, "0123456789abcdef01234567", 24);
    assert_true(file_read(path, 0, &whole, NULL));
    for (size_t i = 0; i < whole.len; i++) {
        char kept = whole.data[i];
        for (unsigned k = 0; k < 256; k += i < 80 ? 11 : 85) {
            whole.data[i] = (char)k;
            assert_true(file_write(path, whole.data, whole.len, NULL));
            struct interp_tensor *t = npy_read(path, DTYPE_VOID, NULL);
            read += t != NULL;
            interp_tensor_free(t);
        }
        whole.data[i] = kept;
        assert_true(file_write(path, whole.data, i, NULL));
        assert_null(npy_read(path, DTYPE_VOID, NULL));
    }
    assert_true(read > 24); /* data may be anything */
    buf_fini(&whole);
}

static void test_big_endian(void **state)
{
    (void)state;
    put_file("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
             "\x01\x02\xff\xfe", 4);
    struct interp_tensor *t = npy_read(path, DTYPE_VOID, NULL);
    assert_non_null(t);
    assert_int_equal(interp_tensor_get(t, 0), 0x102);
    assert_int_equal((int64_t)interp_tensor_get(t, 1), -2);
    interp_tensor_free(t);
}

static void test_files_of_numpy(void **state)
{
    static const char *const root = "../shared/data/tvm/oracle";
    DIR *dir = opendir(root);
    size_t n = 0;
    (void)state;
    if (dir == NULL) {
        print_message("skipped: %s not there\n", root);
        skip();
    }
    for (struct dirent *e = readdir(dir); e != NULL && n < 200;
         e = readdir(dir)) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s/out.npy", root, e->d_name);
        if (access(name, R_OK) != 0)
            continue;
        struct interp_tensor *t = npy_read(name, DTYPE_VOID, NULL);
        assert_non_null(t);
        interp_tensor_free(t);
        n++;
    }
    closedir(dir);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_the_published_format),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_file),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_every_cut_and_change),
        cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_files_of_numpy),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
