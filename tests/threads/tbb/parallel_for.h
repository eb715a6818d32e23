// A loop over the parts of a range: see task_arena.h. No step may throw.
#pragma once

#include <algorithm>
#include <vector>

#include "blocked_range.h"
#include "parallel_for_each.h"

namespace tbb {

template <class T, class F>
void parallel_for(const blocked_range<T>& all, F&& step) {
  std::vector<blocked_range<T>> parts;
  for (T begin = all.begin(); begin < all.end(); begin += all.grainsize())
    parts.emplace_back(begin, std::min(begin + all.grainsize(), all.end()), all.grainsize());
  parallel_for_each(parts.begin(), parts.end(), step);
}

}  // namespace tbb
