// The greedy zero-bubble search over random costs: what it says of its order is true.
#include <gtest/gtest.h>
// rapidcheck names gtest without including it.
#include <rapidcheck/gtest.h>

#include "longest_path.hpp"
#include "schedule/greedy_zero_bubble.hpp"

namespace pipewright::schedule {
namespace {

std::vector<Time> random_times(int count) {
  std::vector<Time> times;
  for (int i = 0; i < count; ++i) times.push_back({*rc::gen::inRange<int64_t>(0, 50)});
  return times;
}

RC_GTEST_PROP(GreedyZeroBubble, its_order_is_valid_and_takes_the_span_it_says, ()) {
  const int p = *rc::gen::inRange(1, 7), m = *rc::gen::inRange(1, 15);
  const StageCosts costs{.forward = random_times(p),
                         .input_gradient = random_times(p),
                         .weight_gradient = random_times(p),
                         .hop = {*rc::gen::inRange<int64_t>(0, 30)}};
  const int limit = *rc::gen::inRange(1, 2 * p + 1);
  const Choices choices{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                        *rc::gen::arbitrary<bool>()};
  const SearchedOrder found =
      greedy_zero_bubble(costs, m, {.limit = double(limit), .freed_by_input_gradient = 0}, choices);
  Schedule s = make({.ranks = p, .micro_batches = m}, p);
  s.order = found.order;
  validate(s, {});
  const auto run = test::evaluate(s, {.forward = costs.forward,
                                      .input_gradient = costs.input_gradient,
                                      .weight_gradient = costs.weight_gradient,
                                      .hop = costs.hop});
  RC_ASSERT(double(test::max_span(run).ps) == found.max_span);
  for (int held : test::peak_in_flight_to_weight_gradient(s)) RC_ASSERT(held <= limit);
}

}  // namespace
}  // namespace pipewright::schedule
