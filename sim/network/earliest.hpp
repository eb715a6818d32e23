// The earliest of many times, each of which may change at any moment: a tournament whose losers are
// kept. Changing one costs only the rounds whose winner changes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace pipewright::network {

class Earliest {
 public:
  Time time() const { return tree_[1]; }

  /// One whose time is earliest.
  uint32_t index() const {
    size_t node = 1;
    while (node < leaves_) node = 2 * node + (tree_[2 * node] == tree_[node] ? 0 : 1);
    return static_cast<uint32_t>(node - leaves_);
  }

  void set(uint32_t index, Time time) {
    if (index >= leaves_) grow(index + 1);
    size_t node = leaves_ + index;
    tree_[node] = time;
    while (node > 1) {
      node /= 2;
      const Time winner = std::min(tree_[2 * node], tree_[2 * node + 1]);
      if (tree_[node] == winner) return;
      tree_[node] = winner;
    }
  }

 private:
  void grow(size_t count) {
    const size_t leaves = std::bit_ceil(count);
    std::vector<Time> tree(2 * leaves, longest_time);
    std::copy(tree_.begin() + static_cast<std::ptrdiff_t>(leaves_), tree_.end(),
              tree.begin() + static_cast<std::ptrdiff_t>(leaves));
    for (size_t node = leaves - 1; node > 0; --node)
      tree[node] = std::min(tree[2 * node], tree[2 * node + 1]);
    tree_ = std::move(tree);
    leaves_ = leaves;
  }

  size_t leaves_ = 1;
  std::vector<Time> tree_ = std::vector<Time>(2, longest_time);  // node n has 2n and 2n+1 below it
};

}  // namespace pipewright::network
