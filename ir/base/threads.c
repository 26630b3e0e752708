/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for work that is the same whatever runs it: the caller splits it into
 * parts that share nothing they write, and puts the answers together in an
 * order that does not depend on which part ended first.
 *
 * Threads are made for each call and end with it. That costs tens of
 * microseconds a thread, so callers split what takes a good deal longer; in
 * return nothing lives on between calls, and nothing is global.
 */
#define _XOPEN_SOURCE 700 /* sigaltstack */
#include "ir/base/base.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* The interpreters recurse as deep as trees may be (limits.h), on any thread;
 * defaults differ between systems. Address space only, until it is used. */
#define STACK_BYTES ((size_t)64 << 20)

/* For what recurses over values of programs, as deep as the prover lets it; and
 * what is enough for most. */
#define ROOMY_BYTES  ((size_t)256 << 20)
#define ENOUGH_BYTES ((size_t)8 << 20)

/* For the handler of a fault, on the thread's own stack, at its start: when the
 * other end is reached, this is still there. */
struct second_stack {
    unsigned char bytes[(size_t)64 << 10];
    size_t size; /* of the first one */
};

struct call {
    void (*run)(void *user, unsigned part);
    void *user;
    unsigned part;
    bool started;
    size_t size; /* of its stack */
    pthread_t thread;
};

#ifndef DC_SANITIZED

bool dc_is_stack(const void *address)
{
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_DISABLE) != 0)
        return false;
    const struct second_stack *second = now.ss_sp;
    uintptr_t at = (uintptr_t)address, top = (uintptr_t)second;
    /* pages that guard it included, and frames larger than those */
    return at < top && top - at < second->size + ((size_t)1 << 20);
}

static void run_watched(const struct call *call)
{
    struct second_stack second;
    stack_t s = {.ss_sp = second.bytes, .ss_size = sizeof second.bytes};
    stack_t none = {.ss_flags = SS_DISABLE, .ss_size = sizeof second.bytes};
    second.size = call->size;
    (void)sigaltstack(&s, NULL);
    call->run(call->user, call->part);
    (void)sigaltstack(&none, NULL);
}

#else

bool dc_is_stack(const void *address)
{
    (void)address;
    return false;
}

static void run_watched(const struct call *call)
{
    call->run(call->user, call->part);
}

#endif

static void *run_part(void *arg)
{
    run_watched(arg);
    return NULL;
}

static bool start(struct call *call, pthread_attr_t *attr, size_t size)
{
    call->size = size;
    return pthread_attr_setstacksize(attr, size) == 0 &&
           pthread_create(&call->thread, attr, run_part, call) == 0;
}

/* Of little address space the rest needs most. */
static size_t roomy_size(void)
{
    struct rlimit r;
    size_t n = ROOMY_BYTES;
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        while (n > ENOUGH_BYTES && n > r.rlim_cur / 4)
            n /= 2;
    return n;
}

bool dc_roomy(void (*run)(void *user, unsigned part), void *user)
{
    struct call call = {.run = run, .user = user};
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    bool started = false;
    for (size_t n = roomy_size(); !started && n >= ENOUGH_BYTES; n /= 2)
        started = start(&call, &attr, n);
    (void)pthread_attr_destroy(&attr);
    if (started && pthread_join(call.thread, NULL) != 0)
        DC_BUG("a thread cannot be joined");
    return started;
}

void dc_parallel(unsigned parts, void (*run)(void *user, unsigned part),
                 void *user)
{
    struct call *calls = dc_alloc((parts + 1) * sizeof *calls);
    pthread_attr_t attr;
    bool ready = pthread_attr_init(&attr) == 0;
    for (unsigned i = 1; i < parts; i++) {
        calls[i] = (struct call){.run = run, .user = user, .part = i};
        calls[i].started = ready && start(&calls[i], &attr, STACK_BYTES);
    }
    for (unsigned i = 0; i < parts; i++)
        if (!calls[i].started) /* part 0, and what no thread was had for */
            run(user, i);
    for (unsigned i = 1; i < parts; i++)
        if (calls[i].started && pthread_join(calls[i].thread, NULL) != 0)
            DC_BUG("a thread cannot be joined");
    if (ready)
        (void)pthread_attr_destroy(&attr);
    dc_release(calls);
}

struct dc_lock {
    pthread_mutex_t mutex;
};

struct dc_lock *dc_lock_new(void)
{
    struct dc_lock *lock = dc_alloc(sizeof *lock);
    if (pthread_mutex_init(&lock->mutex, NULL) != 0)
        DC_BUG("a mutex cannot be made");
    return lock;
}

void dc_lock_enter(struct dc_lock *lock)
{
    if (pthread_mutex_lock(&lock->mutex) != 0)
        DC_BUG("a mutex cannot be locked");
}

void dc_lock_leave(struct dc_lock *lock)
{
    if (pthread_mutex_unlock(&lock->mutex) != 0)
        DC_BUG("a mutex cannot be unlocked");
}

void dc_lock_free(struct dc_lock *lock)
{
    (void)pthread_mutex_destroy(&lock->mutex);
    dc_release(lock);
}

unsigned dc_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > (long)DC_MAX_THREADS ? DC_MAX_THREADS : (unsigned)n;
}
