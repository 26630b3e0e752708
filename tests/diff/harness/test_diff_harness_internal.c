/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign processes and the build cache: every way in which a program may end,
 * and a cache that is whole whatever was cut, full or changed behind its back.
 */
#include "diff/harness/confine.h"
#include "diff/harness/harness.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- processes ------------------------------------------------------------------- */

struct ending {
    const char *label, *script;
    struct diff_limits limits;
    enum diff_end kind;
    int number;
    const char *text; /* in the message */
};

static const struct ending endings[] = {
    {"well",
     "echo fine",
     {.wall_s = 60},
     DIFF_END_EXIT,
     0,
     "exit status 0: fine"},
    {"status",
     "echo x; echo an error of 7 >&2; exit 7",
     {.wall_s = 60},
     DIFF_END_EXIT,
     7,
     "exit status 7: an error of 7"},
    {"signal",
     "kill -SEGV $$",
     {.wall_s = 60},
     DIFF_END_SIGNAL,
     SIGSEGV,
     "SIGSEGV"},
    {"hang", "sleep 100", {.wall_s = 0.2}, DIFF_END_TIME, 0, "time limit"},
    {"hang of a child",
     "(sleep 100; echo late)",
     {.wall_s = 0.2},
     DIFF_END_TIME,
     0,
     "time limit"},
    {"silent hang",
     "exec >&- 2>&-; sleep 100",
     {.wall_s = 0.2},
     DIFF_END_TIME,
     0,
     "time limit"},
    {"kept from running", /* by others, and by pauses of its own */
     "i=0; while [ $i -lt 12 ]; do i=$((i + 1)); sleep 0.1; "
     "k=0; while [ $k -lt 3000 ]; do k=$((k + 1)); done; done; echo came",
     {.wall_s = 1},
     DIFF_END_EXIT,
     0,
     "came"},
    {"busy for longer than its limit",
     "while :; do :; done",
     {.wall_s = 0.5},
     DIFF_END_TIME,
     0,
     "time limit"},
    {"processor time",
     "while :; do :; done",
     {.wall_s = 300, .cpu_s = 1},
     DIFF_END_SIGNAL,
     SIGXCPU,
     "processor time"},
    {"no input",
     "read x || echo none",
     {.wall_s = 60},
     DIFF_END_EXIT,
     0,
     "none"},
    {"a child that stays",
     "sleep 100 & echo gone",
     {.wall_s = 30},
     DIFF_END_EXIT,
     0,
     "gone"},
    {"messages in English",
     "echo $LC_ALL $MORE",
     {.wall_s = 60},
     DIFF_END_EXIT,
     0,
     "C this"},
};

static void run_script(const char *script, struct diff_limits limits,
                       struct diff_ended *out)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const char *const env[] = {"MORE=this", NULL};
    struct diff_process p = {.argv = argv, .env = env, .limits = limits};
    diff_process_run(&p, out);
}

