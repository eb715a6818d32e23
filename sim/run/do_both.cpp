#include "run/do_both.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>

#include "base/progress.hpp"
#include "base/stop.hpp"

namespace pipewright {
namespace {

/// Takes a few milliseconds a pass, where to wake a thread takes some ten microseconds.
constexpr size_t large = 100'000;

}  // namespace

void do_both(size_t ops, const std::function<void()>& first, const std::function<void()>& second) {
  if (ops < large) {
    first();
    second();
    return;
  }
  // Who waits for the other half begins no other run of a sweep meanwhile, with all its memory.
  // A context of its own: where work around this one is cancelled, no half is left out.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  // oneTBB orders both halves after what was before them, and what follows after both. The atomic
  // says the same where ThreadSanitizer sees it.
  std::atomic<int> ordered = 0;
  const auto half = [&ordered, stop = stop_of_thread(),
                     progress = progress_of_thread()](const std::function<void()>& work) {
    ordered.load(std::memory_order_acquire);
    const StopScope scope(stop);
    const ProgressScope told(progress);
    work();
    ordered.fetch_add(1, std::memory_order_release);
  };
  ordered.store(1, std::memory_order_release);
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_invoke([&] { half(first); }, [&] { half(second); }, context); });
  ordered.load(std::memory_order_acquire);
}

}  // namespace pipewright
