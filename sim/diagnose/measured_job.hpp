// The operations of a job, put in order: by step, by rank, by time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "diagnose/job_trace.hpp"

namespace pipewright::diagnose {

/// What a trace on one clock shows at once; what hosts launch by themselves is further apart.
inline constexpr Time same_time = microseconds(1);

/// Whether it computes a pass: a forward or a backward.
inline bool is_pass(OperationKind kind) {
  return kind == OperationKind::forward || kind == OperationKind::backward;
}
/// Whether it computes a pass or a part of one.
inline bool computes(OperationKind kind) {
  return is_pass(kind) || kind == OperationKind::weight_gradient;
}
/// Whether it is one side of a message between stages.
inline bool is_transfer(OperationKind kind) {
  return kind >= OperationKind::forward_send && kind <= OperationKind::backward_recv;
}
/// Whether it communicates at all. The rest is compute and pauses.
inline bool communicates(OperationKind kind) {
  return is_transfer(kind) ||
         (kind >= OperationKind::params_all_gather && kind <= OperationKind::clip);
}

/// Tells whether an operation of the kind holds its device, which then does nothing else.
inline bool holds_device(OperationKind kind) {
  return computes(kind) || kind == OperationKind::optimizer || kind == OperationKind::gc;
}

/// All data ranks go through a pass together.
inline constexpr int32_t all_together = INT32_MAX;
/// The group of data ranks that go through a pass together, where any do.
inline int32_t lockstep_group(const TracedOperation& pass) { return pass.dp_rank / pass.together; }

/// Whether a message says of which pass it is.
inline bool names_pass(const TracedOperation& message) {
  return message.chunk >= 0 && message.micro_batch >= 0;
}

/// Rank r has data rank r / stages and stage r mod stages.
struct MeasuredJob {
  int data = 1, stages = 1, chunks = 1;
  std::vector<int32_t> steps;               ///< their numbers in the trace
  std::vector<TracedOperation> operations;  ///< by step, then rank, then start
  std::vector<size_t> offset;               ///< by step and rank
  Placement placement;
  int slices = 1;  ///< of a micro-batch
  /// See JobTrace; `joined`: steps of the trace that are one step now (joined_steps.hpp).
  std::vector<int32_t> run_on;
  bool joined = false;
  bool knows_hosts = false;  ///< see JobTrace
  bool one_clock = false;    ///< see JobTrace
  StepLengths step_lengths;
  bool lacks = false;  ///< see JobTrace
  /// The data ranks of the whole job, where the trace lacks some and says so; else `data`.
  int data_degree = 1;
  std::vector<SlowMember> slow_members;                    ///< see JobTrace
  std::map<std::pair<int32_t, int32_t>, RankFacts> facts;  ///< see JobTrace
  int expert_ranks = 1;                                    ///< see JobTrace
  bool folds = false;                                      ///< see JobTrace
  WithinPasses within;
  std::vector<std::vector<PassWindow>> windows;  ///< see JobTrace
  std::vector<std::string> notes;                ///< what was left out, and why

  int ranks() const { return data * stages; }
  RankFacts facts_of(int32_t data_rank, int32_t stage) const {
    const auto found = facts.find({data_rank, stage});
    return found == facts.end() ? RankFacts{} : found->second;
  }
  int rank_of(const TracedOperation& one) const { return one.dp_rank * stages + one.stage; }
  /// Iterations are steps, or the parts of the one step that run into each other.
  size_t iterations() const { return run_on.empty() ? steps.size() : run_on.size(); }
  int32_t iteration_number(size_t place) const {
    return run_on.empty() ? steps[place] : run_on[place];
  }
  /// Where an operation of steps[step] stands among the iterations.
  size_t iteration_of(size_t step, const TracedOperation& one) const {
    return run_on.empty() ? step : static_cast<size_t>(one.iteration);
  }
  size_t iteration_of(const TracedOperation& one) const;
  std::span<const TracedOperation> of_step(size_t step) const;
  std::span<const TracedOperation> of(size_t step, int rank) const;
  /// The stage of the model that a pass is of; -1 for a chunk that the placement does not have.
  int model_stage(const TracedOperation& pass) const {
    return model_stage(pass.stage, std::max(pass.chunk, 0));
  }
  int model_stage(int rank, int chunk) const;
  int model_stages() const;
  /// The rank of a pipeline that has this stage of the model; of two the one next to `near`.
  int holder_of(int model_stage, int near) const;
  /// Where the operations of a step begin.
  size_t first_of(size_t step) const { return offset[step * static_cast<size_t>(ranks())]; }
};

/// Orders `operations`. Steps that do not have the passes that most steps have are left out: the
/// profiler cut them off. Throws InputError at `file` where no pass is left or where there are too
/// few operations for the ranks that they name.
MeasuredJob measured_job(JobTrace trace, const std::string& file);
MeasuredJob measured_job(std::vector<TracedOperation> operations, const std::string& file);

/// Sorts the operations by step, rank and start, and finds where each step begins.
void put_in_order(MeasuredJob& job);

/// How long every iteration takes: a step from its begin to its end, one that runs into others from
/// the end of the one before it to its own.
std::vector<Time> iteration_times(const MeasuredJob& job);

/// Makes of the ends of iterations that run into each other how long each takes.
void to_times_between(std::vector<Time>& ends);

/// The passes of a rank in a step, in the order in which they ran, as places in of_step().
std::vector<size_t> passes_of(const MeasuredJob& job, size_t step, int rank);

/// The same with the halves of backwards that stand apart.
std::vector<size_t> compute_of(const MeasuredJob& job, size_t step, int rank);

/// The micro-batches of an iteration, each slice of one counted.
int micro_batches(const MeasuredJob& job);

}  // namespace pipewright::diagnose
