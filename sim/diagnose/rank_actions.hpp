// What a rank ran of a pipeline by its own words, and which chunks of the model it holds.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/device_work.hpp"
#include "diagnose/job_trace.hpp"

namespace pipewright::diagnose {

class RankActions {
 public:
  /// `work` must outlive it.
  explicit RankActions(const DeviceWork& work);

  /// Whether the trace says what its kernels are of.
  bool known() const { return !actions_.empty(); }
  /// The action at a place; null for -1.
  const interop::PipelineAction* at(int32_t place) const {
    return place < 0 ? nullptr : &actions_[static_cast<size_t>(place)];
  }
  /// The stages of the model that the rank holds, in order; empty: they are not named.
  const std::vector<int32_t>& stages() const { return stages_; }
  /// The place of its stage among them.
  int32_t chunk_of(const interop::PipelineAction& action) const;

 private:
  const std::vector<interop::PipelineAction>& actions_;
  std::vector<int32_t> stages_;
};

/// What a message is by its action. Within a pass it is of this pass, and `message` says whether it
/// is sent; null: it does not.
OperationKind kind_of_message(const interop::PipelineAction& action,
                              const ProfiledCollective* message);

/// The stages of the model of all `ranks` of a pipeline, by those that are known of some (`stages`,
/// by rank). In every round of chunks the model goes through all ranks, up or down: one known rank
/// tells which. Empty where stages are not known or do not go so.
Placement placement_of(const std::vector<std::vector<int32_t>>& stages);

}  // namespace pipewright::diagnose