static double seconds(void)
{
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void test_ending(void **state)
{
    const struct ending *e = *state;
    struct diff_ended ended;
    struct buf text = {0};
    double started = seconds();
    run_script(e->script, e->limits, &ended);
    assert_true(seconds() - started < 20);
    diff_ended_put(&text, &ended);
    if (!strstr(buf_text(&text), e->text))
        fail_msg("'%s' is not in '%s'", e->text, buf_text(&text));
    assert_int_equal(ended.kind, e->kind);
    assert_int_equal(ended.number, e->number);
    buf_fini(&text);
    diff_ended_fini(&ended);
}

static void test_long_output(void **state)
{
    (void)state;
    struct diff_ended ended;
    run_script("yes | head -c 3000000", (struct diff_limits){.wall_s = 60},
               &ended);
    assert_true(diff_ended_well(&ended));
    assert_true(ended.cut);
    assert_int_equal(ended.text.len, 65536);
    diff_ended_fini(&ended);
}

static void test_file_limit(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct buf why = {0};
    struct diff_ended ended;
    char *folder = diff_folder_new(arena, &why);
    assert_non_null(folder);
    const char *script = arena_printf(
        arena, "dd if=/dev/zero of=%s/big bs=4096 count=100 2>/dev/null",
        folder);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct diff_process p = {.argv = argv, .limits = {.file = 8192}};
    struct stat st;
    diff_process_run(&p, &ended);
    assert_false(diff_ended_well(&ended));
    assert_int_equal(stat(arena_printf(arena, "%s/big", folder), &st), 0);
    assert_true(st.st_size <= 8192);
    diff_ended_fini(&ended);
    folder_remove(folder);
    buf_fini(&why);
    arena_free(arena);
}

/* Runs `script`, with folders that it may write to or NULL; what it printed. */
static const char *printed_by(const char *script, const char *const *writable,
                              double wall_s, struct arena *arena)
{
    const char *const argv[] = {"/bin/bash", "-c", script, NULL};
    struct diff_process p = {
        .argv = argv, .writable = writable, .limits = {.wall_s = wall_s}};
    struct diff_ended ended;
    diff_process_run(&p, &ended);
    const char *text = arena_strdup(arena, buf_text(&ended.text));
    if (ended.kind == DIFF_END_START)
        text = arena_printf(arena, "not started: %s", strerror(ended.number));
    diff_ended_fini(&ended);
    return text;
}

static void test_confined(void **state)
{
    struct arena *arena = arena_new();
    struct buf why = {0};
    (void)state;
    char *in = diff_folder_new(arena, &why),
         *out = diff_folder_new(arena, &why);
    assert_non_null(in);
    assert_non_null(out);
    const char *const only[] = {in, NULL};
    const char *files = arena_printf(
        arena,
        "{ echo 1 > %s/a && mkdir %s/b && mv %s/a %s/b; } && echo inside\n"
        "echo 2 > %s/seen && echo written\n"
        ": > %s/kept && echo cut\n"
        "rm %s/kept && echo removed\n"
        "mv %s/b/a %s/moved && echo moved\n"
        "echo 3 > /dev/null && cat /etc/passwd > /dev/null && echo read\n",
        in, in, in, in, out, out, out, in, out);
    const char *kept = arena_printf(arena, "echo 4 > %s/kept", out);
    const char *net = "exec 3<>/dev/udp/127.0.0.1/9 && echo sent";
    const char *lacks = diff_confine_lacks();
    (void)printed_by(kept, NULL, 60, arena);
    if (lacks == NULL || strstr(lacks, "files") == NULL) {
        const char *text = printed_by(files, only, 60, arena);
        assert_non_null(strstr(text, "inside\n"));
        assert_non_null(strstr(text, "read\n"));
        assert_null(strstr(text, "written\n"));
        assert_null(strstr(text, "cut\n"));
        assert_null(strstr(text, "removed\n"));
        assert_null(strstr(text, "moved\n"));
    } else {
        print_message("skipped: no Landlock here\n");
    }
    const char *free = printed_by(files, NULL, 60, arena);
    assert_non_null(strstr(free, "written\ncut\nremoved\n"));
    if (strstr(printed_by(net, NULL, 60, arena), "sent\n") == NULL)
        print_message("skipped: no network here\n");
    else if (lacks != NULL && strstr(lacks, "network") != NULL)
        print_message("skipped: no filters of system calls here\n");
    else
        assert_null(strstr(printed_by(net, only, 60, arena), "sent\n"));
    folder_remove(in);
    folder_remove(out);
    buf_fini(&why);
    arena_free(arena);
}

/* A process in a session of its own ends with the program, however that ends. */
static void test_descendants(void **state)
{
    static const struct {
        const char *end;
        double wall_s;
    } ends[] = {{"exit 0", 60}, {"kill -9 $$", 60}, {"sleep 1000", 1}};
    struct arena *arena = arena_new();
    (void)state;
    if (access("/proc/thread-self/children", R_OK) != 0)
        skip();
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++) {
        const char *script = arena_printf(
            arena,
            "exec 4< <(exec setsid bash -c 'echo $$; exec sleep 1000')\n"
            "read -u 4 pid; echo pid $pid; %s",
            ends[i].end);
        const char *text = printed_by(script, NULL, ends[i].wall_s, arena);
        long pid = 0;
        if (sscanf(text, "pid %ld", &pid) != 1 || pid < 2)
            fail_msg("no number of a process in '%s'", text);
        if (kill((pid_t)pid, 0) == 0)
            fail_msg("after '%s' process %ld goes on", ends[i].end, pid);
        assert_int_equal(errno, ESRCH);
    }
    arena_free(arena);
}

