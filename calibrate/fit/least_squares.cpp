#include "calibrate/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace pipewright::fit {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_steps = 200;
constexpr double most_damping = 1e12, done = 1e-12;

VectorXd evaluate(const Residuals& residuals, const VectorXd& at) {
  const std::vector<double> values = residuals({at.data(), at.data() + at.size()});
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

MatrixXd jacobian(const Residuals& residuals, const VectorXd& at, const VectorXd& here) {
  MatrixXd slopes(here.size(), at.size());
  for (Eigen::Index column = 0; column < at.size(); ++column) {
    const double step = 1e-6 * std::max(1.0, std::abs(at[column]));
    VectorXd moved = at;
    moved[column] += step;
    slopes.col(column) = (evaluate(residuals, moved) - here) / step;
  }
  return slopes;
}

}  // namespace

std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start) {
  VectorXd at = Eigen::Map<VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
  VectorXd here = evaluate(residuals, at);
  double damping = 1e-3;
  for (int step = 0; step < most_steps && damping < most_damping; ++step) {
    const MatrixXd slopes = jacobian(residuals, at, here);
    const MatrixXd normal = slopes.transpose() * slopes;
    const VectorXd gradient = slopes.transpose() * here;
    const double before = here.squaredNorm();
    bool better = false;
    while (!better && damping < most_damping) {
      MatrixXd damped = normal;
      damped.diagonal() += damping * normal.diagonal() + VectorXd::Constant(at.size(), 1e-12);
      const VectorXd moved = at - damped.ldlt().solve(gradient);
      const VectorXd there = evaluate(residuals, moved);
      better = there.squaredNorm() < before;
      damping *= better ? 0.3 : 4;
      if (better) at = moved, here = there;
    }
    if (!better || before - here.squaredNorm() < done * before) break;
  }
  return {at.data(), at.data() + at.size()};
}

double robust(double residual, double knee) {
  const double size = std::abs(residual);
  if (size <= knee) return residual;
  return std::copysign(std::sqrt(knee * (2 * size - knee)), residual);
}

}  // namespace pipewright::fit
