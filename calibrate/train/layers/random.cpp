#include "calibrate/train/layers/random.hpp"

#include <cmath>
#include <numbers>

namespace pipewright::train {

// Box and Muller's transform; 1 - u is never zero.
double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace pipewright::train