static void test_not_there(void **state)
{
    (void)state;
    const char *const argv[] = {"/nonexistent/program", NULL};
    struct diff_process p = {.argv = argv};
    struct diff_ended ended;
    struct arena *arena = arena_new();
    diff_process_run(&p, &ended);
    assert_int_equal(ended.kind, DIFF_END_START);
    assert_int_equal(ended.number, ENOENT);
    diff_ended_fini(&ended);
    assert_null(diff_program_find("no-such-program-anywhere", arena));
    assert_null(diff_program_find("/etc", arena));
    assert_non_null(diff_program_find("sh", arena));
    arena_free(arena);
}

/* ---- the cache ------------------------------------------------------------------------- */

struct work {
    struct arena *arena;
    char *folder;
    struct diff_cache *cache;
    struct buf why;
    unsigned builds; /* made so far */
    bool fail;
};

static int set_up(void **state)
{
    struct work *w = dc_alloc(sizeof *w);
    w->arena = arena_new();
    w->folder = diff_folder_new(w->arena, &w->why);
    assert_non_null(w->folder);
    w->cache = diff_cache_new(w->folder, 1000000);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct work *w = *state;
    diff_cache_free(w->cache);
    folder_remove(w->folder);
    buf_fini(&w->why);
    arena_free(w->arena);
    dc_release(w);
    return 0;
}

static void reopen(struct work *w, uint64_t limit)
{
    diff_cache_free(w->cache);
    w->cache = diff_cache_new(w->folder, limit);
}

/* The "program" is the source with a line before it. */
static bool builder(void *user, const char *folder, struct buf *why)
{
    struct work *w = user;
    struct buf text = {0}, path = {0};
    w->builds++;
    if (w->fail) {
        buf_puts(why, "the compiler says no");
        return false;
    }
    buf_printf(&path, "%s/kernel.c", folder);
    buf_puts(&text, "built\n");
    bool fine = file_read(buf_text(&path), 0, &text, NULL);
    path.len = 0;
    buf_printf(&path, "%s/program", folder);
    fine = fine && file_write(buf_text(&path), buf_text(&text), text.len, NULL);
    buf_fini(&path);
    buf_fini(&text);
    return fine;
}

static const char *get(struct work *w, const char *source, const char *recipe)
{
    struct diff_build build = {source, recipe};
    return diff_cache_get(w->cache, &build, builder, w, w->arena, &w->why);
}

static void expect_program(const char *path, const char *source)
{
    struct buf text = {0};
    assert_non_null(path);
    assert_true(file_read(path, 0, &text, NULL));
    assert_memory_equal(buf_text(&text), "built\n", 6);
    assert_string_equal(buf_text(&text) + 6, source);
    buf_fini(&text);
}

static size_t entries(const struct work *w, const char *prefix)
{
    struct diff_ended ended;
    const char *script =
        arena_printf(w->arena, "ls %s | grep -c '^%s'", w->folder, prefix);
    run_script(script, (struct diff_limits){.wall_s = 60}, &ended);
    size_t n = (size_t)strtoul(buf_text(&ended.text), NULL, 10);
    diff_ended_fini(&ended);
    return n;
}

static void test_found_again(void **state)
{
    struct work *w = *state;
    expect_program(get(w, "a", "cc"), "a");
    expect_program(get(w, "a", "cc"), "a");
    assert_int_equal(w->builds, 1);
    expect_program(get(w, "b", "cc"), "b");
    expect_program(get(w, "a", "cc -O2"), "a");
    assert_int_equal(w->builds, 3);
    reopen(w, 1000000);
    expect_program(get(w, "a", "cc"), "a");
    assert_int_equal(w->builds, 3);
    assert_int_equal(entries(w, "tmp"), 0);
}

static void test_failed_build(void **state)
{
    struct work *w = *state;
    w->fail = true;
    assert_null(get(w, "a", "cc"));
    assert_string_equal(buf_text(&w->why), "the compiler says no");
    assert_int_equal(entries(w, ""), 0);
    w->fail = false;
    expect_program(get(w, "a", "cc"), "a");
}

