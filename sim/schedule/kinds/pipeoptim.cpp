// PipeOptim (arXiv 2312.00839): PipeDream's order; forwards read weights predicted with the
// optimizer's own update, backwards the true ones.
//
// F of stage k reads W - lr s dW with s = p-1-k, the steps that lie between it and its B in steady
// state; dW is the update of the optimizer in use (momentum, or Adam's bias-corrected ratio). B
// reads the newest W, which is what F predicted. No stash: one version, and the predicted copy
// where s > 0 (plan/weight_prediction.hpp). Predicted weights do not count as newer: the staleness
// is that of W. Option prediction_offset: added to s (default 0, as the authors describe it; 1 is
// what their code does).
#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_pipeoptim(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::pipeoptim, options);
  const int offset = static_cast<int>(fields.integer("prediction_offset", 0, 0, 1 << 20));
  Schedule schedule = endless_one_f_one_b(shape, 1);
  read_newest(schedule, BackwardReads::newest);
  for (int k = 0; k < shape.ranks; ++k)
    schedule.look_ahead.push_back({.forward = shape.ranks - 1 - k + offset});
  return schedule;
}

}  // namespace

const Kind kind::pipeoptim{.name = "pipeoptim",
                           .aliases = {},
                           .summary = "asynchronous 1F1B with weights predicted by the optimizer",
                           .build = build_pipeoptim,
                           .options = {{"prediction_offset",
                                        "a whole number of optimizer steps",
                                        "0",
                                        "Added to the steps that a forward pass predicts ahead.",
                                        {}}}};

}  // namespace pipewright::schedule
