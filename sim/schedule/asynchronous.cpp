#include "schedule/asynchronous.hpp"

#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {

Schedule endless_one_f_one_b(const Shape& shape, int step_every,
                             const std::function<int(int)>& warm_up) {
  Schedule schedule = make(shape, shape.ranks);
  schedule.step_every = step_every;
  schedule.synchronous = false;
  for (int i = 0; i < shape.ranks; ++i)
    append_one_f_one_b(schedule.order[i], i, warm_up(i), schedule.total_micro_batches());
  return schedule;
}

Schedule endless_one_f_one_b(const Shape& shape, int step_every) {
  return endless_one_f_one_b(shape, step_every, [&](int i) { return shape.ranks - 1 - i; });
}

void read_newest(Schedule& schedule, BackwardReads backward) {
  for (Order& order : schedule.order) {
    std::vector<int> stash(static_cast<size_t>(schedule.total_micro_batches()));
    int done = 0;  // backwards
    for (Action& a : order) {
      a.weight_version = done / schedule.step_every;
      if (a.pass == Pass::forward) {
        stash[a.micro_batch] = a.weight_version;
        continue;
      }
      if (backward == BackwardReads::stashed) a.weight_version = stash[a.micro_batch];
      ++done;
    }
  }
}

void read_versions(Schedule& schedule, const std::function<int(int)>& version) {
  for (Order& order : schedule.order)
    for (Action& a : order) a.weight_version = version(a.micro_batch);
}

}  // namespace pipewright::schedule
