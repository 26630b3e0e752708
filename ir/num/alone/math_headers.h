/* SPDX-License-Identifier: Apache-2.0
 *
 * What the mathematics linked to kernels needs of a C library.
 */
#ifndef DC_IR_NUM_ALONE_MATH_HEADERS_H
#define DC_IR_NUM_ALONE_MATH_HEADERS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#endif
