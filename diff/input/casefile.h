/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files: two modules, what is known about their inputs and the verdict
 * they should get, in one text (corpora/README.md). Private to diff/.
 */
#ifndef DC_DIFF_INPUT_CASEFILE_H
#define DC_DIFF_INPUT_CASEFILE_H

#include "diff/input/options.h"

/* A module's text: in the case file, or in a file that it names. */
struct diff_casetext {
    uint32_t line;    /* of the section; 0: there is none */
    const char *file; /* beside the case file; NULL: text */
    const char *text; /* as many line breaks as the case has before it, so that
                         messages count the case's lines, then the section */
    size_t len;
};

struct diff_casefile {
    const char *path;
    struct diff_casetext module;      /* the untuned side */
    struct diff_casetext transformed; /* the tuned side */
    /* the contract, and the line of each item */
    size_t nassumes, nshapes, noverlaps, nproperties;
    struct diff_range *assumes;
    struct interp_symbol *shapes;
    struct diff_overlap *overlaps;
    struct diff_property *properties;
    uint32_t *assume_lines, *shape_lines, *overlap_lines, *property_lines;
    const char *barriers; /* "explicit", "implied", or NULL */
    bool seeded;
    uint64_t seed;
    const char *fill;     /* or NULL */
    uint32_t expect_line; /* 0: nothing is expected */
    enum report_verdict expect;
};

/* Whether a path names a case file: it ends in ".case". */
bool diff_casefile_is(const char *path);
/* Reads the case file that is the line's only operand into options: its
 * contract before what the line says, so that the line wins. Everything is in
 * options->arena. False with diagnostics (case.*). */
DC_MUST_USE bool diff_casefile_load(struct diff_options *options,
                                    struct diag_sink *sink);
/* Whether some function of the module has a parameter or a size of that name. */
bool diff_is_named(const struct ir_module *m, const char *name,
                   struct arena *arena);
/* One side's module, as diff_module_load gives it; NULL with diagnostics,
 * also where the contract names what no function has. */
struct ir_module *diff_casefile_module(const struct diff_options *options,
                                       const struct diff_casetext *side,
                                       struct diag_sink *sink);

#endif
