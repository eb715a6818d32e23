#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/tell.hpp"
#include "calibrate/cli/calibrate_cluster.hpp"
#include "calibrate/cli/calibrate_collectives.hpp"
#include "calibrate/cli/calibration_page.hpp"
#include "calibrate/cli/progress.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/measure/conditions.hpp"
#include "calibrate/measure/profile.hpp"
#include "calibrate/measure/run.hpp"
#include "calibrate/measure/sweep.hpp"
#include "cli/options.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "report/io/atomic_file.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "workload/model/model.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;
using calibration::Measured;

constexpr double quick_s = 45, usual_s = 270;  // for measuring; fitting takes the rest of a minute

struct Wanted {
  CommonOptions common;
  std::string backend, device, experiment, output, most;
  bool quick = false, cluster = false, collectives = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_common(description, wanted.common);
  auto add = description.add_options();
  add("backend", options::value(&wanted.backend)->default_value("cpu"));
  add("device", options::value(&wanted.device));
  add("for", options::value(&wanted.experiment));
  add("quick", options::bool_switch(&wanted.quick));
  add("cluster", options::bool_switch(&wanted.cluster));
  add("collectives", options::bool_switch(&wanted.collectives));
  add("maxbytes,e", options::value(&wanted.most));
  parse(arguments, description, nullptr, 0);
  CommonOptions others = wanted.common;
  if (!wanted.cluster && !wanted.collectives) others.html.clear();
  refuse_outputs(others, "calibrate");
  wanted.output = wanted.common.folder;
  if (wanted.backend != "cpu" && wanted.backend != "cuda")
    throw InputError(fmt::format("--backend '{}': one of cpu, cuda", wanted.backend));
  if (wanted.cluster && !(wanted.experiment.empty() && wanted.device.empty()))
    throw InputError("--cluster measures every device alike: without --for and --device");
  if (wanted.collectives && (wanted.cluster || !wanted.experiment.empty()))
    throw InputError("--collectives goes without --cluster and --for");
  if (!wanted.most.empty() && !wanted.collectives)
    throw InputError("--maxbytes is for --collectives");
  if (wanted.output.empty())
    wanted.output = wanted.cluster ? "cluster.yaml" : wanted.backend + ".yaml";
  if (fs::path(wanted.output).extension() != ".yaml")
    throw InputError(fmt::format("-o '{}': a profile's name ends in .yaml", wanted.output));
  return wanted;
}

/// Returns how the catalogue calls a GPU; the driver's name for it stands first.
std::string catalogue_name(const std::string& gpu) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"NVIDIA A100-SXM4-40GB", "a100-sxm-40g"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm-80g"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm"},
      {"NVIDIA H100 PCIe", "h100-pcie"},
      {"NVIDIA H200", "h200-sxm"},
      {"NVIDIA B200", "b200-sxm"},
      {"NVIDIA GB200", "gb200"},
      {"NVIDIA L40S", "l40s"}};
  for (const auto& [driver, catalogue] : known)
    if (driver == gpu) return std::string(catalogue);
  throw InputError(
      fmt::format("'{}' is not in the catalogue under this name: give --device NAME", gpu));
}

/// Files beside the profile: same name, another end.
std::string beside(const std::string& profile, const char* extension) {
  return fs::path(profile).replace_extension(extension).string();
}

/// A profile needs products, and a CPU has them in fp32 only.
void require_products(const std::vector<calibration::Point>& points, const Experiment& experiment,
                      bool gpu) {
  const bool some = std::any_of(points.begin(), points.end(), [](const calibration::Point& point) {
    return point.kernel == "gemm";
  });
  if (some || gpu || experiment.precision == DType::fp32) return;
  const config::Value* precision = experiment.document.find("precision");
  (precision ? *precision : experiment.document)
      .fail("a CPU multiplies in fp32: --set precision=fp32");
}

