#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/launcher.hpp"
#include "base/tell.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/cli/replay_options.hpp"
#include "calibrate/collectives/nccl_links.hpp"
#include "calibrate/live/executor/device_share.hpp"
#include "calibrate/live/executor/process_run.hpp"
#include "calibrate/live/live_device.hpp"
#include "calibrate/live/loss_table.hpp"
#include "calibrate/live/own_gpu.hpp"
#include "calibrate/live/real_over_processes.hpp"
#include "calibrate/live/real_replay.hpp"
#include "calibrate/live/same_program.hpp"
#include "calibrate/live/synthetic_replay.hpp"
#include "calibrate/live/work/synthetic_work.hpp"
#include "calibrate/transport/mpi.hpp"
#include "cli/options.hpp"
#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"
#include "report/io/atomic_file.hpp"
#include "report/page/page.hpp"
#include "report/page/timeline.hpp"
#include "report/trace/trace.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t most_ranks = 128;  // each is two threads or more
bool is_synthetic(const config::Value& experiment) {
  const config::Value* model = experiment.find("model");
  return model && model->is_map() && model->find("synthetic");
}

std::unique_ptr<live::LiveDevice> device_for(size_t ranks, const ReplayOptions& o) {
  if (ranks > most_ranks) {
    throw InputError(
        fmt::format("{} ranks are too many for one process; at most {}", ranks, most_ranks));
  }
  if (o.backend == "cpu") return live::cpu_device();
  kernels::CudaOptions cuda = o.cuda;
  cuda.partitions = o.partitions(ranks);
  return live::cuda_device(cuda);
}

/// Tells whether timed compute waits for as long as its kernels were measured to take.
bool measures_kernels(const ReplayOptions& o, const config::Value& experiment) {
  return o.profile == "measure" && !is_synthetic(experiment);
}

/// The GPU cut into the larger partitions that ops are measured on, if they are others.
std::unique_ptr<live::LiveDevice> larger_partitions(const ReplayOptions& o, int wanted) {
  if (o.measure_partitions == 0 || o.measure_partitions == wanted) return nullptr;
  if (o.measure_partitions > wanted)
    throw InputError(fmt::format(
        "--measure-partitions: {} are smaller than the {} that it runs on; at most as many",
        o.measure_partitions, wanted));
  kernels::CudaOptions cuda = o.cuda;
  cuda.partitions = o.measure_partitions;
  return live::cuda_device(cuda);
}

live::Replay replay_one(const config::Value& experiment, const ReplayOptions& o,
                        const Environment& environment) {
  const bool timed = o.compute == "timed" || (o.compute == "auto" && is_synthetic(experiment));
  if (timed && o.measure_partitions > 0)
    throw InputError("--measure-partitions needs real or synthetic compute");
  if (timed || o.compute == "synthetic") {
    if (o.real.steps > 0) throw InputError("--steps needs real compute, and a model that has some");
    RunOptions options = o.common.run;
    options.steady_state = false;  // what is measured is as long as what was predicted
    options.fold = timed && options.fold;
    options.fold_micro_batches = false;  // every one is run
    Run predicted = run_experiment(experiment, environment.catalogue, options);
    const size_t ranks = predicted.program.ranks.size();
    const auto device = device_for(ranks, o), larger = larger_partitions(o, o.partitions(ranks));
    if (!timed)
      return live::replay_synthetic(std::move(predicted), *device, {o.measures(), larger.get()},
                                    o.repetitions);
    if (measures_kernels(o, experiment))
      predicted = live::with_measured_kernels(std::move(predicted), *device);
    return live::replay_timed(std::move(predicted), *device, o.repetitions);
  }
  live::RealJob job = live::make_real_job(experiment, environment.catalogue, o.real);
  const size_t ranks = job.program.ranks.size();
  const auto device = device_for(ranks, o), larger = larger_partitions(o, o.partitions(ranks));
  return live::replay_real(std::move(job), *device, {o.measures(), larger.get()},
                           o.real.steps > 0 ? 1 : o.repetitions);
}

/// The experiment under each of the schedules that were asked for, or its own.
std::vector<config::Value> variants(const config::Value& experiment, const std::string& schedules) {
  if (schedules.empty()) return {experiment};
  std::vector<config::Value> all;
  for (const config::Value& schedule : read_schedules(schedules))
    all.emplace_back(experiment).set("schedule", schedule);
  return all;
}

/// A prediction, or why there is none.
struct Prediction {
  Run run;
  std::optional<live::RealJob> job;  ///< of real compute
  std::string error;
};

/// Throws Failure for what ranks with a GPU each cannot run.
void require_devices(const Prediction& prediction) {
  live::device_share(prediction.run.program, 0, {});
  if (!prediction.job) live::require_dummy_payloads(prediction.run.program);
}

