/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments for one run: made from a signature, filled by a recipe, copied to
 * the other side. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_ARGS_H
#define DC_DIFF_ENGINE_ARGS_H

#include "diff/input/input.h"

/* An input with few elements that are not 0: by parameter, NULL where it is
 * as filled; by element. From DIFF_SET on, a number of diff_sparse_value. */
enum diff_sparse_state { DIFF_ZERO, DIFF_AS_FILLED, DIFF_SET };
/* 1, -1, then powers of two: numbers whose sums tell them apart. */
#define DIFF_SPARSE_VALUES 8u
struct diff_sparse {
    const uint8_t *const *state;
};

/* One element against the background of all others of its parameter, far above
 * or below them, so that whatever picks one of many terms, or one bit of them,
 * shows whether it has this one. Elements of other parameters are 1, but for
 * those that index. */
enum diff_spike {
    DIFF_NO_SPIKE,
    DIFF_SPIKE_ABOVE, /* 5 among -1 (every bit set) */
    DIFF_SPIKE_BELOW, /* -5 among 0 (no bit set) */
    DIFF_SPIKE_FAR,   /* 8192 among -1, where the type has it: what should have
                         been taken off overflows in exp */
    DIFF_RAMP_UP,     /* not one element but all of the parameter: each is above
                         the one before */
    DIFF_RAMP_DOWN,
    DIFF_ALONE /* the parameter as the fill and the spice have it, which go into
                  no other */
};

/* Numbers that the modules hold against data, and what sizes and places they
 * name (harvest.c). */
#define DIFF_MAX_PLACE ((int64_t)1 << 40)
struct diff_numbers {
    size_t nints, nfloats, nplaces;
    size_t ncompared; /* of the places, the first: in comparisons */
    int64_t ints[48];
    double floats[32];
    int64_t places[48];
};

/* Special values among those of the fill. */
enum diff_spice_kind {
    DIFF_PLAIN,
    DIFF_CORNERS,    /* numbers of the modules, zeros, the ends of the types */
    DIFF_NOT_FINITE, /* NaN and infinities among floats */
    DIFF_ZEROS,      /* zeros of both signs, most of them negative */
    /* Of floats, beside what the fill gives: */
    DIFF_GROWN,  /* one in so many is 16 times as large, in each round others,
                    each in one of so many rounds */
    DIFF_SCALED, /* all are 512 times as large, less for small types */
    DIFF_OFFSET  /* so much is added to all */
};
struct diff_spice {
    enum diff_spice_kind kind;
    unsigned one_in; /* of so many elements one is special */
    bool wild;       /* integers that index leave their ranges, too */
    unsigned round;  /* of inputs: goes on where the last one ended, through all
                       numbers and their neighbours */
    const struct diff_numbers *numbers;
    /* By parameter and element: those that are not 0 stay as filled; NULL:
     * none. */
    const uint8_t *const *off;
};

/* How the parameters of one run are filled. */
struct diff_recipe {
    enum interp_fill fill;
    uint64_t seed;
    /* Range for integer parameters whose values index; NULL or lo > hi: the
     * fill's own choice. One a parameter. */
    const struct diff_range *ranges;
    /* A step of the sweep through all values of the ranges, from 1 on; 0: the
     * fill's own choice. See diff_sweep_windows. */
    uint64_t sweep;
    const struct diff_range *first; /* ranges whose ends come first */
    enum diff_spike spike;          /* in place of the fill */
    size_t spike_param, spike_element;
    bool ones; /* with it, 1 in all other parameters whose range has it, though
                  they may be addresses */
    struct diff_spice spice;          /* what then becomes of some elements */
    const struct diff_sparse *sparse; /* what then becomes of it, or NULL */
    /* In place of all that, by parameter; NULL, and NULL entries: what files do
     * not give. Of the parameter's type and number of elements. */
    const struct interp_tensor *const *given;
    bool descending; /* threads take their turns from the last to the first */
    /* Tensors get their shapes alone: for questions that no element answers. */
    bool no_contents;
};

/* The integers that a type holds, those of uint64 up to INT64_MAX. */
struct diff_range diff_type_range(struct dtype t);

/* How many steps a sweep takes until some element of a tensor of so many has
 * had each value of the range, and those at its ends. At least 1. */
uint64_t diff_sweep_windows(const struct diff_range *range,
                            const struct diff_range *first, size_t elements);

/* Whether, by its range, a parameter holds addresses, or must be taken to. */
bool diff_may_be_address(struct dtype t, bool indexes,
                         const struct diff_range *range);

/* spice.c: " with NaN and infinities"; "" for none. */
const char *diff_spice_text(enum diff_spice_kind kind);
/* spice.c: puts the recipe's special values into a tensor that is filled. */
void diff_spice_tensor(struct interp_tensor *t,
                       const struct diff_recipe *recipe, size_t param,
                       const struct diff_range *range);

struct diff_args {
    size_t n;
    struct interp_arg *args; /* tensors are owned */
};

/* One argument for each parameter; the symbols' values go to the scalars of
 * their name. The signature's shapes must be known. */
void diff_args_make(struct diff_args *out, const struct interp_signature *sig,
                    const struct interp_symbol *symbols, size_t nsymbols,
                    const struct diff_recipe *recipe);
/* The same contents in the shapes of another signature, position by position;
 * element counts and types must agree. */
void diff_args_copy(struct diff_args *out, const struct interp_signature *sig,
                    const struct diff_args *from);
/* Fills in the enclosures (points) for the interval domain. */
void diff_args_to_boxes(struct diff_args *args);
void diff_args_fini(struct diff_args *args);

/* Which element of a tensor parameter "[2,0]" is, with as many indices as there
 * are dimensions, inside the shape; the first for "". Of vectors the first lane. */
DC_MUST_USE bool diff_element_find(const struct interp_param *param,
                                   const char *indices, size_t *element);

#endif
