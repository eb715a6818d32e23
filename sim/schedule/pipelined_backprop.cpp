// Fine-grained pipelined backpropagation (Kosson et al., arXiv 2003.11666): asynchronous 1F1B with
// neither stash nor flush, a step after every micro-batch (one sample, one layer a stage).
//
// F reads the newest weights, B the newest when it runs; how many steps lie between them on stage s
// depends on the clock (option):
//   alternating (default): 1F1B, F and B in turn: D = p-1-s steps, p-s in flight;
//   lockstep: the paper's, where every stage does one F and one B a step of time, so that a sample
//     comes back after twice the stages that follow: D = 2(p-1-s), 2(p-s)-1 in flight.
// Steady period per micro-batch tF + tB without latency. One weight version.
// Option weight_prediction: F looks D steps ahead along the velocity (the paper's LWP). Spike
// compensation is the optimizer's affair and changes neither order nor versions.
#include "schedule/asynchronous.hpp"
#include "schedule/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_pipelined_backprop(const Shape& shape, const config::Value& options) {
  const config::Fields fields(options, "pipelined-backprop",
                              {"name", "clock", "weight_prediction"});
  const config::Value* clock = fields.find("clock");
  const bool lockstep = clock && config::as_choice(*clock, {"alternating", "lockstep"}) == 1;
  const bool predict = fields.boolean("weight_prediction", false);
  const auto delay = [&](int s) { return (lockstep ? 2 : 1) * (shape.ranks - 1 - s); };
  Schedule schedule = endless_one_f_one_b(shape, 1, delay);
  read_newest(schedule, BackwardReads::newest);
  for (int s = 0; predict && s < shape.ranks; ++s)
    schedule.look_ahead.push_back({.forward = delay(s)});
  return schedule;
}

}  // namespace

const Kind kind::pipelined_backprop{"pipelined-backprop",
                                    {},
                                    "asynchronous 1F1B without stash: each pass reads the newest "
                                    "weights",
                                    build_pipelined_backprop};

}  // namespace pipewright::schedule
