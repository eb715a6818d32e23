// Eager 1F1B (arXiv 2211.05322; DAPPLE's policy B, arXiv 2007.01045; BaPipe's 1F1B-SO,
// arXiv 2012.12544): 1F1B with twice the warm-up, so that a transfer has a whole F and B to hide
// behind.
//
// Stage i: min(2(p-1-i), m) forwards, then F and B in turn, then the last backwards. In flight
// min(m, 2(p-i)-1), one weight version. Uniform stages, hop latency c:
//   2c <= tF + tB:  T = (m + p - 1)(tF + tB) + 2 (p - 1) c;  a longer c is only partly hidden.
// Option split_backward: B runs as I, then W, and the gradient travels while W runs (the paper's
// delayed weight gradient). The order of micro-batches stays the same.
#include "schedule/kinds/registry.hpp"
#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {
namespace {

/// Every B as I, then W.
Order split(const Order& order) {
  Order result;
  for (const Action& a : order) {
    if (a.pass != Pass::backward) {
      result.push_back(a);
      continue;
    }
    result.push_back(input_gradient(a.stage, a.micro_batch));
    result.push_back(weight_gradient(a.stage, a.micro_batch));
  }
  return result;
}

Schedule build_eager(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::eager_one_f_one_b, options);
  const bool split_backward = fields.boolean("split_backward", false);
  Schedule schedule = make(shape, shape.ranks);
  for (int i = 0; i < shape.ranks; ++i) {
    Order& order = schedule.order[i];
    append_one_f_one_b(order, i, 2 * (shape.ranks - 1 - i), shape.micro_batches);
    if (split_backward) order = split(order);
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::eager_one_f_one_b{
    .name = "eager-1f1b",
    .aliases = {"1f1b-so"},
    .summary = "1F1B with twice the warm-up, to hide transfers",
    .build = build_eager,
    .options = {{"split_backward",
                 "true or false",
                 "false",
                 "Each backward pass runs as input gradient, then weight gradient.",
                 {}}}};

}  // namespace pipewright::schedule
