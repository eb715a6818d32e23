// What closed forms (estimate/closed_form.hpp) need to know of a schedule: how many micro-batches
// are in flight where. A Kind says it in its own file.
#pragma once

#include <cstdint>
#include <string>

namespace pipewright::schedule {

/// p ranks, v chunks of the model on each, m micro-batches.
struct PipelineSizes {
  int64_t ranks = 1, chunks = 1, micro_batches = 1;
};

struct PlainPipeline {
  /// Forwards of rank 0 before its first backward.
  int64_t (*ahead)(const PipelineSizes& sizes) = nullptr;
  /// Micro-batches of which a rank holds the activations of one of its chunks at some moment.
  int64_t (*in_flight)(const PipelineSizes& sizes, int64_t rank, int64_t chunk) = nullptr;
  /// Of a rank where nobody says how many.
  int chunks = 1;
  /// Ranks end with gradients of weights, which the ranks before them do not wait for.
  bool ends_with_weights = false;
  /// Why the order does not serve the sizes, empty where it does; nullptr: it serves all.
  std::string (*misfit)(const PipelineSizes& sizes) = nullptr;
};

/// Those of 1F1B: min(m, p) and min(m, p - r).
int64_t one_f_one_b_ahead(const PipelineSizes& sizes);
int64_t one_f_one_b_in_flight(const PipelineSizes& sizes, int64_t rank, int64_t chunk);

}  // namespace pipewright::schedule
