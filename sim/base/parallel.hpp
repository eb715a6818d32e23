// Many independent pieces of work on as many threads as there are processors.
#pragma once

#include <cstddef>
#include <functional>

namespace pipewright {

/// Calls `work(i)` for every i below `count` in ascending order, `jobs` at a time (0: as many as
/// there are processors). After an exception no further piece is begun. Throws that of the least i
/// again when those in flight have ended: the same whatever `jobs` is.
void in_parallel(size_t count, int jobs, const std::function<void(size_t)>& work);

}  // namespace pipewright
