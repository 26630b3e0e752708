/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference interpreter: runs any function of a module by the rules of
 * docs/semantics.md in a chosen value domain, checks every access, and says
 * what went wrong where.
 *
 * A run binds arguments (tensors and scalars) to one function's parameters,
 * executes, and leaves the parameters' new contents in place together with
 * per-element state. Nothing is global; a run touches only its own memory.
 */
#ifndef DC_INTERP_INTERP_H
#define DC_INTERP_INTERP_H

#include "ir/ir.h"

struct num_profile; /* ir/num/profile.h */

/* ---- tensors ------------------------------------------------------------------------ */

/* Per-element state, or-ed. */
enum interp_state {
    INTERP_DEFINED = 1,   /* holds a value (not uninitialised, not undefined) */
    INTERP_INEXACT = 2,   /* some operation this value, its control or its
                           addresses depend on was inexact */
    INTERP_WRITTEN = 4,   /* stored to during the run */
    INTERP_SKIPPED = 8,   /* not computed in a sliced run */
    INTERP_WRAPPED = 32,  /* depends on an int32 or int64 operation that wrapped
                           (rule 9); only between calls of one run: `wraps` */
    INTERP_SYMBOLIC = 128 /* keyed domains: the value is in box, not in bits */
};

/* A value of a keyed domain (interp/keyed/keyed.h): an element of (Z/p0 x Z/p1) that
 * stands for an expression of the inputs, and what is known about it. */
struct interp_sym {
    uint64_t lane[2];
    uint8_t type;    /* keyed_type of the value's type */
    uint8_t narrow;  /* type it was exactly widened from, or its own */
    uint8_t exact;   /* narrowest type of the operands of the one rounded
                        operation that made it; KEYED_NO_TYPE: not known */
    uint8_t props;   /* enum keyed_prop */
    uint32_t degree; /* as a polynomial of what is not known */
};

/* A value of the domain `bound`: docs/semantics.md, rules B1 to B7. */
struct interp_bound {
    uint64_t bits; /* the machine number, as in the domain ieee */
    double error;  /* at least the distance to the value over the reals, casts
                      between floats left out; infinite: nothing is known */
    double terms;  /* at least the sum of the absolute terms */
};

/* What stands beside the bytes of a value: 24 bytes in every domain. */
union interp_box {
    struct num_interval range;
    struct interp_bound bound;
    struct interp_sym sym;
};

/* How a tensor keeps a value: the least of the processor's integers that holds
 * the type's bits, signed for signed integers. */
enum interp_cell {
    INTERP_CELL_I8,
    INTERP_CELL_I16,
    INTERP_CELL_I32,
    INTERP_CELL_I64,
    INTERP_CELL_U8,
    INTERP_CELL_U16,
    INTERP_CELL_U32,
    INTERP_CELL_U64
};
static inline size_t interp_cell_bytes(enum interp_cell cell)
{
    return (size_t)1 << (cell & 3);
}

/* One argument: row-major, no padding, in the value domain's cell format.
 * Element type keeps its lanes: elements = product(shape) * lanes. Values are
 * read and written by interp_tensor_get, _set and _copy. */
struct interp_tensor {
    struct dtype dtype;
    size_t rank;
    int64_t *shape;
    size_t elements;       /* product(shape) * dtype.lanes */
    enum interp_cell cell; /* of cells */
    bool odd_nans;         /* some float may be a NaN but the quiet one */
    struct {
        uint64_t magnitude, infinity, quiet;
    } nan;                 /* of the type, if it is one of the common floats */
    void *cells;           /* the value of each element */
    union interp_box *box; /* other domains; NULL in ieee */
    uint8_t *state;        /* enum interp_state per element */
};

/* The bits of element i as num.h has them. */
static inline uint64_t interp_tensor_get(const struct interp_tensor *t,
                                         size_t i)
{
    switch (t->cell) {
    case INTERP_CELL_I8:
        return (uint64_t)(int64_t)((const int8_t *)t->cells)[i];
    case INTERP_CELL_I16:
        return (uint64_t)(int64_t)((const int16_t *)t->cells)[i];
    case INTERP_CELL_I32:
        return (uint64_t)(int64_t)((const int32_t *)t->cells)[i];
    case INTERP_CELL_U8: return ((const uint8_t *)t->cells)[i];
    case INTERP_CELL_U16: return ((const uint16_t *)t->cells)[i];
    case INTERP_CELL_U32: return ((const uint32_t *)t->cells)[i];
    case INTERP_CELL_I64:
    case INTERP_CELL_U64: break;
    }
    return ((const uint64_t *)t->cells)[i];
}

