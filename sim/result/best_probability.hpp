// Which of several candidates is the fastest, for all that their predictions may be off.
//
// Predictions of candidates for one job on one machine are off together: what they share cancels.
// What is left is normal in the logarithm of the time, independent, with the deviation that
// residuals of published runs have inside one table of measurements. The probability that a
// candidate is the fastest is an integral over its own error of the product of the others being
// slower, by the trapezoidal rule in steps of a tenth of that deviation.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pipewright {

/// Returns by candidate the probability to be the fastest; zero for those without a time.
/// `deviation` is of the logarithm of a time, above zero.
std::vector<double> best_probabilities(std::span<const std::optional<double>> times_s,
                                       double deviation);

/// Returns the probability that the first of two is faster.
double faster_probability(double first_s, double second_s, double deviation);

/// Returns by candidate its rank from 1; 0 for those without a time. A candidate shares the rank of
/// a faster one where the odds that this one is the faster are below four to one.
std::vector<int> shared_ranks(std::span<const std::optional<double>> times_s, double deviation);

}  // namespace pipewright