Prediction predict(const config::Value& experiment, const ReplayOptions& o,
                   const Environment& environment, int processes) {
  try {
    RunOptions options = o.common.run;
    options.steady_state = false;
    options.fold = false;  // every rank is a process
    options.fold_micro_batches = false;
    Prediction prediction;
    if (o.compute == "real") {
      prediction.job = live::make_real_job(experiment, environment.catalogue, o.real);
      prediction.run = live::simulated(*prediction.job);
    } else {
      prediction.run = run_experiment(experiment, environment.catalogue, options);
    }
    const size_t ranks = prediction.run.program.ranks.size();
    if (ranks != static_cast<size_t>(processes))
      prediction.error = fmt::format(
          "error: the experiment has {} ranks, but {} processes were started: mpirun -n {} ...",
          ranks, processes, ranks);
    const bool has_kernels = o.compute == "synthetic" || measures_kernels(o, experiment);
    for (uint32_t rank = 0; has_kernels && !prediction.job && rank < ranks; ++rank)
      live::require_synthetic(prediction.run.program, rank);
    if (o.backend == "cuda") require_devices(prediction);
    return prediction;
  } catch (const InputError& error) {
    return {{}, {}, error.what()};
  } catch (const Failure& failure) {
    return {{}, {}, fmt::format("error: {}", failure.what())};
  }
}

/// A mistake that all ranks found alike: the first one says it.
struct Refused {
  std::string line;
};

/// Ranks before this one on its host.
int place_on_host(const transport::Session& session) {
  const auto own = session.hosts().begin() + session.rank();
  return static_cast<int>(std::count(session.hosts().begin(), own, *own));
}

/// A GPU for each rank, and NCCL between them; or what is missing, in one line for all.
std::unique_ptr<live::LiveDevice> own_gpu(transport::Session& session, const ReplayOptions& o,
                                          live::KeepTimeline keep) {
  std::shared_ptr<kernels::CudaKernels> kernels;
  live::RankGpu gpu;
  const char* host_id = std::getenv("NCCL_HOSTID");
  live::OwnGpu own{.host_id = host_id ? host_id : "", .id = "", .problem = ""};
  try {
    kernels = kernels::cuda_kernels(
        {.multiply = o.cuda.multiply, .device = place_on_host(session), .partitions = 1});
    own.id = kernels->device().id;
    gpu = {kernels->device(), kernels, kernels, calibration::nccl_links(session, *kernels)};
  } catch (const Failure& failure) {
    own.problem = failure.what();
  }
  if (const std::string problem = live::gpu_problem(session, own); !problem.empty())
    throw Refused{"error: " + problem};
  return live::gpu_process_device(session, std::move(gpu), std::move(keep));
}

live::Replay replay_over(transport::Session& session, const config::Value& experiment,
                         const ReplayOptions& o, const Environment& environment) {
  Prediction prediction = predict(experiment, o, environment, session.size());
  std::vector<Time> durations;
  for (const Span& span : prediction.run.timeline.spans) durations.push_back(span.end - span.start);
  live::agree(session, {.program_file = live::hash_of_executable(),
                        .program = live::hash_of(prediction.run.program, durations),
                        .options = live::hash_of(o.real.seed, o.real.learning_rate),
                        .error = prediction.error});
  if (!prediction.error.empty()) throw Refused{prediction.error};
  const auto keep = [&](const Timeline& so_far) {
    if (!session.is_first() || o.common.trace.empty()) return;
    prediction.run.timeline = so_far;
    write_file(o.common.trace, [&](std::ostream& out) { write_trace(prediction.run, out); });
  };
  const auto device =
      o.backend == "cuda" ? own_gpu(session, o, keep) : live::process_device(session, keep);
  if (prediction.job)
    return live::replay_real_over(std::move(*prediction.job), prediction.run, session, *device,
                                  {.measures = o.measures()}, o.real.steps > 0 ? 1 : o.repetitions);
  if (o.compute == "synthetic")
    return live::replay_synthetic_over(prediction.run, session, *device, {.measures = o.measures()},
                                       o.repetitions);
  if (measures_kernels(o, experiment))
    prediction.run = live::with_measured_kernels(std::move(prediction.run), session, *device);
  return live::replay_timed(prediction.run, *device, o.repetitions);
}

/// Predicted and measured timelines, one above the other.
void write_html(const std::vector<live::Replay>& replays, std::ostream& out) {
  Page page{
      .kind = "replay", .title = "Predicted and measured", .results = live::json_text(replays)};
  for (const live::Replay& replay : replays) {
    page.timelines.push_back(timeline_json(replay.predicted));
    page.timelines.push_back(timeline_json(replay.measured));
  }
  write_page(page, out);
}

/// Every schedule's predicted and measured timelines, as processes of one trace.
void write_both(const std::vector<live::Replay>& replays, std::ostream& out) {
  std::vector<TracedRun> runs;
  for (const live::Replay& replay : replays) {
    runs.push_back({replay.predicted, replay.predicted.result.schedule + " predicted"});
    runs.push_back({replay.measured, replay.measured.result.schedule + " measured"});
  }
  write_trace(runs, out);
}

