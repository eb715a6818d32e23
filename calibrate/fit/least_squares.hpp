// Nonlinear least squares by Levenberg and Marquardt, with a derivative taken by differences.
#pragma once

#include <functional>
#include <vector>

namespace pipewright::fit {

using Residuals = std::function<std::vector<double>(const std::vector<double>& parameters)>;

/// The parameters, from `start`, at which the sum of squares is least. Residuals must be finite
/// everywhere and always as many. Source: Marquardt (1963); damping scaled by the diagonal.
std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start);

/// A residual as the square root of Huber's loss: beyond `knee` it counts linearly, so that single
/// outliers do not decide.
double robust(double residual, double knee);

}  // namespace pipewright::fit
