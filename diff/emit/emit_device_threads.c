/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads on a device: where a program for a CPU has a loop over threads, a
 * kernel has the statements themselves, under the mask if there is one, so that
 * barriers stand where all threads of a block come by. What one thread alone
 * needs is a variable, what others read is shared by the block.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* Bytes of a block's shared storage, and of private storage of all of its
 * threads, that are still declared as such; more becomes global memory. */
#define SHARED_BYTES 49152
#define OWN_BYTES    (1 << 20)
#define THREAD_BYTES 16384

void emit_barrier(struct emitter *em)
{
    struct device_code *d = em->device;
    if (d == NULL || em->kernel == NULL || d->barrier_at == em->out->len)
        return;
    emit_line(em, emit_is_opencl(em)
                      ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
                      : "__syncthreads();");
    d->barrier_at = em->out->len;
}

void emit_device_section_open(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (k->mask != NULL)
        emit_open_brace(em, "if (%s)", k->mask);
    else
        emit_open_brace(em, "%s", "");
    k->in_thread = true;
    k->inner_loops = 0;
}

void emit_device_section_close(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    k->left |= k->leaves;
    k->in_thread = false;
    emit_close_brace(em);
}

/* One thread for all of the block, which it numbers by `tid`. */
void emit_device_serial_open(struct emitter *em)
{
    if (em->device == NULL) {
        emit_thread_loop_open(em);
        return;
    }
    emit_barrier(em);
    emit_open_brace(em, "if (tid == 0)");
    emit_open_brace(em, "for (int tid = 0; tid < %lld; tid++)",
                    (long long)em->kernel->nthreads);
    emit_indices(em);
    emit_unused(em);
    em->kernel->in_thread = true;
}

void emit_device_serial_close(struct emitter *em)
{
    if (em->device == NULL) {
        emit_thread_loop_close(em);
        return;
    }
    em->kernel->in_thread = false;
    emit_close_brace(em);
    emit_close_brace(em);
    emit_barrier(em);
}

/* ---- values of threads ------------------------------------------------------------- */

static const char *shared_word(const struct emitter *em)
{
    return emit_is_opencl(em) ? "__local" : "__shared__";
}

void emit_thread_array(struct emitter *em, const char *type, const char *name,
                       bool zero)
{
    long long n = em->kernel != NULL ? (long long)em->kernel->nthreads : 1;
    if (em->device == NULL || em->kernel == NULL) {
        emit_line(em, "%s %s[%lld]%s;", type, name, n, zero ? " = {0}" : "");
        return;
    }
    buf_printf(&em->device->head, "    %s %s %s[%lld];\n", shared_word(em),
               type, name, n);
    em->device->shared_bytes += 8 * n;
    if (zero)
        emit_line(em, "%s[tid] = 0;", name);
}

const char *emit_thread_value(struct emitter *em, const char *type,
                              const char *name, const char *init)
{
    name = emit_name_make(em, name);
    if (em->device != NULL) {
        emit_line(em, "%s %s = %s;", type, name, init);
        return name;
    }
    emit_line(em, "%s %s[%lld] = {%s};", type, name,
              (long long)em->kernel->nthreads, init);
    return emit_text_printf(em, "%s[tid]", name);
}

const char *emit_device_most(struct emitter *em, const char *type,
                             const char *name, const char *own)
{
    long long n = (long long)em->kernel->nthreads;
    const char *all = emit_name_make(em, emit_text_printf(em, "all_%s", name));
    emit_thread_array(em, type, all, false);
    emit_barrier(em);
    emit_line(em, "%s[tid] = %s;", all, own);
    emit_barrier(em);
    emit_line(em, "%s %s = 0;", type, name);
    emit_line(em, "for (int other_tid = 0; other_tid < %lld; other_tid++)", n);
    emit_line(em, "    %s = %s[other_tid] > %s ? %s[other_tid] : %s;", name,
              all, name, all, name);
    return name;
}

/* ---- storage -------------------------------------------------------------------------- */

/* Whether text mentions a name that only the kernel has. */
static bool needs_kernel(const struct emitter *em, const char *text)
{
    for (size_t i = em->device->mark; i < em->names.len; i++)
        if (emit_mentions(text, em->names.items[i]))
            return true;
    return false;
}

/* Global memory in place of what a block or a thread has for its own. */
static const char *put_scratch(struct emitter *em, const char *name,
                               const char *type, size_t unit, const char *size,
                               int64_t copies, const char *which)
{
    struct device_code *d = em->device;
    if (needs_kernel(em, size)) {
        emit_refuse(em, "storage whose size only a kernel knows");
        return name;
    }
    const char *memory =
        emit_name_make(em, emit_text_printf(em, "%s_memory", name));
    struct host_name h = {.name = memory, .type = type, .is_memory = true};
    h.bytes = emit_text_printf(em, "(size_t)(%s) * %lld * %zu * (%s)", size,
                               (long long)copies, unit, d->groups);
    vec_push(&d->names, h);
    const char *group =
        em->kernel == NULL ? "0"
        : emit_is_opencl(em)
            ? "(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + "
              "get_num_groups(1) * get_group_id(2)))"
            : "(blockIdx.x + (size_t)gridDim.x * (blockIdx.y + "
              "(size_t)gridDim.y * blockIdx.z))";
    emit_line(em, "%s%s *const %s = %s + (%s * %lld + %s) * (size_t)(%s);",
              emit_is_opencl(em) ? "__global " : "", type, name, memory, group,
              (long long)copies, which, size);
    return name;
}