/* Sets element i; bits that its type does not have are lost. */
static inline void interp_tensor_set(struct interp_tensor *t, size_t i,
                                     uint64_t bits)
{
    switch (t->cell) {
    case INTERP_CELL_I8:
    case INTERP_CELL_U8: ((uint8_t *)t->cells)[i] = (uint8_t)bits; break;
    case INTERP_CELL_I16:
    case INTERP_CELL_U16: ((uint16_t *)t->cells)[i] = (uint16_t)bits; break;
    case INTERP_CELL_I32:
    case INTERP_CELL_U32: ((uint32_t *)t->cells)[i] = (uint32_t)bits; break;
    case INTERP_CELL_I64:
    case INTERP_CELL_U64: ((uint64_t *)t->cells)[i] = bits; break;
    }
    if ((bits & t->nan.magnitude) > t->nan.infinity && bits != t->nan.quiet)
        t->odd_nans = true;
}

struct interp_tensor *interp_tensor_new(struct dtype dtype, size_t rank,
                                        const int64_t *shape);
struct interp_tensor *interp_tensor_clone(const struct interp_tensor *t);
/* The values of another tensor of this type and number of elements. */
void interp_tensor_copy(struct interp_tensor *to,
                        const struct interp_tensor *from);
void interp_tensor_free(struct interp_tensor *t);
/* "[2, 0, 5]" of a flat element index. */
void interp_put_index(struct buf *out, const struct interp_tensor *t,
                      size_t element);

/* One actual parameter, matched by position. */
struct interp_arg {
    struct interp_tensor
        *tensor;                 /* borrowed, changed in place; NULL = scalar */
    struct dtype dtype;          /* scalar */
    uint64_t bits;               /* scalar */
    const union interp_box *box; /* scalar of a keyed domain; NULL: bits */
};

/* ---- value domains --------------------------------------------------------------------- */

enum interp_domain_kind {
    INTERP_IEEE,     /* bit-exact machine arithmetic */
    INTERP_INTERVAL, /* floats are enclosures of the real-valued semantics with
                       float casts erased; integers stay exact */
    /* Keyed domains: a value that depends on the inputs is an element of a
     * large finite algebra in which operations are keyed random functions, but
     * for the laws that the domain admits. Equal results of two programs are
     * equal expressions up to those laws, with a chance of error that
     * interp_keyed_log2_error bounds. docs/semantics.md, rules F1 to F15. */
    INTERP_ORDER,        /* the laws that hold bit for bit */
    INTERP_AC,           /* + x min max are associative and commutative */
    INTERP_FIELD,        /* + - x / exp of real numbers */
    INTERP_FIELD_NOCAST, /* the same without conversions between floats */
    INTERP_BOUND,   /* machine arithmetic, each float with a bound on its error
                     and the sum of its absolute terms */
    INTERP_TERMS,   /* machine arithmetic; the terms of chosen elements are
                     recorded in options.terms */
    INTERP_LENIENT, /* machine arithmetic in which minima and maxima do not hang
                      on the order of NaNs, and 0 times anything is 0
                      (domains/lenient.c) */
    INTERP_UNLISTED = 64 /* and above: domains that nothing else knows of, by
                            their place in the build's table */
};
/* Names of all domains, in the order of their files, with blanks between. */
void interp_domain_names(struct buf *out);
/* The domain of that name ("ieee", "interval", …); false: there is none. */
bool interp_domain_find(const char *name, enum interp_domain_kind *out);
bool interp_domain_is_keyed(enum interp_domain_kind kind);

/* ---- faults -------------------------------------------------------------------------------- */

