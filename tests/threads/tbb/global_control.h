// How many threads the loops here have: see task_arena.h.
#pragma once

#include <atomic>
#include <cstddef>

namespace tbb {

inline std::atomic<size_t> most_threads = 4;

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, size_t most) : before_(most_threads.exchange(most)) {}
  ~global_control() { most_threads = before_; }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

 private:
  size_t before_;
};

}  // namespace tbb
