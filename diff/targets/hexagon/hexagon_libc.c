/* SPDX-License-Identifier: Apache-2.0
 *
 * What is linked to kernels for Hexagon, where no C library is to be had: the
 * part of one that emitted programs use, on Linux system calls. It is text of
 * diffcheck, compiled once for the flags of a target, behind hexagon_libc.h.
 *
 * Files are not buffered: an emitted program reads and writes whole arrays.
 * Storage comes from the system in large pieces and is kept in lists by size,
 * a power of two each; what is larger than that has a mapping of its own.
 */
#define RT_PLAIN  __attribute__((no_builtin, noinline))
#define RT_UNUSED __attribute__((unused))

/* ---- system -------------------------------------------------------------------- */

enum rt_call {
    RT_OPENAT = 56,
    RT_CLOSE = 57,
    RT_READ = 63,
    RT_WRITE = 64,
    RT_EXIT = 94, /* of all threads */
    RT_MUNMAP = 215,
    RT_MMAP = 222
};

struct rt_arguments {
    long a, b, c, d, e, f;
};

/* The result, negative for an error. */
static long rt_system(enum rt_call call, struct rt_arguments with)
{
    register long r6 __asm__("r6") = call;
    register long r0 __asm__("r0") = with.a;
    register long r1 __asm__("r1") = with.b;
    register long r2 __asm__("r2") = with.c;
    register long r3 __asm__("r3") = with.d;
    register long r4 __asm__("r4") = with.e;
    register long r5 __asm__("r5") = with.f;
    __asm__ volatile("trap0(#1)"
                     : "+r"(r0)
                     : "r"(r6), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                     : "memory");
    return r0;
}

_Noreturn void exit(int status)
{
    for (;;)
        rt_system(RT_EXIT, (struct rt_arguments){.a = status});
}

/* ---- memory and text --------------------------------------------------------------- */

RT_PLAIN void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 7) == 0) {
        for (; n >= 8; n -= 8, t += 8, f += 8)
            *(uint64_t __attribute__((may_alias)) *)t =
                *(const uint64_t __attribute__((may_alias)) *)f;
    }
    for (; n > 0; n--)
        *t++ = *f++;
    return to;
}

/* The compiler's own name for copies of aligned arrays. */
RT_PLAIN void *__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(
    void *restrict to, const void *restrict from, size_t n)
{
    return memcpy(to, from, n);
}

RT_PLAIN void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= n)
        return memcpy(to, from, n);
    while (n-- > 0)
        t[n] = f[n];
    return to;
}

RT_PLAIN void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    uint64_t word = (unsigned char)value * UINT64_C(0x0101010101010101);
    for (; n > 0 && ((uintptr_t)t & 7) != 0; n--)
        *t++ = (unsigned char)value;
    for (; n >= 8; n -= 8, t += 8)
        *(uint64_t __attribute__((may_alias)) *)t = word;
    for (; n > 0; n--)
        *t++ = (unsigned char)value;
    return to;
}

RT_PLAIN int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

RT_PLAIN size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != '\0')
        n++;
    return n;
}

RT_PLAIN int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x != y)
            return x < y ? -1 : 1;
        if (x == '\0')
            return 0;
    }
    return 0;
}

RT_PLAIN int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

RT_PLAIN char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (*s == '\0')
            return NULL;
    }
}

RT_PLAIN size_t strspn(const char *s, const char *set)
{
    size_t n = 0;
    while (s[n] != '\0' && strchr(set, s[n]) != NULL)
        n++;
    return n;
}

RT_PLAIN char *strstr(const char *s, const char *word)
{
    size_t n = strlen(word);
    for (;; s++) {
        if (strncmp(s, word, n) == 0)
            return (char *)s;
        if (*s == '\0')
            return NULL;
    }
}

