// Numbers for a message to offer in place of one that does not divide.
#pragma once

#include <cstdint>
#include <string>

namespace pipewright {

/// Returns ", such as 4 or 8": the divisors of `whole` nearest to `number` on each side that are
/// multiples of `unit`; empty where there is none.
std::string nearest_divisors(int64_t number, int64_t whole, int64_t unit);

}  // namespace pipewright
