#include "study/prepare.hpp"
#include "workload/model.hpp"

namespace pipewright {

UnequalBatches unequal_batches(const Experiment& e, const Model& model,
                               const schedule::Schedule& schedule, int64_t sequence,
                               uint64_t seed) {
  const DocumentLengths& lengths = *e.batch.lengths;
  if (!model.has_tokens() || schedule.slices > 1 || model.transformer.decoder > 0)
    e.at("batch").misfit("batch.lengths needs whole sequences of one kind of tokens");
  if (!e.meshes.stages.empty())
    e.at("batch").misfit(
        "batch.lengths needs stages that are alike: those of 'strategy' split a micro-batch each "
        "in its own way");
  UnequalBatches batches{.packed = lengths.packed, .shares = {}};
  for (int data = 0; data < e.parallel.data; ++data)
    batches.shares.push_back(
        draw_shares(lengths, sequence, e.batch.micro, schedule.total_micro_batches(), seed, data));
  return batches;
}

}  // namespace pipewright
