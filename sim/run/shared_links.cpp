// Finds whom a simulated rank stands for when links are shared: every device of its message or
// group moved to other tensor ranks, or to other replicas of its class.
#include "run/shared_links.hpp"

#include <map>
#include <set>

#include "base/required.hpp"
#include "plan/coordinates.hpp"

namespace pipewright {
namespace {

class GridMirror {
 public:
  GridMirror(const Grid& grid, const Folding& folding)
      : grid_(grid),
        fold_tensor_(folding.tensor),
        classes_(folding.replicas),
        coordinates_(grid_coordinates(grid)) {}

  std::vector<std::vector<int32_t>> operator()(const std::vector<int32_t>& devices) const {
    std::vector<std::vector<int32_t>> all;
    if (are_whole_meshes(devices)) return {devices};
    for (const int replica_step : replica_steps(devices))
      for (const int tensor_step : tensor_steps(devices))
        all.push_back(moved(devices, tensor_step, replica_step));
    return all;
  }

 private:
  using Steps = std::vector<int>;  ///< to the others from where one is; empty: they are unlike

  const GridCoordinates& coordinates(int32_t device) const {
    return coordinates_[static_cast<size_t>(device)];
  }

  const Mesh& mesh_of(const std::vector<int32_t>& devices) const {
    return grid_.mesh(coordinates(devices.front()).rank);
  }

  /// Tells whether the devices are whole meshes: what joins all of its meshes, as the gradients of
  /// unlike stages' tied embeddings do, stands for itself. Of all else the meshes have the same
  /// degrees.
  bool are_whole_meshes(const std::vector<int32_t>& devices) const {
    size_t all = 0;
    for (const int rank : values(devices, &GridCoordinates::rank))
      all += grid_.mesh(rank).devices.size();
    return all == devices.size();
  }

  template <class Coordinate>
  std::set<int> values(const std::vector<int32_t>& devices, Coordinate coordinate) const {
    std::set<int> all;
    for (const int32_t device : devices) all.insert(coordinates(device).*coordinate);
    return all;
  }

  /// Returns the steps from a group of consecutive coordinates to all groups as large, each where
  /// it may be alone; and from every k-th of all coordinates to the k groups like it.
  static Steps steps_by_group(const std::set<int>& spanned, int all) {
    const int first = *spanned.begin(), size = static_cast<int>(spanned.size());
    const int reach = *spanned.rbegin() - first;
    const bool consecutive = reach + 1 == size;
    const int stride = all / size;
    Steps steps;
    if (all % size != 0) return steps;
    if (consecutive && first % size == 0) {
      for (int group = 0; group < all; group += size) steps.push_back(group - first);
    } else if (!consecutive && first < stride && reach == stride * (size - 1)) {
      for (int start = 0; start < stride; ++start) steps.push_back(start - first);
    }
    return steps;
  }

  Steps tensor_steps(const std::vector<int32_t>& devices) const {
    if (!fold_tensor_) return {0};
    return steps_by_group(values(devices, &GridCoordinates::tensor), mesh_of(devices).tensor);
  }

  Steps replica_steps(const std::vector<int32_t>& devices) const {
    const Mesh& mesh = mesh_of(devices);
    const auto rank = static_cast<size_t>(coordinates(devices.front()).rank);
    const bool folded =
        !classes_.empty() && static_cast<int>(classes_[rank].size()) < mesh.replicas();
    if (!folded) return {0};
    const std::set<int> spanned = values(devices, &GridCoordinates::replica);
    if (classes_[rank].size() == 1 || spanned.size() == static_cast<size_t>(mesh.replicas()))
      return steps_by_group(spanned, mesh.replicas());
    Steps steps;
    if (spanned.size() > 1) return steps_to_like_groups(spanned, classes_[rank], mesh.replicas());
    for (const ReplicaClass& one : classes_[rank])
      if (one.replica == *spanned.begin())
        for (const int member : one.members) steps.push_back(member - one.replica);
    return steps;
  }

  /// Returns the steps from some replicas to those groups in whose same places are replicas of the
  /// same classes, as far as places are simulated.
  static Steps steps_to_like_groups(const std::set<int>& spanned,
                                    const std::vector<ReplicaClass>& classes, int all) {
    std::map<int, size_t> like;  // by step, the places that suit
    size_t simulated = 0;
    for (const ReplicaClass& one : classes) {
      if (!spanned.contains(one.replica)) continue;
      ++simulated;
      for (const int member : one.members) ++like[member - one.replica];
    }
    Steps steps = steps_by_group(spanned, all);
    std::erase_if(steps, [&](int step) {
      const auto found = like.find(step);
      return found == like.end() || found->second != simulated;
    });
    return steps;
  }

  std::vector<int32_t> moved(const std::vector<int32_t>& devices, int tensor_step,
                             int replica_step) const {
    std::vector<int32_t> moved;
    for (const int32_t device : devices) {
      const GridCoordinates& at = coordinates(device);
      moved.push_back(grid_.device(at.rank, at.tensor + tensor_step, at.replica + replica_step));
    }
    return moved;
  }

  const Grid& grid_;
  bool fold_tensor_;
  const std::vector<std::vector<ReplicaClass>>& classes_;  // by rank
  std::vector<GridCoordinates> coordinates_;               // by device
};

void add(size_t number, LinkMemo::Key& key) { key.push_back(static_cast<int32_t>(number)); }

void add(const Spreading& spreading, LinkMemo::Key& key) {
  key.push_back(static_cast<int32_t>(spreading.how));
  if (!spreading.draws()) return;
  key.push_back(spreading.queue_pairs);
  add(spreading.seed & 0xffffffff, key);
  add(spreading.seed >> 32, key);
}

/// All that a mirror and routes depend on. Each list comes after its length.
LinkMemo::Key key_of(const Grid& grid, const Folding& folding, const Spreading& spreading) {
  LinkMemo::Key key{folding.tensor};
  add(spreading, key);
  for (const Mesh& mesh : grid.meshes) {
    key.insert(key.end(), {mesh.tensor, mesh.replicas()});
    add(mesh.devices.size(), key);
    key.insert(key.end(), mesh.devices.begin(), mesh.devices.end());
  }
  for (const std::vector<ReplicaClass>& classes : folding.replicas) {
    add(classes.size(), key);
    for (const ReplicaClass& one : classes) {
      key.push_back(one.replica);
      add(one.members.size(), key);
      key.insert(key.end(), one.members.begin(), one.members.end());
    }
  }
  return key;
}

}  // namespace

Mirror mirror_of(const Grid& grid, const Folding& folding) { return GridMirror(grid, folding); }

std::shared_ptr<LaidLinks> laid_links(const Prepared& prepared, const Folding& folding) {
  return laid_links(prepared, folding, prepared.links.spreading);
}

std::shared_ptr<LaidLinks> laid_links(const Prepared& prepared, const Folding& folding,
                                      const Spreading& spreading) {
  const Topology& topology = required(prepared.links.topology, "links are laid on it");
  if (!prepared.links.laid) return std::make_shared<LaidLinks>(topology, spreading);
  return prepared.links.laid->of(key_of(prepared.grid, folding, spreading), topology, spreading);
}

std::shared_ptr<LaidLinks> counted_links(const Prepared& prepared, const Folding& folding) {
  const bool sprays = prepared.links.packets && prepared.links.packets->options.spray;
  return sprays ? laid_links(prepared, folding, {.how = Spreading::How::all})
                : laid_links(prepared, folding);
}

}  // namespace pipewright
