/* SPDX-License-Identifier: Apache-2.0
 *
 * CMocka needs these four headers in this order; only this file has them.
 */
#ifndef DC_TESTS_TEST_H
#define DC_TESTS_TEST_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#endif
