// Measured runs beside predictions, for tests of reports.
#pragma once

#include "result/validation.hpp"

namespace pipewright::test {

/// Of group g: a, which could not be predicted, and b, which took a second instead of two.
inline Validation two_validation_runs() {
  ValidationRun a{
      .name = "a", .group = "g", .measured = {.iteration_time_s = 1}, .reason = "why, \"not\""};
  ValidationRun b{
      .name = "b",
      .group = "g",
      .measured = {.iteration_time_s = 1},
      .predicted = Outcome{
          .iteration_time_s = 2, .samples_per_s = 0.5, .peak_memory_bytes = 9e9, .feasible = true}};
  return validation_of({a, b});
}

}  // namespace pipewright::test
