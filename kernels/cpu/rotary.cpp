#include <cmath>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

/// The turns of one token's pairs.
struct Turns {
  Row cosine, sine;

  explicit Turns(int64_t pairs) : cosine(pairs), sine(pairs) {}
  void set(const RotaryShape& shape, int64_t token, double sign) {
    for (int64_t j = 0; j < cosine.size(); ++j) {
      const double exponent = -2.0 * static_cast<double>(j) / shape.head_dim;
      const double angle = static_cast<double>(token) * std::pow(shape.base, exponent);
      cosine(j) = static_cast<float>(std::cos(angle));
      sine(j) = static_cast<float>(sign * std::sin(angle));
    }
  }
};

}  // namespace

void Attention::rotate(const RotaryShape& shape, Turn turn, const Tensor& x, const Tensor& y) {
  const int64_t half = shape.head_dim / 2;
  Turns turns(half);
  Row low(half), high(half);
  // Rows of the same token, one of each sequence, share their turns.
  for (int64_t t = 0; t < std::min<int64_t>(shape.tokens, x.rows); ++t) {
    turns.set(shape, shape.first + t, turn == Turn::forward ? 1 : -1);
    for (int64_t r = t; r < x.rows; r += shape.tokens) {
      for (int64_t h = 0; h < shape.heads; ++h) {
        const int64_t at = h * shape.head_dim;
        low = row(x.column_range(at, half), r).array();
        high = row(x.column_range(at + half, half), r).array();
        row(y.column_range(at, half), r) = (low * turns.cosine - high * turns.sine).matrix();
        row(y.column_range(at + half, half), r) = (high * turns.cosine + low * turns.sine).matrix();
      }
    }
  }
}

}  // namespace pipewright::kernels::cpu
