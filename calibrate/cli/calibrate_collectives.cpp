#include "calibrate/cli/calibrate_collectives.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/launcher.hpp"
#include "base/required.hpp"
#include "base/tell.hpp"
#include "calibrate/cli/fit_nccl.hpp"
#include "calibrate/cli/progress.hpp"
#include "calibrate/cli/ranks.hpp"
#include "calibrate/collectives/beside.hpp"
#include "calibrate/collectives/measure.hpp"
#include "calibrate/fit/alpha_beta.hpp"
#include "calibrate/measure/conditions.hpp"
#include "calibrate/transport/mpi.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "config/value.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

using namespace std::chrono_literals;
using calibration::MeasuredCollective;

constexpr auto watchdog = 20s;
/// The longest silence of a rank inside one call: the largest buffer over a slow network.
constexpr auto patience = 60s;

calibration::CollectiveOptions options_of(const CollectiveCalibration& wanted) {
  calibration::CollectiveOptions options;
  if (wanted.quick) {
    options.factor = 16;
    options.point_s = 0.05;
    options.most_bytes = int64_t{1} << 26;
  } else if (wanted.backend == "cuda") {
    options.most_bytes = int64_t{1} << 33;
  }
  if (!wanted.most.empty())
    options.most_bytes = config::as_bytes(config::scalar(wanted.most)).count;
  if (options.most_bytes < options.least_bytes)
    throw InputError(fmt::format("--maxbytes '{}': at least 8 B are measured", wanted.most));
  return options;
}

std::vector<MeasuredCollective> measure(transport::Session& session,
                                        calibration::Communicators& communicators,
                                        const CollectiveCalibration& wanted) {
  std::string status = "measures collectives";
  session.describe_by([&] { return status; });
  ProgressLine line(session.is_first() && !wanted.quiet && isatty(STDERR_FILENO));
  auto all = measure_collectives(session, communicators, options_of(wanted),
                                 [&](const MeasuredCollective& one, size_t done, size_t of) {
                                   status = fmt::format("measured {} of {} points", done, of);
                                   line.show({.done = done, .all = of}, one.point.operation);
                                 });
  session.describe_by({});
  return all;
}

/// The same kernels alone and beside collectives, every rank on its own device. Copies say what
/// bandwidth the memory has.
std::vector<BesideTime> measure_kernels(transport::Session& session,
                                        calibration::Communicators& communicators,
                                        const CollectiveCalibration& wanted) {
  const bool gpu = wanted.backend == "cuda";
  const auto bench = gpu ? calibration::cuda_bench() : calibration::cpu_bench();
  std::vector<calibration::BesideKernel> kernels;
  for (const calibration::Point& point : calibration::kernels_beside(gpu, wanted.quick))
    kernels.push_back({to_text(point), calibration::least_bytes(point), bench->prepare(point)});
  const int64_t copied = gpu ? int64_t{1} << 26 : int64_t{1} << 22;
  const calibration::Point copy{"copy", Direction::forward, DType::fp32, {copied}};
  calibration::BesideOptions options;
  options.memory_bandwidth =
      8 * static_cast<double>(copied) / sample(bench->prepare(copy), options.sampler).median_s;
  options.bytes = std::min(options.bytes, options_of(wanted).most_bytes);
  if (gpu) options.channels = wanted.quick ? std::vector{4} : std::vector{1, 2, 4, 8, 16};
  if (wanted.quick) options.operations = {calibration::Operation::all_reduce};
  return measure_beside(session, communicators, kernels, options);
}

/// Adds to the conditions of the profile that is there already, in place of what stood there beside
/// collectives.
void add_to_profile(const std::vector<BesideTime>& beside, const CollectiveCalibration& wanted) {
  const bool there = std::filesystem::is_regular_file(wanted.output);
  config::Value document = there ? config::parse_file(wanted.output) : config::Value{};
  const config::Value* before = there ? document.find("conditions") : nullptr;
  if (!before) {
    if (!wanted.quiet)
      fmt::print("{} has no conditions that this belongs to: calibrate its kernels first\n",
                 wanted.output);
    return;
  }
  Conditions conditions = read_conditions(*before);
  std::erase_if(conditions.beside, [](const BesideTime& time) { return time.what != "copy"; });
  conditions.beside.insert(conditions.beside.end(), beside.begin(), beside.end());
  document.set("conditions", to_value(conditions));
  write_yaml(wanted.output, config::to_yaml(document), "profile");
  if (!wanted.quiet) fmt::print("{}: conditions\n", wanted.output);
}