/* Each of the files of an entry is spoilt in turn. */
static void test_spoilt_entries(void **state)
{
    static const char *const names[] = {"kernel.c", "program", "recipe"};
    static const char *const texts[] = {"", "something else"};
    struct work *w = *state;
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        for (size_t k = 0; k <= DC_ARRAY_LEN(texts); k++) {
            const char *path = get(w, "a", "cc");
            unsigned builds = w->builds;
            char *other = arena_printf(w->arena, "%.*s%s",
                                       (int)(strlen(path) - strlen("program")),
                                       path, names[i]);
            if (k < DC_ARRAY_LEN(texts))
                assert_true(
                    file_write(other, texts[k], strlen(texts[k]), NULL));
            else
                assert_int_equal(unlink(other), 0);
            expect_program(get(w, "a", "cc"), "a");
            assert_int_equal(w->builds, builds + 1);
        }
    }
    assert_int_equal(entries(w, "tmp"), 0);
}

/* A process that builds is killed in the middle of it, again and again. */
static bool slow_builder(void *user, const char *folder, struct buf *why)
{
    struct work *w = user;
    bool fine = builder(user, folder, why);
    (void)write(STDOUT_FILENO, "", 0);
    if (w->fail)
        return fine;
    (void)raise(SIGKILL);
    return fine;
}

