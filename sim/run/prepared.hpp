// Everything that lowering, pricing and results need of an experiment. Made by prepare() and
// changed by nobody afterwards.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/price.hpp"
#include "experiment/experiment.hpp"
#include "plan/model_work.hpp"
#include "program/lower.hpp"
#include "run/unequal_batches.hpp"
#include "schedule/versions.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// The ranks that are simulated for all of those that see the same times.
struct Folding {
  bool tensor = false;  ///< tensor rank 0 for all
  /// By pipeline rank, the replicas that are simulated; empty: all.
  std::vector<std::vector<ReplicaClass>> replicas;
};

/// The power and the price of a device. Zero: not known.
struct OperatingFigures {
  double watts = 0, idle_watts = 0, price_per_hour = 0;
};

struct Prepared {
  schedule::Schedule schedule;
  std::string schedule_name;
  /// Versions by rank, in the steady state; a single iteration of an asynchronous schedule does not
  /// reach it.
  std::vector<schedule::Versions> versions;
  ModelWork work;
  Overlap overlap;  ///< as the schedule wants it, where it has a say
  Grid grid;
  Folding folding;
  std::vector<ReshardingEdge> resharding_edges;  ///< by stage, to the next; empty: none
  Prices prices;
  int devices = 1;              ///< that take part
  double peak_flops_per_s = 0;  ///< of a device at the run's precision; 0 unknown
  std::optional<Bytes> device_memory;
  OperatingFigures operating;  ///< of the first device
  std::optional<TrainingRun> training;
  std::optional<Failures> failures;
  /// Returns how many times as long an op computes as its price says; empty: once.
  std::function<double(OpId)> jitter;
  std::optional<UnequalBatches> lengths;
  std::optional<Topology> topology;
  bool shares_links = false;
  std::vector<std::pair<std::string, std::string>> provenance;
  bool suits_devices = true;  ///< they can do what the schedule asks of them
  std::vector<std::string> notes;
  config::Value resolved;

  /// Returns what lowering needs to simulate the ranks of `folding`.
  LoweringInput lowering(const Folding& folding) const;
};

}  // namespace pipewright
