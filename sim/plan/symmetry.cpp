// Finds which ranks can stand for others: only those that really see the same times, from their
// devices, their neighbours in the pipeline and the groups they belong to.
#include "plan/symmetry.hpp"

#include <map>
#include <set>

#include "plan/replica_blocks.hpp"
#include "program/grid_groups.hpp"

namespace pipewright {
namespace {

constexpr Bytes probe = MiB;
// Those that join some ranks of a stage and not all.
constexpr Axis axes_of_some[] = {Axis::tensor,
                                 Axis::context,
                                 Axis::context_heads,
                                 Axis::context_ring,
                                 Axis::expert,
                                 Axis::expert_tensor,
                                 Axis::expert_block,
                                 Axis::expert_copies,
                                 Axis::shard,
                                 Axis::copies,
                                 Axis::near,
                                 Axis::near_copies,
                                 Axis::tensor_row,
                                 Axis::tensor_column,
                                 Axis::tensor_depth,
                                 Axis::tensor_row_column,
                                 Axis::tensor_row_depth,
                                 Axis::tensor_column_depth,
                                 Axis::data,
                                 Axis::sites};

/// Tells whether `axis` joins all ranks of a stage.
bool joins_all(Axis axis, const Mesh& mesh) { return axis == Axis::data && mesh.sites == 1; }

/// Tells whether the degree of `axis` is one, so that it joins no two ranks.
bool joins_none(Axis axis, const Mesh& mesh) {
  switch (axis) {
    case Axis::tensor:
      return mesh.tensor == 1;
    case Axis::context:
      return mesh.context == 1;
    case Axis::context_heads:
      return mesh.context_heads == 1;
    case Axis::context_ring:
      return mesh.context == mesh.context_heads;
    case Axis::expert:
      return mesh.expert == mesh.expert_tensor;
    case Axis::expert_tensor:
      return mesh.expert_tensor == 1;
    case Axis::expert_block:
      return mesh.expert == 1;
    default:
      return false;
  }
}

/// Everything that one rank's times depend on, in a fixed order.
using Circumstances = std::vector<int64_t>;

void add_device(const Prices& prices, int32_t device, Circumstances& signature) {
  signature.push_back(prices.class_of(device));
  signature.push_back(static_cast<int64_t>(prices.slowdown_of(device) * 1e6));
}

/// Messages from the rank that sends to the one that receives.
void add_transfers(const Grid& grid, const Prices& prices, const RankPair& pair, int t, int replica,
                   Circumstances& signature) {
  const int32_t from = grid.device(pair.first, t, replica);
  const int32_t to = grid.device(pair.second, t, replica);
  for (const Bytes bytes : {Bytes{}, probe})
    signature.push_back(from == to ? 0 : prices.transfer(from, to, bytes).ps);
}

/// Time of a collective in the group of every (tensor rank, replica), by pipeline rank and axis
/// that joins some.
class GroupTimes {
 public:
  GroupTimes(const Grid& grid, const Prices& prices) : grid_(grid) {
    for (const Mesh& mesh : grid.meshes) {
      std::vector<std::vector<Time>>& of_mesh = times_.emplace_back();
      const std::vector<ReplicaClass> all = all_replicas(mesh);
      for (const Axis axis : axes_of_some)
        if (!joins_all(axis, mesh) && !joins_none(axis, mesh))
          of_mesh.push_back(times_along(axis, mesh, all, prices));
    }
  }
  void add(int rank, int t, int replica, Circumstances& signature) const {
    const auto number = static_cast<size_t>(t + grid_.mesh(rank).tensor * replica);
    for (const std::vector<Time>& times : times_[static_cast<size_t>(rank)])
      signature.push_back(times[number].ps);
  }

 private:
  static std::vector<Time> times_along(Axis axis, const Mesh& mesh,
                                       const std::vector<ReplicaClass>& all, const Prices& prices) {
    std::vector<Time> times(mesh.devices.size());
    std::vector<std::vector<int32_t>> devices;
    for (const GroupMembers& group : groups_along(mesh, axis, mesh.tensor, all, devices)) {
      if (devices[group.group].size() < 2) continue;
      const Time time = prices.collective(CollectiveKind::all_reduce, devices[group.group], probe);
      for (const uint32_t member : group.members) times[member] = time;
    }
    return times;
  }

