// The way in which a caller ends work that it no longer wants.
#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace pipewright {

/// The work ended before its result, because the caller wanted so. It is no Failure: it is no row
/// of a table.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

/// Throws Stopped once `*stop` is true. Null is never true.
inline void throw_if_stopped(const std::atomic<bool>* stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
}

/// What ends the work of this thread; null where nothing does.
const std::atomic<bool>* stop_of_thread();

/// As long as it lives, `*stop` ends the work of this thread. Null leaves what did so before.
/// Threads that are started for this work get a scope of their own.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

/// Throws Stopped where the work of this thread is to end. Work of more than a tenth of a second
/// calls it; it costs about a nanosecond.
inline void stop_here() { throw_if_stopped(stop_of_thread()); }

/// The same at step `step` of work whose steps take nanoseconds. It looks about once a millisecond.
inline void stop_sometimes(size_t step) {
  if (step % (1 << 14) == 0) stop_here();
}

}  // namespace pipewright
