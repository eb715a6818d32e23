// The gradients, with s = 1 / sqrt(mean(x^2) + epsilon) and normal = x s, are
//   dx = s (g - normal mean(g normal)),  g = dy gain
//   d_gain += sum over rows of dy normal
#include <cmath>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {

void Norms::rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y, const Tensor& inverse) {
  const auto in = map(x);
  auto out = map(y), kept = map(inverse);
  for (int64_t r = 0; r < x.rows; ++r) {
    const float scale = 1 / std::sqrt(in.row(r).array().square().mean() + epsilon);
    kept(r, 0) = scale;
    out.row(r) = (in.row(r).array() * scale * map(gain).row(0).array()).matrix();
  }
}

void Norms::rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                                    const Tensor& dy, const Tensor& dx) {
  const auto in = map(x), kept = map(inverse), from = map(dy);
  auto to = map(dx);
  Eigen::RowVectorXf normal(x.columns), g(x.columns);
  for (int64_t r = 0; r < x.rows; ++r) {
    normal = in.row(r) * kept(r, 0);
    g = from.row(r).array() * map(gain).row(0).array();
    const float along = g.dot(normal) / static_cast<float>(x.columns);
    to.row(r) = kept(r, 0) * (g - normal * along);
  }
}

void Norms::rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                     const Tensor& d_gain) {
  const auto in = map(x), kept = map(inverse), from = map(dy);
  auto to = map(d_gain);
  for (int64_t r = 0; r < x.rows; ++r)
    to.row(0).array() += from.row(r).array() * in.row(r).array() * kept(r, 0);
}

}  // namespace pipewright::kernels::cpu
