// Whether one replica and tensor rank can stand for all: only where they really see the same times.
#include "program/grid_groups.hpp"
#include "study/prepare.hpp"

namespace pipewright {
namespace {

constexpr Bytes probe = MiB;

/// Every rank's messages to its neighbours in the ring of pipeline ranks, both ways.
bool same_transfers(const Grid& grid, const Prices& prices) {
  const auto time = [&](int rank, int next, int t, int replica, Bytes bytes) {
    const int32_t from = grid.device(rank, t, replica), to = grid.device(next, t, replica);
    return from == to ? Time{} : prices.transfer(from, to, bytes);
  };
  for (int rank = 0; rank < grid.pipeline; ++rank) {
    const int next = (rank + 1) % grid.pipeline;
    for (const Bytes bytes : {Bytes{}, probe}) {
      const Time there = time(rank, next, 0, 0, bytes), back = time(next, rank, 0, 0, bytes);
      for (int replica = 0; replica < grid.replicas(); ++replica) {
        for (int t = 0; t < grid.tensor; ++t) {
          if (time(rank, next, t, replica, bytes) != there) return false;
          if (time(next, rank, t, replica, bytes) != back) return false;
        }
      }
    }
  }
  return true;
}

bool same_collectives(const Grid& grid, const Prices& prices) {
  for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert, Axis::data}) {
    for (int rank = 0; rank < grid.pipeline; ++rank) {
      std::vector<std::vector<int32_t>> groups;
      groups_along(grid, axis, rank, grid.tensor, grid.replicas(), groups);
      if (groups.front().size() < 2) continue;
      const Time first = prices.collective(CollectiveKind::all_reduce, groups.front(), probe);
      for (const std::vector<int32_t>& group : groups) {
        if (group.size() != groups.front().size()) return false;
        if (prices.collective(CollectiveKind::all_reduce, group, probe) != first) return false;
      }
    }
  }
  return true;
}

bool same_devices(const Grid& grid, const Prices& prices) {
  const auto key = [&](int32_t device) {
    const int32_t kind = prices.device_class.empty() ? 0 : prices.device_class[device];
    const double slowdown = prices.slowdown.empty() ? 1 : prices.slowdown[device];
    return std::pair(kind, slowdown);
  };
  for (int rank = 0; rank < grid.pipeline; ++rank) {
    const auto first = key(grid.device(rank, 0, 0));
    for (int replica = 0; replica < grid.replicas(); ++replica)
      for (int t = 0; t < grid.tensor; ++t)
        if (key(grid.device(rank, t, replica)) != first) return false;
  }
  return true;
}

}  // namespace

bool symmetric(const Grid& grid, const Prices& prices) {
  if (grid.tensor * grid.replicas() == 1) return true;
  return same_devices(grid, prices) && same_transfers(grid, prices) &&
         same_collectives(grid, prices);
}

}  // namespace pipewright
