// What is found in the trace of a job: which job it is, where its time goes, what each cause costs.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/accounts/breakdown.hpp"

namespace pipewright {

enum class CauseKind : uint8_t {
  worker,
  stage,
  sequence_lengths,
  communication,
  host,
  bubble,
  imbalance,
};
inline constexpr int cause_kinds = 7;
/// "worker", "stage", ...
std::string_view name_of(CauseKind kind);

/// One reason why steps take longer than they would if all peers were alike.
struct Cause {
  CauseKind kind = CauseKind::worker;
  std::string who;  ///< "stage 3", "data rank 1, stage 2"
  /// How much shorter the mean step is in a run with just that cured.
  double recovered_s = 0;
  /// How much shorter it gets when those before it in the list are cured already.
  double attributed_s = 0;
  /// The cure takes away what no peer is without: no more than this can be gained.
  bool beyond_peers = false;
  /// `recovered_s` of what the steps take longer than the ideal; none where the ideal has it too,
  /// and where a cure beyond peers is more than all of that.
  std::optional<double> share{};
  /// `recovered_s` of what steps take longer than without all causes to which something is
  /// attributed; at most 1. None of other causes, and none of what no peer is without where there
  /// are peers.
  std::optional<double> share_of_causes{};
  std::string remedy;          ///< empty where the program knows none
  std::vector<int> devices{};  ///< that it names, ascending; empty where the trace does not tell
  bool of_devices = false;     ///< of a stage: its devices are slow, and not its layers
  /// What the remedy brings where it is not the cure: work that one stage loses goes to others.
  /// More than the cure only where the remedy says that it is for other causes, too.
  std::optional<double> remedied_s{};
  /// What the remedy brings, else the cure, in single steps: eight of ten are between. None where
  /// there are too few.
  std::optional<double> gain_p10_s{}, gain_p90_s{};

  double gain_s() const { return remedied_s.value_or(recovered_s); }
};

/// Returns `recovered_s` of the `excess_s` of steps over the ideal, as Cause::share says it.
std::optional<double> share_of_excess(double recovered_s, double excess_s, bool beyond_peers);

/// The degrees of parallelism that a trace shows.
struct FoundParallelism {
  int tensor = 1, pipeline = 1, data = 1, chunks = 1, context = 1, expert = 1;
  bool whole = false;  ///< whether no group of the job is missing: a degree of 1 is one
};

/// One traced rank: a cell of the heat map.
struct DiagnosedRank {
  int data = 0, stage = 0;
  /// The compute of its passes over the mean of all ranks.
  double relative_compute = 1;
  Breakdown breakdown;  ///< of the step shown
  int replicas = 1;     ///< that are like it, itself included
};

struct ClockFinding {
  size_t groups = 0;     ///< communications that were looked at
  double largest_s = 0;  ///< the most that clocks were apart from their mean
  double error_s = 0;    ///< what is left after alignment, median
  int aligned = 0;       ///< ranks whose times were moved
};

struct StepFinding {
  int number = 0;
  double measured_s = 0, simulated_s = 0, ideal_s = 0;
};

struct ScheduleFinding {
  std::string name;  ///< or "unknown"
  size_t distance = 0, passes = 0;
  std::string deviation;
};

/// The kernels of one kind in a step of one device.
struct KernelKindTime {
  std::string kind;  ///< "gemm", "attention", ...
  double measured_s = 0;
  double predicted_s = 0;  ///< where there is a prediction
};

/// The kernels of one layer in all passes of a step of one device. Predicted where there is a
/// prediction that has such a layer.
struct LayerKernelTime {
  std::string name;  ///< "before the layers", "layer 0", ..., "after the layers"
  double forward_s = 0, backward_s = 0;
  std::optional<double> predicted_forward_s{}, predicted_backward_s{};

  double measured_s() const { return forward_s + backward_s; }
  double predicted_s() const {
    return predicted_forward_s.value_or(0) + predicted_backward_s.value_or(0);
  }
};

/// The kernels of one name in a step of one device.
struct KernelNameTime {
  std::string name;
  double measured_s = 0;
};

/// What a quantity was in one run and is in another.
struct Changed {
  std::string name;
  double before_s = 0, after_s = 0;

