// Fine-grained pipelined backpropagation (Kosson et al., arXiv 2003.11666): asynchronous 1F1B with
// neither stash nor flush, a step after every micro-batch (one sample, one layer a stage).
//
// F reads the newest weights, B the newest when it runs; how many steps lie between them on stage s
// depends on the clock (option):
//   alternating (default): 1F1B, F and B in turn: D = p-1-s steps, p-s in flight;
//   lockstep: the paper's, where every stage does one F and one B a step of time, so that a sample
//     comes back after twice the stages that follow: D = 2(p-1-s), 2(p-s)-1 in flight.
// Steady period per micro-batch tF + tB without latency. One weight version.
// Options against what stale weights spoil (the paper's sections on its two mitigations), neither
// of which changes order, versions or times:
//   weight_prediction: F reads W_t - lr D v_t (velocity, or true: LWPv) or W_t + D (W_t - W_{t-1})
//     (difference: LWPw); they differ only with
//   spike_compensation: v = m v + g as ever, W -= lr (m^D v + (1 - m^D) / (1 - m) g): of a gradient
//     that comes D steps late the steps that it missed are made at once.
// The former weights that LWPw reads are held as a copy beside that version.
#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"
#include "schedule/mitigations.hpp"

namespace pipewright::schedule {
namespace {

enum class Prediction : uint8_t { no, velocity, difference };

struct Options {
  bool lockstep = false, compensate = false;
  Prediction prediction = Prediction::no;

  int delay(int stage, int ranks) const { return (lockstep ? 2 : 1) * (ranks - 1 - stage); }
};

Options read_options(const config::Value& spec) {
  const config::Fields fields = fields_of(kind::pipelined_backprop, spec);
  Options options;
  options.compensate = fields.boolean("spike_compensation", false);
  options.lockstep = choice_of(kind::pipelined_backprop, fields, "clock") == 1;
  constexpr Prediction forms[] = {Prediction::no, Prediction::velocity, Prediction::velocity,
                                  Prediction::difference};
  options.prediction = forms[choice_of(kind::pipelined_backprop, fields, "weight_prediction")];
  return options;
}

Schedule build_pipelined_backprop(const Shape& shape, const config::Value& spec) {
  const Options options = read_options(spec);
  const auto delay = [&](int s) { return options.delay(s, shape.ranks); };
  Schedule schedule = endless_one_f_one_b(shape, 1, delay);
  read_newest(schedule, BackwardReads::newest);
  for (int s = 0; options.prediction != Prediction::no && s < shape.ranks; ++s)
    schedule.look_ahead.push_back(
        {.forward = delay(s), .by_difference = options.prediction == Prediction::difference});
  return schedule;
}

}  // namespace

Mitigations mitigations_of(const config::Value& spec, int ranks) {
  const config::Value* name = spec.is_map() ? spec.find("name") : nullptr;
  if (!name || find_kind(name->text) != &kind::pipelined_backprop) return {};
  const Options options = read_options(spec);
  Mitigations mitigations{options.prediction == Prediction::difference, {}};
  for (int s = 0; options.compensate && s < ranks; ++s)
    mitigations.spike_delays.push_back(options.delay(s, ranks));
  return mitigations;
}

const Kind kind::pipelined_backprop{
    .name = "pipelined-backprop",
    .aliases = {},
    .summary =
        "asynchronous 1F1B without stash: each pass reads the newest "
        "weights",
    .build = build_pipelined_backprop,
    .options = {
        {"clock",
         "",
         "",
         "Stages run forward and backward in turn, or each one of both in every step of time.",
         {"alternating", "lockstep"}},
        {"weight_prediction",
         "",
         "",
         "Forwards read weights predicted from the velocity (true is the same) or from the last "
         "difference.",
         {"false", "true", "velocity", "difference"}},
        {"spike_compensation",
         "true or false",
         "false",
         "An update makes up for the steps that a late gradient missed.",
         {}}}};

}  // namespace pipewright::schedule
