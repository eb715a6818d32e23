// How many rounds a random test of ours runs: as many more or fewer as RapidCheck's do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace pipewright::test {

/// Returns `usual`, of which max_success=N in RC_PARAMS makes N of a hundred, at least 1.
inline uint64_t rounds(uint64_t usual) {
  constexpr std::string_view key = "max_success=";
  const char* parameters = std::getenv("RC_PARAMS");
  const std::string_view text = parameters ? parameters : "";
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return usual;
  const uint64_t of_hundred = std::strtoull(text.data() + at + key.size(), nullptr, 10);
  return std::max<uint64_t>(1, usual * of_hundred / 100);
}

}  // namespace pipewright::test
