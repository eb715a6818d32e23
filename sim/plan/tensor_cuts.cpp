#include "plan/tensor_cuts.hpp"

#include <fmt/format.h>

namespace pipewright {

TensorCuts tensor_cuts(const Experiment& experiment) {
  const Overlap& overlap = experiment.overlap;
  if (overlap.tensor.kind == TensorOverlap::none || experiment.parallel.tensor == 1) return {};
  if (!experiment.parallel.tensor_grid.is_line())
    experiment.misfit("overlap", "overlap.tensor hides the collectives of tensor_kind 1d only");
  const bool chunked = overlap.tensor.kind == TensorOverlap::chunked;
  const int usual = chunked ? 4 : 2;
  const int pieces = overlap.tensor.pieces > 0 ? overlap.tensor.pieces : usual;
  if (chunked) return {.chunks = pieces};
  if (experiment.parallel.context > 1)
    experiment.misfit("overlap", "overlap.tensor: domino needs context 1");
  if (experiment.batch.micro % pieces != 0) {
    experiment.misfit(
        "overlap",
        fmt::format("domino cuts the {} sequences of a micro-batch in {}: batch.micro must be a "
                    "multiple",
                    experiment.batch.micro, pieces));
  }
  return {.slices = pieces, .columns = overlap.tensor.columns, .by_layer = overlap.tensor.by_layer};
}

}  // namespace pipewright
