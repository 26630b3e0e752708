/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a digest of each operation over random operands. The same text is
 * built by the host's compiler, with its instructions and C library, and for
 * Hexagon with diff/targets/hexagon, and must print the same (cli_hexagon.sh).
 */
#ifndef __hexagon__
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#define ROUNDS 4000

static uint64_t seed, digest;

static uint64_t draw(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void take(uint64_t bits)
{
    digest = (digest ^ bits) * UINT64_C(0x100000001b3);
    digest ^= digest >> 29;
}

static void take_double(double x)
{
    uint64_t bits = 0;
    if (x == x)
        memcpy(&bits, &x, sizeof bits);
    take(x == x ? bits : 1);
}

static void take_float(float x)
{
    uint32_t bits = 0;
    if (x == x)
        memcpy(&bits, &x, sizeof bits);
    take(x == x ? bits : 1);
}

/* Any bits, or a number not far from 1. */
static double draw_double(void)
{
    uint64_t bits = draw();
    double x;
    if (draw() & 1)
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) |
               (UINT64_C(1000) + draw() % 48) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float draw_float(void)
{
    uint32_t bits = (uint32_t)draw();
    float x;
    if (draw() & 1)
        bits = (bits & ~(UINT32_C(0xff) << 23)) |
               (UINT32_C(110) + (uint32_t)(draw() % 34)) << 23;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void tell(const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "%s %llx", what, (unsigned long long)digest);
    puts(text);
    digest = 0;
}

#define DOUBLES(what, expression)                             \
    for (int i = 0; i < ROUNDS; i++) {                        \
        volatile double a = draw_double(), b = draw_double(), \
                        c = draw_double();                    \
        (void)a, (void)b, (void)c;                            \
        take_double(expression);                              \
    }                                                         \
    tell(what)

#define FLOATS(what, expression)                                             \
    for (int i = 0; i < ROUNDS; i++) {                                       \
        volatile float a = draw_float(), b = draw_float(), c = draw_float(); \
        (void)a, (void)b, (void)c;                                           \
        take_float(expression);                                              \
    }                                                                        \
    tell(what)

#define INTEGERS(what, type, expression)                 \
    for (int i = 0; i < ROUNDS; i++) {                   \
        volatile type a = (type)(draw() >> draw() % 60); \
        volatile type b = (type)(draw() >> draw() % 60); \
        if (b != 0 && b != (type)-1)                     \
            take((uint64_t)(expression));                \
    }                                                    \
    tell(what)

static void doubles(void)
{
    DOUBLES("double add", a + b);
    DOUBLES("double sub", a - b);
    DOUBLES("double mul", a * b);
    DOUBLES("double div", a / b);
    DOUBLES("double compare", (a < b) + 2 * (a == b) + 4 * (a >= b));
    DOUBLES("sqrt", sqrt(a));
    DOUBLES("fma", fma(a, b, c));
    DOUBLES("floor", floor(a));
    DOUBLES("ceil", ceil(a));
    DOUBLES("trunc", trunc(a));
    DOUBLES("nearbyint", nearbyint(a));
    DOUBLES("copysign", copysign(a, b));
    DOUBLES("nextafter", nextafter(a, b));
    DOUBLES("ldexp", ldexp(a, (int)(draw() % 300) - 150));
    for (int i = 0; i < ROUNDS / 40; i++) { /* slow in the emulator */
        double a = draw_double(), b = draw_double();
        take_double(fmod(a, b));
    }
    tell("fmod");
}

static void floats(void)
{
    FLOATS("float add", a + b);
    FLOATS("float mul", a * b);
    FLOATS("float div", a / b);
    FLOATS("sqrtf", sqrtf(a));
    FLOATS("fmaf", fmaf(a, b, c));
    FLOATS("floorf", floorf(a));
    FLOATS("ceilf", ceilf(a));
    FLOATS("truncf", truncf(a));
    FLOATS("nearbyintf", nearbyintf(a));
    FLOATS("fmodf", fmodf(a, b));
    FLOATS("nextafterf", nextafterf(a, b));
    FLOATS("ldexpf", ldexpf(a, (int)(draw() % 300) - 150));
}

static void conversions(void)
{
    FLOATS("of int32", (float)(int32_t)draw());
    FLOATS("of uint32", (float)(uint32_t)draw());
    FLOATS("of int64", (float)(int64_t)draw());
    FLOATS("of uint64", (float)draw());
    FLOATS("of double", (float)draw_double());
    DOUBLES("double of int64", (double)(int64_t)draw());
    DOUBLES("double of uint64", (double)draw());
    DOUBLES("to int32", (int32_t)(a - a == 0 && fabs(a) < 2e9 ? a : 0));
    DOUBLES("to int64",
            (double)(int64_t)(a - a == 0 && fabs(a) < 9e18 ? a : 0));
    FLOATS("float to int64",
           (float)(int64_t)(a - a == 0 && fabsf(a) < 9e18f ? a : 0));
}

static void integers(void)
{
    INTEGERS("int64 div", int64_t, a / b);
    INTEGERS("int64 mod", int64_t, a % b);
    INTEGERS("uint64 div", uint64_t, a / b);
    INTEGERS("uint64 mod", uint64_t, a % b);
    INTEGERS("int32 div", int32_t, a / b);
    INTEGERS("int32 mod", int32_t, a % b);
    INTEGERS("uint32 div", uint32_t, a / b);
    INTEGERS("uint32 mod", uint32_t, a % b);
    INTEGERS("int64 mul", uint64_t, a * b);
    INTEGERS("shift", uint64_t, a << (b & 63) ^ a >> (b & 31));
}

/* Storage is not handed out twice and may be used again. */
static void storage(void)
{
    unsigned char *p[64];
    for (int i = 0; i < 64; i++) {
        uint64_t n = (draw() % (i % 8 == 0 ? 200000 : 300)) + 8;
        p[i] = malloc((size_t)n);
        memset(p[i], i, (size_t)n);
        memcpy(p[i], &n, sizeof n);
        if (i % 3 == 2) {
            free(p[i - 1]);
            p[i - 1] = calloc(1, 100);
            take(p[i - 1][50]);
            n = 100;
            memcpy(p[i - 1], &n, sizeof n);
            memset(p[i - 1] + sizeof n, i - 1, 100 - sizeof n);
        }
    }
    for (int i = 0; i < 64; i++) {
        uint64_t n;
        memcpy(&n, p[i], sizeof n);
        for (uint64_t k = sizeof n; k < n; k++)
            take(p[i][k]);
        free(p[i]);
    }
    tell("storage");
}

/* Loops over mixed widths, which compilers vectorise where they may. */
static void arrays(void)
{
    static int8_t a[1000];
    static int16_t b[1000];
    static int32_t c[1000];
    for (int i = 0; i < 1000; i++) {
        a[i] = (int8_t)draw();
        b[i] = (int16_t)draw();
        c[i] = (int32_t)draw();
    }
    for (int i = 0; i < 997; i++)
        b[i] = (int16_t)(b[i] * 3 + a[i + 1]);
    for (int i = 0; i < 997; i++)
        c[i] =
            (int32_t)((uint32_t)c[i] * 7u + (uint32_t)(c[i + 3] >> 2)) ^ b[i];
    for (int i = 0; i < 997; i++)
        a[i] = (int8_t)(a[i] > a[i + 2] ? a[i] : b[i] >> 3);
    for (int i = 0; i < 1000; i++)
        take((uint64_t)(a[i] + b[i]) ^ (uint64_t)c[i]);
    tell("arrays");
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? (uint64_t)strtoll(argv[1], &argv[0], 10) : 1;
    doubles();
    floats();
    conversions();
    integers();
    storage();
    arrays();
    return 0;
}
