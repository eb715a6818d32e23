// What might be wrong with a job, each with the lengths that operations would have without it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "diagnose/rank_names.hpp"
#include "diagnose/what_if.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// A cause that costs a smaller part of a step is not named.
constexpr double smallest_cause = 2e-3;
/// Of so many the median without one of them is that of all.
constexpr size_t many = 64;

/// New lengths of some ops.
using Lengths = std::vector<std::pair<OpId, Time>>;

/// What of an operation is cured. Candidates of one aspect are other names for the same thing.
enum class Aspect : uint8_t {
  device,
  clock,
  stage,
  sequence,
  message,
  exchange,  ///< of tensor or context ranks within a pass
  tokens,    ///< what goes to experts and back within a pass
  host,
  experts
};

struct Candidate {
  CauseKind kind = CauseKind::worker;
  Aspect aspect = Aspect::device;
  std::string who;
  std::string remedy;
  RankPlaces ranks{};         ///< that a worker or a stage of slow devices is
  bool of_devices = false;    ///< see Cause
  bool beyond_peers = false;  ///< see Cause
  /// Passes in lockstep as if no other rank held them up.
  Lengths cure;
  /// All ops that are its, as the ideal has them: by them `share` is measured, as in the paper.
  /// Empty: by `cure`.
  Lengths as_ideal;
};

/// What falling clocks did to the passes of a trace.
struct FallingClocks {
  std::vector<double> level;  ///< by op: how many times as long as at the first clock; empty: 1
  std::vector<double> rise;   ///< by rank: the passes of the end over those of the beginning

  double of(OpId op) const { return level.empty() ? 1 : level[op]; }
};

/// The trace, what it would be at best, and where each operation stands.
struct Evidence {
  const MeasuredJob& job;
  const MeasuredProgram& trace;
  std::vector<Time> lengths;  ///< by op, without gaps
  std::vector<Time> ideal;    ///< by op
  FallingClocks clocks{};

  /// Kernels of one device are of no job. Of a job with one rank its tensor and context ranks may
  /// gather weights together all the same.
  bool of_job() const { return !job.operations.empty(); }
  /// One rank is held against itself alone.
  bool has_peers() const { return job.ranks() > 1; }
  /// The length of an op at the first clock, in seconds.
  double steady(OpId op) const { return in_seconds(lengths[op]) / clocks.of(op); }
  /// What a pass computes itself, without its wait for weights.
  Time own_length(const TracedOperation& one, OpId op) const {
    return one.own > Time{} ? std::min(one.own, lengths[op]) : lengths[op];
  }
  /// The same at the first clock, in seconds, even if it began before the others of its group.
  double own(const TracedOperation& one, OpId op) const {
    return in_seconds(one.own > Time{} ? one.own : lengths[op]) / clocks.of(op);
  }

  /// Calls visit(operation, body) for every operation of every step of the program.
  template <class Visit>
  void for_each(Visit visit) const {
    size_t next = 0;
    for (const size_t step : trace.steps)
      for (const TracedOperation& one : job.of_step(step)) visit(one, trace.body[next++]);
  }
};

/// Ranks whose passes take longer than those of the same stage elsewhere, and stages all of whose
/// ranks take longer than other stages. Medians are compared, so that single late passes count for
/// neither; the cure divides by how many times as long they take.
std::vector<Candidate> slow_places(const Evidence& evidence);

/// Micro-batches that take longer in all passes on all stages: their sequences are longer, or their
/// squares add up to more. The cure divides every pass by the factor of its micro-batch, the median
/// over its passes.
std::vector<Candidate> unequal_sequences(const Evidence& evidence);

/// Messages of one link or of one rank, or collectives of one stage, that take longer than the
/// median of their kind; and of each kind all together.
std::vector<Candidate> slow_communication(const Evidence& evidence);

/// Garbage collection, and single passes that took half as long again as the rank's others though
/// their micro-batch did not elsewhere: the host did not start their kernels in time.
std::vector<Candidate> pauses(const Evidence& evidence);

/// The factor of every micro-batch, by step, data rank and micro-batch.
using SequenceFactors = std::map<std::tuple<int32_t, int32_t, int32_t>, double>;
SequenceFactors sequence_factors(const Evidence& evidence);

/// Linear between order statistics; not empty.
double median_of(std::vector<double> values);

}  // namespace pipewright::diagnose
