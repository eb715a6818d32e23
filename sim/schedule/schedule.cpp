#include "schedule/schedule.hpp"

#include <fmt/format.h>

namespace pipewright::schedule {

char letter(Pass pass) { return "FBIW"[static_cast<int>(pass)]; }

std::string to_string(const Action& action, bool with_slice) {
  std::string text = fmt::format("{}{}{}", action.stage, letter(action.pass), action.micro_batch);
  if (with_slice) text += fmt::format(".{}", action.slice);
  return text;
}

Schedule make(const Shape& shape, int stages, int slices) {
  Schedule schedule;
  schedule.stages = stages;
  schedule.slices = slices;
  schedule.micro_batches = shape.micro_batches;
  schedule.iterations = shape.iterations;
  schedule.step_every = shape.micro_batches;
  schedule.order.resize(static_cast<size_t>(shape.ranks));
  return schedule;
}

void repeat_iterations(Schedule& schedule) {
  for (Order& order : schedule.order) {
    const size_t once = order.size();
    order.reserve(once * static_cast<size_t>(schedule.iterations));
    for (int t = 1; t < schedule.iterations; ++t) {
      for (size_t k = 0; k < once; ++k) {
        Action action = order[k];
        action.micro_batch += t * schedule.micro_batches;
        action.weight_version = t;
        order.push_back(action);
      }
    }
  }
}

}  // namespace pipewright::schedule
