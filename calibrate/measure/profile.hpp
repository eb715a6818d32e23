// Turns measured kernels into what the simulator reads: a device and a profile of it.
#pragma once

#include "calibrate/measure/point.hpp"
#include "config/value.hpp"
#include "cost/profile.hpp"

namespace pipewright::calibration {

/// A CPU core as a device: its peak is the fastest product that was measured, its memory bandwidth
/// what the largest copies move, its launch overhead the smallest kernel. Throws Failure when one
/// of them was not measured.
config::Value cpu_device(const std::string& name, const std::string& description,
                         const std::vector<Measured>& measured);

/// Products, attention and what streams of `measured` fitted for `device`. Throws Failure where
/// there is no product.
Profile fit_profile(const Device& device, const std::vector<Measured>& measured);

/// The rate of attention's backward pass, of the forward pass's, which has 2 of its 5 products: the
/// median over shapes that have both; cuDNN's alone where it was measured. Nothing where there are
/// none.
std::optional<double> attention_backward(const std::vector<Measured>& measured);

/// The part of a bandwidth that a streaming kernel reaches, in its largest size.
struct Reached {
  std::string kernel;  ///< "swiglu forward"
  double fraction = 0;
};
std::vector<Reached> reached_bandwidth(const std::vector<Measured>& measured, Bandwidth bandwidth);

}  // namespace pipewright::calibration
