// Kernel times from a data sheet, for devices that nobody measured.
#pragma once

#include "cost/cost_model.hpp"
#include "cost/tiles.hpp"

namespace pipewright {

/// The part of its data sheet that a device sustains: the few constants of the roofline, the same
/// for every device and every kernel. roofline.cpp says where they come from.
struct RooflineConstants {
  double most_sustained = 0.93;      ///< of the peak, however much power there is
  double sustained_at_1 = 0.94;      ///< at one watt for a TFLOP/s of peak
  double sustained_exponent = 0.36;  ///< with which it falls as there is less power
  double sustained_unknown = 0.8;    ///< where the power is not known
  TileConstants tiles;               ///< of matrix products
  double stream_bandwidth = 0.8;     ///< of the memory bandwidth, in kernels that only stream
  double permute_bandwidth = 0.5;    ///< of it, in kernels that put rows in another order
  double loss_bandwidth = 0.3;       ///< of it, in a fused loss
  double singles_per_s = 2.5e9;      ///< numbers that a processor handles one by one
  double accumulation = 0.93;        ///< of the rate, in weight gradients added to fp32 sums
  double steady = steady_fraction;   ///< 1: as in a benchmark of milliseconds
  double attention_overhead = 64;    ///< head dimensions that softmax costs as much as
  FusedAttention attention = FusedAttention::fastest;
};
RooflineConstants roofline_constants();

class Roofline final : public CostModel {
 public:
  explicit Roofline(const RooflineConstants& constants = roofline_constants())
      : constants_(constants) {}
  Time duration(const Work& work, const Device& device) const override;

 private:
  RooflineConstants constants_;
};

/// The device's peak for products in `dtype`; tf32 falls back to fp32. Throws InputError, naming
/// the device and what it can do, where there is none.
FlopRate peak_for(const Device& device, DType dtype);

/// The share of its peak that a device sustains in `dtype`, `constants.steady` included.
double sustained_fraction(const Device& device, DType dtype, const RooflineConstants& constants);

/// The product that `work` asks of a device of known processors which runs it at `rate` FLOP/s
/// where its rows are aligned; weight gradients run at `accumulation` of that and read what they
/// add to.
Product product_of(const Work& work, const Device& device, double rate, double accumulation);

/// Seconds that the numbers which kernels handle one by one take beyond the time of their bytes, of
/// which each has about six.
double singles_seconds(const Work& work, const Device& device, const RooflineConstants& constants);

/// Seconds of the computation of a product alone, without launch and memory: see tiles.cpp.
double gemm_seconds(const Work& work, const Device& device, const RooflineConstants& constants);

}  // namespace pipewright
