// Decides how long to sleep before looking again whether a message has come.
//
// Looking costs the core that somebody computes on: a thread that wakes every 50 us took 26 % of
// one on a virtual machine, every 200 us 9 %, every 500 us 2 %. So naps are a part of the time
// since something came, up to 500 us where cores are computed on.
#pragma once

#include <algorithm>
#include <chrono>

namespace pipewright::transport {

class Nap {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds shortest{50}, longest{500};

  /// Something has come.
  void start_over() { since_ = Clock::now(); }
  std::chrono::microseconds length() const {
    constexpr int part = 16;
    const auto quiet = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since_);
    return std::clamp(quiet / part, shortest, longest);
  }

 private:
  Clock::time_point since_ = Clock::now();
};

}  // namespace pipewright::transport
