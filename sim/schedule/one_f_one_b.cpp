#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {

Schedule one_f_one_b_schedule(const Shape& shape) {
  Schedule schedule = make(shape, shape.ranks);
  for (int i = 0; i < shape.ranks; ++i)
    append_one_f_one_b(schedule.order[i], i, shape.ranks - 1 - i, shape.micro_batches);
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace pipewright::schedule