enum interp_fault_kind {
    INTERP_OK,
    /* faults of the program: make a module `unsafe` */
    INTERP_OUT_OF_BOUNDS,
    INTERP_RACE,
    INTERP_BARRIER_DIVERGENCE,
    INTERP_INDEX_OVERFLOW,
    INTERP_DIVISION, /* by zero, or INT_MIN / -1 */
    INTERP_ASSERT,   /* failed assert, assume or shape check */
    INTERP_UNDEFINED_VAR,
    INTERP_UNINITIALISED, /* undefined value in an address, condition,
                             extent; outputs are judged by the caller from
                             their state */
    INTERP_ASYNC,         /* async copy read or overwritten too early */
    /* not faults: the run could not be finished */
    INTERP_UNSUPPORTED, /* names the construct */
    INTERP_BUDGET,      /* steps used up */
    INTERP_UNDECIDED,   /* interval domain: a condition or address depends on
                              an enclosure that does not decide it */
    INTERP_BAD_ARGS,    /* arguments do not match the parameters */
    INTERP_NFAULTS
};
const char *interp_fault_name(enum interp_fault_kind kind);
bool interp_is_fault(enum interp_fault_kind kind); /* program faults only */

/* An access to memory: when, by whom, to what; zeros: none. */
struct interp_access {
    uint32_t time, thread; /* the clock and the number of races.c */
    uint32_t slot;         /* of the storage */
    size_t offset, size;   /* bytes */
    bool write;
};
/* Where a statement was when something happened. */
struct interp_scene {
    const struct ir_stmt *stmt; /* in the module that was run, or NULL */
    char *vars; /* heap: "vi = 10, k_0 = 2": of the variables that it mentions,
                   then of the loops around it; or NULL */
    char *thread; /* heap: "blockIdx.x 3, threadIdx.x 0"; or NULL */
};
void interp_scene_fini(struct interp_scene *scene);

struct interp_result {
    enum interp_fault_kind fault;
    char *message;      /* heap; NULL when OK: "buffer 'B' index 1 is 9, …" */
    struct ir_pos pos;  /* of the statement or expression at fault */
    char *where;        /* heap: the statement as text, one line; may be NULL */
    const char *buffer; /* name of the buffer concerned, or NULL */
    struct interp_scene scene; /* of the fault */
    struct interp_access race; /* what it races with (INTERP_RACE), and */
    bool race_writes;          /* whether the access at fault is a write */
    struct interp_scene other; /* that of options.watch, once it was met */
    uint64_t steps;            /* work done */
    bool inexact;              /* any float operation rounded */
    bool control_inexact;      /* a condition or address depended on rounding */
    bool
        implicit_barriers; /* rule 3 supplied barriers that the module lacks: */
    size_t nimplied;       /* before so many statements, of which */
    char *implied;         /* the first is this; heap; NULL: none */
    char *beyond;  /* rule 15, a claim that does not hold: the first index that
                     leaves the declared shape and stays in the storage, as
                     "buffer 'V' index 0 is 9, …"; heap; NULL: none */
    bool unchosen; /* the fault is in an arm that its Select leaves: what
                            TVM makes lazy later (rule 8) */
    bool data_dependent; /* control or an address depended on loaded data */
    bool blames_data; /* with a fault: what it is about may have done so, too,
                         the address, divisor, assertion, undefined value */
    bool has_atomics;
    bool order_open; /* partials of threads met in an order that counts: some
                        exact value is marked inexact for that (rule 5) */
    /* keyed domains */
    uint64_t keyed_ops;   /* operations on values that are not known */
    uint32_t degree;      /* the largest of any such value */
    unsigned assumptions; /* enum interp_assumption */
};
void interp_result_fini(struct interp_result *result);

/* ---- running ----------------------------------------------------------------------------------- */

/* What a keyed domain took for granted, or-ed. */
enum interp_assumption {
    INTERP_NON_NAN = 1,  /* no NaN reaches a min or max */
    INTERP_FINITE = 2,   /* 0 times a value is 0 */
    INTERP_IN_RANGE = 4, /* the lowest finite value is a unit of max */
    INTERP_GENERIC = 8   /* an exponent is not linear in the inputs: the chance
                            of error is not bounded */
};

/* Which engine runs a PrimFunc. All give the same results; steps of the fast
 * one count its own work (interp/fast/README.md). */
