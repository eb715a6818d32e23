// Everything that is reported of a run, whoever executed it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "engine/timeline.hpp"
#include "network/packet/packet_network.hpp"
#include "program/program.hpp"
#include "result/regime.hpp"
#include "result/remedy.hpp"
#include "result/result.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

struct LinkUse {
  std::string name;
  double bytes = 0;
  double busy_fraction = 0;
};

/// The range in which four in five measured iteration times lie, by published runs.
struct Uncertainty {
  Time p10, p90;
  Regime regime;
  std::string basis;             ///< the published runs that it rests on, in words
  int64_t extrapolated_ops = 0;  ///< outside the range that was measured
};

/// Quantiles of the iteration time, over runs that vary.
struct Quantiles {
  Time p10, p50, p90, p95;
  int seeds = 0;
};

/// Drawn histories of failures. The mean shares of their time and `fraction` add up to 1.
struct GoodputEvents {
  double fraction = 1;      ///< of the time whose work counts, the mean over histories
  double p10 = 1, p90 = 1;  ///< of the same
  double checkpoints = 0;   ///< stop the run
  double lost = 0;          ///< is work that is done again
  double restarts = 0;
  double waiting = 0;   ///< for repairs
  double missing = 0;   ///< is speed that missing nodes take
  double failures = 0;  ///< of a history, the mean
  int seeds = 0;
};

/// The part that is left of the time when devices fail.
struct Goodput {
  double fraction = 1;         ///< by formula
  double best_interval_s = 0;  ///< between checkpoints
  std::optional<GoodputEvents> events;

  /// Returns what the run makes of its time, by drawn histories where there are some.
  double expected() const { return events ? events->fraction : fraction; }
};

/// The outer steps of training on sites, over the steps in which all weights are exchanged once.
struct OuterResult {
  int sites = 1, every = 1, fragments = 1;
  Time inner;     ///< an iteration without an outer step
  Time exchange;  ///< what exchanges take by themselves
  Time exposed;   ///< what sites wait for them
  Time compute;   ///< outer gradients and outer optimizer
};

/// The time that the simulator itself took.
struct Cost {
  uint64_t events = 0;  ///< ops completed; flows started and ended
  double wall_s = 0;    ///< program to timeline
  double setup_s = 0;   ///< reading and lowering
  int64_t peak_rss_bytes = 0;
};

/// Bytes from device to device, as a traffic experiment gives them, and when they were there.
struct FlowResult {
  int from = 0, to = 0;
  Bytes bytes;
  Time start, end;
};

/// The traffic of a traffic experiment.
struct TrafficResult {
  std::vector<FlowResult> flows;          ///< as the experiment gives them
  std::vector<PacketFlowResult> packets;  ///< of the flows, where they were simulated as packets
};

/// Whether the devices can do what the schedule asks of them.
struct Fit {
  bool feasible = true;                ///< every rank has the memory that it needs
  bool suits_devices = true;           ///< they send and compute as the schedule wants it
  std::optional<Bytes> device_memory;  ///< capacity of the device with the least head room
  Bytes fullest;                       ///< what that device holds at the peak
  std::vector<Remedy> remedies;        ///< of a run that does not fit, where they were sought
  std::string no_remedy;               ///< why there is none where they were sought
};

/// The devices of a run.
struct DeviceCount {
  int used = 0, idle = 0;  ///< of the cluster's
};

/// The work that is done in a second.
struct Rates {
  std::optional<double> samples_per_s, tokens_per_s;
  std::optional<double> model_flops_per_s_per_device, mfu, hfu;
};

/// What one iteration uses up.
struct Expenses {
  std::optional<double> energy_j, cost_usd;
};

/// What a whole training run takes.
struct TrainingResult {
  std::optional<double> time_s, deadline_s;
  std::optional<double> cost_usd;  ///< of all its iterations
};

/// The times that the iteration may take instead.
struct Ranges {
  std::optional<Quantiles> variation;
  std::optional<Uncertainty> uncertainty;  ///< of every run
};

/// Everything that is reported of one run. Values that mean nothing for the model at hand (tokens
/// of a synthetic one) are empty.
struct RunResult {
  config::Document experiment;  ///< fully resolved: running it again gives the same numbers
  std::string schedule;         ///< as the user would name it
  bool synchronous = true;
  double parameters = 0;  ///< of the model; 0 where it says none
  Metrics metrics;
  Fit fit;
  DeviceCount devices;
  Rates rates;
  Expenses expenses;
  TrainingResult training;
  Ranges ranges;
  std::optional<OuterResult> outer;
  std::optional<Goodput> goodput;  ///< time to train, energy and cost include it
  /// The sources of the times: a kind of op, and the profile that it is priced by.
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<std::string> notes;  ///< what a reader should know of how it ran
  std::vector<LinkUse> links;      ///< the busiest first; JSON has ten
  TrafficResult traffic;
  Cost cost;
};

/// A run with what made it, for traces and replays.
struct Run {
  RunResult result;
  schedule::Schedule schedule;
  Program program;
  Timeline timeline;
};

/// One row of a comparison: a run, or why there is none.
struct Row {
  std::string schedule;
  std::optional<Run> run;
  std::string reason;
};

}  // namespace pipewright
