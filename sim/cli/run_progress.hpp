// A line on the terminal that says how far a command with many runs is.
#pragma once

#include <chrono>
#include <cstdint>

namespace pipewright::cli {

/// Writes on standard error, and nothing in a pipe.
class RunProgress {
 public:
  /// Shows nothing unless `wanted`.
  explicit RunProgress(bool wanted);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  /// Says that `done` of `total` runs are done, `found` of which needed no work.
  void show(int64_t done, int64_t total, int64_t found = 0);

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace pipewright::cli
