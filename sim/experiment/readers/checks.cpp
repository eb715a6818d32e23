// What a map's keys must be to each other, and what follows from them.
#include "experiment/readers.hpp"

namespace pipewright {

void finish_variation(const config::Fields&, Variation& variation) {
  if (variation.kernel_spread < 0) variation.kernel_spread = variation.compute_spread / 10;
}

void finish_failures(const config::Fields& fields, Failures& failures) {
  if (const std::optional<FailureEvents>& events = failures.events;
      events && events->memory_time_s > 0 && !events->memory_interval_s)
    fields.at("events").lacks("'memory_time' needs 'memory_interval' beside it");
  if (failures.checkpoint_interval_s || failures.checkpoint_time_s > 0) return;
  fields.value().lacks(
      "failures needs a checkpoint_interval, or a checkpoint_time to find the best one");
}

}  // namespace pipewright
