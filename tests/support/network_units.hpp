// Units that tests of networks count in.
#pragma once

#include "base/units.hpp"

namespace pipewright::test {

inline constexpr Time us = microseconds(1);
inline constexpr Bandwidth gigabyte_per_s{1e9};

}  // namespace pipewright::test
