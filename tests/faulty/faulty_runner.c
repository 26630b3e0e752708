/* SPDX-License-Identifier: Apache-2.0
 *
 * A runner (docs/runner-protocol.md) for the kernels in tests/faulty/kernels/,
 * wrong on request.
 *
 *   faulty_runner KERNEL WAY SCOPE DIR...   runs the folders
 *   faulty_runner list                      all there is, a line each
 *   faulty_runner effect KERNEL WAY SCOPE   the largest change of an output, in
 *                                           roundings, on inputs of its own
 *
 * WAY is a fault or a legitimate variant; SCOPE is where a fault acts. A fault
 * that changes no output by more than one rounding is none to be found.
 */
#include "tests/faulty/faulty.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct way {
    const char *name;
    enum fault fault;
    enum variant variant;
};

static const struct way ways[] = {
    {"lost-first", LOST_FIRST, STRICT},
    {"lost-middle", LOST_MIDDLE, STRICT},
    {"lost-last", LOST_LAST, STRICT},
    {"lost-two", LOST_TWO, STRICT},
    {"doubled-first", DOUBLED_FIRST, STRICT},
    {"doubled-last", DOUBLED_LAST, STRICT},
    {"swapped", SWAPPED, STRICT},
    {"shifted", SHIFTED, STRICT},
    {"stale-tail", STALE_TAIL, STRICT},
    {"extra-term", EXTRA_TERM, STRICT},
    {"clamped", CLAMPED, STRICT},
    {"wrong-sign", WRONG_SIGN, STRICT},
    {"wrong-init", WRONG_INIT, STRICT},
    {"narrow-sum", NARROW_SUM, STRICT},
    {"narrow-once", NARROW_ONCE, STRICT},
    {"truncated", TRUNCATED, STRICT},
    {"bf16-operands", BF16_OPERANDS, STRICT},
    {"fewer-bits", FEWER_BITS, STRICT},
    {"constant", CONSTANT, STRICT},
    {"exp-polynomial", EXP_POLYNOMIAL, STRICT},
    {"exp-saturated", EXP_SATURATED, STRICT},
    {"divisor", DIVISOR, STRICT},
    {"no-epsilon", NO_EPSILON, STRICT},
    {"rough-division", ROUGH_DIVISION, STRICT},
    {"fmax", FMAX, STRICT},
    {"minimum", MINIMUM, STRICT},
    {"nan-scrubbed", NAN_SCRUBBED, STRICT},
    {"saturated", SATURATED, STRICT},
    {"flushed", FLUSHED, STRICT},
    {"zero-sign", ZERO_SIGN, STRICT},
    {"neighbour", NEIGHBOUR, STRICT},
    {"not-written", NOT_WRITTEN, STRICT},
    {"varying", VARYING, STRICT},
    {"strict", RIGHT, STRICT},
    {"fma-left", RIGHT, FMA_LEFT},
    {"fma-right", RIGHT, FMA_RIGHT},
    {"reversed", RIGHT, REVERSED},
    {"lanes-4", RIGHT, LANES_4},
    {"lanes-8", RIGHT, LANES_8},
    {"lanes-16", RIGHT, LANES_16},
    {"lanes-8-fma", RIGHT, LANES_8_FMA},
    {"lanes-4-neighbours", RIGHT, LANES_4_NEIGHBOURS},
    {"tree", RIGHT, TREE},
    {"pairwise", RIGHT, PAIRWISE},
    {"kahan", RIGHT, KAHAN},
    {"wide", RIGHT, WIDE},
    {"reciprocal", RIGHT, RECIPROCAL},
    {"rsqrt", RIGHT, RSQRT},
    {"exp-libm", RIGHT, EXP_LIBM},
    {"exp-ulp", RIGHT, EXP_ULP},
    {"split-2", RIGHT, SPLIT_2},
    {"split-4", RIGHT, SPLIT_4},
    {"dots-of-4", RIGHT, DOTS_OF_4},
    {"flushing", RIGHT, FLUSHING},
};
#define NWAYS (sizeof ways / sizeof *ways)

static const char *const scopes[] = {"all", "percent", "corner", "large",
                                     "second-call"};

/* ---- arrays -------------------------------------------------------------------------- */

static size_t size_of(char type)
{
    return type == 'f' ? 4 : type == 'b' ? 1 : 2;
}

