/* SPDX-License-Identifier: Apache-2.0
 *
 * Input contracts as text: NAME:LO..HI, NAME:distinct, overlap=A,B and NAME=N mean the same
 * after --assume and --shape and in a case file.
 */
#include "diff/input/contract.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tensors are as a whole ---- */

static const struct {
    const char *word;
    unsigned kind;
} words[] = {{"distinct", DIFF_DISTINCT},
             {"sorted", DIFF_SORTED},
             {"permutation", DIFF_PERMUTATION}};

/* 0: none of them. */
static unsigned property_parse(const char *word)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].kind;
    return 0;
}

const char *diff_property_word(unsigned kind)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++)
        if (words[i].kind == kind)
            return words[i].word;
    return "";
}

void diff_property_put(struct buf *out, unsigned kinds)
{
    const char *between = "";
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++) {
        if (!(kinds & words[i].kind))
            continue;
        buf_printf(out, "%s%s%s", between,
                   words[i].kind == DIFF_PERMUTATION ? "a " : "",
                   words[i].word);
        between = " and ";
    }
}

/* ---- text ---- */

/* Decimal integer in [text, text + len). */
static bool parse_int(const char *text, size_t len, int64_t *out)
{
    char digits[24];
    char *end;
    if (len == 0 || len >= sizeof digits)
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    if (digits[0] == ' ' || digits[0] == '+')
        return false;
    errno = 0;
    long long value = strtoll(digits, &end, 10);
    if (*end || errno)
        return false;
    *out = value;
    return true;
}

/* Finite decimal number in [text, text + len). */
static bool parse_real(const char *text, size_t len, double *out)
{
    char digits[48];
    char *end;
    if (len == 0 || len >= sizeof digits ||
        strspn(text, "+-.0123456789eE") < len)
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    *out = strtod(digits, &end);
    return !*end && *out >= -DBL_MAX && *out <= DBL_MAX;
}

/* The integers in least..most, as far as they are int64. */
static void set_integers(struct diff_range *range)
{
    const double end = 9007199254740992.0; /* beyond, doubles have gaps */
    range->lo = range->least < -end ? INT64_MIN : (int64_t)range->least;
    range->hi = range->most > end ? INT64_MAX : (int64_t)range->most;
    if (range->least >= -end && (double)range->lo < range->least)
        range->lo++;
    if (range->most <= end && (double)range->hi > range->most)
        range->hi--;
}

static const char overlap_word[] = "overlap=";

bool diff_contract_is_overlap(const char *text)
{
    return strncmp(text, overlap_word, sizeof overlap_word - 1) == 0;
}

bool diff_contract_overlap(struct arena *arena, const char *text,
                           struct diff_overlap *out)
{
    text += sizeof overlap_word - 1;
    size_t len = strcspn(text, ",");
    out->first = arena_strndup(arena, text, len);
    out->second = text[len] ? arena_strdup(arena, text + len + 1) : "";
    return len > 0 && *out->second && !strchr(out->second, ',') &&
           strcmp(out->first, out->second) != 0;
}

bool diff_contract_range(struct arena *arena, const char *text,
                         struct diff_range *out)
{
    const char *colon = strrchr(text, ':');
    const char *dots = colon ? strstr(colon, "..") : NULL;
    memset(out, 0, sizeof *out);
    if (!dots || colon == text)
        return false;
    size_t len = (size_t)(dots - colon - 1);
    out->text = arena_strdup(arena, colon + 1);
    out->name = arena_strndup(arena, text, (size_t)(colon - text));
    if (parse_int(colon + 1, len, &out->lo) &&
        parse_int(dots + 2, strlen(dots + 2), &out->hi)) {
        out->least = (double)out->lo;
        out->most = (double)out->hi;
        return out->lo <= out->hi;
    }
    if (!parse_real(colon + 1, len, &out->least) ||
        !parse_real(dots + 2, strlen(dots + 2), &out->most))
        return false;
    set_integers(out);
    return out->least <= out->most;
}

bool diff_contract_property(struct arena *arena, const char *text,
                            struct diff_property *out)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return false;
    out->name = arena_strndup(arena, text, (size_t)(colon - text));
    out->kinds = property_parse(colon + 1);
    return out->kinds != 0;
}

bool diff_contract_shape(struct arena *arena, const char *text,
                         struct interp_symbol *out)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text ||
        !parse_int(equals + 1, strlen(equals + 1), &out->value) ||
        out->value < 0)
        return false;
    out->name = arena_strndup(arena, text, (size_t)(equals - text));
    return true;
}
