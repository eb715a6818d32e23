// The pipelines that closed forms know, and their sizes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "experiment/experiment.hpp"
#include "schedule/plain_pipeline.hpp"

namespace pipewright {

/// A schedule that closed forms know: its Kind says what they need to.
struct Pipeline {
  const schedule::PlainPipeline* plain = nullptr;
  int chunks = 1;  ///< of a rank

  /// Returns the pipeline of an experiment's `schedule` and `parallel.virtual`; empty for others,
  /// and for options that closed forms do not know.
  static std::optional<Pipeline> of(const config::Value& schedule,
                                    std::optional<int> virtual_stages = {});
};

/// The numbers of a pipeline: all that the layers of a LayerTable do not depend on.
struct PipelineShape {
  Pipeline pipeline;
  int ranks = 1, data = 1, zero = 0;
  int64_t micro_batches = 1;
  bool balanced = false;                  ///< cut by cost, else into as many blocks each
  std::span<const int32_t> devices = {};  ///< in the order of ranks; empty: as they come

  schedule::PipelineSizes sizes() const;
  /// Returns why the order does not serve the shape; empty where it does.
  std::string misfit() const;
};

}  // namespace pipewright
