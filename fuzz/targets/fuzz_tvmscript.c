/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through the reader of TVMScript text, old and new dialects. When a
 * module comes out, fuzz/roundtrip.c takes it through the well-formedness
 * check, the printers and back. Seeds: corpora/fuzz/tvmscript; words of the
 * language: corpora/fuzz/tvmscript.dict.
 */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("tvmscript", data, size);
    return 0;
}