/// Reports on a library that says nothing of its algorithms: lines by ranges of sizes, with their
/// error.
void report_lines(const std::vector<interop::NcclPoint>& points, const std::string& library,
                  const CollectiveCalibration& wanted) {
  const std::vector<fit::CollectiveFit> fits = fit::fit_alpha_beta(points);
  const std::string file =
      std::filesystem::path(wanted.output).replace_extension("collectives.yaml").string();
  config::Value document;
  document.set("library", config::scalar(library));
  document.set("collectives", to_value(fits));
  write_file(file, config::to_yaml(document));
  if (wanted.quiet) return;
  for (const fit::CollectiveFit& one : fits)
    fmt::print(
        "{} ({}): {} range{} of sizes; held out: {} points, median error {:.1f} %, 95th "
        "percentile {:.1f} %\n",
        one.operation, one.place, one.segments.size(), one.segments.size() == 1 ? "" : "s",
        one.held_out.points, 100 * one.held_out.median_abs_error, 100 * one.held_out.p95_abs_error);
  fmt::print("{}\n", file);
}

/// Reports what was measured; a profile of NCCL within a node, lines of MPI.
void report(const std::vector<MeasuredCollective>& all,
            const calibration::Communicators& communicators, const CollectiveCalibration& wanted,
            const Environment& environment) {
  const std::string csv =
      std::filesystem::path(wanted.output).replace_extension("collectives.csv").string();
  write_file(csv, csv_of(all));
  if (!wanted.quiet)
    fmt::print("{}, {} points\n{}{}\n", communicators.library(), all.size(), summary_of(all), csv);
  if (wanted.backend != "cuda") {
    std::vector<interop::NcclPoint> points;
    for (const MeasuredCollective& one : all) points.push_back(one.point);
    return report_lines(points, communicators.library(), wanted);
  }
  CollectiveFit fit{.device = wanted.device, .output = wanted.output};
  for (const MeasuredCollective& one : all) {
    if (one.point.nodes > 1) continue;
    fit.points.push_back(one.point);
    fit.points.back().device = communicators.device();
    fit.points.back().library = communicators.library();
  }
  if (fit.points.empty()) return;
  const HeldOut error = required(fit_and_write(fit, environment).held_out, "a fit says it");
  if (wanted.quiet) return;
  fmt::print(
      "held out of the fit: {} points, median error {:.1f} %, 95th percentile {:.1f} %\n{}\n",
      error.points, 100 * error.median_abs_error, 100 * error.p95_abs_error, wanted.output);
}

}  // namespace

int calibrate_collectives(const CollectiveCalibration& wanted, const Environment& environment) {
  if (!started_by_launcher())
    throw InputError(
        "--collectives needs several ranks: mpirun -n 8 pipewright calibrate --collectives");
  options_of(wanted);
  take_own_gpu();
  transport::keep_termination_pending();
  const auto transport = transport::mpi_transport();
  if (transport->size() < 2) throw InputError("--collectives needs several ranks: this is one");
  transport::Session session(*transport, watchdog);
  session.be_patient(patience);
  session.guard(end_process);
  int status = 0;
  try {
    const auto communicators = wanted.backend == "cuda" ? calibration::nccl_communicators(session)
                                                        : calibration::mpi_communicators(session);
    const auto all = measure(session, *communicators, wanted);
    const auto beside = measure_kernels(session, *communicators, wanted);
    session.exchange({});
    if (session.is_first()) {
      report(all, *communicators, wanted, environment);
      if (!wanted.quiet) fmt::print("{}", describe(beside));
      add_to_profile(beside, wanted);
    }
  } catch (const InputError& error) {
    tell("error: {}\n", error.message());
    status = 2;
  } catch (const Failure& failure) {
    end_process(failure.what());
  }
  transport->leave();
  return status;
}

}  // namespace pipewright::cli
