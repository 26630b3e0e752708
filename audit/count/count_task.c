/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks by name. AutoTVM's are templates of TVM whose arguments are known:
 * conv2d_nchw(data, kernel, strides, padding, dilation, …) and so on; layouts are
 * read off the name, blocked ones off the ranks. Ansor's are functions of the user,
 * whose name and arguments are a convention: those of TVM's tutorials (matmul_add,
 * conv2d_layer, sparse_dense) and of the operator benchmarks that follow them
 * (NAME_layer). Where the steps tile loops, the points of these have to be those of
 * the task as it was understood, or the count is refused.
 *
 * Follows python/tvm/topi (nn, cuda, x86, arm_cpu, mali, adreno), vta/python/vta/top
 * and gallery/how_to/tune_with_autoscheduler of TVM 0.6 to 0.18.
 */
#include "audit/count/count.h"
#include "audit/record/record.h"

#include <string.h>

/* Sizes and the like are below this: sums and products of two fit. */
#define MAX_SIZE ((int64_t)1 << 31)

/* One, or -1. */
static int64_t size_of(const struct json_value *v)
{
    int64_t n = audit_json_whole(v, -1);
    return n < MAX_SIZE ? n : -1;
}

/* Of sizes; 0, which is none, where it is too large. */
static int64_t times(int64_t a, int64_t b)
{
    return a > 0 && b > 0 && a <= INT64_MAX / b ? a * b : 0;
}

/* ---- tensors and lists --------------------------------------------------------- */

/* The i-th argument that is a list of 1 to n integers, spread over n. */
static bool read_list(const struct json_value *v, size_t n, int64_t *out)
{
    size_t len = 0;
    int64_t one = size_of(v);
    if (one >= 0)
        for (; len < n; len++)
            out[len] = one;
    if (one >= 0)
        return true;
    if (!audit_json_is(v, JSON_ARRAY))
        return false;
    for (const struct json_value *e = json_first(v); e && len < n;
         e = json_next(e)) {
        out[len] = size_of(e);
        if (out[len++] < 0)
            return false;
    }
    for (; len > 0 && len < n; len++)
        out[len] = out[len - 1];
    return len == n;
}

/* Padding: one number, one an axis, or top, left, bottom, right. */
static bool read_padding(const struct json_value *v, struct audit_window *w)
{
    int64_t all[2 * AUDIT_MAX_SPATIAL];
    bool both = audit_json_is(v, JSON_ARRAY) && json_size(v) == 2 * w->spatial;
    if (!read_list(v, both ? 2 * w->spatial : w->spatial, all))
        return false;
    for (size_t a = 0; a < w->spatial; a++) {
        w->before[a] = all[a];
        w->after[a] = both ? all[w->spatial + a] : all[a];
    }
    return true;
}

/* "SAME" and "VALID" of TensorFlow. */
static bool read_named_padding(const char *word, struct audit_window *w)
{
    for (size_t a = 0; a < w->spatial; a++) {
        int64_t out = (w->in[a] + w->stride[a] - 1) / w->stride[a];
        int64_t need = (out - 1) * w->stride[a] +
                       (w->kernel[a] - 1) * w->dilation[a] + 1 - w->in[a];
        need = need > 0 && strcmp(word, "SAME") == 0 ? need : 0;
        w->before[a] = need / 2;
        w->after[a] = need - need / 2;
    }
    return strcmp(word, "SAME") == 0 || strcmp(word, "VALID") == 0;
}

/* ---- layouts --------------------------------------------------------------------- */

struct layout {
    const char *op;     /* how the task's name goes on behind prefixes */
    const char *data;   /* letters of N, C, and spatial D, H, W */
    const char *kernel; /* of O, I and these; M: outputs a channel */
    bool transpose, depthwise;
};

/* The longest that a name begins with. Blocked layouts have further axes behind:
 * the first is of the channels (of the batch, if there are two). */
