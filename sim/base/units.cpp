#include "base/units.hpp"

#include <cmath>

#include "base/clock_exceeded.hpp"

namespace pipewright {

Time seconds(double s) {
  const double ps = s * 1e12 + 0.5;
  if (!(std::abs(ps) < 9.2e18)) throw ClockExceeded();
  // Rounded down without a call of the library's floor().
  const auto whole = static_cast<int64_t>(ps);
  return {whole - (static_cast<double>(whole) > ps ? 1 : 0)};
}

Time operator/(Bytes bytes, Bandwidth rate) {
  return seconds(static_cast<double>(bytes.count) / rate.bytes_per_s);
}

}  // namespace pipewright
