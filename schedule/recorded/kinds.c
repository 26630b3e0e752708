/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of a trace, by kind: the word of the step that does the
 * same, and where its arguments stand: i0, i1 inputs, a0, a1 attributes, i* all
 * inputs that are left, d the decision; after '=' the default: arguments at the
 * end that have it are left out. `b` and what follows go in a list (i* and
 * flags that are not the default).
 */
#include "schedule/recorded/recorded_private.h"

#include <string.h>

static const struct sched_kind kinds[] = {
    {"GetBlock", "get_block", "a0 a1"},
    {"GetSBlock", "get_block", "a0 a1"},
    {"GetLoops", "get_loops", "i0"},
    {"GetChildBlocks", "get_child_blocks", "i0"},
    {"GetProducers", "get_producers", "i0"},
    {"GetConsumers", "get_consumers", "i0"},
    {"GetOutputBlocks", "get_output_blocks", "i0"},
    {"SampleCategorical", NULL, "choice"},
    {"SamplePerfectTile", NULL, "numbers"},
    {"SamplePartitionedTile", NULL, "numbers"},
    {"SampleComputeLocation", "sample_compute_location", "i0 d"},
    {"Split", "split", "i* a0=1 a1=0"},
    {"LoopPartition", "loop_partition", "i* a0=1"},
    {"Fuse", "fuse", "i* a0=1"},
    {"Merge", "merge", "i*"},
    {"Reorder", "reorder", "i*"},
    {"ReorderBlockIterVar", "reorder_block_iter_var", "i0 i1"},
    {"AddUnitLoop", "add_unit_loop", "i0"},
    {"Parallel", "parallel", "i0"},
    {"Vectorize", "vectorize", "i0"},
    {"Unroll", "unroll", "i0"},
    {"Bind", "bind", "i0 a0"},
    {"CacheRead", "cache_read", "i0 a0 a1 i1=[]"},
    {"CacheWrite", "cache_write", "i0 a0 a1 i1=[]"},
    {"ReindexCacheRead", "reindex_cache_read", "i0 a0 a1 i1"},
    {"ReindexCacheWrite", "reindex_cache_write", "i0 a0 a1 i1"},
    {"CacheInplace", "cache_inplace", "i0 a0 a1"},
    {"CacheIndex", "cache_index", "i0 a0 a1=0"},
    {"ReIndex", "reindex", "i0 a0 a1"},
    {"ReadAt", "read_at", "i0 i1 a0 a1"},
    {"WriteAt", "write_at", "i0 i1 a0 a1"},
    {"ComputeAt", "compute_at", "i0 i1 a0=0 a1=-1"},
    {"ReverseComputeAt", "reverse_compute_at", "i0 i1 a0=0 a1=-1"},
    {"ComputeInline", "compute_inline", "i0"},
    {"ReverseComputeInline", "reverse_compute_inline", "i0"},
    {"FuseReductionEpilogue", "fuse_reduction_epilogue", "i0 i1"},
    {"DecomposeReduction", "decompose_reduction", "i0 i1"},
    {"DecomposePadding", "decompose_padding", "i0 i1"},
    {"RFactor", "rfactor", "i0 a0"},
    {"StorageAlign", "storage_align", "i0 a0 a1 a2 a3"},
    {"SetScope", "set_scope", "i0 a0 a1"},
    {"UnsafeSetDType", "unsafe_set_dtype", "i0 a0 a1"},
    {"SetAxisSeparator", "set_axis_separator", "i0 a0 a1 a2"},
    {"Blockize", "blockize", "i0 a0=1"},
    {"Tensorize", "tensorize", "i0 a0 a1=1"},
    {"Annotate", "annotate", "i0 a0 i1"},
    {"Unannotate", "unannotate", "i0 a0"},
    {"TransformLayout", "transform_layout", "i0 a0 a1 i1 a2=None a3=0"},
    {"TransformBlockLayout", "transform_block_layout", "i0 a0"},
    {"PadEinsum", "pad_einsum", "i0 a0"},
    {"RollingBuffer", "rolling_buffer", "i0 a0"},
    {"AnnotateBufferAccess", "annotate_buffer_access", "i0 i1 i2 i3"},
    {"UnsafeHideBufferAccess", "unsafe_hide_buffer_access", "i0 i1 i2"},
    {"EnterPostproc", "enter_postproc", ""},
};

const struct sched_kind *sched_kind_find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}
