// Flows that share links max-min fairly, in time.
//
// Assumption: bytes flow like a fluid, and all rates change at once when a flow starts or ends;
//   nothing is lost, and routes stay as they are. Latency is the caller's: a flow is added when its
//   first byte could arrive.
// Equation: rates as in fair_shares.hpp. A flow of b bytes and weight w that starts at s ends at
//   the first e with  w · integral from s to e of L(t) dt = b,  L the level of its bottleneck at t.
// Units: bytes, bytes/s; ends are rounded half up to picoseconds, while the bytes that are left are
//   carried on unrounded (to 2^-40 bytes and the 53 bits of a rate), so that errors do not add up.
// Limits: congestion control that is slow, unfair to long round trips or lossy is not shown; that
//   is the packet model's. A rate that stays below a byte in 106 days counts as none.
#pragma once

#include <memory>

#include "network/sharing.hpp"

namespace pipewright {

class MaxMinSharing final : public SharingModel {
 public:
  /// Takes the capacities of links 0, 1, ..., which may be infinite, and the part by which a full
  /// link may carry less than that.
  explicit MaxMinSharing(std::span<const Bandwidth> capacities, double tolerance = 0);
  ~MaxMinSharing() override;
  void add(const Flow& flow, Time now) override;
  Time next_completion() const override;
  void pop_completed(Time now, std::vector<uint32_t>& ids) override;

 private:
  class Clocks;
  std::unique_ptr<Clocks> clocks_;
};

}  // namespace pipewright
