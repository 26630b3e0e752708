/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through the reader of TVM's JSON, all six eras. When a module
 * comes out, fuzz/roundtrip.c takes it through the well-formedness check, the
 * printers and back. Seeds: corpora/fuzz/tvmjson; words of the format:
 * corpora/fuzz/tvmjson.dict.
 */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("tvmjson", data, size);
    return 0;
}
