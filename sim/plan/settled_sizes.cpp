#include "plan/settled_sizes.hpp"

#include <fmt/format.h>

#include "experiment/stage_meshes.hpp"
#include "plan/degrees.hpp"

namespace pipewright {
namespace {

void settle_degrees(Experiment& e, int devices) {
  if (!e.meshes.empty()) return settle_meshes(e, devices);
  if (const Refusal refusal = settle_degrees(e.parallel, devices)) throw_misfit(refusal, e);
}

void settle_sequence(Experiment& e, const Model& model) {
  Batch& batch = e.batch;
  if (batch.sequence == 0) batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) batch.sequence = 0;
  if (batch.sequence == 0 && model.has_tokens())
    e.fail("", "batch.sequence is needed: the model does not say its sequence length");
}

}  // namespace

int settle_sizes(Experiment& e, const Model& model, int devices) {
  settle_degrees(e, devices);
  settle_sequence(e, model);
  int64_t count = 0;
  if (const Refusal refusal = settle_batch(e.batch, e.parallel, count)) throw_misfit(refusal, e);
  if (count > 1 << 20)
    e.fail("batch.global", fmt::format("more than a million micro-batches in an iteration: "
                                       "batch.global {} is {} of them",
                                       e.batch.global, count));
  return static_cast<int>(count);
}

}  // namespace pipewright
