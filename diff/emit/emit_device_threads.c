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

void put_barrier(struct emitter *em)
{
    struct device_code *d = em->device;
    if (d == NULL || em->kernel == NULL || d->barrier_at == em->out->len)
        return;
    line(em, is_opencl(em)
                 ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
                 : "__syncthreads();");
    d->barrier_at = em->out->len;
}

void device_section_open(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (k->mask != NULL)
        open_brace(em, "if (%s)", k->mask);
    else
        open_brace(em, "%s", "");
    k->in_thread = true;
    k->inner_loops = 0;
}

void device_section_close(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    k->left |= k->leaves;
    k->in_thread = false;
    close_brace(em);
}

/* One thread for all of the block, which it numbers by `tid`. */
void device_serial_open(struct emitter *em)
{
    if (em->device == NULL) {
        thread_loop_open(em);
        return;
    }
    put_barrier(em);
    open_brace(em, "if (tid == 0)");
    open_brace(em, "for (int tid = 0; tid < %lld; tid++)",
               (long long)em->kernel->nthreads);
    put_indices(em);
    put_unused(em);
    em->kernel->in_thread = true;
}

void device_serial_close(struct emitter *em)
{
    if (em->device == NULL) {
        thread_loop_close(em);
        return;
    }
    em->kernel->in_thread = false;
    close_brace(em);
    close_brace(em);
    put_barrier(em);
}

/* ---- values of threads ------------------------------------------------------------- */

static const char *shared_word(const struct emitter *em)
{
    return is_opencl(em) ? "__local" : "__shared__";
}

void thread_array(struct emitter *em, const char *type, const char *name,
                  bool zero)
{
    long long n = em->kernel != NULL ? (long long)em->kernel->nthreads : 1;
    if (em->device == NULL || em->kernel == NULL) {
        line(em, "%s %s[%lld]%s;", type, name, n, zero ? " = {0}" : "");
        return;
    }
    buf_printf(&em->device->head, "    %s %s %s[%lld];\n", shared_word(em),
               type, name, n);
    em->device->shared_bytes += 8 * n;
    if (zero)
        line(em, "%s[tid] = 0;", name);
}

const char *thread_value(struct emitter *em, const char *type, const char *name,
                         const char *init)
{
    name = name_make(em, name);
    if (em->device != NULL) {
        line(em, "%s %s = %s;", type, name, init);
        return name;
    }
    line(em, "%s %s[%lld] = {%s};", type, name, (long long)em->kernel->nthreads,
         init);
    return text_printf(em, "%s[tid]", name);
}

const char *device_most(struct emitter *em, const char *type, const char *name,
                        const char *own)
{
    long long n = (long long)em->kernel->nthreads;
    const char *all = name_make(em, text_printf(em, "all_%s", name));
    thread_array(em, type, all, false);
    put_barrier(em);
    line(em, "%s[tid] = %s;", all, own);
    put_barrier(em);
    line(em, "%s %s = 0;", type, name);
    line(em, "for (int other_tid = 0; other_tid < %lld; other_tid++)", n);
    line(em, "    %s = %s[other_tid] > %s ? %s[other_tid] : %s;", name, all,
         name, all, name);
    return name;
}

/* ---- storage -------------------------------------------------------------------------- */

/* Whether text mentions a name that only the kernel has. */
static bool needs_kernel(const struct emitter *em, const char *text)
{
    for (size_t i = em->device->mark; i < em->names.len; i++)
        if (mentions(text, em->names.items[i]))
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
        refuse(em, "storage whose size only a kernel knows");
        return name;
    }
    const char *memory = name_make(em, text_printf(em, "%s_memory", name));
    struct host_name h = {.name = memory, .type = type, .is_memory = true};
    h.bytes = text_printf(em, "(size_t)(%s) * %lld * %zu * (%s)", size,
                          (long long)copies, unit, d->groups);
    vec_push(&d->names, h);
    const char *group =
        em->kernel == NULL ? "0"
        : is_opencl(em)
            ? "(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + "
              "get_num_groups(1) * get_group_id(2)))"
            : "(blockIdx.x + (size_t)gridDim.x * (blockIdx.y + "
              "(size_t)gridDim.y * blockIdx.z))";
    line(em, "%s%s *const %s = %s + (%s * %lld + %s) * (size_t)(%s);",
         is_opencl(em) ? "__global " : "", type, name, memory, group,
         (long long)copies, which, size);
    return name;
}

