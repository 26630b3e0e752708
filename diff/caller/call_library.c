/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls one function of a shared library that TVM exported, without TVM. A
 * program of its own: diffcheck carries this text, has it compiled by a C
 * compiler of the machine and runs it, so that whatever the library does ends
 * this process and no other.
 *
 *     call_library LIBRARY FUNCTION PARAMETERS DIR...
 *
 * Each DIR holds arg<i>.npy for each parameter; the function is called once a
 * DIR, and out<i>.npy gets what it left in the parameters that it stores to.
 * PARAMETERS describes each, in order, comma-separated:
 *     [w]t:CODE.BITS.LANES   a tensor of that DLPack type, w: it is stored to
 *     s:CODE.BITS.1          a scalar
 *
 * Calling conventions, told by the names that the library exports:
 *     __tvm_ffi_FUNCTION     TVM 0.22 and later: (handle, args, n, result)
 *     FUNCTION, beside __tvm_ffi_library_ctx or a pointer __TVMFFI…: 0.21, the same
 *     FUNCTION, beside __tvm_module_ctx or a pointer __TVM…: before that,
 *                            (args, type codes, n, result, its code, handle)
 * What libraries call back are the functions below: workspaces, parallel loops
 * (one task), errors. A function that calls others by name needs TVM itself.
 *
 * Exit status: 0 done; 1 the function or its library refuses; 2 a file or the
 * command line is wrong; 3 it needs TVM's runtime.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 256, MAX_RANK = 32, ALIGNMENT = 128 };
enum { FAILED = 1, WRONG = 2, NEEDS_TVM = 3 };

static char said[2000]; /* the last error that the library told */
static bool needs_tvm;

static void die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void die(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("call_library: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(status);
}

/* ---- what libraries call ----------------------------------------------------- */

static void say(const char *text)
{
    size_t len = strlen(said), more = text ? strlen(text) : 0;
    if (more > sizeof said - 1 - len)
        more = sizeof said - 1 - len;
    if (more > 0)
        memcpy(said + len, text, more);
    said[len + more] = 0;
    for (char *p = said; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

static int wants(const char *name)
{
    needs_tvm = true;
    said[0] = 0;
    say("it calls '");
    say(name);
    say("' of TVM's runtime");
    return -1;
}

struct group {
    void *sync_handle;
    int32_t num_task;
};

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts,
                                       int32_t n);
void TVMAPISetLastError(const char *message);
void *TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int code,
                               int bits);
int TVMBackendFreeWorkspace(int type, int id, void *data);
int TVMBackendParallelLaunch(int (*f)(int task, struct group *env, void *data),
                             void *data, int num_task);
int TVMBackendParallelBarrier(int task, struct group *env);
int TVMBackendGetFuncFromEnv(void *module, const char *name, void **out);
int TVMFuncCall(void *function, void *args, int *codes, int n, void *result,
                int *code);
int TVMFFIFunctionCall(void *function, void *args, int32_t n, void *result);
int TVMFFIEnvModLookupFromImports(void *module, const char *name, void **out);
int TVMFFIHandleInitOnce(void **handle, int (*init)(void **result));
uint16_t __gnu_f2h_ieee(float value);
float __gnu_h2f_ieee(uint16_t bits);

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message)
{
    said[0] = 0;
    say(kind);
    say(": ");
    say(message);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts,
                                       int32_t n)
{
    TVMFFIErrorSetRaisedFromCStr(kind, "");
    for (int32_t i = 0; i < n; i++)
        say(parts[i]);
}

void TVMAPISetLastError(const char *message)
{
    said[0] = 0;
    say(message);
}

/* Not zeros: a kernel that reads what it did not write is not to look right. */
static void *fresh(size_t bytes)
{
    void *data = NULL;
    if (posix_memalign(&data, ALIGNMENT, bytes ? bytes : 1) != 0)
        die(FAILED, "no memory for %zu bytes", bytes);
    memset(data, 0xa5, bytes);
    return data;
}

void *TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int code,
                               int bits)
{
    (void)type, (void)id, (void)code, (void)bits;
    return fresh(bytes);
}

int TVMBackendFreeWorkspace(int type, int id, void *data)
{
    (void)type, (void)id;
    free(data);
    return 0;
}

