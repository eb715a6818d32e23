#include "calibrate/train/parallel/cube_layers.hpp"

#include <cmath>

#include "calibrate/train/layers/host_numbers.hpp"
#include "calibrate/train/parallel/own_sequences.hpp"

namespace pipewright::train {
namespace {

constexpr double epsilon = 1e-5;  // as Kernels::layer_norm has it

/// Two sums of every row.
template <class F>
Array sums_of_rows(Kernels& kernels, int64_t rows, int64_t columns, F&& of_number) {
  std::vector<float> sums;
  for (int64_t row = 0; row < rows; ++row) {
    double first = 0, second = 0;
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      const auto [a, b] = of_number(static_cast<size_t>(i));
      first += a;
      second += b;
    }
    sums.push_back(static_cast<float>(first));
    sums.push_back(static_cast<float>(second));
  }
  return array_of(kernels, sums, 2);
}

/// Normalises on a cube. With n = (x - mean) / deviation: dx = (dy - mean(dy) - n mean(dy n)) /
/// deviation
class CubeNorm final : public SharedLayer {
 public:
  CubeNorm(int64_t columns, int64_t width)
      : columns_(columns), width_(static_cast<double>(width)) {}

  void forward(const Call& call, Progress& at) const override {
    std::vector<float> x = numbers_of(call.kernels, at.x);
    if (at.part == 0) {
      const auto powers = [&](size_t i) { return std::pair{double{x[i]}, double{x[i]} * x[i]}; };
      at.moving = {{Exchange::sum, sums_of_rows(call.kernels, at.x.tensor.rows, columns_, powers)}};
      return;
    }
    const std::vector<float> sums = numbers_of(call.kernels, at.arrived[0]);
    std::vector<float> inverse;
    for (size_t row = 0; row < sums.size() / 2; ++row) {
      const double mean = sums[2 * row] / width_;
      const double variance = sums[2 * row + 1] / width_ - mean * mean;
      inverse.push_back(static_cast<float>(1 / std::sqrt(std::max(variance, 0.0) + epsilon)));
      for (float& number : row_of(x, row))
        number = static_cast<float>((number - mean) * inverse.back());
    }
    at.x = array_of(call.kernels, x, columns_);
    call.stash.of(call.batch) = {at.x, array_of(call.kernels, inverse, 1)};
  }

  void input_gradient(const Call& call, Progress& at) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    std::vector<float> d = numbers_of(call.kernels, at.x);
    const std::vector<float> normal = numbers_of(call.kernels, kept[0]);
    if (at.part == 0) {
      const auto both = [&](size_t i) { return std::pair{double{d[i]}, double{d[i]} * normal[i]}; };
      at.moving = {{Exchange::sum, sums_of_rows(call.kernels, at.x.tensor.rows, columns_, both)}};
      return;
    }
    const std::vector<float> sums = numbers_of(call.kernels, at.arrived[0]);
    const std::vector<float> inverse = numbers_of(call.kernels, kept[1]);
    for (size_t i = 0; i < d.size(); ++i) {
      const size_t row = i / static_cast<size_t>(columns_);
      d[i] = static_cast<float>(
          inverse[row] * (d[i] - sums[2 * row] / width_ - normal[i] * sums[2 * row + 1] / width_));
    }
    at.x = array_of(call.kernels, d, columns_);
    kept.clear();
  }

 private:
  std::span<float> row_of(std::vector<float>& x, size_t row) const {
    const auto columns = static_cast<size_t>(columns_);
    return std::span(x).subspan(row * columns, columns);
  }
  int64_t columns_;
  double width_;
};

class CubeEmbedding final : public SharedLayer {
 public:
  explicit CubeEmbedding(const CubeTableShape& shape)
      : s_(shape), part_(shape.tokens * shape.width / shape.side) {}

  int64_t parameters() const override { return part_ + s_.positions * s_.width; }

