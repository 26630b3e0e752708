/* SPDX-License-Identifier: Apache-2.0
 *
 * The foundation that every layer stands on: arenas, growable text buffers,
 * diagnostics and limits. Nothing here knows about tensor IR.
 *
 * Ownership words used throughout the project:
 *   _new/_free   heap object owned by the caller
 *   _init/_fini  object in the caller's storage
 *   _make        object that lives as long as the arena it came from
 * Pointers in parameters are borrowed unless the comment says otherwise.
 */
#ifndef DC_IR_BASE_BASE_H
#define DC_IR_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Sanitizers have ways of their own to tell of faults, and need them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define DC_SANITIZED 1
#endif
#endif

#if defined(__GNUC__)
#define DC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define DC_MUST_USE          __attribute__((warn_unused_result))
#define DC_NORETURN          __attribute__((noreturn))
#else
#define DC_PRINTF(fmt, args)
#define DC_MUST_USE
#define DC_NORETURN
#endif

#define DC_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A broken invariant of ours, never a fault of the input: prints file, line
 * and message, then calls the handler that diff/main.c installed (exit 3) or
 * aborts (tests, fuzzing). */
#define DC_BUG(...) dc_bug(__FILE__, __LINE__, __VA_ARGS__)
DC_NORETURN void dc_bug(const char *file, int line, const char *fmt, ...)
    DC_PRINTF(3, 4);
typedef void (*dc_bug_handler)(const char *message);
void dc_set_bug_handler(dc_bug_handler handler);

/* Heap wrappers that never return NULL: where there is no memory, or no more
 * than the limit below, they call the handler that diff/main.c installed (a
 * message, exit 2), or dc_bug if there is none. Sizes that come from input
 * must have been checked against limits.h before. Blocks are no blocks of
 * malloc: only dc_release frees them. */
void *dc_alloc(size_t size); /* zeroed */
void *dc_realloc(void *ptr, size_t size);
void dc_release(void *ptr);

/* All blocks, arenas included, are counted by the bytes asked for, whichever
 * thread they are of; a limit of 0 bytes, as at the start, is none. The limit
 * is a safety net, and what ends there depends on the number of threads: work
 * is bounded by counts of steps, which come first. */
void dc_memory_limit(size_t bytes);
void dc_set_memory_handler(dc_bug_handler handler); /* may not return */
size_t dc_memory_used(void);
/* Whether `more` bytes stay within the limit: asked before an allocation of a
 * size that comes from input, which can then be refused by name. */
bool dc_memory_fits(size_t more);
/* Whether little is left, an eighth: engines that can say `unknown` do. */
bool dc_memory_low(void);
/* What is done where another library finds no memory: as above, with the
 * library's name in the message. */
DC_NORETURN void dc_memory_out(const char *where);
/* Counts bytes that another library will take, if they fit, and takes them
 * back. */
DC_MUST_USE bool dc_memory_charge(size_t bytes);
void dc_memory_return(size_t bytes);
/* What a library that allocates for itself holds now, all of it: counted by
 * dc_memory_fits and dc_memory_low, so that engines end in time, while blocks
 * of ours are still had. */
void dc_memory_outside(size_t bytes);
/* What the limit leaves; SIZE_MAX without one. */
size_t dc_memory_left(void);

/* ---- arena.c: regions --------------------------------------------------- */

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena); /* NULL is fine */
/* Zeroed memory, aligned for any type; size 0 gives a valid unique pointer. */
void *arena_alloc(struct arena *arena, size_t size);
/* Array of count elements; count * size must not overflow (checked). */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...) DC_PRINTF(2, 3);
char *arena_vprintf(struct arena *arena, const char *fmt, va_list args)
    DC_PRINTF(2, 0);
void *arena_memdup(struct arena *arena, const void *data, size_t size);
/* What lives in `from` lives as long as `into` from now on; frees `from`. */
void arena_absorb(struct arena *into, struct arena *from);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) \
    ((type *)arena_array((arena), (count), sizeof(type)))

/* ---- growable arrays: heap, element type by macro ------------------------ */

/* struct VEC(int) v = {0}; vec_push(&v, 3); v.items[i]; vec_fini(&v); */
#define VEC(type)        \
    {                    \
        type *items;     \
        size_t len, cap; \
    }
#define vec_push(v, item)                                                      \
    ((v)->items =                                                              \
         dc_vec_grow((v)->items, &(v)->cap, (v)->len + 1, sizeof *(v)->items), \
     (void)((v)->items[(v)->len++] = (item)))
