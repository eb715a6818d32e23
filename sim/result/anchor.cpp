// Deviations of the prior, and of single runs around the factors of their machine: the likeliest
// for the residuals of workloads/validation/residuals.csv up to a factor of e^0.5, each machine
// weighing one, where a residual is the sum of its shares times three factors of its machine and an
// error of its own. A machine is what a source measured on a device under a framework.
// tests/unit/result/anchor_test.cpp holds that none is likelier by more than these runs can tell.
//
// A run's own error is of Student's distribution with 4 degrees of freedom up to where that pulls
// most, and of a tail of that pull beyond (as Huber's, "Robust estimation of a location parameter",
// 1964): one run that the model does not understand moves little, and one that took longer never
// moves less.
#include "result/anchor.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "result/unexplained.hpp"

namespace pipewright {
namespace {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;

constexpr AnchorParts prior_deviation = {0.122, 0.184, 0.387};

Vector vector_of(const AnchorParts& parts) { return {parts[0], parts[1], parts[2]}; }

Vector logarithms_of(const AnchorParts& factors) { return vector_of(factors).array().log(); }

Matrix prior_precision() {
  return vector_of(prior_deviation).array().square().inverse().matrix().asDiagonal();
}

void set_covariance(Anchor& anchor, const Matrix& covariance) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      anchor.covariance[size_t(row)][size_t(column)] = covariance(row, column);
}

/// What counts of a run that is off by `error`, in the logarithm. The pull, weight times error, is
/// greatest at unexplained_deviations, and stays so beyond.
double weight_of(double error) {
  constexpr double freedom = unexplained_deviations * unexplained_deviations;
  const double deviations = std::abs(error) / run_deviation;
  const double near = std::min(deviations, unexplained_deviations);
  const double weight = (freedom + 1) / (freedom + near * near);
  return deviations > near ? weight * near / deviations : weight;
}

struct Likeliest {
  Vector logarithms;  ///< of the factors
  Matrix covariance;
};

/// Returns the likeliest factors for points that were predicted with those of `at`.
Likeliest likeliest_for(std::span<const AnchorPoint> points, std::span<const double> weights,
                        const Vector& at) {
  Matrix precision = prior_precision();
  Vector sum = Vector::Zero();
  for (size_t i = 0; i < points.size(); ++i) {
    const Vector shares = vector_of(points[i].shares) / run_deviation;
    precision += weights[i] * shares * shares.transpose();
    sum += weights[i] * shares * (points[i].slower / run_deviation + shares.dot(at));
  }
  const Matrix covariance = precision.inverse();
  return {covariance * sum, covariance};
}

}  // namespace

Anchor prior_anchor() {
  Anchor prior;
  set_covariance(prior, prior_precision().inverse());
  return prior;
}

Anchor updated(const Anchor& assumed, std::span<const AnchorPoint> points) {
  constexpr int most_rounds = 200;
  const Vector at = logarithms_of(assumed.factors);
  Likeliest likeliest{at, {}};
  std::vector<double> weights(points.size(), 1);
  for (int round = 0; round < most_rounds; ++round) {
    const Vector last = likeliest.logarithms;
    likeliest = likeliest_for(points, weights, at);
    if ((likeliest.logarithms - last).norm() < 1e-9 && round > 0) break;
    for (size_t i = 0; i < points.size(); ++i)
      weights[i] =
          weight_of(points[i].slower - vector_of(points[i].shares).dot(likeliest.logarithms - at));
  }
  Anchor anchor = assumed;
  for (int part = 0; part < 3; ++part)
    anchor.factors[size_t(part)] = std::exp(likeliest.logarithms[part]);
  set_covariance(anchor, likeliest.covariance);
  return anchor;
}

AnchorParts shares_of(const Regime& regime) {
  const double network = regime.nodes > 1 ? regime.exposed : 0;
  return {1 - regime.exposed - regime.host, network, regime.host};
}

}  // namespace pipewright
