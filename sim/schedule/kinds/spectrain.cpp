// SpecTrain (arXiv 1809.02839): PipeDream's order with predicted instead of stashed weights.
//
// A pass of stage k reads W - lr s dW, where W is the newest version when it runs, dW the
// optimizer's momentum, and s, for p stages:
//   F: s = floor(k/2) + p-1-k;  B: s = floor(k/2).
// In steady state p-1-k steps lie between F and B, so both predict the same version. No stash: one
// version. Predicted weights do not count as newer: the staleness is that of W.
// Options: backward: predict (default, as above) or reuse (F with s = p-1-k, and B reuses the
// weights that F predicted, which are then held for all p-k micro-batches in flight);
// prediction_offset: added to F's s (default 0; 1 is what the authors' code does).
#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_spectrain(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::spectrain, options);
  const bool reuse = choice_of(kind::spectrain, fields, "backward") == 1;
  const int offset = static_cast<int>(fields.integer("prediction_offset", 0, 0, 1 << 20));
  Schedule schedule = endless_one_f_one_b(shape, 1);
  read_newest(schedule, reuse ? BackwardReads::stashed : BackwardReads::newest);
  for (int k = 0; k < shape.ranks; ++k) {
    const int gap = shape.ranks - 1 - k + offset;
    schedule.look_ahead.push_back(reuse ? LookAhead{gap, gap, true}
                                        : LookAhead{k / 2 + gap, k / 2});
  }
  return schedule;
}

}  // namespace

const Kind kind::spectrain{
    .name = "spectrain",
    .aliases = {},
    .summary = "asynchronous 1F1B with weights predicted from the momentum",
    .build = build_spectrain,
    .options = {
        {"backward",
         "",
         "",
         "A backward pass predicts its weights, or reuses those that its forward pass predicted.",
         {"predict", "reuse"}},
        {"prediction_offset",
         "a whole number of optimizer steps",
         "0",
         "Added to the steps that a forward pass predicts ahead.",
         {}}}};

}  // namespace pipewright::schedule
