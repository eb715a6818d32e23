// A thread that looks on while its owner calls what may not come back, as MPI does not that tries
// to reach a rank that has died.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace pipewright::transport {

class Guard {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the thread. `look` gets how long a call has been outside once that is long; until it
  /// returns, the call cannot come back and what its owner has does not change.
  void start(std::function<void(Clock::duration outside)> look);
  void stop() { thread_ = {}; }

  /// Calls what may not come back and must not throw.
  template <class F>
  auto outside(F&& call) {
    outside_since_ = Clock::now().time_since_epoch().count();
    mine_.unlock();
    auto result = call();
    mine_.lock();
    outside_since_ = 0;
    return result;
  }

 private:
  void look_after(const std::stop_token& stop);

  std::mutex state_;  ///< of all that the owner has, but while it is outside
  std::unique_lock<std::mutex> mine_{state_};
  std::atomic<int64_t> outside_since_ = 0;  ///< ns; 0: not there
  std::function<void(Clock::duration)> look_;
  std::jthread thread_;
};

}  // namespace pipewright::transport