std::vector<calibration::Point> points_of(const calibration::Bench& bench, const Wanted& wanted,
                                          const Environment& environment) {
  const calibration::SweepOptions sweep{.gpu = bench.is_gpu(),
                                        .quick = wanted.quick,
                                        .fp8 = bench.why_no_fp8().empty(),
                                        .cudnn = bench.why_no_cudnn().empty()};
  if (wanted.experiment.empty()) return calibration::general_sweep(sweep);
  const config::Value document =
      load_experiment(wanted.experiment, wanted.common.assignments, environment);
  const Experiment experiment = read_experiment(resolve(document, environment.catalogue));
  if (experiment.synthetic) experiment.at("model").fail("a synthetic model has no kernels");
  const Prepared prepared = prepare(experiment, environment.catalogue, wanted.common.run);
  const Model& model = experiment.model_or_fail();
  const bool transformer = model.has_tokens() && !model.recurrent;
  std::vector<calibration::Point> points =
      calibration::sweep_for(lower(prepared.lowering(prepared.folding)), sweep,
                             transformer ? &model.transformer : nullptr);
  require_products(points, experiment, bench.is_gpu());
  return points;
}

/// Prints in what a GPU is not measured, and why.
void print_left_out(const calibration::Bench& bench) {
  if (!bench.is_gpu()) return;
  const auto say = [](const char* what, const std::string& reason) {
    if (!reason.empty()) tell("left out: {}: {}\n", what, reason);
  };
  say("products in fp8", bench.why_no_fp8());
  say("fused attention and convolutions in bf16", bench.why_no_cudnn());
}

/// Returns what an interrupted run of the same command measured.
std::vector<Measured> journal_of(const std::string& file) {
  std::error_code none;
  if (!fs::exists(file, none) || fs::file_size(file, none) == 0) return {};
  return calibration::read_csv(config::read_small_file(file), file);
}

