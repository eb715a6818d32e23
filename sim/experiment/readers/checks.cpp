// What a map's keys must be to each other, and what follows from them.
#include "experiment/readers.hpp"

namespace pipewright {

void finish_variation(const config::Fields&, Variation& variation) {
  if (variation.kernel_spread < 0) variation.kernel_spread = variation.compute_spread / 10;
}

void finish_failures(const config::Fields& fields, Failures& failures) {
  if (failures.checkpoint_interval_s || failures.checkpoint_time_s > 0) return;
  fields.value().lacks(
      "failures needs a checkpoint_interval, or a checkpoint_time to find the best one");
}

}  // namespace pipewright
