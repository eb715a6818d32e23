// The collectives of data ranks in a trace of our own, as far as passes do not hide them.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "interop/operation_table.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class RunCollectives {
 public:
  /// What members of a collective share.
  struct Name {
    OperationKind kind = OperationKind::grads_reduce_scatter;
    int32_t group = -1;  ///< see TracedOperation
    int32_t number = 0;  ///< of its step or iteration
  };
  /// One rank's side of a collective.
  struct Shown {
    const RunSlice* slice = nullptr;
    OperationKind kind = OperationKind::grads_reduce_scatter;
    int32_t group = -1, sequence = -1;  ///< see TracedOperation
  };

  /// `slice` must outlive this. `passes`: when those of its rank begin and end in its step.
  void add(const RunSlice& slice, const Name& name, const std::pair<Time, Time>& passes);

  /// Those that a member hides behind its passes cost nobody anything: who waits in them waits for
  /// these passes. The last ones are left, as many on each member. Sequences are those of starts:
  /// where passes hide their beginnings they seem to begin at once, and all members go through them
  /// in one order.
  std::vector<Shown> shown();

 private:
  std::map<Time, int32_t> order() const;

  /// By kind, group, stage, step or iteration and whether they come before all passes, then by
  /// rank: those that passes of the rank do not hide.
  std::map<std::tuple<OperationKind, int32_t, int32_t, int32_t, bool>,
           std::map<size_t, std::vector<const RunSlice*>>>
      all_;
};

}  // namespace pipewright::diagnose
