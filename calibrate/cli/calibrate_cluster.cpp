#include "calibrate/cli/calibrate_cluster.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <thread>

#include "base/error.hpp"
#include "base/launcher.hpp"
#include "base/tell.hpp"
#include "calibrate/cli/ranks.hpp"
#include "calibrate/measure/cluster.hpp"
#include "calibrate/measure/rounds.hpp"
#include "calibrate/transport/mpi.hpp"
#include "cli/yaml_file.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

using namespace std::chrono_literals;
using calibration::MeasuredCluster;

constexpr auto watchdog = 10s;
constexpr auto nap = 1ms;
/// The longest silence of a device that measures itself beside others that do the same.
constexpr auto patience = 120s;

/// The device works in a thread of its own, so that this one can say that it lives. When the run is
/// ended meanwhile the process ends with it: nothing waits for that thread.
calibration::DeviceRow own_device(transport::Session& session, const std::string& backend) {
  std::promise<calibration::DeviceRow> promise;
  std::future<calibration::DeviceRow> measured = promise.get_future();
  std::thread([backend, promise = std::move(promise)]() mutable {
    try {
      const auto bench = backend == "cuda" ? calibration::cuda_bench() : calibration::cpu_bench();
      promise.set_value(calibration::measure_device(*bench));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).detach();
  while (measured.wait_for(nap) != std::future_status::ready)
    ensure(!session.poll(), "nobody sends before all have measured themselves");
  calibration::DeviceRow row;
  try {
    row = measured.get();
  } catch (const std::exception& failure) {
    session.fail(failure.what());
  }
  row.host = session.hosts()[static_cast<size_t>(session.rank())];
  return row;
}

MeasuredCluster measure(transport::Session& session, const std::string& backend) {
  std::string status = "measures its device";
  session.describe_by([&] { return status; });
  const calibration::DeviceRow own = own_device(session, backend);
  session.exchange({});
  session.be_patient(0s);
  const auto met = [&](int round) {
    session.progress(static_cast<uint64_t>(round) + 1);
    status =
        fmt::format("has met {} of {} others", round + 1, calibration::rounds_of(session.size()));
  };
  session.progress(0);
  const auto to = calibration::measure_pairs(session, {}, met);
  session.progress({});
  MeasuredCluster cluster = gather(session, own, to);
  session.describe_by({});
  return cluster;
}

void report(const MeasuredCluster& cluster, const ClusterCalibration& wanted) {
  namespace fs = std::filesystem;
  const fs::path yaml = wanted.output;
  write_yaml(yaml.string(), cluster_yaml(cluster, yaml.stem().string()), "cluster");
  write_file(fs::path(yaml).replace_extension("csv").string(), devices_csv(cluster));
  if (wanted.quiet) return;
  fmt::print("{} devices, {} pairs in {} rounds\n", cluster.devices.size(),
             cluster.devices.size() * (cluster.devices.size() - 1) / 2,
             calibration::rounds_of(static_cast<int>(cluster.devices.size())));
  const std::vector<std::string> lines = findings(cluster);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("none stands out\n");
  if (const std::string slow = stragglers_yaml(cluster); !slow.empty())
    fmt::print("for an experiment: {}\n", slow);
  fmt::print("{}\n", wanted.output);
}

}  // namespace

int calibrate_cluster(const ClusterCalibration& wanted) {
  if (!started_by_launcher())
    throw InputError("--cluster needs several ranks: mpirun -n 8 pipewright calibrate --cluster");
  take_own_gpu();
  transport::keep_termination_pending();
  const auto transport = transport::mpi_transport();
  transport::Session session(*transport, watchdog);
  session.be_patient(patience);
  session.guard(end_process);
  MeasuredCluster cluster;
  try {
    cluster = measure(session, wanted.backend);
  } catch (const Failure& failure) {
    end_process(failure.what());
  }
  int status = 0;
  try {
    if (session.is_first()) report(cluster, wanted);
  } catch (const Failure& failure) {
    tell("error: {}\n", failure.what());
    status = 1;
  }
  transport->leave();
  return status;
}

}  // namespace pipewright::cli
