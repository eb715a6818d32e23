#include "calibrate/train/reference/training.hpp"

#include <numeric>

namespace pipewright::train {

OptimizerOptions Training::optimizer_of(size_t stage) const {
  OptimizerOptions options = optimizer;
  if (!spike_delays.empty()) options.spike_delay = spike_delays[stage];
  return options;
}

Batch Training::batch(int micro_batch, Replica replica, int slice, bool with_tokens) const {
  const auto before = slice_tokens.begin() + slice;
  const int all = micro_sequences * replicas, own = all / replica.count;
  Batch batch{.sequences = own,
              .slice = slice,
              .slices = slices(),
              .first = std::accumulate(slice_tokens.begin(), before, 0),
              .tokens = *before,
              .total = task.sequence};
  batch.loss_scale = 1.0 / (double(step_every) * replicas * micro_sequences * task.sequence);
  if (with_tokens) task.fill(int64_t{micro_batch} * all + int64_t{replica.number} * own, batch);
  return batch;
}

}  // namespace pipewright::train
