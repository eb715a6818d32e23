// The steps of a trace as one program, whose ops last as long as they did.
//
// An operation is two ops: the gap, in which everything that it comes after has ended but its host
// has not started it, and its body. Members of a group meet between the two, so that the body of a
// communication is what its bytes take: from the start of the last member to its own end.
#pragma once

#include <vector>

#include "diagnose/measured_job.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"
#include "result/accounts/compute_shares.hpp"

namespace pipewright::diagnose {

struct MeasuredProgram {
  Program program;
  std::vector<Time> lengths;    ///< by op, as measured
  Timeline measured;            ///< every step from its own beginning
  std::vector<Time> late;       ///< by op: of a gap, what its host takes; empty: not known
  std::vector<OpId> gap, body;  ///< by operation of `steps`, in the order of the job
  std::vector<OpId> begins;     ///< the gaps that nothing of their own iteration comes before
  std::vector<size_t> step;     ///< by op, its place in `steps`; the iteration where they run on
  std::vector<size_t> steps;    ///< places in MeasuredJob::steps
  size_t run_on = 0;            ///< how many iterations of the one step run into each other
  size_t unmatched = 0;         ///< transfers without a pass
  /// By op, whether ranks that the trace lacks communicate in it, too; empty: the trace lacks none.
  std::vector<bool> unseen;

  /// How long such an op takes is no evidence of links: the missing ranks may be late.
  bool is_unseen(OpId op) const { return !unseen.empty() && unseen[op]; }
};

/// Makes one program of the given steps, which do not wait for each other.
MeasuredProgram program_of(const MeasuredJob& job, const std::vector<size_t>& steps);

/// Gaps and pauses are of the host, all else by its pass.
class MeasuredShares final : public ComputeShares {
 public:
  ComputeShare of(const Program& program, OpId op) const override;
};

}  // namespace pipewright::diagnose
