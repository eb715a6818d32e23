#include "topology/spreading.hpp"

#include "base/mixed.hpp"

namespace pipewright {
namespace {

constexpr size_t most_routes = 4096;

}  // namespace

std::vector<Route> SpreadRoutes::of(int from, int to, uint64_t flow) {
  if (spreading_.how == Spreading::How::none) return {};
  if (spreading_.how == Spreading::How::first) return {topology_.route(from, to)};
  const uint64_t pair = uint64_t(static_cast<uint32_t>(from)) << 32 | static_cast<uint32_t>(to);
  if (spreading_.how == Spreading::How::hash) {
    const uint64_t hash = mixed(mixed(spreading_.seed) ^ mixed(pair) ^ mixed(~flow));
    std::vector<uint64_t> numbers;
    for (int queue_pair = 0; queue_pair < spreading_.queue_pairs; ++queue_pair)
      numbers.push_back(mixed(hash + static_cast<uint64_t>(queue_pair)));
    return topology_.numbered_routes(from, to, numbers, counts_);
  }
  const auto [found, is_new] = equal_.try_emplace(pair);
  if (is_new) found->second = topology_.equal_cost_routes(from, to, most_routes);
  return found->second;
}

}  // namespace pipewright
