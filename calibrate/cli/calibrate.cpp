#include "calibrate/cli/calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "calibrate/cli/progress.hpp"
#include "calibrate/measure/run.hpp"
#include "calibrate/measure/sweep.hpp"
#include "cli/options.hpp"
#include "report/atomic_file.hpp"
#include "study/prepare.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;
using calibration::Measured;

constexpr double quick_s = 45, usual_s = 270;  // for measuring; fitting takes the rest of a minute

struct Wanted {
  CommonOptions common;
  std::string backend, experiment, output;
  bool quick = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_common(description, wanted.common);
  auto add = description.add_options();
  add("backend", options::value(&wanted.backend)->default_value("cpu"));
  add("for", options::value(&wanted.experiment));
  add("quick", options::bool_switch(&wanted.quick));
  parse(arguments, description, nullptr, 0);
  wanted.output = wanted.common.folder;
  if (wanted.backend != "cpu" && wanted.backend != "cuda")
    throw InputError(fmt::format("--backend '{}': one of cpu, cuda", wanted.backend));
  if (wanted.output.empty()) wanted.output = wanted.backend + ".csv";
  if (fs::path(wanted.output).extension() != ".csv")
    throw InputError(fmt::format("-o '{}': the file's name ends in .csv", wanted.output));
  return wanted;
}

/// The file beside the output with another end.
std::string beside(const std::string& output, const char* extension) {
  return fs::path(output).replace_extension(extension).string();
}

std::vector<calibration::Point> points_of(const Wanted& wanted, const Environment& environment) {
  const calibration::SweepOptions sweep{.gpu = wanted.backend == "cuda", .quick = wanted.quick};
  if (wanted.experiment.empty()) return calibration::general_sweep(sweep);
  const config::Value document =
      load_experiment(wanted.experiment, wanted.common.assignments, environment);
  const Experiment experiment = read_experiment(resolve(document, environment.catalogue));
  if (experiment.synthetic) experiment.at("model").fail("a synthetic model has no kernels");
  const Prepared prepared = prepare(experiment, environment.catalogue, wanted.common.run);
  return calibration::sweep_for(lower(prepared.lowering()), sweep);
}

/// What an interrupted run of the same command measured.
std::vector<Measured> journal_of(const std::string& file) {
  std::error_code none;
  if (!fs::exists(file, none) || fs::file_size(file, none) == 0) return {};
  return calibration::read_csv(config::read_file(file), file);
}

std::vector<Measured> measure_all(calibration::Bench& bench, const Wanted& wanted,
                                  const Environment& environment) {
  const std::string journal = beside(wanted.output, "csv.part");
  const std::vector<calibration::Point> points = points_of(wanted, environment);
  std::vector<Measured> all = journal_of(journal);
  if (!all.empty() && !wanted.common.quiet)
    fmt::print(stderr, "going on after {} points of {}\n", all.size(), journal);
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
    fmt::print(stderr, "time is up: {} of {} points were not measured\n", left, points.size());
  return all;
}

void print_summary(const std::vector<Measured>& measured, const std::string& output) {
  size_t steady = 0;
  for (const Measured& m : measured) steady += m.steady ? 1 : 0;
  fmt::print("{} points, {} of them known to 1 %\n{}\n", measured.size(), steady, output);
}

}  // namespace

int calibrate(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  const auto bench =
      wanted.backend == "cuda" ? calibration::cuda_bench() : calibration::cpu_bench();
  const std::vector<Measured> measured = measure_all(*bench, wanted, environment);
  std::string csv = calibration::csv_header();
  for (const Measured& m : measured) csv += calibration::csv_line(m);
  write_file(wanted.output, csv);
  fs::remove(beside(wanted.output, "csv.part"));
  if (!wanted.common.quiet) print_summary(measured, wanted.output);
  return 0;
}

}  // namespace pipewright::cli
