#include "calibrate/measure/bench.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "calibrate/measure/copiers.hpp"
#include "calibrate/measure/fused_bodies.hpp"
#include "calibrate/measure/product_shape.hpp"
#include "calibrate/train/layers/random.hpp"

namespace pipewright::calibration {

using kernels::Array;

namespace {

class Cpu final : public Bench {
 public:
  bool is_gpu() const override { return false; }
  std::string device_name() const override {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
      if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "CPU";
  }
  std::string software() const override {
    return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                       EIGEN_MINOR_VERSION);
  }

 protected:
  kernels::Kernels& kernels() override { return *kernels_; }
  double time(const std::function<void()>& body, int calls) override {
    const double start = worked();
    for (int i = 0; i < calls; ++i) body();
    return worked() - start;
  }

  double time_cold(const std::function<void()>& body) override {
    copy_elsewhere(1 << 22);  // 32 MiB together: more than the last cache of most processors
    return time(body, 1);
  }
  TimedCalls beside(std::function<void()> body, int channels, double& moved) override {
    return [this, body = std::move(body), copiers = std::make_shared<Copiers>(channels),
            &moved](int calls) {
      const double taken = time(body, calls);
      moved = copiers->bytes_per_s();
      return taken;
    };
  }

 private:
  /// Seconds that this thread had a core: other programs' turns on it are not the kernel's.
  static double worked() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  std::unique_ptr<kernels::Kernels> kernels_ = kernels::cpu_kernels();
};

class Cuda final : public Bench {
 public:
  bool is_gpu() const override { return true; }
  std::string device_name() const override { return kernels_->device().name; }
  std::string software() const override {
    const std::string versions = kernels_->device().software;
    return cudnn_ ? versions + ", attention and convolutions by " + cudnn_->version()
                  : versions + ", attention by kernels of our own in fp32";
  }
  std::string why_no_fp8() const override { return kernels_->why_no_fp8(); }
  std::string why_no_cudnn() const override { return why_no_cudnn_; }

 protected:
  kernels::Kernels& kernels() override { return *kernels_; }
  double time(const std::function<void()>& body, int calls) override {
    kernels_->spin(kernels::head_start);
    kernels_->mark(0);
    for (int i = 0; i < calls; ++i) body();
    kernels_->mark(1);
    kernels_->reach(1);
    return in_seconds(kernels_->between(0, 1));
  }
  double time_cold(const std::function<void()>& body) override {
    copy_elsewhere(copied);
    return time(body, 1);
  }
  TimedCalls beside(std::function<void()> body, int channels, double& moved) override {
    return [this, body = std::move(body), channels, &moved](int calls) {
      return time_beside(body, calls, channels, moved);
    };
  }
  std::function<void()> narrow_product(const Point& p) override {
    return p.dtype == DType::fp8 ? fp8_product(p) : bf16_product(p);
  }
  std::function<void()> fused(const Point& p) override {
    if (!cudnn_) return Bench::fused(p);
    if (p.dtype == DType::fp16)
      throw Failure(fmt::format("{}: numbers are drawn in bf16 and fp32", to_text(p)));
    const bool wide = p.dtype == DType::fp32;
    return fused_body(*cudnn_, p, [&](int64_t rows, int64_t columns, bool fp32) {
      return wide || fp32 ? random(rows, columns) : narrow(rows, columns);
    });
  }

 private:
  kernels::Cudnn* find_cudnn() {
    try {
      return &kernels_->cudnn();
    } catch (const Failure& absent) {
      why_no_cudnn_ = absent.what();
      return nullptr;
    }
  }

