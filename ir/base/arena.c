/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions: memory that is freed all at once. A module, a run or a query owns
 * one arena; nodes point at one another freely and nobody frees them singly.
 *
 * An arena is a list of chunks; allocation bumps a pointer in the newest one.
 * Chunks double in size up to 1 MiB; a request larger than that gets a chunk
 * of its own. Memory is zeroed (chunks come from calloc), so that unset fields
 * of nodes are 0/NULL.
 *
 * Under AddressSanitizer each allocation is followed by 16 bytes of slack that
 * are never handed out; poisoning is left to the heap's own red zones around
 * chunks, which are kept small there so that overruns are found.
 *
 * This file also holds the heap wrappers and the growth of VEC arrays, so that
 * malloc and free are called in one place only. In front of each block stands
 * its size, by which all memory is counted against one limit.
 */
#include "ir/base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char data[];
};

struct arena {
    struct chunk *chunks; /* newest first */
    size_t next_size;
};

#define CHUNK_MIN ((size_t)4096)
#define CHUNK_MAX ((size_t)1 << 20)
#define ALIGN     (_Alignof(max_align_t))

static dc_bug_handler bug_handler;

void dc_set_bug_handler(dc_bug_handler handler)
{
    bug_handler = handler;
}

void dc_bug(const char *file, int line, const char *fmt, ...)
{
    char message[1024];
    int used = snprintf(message, sizeof message, "%s:%d: ", file, line);
    if (used < 0 || (size_t)used >= sizeof message)
        used = 0;
    va_list args;
    va_start(args, fmt);
    vsnprintf(message + used, sizeof message - (size_t)used, fmt, args);
    va_end(args);
    if (bug_handler)
        bug_handler(message);
    fprintf(stderr, "internal error: %s\n", message);
    abort();
}

/* ---- the heap ------------------------------------------------------------------ */

struct block {
    size_t size; /* header included */
    _Alignas(max_align_t) unsigned char data[];
};

/* The limit is set before any thread is there. */
static struct {
    atomic_size_t used, outside;
    size_t limit; /* 0: none */
    dc_bug_handler handler;
} heap;

void dc_memory_limit(size_t bytes)
{
    heap.limit = bytes;
}

void dc_set_memory_handler(dc_bug_handler handler)
{
    heap.handler = handler;
}

size_t dc_memory_used(void)
{
    return atomic_load_explicit(&heap.used, memory_order_relaxed);
}

static bool fits(size_t used, size_t more)
{
    return !heap.limit || (used <= heap.limit && more <= heap.limit - used);
}

static size_t outside(void)
{
    return atomic_load_explicit(&heap.outside, memory_order_relaxed);
}

void dc_memory_outside(size_t bytes)
{
    atomic_store_explicit(&heap.outside, bytes, memory_order_relaxed);
}

size_t dc_memory_left(void)
{
    size_t used = dc_memory_used() + outside();
    return !heap.limit ? SIZE_MAX : used < heap.limit ? heap.limit - used : 0;
}

bool dc_memory_fits(size_t more)
{
    return fits(dc_memory_used() + outside(), more);
}

bool dc_memory_low(void)
{
    return !dc_memory_fits(heap.limit / 8);
}

bool dc_memory_charge(size_t bytes)
{
    if (!fits(dc_memory_used(), bytes))
        return false;
    atomic_fetch_add_explicit(&heap.used, bytes, memory_order_relaxed);
    return true;
}

void dc_memory_return(size_t bytes)
{
    atomic_fetch_sub_explicit(&heap.used, bytes, memory_order_relaxed);
}

DC_NORETURN static void give_up(const char *message)
{
    if (heap.handler)
        heap.handler(message);
    DC_BUG("%s", message);
}

void dc_memory_out(const char *where)
{
    char message[160];
    snprintf(message, sizeof message, "out of memory (%s)", where);
    give_up(message);
}

DC_NORETURN static void exhausted(size_t size)
{
    char message[160];
    if (!fits(dc_memory_used(), size))
        snprintf(message, sizeof message,
                 "more memory is needed than the limit of %zu bytes: raise it "
                 "with '--max-memory'",
                 heap.limit);
    else
        snprintf(message, sizeof message, "out of memory (%zu bytes)", size);
    give_up(message);
}

/* Size of a block with room for so much. */
static size_t block_size(size_t size)
{
    if (size > SIZE_MAX / 2)
        exhausted(size);
    return sizeof(struct block) + (size ? size : 1);
}

void *dc_alloc(size_t size)
{
    size_t whole = block_size(size);
    if (!dc_memory_charge(whole))
        exhausted(whole);
    struct block *b = calloc(1, whole);
    if (!b) {
        dc_memory_return(whole);
        exhausted(whole);
    }
    b->size = whole;
    return b->data;
}

static struct block *block_of(void *ptr)
{
    return (struct block *)(void *)((unsigned char *)ptr -
                                    offsetof(struct block, data));
}

void *dc_realloc(void *ptr, size_t size)
{
    size_t whole = block_size(size);
    struct block *old = ptr ? block_of(ptr) : NULL;
    size_t before = old ? old->size : 0;
    if (whole > before && !dc_memory_charge(whole - before))
        exhausted(whole);
    struct block *b = realloc(old, whole);
    if (!b)
        exhausted(whole);
    if (whole < before)
        dc_memory_return(before - whole);
    b->size = whole;
    return b->data;
}

void dc_release(void *ptr)
{
    if (!ptr)
        return;
    struct block *b = block_of(ptr);
    dc_memory_return(b->size);
    free(b);
}

void *dc_vec_grow(void *items, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return items;
    size_t next = *cap ? *cap * 2 : 8;
    while (next < want)
        next *= 2;
    if (next > SIZE_MAX / size)
        DC_BUG("array of %zu elements is too large", want);
    *cap = next;
    return dc_realloc(items, next * size);
}

struct arena *arena_new(void)
{
    struct arena *arena = dc_alloc(sizeof *arena);
    arena->next_size = CHUNK_MIN;
    return arena;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        dc_release(c);
    }
    dc_release(arena);
}

void arena_absorb(struct arena *into, struct arena *from)
{
    struct chunk **end = &into->chunks;
    while (*end)
        end = &(*end)->next;
    /* behind the chunk that `into` fills now; those of `from` are not filled
     * any further */
    *end = from->chunks;
    dc_release(from);
}

static struct chunk *chunk_add(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct chunk))
        DC_BUG("allocation of %zu bytes is too large", size);
    struct chunk *c = dc_alloc(sizeof *c + size);
    c->size = size;
    c->next = arena->chunks;
    arena->chunks = c;
    return c;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - 2 * ALIGN)
        DC_BUG("allocation of %zu bytes is too large", size);
    size = (size + ALIGN) & ~(ALIGN - 1); /* at least one byte of slack */
    struct chunk *c = arena->chunks;
    if (!c || c->size - c->used < size) {
        size_t want = arena->next_size;
        if (arena->next_size < CHUNK_MAX)
            arena->next_size *= 2;
        c = chunk_add(arena, size > want ? size : want);
    }
    void *ptr = c->data + c->used;
    c->used += size;
    return ptr;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        DC_BUG("array of %zu elements is too large", count);
    return arena_alloc(arena, count * size);
}

void *arena_memdup(struct arena *arena, const void *data, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1);
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    if (len < 0)
        DC_BUG("bad format");
    char *text = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = arena_vprintf(arena, fmt, args);
    va_end(args);
    return text;
}
