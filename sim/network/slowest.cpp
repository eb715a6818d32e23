#include "network/slowest.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace pipewright {
namespace {

double largest_normal(double draws) {
  const double below = (draws - 0.375) / (draws + 0.25);
  return std::sqrt(2.0) * boost::math::erf_inv(2 * below - 1);
}

}  // namespace

double slowest_of(int draws, double spread) {
  if (draws <= 2 || spread <= 0) return 1;
  return std::exp(spread * (largest_normal(draws) - largest_normal(2)));
}

}  // namespace pipewright
