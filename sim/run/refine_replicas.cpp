#include "run/refine_replicas.hpp"

#include <map>
#include <set>

#include "base/mixed.hpp"
#include "engine/link_prints.hpp"
#include "plan/coordinates.hpp"
#include "plan/replica_blocks.hpp"
#include "program/program.hpp"
#include "run/shared_links.hpp"

namespace pipewright {
namespace {

/// Replicas that a message or a collective joins, ascending; none where it joins all.
using Joined = std::vector<int>;

/// The replicas that each instance of each footprint joins.
class JoinedReplicas {
 public:
  JoinedReplicas(const Grid& grid, const Folding& folding, const Program& program,
                 const OpRoutes& op_routes)
      : replicas_(static_cast<size_t>(grid.meshes.front().replicas())),
        coordinates_(grid_coordinates(grid)) {
    const Mirror mirror = mirror_of(grid, folding);
    std::vector<std::vector<uint32_t>> of_footprint(op_routes.layout->footprints().size());
    for (OpId op = 0; op < op_routes.route_of.size(); ++op) {
      if (op_routes.route_of[op] == none) continue;
      std::vector<uint32_t>& sets =
          of_footprint[op_routes.routes[op_routes.route_of[op]].footprint];
      if (!sets.empty()) continue;
      for (const std::vector<int32_t>& devices : mirror(devices_of(program, program.ops[op])))
        sets.push_back(number_of(devices));
    }
    for (const std::vector<uint32_t>& sets : of_footprint)
      set_of_.insert(set_of_.end(), sets.begin(), sets.end());
  }

  /// Each set of replicas once.
  const std::vector<Joined>& sets() const { return sets_; }
  /// Returns the place of an instance's replicas among the sets.
  uint32_t of(size_t instance) const { return set_of_[instance]; }
  bool joins_some() const { return joins_some_; }

 private:
  uint32_t number_of(const std::vector<int32_t>& devices) {
    std::set<int> joined;
    for (const int32_t device : devices)
      joined.insert(coordinates_[static_cast<size_t>(device)].replica);
    const bool all = joined.size() == replicas_;
    joins_some_ |= joined.size() > 1 && !all;
    Joined set = all ? Joined{} : Joined(joined.begin(), joined.end());
    const auto next = static_cast<uint32_t>(sets_.size());
    const auto [found, is_new] = numbers_.try_emplace(set, next);
    if (is_new) sets_.push_back(std::move(set));
    return found->second;
  }

  size_t replicas_;
  std::vector<GridCoordinates> coordinates_;  // by device
  std::map<Joined, uint32_t> numbers_;
  std::vector<Joined> sets_;
  std::vector<uint32_t> set_of_;  // by instance
  bool joins_some_ = false;
};

class Refinement {
 public:
  Refinement(const Prepared& prepared, const Folding& folding, const Program& program,
             const OpRoutes& op_routes)
      : links_(program, op_routes),
        joined_(prepared.grid, folding, program, op_routes),
        colour_(static_cast<size_t>(prepared.grid.meshes.front().replicas())),
        block_(replicas_in_block(prepared.grid.meshes.front())) {
    const std::vector<ReplicaClass>& classes = folding.replicas.front();
    for (uint32_t k = 0; k < classes.size(); ++k)
      for (const int member : classes[k].members) colour_[static_cast<size_t>(member)] = k;
    colours_ = classes.size();
  }

  std::optional<std::vector<ReplicaClass>> run() {
    for (size_t before = 0; before < colours_;) {
      before = colours_;
      if ((joined_.joins_some() && block_ == 0) || !refine()) return std::nullopt;
    }
    return classes();
  }

 private:
  /// Colours what joins replicas of the same colours alike, and what joins all by itself.
  std::vector<uint32_t> colours() const {
    std::map<std::vector<uint32_t>, uint32_t> names{{{}, 0}};
    std::vector<uint32_t> of_sets;
    for (const Joined& joined : joined_.sets()) {
      std::vector<uint32_t> of_members;
      for (const int replica : joined) of_members.push_back(colour_of(replica));
      const auto name = static_cast<uint32_t>(names.size());
      of_sets.push_back(names.try_emplace(std::move(of_members), name).first->second);
    }
    std::vector<uint32_t> colours(links_.instances());
    for (size_t instance = 0; instance < colours.size(); ++instance)
      colours[instance] = of_sets[joined_.of(instance)];
    return colours;
  }

  uint32_t colour_of(int replica) const { return colour_[static_cast<size_t>(replica)]; }

  /// Refines the colours; false where what joins the same replicas differs by tensor rank.
  bool refine() {
    struct Seen {
      uint32_t footprint = none;
      uint64_t print = 0;
    };
    const std::vector<uint64_t> prints = links_.of_instances(colours());
    std::vector<Seen> last(joined_.sets().size());  // by set, of its last footprint
    std::vector<uint64_t> seen(colour_.size());     // by replica
    for (size_t instance = 0; instance < prints.size(); ++instance) {
      const uint32_t footprint = links_.footprint(instance);
      Seen& of_set = last[joined_.of(instance)];
      if (of_set.footprint == footprint) {
        if (of_set.print != prints[instance]) return false;
        continue;
      }
      of_set = {footprint, prints[instance]};
      for (const int replica : joined_.sets()[joined_.of(instance)])
        seen[static_cast<size_t>(replica)] += mixed(prints[instance] ^ mixed(footprint));
    }
    recolour(seen);
    if (joined_.joins_some()) tell_blocks_apart();
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

  LinkPrints links_;
  JoinedReplicas joined_;
  std::vector<uint32_t> colour_;  // by replica
  size_t colours_ = 0;
  int block_;  // replicas; 0 where they are no table of blocks
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
