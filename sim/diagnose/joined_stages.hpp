// Which collectives of data ranks in a trace of our own join ranks of several stages.
//
// The gradients of an embedding that two stages read are summed over both. The norm of all
// gradients is summed over all devices. Either stands in a trace as a sum of one stage, and the
// ranks of the others wait in it for that stage.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "diagnose/job_trace.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class JoinedStages {
 public:
  /// `placement` tells which rank of a pipeline holds which stage.
  JoinedStages(const RunTrace& trace, const Placement& placement);

  /// grads_reduce_scatter for a sum within the stage of `sum`; else what joins its stages.
  OperationKind kind_of(const RunSlice& sum) const;

 private:
  using Key = std::tuple<int32_t, int32_t, int64_t, int32_t>;  // stage, step, bytes, devices

  static Key key_of(const RunSlice& sum) { return {sum.stage, sum.step, sum.bytes, sum.devices}; }

  std::map<Key, std::set<int32_t>> members_;  ///< ranks of a pipeline, of sums that join several
  size_t pipelines_ = 0;                      ///< ranks of a pipeline with passes
};

}  // namespace pipewright::diagnose