#define vec_fini(v) \
    (dc_release((v)->items), (v)->items = NULL, (v)->len = (v)->cap = 0)
/* The array with room for want elements; *cap is brought up to date. */
DC_MUST_USE void *dc_vec_grow(void *items, size_t *cap, size_t want,
                              size_t size);

/* ---- threads.c ------------------------------------------------------------- */

/* More than this many threads are of no use to a caller. */
#define DC_MAX_THREADS 256u
/* Calls run(user, i) for each i below parts, on threads of their own as far as
 * the system gives any, and returns when all calls have. Parts may not wait for
 * one another. All that was written before is seen by each part, and all that
 * they wrote by the caller. */
void dc_parallel(unsigned parts, void (*run)(void *user, unsigned part),
                 void *user);
/* Calls run(user, 0) on a large stack, whatever the system's limit of the
 * caller's is, and returns when it has; on a smaller one where there is no room
 * for that. False, and nothing was called, if no stack is to be had. */
DC_MUST_USE bool dc_roomy(void (*run)(void *user, unsigned part), void *user);
/* In a handler of signals that has SA_ONSTACK: whether the address that could not
 * be accessed is the end of this thread's stack. Threads made here have a second
 * stack, on which such a handler runs. */
bool dc_is_stack(const void *address);
/* What parts write together stands between enter and leave. */
struct dc_lock;
struct dc_lock *dc_lock_new(void);
void dc_lock_enter(struct dc_lock *lock);
void dc_lock_leave(struct dc_lock *lock);
void dc_lock_free(struct dc_lock *lock);
/* Processors that are online, 1 to DC_MAX_THREADS. */
unsigned dc_cpus(void);

/* ---- text.c: growable byte buffers, hashing, base64, files ----------------- */

struct buf {
    char *data; /* NUL-terminated after any append; NULL while empty */
    size_t len, cap;
};

void buf_fini(struct buf *buf);
void buf_append(struct buf *buf, const void *data, size_t len);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
/* ASCII letters as capitals. */
void buf_put_upper(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *fmt, ...) DC_PRINTF(2, 3);
void buf_vprintf(struct buf *buf, const char *fmt, va_list args)
    DC_PRINTF(2, 0);
const char *buf_text(const struct buf *buf); /* "" when empty */

/* Whether it is longer than the ending and ends in it. */
bool text_ends_in(const char *text, const char *ending);

/* Shortest decimal text that reads back as the same double, with a '.' or an
 * exponent so that it is a float literal ("1.0", "1e+20"); "inf", "-inf",
 * "nan" for the rest. Independent of the locale. */
void buf_put_double(struct buf *buf, double value);

/* 64-bit mixing hash (splitmix64 finaliser over combined words). */
uint64_t hash_mix(uint64_t hash, uint64_t word);
uint64_t hash_bytes(uint64_t hash, const void *data, size_t len);

/* Strict UTF-8 (no overlong forms, no surrogates); *bad gets the offset of
 * the first bad byte. */
bool utf8_valid(const char *text, size_t len, size_t *bad);
/* How much of the text, from its start, is at most so many bytes and splits no
 * character. */
size_t utf8_cut(const char *text, size_t len, size_t most);

/* How much of the text, from its start, a terminal shows as text: UTF-8
 * without control characters (C0, DEL, C1) but those in keep. */
size_t text_visible(const char *text, size_t len, const char *keep);
/* Text from a file, for people: each byte of what is not visible as \xNN. */
void buf_put_visible(struct buf *out, const char *text, size_t len,
                     const char *keep);

/* In double quotes, control characters escaped, as JSON or as Python has it.
 * In text that is no UTF-8 a byte beyond ASCII is U+FFFD in JSON and a
 * surrogate, U+DC80 and up, in Python. */
void buf_put_quoted(struct buf *out, const char *text, bool json);

/* Standard alphabet with padding; white space is not accepted. Returns false
 * on malformed text. Appends to out. */
DC_MUST_USE bool base64_decode(const char *text, size_t len, struct buf *out);
void base64_encode(const void *data, size_t len, struct buf *out);

/* ---- diag.c: what the user is told ----------------------------------------- */

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/* Where something stands: line and col are 1-based; line 0 means "no line".
 * path is a JSON path such as "/nodes/12/data/body" or NULL. */
