#include "calibrate/measure/cuda_bodies.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "calibrate/measure/fused_bodies.hpp"
#include "calibrate/measure/product_shape.hpp"

namespace pipewright::calibration {
namespace {

using kernels::Array;

class CudaBodies final : public Bodies {
 public:
  CudaBodies(kernels::CudaKernels& kernels, kernels::Cudnn* cudnn, std::string why_no_cudnn)
      : Bodies(kernels), kernels_(kernels), cudnn_(cudnn), why_no_cudnn_(std::move(why_no_cudnn)) {}

 protected:
  Body narrow_product(const Point& p) override {
    return p.dtype == DType::fp8 ? fp8_product(p) : bf16_product(p);
  }

  Body fused(const Point& p) override {
    if (!cudnn_) throw Failure(fmt::format("{}: {}", to_text(p), why_no_cudnn_));
    if (p.dtype == DType::fp16)
      throw Failure(fmt::format("{}: numbers are drawn in bf16 and fp32", to_text(p)));
    const bool wide = p.dtype == DType::fp32;
    return fused_body(*cudnn_, p, [&](int64_t rows, int64_t columns, bool fp32) {
      return wide || fp32 ? random(rows, columns) : narrow(rows, columns);
    });
  }

 private:
  Body bf16_product(const Point& p) {
    const ProductShape shape = product_shape(p);
    const Array a = narrow(shape.a_rows, shape.a_columns),
                b = narrow(shape.b_rows, shape.b_columns);
    const Array c = kernels_.array(shape.batch * shape.m, shape.n / 2);
    return [=, this] { kernels_.multiply_bf16(shape.batch, a, shape.a_form, b, shape.b_form, c); };
  }

  /// Factors as they are after the casts of a training step: gradients in e5m2, all else in e4m3,
  /// the second factor turned as tensor cores want it.
  Body fp8_product(const Point& p) {
    using kernels::Narrow;
    const ProductShape shape = product_shape(p);
    const bool a_gradient = p.direction == Direction::input_gradient;
    const bool b_gradient = p.direction == Direction::weight_gradient;
    const Array scale = kernels_.array(1, 1);
    kernels_.upload(std::vector<float>{1}, scale);
    const auto cast = [&](int64_t rows, bool gradient) {
      const Array numbers = kernels_.array(rows, shape.k / 4);
      const kernels::Fp8 to{numbers, gradient ? Narrow::e5m2 : Narrow::e4m3, scale};
      kernels_.to_fp8(random(rows, shape.k), to);
      return numbers;
    };
    const Array a = cast(shape.m, a_gradient), b = cast(shape.n, b_gradient);
    const Array c = kernels_.array(shape.m, shape.n / 2);
    return [=, this] {
      kernels_.multiply_fp8({a, a_gradient ? Narrow::e5m2 : Narrow::e4m3, scale},
                            {b, b_gradient ? Narrow::e5m2 : Narrow::e4m3, scale}, c);
    };
  }

  Array narrow(int64_t rows, int64_t columns) {
    Array to = kernels_.array(rows, columns / 2);
    kernels_.to_bf16(random(rows, columns), to);
    return to;
  }

  kernels::CudaKernels& kernels_;
  kernels::Cudnn* cudnn_;
  std::string why_no_cudnn_;
};

}  // namespace

std::unique_ptr<Bodies> cuda_bodies(kernels::CudaKernels& kernels, kernels::Cudnn* cudnn,
                                    std::string why_no_cudnn) {
  return std::make_unique<CudaBodies>(kernels, cudnn, std::move(why_no_cudnn));
}

}  // namespace pipewright::calibration
