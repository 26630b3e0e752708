/* SPDX-License-Identifier: Apache-2.0
 *
 * Which device a target names: `cuda -model=1080ti`, `nvidia/geforce-gtx-1080-ti`,
 * {"kind": "llvm", "mcpu": "core-avx2"}. A tag, a model, an architecture and a
 * processor count, in this order; kinds ("cuda"), keys ("mali", "adreno") and
 * baselines ("x86-64") name no device.
 */
#include "audit/audit.h"
#include "audit/record/record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum device_kind { GPU, FAMILY, SOC };

static const struct audit_device devices[] = {
// clang-format off
#define DEVICE(n, m, k, f64, f32, f16, i, gb, mb, from) \
    {.name = n, .match = m, .cpu = (k) == SOC, .family = (k) == FAMILY, \
     .gflops = {f64, f32, f16, i}, .gbs = gb, .cache = mb, .source = from},
#define CPU(n, m, f64, f32, f16, i, hz, most, gb, mb, from) \
    {.name = n, .match = m, .cpu = true, .family = true, \
     .gflops = {f64, f32, f16, i}, .ghz = hz, .cores = most, .gbs = gb, \
     .cache = mb, .source = from},
// clang-format on
#include "audit/devices/devices.def"
#undef DEVICE
#undef CPU
};
/* ---- targets -------------------------------------------------------------------- */

/* The parts of a target that count, with small letters and digits alone. */
struct named {
    char kind[32], tag[64], model[64], arch[64], mcpu[64];
    int64_t cores;
};

/* Behind the last slash, without words that models are called with or without. */
static void simplify(const char *text, size_t len, size_t room, char *out)
{
    static const char *const passed[] = {"nvidia", "geforce", "tesla", "quadro",
                                         "radeon"};
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < room; i++) {
        if (text[i] == '/')
            n = 0;
        else if (isalnum((unsigned char)text[i]))
            out[n++] = (char)tolower((unsigned char)text[i]);
    }
    out[n] = '\0';
    for (size_t i = 0; i < DC_ARRAY_LEN(passed); i++) {
        size_t m = strlen(passed[i]);
        if (strncmp(out, passed[i], m) == 0 && out[m] != '\0')
            memmove(out, out + m, strlen(out + m) + 1);
    }
}

static void note(struct named *out, const char *key, size_t klen,
                 const char *value, size_t len)
{
    static const char *const keys[] = {"tag", "model", "arch", "mcpu", "kind"};
    char *const at[] = {out->tag, out->model, out->arch, out->mcpu, out->kind};
    const size_t room[] = {sizeof out->tag, sizeof out->model, sizeof out->arch,
                           sizeof out->mcpu, sizeof out->kind};
    for (size_t i = 0; i < DC_ARRAY_LEN(keys); i++)
        if (strlen(keys[i]) == klen && memcmp(keys[i], key, klen) == 0)
            simplify(value, len, room[i], at[i]);
    if (klen == 9 && memcmp(key, "num-cores", 9) == 0 && len < 10) {
        char digits[16] = {0};
        memcpy(digits, value, len);
        out->cores = strtol(digits, NULL, 10);
    }
}

/* `kind -key=value -key value`, or a tag. */
static void read_words(const char *target, struct named *out)
{
    size_t n = strcspn(target, " ");
    if (memchr(target, '/', n) != NULL)
        note(out, "tag", 3, target, n);
    else
        note(out, "kind", 4, target, n);
    for (const char *p = target + n; *p;) {
        p += strspn(p, " ");
        size_t len = strcspn(p, " ");
        const char *equals = memchr(p, '=', len);
        if (*p == '-' && equals != NULL)
            note(out, p + 1, (size_t)(equals - p) - 1, equals + 1,
                 (size_t)(p + len - equals) - 1);
        p += len;
    }
}

static void read_object(const struct json_value *v, struct named *out)
{
    for (const struct json_value *m = json_first(v); m; m = json_next(m)) {
        const char *text = audit_json_word(m);
        if (json_type(m) == JSON_NUMBER)
            text = json_number_token(m);
        if (text != NULL)
            note(out, json_key(m), strlen(json_key(m)), text, strlen(text));
    }
}

static void read_target(const char *target, struct named *out)
{
    struct json_doc *doc = NULL;
    *out = (struct named){0};
    if (*target == '{')
        doc = json_parse(target, strlen(target), "", NULL);
    if (doc != NULL)
        read_object(json_root(doc), out);
    else
        read_words(target, out);
    json_free(doc);
}

static bool has_match(const char *match, const char *field, const char *value)
{
    size_t n = strlen(field), m = strlen(value);
    for (const char *p = match; m > 0 && *p;) {
        size_t len = strcspn(p, " ");
        if (len == n + 1 + m && memcmp(p, field, n) == 0 && p[n] == ':' &&
            memcmp(p + n + 1, value, m) == 0)
            return true;
        p += len + (p[len] == ' ');
    }
    return false;
}

const struct audit_device *audit_device_find(const char *target, int64_t *cores)
{
    struct named t;
    read_target(target, &t);
    *cores = t.cores;
    bool cpu = strcmp(t.kind, "llvm") == 0 || strcmp(t.kind, "c") == 0 ||
               strcmp(t.kind, "hexagon") == 0;
    const struct {
        const char *field, *value;
    } asked[] = {{"model", t.tag},
                 {"model", t.model},
                 {"arch", t.arch},
                 {"mcpu", t.mcpu}};
    for (size_t i = 0; i < DC_ARRAY_LEN(asked); i++)
        for (size_t k = 0; k < DC_ARRAY_LEN(devices); k++) {
            const struct audit_device *d = &devices[k];
            bool fits = *t.kind == '\0' || d->cpu == cpu;
            if (fits && has_match(d->match, asked[i].field, asked[i].value))
                return d;
        }
    return NULL;
}
