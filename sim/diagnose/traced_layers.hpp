// The layers of a job's model with the times that its kernels took, out of the profiles of its
// ranks.
//
// Of each stage one rank counts: the first of those that show layers (layer_times.hpp). The time of
// a layer is that of its kernels in the typical step, divided by the micro-batches of the step;
// communication and gaps between kernels are not in it. What comes before the layers of the first
// stage and after those of the last (embedding, head, loss) are layers of their own. On other
// stages it is of the nearest layer. Chunks of a rank take the mean of their times; chunk c of
// stage s of p is stage c p + s of the model.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/traced_ranks.hpp"

namespace pipewright::diagnose {

struct TracedLayer {
  std::string name;        ///< "before the layers", "layer 0", ..., "after the layers"
  Time forward, backward;  ///< of one micro-batch on one device
};

struct TracedLayers {
  std::vector<TracedLayer> layers;
  int stages = 1, micro_batches = 1;
  int64_t message_bytes = 0;  ///< of a message between stages; 0: the traces do not say
};

/// Throws InputError where the ranks do not show the layers of every stage, or passes of both
/// directions at once.
TracedLayers traced_layers(const std::vector<TracedRank>& ranks);

/// The layers of each stage of the model as ranks repeat them in the kernels of a pass. Empty where
/// some do not: of each stage the ranks must agree.
KnownLayers counted_layers(const std::vector<TracedRank>& ranks, int stages, int chunks);

}  // namespace pipewright::diagnose
