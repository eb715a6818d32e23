// What a compute op is made of, by the prices of its kernels.
#pragma once

#include <optional>
#include <vector>

#include "engine/compute_times.hpp"
#include "result/accounts/compute_shares.hpp"

namespace pipewright {

/// Tells of every op which part its kernels take and which part the host, where a pass of many
/// short kernels lasts as long as its host takes to start them. Not to be shared by threads.
class PricedShares final : public ComputeShares {
 public:
  /// Both must outlive it.
  PricedShares(const Program& program, const Prices& prices);
  ComputeShare of(const Program& program, OpId op) const override;

  /// Returns the parts of the op's length that its works take, in their order.
  std::vector<double> of_works(OpId op) const;

 private:
  const Program& program_;
  const Prices& prices_;
  mutable ComputeTimes times_;
  mutable std::vector<std::vector<std::optional<ComputeShare>>> known_;  ///< by class and type
};

}  // namespace pipewright
