/* SPDX-License-Identifier: Apache-2.0
 *
 * libdiffcheck from a host: what it answers, and that nothing it is given ends
 * or changes the host. The program that is found beside this one breaks in the
 * way that the tuned module's name asks for (breaking.c).
 */
#define _XOPEN_SOURCE 700
#include "diff/api/diffcheck.h"
#include "reports/reports.h"
#include "tests/test.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char module_text[] =
    "# from tvm.script import ir as I, tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def f(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")):\n"
    "        for i in range(4):\n"
    "            with T.block(\"b\"):\n"
    "                v = T.axis.spatial(4, i)\n"
    "                B[v] = A[v] + %d\n";

static struct diffcheck_module *module(const char *name, int add)
{
    char text[1024];
    int len = snprintf(text, sizeof text, module_text, add);
    struct diffcheck_module *m = diffcheck_load_memory(text, (size_t)len, name);
    assert_non_null(m);
    if (diffcheck_module_error(m))
        print_error("%s\n", diffcheck_module_error(m));
    assert_null(diffcheck_module_error(m));
    return m;
}

static struct diffcheck_result *compared(const char *name, int a, int b,
                                         const char *const *options)
{
    struct diffcheck_module *tuned = module(name, a);
    struct diffcheck_module *untuned = module("untuned", b);
    struct diffcheck_result *r = diffcheck_compare(tuned, untuned, options);
    diffcheck_module_free(tuned);
    diffcheck_module_free(untuned);
    assert_non_null(r);
    return r;
}

static void test_verdicts(void **state)
{
    (void)state;
    struct diffcheck_result *r = compared("tuned", 1, 1, NULL);
    assert_null(diffcheck_error(r));
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_IDENTICAL);
    assert_int_equal(diffcheck_exit_status(r), 0);
    assert_non_null(strstr(diffcheck_json(r), "\"verdict\": \"identical\""));
    diffcheck_result_free(r);

    r = compared("tuned", 2, 1, NULL);
    assert_null(diffcheck_error(r));
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_DIFFERENT);
    assert_int_equal(diffcheck_exit_status(r), 1);
    assert_non_null(strstr(diffcheck_json(r), "\"verdict\": \"different\""));
    assert_true(strlen(diffcheck_text(r)) > 0);
    diffcheck_result_free(r);
}

/* Names of verdicts are the reports' own. */
static void test_names(void **state)
{
    (void)state;
    for (int v = 0; v < REPORT_NVERDICTS; v++)
        assert_string_equal(diffcheck_verdict_name((enum diffcheck_verdict)v),
                            report_verdict_name((enum report_verdict)v));
    assert_string_equal(diffcheck_verdict_name(DIFFCHECK_NONE), "none");
    assert_string_equal(
        diffcheck_verdict_name((enum diffcheck_verdict)REPORT_NVERDICTS),
        "none");
    assert_string_equal(diffcheck_version(), DC_VERSION);
}

static void refuses(const char *const *options, const char *why)
{
    struct diffcheck_result *r = compared("tuned", 1, 1, options);
    assert_int_equal(diffcheck_exit_status(r), 2);
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_NONE);
    assert_non_null(diffcheck_error(r));
    if (!strstr(diffcheck_error(r), why))
        print_error("'%s'\n", diffcheck_error(r));
    assert_non_null(strstr(diffcheck_error(r), why));
    assert_string_equal(diffcheck_text(r), "");
    diffcheck_result_free(r);
}

static void test_options(void **state)
{
    (void)state;
    struct diffcheck_result *r = compared(
        "tuned", 2, 1, (const char *const[]){"--allow", "different", NULL});
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_DIFFERENT);
    assert_int_equal(diffcheck_exit_status(r), 0);
    diffcheck_result_free(r);
    refuses((const char *const[]){"--budgte=1", NULL}, "--budget");
    refuses((const char *const[]){"--budget", NULL}, "--budget");
    refuses((const char *const[]){"file", NULL}, "TUNED UNTUNED");
    refuses((const char *const[]){"--help", NULL}, "--help");
    refuses((const char *const[]){"--format=json", NULL}, "--format");
    refuses((const char *const[]){"--function", "g", NULL}, "'g'");
}

/* A file of 2^16 bytes, which is where the buffer grows, and one of none. */
static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/test_library.XXXXXX", text[1024];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    int len = snprintf(text, sizeof text, module_text, 1);
    assert_int_equal(write(fd, text, (size_t)len), len);
    for (int n = len; n < 1 << 16; n++)
        assert_int_equal(write(fd, "\n", 1), 1);
    struct diffcheck_module *a = diffcheck_load_file(path);
    struct diffcheck_module *b = module("untuned", 2);
    assert_null(diffcheck_module_error(a));
    struct diffcheck_result *r =
        diffcheck_compare(a, b, (const char *const[]){"--jobs=1", NULL});
    assert_null(diffcheck_error(r));
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_DIFFERENT);
    diffcheck_result_free(r);
    diffcheck_module_free(a);
    diffcheck_module_free(b);
    assert_int_equal(ftruncate(fd, 0), 0);
    a = diffcheck_load_file(path);
    assert_non_null(diffcheck_module_error(a));
    diffcheck_module_free(a);
    (void)close(fd);
    (void)unlink(path);
}