static const struct layout layouts[] = {
    {"conv1d_transpose_ncw", "NCW", "IOW", true, false},
    {"conv1d_transpose_nchw", "NCW", "IOW", true, false},
    {"conv2d_transpose_nchw", "NCHW", "IOHW", true, false},
    {"conv2d_transpose_packed", "NCHW", "OIHW", true, false},
    {"conv3d_transpose_ncdhw", "NCDHW", "IODHW", true, false},
    {"conv1d_ncw", "NCW", "OIW", false, false},
    {"conv1d_nwc", "NWC", "WIO", false, false},
    {"conv2d_nhwc", "NHWC", "HWIO", false, false},
    {"conv2d_hwcn", "HWCN", "HWIO", false, false},
    {"conv2d_nchw", "NCHW", "OIHW", false, false},
    {"conv2d_NCHWc", "NCHW", "OIHW", false, false},
    {"conv2d_packed", "NCHW", "OIHW", false, false},
    {"conv2d", "NCHW", "OIHW", false, false}, /* unless an argument says */
    {"conv3d_ncdhw", "NCDHW", "OIDHW", false, false},
    {"conv3d_ndhwc", "NDHWC", "DHWIO", false, false},
    {"group_conv2d_nchw", "NCHW", "OIHW", false, false},
    {"group_conv2d_NCHWc", "NCHW", "OIHW", false, false},
    {"group_conv2d_packed", "NCHW", "OIHW", false, false},
    {"group_conv2d_nhwc", "NHWC", "HWIO", false, false},
    {"depthwise_conv2d_nhwc", "NHWC", "HWOM", false, true},
    {"depthwise_conv2d_nchw", "NCHW", "OMHW", false, true},
    {"depthwise_conv2d_NCHWc", "NCHW", "OMHW", false, true},
};

static const struct layout *find_layout(const char *name)
{
    const struct layout *best = NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(layouts); i++) {
        size_t n = strlen(layouts[i].op);
        if (strncmp(name, layouts[i].op, n) == 0 &&
            (best == NULL || n > strlen(best->op)))
            best = &layouts[i];
    }
    return best;
}

static const char *bare_name(const char *task)
{
    static const char *const prefixes[] = {"topi_nn_", "topi_x86_", "topi_"};
    for (size_t i = 0; i < DC_ARRAY_LEN(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(task, prefixes[i], n) == 0)
            return task + n;
    }
    return task;
}

/* The extent of an axis by its letter; spatial ones from the last: 0 is W. */
static int64_t axis_of(const struct audit_shape *s, const char *letters, char c)
{
    const char *at = strchr(letters, c);
    size_t i = at ? (size_t)(at - letters) : s->rank;
    return i < s->rank ? s->dims[i] : 1;
}

static bool read_data(const struct audit_shape *s, const char *letters,
                      struct audit_window *w)
{
    static const char names[] = "DHW";
    size_t n = strlen(letters), extra = s->rank - n;
    if (s->rank < n || extra > 2)
        return false;
    w->batch = axis_of(s, letters, 'N');
    w->in_channels = axis_of(s, letters, 'C');
    if (extra == 1)
        w->in_channels = times(w->in_channels, s->dims[n]);
    if (extra == 2) {
        w->batch = times(w->batch, s->dims[n]);
        w->in_channels = times(w->in_channels, s->dims[n + 1]);
    }
    w->spatial = n - 2;
    for (size_t a = 0; a < w->spatial; a++)
        w->in[a] = axis_of(s, letters, names[3 - w->spatial + a]);
    w->input = s->dtype;
    return s->typed;
}

