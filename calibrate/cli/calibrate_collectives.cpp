#include "calibrate/cli/calibrate_collectives.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/launcher.hpp"
#include "calibrate/cli/fit_nccl.hpp"
#include "calibrate/cli/progress.hpp"
#include "calibrate/cli/ranks.hpp"
#include "calibrate/collectives/measure.hpp"
#include "calibrate/transport/mpi.hpp"
#include "config/value.hpp"
#include "report/atomic_file.hpp"

namespace pipewright::cli {
namespace {

using namespace std::chrono_literals;
using calibration::MeasuredCollective;

constexpr auto watchdog = 20s;
/// Of a rank inside one call: the largest buffer over a slow network.
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

/// What was measured, and for NCCL within a node a profile of it.
void report(const std::vector<MeasuredCollective>& all,
            const calibration::Communicators& communicators, const CollectiveCalibration& wanted,
            const Environment& environment) {
  const std::string csv =
      std::filesystem::path(wanted.output).replace_extension("collectives.csv").string();
  write_file(csv, csv_of(all));
  if (!wanted.quiet)
    fmt::print("{}, {} points\n{}{}\n", communicators.library(), all.size(), summary_of(all), csv);
  if (wanted.backend != "cuda") return;
  CollectiveFit fit{.device = wanted.device, .output = wanted.output};
  for (const MeasuredCollective& one : all) {
    if (one.point.nodes > 1) continue;
    fit.points.push_back(one.point);
    fit.points.back().device = communicators.device();
  }
  if (fit.points.empty()) return;
  const HeldOut error = fit_and_write(fit, environment).held_out.value();
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
    session.exchange({});
    if (session.is_first()) report(all, *communicators, wanted, environment);
  } catch (const InputError& error) {
    fmt::print(stderr, "error: {}\n", error.message());
    status = 2;
  } catch (const Failure& failure) {
    end_process(failure.what());
  }
  transport->leave();
  return status;
}

}  // namespace pipewright::cli
