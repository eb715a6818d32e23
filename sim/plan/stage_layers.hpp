// The layers of a stage as the work of its passes.
#pragma once

#include <span>
#include <vector>

#include "program/lower.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// What the passes of each layer are cut by; empty: by nothing.
struct StageCut {
  std::vector<int> bucket;   ///< of gradients; only passes that complete them are cut
  std::vector<int> unit;     ///< of weights that are gathered together; all passes are cut
  bool layers_join = false;  ///< the first segment of each layer waits for all collectives before
};

/// Work of one stage that holds `layers`, on one micro-batch of which it gets `received` bytes. An
/// empty stage passes them on. Gradients going back are as large as activations going on.
StageWork stage_work(std::span<const Layer> layers, Bytes received, const StageCut& cut = {});

/// What a token slice has of the work of its whole sequence. Kernels are linear in the tokens,
/// except attention: a causal query sees all tokens before it, so the slice of tokens [begin, end)
/// has (end^2 - begin^2) / sequence^2 of its work.
struct SliceShare {
  double tokens = 1;
  double attention = 1;
};
SliceShare share_of_slice(int begin, int end, int sequence);

/// Returns whether the tokens before a slice matter to this kernel.
bool sees_context(const Work& work);
/// Returns the part of a kernel, or of a collective, that a slice has.
Work sliced(Work work, const SliceShare& share);
CollectiveWork sliced(CollectiveWork work, const SliceShare& share);

/// One of several token slices of `whole`: tokens [begin, end) of `sequence`.
StageWork slice_of(const StageWork& whole, int begin, int end, int sequence);

/// Returns the FLOPs of all kernels.
double flops_of(const Segments& segments);

}  // namespace pipewright
