// What parallel_invoke is given: see task_arena.h.
#pragma once

namespace tbb {

class task_group_context {
 public:
  enum kind { isolated };
  explicit task_group_context(kind) {}
};

}  // namespace tbb
