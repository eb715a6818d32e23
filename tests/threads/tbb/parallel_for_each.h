// A loop whose steps threads take one by one: see task_arena.h. No step may throw.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "global_control.h"

namespace tbb {

template <class Iterator, class F>
void parallel_for_each(Iterator begin, Iterator end, F&& step) {
  const auto count = static_cast<size_t>(end - begin);
  std::atomic<size_t> next = 0;
  const auto loop = [&] {
    for (size_t i = next++; i < count; i = next++) step(begin[static_cast<ptrdiff_t>(i)]);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < most_threads && i < count; ++i) others.emplace_back(loop);
  loop();
}

}  // namespace tbb
