#include "schedule/pieces.hpp"

#include <fmt/format.h>

namespace pipewright::schedule {

std::string given_twice(const Action& action, bool with_slice, int first, int second) {
  const std::string name = to_string(action, with_slice);
  if (first == second) return fmt::format("{} is given twice, both times on rank {}", name, first);
  return fmt::format("{} is given twice, on ranks {} and {}", name, first, second);
}

void Source::fail(Place place, const std::string& message) const {
  if (!mark_of_ || !place) whole_.fail(message);
  throw InputError(mark_of_(place).where(), message);
}

Pieces::Pieces(const Schedule& schedule, const Source& source) : Pieces(schedule, &source) {}
Pieces::Pieces(const Schedule& schedule) : Pieces(schedule, nullptr) {}

Pieces::Pieces(const Schedule& schedule, const Source* source)
    : micro_batches_(static_cast<size_t>(schedule.total_micro_batches())),
      slices_(static_cast<size_t>(schedule.slices)),
      places_(static_cast<size_t>(schedule.stages) * micro_batches_ * slices_ * 4) {
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    const Order& order = schedule.order[rank];
    for (int position = 0; position < static_cast<int>(order.size()); ++position) {
      const Action& a = order[position];
      Place& place = places_[index(a.pass, a.stage, a.micro_batch, a.slice)];
      ensure(!place || source, "every piece of a valid schedule is there once");
      if (place) {
        source->fail({rank, position}, given_twice(a, schedule.slices > 1, place.rank, rank));
      }
      place = {rank, position};
    }
  }
}

}  // namespace pipewright::schedule
