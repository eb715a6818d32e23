// A range that is cut: see task_arena.h.
#pragma once

#include <cstddef>

namespace tbb {

template <class T>
class blocked_range {
 public:
  blocked_range(T begin, T end, size_t grain) : begin_(begin), end_(end), grain_(grain) {}
  T begin() const { return begin_; }
  T end() const { return end_; }
  size_t grainsize() const { return grain_; }

 private:
  T begin_, end_;
  size_t grain_;
};

}  // namespace tbb
