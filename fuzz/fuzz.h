/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. A target is one file fuzz/targets/fuzz_X.c that
 * defines LLVMFuzzerTestOneInput; the build makes replay_X of it with any
 * compiler, and fuzz_X with clang when DC_FUZZ is on. A broken property ends
 * the process through DC_BUG.
 */
#ifndef DC_FUZZ_FUZZ_H
#define DC_FUZZ_FUZZ_H

#include "ir/ir.h"

/* The entry point that libFuzzer and replay.c call; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the bytes as the format of that name and, when a module comes out,
 * checks what must hold of it (fuzz_check_module). Bad input must leave an
 * error in the sink. */
void fuzz_read(const char *format, const uint8_t *data, size_t size);

/* Writing and the well-formedness check end normally on any module. What is
 * written as text, or as JSON of the module's era, reads back equal; JSON of
 * another era reads back. A writer may refuse, with an error; a well-formed
 * module that came from text is not refused as text. Equal modules hash
 * equally. */
void fuzz_check_module(const struct ir_module *module);

#endif
