// Members in the order of their numbers, which tests permute.
#pragma once

#include <numeric>
#include <vector>

namespace pipewright::search {

/// 0, 1, ..., count - 1.
inline std::vector<int> in_order(size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace pipewright::search