std::vector<Measured> measure_all(calibration::Bench& bench, const Wanted& wanted,
                                  const Environment& environment) {
  const std::string journal = beside(wanted.output, "csv.part");
  const std::vector<calibration::Point> points = points_of(bench, wanted, environment);
  if (!wanted.common.quiet) print_left_out(bench);
  std::vector<Measured> all = journal_of(journal);
  if (!all.empty() && !wanted.common.quiet)
    tell("going on after {} points of {}\n", all.size(), journal);
  std::string text = calibration::csv_header();
  for (const Measured& m : all) text += calibration::csv_line(m);
  write_file(journal, text);
  std::ofstream out(journal, std::ios::app);
  ProgressLine line(!wanted.common.quiet && isatty(STDERR_FILENO));
  const size_t left =
      calibration::run_sweep(bench, points, all, {.most_s = wanted.quick ? quick_s : usual_s},
                             [&](const Measured& m, const calibration::Progress& progress) {
                               all.push_back(m);
                               if (!(out << calibration::csv_line(m) << std::flush))
                                 throw Failure(fmt::format("{}: cannot be written", journal));
                               line.show(progress, to_text(m.point));
                             });
  line.clear();
  if (left > 0 && !wanted.common.quiet)
    tell("time is up: {} of {} points were not measured\n", left, points.size());
  return all;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

Conditions conditions_of(calibration::Bench& bench, calibration::Watch& watch, const Device& device,
                         const std::vector<Measured>& measured, bool quick) {
  double launch_s = in_seconds(device.launch_overhead);
  for (const Measured& m : measured)
    if (m.point.kernel == "launch") launch_s = m.median_s;
  Conditions conditions = calibration::measure_conditions(
      bench, launch_s, device.memory_bandwidth.bytes_per_s, {.quick = quick});
  conditions.steadiness = watch.finish();
  return conditions;
}

/// The device of the catalogue that is measured, known before it is; empty for a CPU, unless it is
/// said to be one of them.
std::optional<config::Value> device_of_catalogue(const Wanted& wanted,
                                                 const calibration::Bench& bench,
                                                 const config::Catalogue& catalogue) {
  if (wanted.device.empty() && !bench.is_gpu()) return std::nullopt;
  config::Value name =
      config::scalar(wanted.device.empty() ? catalogue_name(bench.device_name()) : wanted.device);
  if (read_device(name, catalogue).processors == 0)
    throw InputError(fmt::format("device '{}' needs 'processors' to be calibrated", name.text));
  return name;
}

config::Value device_of_measurements(const Wanted& wanted, const calibration::Bench& bench,
                                     const std::vector<Measured>& measured) {
  const std::string name = fs::path(wanted.output).filename().replace_extension().string();
  return calibration::cpu_device(name, "one core of " + bench.device_name(), measured);
}

config::Value document_of(const config::Value& device, const calibration::Bench& bench,
                          const std::vector<Measured>& measured) {
  config::Value document{.kind = config::Value::Kind::map};
  document.set("schema", config::scalar(profile_schema));
  document.set("description", config::scalar("measured on " + bench.device_name()));
  document.set("origin", config::scalar("measured"));
  document.set("device", device.is_map() ? *device.find("name") : device);
  if (device.is_map()) document.set("measured_on", device);
  document.set("date", config::scalar(today()));
  document.set("software", config::scalar(bench.software()));
  config::Value training{.kind = config::Value::Kind::map};
  if (!bench.is_gpu()) training.set("steady", config::scalar("1"));
  if (const std::optional<double> rate = calibration::attention_backward(measured))
    training.set("attention_backward", config::scalar(fmt::format("{:.3g}", *rate)));
  document.set("training", std::move(training));
  return document;
}

/// Prints the kernels that stream: the fit's error, and what the largest reach.
void print_streams(const Profile& profile, const std::vector<Measured>& measured) {
  for (const StreamProfile& stream : profile.streams)
    for (const HeldOutError& error : stream.held_out)
      fmt::print("{} {}, held out of the fit: {}: {} points, median error {:.1f} %\n",
                 stream_name(stream.kernel), stream.gradient ? "gradients" : "forward",
                 error.points, error.count, 100 * error.median);
  std::string text;
  for (const calibration::Reached& reached :
       calibration::reached_bandwidth(measured, profile.device.memory_bandwidth))
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", reached.kernel, reached.fraction);
  fmt::print("of the memory's bandwidth, the largest reach: {}\n", text);
}

void print_summary(const Profile& profile, const std::vector<Measured>& measured,
                   const std::string& output) {
  size_t steady = 0;
  for (const Measured& m : measured) steady += m.steady ? 1 : 0;
  fmt::print("{} points, {} of them known to 1 %\n", measured.size(), steady);
  for (const GemmProfile& family : profile.gemm) {
    for (const HeldOutError& error : family.held_out) {
      fmt::print(
          "products in {}, held out of the fit: {}: {} points, median error {:.1f} %, "
          "95th percentile {:.1f} %\n",
          name_of(family.model.dtype()), error.points, error.count, 100 * error.median,
          100 * error.p95);
    }
  }
  if (profile.attention)
    for (const HeldOutError& error : profile.attention->held_out)
      fmt::print("fused attention, held out of the fit: {}: {} points, median error {:.1f} %\n",
                 error.points, error.count, 100 * error.median);
  print_streams(profile, measured);
  if (profile.conditions) fmt::print("{}", describe(*profile.conditions));
  fmt::print("{}\n", output);
}

int calibrate(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  if (wanted.cluster)
    return calibrate_cluster({wanted.backend, wanted.output, wanted.common.quiet});
  if (wanted.collectives)
    return calibrate_collectives({wanted.backend, wanted.output, wanted.device, wanted.most,
                                  wanted.quick, wanted.common.quiet},
                                 environment);
  const auto bench =
      wanted.backend == "cuda" ? calibration::cuda_bench() : calibration::cpu_bench();
  const std::optional<config::Value> known =
      device_of_catalogue(wanted, *bench, environment.catalogue);
  calibration::Watch watch(*bench);
  const std::vector<Measured> measured = measure_all(*bench, wanted, environment);
  const config::Value value = known ? *known : device_of_measurements(wanted, *bench, measured);
  const Device device = read_device(value, environment.catalogue);
  Profile profile = calibration::fit_profile(device, measured);
  profile.conditions = conditions_of(*bench, watch, device, measured, wanted.quick);
  config::Value document = document_of(value, *bench, measured);
  document.set("conditions", to_value(*profile.conditions));
  const fs::path points = beside(wanted.output, "points");
  set_kernels(document, profile, points.filename().string());
  std::string csv = calibration::csv_header();
  for (const Measured& m : measured) csv += calibration::csv_line(m);
  write_file(points.string(), points_text(profile));
  write_file(beside(wanted.output, "csv"), csv);
  write_yaml(wanted.output, config::to_yaml(document), "profile");
  if (!wanted.common.html.empty())
    write_file(wanted.common.html, [&](std::ostream& to) { write_html(profile, measured, to); });
  fs::remove(beside(wanted.output, "csv.part"));
  if (!wanted.common.quiet) print_summary(profile, measured, wanted.output);
  return 0;
}

}  // namespace

const Command live_program::command::calibrate_command{"calibrate", live_program::help_calibrate,
                                                       calibrate};

}  // namespace pipewright::cli
