/* SPDX-License-Identifier: Apache-2.0
 *
 * Z3 and memory. Two things keep a proof from the effects of having too little:
 *
 * - What Z3 holds is counted against --max-memory after each call that may
 *   take much, and Z3 itself stops a search, with the answer unknown, at a mark
 *   that leaves the rest of us room.
 * - Where an allocation within Z3 fails all the same, it throws, and its objects
 *   are not made for that: unwinding runs destructors of what is half built,
 *   and a context that survives may hold half a formula. So the first throw for
 *   want of memory ends the program, with the message that our own blocks end
 *   with, before anything is unwound.
 *
 * The latter by taking the place of __cxa_throw, by which C++ throws on all
 * systems with the Itanium ABI, and of std::terminate, where there is no memory
 * for an exception: a symbol of the program comes before those of libraries.
 * Sanitizers have a __cxa_throw of their own and end the program
 * where there is no memory.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "verifier/smt/smt_state.h"

#include <dlfcn.h>
#include <string.h>

/* ---- what Z3 holds ----------------------------------------------------------- */

void solver_memory_count(void)
{
    dc_memory_outside((size_t)Z3_get_estimated_alloc_size());
}

/* The mark is a 32-bit number of bytes in Z3; above that there is none, and what
 * it holds is looked at between calls. A search that it stops leaves less than
 * what engines end at (dc_memory_low). */
void solver_memory_mark(void)
{
    char text[32];
    solver_memory_count();
    size_t held = (size_t)Z3_get_estimated_alloc_size();
    size_t left = dc_memory_left();
    bool marked = left < UINT32_MAX && held < UINT32_MAX - left;
    snprintf(text, sizeof text, "%zu", marked ? held + left - left / 16 : 0);
    Z3_global_param_set("memory_high_watermark", text);
}

/* ---- where there is none -------------------------------------------------------- */

#ifndef DC_SANITIZED

/* How std::type_info begins. */
struct thrown_type {
    const void *methods;
    const char *name; /* mangled; '*' in front: compared by address */
};

typedef void (*thrower)(void *, void *, void (*)(void *));
typedef void *(*current_type)(void);

__attribute__((noreturn, visibility("default"))) void
__cxa_throw(void *object, void *type, void (*destroy)(void *));
__attribute__((noreturn, visibility("default"))) void _ZSt9terminatev(void);

void __cxa_throw(void *object, void *type, void (*destroy)(void *))
{
    static const char *const no_memory[] = {
        "St9bad_alloc", "St20bad_array_new_length", "19out_of_memory_error"};
    const struct thrown_type *t = type;
    for (size_t i = 0; i < DC_ARRAY_LEN(no_memory); i++)
        if (strcmp(t->name, no_memory[i]) == 0)
            dc_memory_out("the solver");
    void *found = dlsym(RTLD_NEXT, "__cxa_throw");
    thrower next = NULL;
    if (found != NULL)
        memcpy(&next, &found, sizeof next);
    else
        DC_BUG("exceptions cannot be thrown");
    next(object, type, destroy);
    DC_BUG("an exception was thrown and came back");
}

/* std::terminate: for an exception that nobody catches, or where there was no
 * memory for one to throw. */
void _ZSt9terminatev(void)
{
    void *found = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
    current_type current = NULL;
    if (found != NULL)
        memcpy(&current, &found, sizeof current);
    if (current == NULL || current() == NULL)
        dc_memory_out("the solver");
    DC_BUG("the solver ended by an exception");
}

#endif
