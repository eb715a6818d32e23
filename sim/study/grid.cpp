// Where the ranks of the grid stand: `placement`.
#include <fmt/format.h>

#include <array>
#include <set>

#include "study/prepare.hpp"

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

}  // namespace

Grid make_grid(const Experiment& experiment, int devices) {
  const Parallel& parallel = experiment.parallel;
  Grid grid{.pipeline = parallel.pipeline,
            .tensor = parallel.tensor,
            .context = parallel.context,
            .data = parallel.data,
            .expert = parallel.expert,
            .tensor_grid = parallel.tensor_grid};
  const std::array<int, 4> sizes = {grid.tensor, grid.context, grid.data, grid.pipeline};
  const int ranks = grid.tensor * grid.context * grid.data * grid.pipeline;
  Order order = {tensor, context, data, pipeline};
  std::vector<int32_t> listed;
  if (const config::Value* placement = experiment.document.find("placement")) {
    if (placement->is_list())
      listed = read_devices(*placement, ranks, devices);
    else
      order = read_order(*placement);
  }
  grid.devices.resize(static_cast<size_t>(ranks));
  for (int number = 0; number < ranks; ++number) {
    std::array<int, 4> at{};
    int rest = number;
    for (const Dimension d : order) at[d] = rest % sizes[d], rest /= sizes[d];
    const int replica = at[context] + grid.context * at[data];
    const size_t index =
        (static_cast<size_t>(replica) * grid.pipeline + at[pipeline]) * grid.tensor + at[tensor];
    grid.devices[index] = listed.empty() ? number : listed[static_cast<size_t>(number)];
  }
  return grid;
}

}  // namespace pipewright
