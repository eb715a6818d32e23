#include <cmath>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {

void Sequences::gather_rows(std::span<const int32_t> tokens, const Tensor& table, const Tensor& y) {
  for (int64_t r = 0; r < y.rows; ++r) map(y).row(r) = map(table).row(tokens[r]);
}

void Sequences::scatter_rows(std::span<const int32_t> tokens, const Tensor& dy,
                             const Tensor& d_table) {
  for (int64_t r = 0; r < dy.rows; ++r) map(d_table).row(tokens[r]) += map(dy).row(r);
}

void Sequences::cross_entropy(const Tensor& logits, std::span<const int32_t> targets, double scale,
                              const Tensor& d_logits, const Tensor& loss) {
  const auto in = map(logits);
  auto out = map(d_logits);
  const auto factor = static_cast<float>(scale);
  double total = 0;
  for (int64_t r = 0; r < logits.rows; ++r) {
    const float highest = in.row(r).maxCoeff();
    const float target = in(r, targets[r]) - highest;
    out.row(r) = (in.row(r).array() - highest).exp().matrix();
    const float sum = out.row(r).sum();
    out.row(r) *= factor / sum;
    out(r, targets[r]) -= factor;
    total += std::log(sum) - target;
  }
  map(loss)(0, 0) += static_cast<float>(scale * total);
}

}  // namespace pipewright::kernels::cpu