static bool read_kernel(const struct audit_shape *s, const struct layout *l,
                        struct audit_window *w)
{
    static const char names[] = "DHW";
    size_t n = strlen(l->kernel), extra = s->rank - n;
    int64_t outputs, inputs;
    if (s->rank < n || extra > 2)
        return false;
    outputs = axis_of(s, l->kernel, 'O');
    inputs = axis_of(s, l->kernel, l->depthwise ? 'M' : 'I');
    /* Channels that are blocked: which is which makes no difference to their
     * product, unless they are grouped, where they are equal (vta). */
    if (extra > 0 && l->depthwise) {
        for (size_t i = 0; i < extra; i++)
            outputs = times(outputs, s->dims[n + i]);
    } else if (extra == 2) {
        bool vta = strstr(l->op, "packed") != NULL;
        outputs = times(outputs, s->dims[n + (vta ? 0 : 1)]);
        inputs = times(inputs, s->dims[n + (vta ? 1 : 0)]);
    } else if (extra == 1) {
        outputs = times(outputs, s->dims[n]);
    }
    w->out_channels = l->depthwise ? times(outputs, inputs) : outputs;
    w->groups = l->depthwise ? w->in_channels
                : inputs > 0 ? w->in_channels / inputs
                             : 0;
    for (size_t a = 0; a < w->spatial; a++)
        w->kernel[a] = axis_of(s, l->kernel, names[3 - w->spatial + a]);
    w->weight = s->dtype;
    return s->typed && w->groups > 0;
}

/* ---- AutoTVM ------------------------------------------------------------------------ */

/* The arguments of a task: its tensors, then what is not one. */
struct arguments {
    size_t n;
    const struct json_value *rest[16];
    struct dtype output; /* the last type that is named */
    bool typed;
};

static void read_arguments(const struct json_value *list, struct arguments *out)
{
    for (const struct json_value *v = list ? json_first(list) : NULL; v;
         v = json_next(v)) {
        const char *tag = audit_json_word(audit_json_at(v, 0)),
                   *word = audit_json_word(v);
        struct dtype t;
        if (tag != NULL && strcmp(tag, "TENSOR") == 0)
            continue;
        if (out->n < DC_ARRAY_LEN(out->rest))
            out->rest[out->n++] = v;
        if (word != NULL && dtype_parse(word, &t)) {
            out->output = t;
            out->typed = true;
        }
    }
}

/* Winograd's templates by name, in 0.1 by the config's `t`. */
static bool is_winograd(const struct audit_record *r,
                        const struct json_value *root)
{
    const struct json_value *in = audit_json_either(root, "input", "i");
    const struct json_value *config = json_find(root, "config");
    if (config == NULL)
        config = audit_json_at(in, 5);
    const char *kind = config ? audit_json_word(json_find(config, "t")) : NULL;
    return strstr(r->task, "winograd") != NULL ||
           (kind != NULL && strstr(kind, "winograd") != NULL);
}

static bool count_convolution(const struct audit_record *r,
                              const struct layout *l,
                              const struct arguments *args, bool fast,
                              struct arena *arena, struct audit_count *out)
{
    struct audit_window w = {.groups = 1, .transpose = l->transpose};
    struct layout own = *l;
    size_t i = 0;
    for (size_t k = 0; k < args->n; k++) {
        const char *word = audit_json_word(args->rest[k]);
        if (word && strcmp(word, "NHWC") == 0) {
            own.data = "NHWC";
            own.kernel = "HWIO";
        }
    }
    if (r->nargs < 2 || !read_data(&r->args[0], own.data, &w) ||
        !read_kernel(&r->args[1], &own, &w) || args->n < 2 ||
        !read_list(args->rest[i++], w.spatial, w.stride) ||
        !read_padding(args->rest[i++], &w))
        return false;
    for (size_t a = 0; a < w.spatial; a++)
        w.dilation[a] = 1;
    if (l->transpose)
        (void)read_list(args->rest[args->n - 1], w.spatial, w.further);
    else if (i < args->n && audit_json_is(args->rest[i], JSON_ARRAY) &&
             !read_list(args->rest[i], w.spatial, w.dilation))
        return false;
    w.output = args->typed ? args->output : w.input;
    w.winograd = fast;
    return audit_window_count(&w, arena, out);
}

static double elements(const struct audit_shape *s)
{
    double n = 1;
    for (size_t i = 0; i < s->rank; i++)
        n *= (double)s->dims[i];
    return n;
}

