// A run of a sweep, in the form in which it is kept and reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pipewright {

struct SweepRun {
  int64_t point = 0;                              ///< of the study
  std::vector<std::string> settings;              ///< by the study's paths; empty: not set
  std::string schedule, reason;                   ///< a reason where there is no result
  std::vector<std::optional<double>> objectives;  ///< by objective_names(); empty with a reason
  bool feasible = false;
  std::string csv;   ///< a line of the results table; empty with a reason
  std::string json;  ///< the result without what the simulator itself took; empty with a reason

  bool ran() const { return reason.empty(); }
  bool operator==(const SweepRun&) const = default;
};

}  // namespace pipewright