static void test_bad_modules(void **state)
{
    (void)state;
    static const char bytes[] = "\0\xff{\"nodes\": [";
    struct diffcheck_module *fine = module("tuned", 1);
    struct diffcheck_module *bad[] = {
        diffcheck_load_memory("", 0, "empty"),
        diffcheck_load_memory(NULL, 7, NULL),
        diffcheck_load_memory(bytes, sizeof bytes, "bytes"),
        diffcheck_load_file("tests/no-such-file.json"),
        diffcheck_load_file("tests"),
        diffcheck_load_file("/dev/zero"),
        diffcheck_load_file(NULL),
        diffcheck_load_file("LICENSE"),
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        assert_non_null(bad[i]);
        assert_non_null(diffcheck_module_error(bad[i]));
        struct diffcheck_result *r = diffcheck_compare(fine, bad[i], NULL);
        assert_int_equal(diffcheck_exit_status(r), 2);
        assert_string_equal(diffcheck_error(r), diffcheck_module_error(bad[i]));
        diffcheck_result_free(r);
        diffcheck_module_free(bad[i]);
    }
    struct diffcheck_result *r = diffcheck_compare(NULL, fine, NULL);
    assert_int_equal(diffcheck_exit_status(r), 2);
    assert_non_null(diffcheck_error(r));
    diffcheck_result_free(r);
    diffcheck_module_free(fine);
    assert_null(diffcheck_module_error(NULL));
    assert_int_equal(diffcheck_verdict(NULL), DIFFCHECK_NONE);
    diffcheck_module_free(NULL);
    diffcheck_result_free(NULL);
}

/* What would end the program is an error of the result. */
static void test_broken(void **state)
{
    (void)state;
    static const struct {
        const char *how, *says;
        int status;
    } rows[] = {
        {"bug", "broken on purpose, 'quoted'", 3},
        {"abort", "signal 6", 3},
        {"fault", "without an answer", 3}, /* main.c's handler ends it */
        {"exit", "without an answer", 3},
        {"memory", "out of memory (this test)", 2},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct diffcheck_result *r = compared(rows[i].how, 1, 1, NULL);
        assert_int_equal(diffcheck_exit_status(r), rows[i].status);
        assert_int_equal(diffcheck_verdict(r), DIFFCHECK_NONE);
        assert_non_null(strstr(diffcheck_error(r), rows[i].says));
        diffcheck_result_free(r);
    }
}

static size_t descriptors(void)
{
    size_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    while (readdir(folder))
        n++;
    (void)closedir(folder);
    return n;
}

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
    (void)sig;
    handled = 1;
}

/* Nothing is printed, no descriptor stays, no child is left, handlers stay. */
static void test_host_undisturbed(void **state)
{
    (void)state;
    FILE *seen = tmpfile();
    struct sigaction mine = {.sa_handler = on_signal}, after;
    assert_non_null(seen);
    (void)sigaction(SIGSEGV, NULL, &after);
    void (*was)(int) = after.sa_handler;
    (void)sigaction(SIGTERM, &mine, NULL);
    size_t before = descriptors();
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    printf("held back by the host, ");
    (void)dup2(fileno(seen), STDOUT_FILENO);
    (void)dup2(fileno(seen), STDERR_FILENO);
    struct diffcheck_result *r = compared("prints", 1, 1, NULL);
    struct diffcheck_result *b = compared("bug", 1, 1, NULL);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)close(out);
    (void)close(err);
    printf("and printed once\n");
    (void)fseek(seen, 0, SEEK_END);
    assert_int_equal(ftell(seen), 0);
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_IDENTICAL);
    diffcheck_result_free(r);
    diffcheck_result_free(b);
    assert_int_equal(descriptors(), before);
    (void)sigaction(SIGSEGV, NULL, &after);
    assert_true(after.sa_handler == was);
    (void)sigaction(SIGTERM, NULL, &after);
    assert_true(after.sa_handler == on_signal && !handled);
    (void)fclose(seen);
}

static void test_no_children_to_wait_for(void **state)
{
    (void)state;
    void (*was)(int) = signal(SIGCHLD, SIG_IGN);
    struct diffcheck_result *r = compared("tuned", 2, 1, NULL);
    assert_int_equal(diffcheck_verdict(r), DIFFCHECK_DIFFERENT);
    diffcheck_result_free(r);
    r = compared("abort", 1, 1, NULL);
    assert_int_equal(diffcheck_exit_status(r), 3);
    assert_non_null(diffcheck_error(r));
    diffcheck_result_free(r);
    (void)signal(SIGCHLD, was);
}

#define THREADS 8u

/* Other threads allocate all the while, so that forks meet held locks. */
static void *host_thread(void *user)
{
    size_t *wrong = user;
    for (int i = 0; i < 4; i++) {
        int add = i % 2;
        char *noise = malloc(1000 + (size_t)i);
        struct diffcheck_module *a = module("tuned", 1 + add);
        struct diffcheck_module *b = module("untuned", 1);
        struct diffcheck_result *r = diffcheck_compare(a, b, NULL);
        *wrong += diffcheck_verdict(r) !=
                  (add ? DIFFCHECK_DIFFERENT : DIFFCHECK_IDENTICAL);
        diffcheck_result_free(r);
        diffcheck_module_free(a);
        diffcheck_module_free(b);
        free(noise);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    size_t wrong[THREADS] = {0};
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, host_thread, &wrong[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_bad_modules),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_host_undisturbed),
        cmocka_unit_test(test_no_children_to_wait_for),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
