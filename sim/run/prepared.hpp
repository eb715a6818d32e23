// Everything that lowering, pricing and results need of an experiment. Made by prepare() and
// changed by nobody afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/document.hpp"
#include "engine/laid_links.hpp"
#include "engine/price.hpp"
#include "experiment/experiment.hpp"
#include "plan/model_work.hpp"
#include "program/lower.hpp"
#include "run/jitter.hpp"
#include "run/job_devices.hpp"
#include "run/unequal_batches.hpp"
#include "schedule/versions.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// What is simulated for all that see the same times.
struct Folding {
  bool micro_batches = false;  ///< those that repeat others are left out; see run/repeated_run.hpp
  bool tensor = false;         ///< tensor rank 0 for all
  /// By pipeline rank, the replicas that are simulated; empty: all.
  std::vector<std::vector<ReplicaClass>> replicas;
};

/// What many iterations after each other take and meet.
struct LongRun {
  std::optional<TrainingRun> training;
  std::optional<Failures> failures;
  std::optional<OuterSteps> outer;
};

/// What a reader of the result is told of the job.
struct JobRecord {
  config::Document resolved;
  double parameters = 0;  ///< of the model; 0 where it says none
  /// The sources of the times: a kind of op, and the profile that it is priced by.
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<std::string> notes;
};

/// The packets that nodes send each other.
struct PacketLinks {
  PacketOptions options;
  int runs = 1;  ///< that the experiment asks for, one for each seed
  Where where;   ///< it is asked for
};

/// The links that messages take.
struct JobLinks {
  std::optional<Topology> topology;
  std::shared_ptr<LinkMemo> laid;      ///< on the topology, shared by runs; null: of each run
  bool shared = false;                 ///< messages that meet on a link share it
  Spreading spreading;                 ///< over routes of equal cost between nodes
  std::optional<PacketLinks> packets;  ///< nodes send each other packets
};

struct Prepared {
  schedule::Schedule schedule;
  std::string schedule_name;
  /// Versions by rank, in the steady state; a single iteration of an asynchronous schedule does not
  /// reach it.
  std::vector<schedule::Versions> versions;
  ModelWork work;
  std::vector<int64_t> blocks;  ///< that stages have, as partitions count them; synthetic: empty
  Overlap overlap;              ///< as the schedule wants it, where it has a say
  Grid grid;
  Folding folding;
  uint64_t most_unfolded_ops = UINT64_MAX;       ///< beyond which nothing is unfolded
  std::vector<ReshardingEdge> resharding_edges;  ///< by stage, to the next; empty: none
  Prices prices;
  JobDevices devices;
  LongRun long_run;
  std::optional<Jitter> jitter;
  std::optional<UnequalBatches> lengths;
  JobLinks links;
  JobRecord record;

  /// Returns what lowering needs to simulate `ranks`.
  LoweringInput lowering(const Folding& ranks) const { return lowering(ranks, schedule); }
  /// The same for `order` in place of the schedule.
  LoweringInput lowering(const Folding& ranks, const schedule::Schedule& order) const;
};

}  // namespace pipewright
