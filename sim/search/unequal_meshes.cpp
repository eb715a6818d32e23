// Least  sum of t_i + sum of r_i + (m - 1) max(t_i, r_i)  over stages i with times t_i and
// reshardings r_i between them. For every value t that the largest may take, ascending:
//   F(k, d, a) = min over last link j >= k, mesh b:
//                r(k - 1, a, b) + t(k..j, b) + F(j + 1, d - |b|, b),    all t and r at most t,
// links k.. on d devices after a stage on mesh a; the answer is the least F(0, D, none) + (m - 1)
// t. It ends at the first t with (m - 1) t above the best. Zheng et al., OSDI 2022, equations 2 to
// 4, with resharding, which they leave out. O(T N^2 D M^2) for T values of t.
#include "search/unequal_meshes.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace pipewright::search {
namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

class MeshSolver {
 public:
  explicit MeshSolver(const MeshProblem& problem)
      : p_(problem), meshes_(problem.mesh_devices.size()), n_(static_cast<size_t>(problem.links)) {
    stage_.resize(meshes_ * n_ * n_);
    reshard_.resize(meshes_ * meshes_ * n_);
    for (size_t mesh = 0; mesh < meshes_; ++mesh) {
      for (int first = 0; first < p_.links; ++first)
        for (int last = first; last < p_.links; ++last)
          stage_[stage_index(first, last, mesh)] = p_.stage_s(first, last, mesh);
      for (int last = 0; last + 1 < p_.links; ++last)
        for (size_t to = 0; to < meshes_; ++to)
          reshard_[reshard_index(last, mesh, to)] = p_.reshard_s(last, mesh, to);
    }
  }

  MeshPlan solve() {
    std::set<double> limits(stage_.begin(), stage_.end());
    limits.insert(reshard_.begin(), reshard_.end());
    limits.erase(unreachable);
    MeshPlan best{unreachable, {}};
    const double later = p_.micro_batches - 1;
    for (const double limit : limits) {
      if (later * limit >= best.seconds) break;
      fill(limit);
      const double all = least(0, p_.devices, meshes_) + later * limit;
      if (all < best.seconds) best = {all, stages()};
    }
    return best;
  }

 private:
  struct Cell {
    double seconds = unreachable;
    MeshStage stage;
  };

  size_t stage_index(int first, int last, size_t mesh) const {
    return (mesh * n_ + static_cast<size_t>(first)) * n_ + static_cast<size_t>(last);
  }
  size_t reshard_index(int last, size_t from, size_t to) const {
    return (static_cast<size_t>(last) * meshes_ + from) * meshes_ + to;
  }
  /// `before` is a mesh, or meshes_ for none.
  Cell& cell(int first, int devices, size_t before) {
    return cells_[(static_cast<size_t>(first) * (static_cast<size_t>(p_.devices) + 1) +
                   static_cast<size_t>(devices)) *
                      (meshes_ + 1) +
                  before];
  }
  double least(int first, int devices, size_t before) {
    if (first == p_.links) return devices == 0 ? 0 : unreachable;
    return cell(first, devices, before).seconds;
  }

  Cell best_stage(int first, int devices, size_t before, double limit) {
    Cell best;
    for (size_t mesh = 0; mesh < meshes_; ++mesh) {
      const int rest = devices - p_.mesh_devices[mesh];
      if (rest < 0) continue;
      const double moved = before == meshes_ ? 0 : reshard_[reshard_index(first - 1, before, mesh)];
      if (moved > limit) continue;
      for (int last = first; last < p_.links; ++last) {
        const double stage = stage_[stage_index(first, last, mesh)];
        if (stage > limit) continue;
        const double all = moved + stage + least(last + 1, rest, mesh);
        if (all < best.seconds) best = {all, {first, last, mesh}};
      }
    }
    return best;
  }

  void fill(double limit) {
    cells_.assign(n_ * (static_cast<size_t>(p_.devices) + 1) * (meshes_ + 1), {});
    for (int first = p_.links - 1; first >= 0; --first)
      for (int devices = 1; devices <= p_.devices; ++devices)
        for (size_t before = 0; before <= meshes_; ++before)
          if ((first == 0) == (before == meshes_))
            cell(first, devices, before) = best_stage(first, devices, before, limit);
  }

  std::vector<MeshStage> stages() {
    std::vector<MeshStage> all;
    int devices = p_.devices;
    size_t before = meshes_;
    for (int first = 0; first < p_.links; first = all.back().last + 1) {
      all.push_back(cell(first, devices, before).stage);
      before = all.back().mesh;
      devices -= p_.mesh_devices[before];
    }
    return all;
  }

  const MeshProblem& p_;
  size_t meshes_, n_;
  std::vector<double> stage_, reshard_;
  std::vector<Cell> cells_;
};

}  // namespace

std::vector<Mesh> submeshes(int rows, int columns) {
  std::vector<Mesh> meshes;
  for (int width = 1; width < columns; width *= 2) meshes.push_back({1, width});
  for (int n = 1; n <= rows; ++n) meshes.push_back({n, columns});
  return meshes;
}

std::optional<std::vector<int>> first_devices(const std::vector<Mesh>& meshes, int devices,
                                              int devices_per_node) {
  std::vector<bool> taken(static_cast<size_t>(devices));
  std::vector<int> first;
  for (const Mesh& mesh : meshes) {
    const int size = mesh.devices(), step = std::min(size, devices_per_node);
    int at = 0;
    const auto is_free = [&] {
      return std::none_of(taken.begin() + at, taken.begin() + at + size, std::identity());
    };
    while (at + size <= devices && !is_free()) at += step;
    if (at + size > devices) return std::nullopt;
    std::fill_n(taken.begin() + at, size, true);
    first.push_back(at);
  }
  return first;
}

MeshPlan unequal_meshes(const MeshProblem& problem) { return MeshSolver(problem).solve(); }

}  // namespace pipewright::search
