/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in which clang 19 at -O2 alone loses a register that a loop reads
 * (docs/findings.md): it ends by a signal then. With the flags of each of our
 * targets for Hexagon it must print what the host's does (cli_hexagon.sh).
 */
#ifndef __hexagon__
#include <stdint.h>
#include <stdio.h>
#endif

static float from[64], to[64];

__attribute__((noinline)) static void work(void)
{
    for (int k = 0; k < 3; k++) {
        for (int q = 0; q < 2; q++) {
            int row[64];
            for (int t = 0; t < 64; t++)
                row[t] = t / 8;
            int64_t column[32];
            for (int t = 0; t < 32; t++)
                column[t] = k + t % 8;
            for (int t = 0; t < 16; t++)
                to[row[t] + column[t]] = row[t] < from[row[t] + column[t]];
        }
    }
}

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        from[i] = (float)(i % 3);
    work();
    for (int i = 0; i < 64; i++)
        sum = sum * 3 + (unsigned)to[i];
    printf("%u\n", sum);
    return 0;
}