enum interp_engine {
    INTERP_ENGINE_AUTO, /* the fast one where it can, else the walker */
    INTERP_ENGINE_WALK, /* the tree walker alone: the slow oracle */
    INTERP_ENGINE_FAST  /* the fast one; what it does not know is
                           INTERP_UNSUPPORTED (tests, benchmarks) */
};

/* The domain bound: of programs other than this one (B7). */
enum interp_loose {
    INTERP_LOOSE_FUNCTIONS = 1, /* functions are less than exact */
    INTERP_LOOSE_ORDER = 2      /* terms and factors are combined in any order,
                                   divisions are approximate */
};

struct interp_options {
    enum interp_domain_kind domain;
    enum interp_engine engine;
    bool compile_only;      /* interp_speed's: find out, run nothing */
    uint64_t max_steps;     /* 0: no limit; one step is one expression node */
    bool share_small;       /* tests: on several threads however little it is */
    bool check_races;       /* on unless told otherwise */
    bool explicit_barriers; /* none but those that the module has (rule 3) */
    bool wraps;       /* on exit, states say what wrapped, for the next call */
    bool descending;  /* threads, blocks and iterations of parallel loops
                               take their turns from the last to the first:
                               another order of atomic updates (rule 24) */
    unsigned threads; /* to run on; 0: one. Changes no result, no count and
                           no message */
    /* Slice: when not NULL, only the work that these output elements need is
     * done (see interp_slice). demand[i] belongs to parameter i: NULL = none
     * demanded; else one byte per element, nonzero = wanted. */
    const uint8_t *const *demand;
    /* Terms: when terms is not NULL, the values that are combined into one
     * element of one parameter are recorded (see struct interp_terms). Domain
     * INTERP_TERMS only. */
    struct interp_terms *terms;
    /* How one element of one parameter came about, when not NULL; not together
     * with terms. Engine WALK, domain ieee. */
    struct interp_formula *formula;
    /* The other access of a race, when not NULL: what an earlier run of the
     * same program on the same input left in interp_result.race. */
    const struct interp_access *watch;
    /* Domains ieee and terms, PrimFuncs: another arithmetic than the
     * reference's (docs/semantics.md, rules A1 to A21); NULL: the reference */
    const struct num_profile *profile;
    uint64_t key;   /* keyed domains: equal keys, equal algebras */
    bool relaxed;   /* keyed domains: FINITE and IN_RANGE may be assumed */
    unsigned loose; /* domain bound: enum interp_loose, whose errors count */
};
struct interp_options interp_default_options(void);

/* Runs one function (PrimFunc or Relax) of the module. The tensors' bits (or
 * boxes) and states are read and changed in place: on entry the states say
 * which elements are defined (normally all). Symbolic dimensions are bound
 * from the tensors' shapes. For Relax functions the result values come back in
 * `outputs`: see interp_run_relax. Never aborts on any module that a reader
 * returned. */
struct interp_result interp_run(const struct ir_module *module,
                                const struct ir_func *func, size_t nargs,
                                struct interp_arg *args,
                                const struct interp_options *options);

/* A number for what the function is under a profile: equal for profiles that
 * make the same program of it and compute single operations alike. 0: it cannot
 * be rewritten. */
uint64_t interp_profile_print(const struct ir_module *module,
                              const struct ir_func *func,
                              const struct num_profile *profile);

/* How many steps of the plain interpreter one step of a run stands for: more
 * than one where the fast engine can run it. The tensors' contents do not
 * matter. */
double interp_speed(const struct ir_module *module, const struct ir_func *func,
                    size_t nargs, struct interp_arg *args,
                    const struct interp_options *options);

/* Relax entry: inputs for each parameter in order; on success *outputs gets a
 * heap array of *noutputs fresh tensors (tuples flattened). */
struct interp_result interp_run_relax(const struct ir_module *module,
                                      const struct ir_func *func, size_t nargs,
                                      struct interp_arg *args,
                                      const struct interp_options *options,
                                      struct interp_tensor ***outputs,
                                      size_t *noutputs);

/* ---- signatures ----------------------------------------------------------------------------------- */

