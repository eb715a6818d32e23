// Formats: proc_stat(5), proc_loadavg(5). Of the first line of /proc/stat the eighth number is the
// time stolen; guests' times, the ninth and tenth, are counted in the first two already.
#include "calibrate/measure/machine_state.hpp"

#include <fstream>
#include <sstream>

#include "calibrate/measure/health.hpp"

namespace pipewright::calibration {
namespace {

std::string text_of(const char* file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

MachineState state_of(const std::string& cpuinfo, const std::string& stat,
                      const std::string& loadavg) {
  MachineState state;
  int cores = 0, clocks = 0;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    cores += line.starts_with("processor") ? 1 : 0;
    double mhz = 0;
    const size_t colon = line.find(':');
    if (!line.starts_with("cpu MHz") || colon == std::string::npos) continue;
    std::istringstream(line.substr(colon + 1)) >> mhz;
    state.clock_hz += mhz * 1e6;
    ++clocks;
  }
  if (clocks > 0) state.clock_hz /= clocks;
  std::istringstream ticks(stat);
  std::string cpu;
  ticks >> cpu;
  double number = 0;
  for (int i = 0; i < 8 && ticks >> number; ++i) {
    state.ticks += number;
    if (i == 7) state.stolen = number;
  }
  if (cores > 0 && std::istringstream(loadavg) >> number) state.load = number / cores;
  return state;
}

MachineState machine_state(bool gpu) {
  MachineState state =
      state_of(text_of("/proc/cpuinfo"), text_of("/proc/stat"), text_of("/proc/loadavg"));
  if (!gpu) return state;
  state.clock_hz = 0;
  if (const std::optional<Health> health = gpu_health()) {
    state.clock_hz = health->clock_mhz * 1e6;
    state.held = health->throttled;
  }
  return state;
}

}  // namespace pipewright::calibration