/* Rows of m by k with weights of n by k, n from the number of weights. */
static bool count_product(const struct audit_record *r, double batch, double m,
                          double k, double outputs, struct dtype output,
                          struct arena *arena, struct audit_count *out)
{
    const struct audit_shape *a = &r->args[0], *b = &r->args[1];
    double macs = batch * m * k * outputs;
    bool floats = dtype_is_float(a->dtype);
    if (!(macs > 0) || !a->typed || !b->typed)
        return false;
    out->source = AUDIT_TASK;
    out->ops[AUDIT_MUL] = out->ops[AUDIT_ADD] = floats ? macs : 0;
    out->ints = floats ? 0 : 2 * macs;
    out->least[audit_class_of(a->dtype)] = 2 * macs;
    out->has_bytes = out->exact_bytes = true;
    out->bytes = elements(a) * (double)dtype_lane_bytes(a->dtype) +
                 elements(b) * (double)dtype_lane_bytes(b->dtype) +
                 batch * m * outputs * (double)dtype_lane_bytes(output);
    out->how = arena_printf(arena, "2 * %.0f outputs * %.0f terms = %.0f",
                            batch * m * outputs, k, 2 * macs);
    return true;
}

static bool count_dense(const struct audit_record *r,
                        const struct arguments *args, struct arena *arena,
                        struct audit_count *out)
{
    const struct audit_shape *a = &r->args[0];
    double m = 0, k = 0;
    if (r->nargs < 2)
        return false;
    if (a->rank == 2) {
        m = (double)a->dims[0];
        k = (double)a->dims[1];
    } else if (a->rank == 4) { /* blocked: m, k, rows of m, columns of k */
        m = (double)a->dims[0] * (double)a->dims[2];
        k = (double)a->dims[1] * (double)a->dims[3];
    }
    return k > 0 &&
           count_product(r, 1, m, k, elements(&r->args[1]) / k,
                         args->typed ? args->output : a->dtype, arena, out);
}

static bool count_batched(const struct audit_record *r, struct arena *arena,
                          struct audit_count *out)
{
    const struct audit_shape *a = &r->args[0], *b = &r->args[1];
    if (r->nargs < 2 || a->rank != 3 || b->rank != 3)
        return false;
    double k = (double)a->dims[2], batches = (double)b->dims[0],
           batch = (double)(a->dims[0] > b->dims[0] ? a->dims[0] : b->dims[0]);
    return k > 0 && batches > 0 &&
           count_product(r, batch, (double)a->dims[1], k,
                         elements(b) / k / batches, a->dtype, arena, out);
}

bool audit_count_autotvm(const struct audit_record *record, struct arena *arena,
                         struct audit_count *out)
{
    struct json_doc *doc = audit_record_parse(record, NULL);
    const struct json_value *root = doc ? json_root(doc) : NULL;
    const char *name = bare_name(record->task);
    const struct layout *l = find_layout(name);
    struct arguments args = {0};
    bool fine = false;
    if (doc == NULL)
        return false;
    read_arguments(audit_json_at(audit_json_either(root, "input", "i"), 2),
                   &args);
    if (l != NULL)
        fine = count_convolution(record, l, &args, is_winograd(record, root),
                                 arena, out);
    else if (strncmp(name, "dense", 5) == 0)
        fine = count_dense(record, &args, arena, out);
    else if (strncmp(name, "batch_matmul", 12) == 0)
        fine = count_batched(record, arena, out);
    json_free(doc);
    if (!fine)
        out->how = arena_printf(arena,
                                "the task '%s' is not one whose "
                                "operations are known",
                                record->task);
    return fine;
}

/* ---- Ansor: functions with names ------------------------------------------------------ */

struct key {
    const struct json_value *root;
    struct arena *arena;
    struct audit_count *out;
    double points; /* of the stage that is tiled: multiply-adds */
};

static int64_t number(const struct key *k, size_t i)
{
    return size_of(audit_json_at(k->root, i));
}