static void test_killed(void **state)
{
    struct work *w = *state;
    for (size_t i = 0; i < 3; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct diff_build build = {"a", "cc"};
            (void)diff_cache_get(w->cache, &build, slow_builder, w, w->arena,
                                 &w->why);
            (void)raise(SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
    /* each removes what the one before it left */
    assert_int_equal(entries(w, "tmp"), 1);
    expect_program(get(w, "a", "cc"), "a");
    assert_int_equal(w->builds, 1);
    assert_int_equal(entries(w, "tmp"), 0);
    /* of a process elsewhere: a day later it goes with the next new entry */
    const char *script =
        arena_printf(w->arena,
                     "cd %s && mkdir tmp.1.1.new tmp.1.1.old && "
                     "touch -d '2 days ago' tmp.1.1.old",
                     w->folder);
    struct diff_ended ended;
    run_script(script, (struct diff_limits){.wall_s = 60}, &ended);
    assert_true(diff_ended_well(&ended));
    diff_ended_fini(&ended);
    reopen(w, 1000000);
    expect_program(get(w, "b", "cc"), "b");
    assert_int_equal(entries(w, "tmp.1.1.old"), 0);
    assert_int_equal(entries(w, "tmp.1.1.new"), 1);
    expect_program(get(w, "a", "cc"), "a");
    assert_int_equal(w->builds, 2);
}

/* With no room on the disk for the source: an error, and nothing is left. */
static void test_disk_full(void **state)
{
    struct work *w = *state;
    struct rlimit was, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    none = was;
    none.rlim_cur = 0;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const char *path = get(w, "a", "cc");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_true(signal(SIGXFSZ, handler) == SIG_IGN);
    assert_null(path);
    assert_non_null(strstr(buf_text(&w->why), "cannot write"));
    assert_int_equal(entries(w, ""), 0);
    expect_program(get(w, "a", "cc"), "a");
}

static void test_no_folder(void **state)
{
    struct work *w = *state;
    diff_cache_free(w->cache);
    w->cache = diff_cache_new("/dev/null/cache", 1000);
    assert_null(get(w, "a", "cc"));
    assert_non_null(strstr(buf_text(&w->why), "cannot make the build cache"));
}

/* Of three old entries the two longest unused go when the limit is small; one
 * in use stays. */
static void test_limit(void **state)
{
    static const char *const sources[] = {"a", "b", "c"};
    struct work *w = *state;
    for (size_t i = 0; i < DC_ARRAY_LEN(sources); i++) {
        const char *path = get(w, sources[i], "cc");
        expect_program(path, sources[i]);
        const char *script =
            arena_printf(w->arena, "touch -d '%zu hours ago' $(dirname %s)/*",
                         2 * (DC_ARRAY_LEN(sources) - i), path);
        struct diff_ended ended;
        run_script(script, (struct diff_limits){.wall_s = 60}, &ended);
        assert_true(diff_ended_well(&ended));
        diff_ended_fini(&ended);
    }
    expect_program(get(w, "a", "cc"), "a"); /* used now */
    assert_int_equal(w->builds, 3);
    reopen(w, 1);
    expect_program(get(w, "d", "cc"), "d"); /* b and c go */
    assert_int_equal(entries(w, ""), 2);
    expect_program(get(w, "a", "cc"), "a");
    assert_int_equal(w->builds, 4);
    expect_program(get(w, "c", "cc"), "c");
    assert_int_equal(w->builds, 5);
}

/* Many threads ask for a few builds at once. */
struct crowd {
    struct work *w;
    const char *paths[32];
    unsigned builds[32];
};

static bool crowd_builder(void *user, const char *folder, struct buf *why)
{
    struct work own = {0};
    bool fine = builder(&own, folder, why);
    ++*(unsigned *)user;
    return fine;
}

static void crowd_member(void *user, size_t i)
{
    struct crowd *c = user;
    struct buf why = {0};
    struct arena *arena = arena_new();
    struct diff_build build = {i % 4 ? "x" : "y", "cc"};
    const char *path = diff_cache_get(c->w->cache, &build, crowd_builder,
                                      &c->builds[i], arena, &why);
    c->paths[i] = path ? strdup(path) : NULL;
    buf_fini(&why);
    arena_free(arena);
}

/* What tools said is known for as long as the cache is open, and no longer. */
static void test_recall(void **state)
{
    char said[] = "gcc 12";
    (void)state;
    for (int open = 0; open < 2; open++) {
        struct diff_cache *cache = diff_cache_new(NULL, 1 << 20);
        assert_null(diff_cache_recall(cache, "gcc: 5 bytes"));
        diff_cache_remember(cache, "gcc: 5 bytes", said);
        said[0] = 'x';
        assert_string_equal(diff_cache_recall(cache, "gcc: 5 bytes"), "gcc 12");
        assert_null(diff_cache_recall(cache, "gcc: 6 bytes"));
        said[0] = 'g';
        diff_cache_free(cache);
    }
}

static void test_crowd(void **state)
{
    struct crowd c = {.w = *state};
    diff_share(8, DC_ARRAY_LEN(c.paths), crowd_member, &c);
    for (size_t i = 0; i < DC_ARRAY_LEN(c.paths); i++) {
        expect_program(c.paths[i], i % 4 ? "x" : "y");
        free((void *)(uintptr_t)c.paths[i]);
    }
    assert_int_equal(entries(c.w, ""), 2);
}

/* ---- targets ------------------------------------------------------------------------------ */

static void test_registry(void **state)
{
    (void)state;
    for (size_t i = 0; diff_target_at(i); i++) {
        const struct diff_target *t = diff_target_at(i);
        assert_ptr_equal(diff_target_find(t->name), t);
        assert_non_null(t->summary);
        assert_true(t->route ? t->code != NULL : t->compilers[0] != NULL);
        assert_true(diff_target_matches(t, "all", 3));
        assert_true(diff_target_matches(t, t->name, strlen(t->name)));
        assert_true(
            strcmp(t->group, "host") == 0 || strcmp(t->group, "qemu") == 0 ||
            strcmp(t->group, "opencl") == 0 || strcmp(t->group, "cuda") == 0 ||
            strcmp(t->group, "tvm") == 0);
        assert_true(t->slow == (t->emulator != NULL));
    }
    assert_null(diff_target_find("none"));
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(endings) + 18] = {0};
    size_t n = 0;
    for (; n < DC_ARRAY_LEN(endings); n++)
        tests[n] = (struct CMUnitTest){.name = endings[n].label,
                                       .test_func = test_ending,
                                       .initial_state =
                                           (void *)(uintptr_t)&endings[n]};
    const struct CMUnitTest more[] = {
        cmocka_unit_test(test_long_output),
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_confined),
        cmocka_unit_test(test_descendants),
        cmocka_unit_test_setup_teardown(test_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_build, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spoilt_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disk_full, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crowd, set_up, tear_down),
        cmocka_unit_test(test_recall),
        cmocka_unit_test(test_registry),
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(more); i++)
        tests[n++] = more[i];
    return _cmocka_run_group_tests("diff harness", tests, n, NULL, NULL);
}