static bool make(const struct kernel *k, struct array *x)
{
    bool fine = true;
    memcpy(x, k->arrays, sizeof k->arrays);
    for (size_t i = 0; i < k->narrays; i++) {
        bool whole = x[i].type == 'b' || x[i].type == 's';
        x[i].f = whole ? NULL : calloc(x[i].n, sizeof *x[i].f);
        x[i].i = whole ? calloc(x[i].n, sizeof *x[i].i) : NULL;
        fine &= x[i].f != NULL || x[i].i != NULL;
    }
    return fine;
}

static void release(const struct kernel *k, struct array *x)
{
    for (size_t i = 0; i < k->narrays; i++) {
        free(x[i].f);
        free(x[i].i);
    }
}

static void take(struct array *x, size_t i, const unsigned char *p)
{
    uint32_t u = 0;
    for (size_t b = size_of(x->type); b-- > 0;)
        u = u << 8 | p[b];
    if (x->type == 'f')
        memcpy(&x->f[i], &u, sizeof u);
    else if (x->type == 'h')
        x->f[i] = half_to_float((uint16_t)u);
    else if (x->type == 'b')
        x->i[i] = (int16_t)(u >= 128 ? (int)u - 256 : (int)u);
    else
        x->i[i] = (int16_t)(u >= 32768 ? (int)u - 65536 : (int)u);
}

static void give(const struct array *x, size_t i, unsigned char *p)
{
    uint32_t u = 0;
    if (x->type == 'f')
        memcpy(&u, &x->f[i], sizeof u);
    else if (x->type == 'h')
        u = half_of(x->f[i]);
    else
        u = (uint32_t)(int32_t)x->i[i];
    for (size_t b = 0; b < size_of(x->type); b++)
        p[b] = (unsigned char)(u >> (8 * b) & 255u);
}

/* ---- files ---------------------------------------------------------------------------- */

static bool fail(const char *folder, const char *file, const char *what)
{
    fprintf(stderr, "error: %s/%s: %s\n", folder, file, what);
    return false;
}

static bool read_array(const char *folder, size_t which, struct array *x)
{
    char path[4096], name[32];
    unsigned char head[10], bytes[4];
    (void)snprintf(name, sizeof name, "arg%zu.npy", which);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return fail(folder, name, "cannot be opened");
    bool fine = fread(head, 1, 10, f) == 10 &&
                memcmp(head, "\x93NUMPY\x01", 7) == 0 &&
                fseek(f, 10 + head[8] + 256 * head[9], SEEK_SET) == 0;
    for (size_t i = 0; fine && i < x->n; i++) {
        fine = fread(bytes, 1, size_of(x->type), f) == size_of(x->type);
        if (fine)
            take(x, i, bytes);
    }
    fine = fine && fgetc(f) == EOF;
    (void)fclose(f);
    return fine || fail(folder, name, "is not what the kernel has there");
}

static bool write_array(const char *folder, size_t which, const struct array *x)
{
    char path[4096], name[32], head[129] = {0};
    unsigned char bytes[4];
    const char *descr = x->type == 'f'   ? "<f4"
                        : x->type == 'h' ? "<f2"
                        : x->type == 'b' ? "|i1"
                                         : "<i2";
    (void)snprintf(name, sizeof name, "out%zu.npy", which);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)snprintf(head, sizeof head,
                   "\x93NUMPY\x01%cv%c{'descr': '%s', 'fortran_order': False, "
                   "'shape': (%zu,), }",
                   'x', 'x', descr, x->n);
    size_t len = strlen(head);
    memset(head + len, ' ', 127 - len);
    head[7] = 0;
    head[9] = 0;
    head[127] = '\n';
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        return fail(folder, name, "cannot be written");
    bool fine = fwrite(head, 1, 128, f) == 128;
    for (size_t i = 0; fine && i < x->n; i++) {
        give(x, i, bytes);
        fine = fwrite(bytes, 1, size_of(x->type), f) == size_of(x->type);
    }
    fine = fclose(f) == 0 && fine;
    return fine || fail(folder, name, "cannot be written");
}

static bool run_folder(const struct kernel *k, struct job *job,
                       const char *folder)
{
    struct array x[MAX_ARRAYS];
    bool fine = make(k, x);
    for (size_t i = 0; fine && i < k->narrays; i++)
        fine = read_array(folder, i, &x[i]);
    if (fine)
        k->run(job, x);
    for (size_t i = 0; fine && i < k->narrays; i++)
        fine = !x[i].output || write_array(folder, i, &x[i]);
    release(k, x);
    return fine;
}

