// An anchor: how many times as long as predicted three parts of an iteration take on somebody's own
// machine, as a few measured iterations of it say.
//
// The logarithms of the three factors are normal, with mean 0 and the deviations that residuals of
// published runs have (anchor.cpp). Measured iterations move them, each part by as much as it takes
// part in what was off. What was not measured, such as the network by runs of one node, stays as it
// was and keeps its doubt.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "result/regime.hpp"

namespace pipewright {

/// One figure each of kernels, of messages and collectives that leave a node, and of what hosts
/// take to start work.
using AnchorParts = std::array<double, 3>;
inline constexpr std::array<const char*, 3> anchor_part_names = {"kernels", "network", "host"};

struct Anchor {
  std::string framework, device;  ///< of the runs that it is made of
  int runs = 0;
  double nodes = 1;                            ///< the geometric mean of theirs
  AnchorParts factors{1, 1, 1};                ///< times as long as predicted
  std::array<AnchorParts, 3> covariance = {};  ///< of the factors' logarithms
};

/// How far the logarithm of a run's time is from what the factors of its machine say.
inline constexpr double run_deviation = 0.090;

/// A measured run beside the prediction with factors as they are assumed.
struct AnchorPoint {
  double slower = 0;        ///< the logarithm of measured over predicted time
  AnchorParts shares = {};  ///< of the prediction's time: its growth by that of each factor
};

/// A run that an anchor was fitted to.
struct AnchoredRun {
  std::string name;
  double measured_s = 0;
  double predicted_s = 0;  ///< without the anchor
  double anchored_s = 0;   ///< with it
};

struct AnchorFit {
  Anchor anchor;
  std::vector<AnchoredRun> runs;
};

/// The prior's factors, all 1, with the doubt of published runs.
Anchor prior_anchor();

/// Returns the likeliest factors after `points`, whose predictions were made with the factors of
/// `assumed`, and their covariance. Regime and number of runs are those of `assumed`.
Anchor updated(const Anchor& assumed, std::span<const AnchorPoint> points);

/// Returns the shares that a run of this regime has of the three parts.
AnchorParts shares_of(const Regime& regime);

}  // namespace pipewright
