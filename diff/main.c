/* SPDX-License-Identifier: Apache-2.0
 *
 * diffcheck: the command line.
 *
 * Runs the line (line.c) and makes sure of the exit status: 0 nothing found, 1 a
 * finding, 2 usage, unreadable input or no memory left, 3 internal error, 4
 * undecided. Anything that breaks an invariant of ours ends here through the
 * bug handler with status 3, and a caller that asked for JSON gets its object
 * then, too.
 */
#define _XOPEN_SOURCE 700 /* SA_ONSTACK */
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "ir/num/num.h"

#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bug handler takes no argument by which it could learn whether JSON is due.
 * Set once, before any work. */
static volatile sig_atomic_t json_due;

static void put_string(const char *text)
{
    (void)fputc('"', stdout);
    for (const char *p = text; *p; p++) {
        if (*p >= ' ' && *p <= '~' && *p != '"' && *p != '\\')
            (void)fputc(*p, stdout);
        else
            printf("\\u%04x", (unsigned)(unsigned char)*p);
    }
    (void)fputc('"', stdout);
}

#define JSON_HEAD                                       \
    "{\n  \"schema\": 1,\n  \"tool\": \"diffcheck\",\n" \
    "  \"version\": \"" DC_VERSION "\",\n  \"verdict\": null,\n  \"exit\": "
#define JSON_ERRORS ",\n  \"errors\": [{\"code\": \""
#define JSON_TEXT   "\", \"message\": "
#define JSON_END    "}],\n  \"pairs\": []\n}\n"

/* The JSON object of an error where there may be no memory. Messages of that kind
 * are few, text but for names of files. */
static void print_json_bare(const char *code, const char *message, int status)
{
    printf(JSON_HEAD "%d,\n  \"error\": ", status);
    put_string(message);
    printf(JSON_ERRORS "%s" JSON_TEXT, code);
    put_string(message);
    fputs(JSON_END, stdout);
}

/* The first thread that comes here ends the process, which others leave it the
 * time for. A fault of the first one on its way is not waited for longer. */
static void end_once(int status)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&taken))
        return;
    (void)sleep(10);
    _Exit(status);
}

static void on_bug(const char *message)
{
    end_once(DIFF_EXIT_INTERNAL);
    fputs("diffcheck: internal error: ", stderr);
    for (const char *p = message; *p;) {
        size_t n = text_visible(p, strlen(p), "");
        (void)fwrite(p, 1, n, stderr);
        p += n;
        if (*p)
            fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*p++);
    }
    fputc('\n', stderr);
    if (json_due)
        print_json_bare("internal", message, DIFF_EXIT_INTERNAL);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_INTERNAL);
}

static void on_exhausted(const char *message)
{
    end_once(DIFF_EXIT_USAGE);
    fprintf(stderr, "diffcheck: error: %s\n", message);
    if (json_due)
        print_json_bare("memory", message, DIFF_EXIT_USAGE);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_USAGE);
}

/* Before any library is set up: Z3 allocates then. */
static void set_handlers(void)
{
    dc_set_bug_handler(on_bug);
    dc_set_memory_handler(on_exhausted);
}

#ifndef DC_SANITIZED /* what they check with is not set up by then */
__attribute__((section(".preinit_array"),
               used)) static void (*const early)(void) = set_handlers;
#endif

/* ---- invalid accesses ---------------------------------------------------------- */

static void tell(int fd, const char *text)
{
    size_t n = strlen(text);
    while (n > 0) {
        ssize_t some = write(fd, text, n);
        if (some <= 0)
            break;
        text += some;
        n -= (size_t)some;
    }
}

/* The last resort, for recursion that no limit has foreseen on a stack that is
 * smaller than any that was tried, and for faults of ours or of Z3. What stdout
 * holds back is not written. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    static const char stack[] = "the stack is used up: nested too deep";
    static const char access[] = "an invalid access to memory";
    (void)sig;
    (void)context;
    end_once(DIFF_EXIT_INTERNAL);
    bool deep = dc_is_stack(info->si_addr);
    tell(STDERR_FILENO,
         deep ? "diffcheck: error: " : "diffcheck: internal error: ");
    tell(STDERR_FILENO, deep ? stack : access);
    tell(STDERR_FILENO, "\n");
    if (json_due) {
        tell(STDOUT_FILENO, JSON_HEAD);
        tell(STDOUT_FILENO,
             deep ? "2,\n  \"error\": \"" : "3,\n  \"error\": \"");
        tell(STDOUT_FILENO, deep ? stack : access);
        tell(STDOUT_FILENO, "\"" JSON_ERRORS);
        tell(STDOUT_FILENO, deep ? "stack" : "internal");
        tell(STDOUT_FILENO, JSON_TEXT "\"");
        tell(STDOUT_FILENO, deep ? stack : access);
        tell(STDOUT_FILENO, "\"" JSON_END);
    }
    _Exit(deep ? DIFF_EXIT_USAGE : DIFF_EXIT_INTERNAL);
}

static void watch_faults(void)
{
#ifndef DC_SANITIZED /* they tell more */
    struct sigaction a = {.sa_sigaction = on_fault,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigemptyset(&a.sa_mask);
    (void)sigaction(SIGSEGV, &a, NULL);
    (void)sigaction(SIGBUS, &a, NULL);
#else
    (void)on_fault;
#endif
}

int main(int argc, char **argv)
{
    set_handlers();
    watch_faults();
    num_set_memory();
    /* a library that was loaded first may have set other roundings, or that
     * subnormal numbers are zeros (crtfastmath does) */
    (void)fesetenv(FE_DFL_ENV);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file too large is an error to tell */
    json_due = diff_options_want_json(argc, argv);
    int status = diff_line(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "diffcheck: error: cannot write standard output\n");
        status = DIFF_EXIT_USAGE;
    }
    return status;
}
