// Documents of unequal length: micro-batches of unequal work.
//
// A sequence has s tokens. Packed, it is filled with documents of l_i tokens, the last cut off and
// continued in the next sequence; a query sees its own document only, so attention has
//   sum l_i^2 / s^2
// of the work of one document as long as the sequence, everything else as much as ever. Padded, it
// is one document, cut at s, and a micro-batch is as long as its longest, L: everything takes L / s
// of the work of a whole sequence, attention (L / s)^2. What passes send stays as large.
// Every data-parallel replica draws documents of its own, from a log-normal distribution of the
// given mean, whose logarithm spreads by `spread`, or evenly from the numbers in a file. Replicas
// wait for each other in their collectives only.
// Attention over whole squares (unfused) gains nothing from packing.
#pragma once

#include <cstdint>
#include <vector>

#include "experiment/experiment.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

struct Model;
struct Prepared;
struct Program;

/// The work of a micro-batch over that of one of whole sequences, each one document.
struct LengthShare {
  double tokens = 1, attention = 1;
  auto operator<=>(const LengthShare&) const = default;
};

/// Micro-batches of documents of unequal length.
struct UnequalBatches {
  bool packed = true;
  std::vector<std::vector<LengthShare>> shares;  ///< by data-parallel replica and micro-batch
};

/// Draws the shares of `count` micro-batches of `micro` sequences of `sequence` tokens on
/// data-parallel replica `data`; the same for the same seed.
std::vector<LengthShare> draw_shares(const DocumentLengths& lengths, int64_t sequence, int micro,
                                     int64_t count, uint64_t seed, int data);

/// Returns what `batch.lengths` makes of the micro-batches of `schedule`, whose sequences have
/// `sequence` tokens. Misfit where a model or a plan has no such documents.
UnequalBatches unequal_batches(const Experiment& experiment, const Model& model,
                               const schedule::Schedule& schedule, int64_t sequence, uint64_t seed);

/// Changes `durations` to what ops compute on their own micro-batches.
void apply_lengths(const Prepared& prepared, const Program& program, std::vector<Time>& durations);

}  // namespace pipewright