/* m by k with k by n, batch times, and `further` operations an output. */
static bool named_product(struct key *key, int64_t batch, int64_t m, int64_t n,
                          int64_t k, double further)
{
    struct audit_count *out = key->out;
    double outputs = (double)batch * (double)m * (double)n,
           macs = outputs * (double)k;
    if (batch <= 0 || m <= 0 || n <= 0 || k <= 0)
        return false;
    out->ops[AUDIT_MUL] = macs;
    out->ops[AUDIT_ADD] = macs + further * outputs;
    out->least[AUDIT_F32] = 2 * macs + further * outputs;
    out->bytes =
        4 * ((double)batch * ((double)m * (double)k + (double)k * (double)n) +
             (1 + further) * outputs);
    out->how = arena_printf(key->arena, "2 * %.0f outputs * %lld terms = %.0f",
                            outputs, (long long)k, 2 * macs);
    key->points = macs;
    return true;
}

/* stride or [strides], then padding or its name, at elements i and i + 1. */
static bool named_window(struct key *k, struct audit_window *w, size_t i)
{
    const struct json_value *padding = audit_json_at(k->root, i + 1);
    w->dilation[0] = w->dilation[1] = 1;
    w->input = w->weight = w->output = DTYPE_FLOAT32;
    if (!read_list(audit_json_at(k->root, i), 2, w->stride) ||
        w->stride[0] <= 0 || w->stride[1] <= 0)
        return false;
    bool fine = audit_json_word(padding)
                    ? read_named_padding(audit_json_word(padding), w)
                    : read_padding(padding, w);
    fine = fine && audit_window_count(w, k->arena, k->out);
    if (fine)
        k->points = w->pooling ? 0 : k->out->ops[AUDIT_MUL];
    return fine;
}

/* The tutorial's (N, H, W, CO, CI, KH, KW, strides, padding), or the benchmarks'
 * (N, CI, H, W, CO, KH, KW, stride, "SAME"). */
static bool named_convolution(struct key *k, bool depthwise)
{
    struct audit_window w = {.spatial = 2, .groups = 1, .batch = number(k, 1)};
    size_t at = 2;
    bool tutorial =
        !depthwise && audit_json_is(audit_json_at(k->root, 8), JSON_ARRAY);
    if (!tutorial)
        w.in_channels = number(k, at++);
    w.in[0] = number(k, at++);
    w.in[1] = number(k, at++);
    w.out_channels = depthwise ? w.in_channels : number(k, at++);
    if (tutorial)
        w.in_channels = number(k, at++);
    if (depthwise)
        w.groups = w.in_channels;
    w.kernel[0] = number(k, at++);
    w.kernel[1] = number(k, at++);
    if (!named_window(k, &w, at))
        return false;
    if (tutorial) { /* a bias and a relu behind it */
        double outputs = k->out->ops[AUDIT_MUL] /
                         (double)(w.in_channels * w.kernel[0] * w.kernel[1]);
        k->out->ops[AUDIT_ADD] += outputs;
        k->out->ops[AUDIT_COMPARE] += outputs;
    }
    return true;
}

/* ("avg", N, C, H, W, KH, KW, stride, padding) */
static bool named_pool(struct key *k)
{
    struct audit_window w = {.spatial = 2,
                             .groups = 1,
                             .batch = number(k, 2),
                             .in_channels = number(k, 3),
                             .out_channels = number(k, 3),
                             .in = {number(k, 4), number(k, 5)},
                             .kernel = {number(k, 6), number(k, 7)},
                             .pooling = true};
    return named_window(k, &w, 8);
}

