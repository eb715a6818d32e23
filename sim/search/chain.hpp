// A model as planners see it that cut it into stages: a chain of links, each a layer that a
// partition counts, on one device of a tensor-parallel group and one micro-batch.
#pragma once

#include "engine/price.hpp"
#include "plan/memory.hpp"
#include "search/problem.hpp"
#include "study/machine.hpp"

namespace pipewright::search {

/// The time of a layer, with its tensor collectives. A tail is the collective that a pass over it
/// may end with: kernels of another pass may run beside it.
struct LayerTimes {
  Time forward, backward, input_gradient;  ///< the last two with what is run again
  Time forward_tail, backward_tail;
  Time both() const { return forward + backward; }
};

/// The layers of a model on one device of a tensor-parallel group and one micro-batch.
struct LayerTable {
  std::vector<Layer> layers;  ///< without their work
  std::vector<LayerTimes> times;
  Prices prices;
  Machine machine;
  StateOptions state;
  int context = 1, expert = 1;
};

/// As `candidate` runs them, on the first device. Throws Misfit where the model does not allow its
/// degrees.
LayerTable layer_table(const Problem& problem, const Candidate& candidate);

struct Link {
  Time forward, backward;  ///< with tensor collectives; backward with what is run again
  Bytes gradients;         ///< of one device
  Bytes state;             ///< all that a device holds of it but activations
  Bytes stash;             ///< activations of one micro-batch
  Bytes output;            ///< that a next stage is sent
  Time both() const { return forward + backward; }
};

struct Chain {
  /// Embeddings belong to the first link, heads to the last.
  std::vector<Link> links;
  Prices prices;
  Machine machine;
};

/// As layer_table().
Chain chain_of(const Problem& problem, const Candidate& candidate);

}  // namespace pipewright::search
