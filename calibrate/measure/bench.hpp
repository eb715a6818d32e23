// A device on which kernels of given shapes are run and timed.
#pragma once

#include <memory>

#include "calibrate/measure/bodies.hpp"
#include "calibrate/measure/sampler.hpp"

namespace pipewright::calibration {

class Bench {
 public:
  virtual ~Bench() = default;
  /// Ready to run `point`; what it returns owns its operands. Throws Failure where the device has
  /// no memory for them.
  TimedCalls prepare(const Point& point);
  /// Does what prepare() does, but each call has operands that are in no cache.
  TimedCalls prepare_cold(const Point& point);
  /// Does what prepare() does, while `channels` threads or streams copy memory; `moved` gets the
  /// bytes a second that they copied.
  TimedCalls prepare_beside(const Point& point, int channels, double& moved);
  /// Seconds to get memory for so many numbers and touch it.
  double allocation_seconds(int64_t elements);
  virtual bool is_gpu() const = 0;
  virtual std::string device_name() const = 0;
  /// Versions of what the kernels are made by.
  virtual std::string software() const = 0;
  /// Returns why products in fp8, and what cuDNN runs, cannot be measured; empty where they can.
  virtual std::string why_no_fp8() const = 0;
  virtual std::string why_no_cudnn() const = 0;

 protected:
  virtual kernels::Kernels& kernels() = 0;
  virtual Bodies& bodies() = 0;
  /// Seconds that `calls` calls of `body` take on the device.
  virtual double time(const Body& body, int calls) = 0;
  /// One call of `body`, after all caches were filled with something else.
  virtual double time_cold(const Body& body) = 0;
  /// The calls of `body`, timed beside copies on so many channels.
  virtual TimedCalls beside(Body body, int channels, double& moved) = 0;
  /// Copies so many numbers between two blocks that nothing else uses.
  void copy_elsewhere(int64_t elements);

 private:
  kernels::Array elsewhere_, elsewhere_copy_;
};

/// One core.
std::unique_ptr<Bench> cpu_bench();
/// Throws Failure as cuda_kernels does.
std::unique_ptr<Bench> cuda_bench();

}  // namespace pipewright::calibration
