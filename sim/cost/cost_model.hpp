// How long a kernel takes alone on its device.
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

/// The times that the work itself gives, for synthetic models: needs no device.
struct ConstantCost final : CostModel {
  Time duration(const Work& work, const Device& device) const override;
};

}  // namespace pipewright
