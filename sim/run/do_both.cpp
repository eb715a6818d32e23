#include "run/do_both.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

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
  const auto half = [stop = stop_of_thread(),
                     progress = progress_of_thread()](const std::function<void()>& work) {
    const StopScope scope(stop);
    const ProgressScope told(progress);
    work();
  };
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_invoke([&] { half(first); }, [&] { half(second); }, context); });
}

}  // namespace pipewright
