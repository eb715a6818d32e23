#include "plan/layer_table.hpp"

#include <algorithm>
#include <numeric>

#include "experiment/derived.hpp"
#include "experiment/place_of_degrees.hpp"
#include "experiment/training_state.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "plan/degrees.hpp"
#include "plan/dispatch.hpp"
#include "plan/gradient_sums.hpp"
#include "plan/grid.hpp"
#include "plan/preconditioners.hpp"
#include "plan/segments_time.hpp"
#include "plan/workload_of.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright {
namespace {

StateOptions state_of(const Experiment& e, const Mesh& mesh) {
  StateOptions state;
  state.framework = e.framework;
  state.precision = e.precision;
  state.autocast = e.autocast;
  state.gradients = e.gradients;
  state.optimizer = e.optimizer;
  state.moments = e.moments;
  state.master_weights = e.master_weights;
  state.stored = e.weights;
  state.preconditioner = preconditioner_shape(e);
  state.update = update_kernels(e);
  state.zero = e.parallel.zero;
  state.shards = mesh.replicas();
  state.expert_shards = std::max(1, mesh.replicas() * mesh.tensor / mesh.expert);
  return state;
}

/// Returns the time of the collective that `segments` end with.
Time tail(const Segments& segments, const Prices& prices, const Mesh& mesh) {
  if (segments.empty()) return {};
  const std::optional<CollectiveWork>& last = segments.back().collective;
  if (!last || last->axis != Axis::tensor || mesh.tensor == 1) return {};
  const std::span<const int32_t> group(mesh.devices.data(), static_cast<size_t>(mesh.tensor));
  return prices.collective(last->kind, group, last->bytes);
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
  if (prices.host.launch == Time{}) return times;
  const auto host = [&](const Segments& pass) {
    return host_load(pass, prices, mesh, mesh.devices.front());
  };
  times.forward_host = host(layer.forward);
  times.input_host = host(layer.recompute);
  times.input_host += host(layer.input_gradient);
  times.weight_host = host(layer.weight_gradient);
  return times;
}

/// Returns the first device of each kind.
std::vector<int32_t> first_of_kinds(const Prices& prices, int devices) {
  std::vector<int32_t> first;
  for (int32_t device = 0; device < devices; ++device) {
    const auto kind = static_cast<size_t>(prices.class_of(device));
    if (kind >= first.size()) first.resize(kind + 1, device);
  }
  return first;
}

/// Returns `mesh` with its first tensor-parallel group from `first` on, or as near as there is
/// room.
Mesh mesh_from(Mesh mesh, int32_t first, int devices) {
  const int32_t begin = std::min(first, devices - mesh.tensor);
  std::iota(mesh.devices.begin(), mesh.devices.begin() + mesh.tensor, begin);
  return mesh;
}

KindTimes times_on(const LayerTable& table, const Mesh& mesh, int32_t first) {
  KindTimes kind{.first = first, .times = {}, .misfit = {}};
  try {
    for (const Layer& layer : table.layers)
      kind.times.push_back(times_of(layer, table.prices, mesh));
  } catch (const Misfit& misfit) {
    kind = {.first = first, .times = {}, .misfit = misfit.message()};
  }
  return kind;
}

/// Returns the times on each kind of devices; on devices that are all alike, those of `mesh`.
std::vector<KindTimes> times_by_kind(const LayerTable& table, const Mesh& mesh) {
  const int devices = table.machine.device_count();
  const std::vector<int32_t> first = first_of_kinds(table.prices, devices);
  std::vector<KindTimes> kinds;
  for (const int32_t device : first) {
    const bool alike = first.size() == 1;
    kinds.push_back(times_on(table, alike ? mesh : mesh_from(mesh, device, devices), device));
  }
  return kinds;
}

Time sum(const std::vector<LayerTimes>& all) {
  Time sum;
  for (const LayerTimes& times : all) sum += times.both();
  return sum;
}

/// Returns the times on the slowest kind of `devices`. Throws Misfit where one cannot run them.
const std::vector<LayerTimes>& slowest(const LayerTable& table,
                                       const std::vector<int32_t>& devices) {
  const KindTimes* slowest = nullptr;
  std::vector<bool> seen(table.kinds.size());
  for (const int32_t device : devices) {
    const auto number = static_cast<size_t>(table.prices.class_of(device));
    if (seen[number]) continue;
    seen[number] = true;
    const KindTimes& kind = table.kinds[number];
    if (!kind.misfit.empty()) table.experiment.misfit("precision", kind.misfit);
    if (!slowest || sum(kind.times) > sum(slowest->times)) slowest = &kind;
  }
  return slowest->times;
}

}  // namespace

LayerTable layer_table(Experiment e, const config::Catalogue& catalogue,
                       const RunOptions& options) {
  const Model& model = e.model_or_fail();
  if (e.batch.sequence == 0) e.batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) e.batch.sequence = 0;
  const Machine machine = machine_of(e, catalogue, options);
  require_devices(e, machine.device_count());
  settle_kernels(e, machine);
  const Grid grid = make_grid(e, machine.device_count());
  const Mesh& mesh = grid.meshes.front();
  const WorkloadOptions work = workload_options(e);
  LayerTable table{.layers = model_layers(model, work, place_of_degrees(e)),
                   .times = {},
                   .kinds = {},
                   .prices = machine.prices(e),
                   .machine = machine,
                   .state = state_of(e, mesh),
                   .tensor = mesh.tensor,
                   .context = mesh.context,
                   .expert = mesh.expert,
                   .boundary = boundary_of(e, work),
                   .experiment = e,
                   .has_tokens = model.has_tokens()};
  add_gradient_sums(e, table.layers);
  scale_dispatch(table.layers, dispatch_share(e, machine.topology(), mesh));
  table.kinds = times_by_kind(table, mesh);
  table.times = slowest(table, grid.devices());
  for (Layer& layer : table.layers) layer.forward = layer.recompute = layer.input_gradient = {};
  return table;
}

}  // namespace pipewright
