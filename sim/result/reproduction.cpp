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

Verdict judge(const std::optional<double>& ratio, double says, double tolerance, Sense sense) {
  if (!ratio) return Verdict::not_testable;
  const double off = *ratio / says - 1;
  const bool holds = sense == Sense::at_least ? off >= -tolerance : std::abs(off) <= tolerance;
  return holds ? Verdict::reproduced : Verdict::contradicted;
}

}  // namespace pipewright
