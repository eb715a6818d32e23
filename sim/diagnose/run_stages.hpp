// Which rank of a pipeline holds which stages of the model, by the passes of a trace of our own.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "diagnose/job_trace.hpp"

namespace pipewright::diagnose {

class RunStages {
 public:
  /// Adds that a rank of a pipeline has a pass of the stage.
  void add(int32_t pipeline, int32_t stage) { stages_[pipeline].insert(stage); }

  Placement placement() const;
  /// The place of a stage among those of the rank; -1: no rank there has a pass of it.
  int32_t chunk_of(int32_t pipeline, int32_t stage) const;
  /// How many ranks of a pipeline hold the stage; at least one.
  int copies_of(int32_t stage) const;

 private:
  std::map<int32_t, std::set<int32_t>> stages_;  ///< by rank of a pipeline
};

}  // namespace pipewright::diagnose
