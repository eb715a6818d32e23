// GPipe (arXiv 1811.06965): all forwards, then all backwards, one flush.
//
// Warm-up m, in flight m, one weight version. Uniform stages, hop latency c:
//   T = (m + p - 1)(tF + tB) + 2 (p - 1) c.
// Non-uniform, c = 0: T = sum F + sum B + (m - 1)(max F + max B).
// Option backward_order: in-order (0 .. m-1: torch, Alpa) or reversed (m-1 .. 0: the paper's
// figure, torchgpipe). With equal micro-batches the time is the same.
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_gpipe(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::gpipe, options);
  const bool reversed = choice_of(kind::gpipe, fields, "backward_order") == 1;
  Schedule schedule = make(shape, shape.ranks);
  const int m = shape.micro_batches;
  for (int i = 0; i < shape.ranks; ++i) {
    Order& order = schedule.order[i];
    for (int b = 0; b < m; ++b) order.push_back(forward(i, b));
    for (int b = 0; b < m; ++b) order.push_back(backward(i, reversed ? m - 1 - b : b));
  }
  repeat_iterations(schedule);
  return schedule;
}

constexpr PlainPipeline plain_gpipe{
    .ahead = [](const PipelineSizes& sizes) { return sizes.micro_batches; },
    .in_flight = [](const PipelineSizes& sizes, int64_t, int64_t) { return sizes.micro_batches; }};

}  // namespace

const Kind kind::gpipe{.name = "gpipe",
                       .aliases = {"GPipe"},
                       .summary = "all forwards, then all backwards; m micro-batches in flight",
                       .build = build_gpipe,
                       .plain = &plain_gpipe,
                       .options = {{"backward_order",
                                    "",
                                    "",
                                    "The order of micro-batches in the backward passes.",
                                    {"in-order", "reversed"}}}};

}  // namespace pipewright::schedule
