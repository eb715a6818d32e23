// A line on the terminal that says how far one long run is.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/progress.hpp"

namespace pipewright::cli {

/// "simulating: 42 %, 3.1 s left" of the work that its thread does while it lives. It appears on
/// standard error after a second, and not in a pipe. What is left is of the step at hand, at the
/// rate of the step so far.
class WaitingLine {
 public:
  /// Unless `wanted` it does nothing, and whoever else is told stays so.
  explicit WaitingLine(bool wanted);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

 private:
  void watch();

  Progress progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread watcher_;
  ProgressScope scope_;
};

}  // namespace pipewright::cli
