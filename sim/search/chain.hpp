// A model as planners see it that cut it into stages: a chain of links, each a layer that a
// partition counts, on one device of a tensor-parallel group and one micro-batch.
#pragma once

#include <map>
#include <string>
#include <tuple>

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

/// Chains of very many candidates: what layers take is found once for each way to run them. The
/// problem outlives it. Not for several threads at once.
class ChainTables {
 public:
  explicit ChainTables(const Problem& problem);

  /// chain_of()
  Chain of(const Candidate& candidate);

 private:
  // Tensor degree, micro-batch, recomputation, context degree, whether there is a pipeline.
  using Key = std::tuple<int, int, std::string, int, bool>;

  const Problem& problem_;
  bool alike_;  ///< layers take the same whatever the depth and the number of replicas are
  std::map<Key, LayerTable> tables_;
};

}  // namespace pipewright::search