/* One task does all of it, as with a pool of one thread. */
int TVMBackendParallelLaunch(int (*f)(int task, struct group *env, void *data),
                             void *data, int num_task)
{
    struct group env = {NULL, 1};
    (void)num_task;
    return f(0, &env, data);
}

int TVMBackendParallelBarrier(int task, struct group *env)
{
    (void)task, (void)env;
    return 0;
}

int TVMBackendGetFuncFromEnv(void *module, const char *name, void **out)
{
    (void)module, (void)out;
    return wants(name);
}

int TVMFFIEnvModLookupFromImports(void *module, const char *name, void **out)
{
    (void)module, (void)out;
    return wants(name);
}

int TVMFuncCall(void *function, void *args, int *codes, int n, void *result,
                int *code)
{
    (void)function, (void)args, (void)codes, (void)n, (void)result, (void)code;
    return wants("TVMFuncCall");
}

int TVMFFIFunctionCall(void *function, void *args, int32_t n, void *result)
{
    (void)function, (void)args, (void)n, (void)result;
    return wants("TVMFFIFunctionCall");
}

int TVMFFIHandleInitOnce(void **handle, int (*init)(void **result))
{
    return *handle ? 0 : init(handle);
}

/* ---- half precision ------------------------------------------------------------ */

/* The bits of a number, rounded to nearest even; scaled so that the floating
 * arithmetic of this machine does the rounding. */
