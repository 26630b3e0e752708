/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises what is often given where a module is wanted: what TVM writes
 * beside modules (tuning databases, traces, exported libraries), pickles,
 * arrays, archives, other compilers' texts. Each is known by how it begins, and
 * none of these beginnings is one of a module: its JSON is an object whose keys
 * are none of those below, its script has a decorator.
 */
#include "ir/readers/foreign.h"

#include <stdbool.h>
#include <string.h>

#define LOOKED_AT 65536u /* bytes of a text that are searched */

#define TO_JSON   "save the module itself with tvm.ir.save_json(mod)"
#define A_TRACE   "apply it: diffcheck schedule WORKLOAD TRACE -o tuned.json"
#define A_LIBRARY                                                           \
    "it holds machine code, no tensor IR: give the module that it was "     \
    "built from, saved with tvm.ir.save_json; a library that TVM exported " \
    "can stand for a side with '--library tuned=FILE'"

/* How files of binary data begin. */
static const struct {
    size_t at, n;
    const char *bytes, *answer;
} magics[] = {
    {0, 4,
     "\x7f"
     "ELF",
     "a shared object or an object file: " A_LIBRARY},
    {0, 8, "!<arch>\n", "a static library: " A_LIBRARY},
    {0, 4, "\xcf\xfa\xed\xfe", "a library of macOS: " A_LIBRARY},
    {0, 4, "\xca\xfe\xba\xbe", "a library of macOS: " A_LIBRARY},
    {0, 4, "MZ\x90\0", "a library of Windows: " A_LIBRARY},
    {257, 5, "ustar", "a tar archive: " A_LIBRARY},
    {0, 6,
     "\x93"
     "NUMPY",
     "an array of NumPy, no module: give it with '--in NAME=FILE.npy' or "
     "'--expect NAME=FILE.npy'"},
    {0, 4, "PK\x03\x04",
     "a zip archive, no module: unpack it, and give the "
     "module in it, or of a bundle the folder; of Python objects, " TO_JSON},
    {0, 3, "\x1f\x8b\x08", "compressed by gzip: unpack it first"},
    {0, 4, "\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first"},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     "compressed by xz: unpack it first"},
    {0, 4, "BC\xc0\xde", "LLVM bitcode, no tensor IR: " TO_JSON},
};

/* How texts begin, blanks left out; the second word, if any, is further on. */
static const struct {
    const char *start, *holds, *answer;
} texts[] = {
    {"[[[\"", NULL, "a schedule trace, no module: " A_TRACE},
    {"[[],[", NULL, "a schedule trace without steps, no module: " A_TRACE},
    {"{\"i\":[[\"[", NULL,
     "a log of Ansor, whose records hold steps and no module: replay one "
     "(auto_scheduler.load_best_record, task.apply_best), and save the module "
     "that it gives with tvm.ir.save_json"},
    {"{\"input\":[\"", "\"config\"",
     "a log of AutoTVM, whose records hold choices and no module: lower the "
     "task with one (autotvm.apply_history_best), and save the module that "
     "it gives with tvm.ir.save_json"},
    {"{\"nodes\":[{\"op\":", "\"arg_nodes\"",
     "a graph of the graph executor, which names kernels and does not hold "
     "them: " TO_JSON " before it is built"},
    {"#[version=\"", NULL,
     "the text of a Relay program: lower it to PrimFuncs, and " TO_JSON},
    {";ModuleID", NULL,
     "LLVM IR, no tensor IR: " TO_JSON " before it is built"},
    {"//ModuleID", NULL,
     "LLVM IR, no tensor IR: " TO_JSON " before it is built"},
};

/* What Python and C files hold that are no modules. */
static const struct {
    const char *holds, *answer;
} words[] = {
    {"def apply_trace(", "a schedule trace in Python, no module: run it on a "
                         "Schedule of the module, and save sch.mod with "
                         "tvm.ir.save_json"},
    {"sch.get_block(",
     "a schedule in Python, no module: run it, and save sch.mod "
     "with tvm.ir.save_json"},
    {"sch.get_sblock(", "a schedule in Python, no module: run it, and save "
                        "sch.mod with tvm.ir.save_json"},
    {"__global__ ",
     "a CUDA program, no tensor IR: " TO_JSON " before it is built"},
    {"__kernel ",
     "an OpenCL program, no tensor IR: " TO_JSON " before it is built"},
    {"TVM_DLL ",
     "C that TVM has generated, no tensor IR: " TO_JSON " before it is built"},
    {"def @main(",
     "the text of a Relay program: lower it to PrimFuncs, and " TO_JSON},
};

/* The beginning of the text without blanks. */
struct beginning {
    char bytes[64];
    size_t n;
};

static struct beginning begin(const char *text, size_t len)
{
    struct beginning b = {.n = 0};
    for (size_t i = 0; i < len && b.n < sizeof b.bytes; i++)
        if (strchr(" \t\r\n", text[i]) == NULL || text[i] == '\0')
            b.bytes[b.n++] = text[i];
    return b;
}

static bool begins(const struct beginning *b, const char *with)
{
    size_t n = strlen(with);
    return b->n >= n && memcmp(b->bytes, with, n) == 0;
}

static bool holds(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    const char *end = text + (len < LOOKED_AT ? len : LOOKED_AT), *at = text;
    while ((size_t)(end - at) >= n &&
           (at = memchr(at, word[0], (size_t)(end - at) - n + 1)) != NULL) {
        if (memcmp(at, word, n) == 0)
            return true;
        at++;
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Lines of MetaSchedule's two files: ["hash", "base64 of JSON"] and
 * [number of the workload, [[trace], …]]. */
static const char *of_metaschedule(const struct beginning *b)
{
    size_t i = 1;
    if (b->n < 4 || b->bytes[0] != '[')
        return NULL;
    if (b->bytes[1] == '"') {
        i = b->bytes[2] == '-' ? 3 : 2;
        while (i < b->n && is_digit(b->bytes[i]))
            i++;
        return i > 2 && i + 3 <= b->n && memcmp(b->bytes + i, "\",\"", 3) == 0
                   ? "the workloads of a MetaSchedule database, a line each: "
                     "name one as FILE:LINE, the first is 1"
                   : NULL;
    }
    while (i < b->n && is_digit(b->bytes[i]))
        i++;
    return i > 1 && i + 2 <= b->n && memcmp(b->bytes + i, ",[", 2) == 0
               ? "the records of a MetaSchedule database, a line each: name "
                 "one "
                 "as FILE:LINE, the first is 1; its workload stands in the "
                 "file beside it, and is named so, too"
               : NULL;
}

/* A pickle of protocol 2 to 5. */
static bool is_pickle(const char *text, size_t len)
{
    return len > 3 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

const char *ir_foreign_answer(const char *text, size_t len)
{
    struct beginning b = begin(text, len);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (len >= magics[i].at + magics[i].n &&
            memcmp(text + magics[i].at, magics[i].bytes, magics[i].n) == 0)
            return magics[i].answer;
    if (is_pickle(text, len))
        return "a Python pickle, which is not read, since reading one runs "
               "what is in it: load it in Python, and " TO_JSON;
    const char *answer = of_metaschedule(&b);
    for (size_t i = 0; answer == NULL && i < sizeof texts / sizeof *texts; i++)
        if (begins(&b, texts[i].start) &&
            (texts[i].holds == NULL || holds(text, len, texts[i].holds)))
            answer = texts[i].answer;
    return answer;
}

const char *ir_foreign_words(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(text, len, words[i].holds))
            return words[i].answer;
    return NULL;
}
