// Proposals of planners, and what became of them when they were simulated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "result/time_range.hpp"

namespace pipewright {

/// A plan that no other beats in both.
struct TimeAndMemory {
  std::string plan;
  double time_s = 0, memory_bytes = 0;
  bool expressible = true;           ///< as an experiment
  std::optional<double> estimate_s;  ///< of one that was simulated, its planner's
};

/// What a planner itself says of its plan.
struct PlannerFindings {
  std::optional<double> estimate_s;     ///< of an iteration
  double search_s = 0;                  ///< what the planner took
  std::string note;                     ///< what it found that its plan does not show
  std::vector<TimeAndMemory> frontier;  ///< as it estimates it, where it looks for one
  /// The plans on a frontier of closed forms that an experiment can express, as simulated.
  std::vector<TimeAndMemory> simulated_frontier;
};

/// A plan that is as fast as the one that is proposed and leaves less memory.
struct PassedOver {
  std::string plan;
  double iteration_time_s = 0, peak_memory_bytes = 0;
};

/// An experiment that a planner would run, with what simulating it gave.
struct Proposal {
  std::string planner;
  std::string plan;  ///< on one line: "tensor 8, pipeline 12, data 8, micro 1, 1f1b"
  PlannerFindings findings;
  config::Document experiment;             ///< complete: simulating it gives these very numbers
  std::optional<double> iteration_time_s;  ///< that it is judged by
  int seeds = 0;                           ///< draws whose median it is; 0: nothing is drawn
  std::optional<TimeRange> range;          ///< of the real iteration; where it has a time
  double peak_memory_bytes = 0;
  bool feasible = false;   ///< fits in memory
  bool satisfies = false;  ///< fits and is within all limits
  /// The schedule keeps gradients and weights of one step together.
  bool synchronous = true;
  double memory_share = 0;     ///< of a device, at the peak; 0 where its capacity is not known
  int nodes = 0, devices = 0;  ///< that it uses
  std::optional<double> time_to_train_s, cost_usd;
  std::string reason;  ///< why there is no time or it does not satisfy
  /// The fastest, where this is another that measuring would hardly tell apart from it.
  std::optional<PassedOver> passed_over;
  std::vector<Proposal> runners_up;  ///< of the same planner, the best first; as many as asked
};

/// All that was proposed; `best` indexes the best that satisfies what was asked.
struct PlanResult {
  std::vector<Proposal> proposals;
  std::optional<size_t> best;
  std::vector<Proposal> top;  ///< the best of all planners, the best first; as many as asked
  int devices = 0;            ///< of the cluster
  /// Above 0: clusters of 1 to so many nodes were tried for the least cost.
  int most_nodes = 0;
  std::vector<std::string> pinned;  ///< keys that all proposals keep
  std::vector<std::string> habits;  ///< "parallel.zero=3": kept as what is written for has it
  std::string minimize;
};

}  // namespace pipewright
