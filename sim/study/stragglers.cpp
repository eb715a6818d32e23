#include "study/stragglers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int most = 1 << 30;

/// "12>13", with or without spaces.
std::pair<int, int> read_ends(const Value& value) {
  std::string text = config::as_text(value, "a link such as \"12>13\"");
  std::erase(text, ' ');
  const char* const end = text.data() + text.size();
  int from = -1, to = -1;
  const auto first = std::from_chars(text.data(), end, from);
  const bool separated = first.ec == std::errc{} && first.ptr < end && *first.ptr == '>';
  const auto second = separated ? std::from_chars(first.ptr + 1, end, to) : first;
  if (second.ec != std::errc{} || second.ptr != end || from < 0 || to < 0 || from == to) {
    value.fail(fmt::format("'{}' is no link: it is written \"12>13\", from one device to another",
                           value.text));
  }
  return {from, to};
}

void require(bool there, const config::Mark& mark, const char* what, int number, size_t count) {
  if (there) return;
  throw InputError(mark.where(),
                   fmt::format("{} {} is not there: the cluster has {}", what, number, count));
}

}  // namespace

Stragglers read_stragglers(const Value& value) {
  if (!value.is_list()) value.fail("stragglers is a list such as [{device: 17, slowdown: 1.5}]");
  Stragglers stragglers;
  for (const Value& item : value.items) {
    const Fields fields(item, "a straggler", {"device", "node", "link", "slowdown", "bandwidth"});
    if (const Value* link = fields.find("link")) {
      Fields(item, "a slow link", {"link", "bandwidth"});
      const auto [from, to] = read_ends(*link);
      const double left = config::as_fraction(fields.at("bandwidth"), 1e-6, 1);
      stragglers.narrow.push_back({from, to, left, item.mark});
      continue;
    }
    const Value* node = fields.find("node");
    if (node)
      Fields(item, "a slow node", {"node", "slowdown"});
    else
      Fields(item, "a slow device", {"device", "slowdown"});
    const Value& number = node ? *node : fields.at("device");
    stragglers.slow.push_back({static_cast<int>(config::as_int(number, 0, most)), node != nullptr,
                               config::as_number(fields.at("slowdown"), 0.01, 1000), item.mark});
  }
  return stragglers;
}

std::vector<double> slowdowns(const Stragglers& stragglers, const Cluster& cluster) {
  std::vector<double> by_device;
  if (stragglers.slow.empty() && cluster.speeds.empty()) return by_device;
  by_device.assign(static_cast<size_t>(cluster.devices()), 1);
  for (size_t device = 0; device < cluster.speeds.size(); ++device)
    by_device[device] = 1 / cluster.speeds[device];
  for (const Stragglers::Slow& slow : stragglers.slow) {
    const size_t count = slow.whole_node ? cluster.nodes.size() : by_device.size();
    require(static_cast<size_t>(slow.number) < count, slow.mark,
            slow.whole_node ? "node" : "device", slow.number, count);
    for (int device = 0; device < cluster.devices(); ++device) {
      const int number = slow.whole_node ? cluster.node_of[device] : device;
      if (number == slow.number) by_device[device] = slow.slowdown;
    }
  }
  return by_device;
}

Topology narrowed(const Stragglers& stragglers, const Topology& topology) {
  if (stragglers.narrow.empty()) return topology;
  Wiring wiring{{topology.vertices().begin(), topology.vertices().end()},
                {topology.links().begin(), topology.links().end()},
                {}};
  const auto devices = static_cast<size_t>(topology.devices());
  for (size_t device = 0; device < devices; ++device)
    wiring.devices.push_back(topology.vertex(static_cast<int>(device)));
  for (const Stragglers::Narrow& narrow : stragglers.narrow) {
    for (const int end : {narrow.from, narrow.to})
      require(static_cast<size_t>(end) < devices, narrow.mark, "device", end, devices);
    for (const LinkId id : topology.route(narrow.from, narrow.to).links) {
      const bool both = wiring.links[id].sharing == Sharing::shared;
      for (const LinkId link : {id, opposite(id)})
        if (link == id || both) wiring.links[link].bandwidth.bytes_per_s *= narrow.bandwidth;
    }
  }
  return Topology(std::move(wiring));
}

}  // namespace pipewright
