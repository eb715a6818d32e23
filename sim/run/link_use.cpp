// Counts how much each link carries: messages along their routes, collectives as rings, those that
// simulated ranks stand for included. Links without limits are not counted.
#include "run/link_use.hpp"

#include <algorithm>

#include "base/required.hpp"

namespace pipewright {
namespace {

constexpr size_t drawn_links = 256, most_links = 10;

OpRoutes find_routes(const Program& program, const Topology& topology, const Prices& prices,
                     const Mirror& mirror) {
  Prices of_data_sheets;
  of_data_sheets.resharding = prices.resharding;
  if (mirror)
    if (auto op_routes = find_op_routes(program, topology, of_data_sheets, mirror))
      return std::move(*op_routes);
  const auto itself = [](const std::vector<int32_t>& devices) {
    return std::vector<std::vector<int32_t>>{devices};
  };
  return required(find_op_routes(program, topology, of_data_sheets, itself),
                  "every op stands for itself");
}

}  // namespace

std::vector<double> bytes_by_link(const Program& program, const Topology& topology,
                                  const Prices& prices, const Mirror& mirror) {
  return bytes_by_link(find_routes(program, topology, prices, mirror), topology);
}

std::vector<LinkUse> busiest_links(const Topology& topology, const std::vector<double>& bytes,
                                   Time makespan) {
  std::vector<std::pair<double, LinkId>> busy;
  for (LinkId link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == 0) continue;
    const double capacity = topology.links()[link].bandwidth.bytes_per_s * in_seconds(makespan);
    busy.emplace_back(capacity > 0 ? bytes[link] / capacity : 0, link);
  }
  const auto busier = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const auto kept =
      static_cast<std::ptrdiff_t>(busy.size() <= drawn_links ? busy.size() : most_links);
  std::partial_sort(busy.begin(), busy.begin() + kept, busy.end(), busier);
  std::vector<LinkUse> uses;
  for (auto use = busy.begin(); use != busy.begin() + kept; ++use)
    uses.push_back({topology.name(use->second), bytes[use->second], use->first});
  return uses;
}

}  // namespace pipewright
