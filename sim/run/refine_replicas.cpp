#include "run/refine_replicas.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/mixed.hpp"
#include "engine/contention.hpp"
#include "engine/link_kinds.hpp"
#include "plan/coordinates.hpp"
#include "plan/replica_blocks.hpp"
#include "run/shared_links.hpp"

namespace pipewright {
namespace {

/// Replicas that a message or a collective joins, ascending; none where it joins all.
using Joined = std::vector<int>;

class Refinement {
 public:
  Refinement(const Prepared& prepared, const Folding& folding, const Program& program,
             const OpRoutes& op_routes)
      : program_(program),
        topology_(*prepared.links.topology),
        op_routes_(op_routes),
        redundant_(op_routes.layout->without_redundant().redundant),
        colour_(static_cast<size_t>(prepared.grid.meshes.front().replicas())),
        block_(replicas_in_block(prepared.grid.meshes.front())) {
    const std::vector<ReplicaClass>& classes = folding.replicas.front();
    for (uint32_t k = 0; k < classes.size(); ++k)
      for (const int member : classes[k].members) colour_[static_cast<size_t>(member)] = k;
    colours_ = classes.size();
    find_replicas(prepared.grid, folding);
  }

  std::optional<std::vector<ReplicaClass>> run() {
    for (size_t before = 0; before < colours_;) {
      before = colours_;
      if ((joins_some_ && block_ == 0) || !refine()) return std::nullopt;
    }
    return classes();
  }

 private:
  /// Finds the replica of each instance of each footprint.
  void find_replicas(const Grid& grid, const Folding& folding) {
    const std::vector<GridCoordinates> coordinates = grid_coordinates(grid);
    const Mirror mirror = mirror_of(grid, folding);
    joined_.resize(op_routes_.layout->footprints().size());
    for (OpId op = 0; op < op_routes_.route_of.size(); ++op) {
      if (op_routes_.route_of[op] == none) continue;
      std::vector<Joined>& replicas = joined_[op_routes_.routes[op_routes_.route_of[op]].footprint];
      if (!replicas.empty()) continue;
      for (const std::vector<int32_t>& devices : mirror(devices_of(program_, program_.ops[op]))) {
        std::set<int> joined;
        for (const int32_t device : devices)
          joined.insert(coordinates[static_cast<size_t>(device)].replica);
        const bool all = joined.size() == colour_.size();
        replicas.push_back(all ? Joined{} : Joined(joined.begin(), joined.end()));
        joins_some_ |= joined.size() > 1 && joined.size() < colour_.size();
      }
    }
  }

  /// Colours what joins replicas of the same colours alike, and what joins all by itself.
  Colours colours() const {
    std::map<std::vector<uint32_t>, uint32_t> names{{{}, 0}};
    Colours colours;
    for (const std::vector<Joined>& instances : joined_) {
      std::vector<uint32_t>& of_footprint = colours.emplace_back();
      for (const Joined& joined : instances) {
        std::vector<uint32_t> of_members;
        for (const int replica : joined) of_members.push_back(colour_of(replica));
        const auto name = static_cast<uint32_t>(names.size());
        of_footprint.push_back(names.try_emplace(std::move(of_members), name).first->second);
      }
    }
    return colours;
  }

  uint32_t colour_of(int replica) const { return colour_[static_cast<size_t>(replica)]; }

  /// Refines the colours; false where what joins the same replicas differs by tensor rank.
  bool refine() {
    const auto prints = prints_of_links(
        program_, op_routes_, link_kinds(topology_, op_routes_.layout->footprints(), colours()),
        redundant_);
    std::vector<uint64_t> seen(colour_.size());  // by replica
    for (uint32_t footprint = 0; footprint < prints.size(); ++footprint) {
      std::map<Joined, uint64_t> print_of;
      for (size_t k = 0; k < prints[footprint].size(); ++k) {
        const Joined& joined = joined_[footprint][k];
        const uint64_t print = prints[footprint][k];
        const auto [found, is_new] = print_of.try_emplace(joined, print);
        if (found->second != print) return false;
        if (!is_new) continue;
        for (const int replica : joined)
          seen[static_cast<size_t>(replica)] += mixed(print ^ mixed(footprint));
      }
    }
    recolour(seen);
    if (joins_some_) tell_blocks_apart();
    return true;
  }

  void recolour(const std::vector<uint64_t>& seen) {
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> names;
    for (size_t replica = 0; replica < seen.size(); ++replica) {
      const auto name = static_cast<uint32_t>(names.size());
      colour_[replica] = names.try_emplace({colour_[replica], seen[replica]}, name).first->second;
    }
    colours_ = names.size();
  }

  void tell_blocks_apart() {
    const std::vector<ReplicaClass> kinds =
        classes_of_blocks({colour_.begin(), colour_.end()}, block_);
    for (uint32_t k = 0; k < kinds.size(); ++k)
      for (const int member : kinds[k].members) colour_[static_cast<size_t>(member)] = k;
    colours_ = kinds.size();
  }

  std::vector<ReplicaClass> classes() const {
    std::vector<ReplicaClass> classes(colours_, {0, 0, {}});
    for (size_t replica = 0; replica < colour_.size(); ++replica) {
      ReplicaClass& one = classes[colour_[replica]];
      if (one.count++ == 0) one.replica = static_cast<int>(replica);
      one.members.push_back(static_cast<int>(replica));
    }
    return classes;
  }

  const Program& program_;
  const Topology& topology_;
  const OpRoutes& op_routes_;
  const std::vector<bool>& redundant_;  // by link
  std::vector<uint32_t> colour_;        // by replica
  size_t colours_ = 0;
  int block_;                                // replicas; 0 where they are no table of blocks
  std::vector<std::vector<Joined>> joined_;  // by footprint and place
  bool joins_some_ = false;
};

}  // namespace

std::optional<std::vector<ReplicaClass>> refine_replicas(const Prepared& prepared,
                                                         const Folding& folding,
                                                         const Program& program,
                                                         const OpRoutes& op_routes) {
  if (folding.replicas.empty() || !prepared.resharding_edges.empty()) return std::nullopt;
  return Refinement(prepared, folding, program, op_routes).run();
}

}  // namespace pipewright