/* Decimal numbers only, as headers of arrays have them. */
long long strtoll(const char *s, char **end, int base)
{
    const char *p = s + strspn(s, " \t\n");
    bool minus = *p == '-';
    unsigned long long value = 0;
    size_t digits = 0;
    (void)base;
    p += *p == '-' || *p == '+';
    for (; p[digits] >= '0' && p[digits] <= '9'; digits++)
        value = value * 10 + (unsigned long long)(p[digits] - '0');
    *end = (char *)(digits > 0 ? p + digits : s);
    return (long long)(minus ? 0 - value : value);
}

/* ---- storage ------------------------------------------------------------------------- */

#define RT_CLASSES 20 /* of 32 bytes, 64, … 16 MiB, with the header */
#define RT_PIECE   (UINT32_C(1) << 20)

struct rt_block {
    size_t size; /* with this header, as it was taken */
    struct rt_block *next;
    uint64_t align;
};

static struct rt_block *rt_free_lists[RT_CLASSES];

static void *rt_map(size_t size)
{
    long at = rt_system(RT_MMAP, (struct rt_arguments){.b = (long)size,
                                                       .c = 3,    /* rw */
                                                       .d = 0x22, /* private */
                                                       .e = -1});
    return (unsigned long)at >= (unsigned long)-4095 ? NULL : (void *)at;
}

/* Blocks of one size; the rest of the piece goes into the list. */
static struct rt_block *rt_take(unsigned class, size_t size)
{
    struct rt_block *b = rt_free_lists[class];
    if (b == NULL) {
        size_t piece = size < RT_PIECE ? RT_PIECE : size;
        unsigned char *p = rt_map(piece);
        for (size_t at = 0; p != NULL && at + size <= piece; at += size) {
            b = (struct rt_block *)(p + at);
            b->next = rt_free_lists[class];
            rt_free_lists[class] = b;
        }
    }
    if (b != NULL) {
        rt_free_lists[class] = b->next;
        b->size = size;
    }
    return b;
}

static unsigned rt_class(size_t size)
{
    unsigned class = 0;
    while (class < RT_CLASSES && (size_t)32 << class < size)
        class ++;
    return class;
}

RT_PLAIN void *malloc(size_t n)
{
    struct rt_block *b = NULL;
    size_t size = n + sizeof *b;
    unsigned class = rt_class(size);
    if (size < n || size > INT32_MAX)
        return NULL;
    if (class < RT_CLASSES) {
        b = rt_take(class, (size_t)32 << class);
    } else {
        b = rt_map(size);
        if (b != NULL)
            b->size = size;
    }
    return b == NULL ? NULL : b + 1;
}

RT_PLAIN void free(void *p)
{
    struct rt_block *b = (struct rt_block *)p - 1;
    if (p == NULL)
        return;
    unsigned class = rt_class(b->size);
    if (class == RT_CLASSES) {
        rt_system(RT_MUNMAP,
                  (struct rt_arguments){.a = (long)b, .b = (long)b->size});
        return;
    }
    b->next = rt_free_lists[class];
    rt_free_lists[class] = b;
}

RT_PLAIN void *calloc(size_t n, size_t each)
{
    if (each != 0 && n > INT32_MAX / each)
        return NULL;
    void *p = malloc(n * each);
    return p == NULL ? NULL : memset(p, 0, n * each);
}

/* ---- files ---------------------------------------------------------------------------- */

FILE rt_files[] = {{0}, {1}, {2}, {-1}, {-1}, {-1}, {-1}, {-1}};

FILE *fopen(const char *path, const char *mode)
{
    size_t i = 3, n = sizeof rt_files / sizeof *rt_files;
    while (i < n && rt_files[i].number >= 0)
        i++;
    long number =
        i == n ? -1
               : rt_system(RT_OPENAT, (struct rt_arguments){
                                          .a = -100, /* the working folder */
                                          .b = (long)path,
                                          /* read; create, truncate and write */
                                          .c = mode[0] == 'r' ? 0 : 01101,
                                          .d = 0666});
    if (number < 0)
        return NULL;
    rt_files[i].number = number;
    return &rt_files[i];
}

int fclose(FILE *f)
{
    long ended = rt_system(RT_CLOSE, (struct rt_arguments){.a = f->number});
    f->number = -1;
    return ended < 0 ? -1 : 0;
}

