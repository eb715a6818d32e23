// The automatic zero-bubble search (arXiv 2401.10241, section 3; "ZB-1p" and "ZB-2p" are its
// results at memory limits p and 2p): greedy list scheduling from the stages' own costs.
//
// Warm-up: every rank's first F; then, where memory allows, the F's that fit before its first I can
// begin. Then per micro-batch: the next F on every rank, from the first, and the next I, from the
// last. While either waits for its input, W's go first as long as they end in time, and one more if
// the gap would make the rank's bubbles exceed the worst rank's. W's also go first where memory
// needs it, and before rank 0's last I's, for which nobody waits. At last the W's left. Run with
// each combination of
//   gap before the first I (F's must end before it can begin) or not (F's fill past it),
//   backward first (a rank two F's ahead of the next waits for its gradient) or not,
//   W in small gaps (also where it would not raise the worst bubble) or not,
// the least max span kept (the first found of equals). The paper refines this with an integer
// programme; this does not. Costs: Shape::costs, or tF = tI = tW = 1 and no latency.
//
// Options memory_limit: micro-batches' activations on a rank, default p (1F1B's);
// freed_by_input_gradient: the part of an activation that I frees, W the rest, default 0.
#include <limits>

#include "schedule/greedy_zero_bubble.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

StageCosts unit_costs(int stages) {
  const std::vector<Time> ones(static_cast<size_t>(stages), Time{1});
  return {.forward = ones, .input_gradient = ones, .weight_gradient = ones};
}

Schedule build_zb_auto(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::zb_auto, options);
  const config::Value* freed = fields.find("freed_by_input_gradient");
  const Memory memory{.limit = fields.real("memory_limit", shape.ranks, 1, 1e9),
                      .freed_by_input_gradient = freed ? config::as_fraction(*freed, 0, 1) : 0};
  const StageCosts costs = shape.costs ? shape.costs(shape.ranks) : unit_costs(shape.ranks);
  SearchedOrder best{{}, std::numeric_limits<double>::infinity()};
  for (int choice = 0; choice < 8; ++choice) {
    const Choices choices{.gap_before_first_backward = (choice & 4) == 0,
                          .backward_first = (choice & 2) == 0,
                          .fill_small_gaps = (choice & 1) == 0};
    SearchedOrder found = greedy_zero_bubble(costs, shape.micro_batches, memory, choices);
    if (found.max_span < best.max_span) best = std::move(found);
  }
  Schedule schedule = make(shape, shape.ranks);
  schedule.order = std::move(best.order);
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::zb_auto{
    .name = "zb-auto",
    .aliases = {},
    .summary = "zero bubble searched for, from the stages' costs under a memory limit",
    .build = build_zb_auto,
    .options = {
        {"memory_limit",
         "a number of micro-batches",
         "the number of ranks, as in 1f1b",
         "The activations that a rank may hold at a time, in whole micro-batches of its stage.",
         {}},
        {"freed_by_input_gradient",
         "a fraction from 0 to 1",
         "0",
         "The part of an activation that the input gradient frees. The weight gradient frees the "
         "rest.",
         {}}}};

}  // namespace pipewright::schedule
