// The function that is called and timed for each kernel: its operands are made once, filled with
// normal random numbers, as zeros draw less power and run faster, and live as long as it may be
// called.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/measure/point.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::calibration {

using Body = std::function<void()>;

class Bodies {
 public:
  /// `kernels` outlives it and all that it makes.
  explicit Bodies(kernels::Kernels& kernels);
  virtual ~Bodies() = default;
  Bodies(const Bodies&) = delete;

  /// Throws Failure where the device has no memory for the operands, or no such kernel.
  Body of(const Point& point);

 protected:
  /// A product of narrow numbers.
  virtual Body narrow_product(const Point& point) = 0;
  /// Returns what cuDNN runs.
  virtual Body fused(const Point& point) = 0;

  kernels::Array random(int64_t rows, int64_t columns);

 private:
  Body product(const Point& point);
  Body attention(const Point& point);
  Body layer_norm(const Point& point);
  Body rms_norm(const Point& point);
  Body softmax(const Point& point);
  Body rotary(const Point& point);
  Body swiglu(const Point& point);
  Body dropout(const Point& point);
  Body streaming(const Point& point);

  kernels::Kernels& kernels_;
  /// Random numbers that are used again and again: drawing more would take longer than measuring.
  std::vector<float> drawn_;
};

}  // namespace pipewright::calibration
