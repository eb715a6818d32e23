// The state of the machine: what Linux tells in /proc and, of a GPU, its driver.
#pragma once

#include <string>

namespace pipewright::calibration {

struct MachineState {
  double clock_hz = 0;  ///< mean over the cores, or the GPU's; 0 where nobody tells
  double ticks = 0;     ///< of all cores since the machine started
  double stolen = 0;    ///< of those, what a hypervisor gave to others
  double load = 0;      ///< runnable threads for each core, over the last minute
  std::string held;     ///< why the GPU's clocks are held down
};

MachineState machine_state(bool gpu);

/// The texts of /proc/cpuinfo, /proc/stat and /proc/loadavg; what they lack stays zero.
MachineState state_of(const std::string& cpuinfo, const std::string& stat,
                      const std::string& loadavg);

}  // namespace pipewright::calibration