static size_t rt_move(enum rt_call call, FILE *f, void *data, size_t n)
{
    size_t done = 0;
    while (done < n) {
        long moved =
            rt_system(call, (struct rt_arguments){.a = f->number,
                                                  .b = (long)data + (long)done,
                                                  .c = (long)(n - done)});
        if (moved == -4) /* interrupted */
            continue;
        if (moved <= 0)
            break;
        done += (size_t)moved;
    }
    return done;
}

size_t fread(void *data, size_t each, size_t n, FILE *f)
{
    return each == 0 ? 0 : rt_move(RT_READ, f, data, n * each) / each;
}

size_t fwrite(const void *data, size_t each, size_t n, FILE *f)
{
    return each == 0 ? 0 : rt_move(RT_WRITE, f, (void *)data, n * each) / each;
}

/* ---- printing -------------------------------------------------------------------------- */

struct rt_print {
    char *text; /* of `size` characters, the last of them the zero */
    size_t size, n;
};

static void rt_put(struct rt_print *p, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++, p->n++)
        if (p->n + 1 < p->size)
            p->text[p->n] = s[i];
}

static void rt_put_number(struct rt_print *p, bool minus, uint64_t value,
                          unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (minus)
        digits[--at] = '-';
    rt_put(p, digits + at, sizeof digits - at);
}

/* One conversion behind its '%'; returns what is behind it. */
static const char *rt_put_one(struct rt_print *p, const char *f, va_list *args)
{
    unsigned longs = 0;
    for (; *f == 'l' || *f == 'z'; f++)
        longs += *f == 'l';
    if (*f == 's') {
        const char *s = va_arg(*args, const char *);
        rt_put(p, s, strlen(s));
    } else if (*f == 'd') {
        int64_t v = longs > 1 ? va_arg(*args, long long) : va_arg(*args, long);
        rt_put_number(p, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10);
    } else if (*f == 'u' || *f == 'x') {
        uint64_t v = longs > 1 ? va_arg(*args, unsigned long long)
                               : va_arg(*args, unsigned long);
        rt_put_number(p, false, v, *f == 'x' ? 16 : 10);
    } else {
        rt_put(p, f, 1); /* "%%" */
    }
    return f + 1;
}

static int rt_print(char *text, size_t size, const char *f, va_list *args)
{
    struct rt_print p = {.text = text, .size = size};
    while (*f != '\0') {
        const char *next = f;
        while (*next != '\0' && *next != '%')
            next++;
        rt_put(&p, f, (size_t)(next - f));
        f = *next == '%' ? rt_put_one(&p, next + 1, args) : next;
    }
    if (size > 0)
        text[p.n < size ? p.n : size - 1] = '\0';
    return (int)p.n;
}

int snprintf(char *text, size_t size, const char *f, ...)
{
    va_list args;
    va_start(args, f);
    int n = rt_print(text, size, f, &args);
    va_end(args);
    return n;
}

int fprintf(FILE *file, const char *f, ...)
{
    char text[1024];
    va_list args;
    va_start(args, f);
    int n = rt_print(text, sizeof text, f, &args);
    va_end(args);
    rt_move(RT_WRITE, file, text, strlen(text));
    return n;
}

int printf(const char *f, ...)
{
    char text[1024];
    va_list args;
    va_start(args, f);
    int n = rt_print(text, sizeof text, f, &args);
    va_end(args);
    rt_move(RT_WRITE, stdout, text, strlen(text));
    return n;
}

int puts(const char *s)
{
    return fprintf(stdout, "%s\n", s);
}

/* ---- start ------------------------------------------------------------------------------ */

int main(int argc, char **argv);

__attribute__((noreturn, used)) void rt_start(long *stack)
{
    exit(main((int)stack[0], (char **)(stack + 1)));
}

__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "    { r0 = r29 }\n"
        "    { r29 = and(r29, #-64) }\n"
        "    { allocframe(#0) }\n"
        "    { call rt_start }\n");
