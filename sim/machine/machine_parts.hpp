// What a machine is made of, for its own files.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cost/cost_model.hpp"
#include "cost/kernel_memo.hpp"
#include "machine/collective_profile.hpp"
#include "machine/machine.hpp"
#include "machine/machine_factors.hpp"
#include "network/alpha_beta.hpp"
#include "network/nccl/model.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// Links as they are said to be and as they are asked for: measured transfers and collectives
/// change as those of the alpha-beta model do.
struct ChangedLinks {
  AlphaBeta before, after;

  double factor(int32_t from, int32_t to, Bytes bytes) const;
  double factor(CollectiveKind kind, std::span<const int32_t> devices, Bytes bytes) const;
};

struct Machine::Parts {
  Cluster cluster;
  CollectiveTimes network;
  std::vector<std::unique_ptr<const CostModel>> costs;  ///< by device type
  bool prices_kernels;  ///< the experiment does not give their times
  bool expands_collectives;
  MachineFactors machine_factors;
  std::optional<ChangedLinks> changed_links;  ///< where times over them are measured
  std::optional<Topology> drawn_links;        ///< that routes are drawn over; else the cluster's
  std::unique_ptr<KernelMemo> memo = std::make_unique<KernelMemo>();  ///< of kernel_time()

  size_t type_of(int32_t device) const {
    return static_cast<size_t>(cluster.type_of[static_cast<size_t>(device)]);
  }
  template <class... What>
  double link_factor(const What&... what) const {
    return changed_links ? changed_links->factor(what...) : 1;
  }
  Time kernel_time(const Work& work, size_t type) const;
  /// Returns what a calibration of a device type saw products lose beside moving bytes, for which
  /// there is no other cause.
  double lost_beside(size_t type) const;
};

}  // namespace pipewright
