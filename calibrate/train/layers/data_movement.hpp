// Moving data between workers as a linear operator (Hewett, Grady: arXiv 2006.03108).
//
// A tensor's columns are spread over workers: worker i owns the range own[i] of them, and no column
// has two owners. A movement F brings to worker i the range want[i]; columns that nobody owns are
// 0. As a matrix F only copies, so that its adjoint F* sums: worker j gets for every column that it
// owns the sum over all workers that had been given it. <F x, y> = <x, F* y> holds for all x and y,
// which is what makes F* the backward pass of F. Broadcast, sum-reduce (its adjoint), send and
// receive, scatter, gather, repartition (all-to-all) and halo exchange are all of this form.
#pragma once

#include <algorithm>
#include <vector>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

struct Range {
  int64_t first = 0, count = 0;
  int64_t end() const { return first + count; }
};

/// Returns what both have; its count is 0 where that is nothing.
inline Range overlap(const Range& a, const Range& b) {
  const int64_t first = std::max(a.first, b.first);
  return {first, std::max<int64_t>(0, std::min(a.end(), b.end()) - first)};
}

/// The array that each worker has, all with the same number of rows; no columns: nothing.
using Workers = std::vector<Array>;

struct Movement {
  std::vector<Range> own, want;  ///< by worker
};

Workers forward(const Movement& movement, Kernels& kernels, const Workers& x);
Workers adjoint(const Movement& movement, Kernels& kernels, const Workers& y);

/// `columns` in as equal parts as whole `units` allow, one after the other.
std::vector<Range> even_parts(int64_t columns, int workers, int64_t unit = 1);

Movement broadcast(int root, int workers, int64_t columns);
Movement send(int from, int to, int workers, int64_t columns);
Movement repartition(std::vector<Range> from, std::vector<Range> to);
/// Every worker gets `before` and `after` its own columns those of its neighbours.
Movement halo_exchange(std::vector<Range> own, int64_t before, int64_t after);

}  // namespace pipewright::train
