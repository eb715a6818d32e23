#include "search/chain.hpp"

#include <algorithm>

#include "search/pools.hpp"

namespace pipewright::search {
namespace {

/// Returns where links begin: at every layer but embeddings in front and what stands behind all
/// blocks, which go with their neighbours.
std::vector<size_t> beginnings(const std::vector<Layer>& layers) {
  size_t first = 0, last = layers.size();
  while (first < last && is_before_blocks(layers[first].kind)) ++first;
  while (last > first && is_behind_blocks(layers[last - 1].kind)) --last;
  std::vector<size_t> begin{0};
  for (size_t i = first + 1; i < last; ++i) begin.push_back(i);
  begin.push_back(layers.size());
  return begin;
}

Link link_of(const LayerTable& table, size_t first, size_t end) {
  const auto layers = std::span(table.layers).subspan(first, end - first);
  Link link;
  for (size_t i = first; i < end; ++i) {
    link.forward += table.times[i].forward;
    link.backward += table.times[i].backward;
    link.stash += table.layers[i].stash;
  }
  link.gradients = gradient_bytes(layers, table.state.gradients).all;
  // With all that stands before, so that a head does not count an embedding that it shares.
  const std::span<const Layer> all(table.layers);
  link.state = static_memory(all.subspan(0, end), table.state).total() -
               (first > 0 ? static_memory(all.subspan(0, first), table.state).total() : Bytes{});
  link.output = layers.back().output;
  return link;
}

}  // namespace

LayerTable layer_table(const Problem& problem, const Candidate& candidate) {
  return pipewright::layer_table(
      read_experiment(resolve(experiment_of(problem, candidate), problem.catalogue)),
      problem.catalogue, problem.run);
}

namespace {

Chain chain_of(const Problem& problem, const LayerTable& table) {
  Chain chain{.links = {}, .prices = table.prices, .machine = table.machine};
  chain.prices.source = on_pool(chain.prices.source, problem.pool);
  const std::vector<size_t> begin = beginnings(table.layers);
  for (size_t i = 0; i + 1 < begin.size(); ++i)
    chain.links.push_back(link_of(table, begin[i], begin[i + 1]));
  return chain;
}

}  // namespace

Chain chain_of(const Problem& problem, const Candidate& candidate) {
  return chain_of(problem, layer_table(problem, candidate));
}

/// Unlike devices take what the slowest of those that are used takes, and tokens go to experts of
/// other replicas.
ChainTables::ChainTables(const Problem& problem) : problem_(problem) {
  const Given given = given_by(problem);
  alike_ = given.alike && given.by_layers && given.experts == 0;
}

Chain ChainTables::of(const Candidate& c) {
  const bool plain = c.zero < 2 && c.recomputed == 0 && c.stages.empty() && !c.sbp &&
                     c.settings.empty() && c.placement.empty();
  if (!alike_ || !plain) return chain_of(problem_, c);
  const Key key{c.tensor, c.micro, c.recompute, c.context, c.pipeline > 1};
  auto found = tables_.find(key);
  if (found == tables_.end()) found = tables_.emplace(key, layer_table(problem_, c)).first;
  LayerTable& table = found->second;
  table.state.zero = c.zero;
  table.state.shards = int64_t{c.data} * table.context;
  table.state.expert_shards =
      std::max<int64_t>(1, table.state.shards * table.tensor / table.expert);
  return chain_of(problem_, table);
}

}  // namespace pipewright::search