uint16_t __gnu_f2h_ieee(float value)
{
    uint32_t u;
    memcpy(&u, &value, sizeof u);
    uint32_t sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x47800000)
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* subnormal: units of 2^-24 */
        float small;
        memcpy(&small, &magnitude, sizeof small);
        return (uint16_t)(sign | (uint32_t)nearbyintf(small * 16777216.0f));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | (magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

float __gnu_h2f_ieee(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent == 0
                      ? ldexpf((float)fraction, -24)
                      : ldexpf((float)(1024 + fraction), (int)exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* ---- parameters ------------------------------------------------------------------ */

enum {
    INT = 0,
    UINT = 1,
    FLOAT = 2,
    BFLOAT = 4,
    BOOL = 6
}; /* DLPack's codes */

struct tensor { /* DLTensor */
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

struct parameter {
    bool is_tensor, stored;
    unsigned code, bits, lanes;
    char header[4096]; /* of the .npy file */
    size_t header_len, bytes;
    int64_t shape[MAX_RANK];
    struct tensor tensor;
    void *data;
};

static struct parameter parameters[MAX_PARAMETERS];
static int nparameters;

static void read_parameters(const char *text)
{
    while (*text) {
        struct parameter *p = &parameters[nparameters];
        int used = 0;
        char kind;
        if (nparameters == MAX_PARAMETERS)
            die(WRONG, "more than %d parameters", MAX_PARAMETERS);
        p->stored = *text == 'w';
        text += p->stored ? 1 : 0;
        if (sscanf(text, "%c:%u.%u.%u%n", &kind, &p->code, &p->bits, &p->lanes,
                   &used) != 4 ||
            (kind != 't' && kind != 's') || p->bits == 0 || p->bits > 64 ||
            p->lanes == 0 || p->lanes > 4096)
            die(WRONG, "cannot read the parameters at '%.40s'", text);
        p->is_tensor = kind == 't';
        text += used;
        text += *text == ',' ? 1 : 0;
        nparameters++;
    }
}

static FILE *open_file(const char *folder, const char *kind, int i,
                       const char *mode, char path[4096])
{
    snprintf(path, 4096, "%s/%s%d.npy", folder, kind, i);
    FILE *file = fopen(path, mode);
    if (!file)
        die(WRONG, "%s: cannot be opened", path);
    return file;
}

/* "'shape': (3, 4)," */
static int read_shape(const char *header, int64_t *shape, const char *path)
{
    const char *p = strstr(header, "'shape':");
    int n = 0;
    p = p ? strchr(p, '(') : NULL;
    if (!p)
        die(WRONG, "%s: no shape", path);
    for (p++; *p && *p != ')';) {
        char *end;
        int64_t dim = strtoll(p, &end, 10);
        if (end == p || dim < 0 || n == MAX_RANK)
            die(WRONG, "%s: cannot read the shape", path);
        shape[n++] = dim;
        p = end + strspn(end, ", ");
    }
    return n;
}

static void load(const char *folder, int i, bool old_bool)
{
    struct parameter *p = &parameters[i];
    char path[4096];
    FILE *file = open_file(folder, "arg", i, "rb", path);
    unsigned char *h = (unsigned char *)p->header;
    if (fread(h, 1, 10, file) != 10 || memcmp(h, "\x93NUMPY\1", 7) != 0)
        die(WRONG, "%s: no .npy file", path);
    p->header_len = 10 + h[8] + 256u * h[9];
    if (p->header_len >= sizeof p->header ||
        fread(h + 10, 1, p->header_len - 10, file) != p->header_len - 10)
        die(WRONG, "%s: its head is cut or too long", path);
    p->header[p->header_len] = 0;
    int rank = read_shape(p->header + 10, p->shape, path);
    size_t count = 1;
    for (int d = 0; d < rank; d++)
        count *= (size_t)p->shape[d];
    if (p->is_tensor && p->lanes > 1)
        rank--; /* lanes are the innermost dimension there */
    p->bytes = count * ((p->bits + 7) / 8);
    p->data = fresh(p->bytes);
    if (fread(p->data, 1, p->bytes, file) != p->bytes)
        die(WRONG, "%s: its data are cut", path);
    fclose(file);
    bool boolean = p->code == BOOL;
    p->tensor =
        (struct tensor){.data = p->data,
                        .device_type = 1,
                        .ndim = rank,
                        .code = (uint8_t)(boolean && old_bool ? UINT : p->code),
                        .bits = (uint8_t)(boolean && old_bool ? 1 : p->bits),
                        .lanes = (uint16_t)p->lanes,
                        .shape = p->shape};
}

static void save(const char *folder, int i)
{
    struct parameter *p = &parameters[i];
    char path[4096];
    if (p->stored) {
        FILE *file = open_file(folder, "out", i, "wb", path);
        if (fwrite(p->header, 1, p->header_len, file) != p->header_len ||
            fwrite(p->data, 1, p->bytes, file) != p->bytes || fflush(file) != 0)
            die(WRONG, "%s: cannot be written", path);
        fclose(file);
    }
    free(p->data);
}

static int64_t integer_of(const struct parameter *p)
{
    int64_t value = 0;
    memcpy(&value, p->data, p->bytes < 8 ? p->bytes : 8);
    if (p->code == INT && p->bits < 64)
        value = (int64_t)((uint64_t)value << (64 - p->bits)) >> (64 - p->bits);
    return value;
}

static double number_of(const struct parameter *p)
{
    uint16_t half = 0;
    uint32_t bits;
    float single;
    double value;
    memcpy(&half, p->data, p->bytes < 2 ? p->bytes : 2);
    if (p->code == BFLOAT) {
        bits = (uint32_t)half << 16;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    if (p->bits == 16)
        return (double)__gnu_h2f_ieee(half);
    if (p->bits == 32) {
        memcpy(&single, p->data, sizeof single);
        return (double)single;
    }
    memcpy(&value, p->data, sizeof value);
    return value;
}

/* ---- calling ----------------------------------------------------------------------- */

union value {
    int64_t integer;
    double number;
    void *pointer;
};
struct any { /* TVMFFIAny */
    int32_t type;
    uint32_t zero;
    union value value;
};
typedef int (*ffi_function)(void *handle, const struct any *args, int32_t n,
                            struct any *result);
typedef int (*packed_function)(union value *args, int *codes, int n,
                               union value *result, int *code, void *handle);

static bool is_number(const struct parameter *p)
{
    return p->code != INT && p->code != UINT && p->code != BOOL;
}

static int call_ffi(void *symbol)
{
    struct any args[MAX_PARAMETERS] = {{0}}, result = {0};
    ffi_function f;
    memcpy(&f, &symbol, sizeof f);
    for (int i = 0; i < nparameters; i++) {
        struct parameter *p = &parameters[i];
        if (p->is_tensor) {
            args[i].type = 7;
            args[i].value.pointer = &p->tensor;
        } else if (is_number(p)) {
            args[i].type = 3;
            args[i].value.number = number_of(p);
        } else {
            args[i].type = p->code == BOOL ? 2 : 1;
            args[i].value.integer = integer_of(p);
        }
    }
    return f(NULL, args, nparameters, &result);
}

static int call_packed(void *symbol)
{
    union value args[MAX_PARAMETERS], result = {0};
    int codes[MAX_PARAMETERS], code = 4;
    packed_function f;
    memcpy(&f, &symbol, sizeof f);
    for (int i = 0; i < nparameters; i++) {
        struct parameter *p = &parameters[i];
        codes[i] = p->is_tensor ? 7 : is_number(p) ? 2 : 0;
        if (p->is_tensor)
            args[i].pointer = &p->tensor;
        else if (is_number(p))
            args[i].number = number_of(p);
        else
            args[i].integer = integer_of(p);
    }
    return f(args, codes, nparameters, &result, &code, NULL);
}

struct library {
    void *handle, *symbol;
    bool packed;
};

static bool exports(void *library, const char *const *names)
{
    for (; *names; names++)
        if (dlsym(library, *names))
            return true;
    return false;
}

static void find(struct library *l, const char *path, const char *function)
{
    static const char *const ffi[] = {"__tvm_ffi_library_ctx",
                                      "__TVMFFIFunctionCall",
                                      "__TVMFFIErrorSetRaisedFromCStr", NULL};
    static const char *const packed[] = {"__tvm_module_ctx", "__TVMFuncCall",
                                         "__TVMAPISetLastError", NULL};
    char name[4096];
    l->handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!l->handle)
        die(FAILED, "%s", dlerror());
    snprintf(name, sizeof name, "__tvm_ffi_%s", function);
    l->symbol = dlsym(l->handle, name);
    if (l->symbol)
        return;
    l->symbol = dlsym(l->handle, function);
    if (!l->symbol)
        die(FAILED, "the library exports neither '%s' nor '%s'", name,
            function);
    l->packed = exports(l->handle, packed);
    if (!l->packed && !exports(l->handle, ffi))
        die(FAILED,
            "nothing beside '%s' tells its calling convention: TVM exports "
            "__tvm_module_ctx or __tvm_ffi_library_ctx with it",
            function);
}

/* Pointers of the library that its loader sets. */
#define BACK(name)                       \
    {                                    \
        "__" #name, (void (*)(void))name \
    }
static void give_functions(const struct library *l)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {
        BACK(TVMFuncCall),
        BACK(TVMAPISetLastError),
        BACK(TVMBackendGetFuncFromEnv),
        BACK(TVMBackendAllocWorkspace),
        BACK(TVMBackendFreeWorkspace),
        BACK(TVMBackendParallelLaunch),
        BACK(TVMBackendParallelBarrier),
        BACK(TVMFFIFunctionCall),
        BACK(TVMFFIErrorSetRaisedFromCStr),
        BACK(TVMFFIErrorSetRaisedFromCStrParts),
        BACK(TVMFFIEnvModLookupFromImports),
        BACK(TVMFFIHandleInitOnce),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *pointer = dlsym(l->handle, all[i].name);
        if (pointer)
            memcpy(pointer, &all[i].function, sizeof all[i].function);
    }
}

static bool has_bool(void)
{
    for (int i = 0; i < nparameters; i++)
        if (parameters[i].is_tensor && parameters[i].code == BOOL)
            return true;
    return false;
}

static int call_once(const struct library *l, const char *folder, bool old_bool)
{
    for (int i = 0; i < nparameters; i++)
        load(folder, i, old_bool);
    said[0] = 0;
    return l->packed ? call_packed(l->symbol) : call_ffi(l->symbol);
}

int main(int argc, char **argv)
{
    struct library l = {0};
    if (argc < 4)
        die(WRONG, "usage: call_library LIBRARY FUNCTION PARAMETERS DIR...");
    read_parameters(argv[3]);
    find(&l, argv[1], argv[2]);
    give_functions(&l);
    for (int k = 4; k < argc; k++) {
        /* Bool was uint1 until 0.22; a function that refuses has read nothing
         * but types. */
        int got = call_once(&l, argv[k], l.packed);
        if (got != 0 && !needs_tvm && has_bool())
            got = call_once(&l, argv[k], !l.packed);
        if (got != 0)
            die(needs_tvm ? NEEDS_TVM : FAILED, "'%s' gave %d: %s", argv[2],
                got, *said ? said : "it says no reason");
        for (int i = 0; i < nparameters; i++)
            save(argv[k], i);
    }
    return 0;
}
