// The doubt grows as Birge's ratio makes it ("The calculation of errors by the method of least
// squares", 1932): all covariances by one factor, which the run that is farthest off needs.
#include "result/unexplained.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright {
namespace {

constexpr double four_in_five = 1.2816;  // of a normal number, in deviations
/// How much more doubt than before tells a doubted anchor from one that a run says nothing of,
/// through the six digits of its file.
constexpr double more_doubt = 1e-4;

double left_of(const AnchoredRun& run) {
  return std::abs(std::log(run.measured_s / run.anchored_s));
}

/// The variance that the factors of an anchor give the time of a run.
double variance_by_factors(const Regime& regime, const Anchor& anchor) {
  const AnchorParts shares = shares_of(regime);
  double variance = 0;
  for (size_t i = 0; i < shares.size(); ++i)
    for (size_t j = 0; j < shares.size(); ++j)
      variance += shares[i] * anchor.covariance[i][j] * shares[j];
  return variance;
}

/// By how much the doubt of the prior must grow until its range holds this run.
double growth_for(const RunOfRegime& one, const Anchor& prior) {
  const double deviation = left_of(one.run) / four_in_five;
  const double by_factors = deviation * deviation - run_deviation * run_deviation;
  return by_factors / variance_by_factors(one.regime, prior);
}

}  // namespace

bool is_unexplained(const AnchoredRun& run) {
  return left_of(run) > unexplained_deviations * run_deviation;
}

Anchor doubted(const Anchor& anchor, std::span<const RunOfRegime> runs) {
  const Anchor prior = prior_anchor();
  double growth = 0;
  for (const RunOfRegime& one : runs)
    if (is_unexplained(one.run)) growth = std::max({growth, 1.0, growth_for(one, prior)});
  if (growth == 0) return anchor;
  Anchor doubted = anchor;
  doubted.covariance = prior.covariance;
  for (AnchorParts& row : doubted.covariance)
    for (double& one : row) one *= growth * (1 + more_doubt);
  return doubted;
}

Range range_of_factors(const Regime& regime, const Anchor& anchor) {
  const double variance = run_deviation * run_deviation + variance_by_factors(regime, anchor);
  const double reach = four_in_five * std::sqrt(variance);
  return {std::exp(-reach), std::exp(reach)};
}

bool is_doubted(const Regime& regime, const Anchor& anchor) {
  const double before = variance_by_factors(regime, prior_anchor());
  return variance_by_factors(regime, anchor) > before * (1 + more_doubt / 2);
}

}  // namespace pipewright
