#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/stop.hpp"

namespace pipewright {

void in_parallel(size_t count, int jobs, const std::function<void(size_t)>& work) {
  const size_t threads = jobs > 0 ? static_cast<size_t>(jobs)
                                  : std::max<size_t>(std::thread::hardware_concurrency(), 1);
  std::atomic<size_t> next = 0;
  std::mutex failing;
  size_t failed = count;  // the first piece that has
  std::exception_ptr failure;
  const std::atomic<bool>* stop = stop_of_thread();
  const auto loop = [&] {
    const StopScope scope(stop);
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (i < failed) failure = std::current_exception();
        failed = std::min(failed, i);
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    try {
      for (size_t i = 1; i < std::min(threads, count); ++i) pool.emplace_back(loop);
    } catch (const std::system_error&) {  // no more threads: those that there are do the work
    }
    loop();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pipewright
