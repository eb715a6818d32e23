#include "result/reproduction.hpp"

#include <array>
#include <cmath>

namespace pipewright {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::contradicted:
      return "contradicted";
    case Verdict::not_testable:
      break;
  }
  return "not testable";
}

std::string_view to_string(Sense sense) {
  constexpr std::array<std::string_view, 3> names = {"about", "up to", "at least"};
  return names[static_cast<size_t>(sense)];
}

std::string_view to_string(ClaimBasis basis) {
  constexpr std::array<std::string_view, 3> names = {"derived", "simulated", "live"};
  return names[static_cast<size_t>(basis)];
}

std::optional<double> gain_share(const std::optional<double>& ratio, double says) {
  if (!ratio || says == 1) return std::nullopt;
  return (*ratio - 1) / (says - 1);
}

Verdict judge(const std::optional<double>& ratio, double says, double tolerance, Sense sense) {
  if (!ratio) return Verdict::not_testable;
  const double off = gain_share(ratio, says).value_or(*ratio) - 1;
  const bool holds = sense == Sense::at_least ? off >= -tolerance : std::abs(off) <= tolerance;
  return holds ? Verdict::reproduced : Verdict::contradicted;
}

}  // namespace pipewright
