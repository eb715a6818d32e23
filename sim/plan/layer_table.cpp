#include "plan/layer_table.hpp"

#include <algorithm>

#include "experiment/training_state.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "plan/degrees.hpp"
#include "plan/dispatch.hpp"
#include "plan/grid.hpp"
#include "plan/segments_time.hpp"
#include "plan/workload_of.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright {
namespace {

StateOptions state_of(const Experiment& e, const Mesh& mesh) {
  StateOptions state;
  state.framework = e.framework;
  state.precision = e.precision;
  state.gradients = e.gradients;
  state.optimizer = e.optimizer;
  state.zero = e.parallel.zero;
  state.shards = mesh.replicas();
  state.expert_shards = std::max(1, mesh.replicas() * mesh.tensor / mesh.expert);
  return state;
}

/// Returns the time of the collective that `segments` end with.
Time tail(const Segments& segments, const Prices& prices, const Mesh& mesh) {
  if (segments.empty() || !segments.back().collective) return {};
  const CollectiveWork& last = *segments.back().collective;
  if (last.axis != Axis::tensor || mesh.tensor == 1) return {};
  const std::span<const int32_t> group(mesh.devices.data(), static_cast<size_t>(mesh.tensor));
  return prices.collective(last.kind, group, last.bytes);
}

LayerTimes times_of(const Layer& layer, const Prices& prices, const Mesh& mesh) {
  const auto time = [&](const Segments& pass) { return segments_time(pass, prices, mesh); };
  LayerTimes times;
  times.forward = time(layer.forward);
  times.input_gradient = time(layer.recompute) + time(layer.input_gradient);
  times.backward = times.input_gradient + time(layer.weight_gradient);
  times.forward_tail = tail(layer.forward, prices, mesh);
  times.backward_tail =
      tail(layer.input_gradient, prices, mesh) + tail(layer.weight_gradient, prices, mesh);
  return times;
}

}  // namespace

LayerTable layer_table(Experiment e, const config::Catalogue& catalogue,
                       const RunOptions& options) {
  const Model& model = e.model_or_fail();
  if (e.batch.sequence == 0) e.batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) e.batch.sequence = 0;
  const Machine machine = machine_of(e, catalogue, options);
  require_devices(e, machine.device_count());
  const Grid grid = make_grid(e, machine.device_count());
  const Mesh& mesh = grid.meshes.front();
  const WorkloadOptions work = workload_options(e);
  LayerTable table{.layers = model_layers(model, work, e.at("model")),
                   .times = {},
                   .prices = machine.prices(e),
                   .machine = machine,
                   .state = state_of(e, mesh),
                   .tensor = mesh.tensor,
                   .context = mesh.context,
                   .expert = mesh.expert,
                   .boundary = boundary_of(e, work),
                   .experiment = e,
                   .has_tokens = model.has_tokens()};
  if (model.transformer.experts && sends_once_a_node(e))
    scale_dispatch(table.layers,
                   dispatch_share(*model.transformer.experts, machine.topology(), mesh));
  for (Layer& layer : table.layers) {
    table.times.push_back(times_of(layer, table.prices, mesh));
    layer.forward = layer.recompute = layer.input_gradient = {};
  }
  return table;
}

}  // namespace pipewright
