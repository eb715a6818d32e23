// Two functions on two threads: see task_arena.h.
#pragma once

#include <future>

#include "task_group.h"

namespace tbb {

template <class F, class G>
void parallel_invoke(F&& first, G&& second, task_group_context&) {
  std::future<void> beside = std::async(std::launch::async, second);
  first();
  beside.get();
}

}  // namespace tbb
