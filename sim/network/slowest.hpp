// The slowest of several draws.
//
// Assumption: a quantity is e^(s z) times as large as usual, z standard normal and independent from
// draw to draw. The largest z of m draws is expected to be about the normal quantile of
// (m - 0.375) / (m + 0.25). Source: Blom, Statistical Estimates and Transformed Beta-Variables,
// 1958; within 0.04 of the exact mean.
#pragma once

namespace pipewright {

/// Returns how many times as long the slowest of `draws` takes as the slower of two; 1 for fewer.
/// `spread` is s, the deviation of the logarithm.
double slowest_of(int draws, double spread);

}  // namespace pipewright
