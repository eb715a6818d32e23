// The steps of one rank's device as a program.
//
// Ops of a stream run one after another. The host asks for them one after another: what passed
// between two launches is an op of its own, on the host's lane. An op that starts later than its
// stream and its host allow came after an op of another stream that ended just before it: that is
// an event the stream waited for. What is left between all these and its start is its gap.
#pragma once

#include <vector>

#include "diagnose/device_work.hpp"
#include "diagnose/measured_program.hpp"

namespace pipewright::diagnose {

struct DeviceProgram {
  /// Bodies and gaps are in the order of DeviceWork::ops. Behind them are the gaps at the ends of
  /// steps.
  MeasuredProgram trace;
  std::vector<OpId> launches;  ///< what passed before each launch but the first of a step
  std::vector<OpId> begins;    ///< what passed from the begin of a step to its first launch
  /// What passed before the first launch of a next step, or after the last op of a marked one.
  std::vector<OpId> between;
  std::vector<size_t> ops;  ///< by body, its place in DeviceWork::ops
};

DeviceProgram program_of(const DeviceWork& work);

}  // namespace pipewright::diagnose
