// Training on one device, one micro-batch after the other: what a schedule's numbers are held
// against.
#pragma once

#include "calibrate/train/reference/training.hpp"

namespace pipewright::train {

/// Step t applies to the newest weights the gradient of its micro-batches, each worked out with the
/// weights that `reads` says: all of version t for synchronous training. Micro-batches are whole,
/// whatever slices `training` has. Throws Failure when a pass reads weights that do not exist yet.
Trained train_reference(const StagedModel& model, const Training& training, const PassReads& reads,
                        Kernels& kernels, const std::function<void()>& after_each = {});

/// The largest over stages of |a - b| / |b|, Euclidean norms over all weights of the stage.
double relative_difference(const Trained& a, const Trained& b);

}  // namespace pipewright::train
