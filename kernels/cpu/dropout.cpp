#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"
#include "kernels/philox.hpp"

namespace pipewright::kernels::cpu {
namespace {

/// body(row, column, factor) for every number; one draw of four serves four neighbours.
template <class F>
void for_each_factor(const Dropout& dropout, const Tensor& shape, F&& body) {
  const DropMask mask = drop_mask(dropout.probability, dropout.seed, dropout.stream);
  Philox draws{};
  uint64_t number = 0;
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t c = 0; c < shape.columns; ++c, ++number) {
      if (number % 4 == 0) draws = mask.draws(number / 4);
      body(r, c, mask.factor(draws.at[number % 4]));
    }
  }
}

}  // namespace

void Activations::dropout_add(const Dropout& dropout, const Tensor& x, const Tensor& residual,
                              const Tensor& y) {
  const auto in = map(x), beside = map(residual);
  auto out = map(y);
  for_each_factor(dropout, x, [&](int64_t r, int64_t c, float factor) {
    out(r, c) = beside(r, c) + factor * in(r, c);
  });
}

void Activations::dropout_gradient(const Dropout& dropout, const Tensor& dy, const Tensor& dx) {
  const auto from = map(dy);
  auto to = map(dx);
  for_each_factor(dropout, dy,
                  [&](int64_t r, int64_t c, float factor) { to(r, c) = factor * from(r, c); });
}

}  // namespace pipewright::kernels::cpu
