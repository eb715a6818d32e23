#include <fmt/format.h>

#include <Eigen/Core>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/copiers.hpp"

namespace pipewright::calibration {
namespace {

constexpr const char* no_cudnn = "cuDNN runs on GPUs";

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

class CpuBodies final : public Bodies {
 public:
  using Bodies::Bodies;

 protected:
  Body narrow_product(const Point& point) override {
    throw Failure(fmt::format("{}: products of this type cannot be measured on {}", to_text(point),
                              processor()));
  }
  Body fused(const Point& point) override {
    throw Failure(fmt::format("{}: {}", to_text(point), no_cudnn));
  }
};

class Cpu final : public Bench {
 public:
  bool is_gpu() const override { return false; }
  std::string device_name() const override { return processor(); }
  std::string software() const override {
    return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                       EIGEN_MINOR_VERSION);
  }
  std::string why_no_fp8() const override { return "fp8 is measured on GPUs"; }
  std::string why_no_cudnn() const override { return no_cudnn; }

 protected:
  kernels::Kernels& kernels() override { return *kernels_; }
  Bodies& bodies() override { return bodies_; }
  double time(const Body& body, int calls) override {
    const double start = worked();
    for (int i = 0; i < calls; ++i) body();
    return worked() - start;
  }

  double time_cold(const Body& body) override {
    copy_elsewhere(1 << 22);  // 32 MiB together: more than the last cache of most processors
    return time(body, 1);
  }
  TimedCalls beside(Body body, int channels, double& moved) override {
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
  CpuBodies bodies_{*kernels_};
};

}  // namespace

std::unique_ptr<Bench> cpu_bench() { return std::make_unique<Cpu>(); }

}  // namespace pipewright::calibration
