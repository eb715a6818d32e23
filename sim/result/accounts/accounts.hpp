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
};

/// Returns the accounts of every rank of `program`, whether `timeline` was simulated or measured.
/// Each adds up to the window's length. Where a device is two servers, each is half of it.
std::vector<Breakdown> accounts(const Program& program, const Timeline& timeline,
                                const Window& window, const ComputeShares& shares);

/// Returns the mean over all devices that the ranks of `program` stand for.
Breakdown mean_account(const Program& program, const std::vector<Breakdown>& by_rank);

}  // namespace pipewright
