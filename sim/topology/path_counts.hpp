// How many paths cost the same, remembered for those who draw among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "topology/wiring.hpp"

namespace pipewright {

/// Counts of paths; where there are more, as in a large torus, as many as this.
inline constexpr uint64_t most_paths = uint64_t{1} << 62;

inline uint64_t sum_of_paths(uint64_t a, uint64_t b) { return std::min(a + b, most_paths); }
inline uint64_t product_of_paths(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(std::min(Wide{a} * b, Wide{most_paths}));
}

/// Counts between the source of a search and a vertex. Not for several threads at once.
class PathCounts {
 public:
  /// Returns the count that is remembered, else what `count` returns.
  template <class F>
  uint64_t of(VertexId source, bool forward, VertexId vertex, F&& count) {
    const uint64_t key = uint64_t{source} << 32 | vertex;
    const auto& known = counts_[forward ? 1 : 0];
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const uint64_t paths = count();
    if (counts_[0].size() + counts_[1].size() > most_held) counts_[0] = counts_[1] = {};
    counts_[forward ? 1 : 0].emplace(key, paths);
    return paths;
  }

 private:
  static constexpr size_t most_held = 2'000'000;  // 64 MB
  std::unordered_map<uint64_t, uint64_t> counts_[2];
};

}  // namespace pipewright
