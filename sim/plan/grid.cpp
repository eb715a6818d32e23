// Where the ranks of the grid stand: `placement`.
#include "plan/grid.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <set>

namespace pipewright {
namespace {

enum Dimension : size_t { tensor, context, data, pipeline };
using Order = std::array<Dimension, 4>;

/// "tp-cp-ep-dp-pp": fastest first. Expert groups lie inside the others and have no say.
Order read_order(const config::Value& value) {
  Order order{};
  size_t count = 0;
  std::set<std::string_view> seen;
  std::string_view rest = config::as_text(value, "an order such as tp-cp-ep-dp-pp");
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest = word.size() == rest.size() ? std::string_view{} : rest.substr(word.size() + 1);
    constexpr std::array<std::string_view, 4> names = {"tp", "cp", "dp", "pp"};
    const auto found = std::find(names.begin(), names.end(), word);
    const bool known = word == "ep" || found != names.end();
    if (!known || !seen.insert(word).second || (word != "ep" && count == order.size()))
      value.fail(fmt::format("'{}' must name tp, cp, ep, dp and pp once each", value.text));
    if (word != "ep") order[count++] = static_cast<Dimension>(found - names.begin());
  }
  if (count != order.size())
    value.fail(fmt::format("'{}' must name tp, cp, ep, dp and pp once each", value.text));
  return order;
}

/// Devices given one by one, in the default order of ranks.
std::vector<int32_t> read_devices(const config::Value& list, int ranks, int devices) {
  if (static_cast<int>(list.items.size()) != ranks) {
    list.fail(
        fmt::format("placement lists {} devices, but {} take part", list.items.size(), ranks));
  }
  std::vector<int32_t> result;
  std::set<int64_t> seen;
  for (const config::Value& item : list.items) {
    const int64_t device = config::as_int(item, 0, devices - 1);
    if (!seen.insert(device).second) item.fail(fmt::format("device {} is placed twice", device));
    result.push_back(static_cast<int32_t>(device));
  }
  return result;
}

Mesh mesh_of_stage(const StageMesh& stage, const Parallel& parallel) {
  Mesh mesh{.tensor = stage.tensor,
            .context = parallel.context,
            .data = stage.data,
            .expert = parallel.expert,
            .tensor_grid = stage.tensor_grid};
  mesh.devices.resize(static_cast<size_t>(stage.devices));
  std::iota(mesh.devices.begin(), mesh.devices.end(), stage.first_device);
  return mesh;
}

}  // namespace

Grid make_grid(const Experiment& experiment, int devices) {
  const Parallel& parallel = experiment.parallel;
  if (!experiment.meshes.stages.empty()) {
    Grid grid;
    for (const StageMesh& stage : experiment.meshes.stages)
      grid.meshes.push_back(mesh_of_stage(stage, parallel));
    return grid;
  }
  const Mesh alike{.tensor = parallel.tensor,
                   .context = parallel.context,
                   .data = parallel.data,
                   .expert = parallel.expert,
                   .tensor_grid = parallel.tensor_grid};
  const std::array<int, 4> sizes = {parallel.tensor, parallel.context, parallel.data,
                                    parallel.pipeline};
  const int each = parallel.tensor * alike.replicas();
  const int ranks = each * parallel.pipeline;
  Order order = {tensor, context, data, pipeline};
  std::vector<int32_t> listed;
  if (const config::Value* placement = experiment.document.find("placement")) {
    if (placement->is_list())
      listed = read_devices(*placement, ranks, devices);
    else
      order = read_order(*placement);
  }
  Grid grid{std::vector<Mesh>(static_cast<size_t>(parallel.pipeline), alike)};
  for (Mesh& mesh : grid.meshes) mesh.devices.resize(static_cast<size_t>(each));
  for (int number = 0; number < ranks; ++number) {
    std::array<int, 4> at{};
    int rest = number;
    for (const Dimension d : order) at[d] = rest % sizes[d], rest /= sizes[d];
    const int replica = at[context] + parallel.context * at[data];
    const auto index = static_cast<size_t>(replica * parallel.tensor + at[tensor]);
    grid.meshes[static_cast<size_t>(at[pipeline])].devices[index] =
        listed.empty() ? number : listed[static_cast<size_t>(number)];
  }
  return grid;
}

}  // namespace pipewright