static void host_storage(struct emitter *em, const struct ir_buffer *b,
                         const char *name, const char *type, const char *size)
{
    size_t unit = dtype_lane_bytes(dtype_scalar(b->dtype));
    if (place_of(b->scope) != PLACE_GLOBAL) {
        vec_push(&em->host_allocs, b); /* each launch has its own */
    } else if (is_opencl(em)) {
        line(em, "cl_mem %s = device_get((size_t)(%s) * %zu);", name, size,
             unit);
    } else {
        line(em, "%s *%s = (%s *)device_get((size_t)(%s) * %zu);", type, name,
             type, size, unit);
    }
    host_define(em, name, type, true);
    em->device->names.items[em->device->names.len - 1].absent =
        place_of(b->scope) != PLACE_GLOBAL;
    em->space[b->data->id] = is_opencl(em) ? "__global " : NULL;
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
        is_opencl(em) ? " __attribute__((aligned(16)))" : "";
    if (is_cuda(em))
        buf_printf(head, "    alignas(%d)", SHARED_ALIGNMENT);
    buf_printf(head, "%s%s %s %s", is_cuda(em) ? " " : "    ", shared_word(em),
               type, name);
    if (copies > 1)
        buf_printf(head, "[%lld]", (long long)copies);
    buf_printf(head, "[%lld]%s;\n", n, attribute);
    return copies > 1 ? text_printf(em, "%s[%s]", name, which) : name;
}

void device_storage(struct emitter *em, const struct ir_buffer *b,
                    int64_t copies, const char *which)
{
    struct device_code *d = em->device;
    struct dtype lane = dtype_scalar(b->dtype);
    const char *type = type_name(em, lane), *size, *base;
    const char *name = name_make(em, b->name);
    if (!buffer_place(em, b, name))
        return;
    int64_t n = buffer_size(em, b, &size);
    int64_t unit = (int64_t)dtype_lane_bytes(lane);
    bool fixed = n >= 0 && n < INT64_MAX / 65536 / 64;
    if (n >= 0)
        size = text_printf(em, "%lld", (long long)n);
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
    em->space[b->data->id] = is_opencl(em) ? "__global " : NULL;
    if (d->in_kernel && device_fragment(em, b, name)) {
        base = name;
    } else if (!d->in_kernel) {
        host_storage(em, b, name, type, size);
        base = name;
    } else if (own && fixed && n * unit <= THREAD_BYTES &&
               d->own_bytes + n * unit * threads <= OWN_BYTES) {
        d->own_bytes += n * unit * threads;
        line(em,
             is_opencl(em) ? "%s %s[%lld] __attribute__((aligned(16)));"
                           : "alignas(16) %s %s[%lld];",
             type, name, (long long)n);
        em->space[b->data->id] = NULL;
        base = name;
    } else if (!own && fixed &&
               d->shared_bytes + aligned(n * unit * copies) <= SHARED_BYTES) {
        d->shared_bytes += aligned(n * unit * copies);
        base = put_shared(em, name, type, (long long)n, copies, which);
        em->space[b->data->id] = is_opencl(em) ? "__local " : NULL;
    } else {
        base = put_scratch(em, name, type, (size_t)unit, size, copies, which);
    }
    em->buffer[b->id].base = base;
    em->var[b->data->id] = base;
    em->pointee[b->data->id] = lane;
}
