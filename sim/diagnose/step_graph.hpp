// What every operation of a step comes after, and which operations communicate together.
//
//   passes, optimizer, pauses   one after another on their rank
//   a receive                   after the pass of its direction before its own, where its host
//                               posts it; before the first, after the second but last pass
//                               if it is awaited, after what its rank computed before
//   a send                      after its pass; both after the transfer of their kind with the same
//                               neighbour before them, if that had ended
//                               if it is awaited, what its rank computes next comes after it
//   a message that stops ranks  on both sides after what the rank computed before, and before what
//                               it computes next
//   a pass                      after its receive, or the message to it where only that was seen;
//                               after the gathering of its chunk's parameters
//   what ends a step            after the last pass of the rank, one after another; where gradients
//                               are reduced beside backward passes, each reduction after the last
//                               backward of its chunk and the one before it
//
// Groups end when their last member has come and the bytes have moved: a send and its receive, one
// data collective of a stage's data ranks or of a group of them, the embeddings of first and last
// stage, the gradient norm of all ranks. The order is that of Megatron-LM's training loop.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/measured_job.hpp"
#include "diagnose/transfers.hpp"

namespace pipewright::diagnose {

struct StepGraph {
  std::vector<std::vector<size_t>> after;  ///< by place in the step, places
  std::vector<size_t> group;               ///< by place; `nothing` for what communicates alone
  size_t groups = 0;
  size_t unmatched = 0;  ///< see Transfers
};

/// Whether it ends when the others of its group do: a communication of one kernel.
inline bool ends_with_others(const TracedOperation& one) {
  return communicates(one.kind) && !one.batched;
}

StepGraph graph_of(const MeasuredJob& job, size_t step);

}  // namespace pipewright::diagnose
