#include "search/chain.hpp"

#include <algorithm>

#include "study/machine_cache.hpp"
#include "study/prepare.hpp"
#include "study/workload_of.hpp"
#include "workload/model_layers.hpp"

namespace pipewright::search {
namespace {

Experiment experiment_read(const Problem& problem, const Candidate& candidate) {
  Experiment e = read_experiment(resolve(experiment_of(problem, candidate), problem.catalogue));
  const Model model = read_model(e.at("model"));
  if (e.batch.sequence == 0) e.batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) e.batch.sequence = 0;
  return e;
}

/// Where links begin: every layer but embeddings in front and heads behind, which go with their
/// neighbours.
std::vector<size_t> beginnings(const std::vector<Layer>& layers) {
  size_t first = 0, last = layers.size();
  while (first < last && layers[first].kind == LayerKind::embedding) ++first;
  while (last > first && layers[last - 1].kind == LayerKind::head) --last;
  std::vector<size_t> begin{0};
  for (size_t i = first + 1; i < last; ++i) begin.push_back(i);
  begin.push_back(layers.size());
  return begin;
}

StateOptions state_of(const Experiment& e, const Grid& grid) {
  StateOptions state;
  state.precision = e.precision;
  state.gradients = e.gradients;
  if (const config::Value* optimizer = e.document.find("optimizer"))
    state.optimizer = read_optimizer(*optimizer);
  state.zero = e.parallel.zero;
  state.shards = grid.replicas();
  state.expert_shards = std::max(1, grid.replicas() * grid.tensor / grid.expert);
  return state;
}

/// Of the collective that `segments` end with.
Time tail(const Segments& segments, const Prices& prices, const Grid& grid) {
  if (segments.empty() || !segments.back().collective) return {};
  const CollectiveWork& last = *segments.back().collective;
  if (last.axis != Axis::tensor || grid.tensor == 1) return {};
  const std::span<const int32_t> group(grid.devices.data(), static_cast<size_t>(grid.tensor));
  return prices.collective(last.kind, group, last.bytes);
}

LayerTimes times_of(const Layer& layer, const Prices& prices, const Grid& grid) {
  const auto time = [&](const Segments& pass) { return segments_time(pass, prices, grid); };
  LayerTimes times;
  times.forward = time(layer.forward);
  times.input_gradient = time(layer.recompute) + time(layer.input_gradient);
  times.backward = times.input_gradient + time(layer.weight_gradient);
  times.forward_tail = tail(layer.forward, prices, grid);
  times.backward_tail =
      tail(layer.input_gradient, prices, grid) + tail(layer.weight_gradient, prices, grid);
  return times;
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
  const Experiment e = experiment_read(problem, candidate);
  const Machine machine = machine_of(e, problem.catalogue, problem.run);
  machine.require_devices(e);
  const Grid grid = make_grid(e, machine.device_count());
  LayerTable table{
      .layers = model_layers(read_model(e.at("model")), workload_options(e), e.at("model")),
      .times = {},
      .prices = machine.prices(e),
      .machine = machine,
      .state = state_of(e, grid),
      .context = grid.context,
      .expert = grid.expert};
  for (Layer& layer : table.layers) {
    table.times.push_back(times_of(layer, table.prices, grid));
    layer.forward = layer.recompute = layer.input_gradient = layer.weight_gradient = {};
  }
  return table;
}

Chain chain_of(const Problem& problem, const Candidate& candidate) {
  LayerTable table = layer_table(problem, candidate);
  Chain chain{.links = {}, .prices = std::move(table.prices), .machine = table.machine};
  const std::vector<size_t> begin = beginnings(table.layers);
  for (size_t i = 0; i + 1 < begin.size(); ++i)
    chain.links.push_back(link_of(table, begin[i], begin[i + 1]));
  return chain;
}

}  // namespace pipewright::search
