/* SPDX-License-Identifier: Apache-2.0
 *
 * Which compiler the test of emitted programs takes, and how it is started.
 */
#ifndef DC_TESTS_EMIT_START_INTERNAL_H
#define DC_TESTS_EMIT_START_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* gcc, or the compiler that DC_EMIT_CC names. */
static inline const char *compiler(void)
{
    const char *name = getenv("DC_EMIT_CC");
    return name ? name : "gcc";
}

static inline bool is_clang(void)
{
    const char *slash = strrchr(compiler(), '/');
    return strncmp(slash ? slash + 1 : compiler(), "clang", 5) == 0;
}

/* Runs a command; what it says goes to the file. */
static inline bool start_program(const char *const *command, const char *errors)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        union {
            const char *const *in;
            char **out;
        } argv = {command};
        if (freopen(errors, "w", stderr) && dup2(2, 1) >= 0)
            execvp(command[0], argv.out);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child &&
           WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
