// oneTBB by threads of the standard library, for ThreadSanitizer alone: the distribution's oneTBB
// is not instrumented, so that what it orders looks like a race, or would have to be overlooked
// with every race in its tasks.
#pragma once

namespace tbb {

class task_arena {
 public:
  explicit task_arena(int) {}
  template <class F>
  void execute(F&& work) {
    work();
  }
};

namespace this_task_arena {
template <class F>
void isolate(F&& work) {
  work();
}
}  // namespace this_task_arena

}  // namespace tbb
