#include "report/text/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace pipewright {

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string human_number(double n) {
  if (std::abs(n) < 1000 || std::abs(n) >= 1e15) return fmt::format("{:.4g}", n);
  std::string digits = fmt::format("{:.0f}", n);
  const size_t sign = digits[0] == '-';
  for (size_t left = digits.size(); left > sign + 3; left -= 3) digits.insert(left - 3, ",");
  return digits;
}

std::string human_rate(double rate, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t k = 0;
  while (std::abs(rate) >= 1000 && k + 1 < std::size(prefixes)) rate /= 1000, ++k;
  return fmt::format("{:.4g} {}{}", rate, prefixes[k], unit);
}

std::string counted(int64_t n, std::string_view noun) {
  const char* plural = n == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", human_number(static_cast<double>(n)), noun, plural);
}

std::string human(Time time) { return human_time(in_seconds(time)); }
std::string human(Bytes bytes) { return human_bytes(static_cast<double>(bytes.count)); }

}  // namespace pipewright
