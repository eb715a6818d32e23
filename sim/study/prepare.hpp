// From an experiment to what lowering and pricing need.
#pragma once

#include <set>

#include "engine/price.hpp"
#include "engine/ways.hpp"
#include "program/lower.hpp"
#include "schedule/versions.hpp"
#include "study/experiment.hpp"
#include "study/machine.hpp"
#include "study/run.hpp"

namespace pipewright {

struct Model;

/// A model cut into the stages of a schedule.
struct ModelWork {
  std::vector<StageWork> stages;    ///< by stage * slices + slice
  std::vector<UpdateWork> updates;  ///< by stage; empty for synthetic models
  ShardedWeights sharded;
  OffloadedState offloaded;
  Bytes tied_embedding;                  ///< gradient that first and last stage share
  std::vector<MemoryUse> static_memory;  ///< by pipeline rank
  std::vector<int> layers;               ///< by stage; empty for synthetic models
  double model_flops = 0;                ///< of one iteration, all devices, no recomputation
  double hardware_flops = 0;             ///< with it
  double tokens = 0;                     ///< of one iteration; 0 where the model has none
  double samples = 0;
};

/// Micro-batches of documents of unequal length.
struct UnequalBatches {
  bool packed = true;
  std::vector<std::vector<LengthShare>> shares;  ///< by data-parallel replica and micro-batch
};

/// What a device takes to run. Zero: not known.
struct Upkeep {
  double watts = 0, idle_watts = 0, price_per_hour = 0;
};

struct Prepared {
  schedule::Schedule schedule;
  std::string schedule_name;
  /// By rank, in the steady state; a single iteration of an asynchronous schedule does not reach
  /// it.
  std::vector<schedule::Versions> versions;
  ModelWork work;
  Overlap overlap;  ///< as the schedule wants it, where it has a say
  Grid grid;
  bool fold_tensor = false;
  std::vector<std::vector<ReplicaClass>> replicas;  ///< that are simulated, by rank; empty: all
  std::vector<Joint> joints;                        ///< by stage, to the next; empty: none
  Prices prices;
  int devices = 1;              ///< that take part
  double peak_flops_per_s = 0;  ///< of a device at the run's precision; 0 unknown
  std::optional<Bytes> device_memory;
  Upkeep upkeep;  ///< of the first device
  std::optional<TrainingRun> training;
  std::optional<Failures> failures;
  /// How many times as long an op computes as its price says; empty: once.
  std::function<double(OpId)> jitter;
  std::optional<UnequalBatches> lengths;
  std::optional<Topology> topology;
  bool shares_links = false;
  std::vector<double> bytes_by_link;  ///< empty unless it has run under flow
  std::vector<std::pair<std::string, std::string>> provenance;
  bool suits_devices = true;  ///< they can do what the schedule asks of them
  std::vector<std::string> notes;
  config::Value resolved;

  LoweringInput lowering() const;
};

/// Throws InputError; Misfit where the schedule or a degree cannot be for this model and cluster.
Prepared prepare(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options);

/// What is reported of `program`, lowered from `prepared`, when it ran as `timeline` says: in
/// virtual time or live. Leaves RunResult::cost empty.
Run result_of(Prepared prepared, Program program, Timeline timeline,
              const Metrics* longer_run = nullptr);

// --- parts, each in its own file ---

/// How long a pass takes on the first device of `mesh`: its kernels and the collectives of its
/// tensor-parallel group, which wait for each other as the segments say.
Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh);
/// Its kernels on another device.
Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh,
                   int32_t device);

/// Between stages that are not alike: how long their tensors take, which joins `prices`, and the
/// numbers by which it knows them. Empty where nothing is resharded. `batch` must be settled.
std::vector<Joint> add_joints(const Experiment& experiment, const Grid& grid,
                              const Machine& machine, Prices& prices);

/// The grid of devices, by `parallel` and `placement`, or by `strategy`. `parallel.data` must be
/// known.
Grid make_grid(const Experiment& experiment, int devices);

/// The schedule that the experiment asks for, with `parallel.virtual` taken over.
schedule::Schedule make_schedule(const Experiment& experiment, const schedule::Shape& shape);

/// "1f1b", "interleaved-1f1b (virtual 4)": a schedule's value as it is called in tables.
std::string schedule_name(const config::Value& schedule);

/// What `batch.lengths` makes of the micro-batches of `schedule`, whose sequences have `sequence`
/// tokens. Misfit where a model or a plan has no such documents.
UnequalBatches unequal_batches(const Experiment& experiment, const Model& model,
                               const schedule::Schedule& schedule, int64_t sequence, uint64_t seed);

/// Weight versions and staleness by rank once an asynchronous schedule has run for a while.
std::vector<schedule::Versions> steady_versions(const Experiment& experiment, schedule::Shape shape,
                                                const schedule::Schedule& schedule);

/// Of a program that has not been run under flow, by the links' data sheets. Without `mirror` ranks
/// stand for themselves.
std::vector<double> bytes_by_link(const Program& program, const Topology& topology,
                                  const Prices& prices, const Mirror& mirror = {});
/// The links by how busy they are over the run: all that carry anything, or ten where those are too
/// many to be drawn.
std::vector<LinkUse> busiest_links(const Topology& topology, const std::vector<double>& bytes,
                                   Time makespan);

/// Changes `durations` to what they are on the devices that `schedule` is made for: two passes at
/// once on the parts of a device, output that leaves while it is being computed.
void adapt_to_hardware(const schedule::Schedule& schedule, const Program& program,
                       std::vector<Time>& durations);

/// A pipeline rank that sends and one that receives.
using RankPair = std::pair<int, int>;
std::set<RankPair> pairs_that_send(const schedule::Schedule& schedule);

/// True when all tensor ranks of every replica see the same times: one can stand for all. All
/// meshes have the same degrees.
bool tensor_ranks_alike(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs);

/// Replicas by what they see: one for each class of those that see the same times. All, where
/// collectives within a pass join replicas that are not alike. All meshes have the same degrees.
std::vector<ReplicaClass> replica_classes(const Grid& grid, const Prices& prices,
                                          const std::set<RankPair>& pairs);

/// True when all ranks of every mesh see the same times, whatever the degrees. `pairs`: those that
/// send rank to rank.
bool meshes_alike(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs);

/// Whom each simulated rank stands for.
Mirror mirror_of(const Prepared& prepared);

/// The experiment with every default filled in.
config::Value resolved_document(const Experiment& experiment);

Prepared prepare_synthetic(const Experiment& experiment, const Machine& machine,
                           const RunOptions& options);
Prepared prepare_model(const Experiment& experiment, const Machine& machine,
                       const RunOptions& options);

}  // namespace pipewright