  double change_s() const { return after_s - before_s; }
};

struct ChangedCause {
  CauseKind kind = CauseKind::worker;
  Changed recovered;  ///< its name says whom it concerns
};

/// What changed since another run of the job.
struct RunChange {
  std::string source;  ///< of the run before
  Changed measured, simulated, ideal;
  /// Each list begins with what changed most.
  std::vector<Changed> parts;  ///< of the breakdown, that are not zero in both
  std::vector<ChangedCause> causes;
  std::vector<Changed> kernels;  ///< the few that changed most; empty where one trace has none
  std::vector<std::string> notes;
};

/// The job as a pipeline of its own times, without the gaps of hosts.
struct RebuiltJob {
  int ranks = 1, data = 1, micro_batches = 1;
  std::string schedule;                         ///< as an experiment says it
  std::vector<Time> forward, backward, update;  ///< by stage
  std::vector<Time> weight_gradient;            ///< what of a backward stands apart; may be empty
  int slices = 1;                               ///< of a micro-batch
  Time message;                                 ///< between neighbours
  int64_t message_bytes = 0;                    ///< 0: the trace does not say
  struct Slow {
    int data = 0, rank = 0;
    double slowdown = 1;
  };
  /// The messages of one data rank from one rank of the pipeline to another.
  struct Link {
    int from = 0, to = 0, data = 0;
    Time message;
  };
  std::vector<Link> links;   ///< that are slower than `message`
  std::vector<Slow> slow;    ///< ranks whose passes take longer than those of the other replicas
  bool by_symmetry = false;  ///< whether ranks that the trace lacks were taken to be like others

  /// The job has so many data ranks, or as many as the trace if that has more.
  void take_data_ranks(int count) {
    by_symmetry = by_symmetry || count > data;
    data = std::max(data, count);
  }
};

/// The step that an experiment predicts.
struct PredictedStep {
  double iteration_time_s = 0;
  Breakdown breakdown;
};

/// How long steps take, and how well a simulation explains that.
struct TypicalStep {
  double measured_s = 0;   ///< median step
  double simulated_s = 0;  ///< the program with the trace's own lengths, median
  double ideal_s = 0;      ///< every length replaced by the mean of its peers, median
  double slowdown = 1;     ///< simulated over ideal, mean over steps
  double explained_fraction = 0;
};

struct Diagnosis {
  std::string source;  ///< the file or folder
  std::vector<StepFinding> steps;
  FoundParallelism parallel;
  int micro_batches = 0;
  ScheduleFinding schedule;
  ClockFinding clocks;
  TypicalStep typical;
  Breakdown breakdown;  ///< mean over ranks, of the step whose length is the median
  std::vector<DiagnosedRank> ranks;
  /// By node, the devices on it, ascending. Empty: the trace does not tell.
  std::vector<std::vector<int>> nodes;
  std::vector<Cause> causes;            ///< as diagnose/cause_order.hpp has them
  std::vector<KernelKindTime> kernels;  ///< the longest first; empty where a trace has no kernels
  std::vector<KernelNameTime> names;    ///< by their names, the mean over ranks
  std::vector<LayerKernelTime> layers;  ///< the same by layers; empty where none are told
  std::optional<PredictedStep> predicted;
  std::optional<RebuiltJob> rebuilt;  ///< of a job whose ranks and schedule are known
  std::optional<RunChange> change;    ///< since the run that it is held against
  std::vector<std::string> notes;     ///< what could not be said, and why
  /// Why no layout of layers is advised; empty: one is.
  std::string no_layout = "passes of several stages are not joined here";
};

/// Returns the nodes of which all devices are among `devices`, which ascend.
std::vector<int> whole_nodes(const Diagnosis& diagnosis, const std::vector<int>& devices);

/// Returns the mean of the measured steps in seconds: what causes recover is of it. One long step
/// of many may be most of it. Zero where there is no step.
double mean_step_s(const Diagnosis& diagnosis);

}  // namespace pipewright
