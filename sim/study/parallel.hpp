// Many independent pieces of work on as many threads as there are processors.
#pragma once

#include <cstddef>
#include <functional>

namespace pipewright {

/// Calls `work(i)` for every i below `count`, `jobs` at a time (0: as many as there are
/// processors). Throws the first exception again, when the others in flight have ended.
void in_parallel(size_t count, int jobs, const std::function<void(size_t)>& work);

}  // namespace pipewright
