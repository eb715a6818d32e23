#include "result/diagnosis.hpp"

#include <array>

namespace pipewright {

std::string_view name_of(CauseKind kind) {
  constexpr std::array<std::string_view, cause_kinds> names = {
      "worker", "stage", "sequence_lengths", "communication", "host", "bubble", "imbalance"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace pipewright
