// ZB-H1 (arXiv 2401.10241, section 2.2.1): 1F1B with the weight gradients moved into its bubbles.
//
// Stage i: p-1-i forwards, then F(next), I(k), and W(k-i) once k >= i; at last the i W's left.
// Every rank holds min(m, p) micro-batches from F to W, min(m, p-i) from F to I. One weight
// version. For tW <= min(tF, tI), m >= p and no hop latency:
//   makespan = max span = m(tF + tI + tW) + (p-1)(tF + tI - tW).
// Outside of that range there is no closed form. Any m is legal.
#include "schedule/kinds/registry.hpp"
#include "schedule/zero_bubble.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_zb_h1(const Shape& shape, const config::Value& options) {
  fields_of(kind::zb_h1, options);  // it has none
  Schedule schedule = make(shape, shape.ranks);
  for (int i = 0; i < shape.ranks; ++i) {
    append_zero_bubble(schedule.order[i], i, shape.ranks - 1 - i, shape.micro_batches,
                       [i](int k) { return k >= i; });
  }
  repeat_iterations(schedule);
  return schedule;
}

constexpr PlainPipeline plain_zb_h1{
    .ahead = one_f_one_b_ahead, .in_flight = one_f_one_b_in_flight, .ends_with_weights = true};

}  // namespace

const Kind kind::zb_h1{.name = "zb-h1",
                       .aliases = {},
                       .summary = "zero bubble with 1F1B's memory: W fills a third of the bubble",
                       .build = build_zb_h1,
                       .plain = &plain_zb_h1};

}  // namespace pipewright::schedule
