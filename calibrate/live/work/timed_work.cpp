#include "calibrate/live/work/timed_work.hpp"

#include <thread>

namespace pipewright::live {

void TimedWork::wait(Time time) {
  using Clock = std::chrono::steady_clock;
  // How late Linux wakes a sleeper, and a bit more.
  constexpr std::chrono::nanoseconds late{80'000};
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(time.ps / 1000);
  const std::chrono::nanoseconds left = end - Clock::now();
  if (left > late) std::this_thread::sleep_for(left - late);
  while (Clock::now() < end) std::this_thread::yield();
}

}  // namespace pipewright::live
