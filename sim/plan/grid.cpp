// Places the ranks of the grid as `placement` says.
#include "plan/grid.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <set>

namespace pipewright {
namespace {

using Order = std::array<Placement::Dimension, 4>;

/// Holds devices that are given one by one against the cluster.
void check_devices(const Experiment& e, int ranks, int devices) {
  const Placement& placement = e.placement;
  if (static_cast<int>(placement.devices.size()) != ranks)
    e.fail("placement", fmt::format("placement lists {} devices, but {} take part",
                                    placement.devices.size(), ranks));
  std::set<int32_t> seen;
  for (size_t k = 0; k < placement.devices.size(); ++k) {
    const int32_t device = placement.devices[k];
    if (device >= devices)
      throw InputError(placement.places[k], fmt::format("'{}' must be a whole number from 0 to {}",
                                                        device, devices - 1));
    if (!seen.insert(device).second)
      throw InputError(placement.places[k], fmt::format("device {} is placed twice", device));
  }
}

Mesh mesh_of_stage(const StageMesh& stage, const Parallel& parallel) {
  Mesh mesh{.tensor = stage.tensor,
            .context = parallel.context,
            .data = stage.data,
            .context_heads = parallel.context_options.heads,
            .expert = parallel.expert * parallel.expert_tensor,
            .expert_tensor = parallel.expert_tensor,
            .tensor_grid = stage.tensor_grid};
  mesh.devices.resize(static_cast<size_t>(stage.devices));
  std::iota(mesh.devices.begin(), mesh.devices.end(), stage.first_device);
  return mesh;
}

}  // namespace

Grid make_grid(const Experiment& experiment, int devices) {
  const Parallel& parallel = experiment.parallel;
  if (!experiment.meshes.empty()) {
    Grid grid;
    for (const StageMesh& stage : experiment.meshes.ranks)
      grid.meshes.push_back(mesh_of_stage(stage, parallel));
    return grid;
  }
  const Mesh alike{.tensor = parallel.tensor,
                   .context = parallel.context,
                   .data = parallel.data,
                   .context_heads = parallel.context_options.heads,
                   .expert = parallel.expert * parallel.expert_tensor,
                   .expert_tensor = parallel.expert_tensor,
                   .tensor_grid = parallel.tensor_grid};
  const std::array<int, 4> sizes = {parallel.tensor, parallel.context, parallel.data,
                                    parallel.pipeline};
  const int each = parallel.tensor * alike.replicas();
  const int ranks = each * parallel.pipeline;
  Order order = {Placement::tensor, Placement::context, Placement::data, Placement::pipeline};
  const std::vector<int32_t>& listed = experiment.placement.devices;
  if (experiment.placement.order.empty())
    check_devices(experiment, ranks, devices);
  else
    std::copy(experiment.placement.order.begin(), experiment.placement.order.end(), order.begin());
  Grid grid{std::vector<Mesh>(static_cast<size_t>(parallel.pipeline), alike)};
  for (Mesh& mesh : grid.meshes) mesh.devices.resize(static_cast<size_t>(each));
  for (int number = 0; number < ranks; ++number) {
    std::array<int, 4> at{};
    int rest = number;
    for (const Placement::Dimension d : order) at[d] = rest % sizes[d], rest /= sizes[d];
    const int replica = at[Placement::context] + parallel.context * at[Placement::data];
    const auto index = static_cast<size_t>(replica * parallel.tensor + at[Placement::tensor]);
    grid.meshes[static_cast<size_t>(at[Placement::pipeline])].devices[index] =
        listed.empty() ? number : listed[static_cast<size_t>(number)];
  }
  return grid;
}

}  // namespace pipewright
