// The traces that 'simulate --trace' and 'replay --trace' write (report/trace), read again.
//
// A trace may hold several runs, of which one is wanted: the only one, or the one that was
// measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/packed_input.hpp"
#include "base/units.hpp"

namespace pipewright {

enum class RunSliceKind : uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  pair,         ///< a forward and a backward that overlap, in either order
  update,       ///< an optimizer step
  message,      ///< the output of a pass, to the rank that takes it
  data_sum,     ///< gradients, over data ranks
  data_gather,  ///< weights, over data ranks
  // What ranks of these groups do together, within passes.
  tensor_group,
  context_group,
  expert_group
};

/// What stands on one track of a rank from `start` to `end`.
struct RunSlice {
  RunSliceKind kind = RunSliceKind::forward;
  bool back = false;  ///< a message: whether a backward pass made it
  uint32_t rank = 0;  ///< place in RunTrace::ranks
  int64_t track = 0;  ///< slices of one track do not overlap
  int32_t stage = 0;  ///< of the model
  int32_t micro_batch = 0, slice = 0;
  int32_t to_rank = -1;   ///< of a message; a message that holds its ranks stands on both
  int64_t bytes = 0;      ///< of a message, or that a collective is of
  int32_t devices = 0;    ///< in the group of a collective
  bool scatters = false;  ///< a sum: whether each rank gets a part of it
  int32_t step = 0;       ///< of an update and of what data ranks do
  int32_t second_stage = 0, second_micro_batch = 0, second_slice = 0;  ///< of a pair
  bool first_goes_back = false;                                        ///< of a pair
  Time start, end;
};

struct RunTraceRank {
  int32_t pipeline = 0, tensor = 0, data = 0;
  int32_t number = -1;  ///< by which messages name it; -1: its place in the trace
  int32_t device = -1;  ///< -1: the trace does not say
  int32_t devices = 1;  ///< that do the same, itself included
};

struct RunTrace {
  std::string name;  ///< of the run, where the trace has several
  std::vector<RunTraceRank> ranks;
  std::vector<RunSlice> slices;
  bool repeats = false;  ///< whether periods stand for more than is shown

  int32_t number_of(size_t rank) const {
    return ranks[rank].number < 0 ? static_cast<int32_t>(rank) : ranks[rank].number;
  }
};

/// Tells by the head of a file whether it is such a trace.
bool is_run_trace(const std::string& file);

/// Throws InputError for what is broken, for a trace of no pipeline (flows, GOAL), and where
/// several runs could be meant.
RunTrace read_run_trace(PackedInput input);
inline RunTrace read_run_trace(const std::string& file) {
  return read_run_trace(PackedInput(file));
}

}  // namespace pipewright
