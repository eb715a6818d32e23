#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "diagnose/rebuilt_job.hpp"
#include "simulate/run.hpp"

namespace pipewright::diagnose {
namespace {

config::Value time_value(Time time) {
  return config::scalar(fmt::format("{:.12g} s", in_seconds(time)));
}

config::Value list_of(const std::vector<Time>& times) {
  config::Value list;
  list.kind = config::Value::Kind::list;
  for (const Time time : times) list.items.push_back(time_value(time));
  return list;
}

constexpr double link_bytes_per_s = 1e12;

int64_t boundary_of(const RebuiltJob& job) { return std::max<int64_t>(job.message_bytes, 1); }

config::Value number(int64_t n) { return config::scalar(std::to_string(n)); }

config::Value model_of(const RebuiltJob& job) {
  config::Value model;
  config::Value& synthetic = model.set("synthetic", {});
  synthetic.set("devices", number(job.ranks));
  synthetic.set("microbatches", number(job.micro_batches));
  synthetic.set("forward", list_of(job.forward));
  synthetic.set("backward", list_of(job.backward));
  if (!job.weight_gradient.empty()) synthetic.set("weight_gradient", list_of(job.weight_gradient));
  synthetic.set("update", list_of(job.update));
  synthetic.set("boundary", config::scalar(fmt::format("{} B", boundary_of(job))));
  return model;
}

/// A message takes the latency and next to nothing for its bytes: what they took, with what else
/// was on the link, is in the latency.
Time latency_of(const RebuiltJob& job, Time message) {
  const Time bytes = seconds(static_cast<double>(job.message_bytes) / link_bytes_per_s);
  return std::max(message - bytes, Time{});
}

/// Ranks of a stage stand next to each other.
size_t device_of(const RebuiltJob& job, int rank, int data) {
  return static_cast<size_t>(rank) * static_cast<size_t>(job.data) + static_cast<size_t>(data);
}

/// A cluster has no matrix of more devices.
constexpr size_t most_devices_of_matrix = 1024;

bool keeps_links(const RebuiltJob& job) {
  return !job.links.empty() && device_of(job, job.ranks, 0) <= most_devices_of_matrix;
}

/// By pair of devices, what a message from the one to the other takes.
config::Value latency_matrix(const RebuiltJob& job) {
  const size_t devices = device_of(job, job.ranks, 0);
  std::vector<std::vector<Time>> rows(devices,
                                      std::vector<Time>(devices, latency_of(job, job.message)));
  for (size_t device = 0; device < devices; ++device) rows[device][device] = Time{};
  for (const RebuiltJob::Link& link : job.links)
    rows[device_of(job, link.from, link.data)][device_of(job, link.to, link.data)] =
        latency_of(job, link.message);
  config::Value matrix;
  matrix.kind = config::Value::Kind::list;
  for (const std::vector<Time>& row : rows) matrix.items.push_back(list_of(row));
  return matrix;
}

config::Value cluster_of(const RebuiltJob& job) {
  config::Value cluster;
  cluster.set("devices", number(int64_t{job.ranks} * job.data));
  config::Value& link = cluster.set("link", {});
  link.set("latency", time_value(latency_of(job, job.message)));
  link.set("bandwidth", config::scalar("1 TB/s"));
  if (keeps_links(job)) cluster.set("latency_matrix", latency_matrix(job));
  return cluster;
}

config::Value stragglers_of(const RebuiltJob& job) {
  config::Value list;
  list.kind = config::Value::Kind::list;
  for (const RebuiltJob::Slow& slow : job.slow) {
    config::Value& item = list.items.emplace_back();
    item.set("device", number(static_cast<int64_t>(device_of(job, slow.rank, slow.data))));
    item.set("slowdown", config::scalar(fmt::format("{:.6g}", slow.slowdown)));
  }
  return list;
}

[[noreturn]] void refuse(const Diagnosis& diagnosis, const std::string& why) {
  throw InputError({diagnosis.source, 0, 0}, "no experiment can be made of it: " + why);
}

config::Value experiment_of(const RebuiltJob& job, const std::string& source) {
  config::Value experiment;
  experiment.set("description", config::scalar("rebuilt from the trace " + printable(source)));
  experiment.set("model", model_of(job));
  experiment.set("cluster", cluster_of(job));
  experiment.set("parallel", {}).set("data", number(job.data));
  experiment.set("schedule", config::parse(job.schedule, "schedule"));
  if (!job.slow.empty()) experiment.set("stragglers", stragglers_of(job));
  return experiment;
}

config::Value with_handover(config::Value experiment, const char* handover) {
  experiment.set("overlap", {}).set("p2p", config::scalar(handover));
  return experiment;
}

/// How far a run is from the step of the trace; none where it has no run.
std::optional<double> distance(const config::Value& experiment, double step_s) {
  try {
    const Run run = run_experiment(experiment, config::Catalogue{}, {});
    return std::abs(in_seconds(run.result.metrics.iteration) - step_s);
  } catch (const Failure&) {  // with this handover its order stands still
    return std::nullopt;
  }
}

/// A trace does not say how ranks hand on what they computed: the way that comes nearest to its
/// step is taken, of equal ones the first.
config::Value nearest(const config::Value& experiment, double step_s) {
  config::Value best = experiment;
  std::optional<double> least;
  for (const char* handover : {"async", "sender", "rendezvous"}) {
    config::Value one = with_handover(experiment, handover);
    const std::optional<double> apart = distance(one, step_s);
    if (!apart || (least && *apart >= *least)) continue;
    least = apart;
    best = std::move(one);
  }
  return best;
}

}  // namespace

std::string experiment_of(const Diagnosis& diagnosis) {
  if (!diagnosis.rebuilt)
    refuse(diagnosis, "its passes are not those of a job; give the traces of all ranks");
  const RebuiltJob& job = *diagnosis.rebuilt;
  if (job.slices > 1) refuse(diagnosis, "the times of its token slices are not kept");
  if (job.schedule == "unknown")
    refuse(diagnosis,
           "its order of passes is that of no schedule that 'pipewright list schedules' names");
  return "# Times are means of the trace, without gaps of hosts; what a message takes is the "
         "latency\n"
         "# of the cluster's links. Unequal sequences are not kept.\n" +
         std::string(job.by_symmetry
                         ? "# Ranks that the trace lacks are taken to be like those that it has.\n"
                         : "") +
         config::to_yaml(
             nearest(experiment_of(job, diagnosis.source), diagnosis.typical.simulated_s));
}

}  // namespace pipewright::diagnose
