// The sizes of a pipeline that closed forms know.
#pragma once

#include <span>
#include <string>

#include "experiment/plain_pipeline.hpp"

namespace pipewright {

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
