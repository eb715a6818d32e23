// Whom a simulated rank stands for, when links are shared: every device of its message or group
// moved to another tensor rank, or to another replica of its class.
#include <algorithm>
#include <set>

#include "study/prepare.hpp"

namespace pipewright {
namespace {

struct Place {
  int rank = 0, tensor = 0, replica = 0;
};

class GridMirror {
 public:
  explicit GridMirror(const Prepared& prepared)
      : grid_(prepared.grid), fold_tensor_(prepared.fold_tensor), classes_(prepared.replicas) {
    const auto highest = std::max_element(grid_.devices.begin(), grid_.devices.end());
    places_.resize(static_cast<size_t>(*highest) + 1);
    for (int replica = 0; replica < grid_.replicas(); ++replica)
      for (int rank = 0; rank < grid_.pipeline; ++rank)
        for (int t = 0; t < grid_.tensor; ++t)
          places_[static_cast<size_t>(grid_.device(rank, t, replica))] = {rank, t, replica};
  }

  std::vector<std::vector<int32_t>> operator()(const std::vector<int32_t>& devices) const {
    const std::optional<std::vector<int>> tensor = tensor_ranks(devices);
    const std::optional<std::vector<int>> replicas = other_replicas(devices);
    std::vector<std::vector<int32_t>> all;
    if (!tensor || !replicas) return all;
    for (const int replica : *replicas)
      for (const int t : *tensor) all.push_back(moved(devices, t, replica));
    return all;
  }

 private:
  const Place& place(int32_t device) const { return places_[static_cast<size_t>(device)]; }

  template <class Coordinate>
  std::set<int> values(const std::vector<int32_t>& devices, Coordinate coordinate) const {
    std::set<int> all;
    for (const int32_t device : devices) all.insert(place(device).*coordinate);
    return all;
  }

  /// To move to; keep: where they are. Empty where the group spans some but not all tensor ranks.
  std::optional<std::vector<int>> tensor_ranks(const std::vector<int32_t>& devices) const {
    if (!fold_tensor_ || grid_.tensor == 1) return std::vector<int>{keep};
    const size_t spanned = values(devices, &Place::tensor).size();
    if (spanned == static_cast<size_t>(grid_.tensor)) return std::vector<int>{keep};
    if (spanned > 1) return std::nullopt;
    std::vector<int> all;
    for (int t = 0; t < grid_.tensor; ++t) all.push_back(t);
    return all;
  }

  std::optional<std::vector<int>> other_replicas(const std::vector<int32_t>& devices) const {
    const auto folded = static_cast<int>(classes_.size()) < grid_.replicas();
    if (classes_.empty() || !folded) return std::vector<int>{keep};
    const std::set<int> spanned = values(devices, &Place::replica);
    if (spanned.size() == static_cast<size_t>(grid_.replicas())) return std::vector<int>{keep};
    if (spanned.size() > 1) return std::nullopt;
    for (const ReplicaClass& one : classes_)
      if (one.replica == *spanned.begin()) return one.members;
    return std::nullopt;
  }

  std::vector<int32_t> moved(const std::vector<int32_t>& devices, int tensor, int replica) const {
    std::vector<int32_t> moved;
    for (const int32_t device : devices) {
      const Place& at = place(device);
      moved.push_back(grid_.device(at.rank, tensor == keep ? at.tensor : tensor,
                                   replica == keep ? at.replica : replica));
    }
    return moved;
  }

  static constexpr int keep = -1;
  const Grid& grid_;
  bool fold_tensor_;
  const std::vector<ReplicaClass>& classes_;
  std::vector<Place> places_;  // by device
};

}  // namespace

Mirror mirror_of(const Prepared& prepared) { return GridMirror(prepared); }

}  // namespace pipewright