  void forward(const Call& call, Progress& at) const override {
    Kernels& kernels = call.kernels;
    if (at.part == 0) {
      Array own = kernels.array(1, part_);
      kernels.copy(call.weights.column_range(0, part_), own);
      at.moving = {{Exchange::gather, std::move(own)}};
    } else if (at.part == 1) {
      const Array table = with_columns(at.arrived[0], s_.width);
      const Batch rows = sequences_of(call.batch, s_.x, s_.side);
      Array y = kernels.array(rows.rows(), s_.width);
      kernels.zero(y);
      for_own(rows, [&](int64_t row, int64_t token) {
        kernels.copy(table.tensor.row_range(token, 1), y.tensor.row_range(row, 1));
      });
      at.moving = {{Exchange::scatter, with_columns(y, y.tensor.size())}};
    } else {
      at.x = with_columns(at.arrived[0], s_.width);
      if (s_.positions == 0) return;
      for_sequences(call.batch, at.x, [&](const Tensor& rows) {
        kernels.add(1, position_rows(call.batch, positions(call.weights)), rows);
      });
    }
  }

  void input_gradient(const Call& call, Progress& at) const override {
    if (at.part == 0) {
      at.moving = {{Exchange::gather, with_columns(at.x, at.x.tensor.size())}};
    } else {
      call.stash.of(call.batch) = {with_columns(at.arrived[0], s_.width)};
      at.x = {};
    }
  }

  void weight_gradient(const Call& call, const Tensor& gradients, Progress& at) const override {
    Kernels& kernels = call.kernels;
    if (at.part > 0) {
      kernels.add(1, at.arrived[0], gradients.column_range(0, part_));
      if (s_.positions > 0)
        kernels.add(1, with_columns(at.arrived[1], s_.width), positions(gradients));
      call.stash.of(call.batch).clear();
      return;
    }
    const Array dy = call.stash.of(call.batch)[0];
    const Array table = kernels.array(s_.tokens, s_.width);
    kernels.zero(table);
    for_own(sequences_of(call.batch, s_.x, s_.side), [&](int64_t row, int64_t token) {
      kernels.add(1, dy.tensor.row_range(row, 1), table.tensor.row_range(token, 1));
    });
    at.moving = {{Exchange::scatter, with_columns(table, table.tensor.size())}};
    if (s_.positions == 0) return;
    const Array places = kernels.array(s_.positions, s_.width);
    kernels.zero(places);
    for_sequences(call.batch, dy, [&](const Tensor& rows) {
      kernels.add(1, rows, position_rows(call.batch, places));
    });
    at.moving.push_back({Exchange::sum, with_columns(places, places.tensor.size())});
  }

 private:
  Tensor positions(const Tensor& all) const {
    return {all.data + part_, s_.positions, s_.width, s_.width};
  }
  static Tensor position_rows(const Batch& batch, const Tensor& positions) {
    return positions.row_range(batch.first, batch.tokens);
  }
  /// Calls with row and place in the table of every token that is here.
  template <class F>
  void for_own(const Batch& batch, F&& body) const {
    for (int64_t row = 0; row < batch.rows(); ++row) {
      const int64_t token = batch.inputs[static_cast<size_t>(row)] - s_.first;
      if (token >= 0 && token < s_.tokens) body(row, token);
    }
  }
  template <class F>
  static void for_sequences(const Batch& batch, const Array& x, F&& body) {
    for (int64_t row = 0; row < x.tensor.rows; row += batch.tokens)
      body(x.tensor.row_range(row, batch.tokens));
  }

  CubeTableShape s_;
  int64_t part_;
};

}  // namespace

SharedLayerPointer cube_norm(int64_t columns, int64_t width) {
  return std::make_unique<CubeNorm>(columns, width);
}
SharedLayerPointer cube_embedding(const CubeTableShape& shape) {
  return std::make_unique<CubeEmbedding>(shape);
}

}  // namespace pipewright::train