void write(const std::vector<live::Replay>& replays, const CommonOptions& common) {
  if (!common.json.empty()) write_file(common.json, live::json_text(replays));
  if (!common.trace.empty())
    write_file(common.trace, [&](std::ostream& out) { write_both(replays, out); });
  if (!common.html.empty())
    write_file(common.html, [&](std::ostream& out) { write_html(replays, out); });
  if (common.quiet || common.html == "-" || common.json == "-" || common.trace == "-") return;
  for (const live::Replay& replay : replays) fmt::print("{}\n", live::summary(replay));
  fmt::print("{}", live::loss_table(replays));
}

/// 1 where weights are not those of the reference, which is told, and 0 otherwise.
int status_of(const std::vector<live::Replay>& replays) {
  int status = 0;
  for (const live::Replay& replay : replays) {
    if (!replay.numerics || live::agrees(*replay.numerics)) continue;
    tell("error: {}: weights differ from {} by {:.1e}\n", replay.predicted.result.schedule,
         replay.numerics->reference, replay.numerics->max_relative_difference);
    status = 1;
  }
  return status;
}

/// Tells whether every compute op is measured before anything is predicted.
bool measures_all(const ReplayOptions& o, const config::Value& experiment) {
  const bool timed = o.compute == "timed" || (o.compute == "auto" && started_by_launcher());
  return timed ? measures_kernels(o, experiment) : o.measures() && !is_synthetic(experiment);
}

/// A cluster written out without a device, which a replay that measures needs none of.
bool has_no_device(const config::Value& cluster) {
  return cluster.is_map() && cluster.find("devices") && !cluster.find("device") &&
         !cluster.find("node") && !cluster.find("base");
}

/// Puts a stand-in device into the experiment where nothing is predicted by the cluster's device
/// and it has none.
void put_device_here(config::Value& experiment, const ReplayOptions& o) {
  config::Value* cluster = experiment.find("cluster");
  if (!cluster || !has_no_device(*cluster) || !measures_all(o, experiment)) return;
  cluster->set("device", config::parse("{name: here, kind: cpu, flops: {fp32: 50 GFLOP/s}, "
                                       "memory: 1 TiB, memory_bandwidth: 10 GB/s}",
                                       "the device here"));
}

config::Value load_replayed(const ReplayOptions& o, const Environment& environment) {
  config::Value document = resolve(load_experiment(o.experiment, o.common.assignments, environment),
                                   environment.catalogue);
  put_device_here(document, o);
  const Experiment experiment = read_experiment(document);
  refuse_simulated_only(experiment, "replayed");
  if (o.backend == "cuda") refuse_resharding(experiment, "replayed on GPUs");
  return document;
}

/// One of several processes; the first one reports.
int replay_as_process(const ReplayOptions& o, const Environment& environment) {
  if (o.real.steps > 0 && o.compute != "real")
    throw InputError("--steps needs --compute real, which under mpirun is not the default");
  if (o.cuda.partitions > 0 || o.measure_partitions > 0)
    throw InputError("--partitions cuts one GPU for the ranks of one process: without mpirun");
  transport::keep_termination_pending();
  const auto transport = transport::mpi_transport();
  transport::Session session(*transport,
                             std::chrono::milliseconds(static_cast<int64_t>(1000 * o.watchdog_s)));
  session.guard([](const std::string& reason) {
    tell("error: {}\n", reason);
    std::_Exit(1);
  });
  int status = 0;
  try {
    std::vector<live::Replay> replays;
    const config::Value experiment = load_replayed(o, environment);
    for (const config::Value& variant : variants(experiment, o.schedules))
      replays.push_back(replay_over(session, variant, o, environment));
    if (session.is_first()) {
      write(replays, o.common);
      status = status_of(replays);
    }
  } catch (const Refused& refused) {
    if (session.is_first()) tell("{}\n", refused.line);
    status = 2;
  } catch (const live::Disagreement& disagreement) {
    tell("error: {}\n", disagreement.what());
    status = 1;
  }
  transport->leave();
  return status;
}

int run_replay(const Arguments& arguments, const Environment& environment) {
  const ReplayOptions o = read_replay_options(arguments);
  if (started_by_launcher()) return replay_as_process(o, environment);
  const config::Value experiment = load_replayed(o, environment);
  std::vector<live::Replay> replays;
  for (const config::Value& variant : variants(experiment, o.schedules))
    replays.push_back(replay_one(variant, o, environment));
  write(replays, o.common);
  return status_of(replays);
}

}  // namespace

const Command live_program::command::replay_command{"replay", live_program::help_replay,
                                                    run_replay};

}  // namespace pipewright::cli
