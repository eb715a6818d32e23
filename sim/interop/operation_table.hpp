// Tables of the operations that a profiler of a training job saw, one a line:
//   dp_rank,stage,step,op,model_chunk,microbatch,sequence,start_s,duration_s
// `sequence` counts the operations of one name on one rank within a step, in the order in which
// they started; -1 stands where a number means nothing. Names and columns are those of the traces
// that accompany "Understanding Stragglers in Large Model Training Using What-if Analysis" (Lin et
// al., OSDI 2025).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

enum class OperationKind : uint8_t {
  forward,
  backward,
  forward_send,
  forward_recv,
  backward_send,
  backward_recv,
  params_all_gather,
  grads_reduce_scatter,
  layernorm_grads_all_reduce,
  embedding_grads_all_reduce,
  separate_grads_all_reduce,
  clip,
  optimizer,
  gc,
  weight_gradient,  ///< the half of a backward that no message waits for, where it is apart
};
inline constexpr int operation_kinds = 15;

/// "forward-compute", ...: the name in the column `op`.
std::string_view name_of(OperationKind kind);

struct TracedOperation {
  int32_t dp_rank = 0, stage = 0, step = 0;
  OperationKind kind = OperationKind::forward;
  int32_t chunk = -1, micro_batch = -1, sequence = -1;
  Time start, duration;  ///< on the clock of the trace
  Time imbalance{};      ///< what of it waits for experts that have more to do; no column
  // Of a pass within which ranks communicate; no columns.
  Time own{};  ///< what it computes by itself; 0: all of it
  /// What it exchanges with tensor, context and expert ranks and nothing hides.
  std::array<Time, 3> exchanges{};
  /// So many data ranks that follow one another go through it together; 0: each by itself.
  int32_t together = 0;
  Time waits{};                ///< what of it its rank waits for them
  int32_t windows = -1;        ///< place of its parts in JobTrace::windows; -1: none; no column
  uint8_t lane = 0;            ///< of the device: ops of one lane run one after another; no column
  bool overlaps_next = false;  ///< with the next of its lane: both end together; no column
  int64_t bytes = 0;           ///< of a message, where the trace has them; no column
  bool holds = false;     ///< a message: whether its rank computes nothing meanwhile; no column
  int32_t iteration = 0;  ///< of a step whose iterations run into each other; no column
  bool batched = false;   ///< a message: whether its kernel moves others, too; no column
  /// A send: whether what its rank computes next waits for it. A receive: whether it waits for
  /// what its rank computed before. No column.
  bool awaited = false;
  /// A message: whether its rank computes nothing while it waits for its other side and while it
  /// lasts, though other messages may be under way. No column.
  bool stops = false;
  /// A collective: which of the groups of data ranks of its stage takes part; -1: all of them. No
  /// column.
  int32_t group = -1;
  /// A collective, or a pass that waits for some: the part of its time that the bytes of these take
  /// on other tensor ranks; 1 where these take as long or nobody knows. No column.
  double elsewhere = 1;
  /// A sum that sticks out behind passes: the part of what these hide of such sums that they hide
  /// on other tensor ranks. No column.
  double hidden_elsewhere = 1;
  // What the kernels of its rank tell besides; no columns.
  Time ahead{};        ///< how long before its start its host asked for it
  Time held{};         ///< of its duration, in which the device waits for its host
  Time since_begin{};  ///< from the begin of its rank's step to its start

  Time end() const { return start + duration; }
};

/// Reads a table, plain or packed by gzip, line by line. Throws InputError for what is no such
/// table, with the place of what is wrong.
std::vector<TracedOperation> read_operation_table(const std::string& file);

}  // namespace pipewright
