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
#include "schedule/kinds/shared_options.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_looped_bfs(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::looped_bfs, options);
  const int v = static_cast<int>(fields.integer("virtual", 2, 1, 1024));
  const bool reversed = choice_of(kind::looped_bfs, fields, "backward_order") == 0;
  const int p = shape.ranks, m = shape.micro_batches;
  Schedule schedule = make(shape, p * v);
  for (int i = 0; i < p; ++i) {
    Order& order = schedule.order[i];
    for (int c = 0; c < v; ++c)
      for (int b = 0; b < m; ++b) order.push_back(forward(c * p + i, b));
    for (int c = v - 1; c >= 0; --c)
      for (int b = 0; b < m; ++b) order.push_back(backward(c * p + i, reversed ? m - 1 - b : b));
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::looped_bfs{
    .name = "looped-bfs",
    .aliases = {"LoopedBFS"},
    .summary = "several chunks a rank, each for all micro-batches before the next",
    .build = build_looped_bfs,
    .options = {virtual_option("2"),
                {"backward_order",
                 "",
                 "",
                 "The order of micro-batches in the backward passes.",
                 {"reversed", "in-order"}}}};

}  // namespace pipewright::schedule
