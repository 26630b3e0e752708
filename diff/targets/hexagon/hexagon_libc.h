/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in front of kernels for Hexagon in place of a C library's
 * headers: the part of one that emitted programs use. What it declares is
 * compiled once (hexagon_libc.c, hexagon_names.c) and linked to each kernel.
 */
#ifndef DC_DIFF_TARGETS_HEXAGON_LIBC_H
#define DC_DIFF_TARGETS_HEXAGON_LIBC_H

#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRId64   "lld"
#define INFINITY __builtin_inff()
#define NAN      __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define isnan    __builtin_isnan
#define isinf    __builtin_isinf
#define isfinite __builtin_isfinite
#define signbit  __builtin_signbit

/* ---- memory, text, storage ------------------------------------------------------ */

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t n);
int strcmp(const char *a, const char *b);
char *strchr(const char *s, int c);
size_t strspn(const char *s, const char *set);
char *strstr(const char *s, const char *word);
void *malloc(size_t n);
void free(void *p);
void *calloc(size_t n, size_t each);

/* ---- files, printing, end --------------------------------------------------------- */

struct rt_file {
    long number; /* of the descriptor; -1: free */
};

/* By names of their own: of the usual ones the compiler knows that some calls
 * can be others' (printf as putchar), and not all of those are here. */
#define FILE     struct rt_file
#define exit     rt_exit
#define strtoll  rt_strtoll
#define fopen    rt_fopen
#define fclose   rt_fclose
#define fread    rt_fread
#define fwrite   rt_fwrite
#define snprintf rt_snprintf
#define fprintf  rt_fprintf
#define printf   rt_printf
#define puts     rt_puts
#define stdout   (&rt_files[1])
#define stderr   (&rt_files[2])

extern FILE rt_files[];

_Noreturn void exit(int status);
long long strtoll(const char *s, char **end, int base);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
size_t fread(void *data, size_t each, size_t n, FILE *f);
size_t fwrite(const void *data, size_t each, size_t n, FILE *f);
int snprintf(char *text, size_t size, const char *f, ...);
int fprintf(FILE *file, const char *f, ...);
int printf(const char *f, ...);
int puts(const char *s);

/* ---- mathematics --------------------------------------------------------------------- */

double floor(double a);
double ceil(double a);
double trunc(double a);
double nearbyint(double a);
float floorf(float a);
float ceilf(float a);
float truncf(float a);
float nearbyintf(float a);
double fabs(double a);
float fabsf(float a);
double copysign(double a, double b);
float copysignf(float a, float b);

/* For what may set errno elsewhere: calls whose result depends on nothing but
 * their operands. By its usual name the compiler would with this attribute take
 * such a function for an operation of its own; so it has that for the linker
 * only. */
#define RT_CALL(name) __asm__(#name) __attribute__((const))
#define sqrt          rt_call_sqrt
#define sqrtf         rt_call_sqrtf
#define fma           rt_call_fma
#define fmaf          rt_call_fmaf
#define fmod          rt_call_fmod
#define fmodf         rt_call_fmodf
#define nextafter     rt_call_nextafter
#define nextafterf    rt_call_nextafterf
#define ldexp         rt_call_ldexp
#define ldexpf        rt_call_ldexpf

double sqrt(double a) RT_CALL(sqrt);
float sqrtf(float a) RT_CALL(sqrtf);
double fma(double a, double b, double c) RT_CALL(fma);
float fmaf(float a, float b, float c) RT_CALL(fmaf);
double fmod(double a, double b) RT_CALL(fmod);
float fmodf(float a, float b) RT_CALL(fmodf);
double nextafter(double a, double b) RT_CALL(nextafter);
float nextafterf(float a, float b) RT_CALL(nextafterf);
double ldexp(double a, int n) RT_CALL(ldexp);
float ldexpf(float a, int n) RT_CALL(ldexpf);

#endif
