// Bounds on the dimensions of a transformer: wide enough for any model; narrow enough that products
// of four dimensions stay exact in double.
#pragma once

#include <cstdint>

namespace pipewright {

inline constexpr int64_t most_layers = 10'000;
inline constexpr int64_t most_width = 1 << 22;
inline constexpr int64_t most_vocabulary = 1 << 26;
inline constexpr int64_t most_tokens = INT64_C(1) << 40;

}  // namespace pipewright
