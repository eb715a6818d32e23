// Text for terminals: aligned columns, and numbers as people say them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

/// Rows with their columns aligned: the first to the left, the others to the right, two spaces
/// between, each line after `indent` spaces. A row may end early.
std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t indent = 0);

/// Lines longer than `columns` are broken between words, not before a '%', and go on after `indent`
/// spaces.
std::string wrapped(std::string_view text, size_t columns, size_t indent);

/// "12.3 %".
std::string percent(double fraction);
/// Four significant digits, from a thousand on whole with commas: 46.81, 95,900.
std::string human_number(double n);
/// With an SI prefix: human_rate(1.4e14, "FLOP/s") is "140 TFLOP/s".
std::string human_rate(double rate, const char* unit);
/// "1 rank", "12 ranks", "8 micro-batches".
std::string counted(int64_t n, std::string_view noun);

}  // namespace pipewright
