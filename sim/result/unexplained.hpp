// Runs that the factors of an anchor leave far off: neither kernels, nor the network, nor hosts
// explain them.
#pragma once

#include <span>

#include "result/anchor.hpp"
#include "result/regime.hpp"
#include "result/validation.hpp"

namespace pipewright {

/// A run that is off by more than so many times run_deviation pulls no harder: the root of the
/// degrees of freedom in the head of anchor.cpp, where Student's distribution pulls most.
inline constexpr double unexplained_deviations = 2;

/// Tells whether the anchored prediction is off by more than that.
bool is_unexplained(const AnchoredRun& run);

/// A run of an anchor and the regime that its prediction has.
struct RunOfRegime {
  AnchoredRun run;
  Regime regime;
};

/// Returns the anchor with as much doubt as was known before, and with as much more as puts every
/// unexplained run into range_of_factors(). One whose runs are all explained stays as it is.
Anchor doubted(const Anchor& anchor, std::span<const RunOfRegime> runs);

/// Returns where four in five runs of this regime are for what is known of an anchor's factors, as
/// multiples of the prediction.
Range range_of_factors(const Regime& regime, const Anchor& anchor);

/// Tells whether an anchor is one that doubted() gave more doubt than there was before.
bool is_doubted(const Regime& regime, const Anchor& anchor);

}  // namespace pipewright
