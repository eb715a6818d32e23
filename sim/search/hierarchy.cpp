// A^k(i,j,m): the least bottleneck of links i..j on m components of level k, each of m_(k-1).
//   A^0(i,j)   = sum of seconds
//   T^k(i,j,m) = 1/m max(A^(k-1)(i,j,m_(k-1)), 2 (m - 1) sum of weights / B_k)   one stage
//   A^k(i,j,m) = min(T^k(i,j,m), min over s, m' of
//                    max(A^k(i,s,m - m'), 2 output_s / B_k, T^k(s + 1,j,m')))
// Narayanan et al., SOSP 2019, section 3.1. Only A^k(i,j,m_k) is wanted of the levels below the
// last, and A(0,j,m) of the last. O(L N^3 m^2) below it, O(N^2 m^2) in it.
#include "search/hierarchy.hpp"

#include <algorithm>
#include <limits>

namespace pipewright::search {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A cell of the table, and how A^k(i,j,m) is reached: the last stage begins at `begin` and has
/// `replicas` components.
struct Cell {
  double bottleneck = unlimited;
  int begin = 0, replicas = 0;
};

class HierarchySolver {
 public:
  HierarchySolver(const std::vector<LinkCost>& chain, const std::vector<Level>& levels)
      : chain_(chain), levels_(levels), n_(static_cast<int>(chain.size())) {
    weights_.push_back(0);
    for (const LinkCost& link : chain) weights_.push_back(weights_.back() + link.weights);
    whole_.resize(levels.size() + 1);
    cells_.resize(levels.size());
    compute_alone();
    for (size_t k = 0; k < levels.size(); ++k) solve(k);
  }

  HierarchicalPlan plan() const {
    HierarchicalPlan plan{whole(levels_.size(), 0, n_ - 1), {}};
    std::vector<int32_t> first{0};
    stages(levels_.size(), 0, n_ - 1, first, plan.stages);
    return plan;
  }

 private:
  size_t at(int i, int j) const { return static_cast<size_t>(i) * static_cast<size_t>(n_) + j; }
  double whole(size_t level, int i, int j) const { return whole_[level][at(i, j)]; }

  void compute_alone() {
    whole_[0].resize(static_cast<size_t>(n_) * n_);
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int j = i; j < n_; ++j) whole_[0][at(i, j)] = sum += chain_[j].seconds;
    }
  }

  double one_stage(size_t k, int i, int j, int m) const {
    const double synchronised =
        2 * (m - 1) * (weights_[j + 1] - weights_[i]) / levels_[k].bandwidth;
    return std::max(whole(k, i, j), synchronised) / m;
  }

  const Cell& cell(size_t k, int i, int j, int m) const {
    return cells_[k][at(i, j) * static_cast<size_t>(levels_[k].components) + m - 1];
  }

  Cell best(size_t k, int i, int j, int m) const {
    Cell best{one_stage(k, i, j, m), i, m};
    for (int s = i; s < j; ++s) {
      const double sent = 2 * chain_[s].output / levels_[k].bandwidth;
      if (sent >= best.bottleneck) continue;
      for (int last = 1; last < m; ++last) {
        const double before = cell(k, i, s, m - last).bottleneck;
        if (before >= best.bottleneck) continue;
        const double all = std::max({before, sent, one_stage(k, s + 1, j, last)});
        if (all < best.bottleneck) best = {all, s + 1, last};
      }
    }
    return best;
  }

  void solve(size_t k) {
    const int components = levels_[k].components;
    cells_[k].resize(static_cast<size_t>(n_) * n_ * components);
    whole_[k + 1].assign(static_cast<size_t>(n_) * n_, unlimited);
    const int starts = k + 1 == levels_.size() ? 1 : n_;
    for (int i = 0; i < starts; ++i) {
      for (int j = i; j < n_; ++j) {
        for (int m = 1; m <= components; ++m)
          cells_[k][at(i, j) * static_cast<size_t>(components) + m - 1] = best(k, i, j, m);
        whole_[k + 1][at(i, j)] = cell(k, i, j, components).bottleneck;
      }
    }
  }

  int devices_below(size_t level) const {
    int devices = 1;
    for (size_t k = 0; k < level; ++k) devices *= levels_[k].components;
    return devices;
  }

  /// Links i..j on whole components of the levels below `level`, the first devices of which are
  /// `first`.
  void stages(size_t level, int i, int j, const std::vector<int32_t>& first,
              std::vector<ReplicatedStage>& all) const {
    if (level == 0) {
      all.push_back({i, j, first});
      return;
    }
    const size_t k = level - 1;
    struct Part {
      int begin, end, replicas;
    };
    std::vector<Part> parts;
    for (int m = levels_[k].components; m > 0;) {
      const Cell& last = cell(k, i, j, m);
      parts.insert(parts.begin(), {last.begin, j, last.replicas});
      m -= last.replicas;
      j = last.begin - 1;
    }
    int component = 0;
    for (const Part& part : parts) {
      std::vector<int32_t> inner;
      for (const int32_t device : first)
        for (int c = component; c < component + part.replicas; ++c)
          inner.push_back(device + c * devices_below(k));
      component += part.replicas;
      stages(k, part.begin, part.end, inner, all);
    }
  }

  const std::vector<LinkCost>& chain_;
  const std::vector<Level>& levels_;
  int n_;
  std::vector<double> weights_;             // of all links before
  std::vector<std::vector<double>> whole_;  // by level: A^level(i, j, all)
  std::vector<std::vector<Cell>> cells_;    // by level, i, j, m
};

}  // namespace

HierarchicalPlan hierarchical_pipeline(const std::vector<LinkCost>& chain,
                                       const std::vector<Level>& levels) {
  return HierarchySolver(chain, levels).plan();
}

}  // namespace pipewright::search
