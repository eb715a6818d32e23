#include "topology/path_costs.hpp"

#include <algorithm>

namespace pipewright {
namespace {

constexpr size_t most_different = 256;

}  // namespace

PathCosts::PathCosts(std::vector<RouteCost> costs) {
  number_.reserve(costs.size());
  for (const RouteCost& cost : costs) {
    const auto found = std::ranges::find(costs_, cost);
    if (found == costs_.end() && costs_.size() == most_different) {
      costs_ = std::move(costs);
      number_ = std::vector<uint8_t>();
      return;
    }
    number_.push_back(static_cast<uint8_t>(found - costs_.begin()));
    if (found == costs_.end()) costs_.push_back(cost);
  }
}

}  // namespace pipewright
