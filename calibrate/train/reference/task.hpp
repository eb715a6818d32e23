// The tasks that live models learn: sequences in which every token nearly decides the next one, or
// to tell noisy samples of a few classes apart.
#pragma once

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

/// A token is followed by one fixed other token in nine cases of ten, else by any. Sequences are
/// made from the seed and their number alone; the best loss is that of the noise,
/// -0.9' ln 0.9' - ... with 0.9' = 0.9 + 0.1 / vocabulary.
///
/// A sample of features is its class's, evenly spread in [-1, 1) each, plus as much noise.
struct Task {
  int32_t vocabulary = 64;  ///< or classes
  int sequence = 64;        ///< tokens; 1 with features
  int64_t features = 0;     ///< of a sample; 0: it is a sequence
  uint64_t seed = 1;

  /// Fills in inputs and targets of `batch`, whose first sequence is `first_sequence`.
  void fill(int64_t first_sequence, Batch& batch) const;
  /// The loss of knowing the rule, in nats a token.
  double entropy() const;

 private:
  void fill_features(int64_t first_sample, Batch& batch) const;
};

}  // namespace pipewright::train