static void host_storage(struct emitter *em, const struct ir_buffer *b,
                         const char *name, const char *type, const char *size)
{
    size_t unit = dtype_lane_bytes(dtype_scalar(b->dtype));
    if (emit_place_of(b->scope) != PLACE_GLOBAL) {
        vec_push(&em->host_allocs, b); /* each launch has its own */
    } else if (emit_is_opencl(em)) {
        emit_line(em, "cl_mem %s = device_get((size_t)(%s) * %zu);", name, size,
                  unit);
    } else {
        emit_line(em, "%s *%s = (%s *)device_get((size_t)(%s) * %zu);", type,
                  name, type, size, unit);
    }
    emit_host_define(em, name, type, true);
    em->device->names.items[em->device->names.len - 1].absent =
        emit_place_of(b->scope) != PLACE_GLOBAL;
    em->space[b->data->id] = emit_is_opencl(em) ? "__global " : NULL;
}

/* As many bytes as shared storage takes: wmma wants 32 bytes of alignment. */
#define SHARED_ALIGNMENT 128

static int64_t aligned(int64_t bytes)
{
    return (bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
}

/* Storage that threads share: declared at the start of the kernel. */
static const char *put_shared(struct emitter *em, const char *name,
                              const char *type, long long n, int64_t copies,
                              const char *which)
{
    struct buf *head = &em->device->head;
    const char *attribute =
        emit_is_opencl(em) ? " __attribute__((aligned(16)))" : "";
    if (emit_is_cuda(em))
        buf_printf(head, "    alignas(%d)", SHARED_ALIGNMENT);
    buf_printf(head, "%s%s %s %s", emit_is_cuda(em) ? " " : "    ",
               shared_word(em), type, name);
    if (copies > 1)
        buf_printf(head, "[%lld]", (long long)copies);
    buf_printf(head, "[%lld]%s;\n", n, attribute);
    return copies > 1 ? emit_text_printf(em, "%s[%s]", name, which) : name;
}

void emit_device_storage(struct emitter *em, const struct ir_buffer *b,
                         int64_t copies, const char *which)
{
    struct device_code *d = em->device;
    struct dtype lane = dtype_scalar(b->dtype);
    const char *type = emit_type_name(em, lane), *size, *base;
    const char *name = emit_name_make(em, b->name);
    if (!emit_buffer_place(em, b, name))
        return;
    int64_t n = emit_buffer_size(em, b, &size);
    int64_t unit = (int64_t)dtype_lane_bytes(lane);
    bool fixed = n >= 0 && n < INT64_MAX / 65536 / 64;
    if (n >= 0)
        size = emit_text_printf(em, "%lld", (long long)n);
    bool one = em->kernel == NULL || em->kernel->in_thread;
    bool own = one || (which != NULL && strcmp(which, "tid") == 0);
    int64_t threads = em->kernel != NULL ? em->kernel->nthreads : 1;
    if (own) {
        copies = threads;
        which = em->kernel != NULL ? "tid" : "0";
    } else if (copies <= 1) {
        copies = 1;
        which = "0";
    }
    em->space[b->data->id] = emit_is_opencl(em) ? "__global " : NULL;
    if (d->in_kernel && emit_device_fragment(em, b, name)) {
        base = name;
    } else if (!d->in_kernel) {
        host_storage(em, b, name, type, size);
        base = name;
    } else if (own && fixed && n * unit <= THREAD_BYTES &&
               d->own_bytes + n * unit * threads <= OWN_BYTES) {
        d->own_bytes += n * unit * threads;
        emit_line(em,
                  emit_is_opencl(em)
                      ? "%s %s[%lld] __attribute__((aligned(16)));"
                      : "alignas(16) %s %s[%lld];",
                  type, name, (long long)n);
        em->space[b->data->id] = NULL;
        base = name;
    } else if (!own && fixed &&
               d->shared_bytes + aligned(n * unit * copies) <= SHARED_BYTES) {
        d->shared_bytes += aligned(n * unit * copies);
        base = put_shared(em, name, type, (long long)n, copies, which);
        em->space[b->data->id] = emit_is_opencl(em) ? "__local " : NULL;
    } else {
        base = put_scratch(em, name, type, (size_t)unit, size, copies, which);
    }
    em->buffer[b->id].base = base;
    em->var[b->data->id] = base;
    em->pointee[b->data->id] = lane;
}
