// A clock for how long the simulator itself takes.
#pragma once

#include <chrono>

namespace pipewright {

using ClockTime = std::chrono::steady_clock::time_point;

inline ClockTime now() { return std::chrono::steady_clock::now(); }
inline double seconds_since(ClockTime begin) {
  return std::chrono::duration<double>(now() - begin).count();
}

}  // namespace pipewright
