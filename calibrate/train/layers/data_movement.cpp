#include "calibrate/train/layers/data_movement.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::train {
namespace {

/// Calls with the columns at both sides of all that `movement` brings from one worker to another.
template <class F>
void for_each_copy(const Movement& movement, const Workers& owned, const Workers& wanted,
                   F&& body) {
  for (size_t j = 0; j < movement.own.size(); ++j) {
    for (size_t i = 0; i < movement.want.size(); ++i) {
      const Range &own = movement.own[j], &want = movement.want[i];
      const int64_t first = std::max(own.first, want.first);
      const int64_t count = std::min(own.end(), want.end()) - first;
      if (count <= 0) continue;
      body(owned[j].tensor.column_range(first - own.first, count),
           wanted[i].tensor.column_range(first - want.first, count));
    }
  }
}

int64_t rows_of(const Workers& workers) {
  int64_t rows = 0;
  for (const Array& one : workers) rows = std::max(rows, one.tensor.rows);
  return rows;
}

Workers zeros(Kernels& kernels, int64_t rows, const std::vector<Range>& columns) {
  Workers workers;
  for (const Range& range : columns) {
    workers.push_back(kernels.array(rows, range.count));
    kernels.zero(workers.back());
  }
  return workers;
}

}  // namespace

Workers forward(const Movement& movement, Kernels& kernels, const Workers& x) {
  ensure(x.size() == movement.own.size(), "every worker brings what it owns");
  Workers y = zeros(kernels, rows_of(x), movement.want);
  for_each_copy(movement, x, y,
                [&](const Tensor& from, const Tensor& to) { kernels.copy(from, to); });
  return y;
}

Workers adjoint(const Movement& movement, Kernels& kernels, const Workers& y) {
  ensure(y.size() == movement.want.size(), "every worker brings what it was given");
  Workers x = zeros(kernels, rows_of(y), movement.own);
  for_each_copy(movement, x, y,
                [&](const Tensor& to, const Tensor& from) { kernels.add(1, from, to); });
  return x;
}

std::vector<Range> even_parts(int64_t columns, int workers, int64_t unit) {
  const int64_t units = columns / unit;
  std::vector<Range> parts;
  for (int64_t i = 0; i < workers; ++i) {
    const int64_t first = units * i / workers, end = units * (i + 1) / workers;
    parts.push_back({first * unit, (end - first) * unit});
  }
  return parts;
}

Movement broadcast(int root, int workers, int64_t columns) {
  Movement movement{std::vector<Range>(static_cast<size_t>(workers)),
                    std::vector<Range>(static_cast<size_t>(workers), Range{0, columns})};
  movement.own[static_cast<size_t>(root)] = {0, columns};
  return movement;
}

Movement send(int from, int to, int workers, int64_t columns) {
  Movement movement{std::vector<Range>(static_cast<size_t>(workers)),
                    std::vector<Range>(static_cast<size_t>(workers))};
  movement.own[static_cast<size_t>(from)] = movement.want[static_cast<size_t>(to)] = {0, columns};
  return movement;
}

Movement repartition(std::vector<Range> from, std::vector<Range> to) {
  return {std::move(from), std::move(to)};
}

Movement halo_exchange(std::vector<Range> own, int64_t before, int64_t after) {
  std::vector<Range> want = own;
  for (Range& range : want) range = {range.first - before, range.count + before + after};
  return {std::move(own), std::move(want)};
}

}  // namespace pipewright::train
