// Proposals of planners, and what became of them when they were simulated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// A plan that no other beats in both, as its planner estimates it.
struct TimeAndMemory {
  std::string plan;
  double time_s = 0, memory_bytes = 0;
  bool expressible = true;  ///< as an experiment
};

/// An experiment that a planner would run, with what simulating it gave.
struct Proposal {
  std::string planner;
  std::string plan;          ///< on one line: "tensor 8, pipeline 12, data 8, micro 1, 1f1b"
  config::Value experiment;  ///< complete: simulating it gives these very numbers
  std::optional<double> estimate_s;  ///< the planner's own, of an iteration
  std::optional<double> iteration_time_s;
  double peak_memory_bytes = 0;
  bool feasible = false;   ///< fits in memory
  bool satisfies = false;  ///< fits and is within all limits
  /// The schedule keeps gradients and weights of one step together.
  bool synchronous = true;
  double memory_share = 0;  ///< of a device, at the peak; 0 where its capacity is not known
  int nodes = 0;
  std::optional<double> time_to_train_s, cost_usd;
  double search_s = 0;                  ///< what the planner took
  std::string reason;                   ///< why there is no time or it does not satisfy
  std::string note;                     ///< what the planner found that its plan does not show
  std::vector<TimeAndMemory> frontier;  ///< where that is what the planner looks for
  /// The plans on a frontier of closed forms that an experiment can express, as simulated.
  std::vector<TimeAndMemory> simulated_frontier;
};

/// All that was proposed; `best` indexes the best that satisfies what was asked.
struct PlanResult {
  std::vector<Proposal> proposals;
  std::optional<size_t> best;
  std::string minimize;
};

}  // namespace pipewright