/* ---- effect ----------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define NINPUTS 24u

/* Unit, small whole numbers, far apart, and with what is no usual number. */
static float number(uint64_t h, size_t kind, bool half)
{
    float unit = (float)(h >> 40) * 0x1p-24f, sign = h & 1 ? -1.0f : 1.0f;
    int most = half ? 14 : 120;
    static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 0.0f};
    switch (kind % 6) {
    case 0: return unit;
    case 1: return sign * unit;
    case 2: return sign * (float)(1 + (h >> 8) % 3);
    case 3: return sign * ldexpf(1 + unit, (int)((h >> 8) % 24) - 12);
    case 4:
        return sign * ldexpf(1 + unit, (int)((h >> 8) % (2 * (unsigned)most)) -
                                           most - 12);
    default: return (h >> 8) % 13 == 0 ? odd[(h >> 16) % 5] : sign * unit * 8;
    }
}

static void fill(const struct kernel *k, struct array *x, size_t input)
{
    uint64_t state = input * 977 + 1;
    for (size_t i = 0; i < k->narrays; i++)
        for (size_t e = 0; e < x[i].n; e++) {
            uint64_t h = next(&state);
            if (x[i].i != NULL)
                x[i].i[e] = (int16_t)((int)(h >> 8 & 255) - 128);
            else if (x[i].type == 'h')
                x[i].f[e] = to_half(number(h, input, true));
            else
                x[i].f[e] = number(h, input, false);
        }
}

/* Numbers of the type that lie between, and one; NaN is far from all others. */
static double distance(const struct array *x, size_t i, const struct array *y)
{
    if (x->i != NULL)
        return fabs((double)x->i[i] - (double)y->i[i]) * 2;
    float a = x->f[i], b = y->f[i];
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : HUGE_VAL;
    if (a == b) /* the sign of a zero is a whole change */
        return signbit(a) != signbit(b) ? 2 : 0;
    if (isinf(a) || isinf(b))
        return HUGE_VAL;
    int e, least = x->type == 'h' ? -13 : -125;
    (void)frexpf(fmaxf(fabsf(a), fabsf(b)), &e);
    e = e < least ? least : e;
    return fabs(ldexp((double)a - (double)b, (x->type == 'h' ? 11 : 24) - e));
}

static bool put_effect(const struct kernel *k, struct job job)
{
    double largest = 0;
    struct job right = {0};
    struct array x[MAX_ARRAYS] = {{0}}, y[MAX_ARRAYS] = {{0}};
    bool fine = make(k, x), also = make(k, y);
    for (size_t input = 0; fine && also && input < NINPUTS; input++) {
        fill(k, x, input);
        fill(k, y, input);
        job.call = 1;
        k->run(&job, x);
        k->run(&right, y);
        for (size_t i = 0; i < k->narrays; i++)
            for (size_t e = 0; x[i].output && e < x[i].n; e++)
                largest = fmax(largest, distance(&x[i], e, &y[i]));
    }
    release(k, x);
    release(k, y);
    if (fine && also)
        printf("%g\n", largest);
    return fine && also;
}

/* ---- all ---------------------------------------------------------------------------------- */

static int list(void)
{
    for (size_t i = 0; i < nkernels; i++)
        printf("kernel %s\n", kernels[i].name);
    for (size_t i = 0; i < NWAYS; i++)
        printf("%s %s\n", ways[i].fault != RIGHT ? "fault" : "variant",
               ways[i].name);
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        printf("scope %s\n", scopes[i]);
    return 0;
}

static bool find(char **words, const struct kernel **k, struct job *job)
{
    bool way = false, scope = false;
    *k = NULL;
    for (size_t i = 0; i < nkernels; i++)
        if (strcmp(kernels[i].name, words[0]) == 0)
            *k = &kernels[i];
    for (size_t i = 0; i < NWAYS; i++)
        if (strcmp(ways[i].name, words[1]) == 0) {
            job->fault = ways[i].fault;
            job->variant = ways[i].variant;
            way = true;
        }
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (strcmp(scopes[i], words[2]) == 0) {
            job->scope = (enum scope)i;
            scope = true;
        }
    return *k != NULL && way && scope;
}

int main(int argc, char **argv)
{
    const struct kernel *kernel;
    struct job job = {0};
    bool effect = argc == 5 && strcmp(argv[1], "effect") == 0;
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc < 5 || !find(argv + 1 + effect, &kernel, &job)) {
        fprintf(stderr, "usage: faulty_runner KERNEL WAY SCOPE DIR...\n"
                        "       faulty_runner effect KERNEL WAY SCOPE\n"
                        "       faulty_runner list\n");
        return 2;
    }
    if (effect)
        return put_effect(kernel, job) ? 0 : 1;
    for (int i = 4; i < argc; i++, job.call++)
        if (!run_folder(kernel, &job, argv[i]))
            return 1;
    return 0;
}
