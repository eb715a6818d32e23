// Which iteration each slice of a trace of our own is of.
//
// Ranks end their iterations where their updates end. Where every rank does the same micro-batches
// between two updates, an iteration is a step. Where they run into each other, as without a flush,
// all of them are one step: each has as many micro-batches as the others, one after another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "diagnose/run_passes.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class RunIterations {
 public:
  /// `passes`: of every rank, in order of their starts.
  RunIterations(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes);

  /// The step of what a rank begins at a time.
  int32_t step_at(size_t rank, Time start) const;
  /// The step of an update or of what data ranks do. What follows the last pass of a rank is of the
  /// step of that pass.
  int32_t step_of(const RunSlice& slice) const;
  /// The iteration of a pass or a message within its step; 0 where steps are iterations.
  int32_t iteration_of(int32_t micro_batch) const;
  /// The same of an update or of what data ranks do: the last one has what is numbered on.
  int32_t iteration_of(const RunSlice& slice) const;
  /// The numbers of iterations that run into each other; empty where steps are iterations.
  const std::vector<int32_t>& numbers() const { return numbers_; }
  /// What is to be said of iterations that run into each other; empty where none do.
  std::string note() const;

 private:
  void find_updates(const RunTrace& trace);
  bool flush(const std::vector<std::vector<PassSpan>>& passes) const;
  void number(const std::vector<std::vector<PassSpan>>& passes);

  std::vector<std::vector<Time>> updates_;   ///< by rank, their ends
  std::vector<Time> last_pass_;              ///< by rank, its start
  std::map<int32_t, int32_t> iteration_of_;  ///< by micro-batch
  std::vector<int32_t> numbers_;
  bool flushes_ = true;
  /// Whether what data ranks do within passes is numbered by micro-batches (ZeRO 2 and 3).
  bool by_micro_batch_ = false;
};

}  // namespace pipewright::diagnose
