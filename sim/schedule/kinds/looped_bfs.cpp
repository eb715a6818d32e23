// Looped breadth-first pipeline (arXiv 2211.05953): v chunks a rank, each run for all
// micro-batches before the next.
//
// Rank i holds the stages i, p + i, ..., (v-1)p + i: all forwards of chunk 0, then of chunk 1, ...;
// then all backwards from the last chunk to the first. In flight m v of one chunk each, one weight
// version. Weights of a chunk are needed once a pass, which suits fully sharded weights. Times per
// chunk, uniform, no latency, m >= p:
//   T = (mv + p - 1)(tF + tB).
// Options: virtual (v, default 2); backward_order: reversed (default: m-1 .. 0, as torch) or
// in-order.
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_looped_bfs(const Shape& shape, const config::Value& options) {
  const config::Fields fields(options, "looped-bfs", {"name", "virtual", "backward_order"});
  const int v = static_cast<int>(fields.integer("virtual", 2, 1, 1024));
  const config::Value* backward_order = fields.find("backward_order");
  const bool reversed =
      !backward_order || config::as_choice(*backward_order, {"in-order", "reversed"}) == 1;
  const int p = shape.ranks, m = shape.micro_batches;
  Schedule schedule = make(shape, p * v);
  for (int i = 0; i < p; ++i) {
    Order& order = schedule.order[i];
    for (int c = 0; c < v; ++c)
      for (int b = 0; b < m; ++b) order.push_back(forward(c * p + i, b));
    for (int c = v - 1; c >= 0; --c)
      for (int b = 0; b < m; ++b) order.push_back(backward(c * p + i, reversed ? m - 1 - b : b));
  }
  schedule.receives_ahead = true;
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::looped_bfs{"looped-bfs",
                            {"LoopedBFS"},
                            "several chunks a rank, each for all micro-batches before the next",
                            build_looped_bfs,
                            true};

}  // namespace pipewright::schedule
