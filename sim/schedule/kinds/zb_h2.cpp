// ZB-H2 (arXiv 2401.10241, section 2.2.2): twice the warm-up of ZB-H1, no bubble between a rank's
// first and last pass when tF = tI = tW.
//
// Stage i: 2(p-1-i) forwards, then F(next), I(k), and W(k-2i) once k >= 2i; at last the W's left.
// Every rank holds 2p-1 micro-batches from F to W. One weight version. For tW <= min(tF, tI),
// m >= 2p-1 and no hop latency, with work = m(tF + tI + tW):
//   max span - work = (p-1) max(0, tF + tI - 2tW)
//   makespan - work = (p-1) max(tF, tF + tI - 2tW).
// Ranks start and end at different times: the zero bubble needs an optimizer step that no rank
// waits for. Any m is legal; below 2p-1 neither form holds.
//
// Option weight_gradients: lagged (as above) or after-forwards (the other hand order in
// circulation: no W before the rank's last F, so memory to W grows with m).
#include "schedule/kinds/registry.hpp"
#include "schedule/zero_bubble.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_zb_h2(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::zb_h2, options);
  const bool after_forwards = choice_of(kind::zb_h2, fields, "weight_gradients") == 1;
  Schedule schedule = make(shape, shape.ranks);
  const int m = shape.micro_batches;
  for (int i = 0; i < shape.ranks; ++i) {
    const int warm_up = 2 * (shape.ranks - 1 - i);
    append_zero_bubble(schedule.order[i], i, warm_up, m,
                       [&](int k) { return after_forwards ? warm_up + k >= m - 1 : k >= 2 * i; });
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::zb_h2{.name = "zb-h2",
                       .aliases = {},
                       .summary = "zero bubble with twice 1F1B's memory",
                       .build = build_zb_h2,
                       .options = {{"weight_gradients",
                                    "",
                                    "",
                                    "Weight gradients follow their input gradients with a lag, or "
                                    "come after the last forward of the rank.",
                                    {"lagged", "after-forwards"}}}};

}  // namespace pipewright::schedule
