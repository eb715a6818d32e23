// The time that an iteration would take on a machine with ten per cent more of one resource.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "result/time_range.hpp"

namespace pipewright {

struct SensitivityRow {
  std::string resource;
  std::optional<double> iteration_time_s;
  double factor = 1;  ///< so many times as much of it
  double gain = 0;    ///< so much more is done in the same time: 0.05 is 5 %
  bool feasible = true;
  std::string note;
};

struct Sensitivity {
  double iteration_time_s = 0;
  int seeds = 0;  ///< draws whose medians the times are; 0: nothing is drawn
  bool feasible = true;
  std::vector<SensitivityRow> rows;  ///< the largest gain first
  std::optional<TimeRange> range;    ///< of the real iteration
  config::Document given;            ///< the experiment as the user wrote it
  config::Document experiment;       ///< with every default that it took
};

}  // namespace pipewright
