#include "estimate/pipeline_shape.hpp"

namespace pipewright {

schedule::PipelineSizes PipelineShape::sizes() const {
  return {.ranks = ranks, .chunks = pipeline.chunks, .micro_batches = micro_batches};
}

std::string PipelineShape::misfit() const {
  return pipeline.plain->misfit ? pipeline.plain->misfit(sizes()) : std::string();
}

}  // namespace pipewright
