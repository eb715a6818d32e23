#include "result/reproduction.hpp"

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

Verdict judge(const std::optional<double>& ratio, double says, double tolerance, Sense sense) {
  if (!ratio) return Verdict::not_testable;
  const double off = *ratio / says - 1;
  const bool holds = sense == Sense::at_least ? off >= -tolerance : std::abs(off) <= tolerance;
  return holds ? Verdict::reproduced : Verdict::contradicted;
}

}  // namespace pipewright
