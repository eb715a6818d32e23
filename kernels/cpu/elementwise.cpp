#include <cmath>
#include <numbers>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels {

std::unique_ptr<Kernels> cpu_kernels() { return std::make_unique<cpu::Backend>(); }

namespace cpu {
namespace {

float normal_distribution(float x) {
  return 0.5f * std::erfc(-x * std::numbers::sqrt2_v<float> / 2);
}

float normal_density(float x) {
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
}

}  // namespace

void Arrays::upload(std::span<const float> from, const Tensor& to) {
  map(to) = Eigen::Map<const Matrix>(from.data(), to.rows, to.columns);
}

void Arrays::download(const Tensor& from, std::span<float> to) {
  Eigen::Map<Matrix>(to.data(), from.rows, from.columns) = map(from);
}

void Arrays::zero(const Tensor& to) { map(to).setZero(); }

void Arrays::copy(const Tensor& from, const Tensor& to) { map(to) = map(from); }

void Arrays::add(double factor, const Tensor& from, const Tensor& to) {
  map(to) += static_cast<float>(factor) * map(from);
}

void Activations::gelu(const Tensor& x, const Tensor& y) {
  map(y) = map(x).unaryExpr([](float v) { return v * normal_distribution(v); });
}

void Activations::gelu_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) {
  map(dx) = map(x).binaryExpr(map(dy), [](float v, float d) {
    return d * (normal_distribution(v) + v * normal_density(v));
  });
}

void Activations::relu(const Tensor& x, const Tensor& y) { map(y) = map(x).cwiseMax(0.0f); }

void Activations::relu_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  map(dx) = (map(y).array() > 0).select(map(dy), 0.0f);
}

}  // namespace cpu
}  // namespace pipewright::kernels
