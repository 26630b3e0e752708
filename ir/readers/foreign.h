/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that people have beside modules and give in their place. Private to
 * ir/readers/.
 */
#ifndef DC_IR_READERS_FOREIGN_H
#define DC_IR_READERS_FOREIGN_H

#include <stddef.h>

/* What the file is, and what to do instead, in one sentence; NULL: it is none of
 * those that are known. Looks at no more than its beginning. */
const char *ir_foreign_answer(const char *text, size_t len);
/* The same of a text that no reader knows, by what it holds. */
const char *ir_foreign_words(const char *text, size_t len);

#endif
