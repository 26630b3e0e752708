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
#include "ir/base/base.h"

#include <pthread.h>
#include <unistd.h>

/* The interpreters recurse as deep as trees may be (limits.h), on any thread;
 * defaults differ between systems. Address space only, until it is used. */
#define STACK_BYTES ((size_t)64 << 20)

/* For what recurses over values of programs, as deep as the prover lets it. */
#define ROOMY_BYTES ((size_t)256 << 20)

struct call {
    void (*run)(void *user, unsigned part);
    void *user;
    unsigned part;
    bool started;
    pthread_t thread;
};

static void *run_part(void *arg)
{
    const struct call *call = arg;
    call->run(call->user, call->part);
    return NULL;
}

void dc_roomy(void (*run)(void *user, unsigned part), void *user)
{
    struct call call = {.run = run, .user = user};
    pthread_attr_t attr;
    bool ready = pthread_attr_init(&attr) == 0;
    bool started = ready &&
                   pthread_attr_setstacksize(&attr, ROOMY_BYTES) == 0 &&
                   pthread_create(&call.thread, &attr, run_part, &call) == 0;
    if (!started)
        run(user, 0);
    else if (pthread_join(call.thread, NULL) != 0)
        DC_BUG("a thread cannot be joined");
    if (ready)
        (void)pthread_attr_destroy(&attr);
}

void dc_parallel(unsigned parts, void (*run)(void *user, unsigned part),
                 void *user)
{
    struct call *calls = dc_alloc((parts + 1) * sizeof *calls);
    pthread_attr_t attr;
    bool ready = pthread_attr_init(&attr) == 0;
    bool roomy = ready && pthread_attr_setstacksize(&attr, STACK_BYTES) == 0;
    for (unsigned i = 1; i < parts; i++) {
        calls[i] = (struct call){.run = run, .user = user, .part = i};
        calls[i].started = roomy && pthread_create(&calls[i].thread, &attr,
                                                   run_part, &calls[i]) == 0;
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
