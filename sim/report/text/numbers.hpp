// Numbers as people say them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace pipewright {

/// 0.123 is "12.3 %".
std::string percent(double fraction);
/// The number has four significant digits; from a thousand on it is whole and has commas: 46.81,
/// 95,900.
std::string human_number(double n);
/// The rate has an SI prefix: human_rate(1.4e14, "FLOP/s") is "140 TFLOP/s".
std::string human_rate(double rate, const char* unit);
/// The count stands with its noun: "1 rank", "12 ranks", "8 micro-batches".
std::string counted(int64_t n, std::string_view noun);
/// The time has the largest unit that fits: "1.234 ms".
std::string human(Time time);
/// The size has the largest binary unit that fits: "1.23 GiB".
std::string human(Bytes bytes);

}  // namespace pipewright
