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
  virtual bool is_gpu() const = 0;
  virtual std::string device_name() const = 0;
  /// Versions of what the kernels are made by.
  virtual std::string software() const = 0;

 protected:
  virtual kernels::Kernels& kernels() = 0;
  /// Seconds that `calls` calls of `body` take on the device.
  virtual double time(const std::function<void()>& body, int calls) = 0;
  /// A product of narrow numbers, where the device has one.
  virtual std::function<void()> narrow_product(const Point& point);

  kernels::Array random(int64_t rows, int64_t columns);

 private:
  /// Random numbers that are used again and again: drawing more would take longer than measuring.
  std::vector<float> drawn_;
  std::function<void()> body_of(const Point& point);
  std::function<void()> product(const Point& point);
  std::function<void()> attention(const Point& point);
  std::function<void()> layer_norm(const Point& point);
  std::function<void()> streaming(const Point& point);
};

/// One core.
std::unique_ptr<Bench> cpu_bench();
/// Throws Failure as cuda_kernels does.
std::unique_ptr<Bench> cuda_bench();

}  // namespace pipewright::calibration