/* What a function takes, as needed to make inputs. */
struct interp_param {
    const char *name;
    bool is_tensor;
    struct dtype dtype;
    size_t rank;
    int64_t *shape;         /* dims; -1 where symbolic and not given */
    const char **dim_names; /* name of the symbolic variable, or NULL */
    bool stored; /* the function stores to it (or may, through a pointer) */
    bool loaded;
    bool indexes; /* its values may reach an address, extent or condition */
    bool partial; /* its values may reach what some of them have no result for:
                     a divisor, a shift count, clz, a float's conversion to an
                     integer, an assertion */
};
struct interp_signature {
    size_t nparams;
    struct interp_param *params;
    size_t nsymbols;      /* distinct symbolic dimensions and scalar names */
    const char **symbols; /* in order of first occurrence */
};
/* Allocated in arena. False with a diagnostic if the function's parameters are
 * beyond what the interpreter can bind. symbols: values for symbolic
 * dimensions, as name/value pairs; NULL/0 for none. */
struct interp_symbol {
    const char *name;
    int64_t value;
};
DC_MUST_USE bool interp_signature(const struct ir_module *module,
                                  const struct ir_func *func,
                                  const struct interp_symbol *symbols,
                                  size_t nsymbols, struct arena *arena,
                                  struct interp_signature *out,
                                  struct diag_sink *sink);

/* ---- inputs ----------------------------------------------------------------------------------------- */

enum interp_fill {
    INTERP_FILL_EXACT,    /* nonzero small integers: sums and products exact */
    INTERP_FILL_RANDOM,   /* uniform in [-1, 1) or the integer type's range */
    INTERP_FILL_UNIT,     /* uniform in [0, 1) */
    INTERP_FILL_BOUNDARY, /* zeros of both signs, subnormals, extremes, ±1 */
    INTERP_FILL_RANGE,    /* wide exponents: stresses overflow and underflow */
    INTERP_FILL_TINY, /* products of two next to the least normal number, some
                         subnormal themselves: shows flushing to zero */
    INTERP_FILL_POSITIVE, /* small whole numbers above 0 */
    INTERP_FILL_NEGATIVE, /* below 0; of unsigned types the largest */
    INTERP_FILL_LOWEST,   /* one number everywhere: the type's least integer,
                             of floats one far below 0 */
    INTERP_FILL_HIGHEST,  /* the same at the other end */
    INTERP_FILL_SIGNS,    /* 1 and -1, odd integers: no factor is lost, and two
                             seeds of a kind complement each other */
    INTERP_FILL_ZERO,
    INTERP_FILL_INDEX /* integers in [lo, hi] given by the caller */
};
const char *interp_fill_name(enum interp_fill fill);
/* Counter-based generator: element i of parameter p under seed s is a function
 * of (s, p, i) alone, so results do not depend on order or threads. lo..hi
 * limit integers when lo <= hi. The tensor's elements become DEFINED. */
void interp_fill_tensor(struct interp_tensor *t, enum interp_fill fill,
                        uint64_t seed, size_t param, int64_t lo, int64_t hi);
/* Copies bits into boxes (points) for the interval domain. */
void interp_tensor_to_box(struct interp_tensor *t);
/* The same for any domain; nothing where its values are no boxes or where its
 * leaves need a key. */
void interp_tensor_to_points(struct interp_tensor *t,
                             enum interp_domain_kind domain);

/* ---- keyed domains: leaves and comparison ---------------------------------- */

/* Makes every element that is defined a value that is not known: a leaf named
 * by (options->key, param, element) of options->domain. */
void interp_tensor_to_leaves(struct interp_tensor *t,
                             const struct interp_options *options,
                             size_t param);
/* The same for a scalar parameter. */
union interp_box interp_scalar_leaf(struct dtype t,
                                    const struct interp_options *options,
                                    size_t param);
/* Whether element i of two tensors of one type, from runs with these options,
 * is the same value. Undefined elements are like nothing. */
struct interp_keyed;
struct interp_keyed *interp_keyed_new(const struct interp_options *options);
void interp_keyed_free(struct interp_keyed *k);
bool interp_keyed_same(struct interp_keyed *k, const struct interp_tensor *a,
                       const struct interp_tensor *b, size_t i);
/* A number for element i: equal for elements that are the same value. 0 if it
 * is undefined. */
uint64_t interp_keyed_print(struct interp_keyed *k,
                            const struct interp_tensor *t, size_t i);
/* log2 of a bound on the chance that any two of n values are equal by
 * accident, degree being the largest of them (design.md 4.2). */
