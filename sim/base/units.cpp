#include "base/units.hpp"

#include <cmath>

#include "base/clock_exceeded.hpp"

namespace pipewright {

Time seconds(double s) {
  const double ps = std::floor(s * 1e12 + 0.5);
  if (!(std::abs(ps) < 9.2e18)) {
    throw ClockExceeded();
  }
  return {static_cast<int64_t>(ps)};
}

Time operator/(Bytes bytes, Bandwidth rate) {
  return seconds(static_cast<double>(bytes.count) / rate.bytes_per_s);
}

}  // namespace pipewright
