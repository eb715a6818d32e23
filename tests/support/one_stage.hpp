// One stage on two tensor ranks for one micro-batch, priced by simple rules.
#pragma once

#include "schedule/kinds/kinds.hpp"
#include "support/price_rules.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {

inline Time picosecond_a_byte(CollectiveKind, std::span<const int32_t>, Bytes bytes) {
  return picoseconds(bytes.count);
}

/// A product takes a picosecond a row, other kernels what they say, a collective a picosecond a
/// byte.
inline Prices simple_prices() {
  return prices_by({.compute =
                        [](const Work& work, int32_t) {
                          return work.kernel == Kernel::gemm ? picoseconds(work.shape[1])
                                                             : work.fixed;
                        },
                    .collective = picosecond_a_byte});
}

inline int64_t picoseconds_of(const StageWork& work, const Prices& prices = simple_prices()) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  const Program program =
      lower({.schedule = schedule, .stages = {work}, .grid = grid_of(1, 2), .fold_tensor = true});
  const Timeline timeline = simulate(program, price(program, prices));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end.ps;
}

inline Work lasting(int64_t ps, Direction direction = Direction::forward) {
  return {.direction = direction, .fixed = picoseconds(ps)};
}

inline CollectiveWork over_tensor(CollectiveKind kind, int64_t bytes) {
  return {kind, Axis::tensor, Bytes{bytes}};
}

}  // namespace pipewright::test
