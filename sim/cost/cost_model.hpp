// The time of a kernel alone on its device.
#pragma once

#include "topology/device.hpp"
#include "workload/work.hpp"

namespace pipewright {

struct CostModel {
  virtual ~CostModel() = default;
  /// A pure function; never less than what the device's peaks allow. Throws InputError where the
  /// device cannot do the work.
  virtual Time duration(const Work& work, const Device& device) const = 0;
};

/// The part of a rate, measured in a benchmark of milliseconds, that a device keeps in a run of
/// minutes: power and heat lower its clock. Matrix products and attention take 1 / 0.85 of what a
/// benchmark says; memory is not slowed. Products that run for a second at the power limit keep
/// 0.87 in bf16 on H200 and 0.83 on GB200 of what bursts of a few do (ai-dynamo/aiconfigurator
/// 095f58a), 0.73 on B200 (SimuMax's; its profile says so). workloads/validation/README.md has
/// more.
inline constexpr double steady_fraction = 0.85;

/// The framework whose fused attention runs.
enum class FusedAttention : uint8_t {
  fastest,  ///< known on the device: cuDNN's, FlashAttention-3, what a profile measured
  flash2,   ///< FlashAttention-2, which PyTorch has
  flash1,   ///< the first one, which PyTorch's users had until 2023
};

/// The times that the work itself gives, for synthetic models: needs no device.
struct ConstantCost final : CostModel {
  Time duration(const Work& work, const Device& device) const override;
};

}  // namespace pipewright
