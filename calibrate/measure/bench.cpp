#include "calibrate/measure/bench.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "calibrate/measure/copiers.hpp"
#include "calibrate/train/random.hpp"

namespace pipewright::calibration {

using kernels::Array;
using Form = kernels::Kernels::Form;

namespace {

std::pair<Form, Form> forms_of(Direction direction) {
  return {direction == Direction::weight_gradient ? Form::transposed : Form::plain,
          direction == Direction::input_gradient ? Form::transposed : Form::plain};
}

/// Rows and columns of a factor as it stands in memory.
std::pair<int64_t, int64_t> stored(int64_t rows, int64_t columns, Form form) {
  return form == Form::plain ? std::pair(rows, columns) : std::pair(columns, rows);
}

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
  std::string software() const override { return kernels_->device().software; }

 protected:
  kernels::Kernels& kernels() override { return *kernels_; }
  double time(const std::function<void()>& body, int calls) override {
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
    const auto [a_form, b_form] = forms_of(p.direction);
    const auto [a_rows, a_columns] = stored(p.sizes[0], p.sizes[2], a_form);
    const auto [b_rows, b_columns] = stored(p.sizes[2], p.sizes[1], b_form);
    const Array a = narrow(a_rows, a_columns), b = narrow(b_rows, b_columns);
    const Array c = kernels_->array(p.sizes[0], p.sizes[1] / 2);
    return [=, this, a_form = a_form, b_form = b_form] {
      kernels_->multiply_bf16(a, a_form, b, b_form, c);
    };
  }

 private:
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
  Array narrow(int64_t rows, int64_t columns) {
    Array to = kernels_->array(rows, columns / 2);
    kernels_->to_bf16(random(rows, columns), to);
    return to;
  }
  static constexpr int64_t copied = int64_t{1} << 26;  // 256 MiB: more than any second cache
  std::unique_ptr<kernels::CudaKernels> kernels_ = kernels::cuda_kernels();
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

std::function<void()> Bench::product(const Point& p) {
  if (p.dtype != DType::fp32) return narrow_product(p);
  const auto [a_form, b_form] = forms_of(p.direction);
  const auto [a_rows, a_columns] = stored(p.sizes[0], p.sizes[2], a_form);
  const auto [b_rows, b_columns] = stored(p.sizes[2], p.sizes[1], b_form);
  const Array a = random(a_rows, a_columns), b = random(b_rows, b_columns);
  const Array c = random(p.sizes[0], p.sizes[1]);
  const bool on_top = p.direction == Direction::weight_gradient;
  return [=, this, a_form = a_form, b_form = b_form] {
    kernels().multiply(a, a_form, b, b_form, c, on_top);
  };
}

std::function<void()> Bench::attention(const Point& p) {
  const auto size = [&](size_t i) { return static_cast<int>(p.sizes[i]); };
  const kernels::AttentionShape shape{.sequences = size(0),
                                      .tokens = size(1),
                                      .total = size(1),
                                      .heads = size(2),
                                      .kv_heads = size(2),
                                      .head_dim = size(3)};
  const int64_t rows = p.sizes[0] * p.sizes[1], columns = p.sizes[2] * p.sizes[3];
  const auto one = [&] { return random(rows, columns); };
  const Array q = one(), k = one(), v = one(), y = one(), log_sums = random(rows, p.sizes[2]);
  if (p.direction == Direction::forward)
    return [=, this] { kernels().attention(shape, q, k, v, y, log_sums); };
  kernels().attention(shape, q, k, v, y, log_sums);
  const Array dy = one(), dq = one(), dk = one(), dv = one();
  return [=, this] { kernels().attention_gradient(shape, q, k, v, y, log_sums, dy, dq, dk, dv); };
}

std::function<void()> Bench::layer_norm(const Point& p) {
  const Array x = random(p.sizes[0], p.sizes[1]), y = random(p.sizes[0], p.sizes[1]);
  const Array gain = random(1, p.sizes[1]), bias = random(1, p.sizes[1]);
  const Array statistics = kernels().array(p.sizes[0], 2);
  if (p.direction == Direction::forward)
    return [=, this] { kernels().layer_norm(x, gain, bias, y, statistics); };
  kernels().layer_norm(x, gain, bias, y, statistics);
  const Array dx = kernels().array(p.sizes[0], p.sizes[1]);
  return [=, this] {
    kernels().layer_norm_input_gradient(x, gain, statistics, y, dx);
    kernels().layer_norm_weight_gradient(x, statistics, y, gain, bias);
  };
}

std::function<void()> Bench::streaming(const Point& p) {
  const int64_t count = p.kernel == "launch" ? 1 : p.sizes[0];
  const Array x = random(1, count), y = random(1, count);
  if (p.kernel == "launch" || p.kernel == "add") return [=, this] { kernels().add(1e-9, x, y); };
  if (p.kernel == "copy") return [=, this] { kernels().copy(x, y); };
  if (p.kernel == "upload" || p.kernel == "download") {
    const auto host = std::make_shared<std::vector<float>>(static_cast<size_t>(count));
    if (p.kernel == "upload") return [=, this] { kernels().upload(*host, x); };
    return [=, this] { kernels().download(x, *host); };
  }
  if (p.kernel == "gelu") {
    if (p.direction == Direction::forward) return [=, this] { kernels().gelu(x, y); };
    const Array dx = kernels().array(1, count);
    return [=, this] { kernels().gelu_gradient(x, y, dx); };
  }
  ensure(p.kernel == "adam", "every kernel of a sweep can be prepared");
  const Array first = random(1, count), second = kernels().array(1, count);
  kernels().zero(second);
  return [=, this] { kernels().adam_step({}, x, first, second, y); };
}

std::function<void()> Bench::body_of(const Point& p) {
  if (p.kernel == "gemm") return product(p);
  if (p.kernel == "attention") return attention(p);
  if (p.kernel == "layernorm") return layer_norm(p);
  return streaming(p);
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