struct diag_loc {
    const char *file;
    uint32_t line, col;
    const char *path;
};

struct diag {
    enum diag_severity severity;
    const char *code;    /* stable dotted name, listed in diag.def */
    const char *message; /* lower case, no full stop, subject in quotes */
    const char *file;
    uint32_t line, col;
    const char *path;   /* JSON path or NULL */
    const char *source; /* the source line, for the caret; or NULL */
};

/* Collects diagnostics; copies all it is given. At most DC_MAX_DIAGS errors
 * are kept, the rest counted. */
struct diag_sink;

struct diag_sink *diag_sink_new(void);
void diag_sink_free(struct diag_sink *sink);
size_t diag_count(const struct diag_sink *sink);
const struct diag *diag_at(const struct diag_sink *sink, size_t index);
size_t diag_error_count(const struct diag_sink *sink);
void diag_clear(struct diag_sink *sink);

/* Text of `file` for caret lines; borrowed until the sink is freed. */
void diag_set_source(struct diag_sink *sink, const char *file, const char *text,
                     size_t len);

/* Both return false, so that call sites read `return diag_error(…)`. A NULL
 * sink drops the message. */
bool diag_error(struct diag_sink *sink, struct diag_loc loc, const char *code,
                const char *fmt, ...) DC_PRINTF(4, 5);
bool diag_report(struct diag_sink *sink, enum diag_severity severity,
                 struct diag_loc loc, const char *code, const char *fmt,
                 va_list args) DC_PRINTF(5, 0);
void diag_warn(struct diag_sink *sink, struct diag_loc loc, const char *code,
               const char *fmt, ...) DC_PRINTF(4, 5);

/* "file:line:col: error: message [code]" + source line + caret, per diag. */
void diag_render(const struct diag_sink *sink, bool colour, struct buf *out);
/* Whether the descriptor is a terminal that knows escape sequences: TERM says what
 * it is, and not that it is `dumb`. */
bool diag_has_escapes(int descriptor);

/* ---- whole numbers as mathematics has them ------------------------------------ */

/* Of magnitudes; int_gcd(0, b) is |b|. Not both INT64_MIN. */
static inline int64_t int_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)x;
}

/* Rounded down; b is not 0, nor -1 where a is INT64_MIN. */
static inline int64_t int_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* What is left then: it has the sign of b. */
static inline int64_t int_floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* ---- files (file.c) ---------------------------------------------------------- */

/* Paths, as text; what is returned is in the arena or constant. The folder that
 * a path lies in: "." for a name alone. */
const char *path_folder(struct arena *arena, const char *path);
/* What stands behind the last slash of the path, in it; "" of a folder's that
 * ends in one. */
const char *path_name(const char *path);
/* What lies under the name in the folder; where one is "", the other one. */
const char *path_join(struct arena *arena, const char *folder,
                      const char *name);
/* A path that stands in a file, as seen from there. */
const char *path_beside(struct arena *arena, const char *file,
                        const char *name);
/* Whole file, or standard input for "-"; refuses more than max bytes
 * (0: DC_MAX_INPUT_BYTES) and what is no file, pipe or terminal; a pipe is read
 * to its end, which nobody but its writer decides. False with a diagnostic on
 * failure. */
DC_MUST_USE bool file_read(const char *path, size_t max, struct buf *out,
                           struct diag_sink *sink);
/* Writes to a temporary file beside path, then renames; never half-written, and
 * an old file's mode stays. Symbolic links are followed. Devices and pipes, and
 * open descriptors by name (/dev/stdout), are written in place. "-" is standard
 * output. */
DC_MUST_USE bool file_write(const char *path, const void *data, size_t len,
                            struct diag_sink *sink);
/* The same for one of many files in a folder: what killed runs left there stays,
 * since to look for it takes as long as the folder is large. */
DC_MUST_USE bool file_write_one(const char *path, const void *data, size_t len,
                                struct diag_sink *sink);
/* Removes what runs that were killed left beside path. */
void file_tidy(const char *path);
/* Removes the folder and all in it; what cannot be removed stays. */
void folder_remove(const char *folder);
/* Names of temporary files and folders say whose they are: after a prefix, eight
 * hexadecimal digits for the machine or container, '.', the process, '.', more. */
unsigned long file_machine(void);
/* Whether the name, after the prefix, is that of a process of this machine that
 * is no more. */
bool file_is_abandoned(const char *name);

#endif
