// Numbers as profiles write them: four digits, which is more than a measurement holds.
#pragma once

#include <fmt/format.h>

#include "config/value.hpp"

namespace pipewright {

inline config::Value written_time(double seconds) {
  return config::scalar(fmt::format("{:.4g} us", seconds * 1e6));
}
inline config::Value written_number(double n) { return config::scalar(fmt::format("{:.4g}", n)); }

}  // namespace pipewright
