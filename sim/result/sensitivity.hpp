// The time that an iteration would take on a machine with ten per cent more of one resource.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pipewright {

struct SensitivityRow {
  std::string resource;
  std::optional<double> iteration_time_s;
  double gain = 0;  ///< so much more is done in the same time: 0.05 is 5 %
  bool feasible = true;
  std::string note;
};

struct Sensitivity {
  double iteration_time_s = 0;
  bool feasible = true;
  std::vector<SensitivityRow> rows;  ///< the largest gain first
};

}  // namespace pipewright
