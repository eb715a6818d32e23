// Routes that have been asked for: rings and messages of the many runs of a search take the same
// ones again and again.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "topology/topology.hpp"

namespace pipewright {

/// Holds the first so many and no more, so that it stays far below devices squared. May be shared
/// by threads.
class RouteMemo {
 public:
  std::optional<Route> find(int from, int to) const;
  void keep(int from, int to, const Route& route);

 private:
  static constexpr size_t most_routes = 1 << 18;  ///< some 40 MB of routes across a fat-tree
  static constexpr size_t shelves = 64;           ///< each with a lock of its own

  struct Shelf {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, Route> routes;
  };
  static uint64_t key(int from, int to) {
    return uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to);
  }
  static size_t shelf(int from, int to) {
    return (static_cast<size_t>(from) + 7 * static_cast<size_t>(to)) % shelves;
  }

  std::array<Shelf, shelves> shelves_;
};

}  // namespace pipewright
