// A kernel of a given shape, ready to be run on a device: its operands filled with normal random
// numbers, as zeros draw less power and run faster.
#pragma once

#include <functional>
#include <memory>

#include "calibrate/measure/point.hpp"
#include "calibrate/measure/sampler.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::calibration {

class Bench {
 public:
  Bench();
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
  virtual std::string why_no_fp8() const { return "fp8 is measured on GPUs"; }
  virtual std::string why_no_cudnn() const { return "cuDNN runs on GPUs"; }

 protected:
  virtual kernels::Kernels& kernels() = 0;
  /// Seconds that `calls` calls of `body` take on the device.
  virtual double time(const std::function<void()>& body, int calls) = 0;
  /// One call of `body`, after all caches were filled with something else.
  virtual double time_cold(const std::function<void()>& body) = 0;
  /// The calls of `body`, timed beside copies on so many channels.
  virtual TimedCalls beside(std::function<void()> body, int channels, double& moved) = 0;
  /// A product of narrow numbers, where the device has one.
  virtual std::function<void()> narrow_product(const Point& point);
  /// Returns what cuDNN runs, where the device has it.
  virtual std::function<void()> fused(const Point& point);

  kernels::Array random(int64_t rows, int64_t columns);
  /// Copies so many numbers between two blocks that nothing else uses.
  void copy_elsewhere(int64_t elements);

 private:
  /// Random numbers that are used again and again: drawing more would take longer than measuring.
  std::vector<float> drawn_;
  kernels::Array elsewhere_, elsewhere_copy_;

  // bodies.cpp
  std::function<void()> body_of(const Point& point);
  std::function<void()> product(const Point& point);
  std::function<void()> attention(const Point& point);
  std::function<void()> layer_norm(const Point& point);
  std::function<void()> rms_norm(const Point& point);
  std::function<void()> softmax(const Point& point);
  std::function<void()> rotary(const Point& point);
  std::function<void()> swiglu(const Point& point);
  std::function<void()> dropout(const Point& point);
  std::function<void()> streaming(const Point& point);
};

/// One core.
std::unique_ptr<Bench> cpu_bench();
/// Throws Failure as cuda_kernels does.
std::unique_ptr<Bench> cuda_bench();

}  // namespace pipewright::calibration