  const Grid& grid_;
  std::vector<std::vector<std::vector<Time>>> times_;  // by rank and axis
};

/// Returns the circumstances of the ranks at one coordinate of all meshes.
Circumstances signature_of(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs,
                           const GroupTimes& groups, int t, int replica) {
  Circumstances signature;
  for (int rank = 0; rank < grid.pipeline(); ++rank) {
    add_device(prices, grid.device(rank, t, replica), signature);
    groups.add(rank, t, replica, signature);
  }
  for (const RankPair& pair : pairs) add_transfers(grid, prices, pair, t, replica, signature);
  return signature;
}

/// Returns the circumstances of one rank of one mesh.
Circumstances signature_in_mesh(const Grid& grid, const Prices& prices,
                                const std::set<RankPair>& pairs, const GroupTimes& groups, int rank,
                                int t, int replica) {
  Circumstances signature;
  add_device(prices, grid.device(rank, t, replica), signature);
  groups.add(rank, t, replica, signature);
  for (const RankPair& pair : pairs)
    if (pair.first == rank) add_transfers(grid, prices, pair, t, replica, signature);
  return signature;
}

}  // namespace

std::set<RankPair> pairs_that_send(const schedule::Schedule& schedule) {
  std::vector<std::set<int>> holders(static_cast<size_t>(schedule.stages));
  for (int rank = 0; rank < schedule.ranks(); ++rank)
    for (const schedule::Action& a : schedule.order[rank]) holders[a.stage].insert(rank);
  std::set<RankPair> pairs;
  const auto add = [&](int a, int b) {
    if (a != b) pairs.insert({{a, b}, {b, a}});
  };
  for (size_t stage = 1; stage < holders.size(); ++stage)
    for (const int from : holders[stage - 1])
      for (const int to : holders[stage]) add(from, to);
  for (const schedule::Eviction& e : schedule.evictions) add(e.rank, e.host);
  return pairs;
}

Symmetry symmetry_of(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs) {
  const Mesh& mesh = grid.meshes.front();
  const GroupTimes groups(grid, prices);
  Symmetry symmetry;
  std::vector<ReplicaClass>& classes = symmetry.replicas;
  std::map<Circumstances, uint32_t> names;
  std::map<std::vector<uint32_t>, size_t> class_of;  // by the names of all tensor ranks
  std::vector<size_t> colours;
  for (int replica = 0; replica < mesh.replicas(); ++replica) {
    std::vector<uint32_t> all;
    for (int t = 0; t < mesh.tensor; ++t) {
      const auto next = static_cast<uint32_t>(names.size());
      const auto [named, is_new] =
          names.try_emplace(signature_of(grid, prices, pairs, groups, t, replica), next);
      all.push_back(named->second);
      symmetry.tensor = symmetry.tensor && all.back() == all.front();
    }
    const auto [found, is_new] = class_of.try_emplace(std::move(all), classes.size());
    if (is_new) classes.push_back({replica, 0, {}});
    ++classes[found->second].count;
    classes[found->second].members.push_back(replica);
    colours.push_back(found->second);
  }
  if (classes.size() == 1 || coupled_replicas(mesh) == 1) return symmetry;
  const int block = replicas_in_block(mesh);
  classes = block > 0 ? classes_of_blocks(colours, block) : all_replicas(mesh);
  return symmetry;
}

bool meshes_alike(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs) {
  const GroupTimes groups(grid, prices);
  for (int rank = 0; rank < grid.pipeline(); ++rank) {
    const Mesh& mesh = grid.mesh(rank);
    const Circumstances first = signature_in_mesh(grid, prices, pairs, groups, rank, 0, 0);
    for (int replica = 0; replica < mesh.replicas(); ++replica)
      for (int t = 0; t < mesh.tensor; ++t)
        if (signature_in_mesh(grid, prices, pairs, groups, rank, t, replica) != first) return false;
  }
  return true;
}

}  // namespace pipewright
