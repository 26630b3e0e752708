/* SPDX-License-Identifier: Apache-2.0
 *
 * Landlock and seccomp by their system calls, since libraries for them are not
 * everywhere. See landlock(7), seccomp(2).
 */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "diff/harness/confine.h"

#include <errno.h>
#include <stddef.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#define CAN_CONFINE 1
#endif
#endif

#ifdef CAN_CONFINE
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* ---- files ---------------------------------------------------------------------- */

/* In the order in which versions of Landlock brought them. */
#define WRITES                                                       \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |     \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define REFER    (UINT64_C(1) << 13) /* 2 */
#define TRUNCATE (UINT64_C(1) << 14) /* 3 */

static long version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION);
}

static uint64_t writes(long abi)
{
    return WRITES | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0);
}

static bool allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr below = {.allowed_access = access};
    below.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (below.parent_fd < 0)
        return false;
    bool fine = syscall(SYS_landlock_add_rule, rules,
                        LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
    int why = errno;
    close(below.parent_fd);
    errno = why;
    return fine;
}

static bool confine_files(const char *const *folders)
{
    long abi = version();
    if (abi < 1)
        return true;
    struct landlock_ruleset_attr all = {.handled_access_fs = writes(abi)};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return false;
    bool fine = allow(rules, "/dev/null",
                      writes(abi) & (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE));
    for (size_t i = 0; folders[i] != NULL && fine; i++)
        fine = allow(rules, folders[i], writes(abi));
    fine = fine && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    int why = errno;
    close(rules);
    errno = why;
    return fine;
}

/* ---- sockets ------------------------------------------------------------------------ */

#ifdef ARCHITECTURE
#define LOAD(what) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE       (SECCOMP_RET_ERRNO | EACCES)
/* Skips one statement or more if what is loaded is not, or not below, k. */
#define UNLESS_EQUAL(k, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skip)
#define UNLESS_FROM(k, skip)  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, 0, skip)
#define X32_CALLS             0x40000000 /* x86-64's other numbers of system calls */

/* Sockets of another family than AF_UNIX fail with EACCES, as do rings of system
 * calls, which could make some, and all system calls of another architecture. */
static bool confine_network(void)
{
    static const struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(REFUSE),
        LOAD(nr),
        UNLESS_FROM(X32_CALLS, 1),
        RETURN(REFUSE),
        UNLESS_EQUAL(SYS_io_uring_setup, 1),
        RETURN(REFUSE),
        UNLESS_EQUAL(SYS_socket, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
        RETURN(REFUSE),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_filter copy[DC_ARRAY_LEN(filter)];
    for (size_t i = 0; i < DC_ARRAY_LEN(filter); i++)
        copy[i] = filter[i];
    const struct sock_fprog program = {
        .len = (unsigned short)DC_ARRAY_LEN(copy), .filter = copy};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0)
        return true;
    return errno == EINVAL || errno == ENOSYS;
}

static bool has_filters(void)
{
    /* with no filter given: EFAULT where there are filters, else EINVAL */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 &&
           errno == EFAULT;
}
#else
static bool confine_network(void)
{
    return true;
}

static bool has_filters(void)
{
    return false;
}
#endif

bool diff_confine(const char *const *folders)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           confine_files(folders) && confine_network();
}

const char *diff_confine_lacks(void)
{
    bool files = version() >= 1, network = has_filters();
    return files && network ? NULL
           : files          ? "the network"
           : network        ? "writing files"
                            : "writing files, the network";
}

#else

bool diff_confine(const char *const *folders)
{
    (void)folders;
    return true;
}

const char *diff_confine_lacks(void)
{
    return "writing files, the network";
}

#endif
