#include "plan/nearest_divisors.hpp"

#include <fmt/format.h>

namespace pipewright {

std::string nearest_divisors(int64_t number, int64_t whole, int64_t unit) {
  int64_t below = 0, above = 0;
  for (int64_t one = unit; one <= whole && above == 0; one += unit) {
    if (whole % one != 0) continue;
    (one < number ? below : above) = one;
  }
  if (below == 0 && above == 0) return {};
  if (below == 0 || above == 0) return fmt::format(", such as {}", below + above);
  return fmt::format(", such as {} or {}", below, above);
}

}  // namespace pipewright
