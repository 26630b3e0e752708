/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 of a text, in hexadecimal digits as sha256sum prints it: by it a report
 * names the certificate that was written beside it, and anyone with the file can
 * tell that it is that one.
 */
#include "diff/input/words.h"

#include <sha2.h>

void diff_put_digest(struct buf *out, const void *data, size_t len)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, data, len);
    SHA256Final(digest, &c);
    for (size_t i = 0; i < sizeof digest; i++)
        buf_printf(out, "%02x", digest[i]);
}
