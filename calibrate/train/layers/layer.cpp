#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

std::vector<Array>& Stash::of(const Batch& batch) {
  if (kept.empty()) kept.resize(static_cast<size_t>(batch.slices));
  return kept[static_cast<size_t>(batch.slice)];
}

void Stash::release(const Batch& batch) {
  of(batch).clear();
  for (Stash& part : parts) part.release(batch);
}

}  // namespace pipewright::train
