#include "base/units.hpp"

#include <cmath>

#include "base/error.hpp"

namespace pipewright {

Time seconds(double s) {
  const double ps = std::floor(s * 1e12 + 0.5);
  if (!(std::abs(ps) < 9.2e18)) {
    throw Failure("a simulated time exceeds the clock's range of 106 days");
  }
  return {static_cast<int64_t>(ps)};
}

Time operator/(Bytes bytes, Bandwidth rate) {
  return seconds(static_cast<double>(bytes.count) / rate.bytes_per_s);
}

}  // namespace pipewright
