// The gradients, with n columns, s = 1 / deviation and normal = (x - mean) s, are
//   dx = s (g - mean(g) - normal mean(g normal)),  g = dy gain
//   d_gain += sum over rows of dy normal,  d_bias += sum over rows of dy
#include <cmath>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {

void Norms::layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& y,
                       const Tensor& statistics) {
  const auto in = map(x);
  auto out = map(y), kept = map(statistics);
  for (int64_t r = 0; r < x.rows; ++r) {
    const float mean = in.row(r).mean();
    const float variance = (in.row(r).array() - mean).square().mean();
    const float scale = 1 / std::sqrt(variance + epsilon);
    kept(r, 0) = mean;
    kept(r, 1) = scale;
    out.row(r) =
        ((in.row(r).array() - mean) * scale * map(gain).row(0).array() + map(bias).row(0).array())
            .matrix();
  }
}

void Norms::layer_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& statistics,
                                      const Tensor& dy, const Tensor& dx) {
  const auto in = map(x), kept = map(statistics), from = map(dy);
  auto to = map(dx);
  Eigen::RowVectorXf normal(x.columns), g(x.columns);
  for (int64_t r = 0; r < x.rows; ++r) {
    const float scale = kept(r, 1);
    normal = (in.row(r).array() - kept(r, 0)) * scale;
    g = from.row(r).array() * map(gain).row(0).array();
    const float along = g.dot(normal) / static_cast<float>(x.columns);
    to.row(r) = (scale * (g.array() - g.mean() - normal.array() * along)).matrix();
  }
}

void Norms::layer_norm_weight_gradient(const Tensor& x, const Tensor& statistics, const Tensor& dy,
                                       const Tensor& d_gain, const Tensor& d_bias) {
  const auto in = map(x), kept = map(statistics), from = map(dy);
  auto to = map(d_gain);
  for (int64_t r = 0; r < x.rows; ++r) {
    to.row(0).array() += from.row(r).array() * (in.row(r).array() - kept(r, 0)) * kept(r, 1);
  }
  map(d_bias) += map(dy).colwise().sum();
}

}  // namespace pipewright::kernels::cpu
