/* SPDX-License-Identifier: Apache-2.0
 *
 * What a foreign program may not touch: files outside of its folders, and the
 * network. Linux sees to it, by Landlock (5.13 and later) and a filter of system
 * calls; where it cannot, the program runs without. Private to diff/harness.
 */
#ifndef DC_DIFF_HARNESS_CONFINE_H
#define DC_DIFF_HARNESS_CONFINE_H

#include "ir/base/base.h"

/* From here on this process and its children write no file but below `folders`
 * (NULL-terminated) and /dev/null, make no socket but those of this machine, and
 * get no further rights by what they run. For the time between fork and exec: calls
 * nothing that may not be called there. False with errno if the system can and
 * refuses; true where it cannot, in part or at all. */
bool diff_confine(const char *const *folders);

/* What the system here cannot keep programs from, "writing files; the network";
 * NULL: nothing. */
const char *diff_confine_lacks(void);

#endif
