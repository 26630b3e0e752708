/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a .npy file. What the reader accepts must be written and read
 * again with the same shape, type and bits. The reader takes a path, so the
 * bytes go through one temporary file, made once and rewritten each time.
 *
 * The first byte chooses the data type that the caller asks for (bfloat16 and
 * float8 arrays are stored as bit patterns); the rest is the file.
 */
#include "fuzz/fuzz.h"
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/diffcheck-npy-XXXXXX";
static bool made;

static void remove_file(void)
{
    unlink(path);
}

static void put_file(const uint8_t *data, size_t size)
{
    FILE *file;

    if (!made) {
        int fd = mkstemp(path);

        if (fd < 0)
            DC_BUG("cannot make a temporary file");
        close(fd);
        atexit(remove_file);
        made = true;
    }
    file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        DC_BUG("cannot write the temporary file");
}

static void check_again(const struct interp_tensor *t, struct dtype as)
{
    struct diag_sink *sink = diag_sink_new();
    struct interp_tensor *again;

    if (!npy_write(path, t, sink))
        DC_BUG("an array that was read cannot be written");
    again = npy_read(path, as, sink);
    if (!again)
        DC_BUG("an array that was written cannot be read");
    if (again->rank != t->rank || again->elements != t->elements ||
        !dtype_equal(again->dtype, t->dtype))
        DC_BUG("shape or type changed");
    for (size_t i = 0; i < t->rank; i++)
        if (again->shape[i] != t->shape[i])
            DC_BUG("extent %zu changed", i);
    for (size_t i = 0; i < t->elements; i++)
        if (interp_tensor_get(again, i) != interp_tensor_get(t, i))
            DC_BUG("element %zu changed", i);
    interp_tensor_free(again);
    diag_sink_free(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum dtype_code codes[] = {DT_VOID, DT_BFLOAT,
                                            DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2};
    struct dtype as = DTYPE_VOID;
    struct diag_sink *sink;
    struct interp_tensor *t;
    enum dtype_code code;

    if (size == 0)
        return 0;
    code = codes[data[0] % DC_ARRAY_LEN(codes)];
    if (code != DT_VOID)
        as = dtype_make(code, code == DT_BFLOAT ? 16 : 8, 1);
    put_file(data + 1, size - 1);
    sink = diag_sink_new();
    t = npy_read(path, as, sink);
    if (!t && diag_error_count(sink) == 0)
        DC_BUG("the reader refuses its input without an error");
    if (t)
        check_again(t, as);
    interp_tensor_free(t);
    diag_sink_free(sink);
    return 0;
}
