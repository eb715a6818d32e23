// The runs of a sweep in their order, before any format: the best first, the Pareto front, and why
// the others gave no result.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/sweep_run.hpp"

namespace pipewright {

/// The runs of a study and what they are judged by.
struct SweepView {
  std::vector<std::string> paths;      ///< that points set
  std::vector<std::string> objective;  ///< the first one ranks
  /// Calls for every run in the order of the points.
  std::function<void(const std::function<void(const SweepRun&)>&)> for_each;
};

/// A run that gave a result, without the bulk of it.
struct SweepCandidate {
  std::vector<std::string> settings;
  std::string schedule;
  std::vector<std::optional<double>> objectives;  ///< of the study, in its order
  std::optional<double> devices, idle_devices, samples_per_s_per_device;
  std::optional<double> data;               ///< degree, given or derived
  std::optional<double> peak_memory_bytes;  ///< 0 where nothing is known of memory
  bool feasible = false, front = false;
  size_t run = 0;  ///< its place among all of the sweep
};

/// Returns a value of a run by the name of its objective; empty where the run has none.
std::optional<double> value_of(const SweepRun& run, std::string_view objective);

/// A reason why runs gave no result: one of them, and how many do so alike.
struct SweepRefusal {
  std::string example;
  int count = 0;
  bool same = true;  ///< they all say just that
};

struct SweepRanking {
  std::vector<SweepCandidate> candidates;       ///< the best first
  std::map<std::string, SweepRefusal> reasons;  ///< by what they say but for their numbers
  size_t refused = 0, runs = 0;
};

/// The ranking puts those that fit in memory first, then goes by the first objective, the second,
/// and so on, else as they come. The front is that of the runs that fit.
SweepRanking ranked(const SweepView& view);

}  // namespace pipewright