/* (N, C, H, W): a maximum each. (shape, axes, keep): a sum over axes. */
static bool named_elements(struct key *k, bool reduction)
{
    const struct json_value *shape =
        reduction ? audit_json_at(k->root, 1) : k->root;
    const struct json_value *axes = audit_json_at(k->root, 2);
    double n = 1, outputs = 1;
    size_t axis = 0;
    if (!audit_json_is(shape, JSON_ARRAY))
        return false;
    const struct json_value *v = json_first(shape);
    for (v = reduction || !v ? v : json_next(v); v; v = json_next(v), axis++) {
        int64_t extent = audit_json_whole(v, -1);
        bool summed = false;
        if (extent <= 0)
            return false;
        for (const struct json_value *a =
                 reduction && audit_json_is(axes, JSON_ARRAY) ? json_first(axes)
                                                              : NULL;
             a; a = json_next(a))
            summed = summed || audit_json_whole(a, -1) == (int64_t)axis;
        n *= (double)extent;
        outputs *= summed ? 1 : (double)extent;
    }
    k->out->ops[reduction ? AUDIT_ADD : AUDIT_COMPARE] = n;
    k->out->least[AUDIT_F32] = n;
    k->out->bytes = 4 * (n + outputs);
    k->out->how = arena_printf(k->arena, "%.0f elements, an operation each", n);
    return axis > 0;
}

/* (M, N, K, [blocks, rows, columns], [blocks], [rows + 1], type) */
static bool named_sparse(struct key *k)
{
    const struct json_value *data = audit_json_at(k->root, 4);
    int64_t size[3];
    double m = (double)number(k, 1), n = (double)number(k, 2);
    if (!audit_json_is(data, JSON_ARRAY) || json_size(data) != 3 ||
        !read_list(data, 3, size) || m <= 0 || n <= 0)
        return false;
    double stored = (double)size[0] * (double)size[1] * (double)size[2];
    k->out->ops[AUDIT_MUL] = k->out->ops[AUDIT_ADD] = m * stored;
    k->out->least[AUDIT_F32] = 2 * m * stored;
    k->out->bytes = 4 * (stored + m * n);
    k->out->how =
        arena_printf(k->arena, "2 * %.0f rows * %.0f stored weights = %.0f", m,
                     stored, 2 * m * stored);
    return true;
}

static bool count_name(struct key *k, const char *name)
{
    if (strcmp(name, "matmul_add") == 0) /* N, L, M: n by l with l by m */
        return named_product(k, 1, number(k, 1), number(k, 3), number(k, 2), 1);
    if (strcmp(name, "matmul_layer") == 0) /* M, K, N */
        return named_product(k, 1, number(k, 1), number(k, 3), number(k, 2), 0);
    if (strcmp(name, "batch_matmul_layer") == 0) /* B, H, M, K, N */
        return named_product(k, times(number(k, 1), number(k, 2)), number(k, 3),
                             number(k, 5), number(k, 4), 0);
    if (strcmp(name, "conv2d_layer") == 0 ||
        strcmp(name, "depthwise_conv2d_layer") == 0)
        return named_convolution(k, *name == 'd');
    if (strcmp(name, "pool_layer") == 0)
        return named_pool(k);
    if (strcmp(name, "relu_layer") == 0 || strcmp(name, "reduction_layer") == 0)
        return named_elements(k, name[2] == 'd');
    if (strcmp(name, "sparse_dense") == 0)
        return named_sparse(k);
    return false;
}

bool audit_count_named(const struct audit_record *record, struct arena *arena,
                       struct audit_count *out)
{
    struct json_doc *doc =
        json_parse(record->key, strlen(record->key), record->file, NULL);
    struct key k = {
        .root = doc ? json_root(doc) : NULL, .arena = arena, .out = out};
    double points;
    bool fine = doc != NULL && count_name(&k, record->task);
    json_free(doc);
    if (fine && k.points > 0 && audit_steps_points(record, &points) &&
        points != k.points) {
        *out = (struct audit_count){.saving = 1};
        out->how = arena_printf(arena,
                                "the steps tile %.0f points, '%s' as it is "
                                "known has %.0f: another function",
                                points, record->task, k.points);
        return false;
    }
    if (fine) {
        out->source = AUDIT_TASK;
        out->has_bytes = true;
    } else {
        *out = (struct audit_count){.saving = 1};
    }
    return fine;
}
