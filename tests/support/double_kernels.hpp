// What the kernels compute, in double precision, as plainly as it can be written, and gradients by
// central differences: for holding backends against.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "calibrate/train/layers/random.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::test {

struct Grid2 {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;

  Grid2(int64_t r, int64_t c) : rows(r), columns(c), values(static_cast<size_t>(r * c)) {}
  double& at(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  double at(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
};

inline Grid2 random_grid(int64_t rows, int64_t columns, uint64_t seed) {
  Grid2 grid(rows, columns);
  train::Random random(seed);
  for (double& value : grid.values) value = static_cast<float>(random.normal());
  return grid;
}

inline kernels::Array upload(kernels::Kernels& kernels, const Grid2& grid) {
  kernels::Array array = kernels.array(grid.rows, grid.columns);
  kernels.upload(std::vector<float>(grid.values.begin(), grid.values.end()), array);
  return array;
}

inline Grid2 download(kernels::Kernels& kernels, const kernels::Tensor& tensor) {
  Grid2 grid(tensor.rows, tensor.columns);
  std::vector<float> values(grid.values.size());
  kernels.download(tensor, values);
  grid.values.assign(values.begin(), values.end());
  return grid;
}

inline double dot(const Grid2& a, const Grid2& b) {
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

/// Of <dy, f(x)> with respect to x.
inline Grid2 gradient(const std::function<Grid2(const Grid2&)>& f, Grid2 x, const Grid2& dy) {
  constexpr double h = 1e-5;
  Grid2 result(x.rows, x.columns);
  for (size_t i = 0; i < x.values.size(); ++i) {
    const double at = x.values[i];
    x.values[i] = at + h;
    const double above = dot(dy, f(x));
    x.values[i] = at - h;
    const double below = dot(dy, f(x));
    x.values[i] = at;
    result.values[i] = (above - below) / (2 * h);
  }
  return result;
}

inline Grid2 double_gelu(const Grid2& x) {
  Grid2 y = x;
  for (double& v : y.values) v = v / 2 * (1 + std::erf(v / std::sqrt(2.0)));
  return y;
}

inline Grid2 double_layer_norm(const Grid2& x, const Grid2& gain, const Grid2& bias) {
  Grid2 y = x;
  for (int64_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < x.columns; ++c) mean += x.at(r, c) / double(x.columns);
    for (int64_t c = 0; c < x.columns; ++c)
      variance += std::pow(x.at(r, c) - mean, 2) / double(x.columns);
    for (int64_t c = 0; c < x.columns; ++c)
      y.at(r, c) = (x.at(r, c) - mean) / std::sqrt(variance + 1e-5) * gain.at(0, c) + bias.at(0, c);
  }
  return y;
}

/// Rows as in AttentionShape.
inline Grid2 double_attention(const kernels::AttentionShape& s, const Grid2& q, const Grid2& keys,
                              const Grid2& values) {
  Grid2 y(q.rows, q.columns);
  for (int sequence = 0; sequence < s.sequences; ++sequence) {
    for (int t = 0; t < s.tokens; ++t) {
      for (int h = 0; h < s.heads; ++h) {
        const int64_t row = sequence * s.tokens + t, first_key = sequence * s.total;
        const int64_t column = h * s.head_dim, kv = h / (s.heads / s.kv_heads) * s.head_dim;
        const int seen = s.causal ? s.first + t + 1 : s.keys();
        std::vector<double> weight(static_cast<size_t>(seen));
        double sum = 0;
        for (int k = 0; k < seen; ++k) {
          double score = 0;
          for (int d = 0; d < s.head_dim; ++d)
            score += q.at(row, column + d) * keys.at(first_key + k, kv + d);
          weight[k] = std::exp(score / std::sqrt(double(s.head_dim)));
          sum += weight[k];
        }
        for (int k = 0; k < seen; ++k)
          for (int d = 0; d < s.head_dim; ++d)
            y.at(row, column + d) += weight[k] / sum * values.at(first_key + k, kv + d);
      }
    }
  }
  return y;
}

/// [1, 1]: scale * sum over rows of -log softmax(target)
inline Grid2 double_cross_entropy(const Grid2& logits, const std::vector<int32_t>& targets,
                                  double scale) {
  Grid2 loss(1, 1);
  for (int64_t r = 0; r < logits.rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < logits.columns; ++c) sum += std::exp(logits.at(r, c));
    loss.at(0, 0) += scale * (std::log(sum) - logits.at(r, targets[static_cast<size_t>(r)]));
  }
  return loss;
}

}  // namespace pipewright::test