double interp_keyed_log2_error(enum interp_domain_kind domain, double n,
                               double degree);

/* .npy (version 1.0 and 2.0, C order): float16/32/64, ints, bool; bfloat16 and
 * float8 as uint16/uint8 bit patterns when `as` says so (as.code != DT_VOID). */
DC_MUST_USE struct interp_tensor *npy_read(const char *path, struct dtype as,
                                           struct diag_sink *sink);
/* Whether NumPy can name the scalar type; files hold bit patterns of others. */
bool npy_is_native(struct dtype t);
DC_MUST_USE bool npy_write(const char *path, const struct interp_tensor *t,
                           struct diag_sink *sink);

/* ---- explanation: the terms of one element --------------------------------------------------------- */

/* Ordered list of the updates of one output element: each time the element (or
 * the scratch cell it is copied from) is stored, the loads that the stored
 * value was computed from. */
struct interp_term {
    uint64_t key;      /* identifies the loads: parameter and element of each */
    uint64_t bits;     /* the cell's value after this update */
    struct dtype type; /* of the cell: an accumulator's may be another one */
    const char *text;  /* "A[3, 2] * B[2, 5]": parameter elements combined in */
    /* with interp_terms.sources: */
    const char *source; /* what the program adds, indices as numbers: "P[7] *
                           B[2, 5]"; "" where that is no store statement */
    struct dtype dtype; /* type of that term */
    uint64_t value;     /* its value, if known */
    bool known;
    size_t natoms;         /* the loads: elements of parameters, in the order
                              of evaluation */
    const uint64_t *atoms; /* parameter << 40 | flat element */
};
struct interp_terms {
    struct arena *arena;       /* in: where the terms go */
    size_t param;              /* in: which parameter */
    size_t element;            /* in: which flat element of it */
    size_t max;                /* in: at most so many are kept */
    bool sources;              /* in: sources and values, too */
    struct interp_terms *next; /* in: another element of the same run */
    size_t n;                  /* out */
    struct interp_term *items; /* out */
    bool truncated;            /* out */
};

/* ---- formulas: how an element came about ---------------------------------------------------------- */

enum interp_form_kind {
    INTERP_FORM_ATOM,      /* element of a parameter, or a scalar one */
    INTERP_FORM_NUMBER,    /* what depends on no input: a number */
    INTERP_FORM_UNDEFINED, /* read before it was written */
    INTERP_FORM_COPY,      /* args[0], stored once more */
    INTERP_FORM_OP         /* an operation of the program on args */
};

/* A store that was made: the statement, and its variables then. */
struct interp_made {
    const struct ir_stmt *stmt;
    size_t nvars;
    const struct ir_var *const *vars; /* those that it mentions come first */
    const int64_t *values;
    uint32_t storage; /* where: which storage of the run, */
    size_t offset;    /* and the byte of it */
    bool wrapped;     /* it depends on an operation that overflowed */
};

/* A value of a run, as the program computed it. Shared parts are shared: a
 * directed graph without cycles, arguments before their users. */
struct interp_form {
    enum interp_form_kind kind;
    struct dtype dtype;
    uint64_t hash; /* equal for equal computations, whatever is copied */
    uint64_t bits; /* its value; of an OP that is not stored 0 */
    uint32_t param;
    size_t element;       /* ATOM: flat */
    enum ir_expr_kind op; /* OP; IR_CALL: of `name` */
    const char *name;
    uint32_t nargs;
    const struct interp_form *const *args;
    const struct interp_made *made; /* this was stored, by what; or NULL */
};

struct interp_formula {
    struct arena *arena; /* in: where it goes */
    size_t param;        /* in: which parameter */
    size_t element;      /* in: which flat element of it */
    size_t max;          /* in: at most so many nodes are made in the run */
    bool whole;          /* in: all that is stored is listed, too */
    const struct interp_form *root; /* out: NULL: it was not stored to */
    bool truncated;                 /* out: too large, or not followed: root
                                       is NULL then */
    bool met; /* out: threads reduced together in the run */
    /* out, of `whole`: each has `made`; in the order of the run, up to where it
     * could not be followed any more, or ended */
    size_t nstores;
    const struct interp_form *const *stores;
};

#endif
