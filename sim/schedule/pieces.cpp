#include "schedule/pieces.hpp"

#include <fmt/format.h>

namespace pipewright::schedule {

Pieces::Pieces(const Schedule& schedule, const config::Value& where)
    : micro_batches_(static_cast<size_t>(schedule.total_micro_batches())),
      slices_(static_cast<size_t>(schedule.slices)),
      places_(static_cast<size_t>(schedule.stages) * micro_batches_ * slices_ * 4) {
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    const Order& order = schedule.order[rank];
    for (int position = 0; position < static_cast<int>(order.size()); ++position) {
      const Action& a = order[position];
      Place& place = places_[index(a.pass, a.stage, a.micro_batch, a.slice)];
      if (place) {
        where.fail(fmt::format("{} is given twice, on ranks {} and {}",
                               to_string(a, schedule.slices > 1), place.rank, rank));
      }
      place = {rank, position};
    }
  }
}

}  // namespace pipewright::schedule
