// A model as planners see it that cut it into stages: a chain of links, each a layer that a
// partition counts, on one device of a tensor-parallel group and one micro-batch.
#pragma once

#include "plan/layer_table.hpp"
#include "search/problem.hpp"

namespace pipewright::search {

/// Returns the layers as `candidate` runs them, on the slowest device that it uses. Throws Misfit
/// where the model does not allow its degrees.
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
  Prices prices;  ///< by the places of devices in the pool
  Machine machine;
};

/// Returns the chain of layer_table(), and throws as that does.
Chain chain_of(const Problem& problem, const Candidate& candidate);

}  // namespace pipewright::search
