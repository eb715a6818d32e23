// The accounts of a run: where the time of every rank goes.
#pragma once

#include <vector>

#include "engine/timeline.hpp"
#include "result/accounts/breakdown.hpp"
#include "result/accounts/compute_shares.hpp"

namespace pipewright {

/// The part of a timeline that stands for one iteration.
struct Window {
  Time begin, end;
  Time length;  ///< of the iteration; the part may be several of them
  /// Of the first iteration, where the next may begin before it has ended; 0: all that runs counts.
  int micro_batches = 0;
};

/// Returns the accounts of every rank of `program`, whether `timeline` was simulated or measured.
/// Each adds up to the window's length. Where a device is two servers, each is half of it.
std::vector<Breakdown> accounts(const Program& program, const Timeline& timeline,
                                const Window& window, const ComputeShares& shares);

/// Returns the mean over all devices that the ranks of `program` stand for.
Breakdown mean_account(const Program& program, const std::vector<Breakdown>& by_rank);

}  // namespace pipewright
