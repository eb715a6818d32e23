#include <cmath>

#include "base/error.hpp"
#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/cuda_bodies.hpp"

namespace pipewright::calibration {
namespace {

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
  Bodies& bodies() override { return *bodies_; }
  double time(const Body& body, int calls) override {
    kernels_->spin(kernels::head_start);
    kernels_->mark(0);
    for (int i = 0; i < calls; ++i) body();
    kernels_->mark(1);
    kernels_->reach(1);
    return in_seconds(kernels_->between(0, 1));
  }
  double time_cold(const Body& body) override {
    copy_elsewhere(copied);
    return time(body, 1);
  }
  TimedCalls beside(Body body, int channels, double& moved) override {
    return [this, body = std::move(body), channels, &moved](int calls) {
      return time_beside(body, calls, channels, moved);
    };
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
  double time_beside(const Body& body, int calls, int channels, double& moved) {
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
  static constexpr int64_t copied = int64_t{1} << 26;  // 256 MiB: more than any second cache
  std::unique_ptr<kernels::CudaKernels> kernels_ = kernels::cuda_kernels();
  std::string why_no_cudnn_;
  kernels::Cudnn* cudnn_ = find_cudnn();
  std::unique_ptr<Bodies> bodies_ = cuda_bodies(*kernels_, cudnn_, why_no_cudnn_);
};

}  // namespace

std::unique_ptr<Bench> cuda_bench() { return std::make_unique<Cuda>(); }

}  // namespace pipewright::calibration
