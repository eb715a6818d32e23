// How far a long run is, for whoever waits for it.
#pragma once

#include <atomic>
#include <cstddef>

namespace pipewright {

/// What a run is doing. One thread begins steps; others may end parts of them or read at any time.
struct Progress {
  std::atomic<const char*> step{"preparing"};  ///< in words that live as long as the program
  std::atomic<size_t> done{0}, total{0};       ///< of this step; no total where nobody knows it
  std::atomic<int> number{0};                  ///< of the step

  void begin(const char* what, size_t of = 0) {
    done.store(0, std::memory_order_relaxed);
    total.store(of, std::memory_order_relaxed);
    step.store(what, std::memory_order_relaxed);
    number.fetch_add(1, std::memory_order_relaxed);
  }
};

/// The progress that the work of this thread tells; null where nobody waits for it.
Progress* progress_of_thread();

/// As long as it lives, the work of this thread tells `progress`, which may be null.
class ProgressScope {
 public:
  explicit ProgressScope(Progress* progress);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

 private:
  Progress* before_;
};

/// Tells `progress`, which may be null, that one more part of its step is done.
inline void end_part(Progress* progress) {
  if (progress) progress->done.fetch_add(1, std::memory_order_relaxed);
}

/// Tells that this thread begins a step of `total` parts; 0 where the number is unknown.
inline void begin_step(const char* what, size_t total = 0) {
  if (Progress* const progress = progress_of_thread()) progress->begin(what, total);
}

}  // namespace pipewright