  /// Enough copies are queued to last beyond the kernels.
  double time_beside(const std::function<void()>& body, int calls, int channels, double& moved) {
    const double alone = time(body, calls);
    const double copy = time([this] { copy_elsewhere(copied); }, 4) / 4;
    const int copies = static_cast<int>(std::ceil(2 * alone / copy)) + 1;
    kernels_->mark(0);
    for (int channel = 1; channel <= channels; ++channel) {
      kernels_->select(static_cast<size_t>(channel), 0);
      kernels_->wait_for(0);
      if (channel == 1) kernels_->mark(2);
      for (int i = 0; i < copies; ++i) copy_elsewhere(copied);
      if (channel == 1) kernels_->mark(3);
    }
    kernels_->select(0, 0);
    const double taken = time(body, calls);
    kernels_->drain();
    moved =
        channels * copies * 4.0 * static_cast<double>(copied) / in_seconds(kernels_->between(2, 3));
    return taken;
  }
  std::function<void()> bf16_product(const Point& p) {
    const ProductShape shape = product_shape(p);
    const Array a = narrow(shape.a_rows, shape.a_columns),
                b = narrow(shape.b_rows, shape.b_columns);
    const Array c = kernels_->array(shape.batch * shape.m, shape.n / 2);
    return [=, this] { kernels_->multiply_bf16(shape.batch, a, shape.a_form, b, shape.b_form, c); };
  }
  /// Factors as they are after the casts of a training step: gradients in e5m2, all else in e4m3,
  /// the second factor turned as tensor cores want it.
  std::function<void()> fp8_product(const Point& p) {
    using kernels::Narrow;
    const ProductShape shape = product_shape(p);
    const bool a_gradient = p.direction == Direction::input_gradient;
    const bool b_gradient = p.direction == Direction::weight_gradient;
    const Array scale = kernels_->array(1, 1);
    kernels_->upload(std::vector<float>{1}, scale);
    const auto cast = [&](int64_t rows, bool gradient) {
      const Array numbers = kernels_->array(rows, shape.k / 4);
      const kernels::Fp8 to{numbers, gradient ? Narrow::e5m2 : Narrow::e4m3, scale};
      kernels_->to_fp8(random(rows, shape.k), to);
      return numbers;
    };
    const Array a = cast(shape.m, a_gradient), b = cast(shape.n, b_gradient);
    const Array c = kernels_->array(shape.m, shape.n / 2);
    return [=, this] {
      kernels_->multiply_fp8({a, a_gradient ? Narrow::e5m2 : Narrow::e4m3, scale},
                             {b, b_gradient ? Narrow::e5m2 : Narrow::e4m3, scale}, c);
    };
  }
  Array narrow(int64_t rows, int64_t columns) {
    Array to = kernels_->array(rows, columns / 2);
    kernels_->to_bf16(random(rows, columns), to);
    return to;
  }
  static constexpr int64_t copied = int64_t{1} << 26;  // 256 MiB: more than any second cache
  std::unique_ptr<kernels::CudaKernels> kernels_ = kernels::cuda_kernels();
  std::string why_no_cudnn_;
  kernels::Cudnn* cudnn_ = find_cudnn();
};

}  // namespace

Bench::Bench() : drawn_(size_t{1} << 18) {
  train::Random random(1);
  for (float& number : drawn_) number = static_cast<float>(random.normal());
}

Array Bench::random(int64_t rows, int64_t columns) {
  Array array = kernels().array(rows, columns);
  const int64_t count = rows * columns, batch = static_cast<int64_t>(drawn_.size());
  for (int64_t done = 0; done < count; done += batch) {
    const int64_t now = std::min(batch, count - done);
    kernels().upload({drawn_.data(), static_cast<size_t>(now)},
                     {array.tensor.data + done, 1, now, now});
  }
  return array;
}

std::function<void()> Bench::narrow_product(const Point& point) {
  throw Failure(fmt::format("{}: products of this type cannot be measured on {}", to_text(point),
                            device_name()));
}

std::function<void()> Bench::fused(const Point& point) {
  throw Failure(fmt::format("{}: {}", to_text(point), why_no_cudnn()));
}

void Bench::copy_elsewhere(int64_t elements) {
  if (!elsewhere_) {
    elsewhere_ = kernels().array(1, elements);
    elsewhere_copy_ = kernels().array(1, elements);
    kernels().zero(elsewhere_);
  }
  kernels().copy(elsewhere_, elsewhere_copy_);
}

TimedCalls Bench::prepare_cold(const Point& point) {
  return [this, body = body_of(point)](int calls) {
    double taken = 0;
    for (int i = 0; i < calls; ++i) taken += time_cold(body);
    return taken;
  };
}

TimedCalls Bench::prepare_beside(const Point& point, int channels, double& moved) {
  return beside(body_of(point), channels, moved);
}

double Bench::allocation_seconds(int64_t elements) {
  const auto start = std::chrono::steady_clock::now();
  kernels().zero(kernels().array(1, elements));
  kernels().synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TimedCalls Bench::prepare(const Point& point) {
  return [this, body = body_of(point)](int calls) { return time(body, calls); };
}

std::unique_ptr<Bench> cpu_bench() { return std::make_unique<Cpu>(); }
std::unique_ptr<Bench> cuda_bench() { return std::make_unique<Cuda>(); }

}  // namespace pipewright::calibration
