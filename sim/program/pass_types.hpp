// The op types of the segments of a pass.
#pragma once

#include <vector>

#include "program/lower.hpp"
#include "program/type_adder.hpp"

namespace pipewright {

/// The op types of one segment; `collective` is `none` where the segment has none.
struct SegmentTypes {
  uint32_t compute = none;
  uint32_t collective = none;
  Axis axis = Axis::tensor;
  int part = 0;
  /// Tells whether its kernels are the first or the last of their part in the pass.
  bool starts_part = false, ends_part = false;
  int chain = 0;       ///< whose collectives its kernels wait for
  bool joins = false;  ///< they wait for those of all chains
};

/// A pass of a stage, as its types are made of it.
struct PassOfStage {
  schedule::Pass pass;
  int stage;
  const StageWork& work;
  const Segments& segments;  ///< empty where the stage has no layers
  /// By part, what leaves for the host and comes back; empty where activations stay.
  const std::vector<Bytes>& moved_activations;
};

std::vector<SegmentTypes> add_pass(TypeAdder& adder, const PassOfStage& pass);

}  // namespace pipewright
