// What a trace tells of a job, whichever program wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interop/operation_table.hpp"

namespace pipewright::diagnose {

/// By rank of a pipeline and chunk, the stage of the model that it is. Empty: chunk c of rank r of
/// p is stage c p + r, as Megatron-LM lays them out.
using Placement = std::vector<std::vector<int32_t>>;

struct JobTrace {
  std::vector<TracedOperation> operations;
  Placement placement;
  int stages = 0;          ///< of the job, where more is known than its operations show
  int slices = 1;          ///< of a micro-batch: slice k of micro-batch i is numbered i slices + k
  bool one_clock = false;  ///< whether all times are on one clock
  bool lacks = false;      ///< whether it lacks parts of the job, which `notes` name
  std::vector<std::string> notes;
};

}  // namespace pipewright::diagnose
