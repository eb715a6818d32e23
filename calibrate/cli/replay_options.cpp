#include "calibrate/cli/replay_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright::cli {
namespace {

constexpr std::pair<std::string_view, kernels::Multiply> precisions[] = {
    {"fp32", kernels::Multiply::fp32},
    {"tf32", kernels::Multiply::tf32},
    {"bf16", kernels::Multiply::bf16}};

kernels::Multiply read_precision(const std::string& text) {
  for (const auto& [name, precision] : precisions)
    if (name == text) return precision;
  throw InputError(fmt::format("--multiply '{}': one of fp32, tf32, bf16", text));
}

/// Options that only a GPU understands.
void check_backend(const ReplayOptions& o, const options::variables_map& given) {
  if (o.backend != "cpu" && o.backend != "cuda")
    throw InputError(fmt::format("--backend '{}': one of cpu, cuda", o.backend));
  for (const char* option : {"partitions", "measure-partitions", "multiply"})
    if (given.count(option) && o.backend != "cuda")
      throw InputError(fmt::format("--{} needs --backend cuda", option));
  if (o.cuda.partitions < 0 || o.cuda.partitions > 64)
    throw InputError("--partitions: a number from 1 to 64");
  if (o.measure_partitions < 0 || o.measure_partitions > 64)
    throw InputError("--measure-partitions: a number from 1 to 64");
}

/// Checks what predictions are made from.
void check_profile(ReplayOptions& o) {
  const bool by_profile = !o.measures();
  if (o.measure_partitions > 0 && by_profile)
    throw InputError("--measure-partitions needs '--profile measure', which is the default");
  if (by_profile) o.common.assignments.push_back("profile=" + o.profile);
}

}  // namespace

ReplayOptions read_replay_options(const Arguments& arguments) {
  ReplayOptions o;
  o.cuda.partitions = 0;
  options::options_description description;
  add_common(description, o.common);
  auto add = description.add_options();
  add("experiment", options::value(&o.experiment)->default_value("example"));
  add("backend", options::value(&o.backend)->default_value("cpu"));
  add("compute", options::value(&o.compute)->default_value("auto"));
  add("schedules", options::value(&o.schedules));
  add("steps", options::value(&o.real.steps));
  add("repeat", options::value(&o.repetitions));
  add("learning-rate", options::value(&o.real.learning_rate));
  add("watchdog", options::value(&o.watchdog_s));
  add("partitions", options::value(&o.cuda.partitions));
  std::string precision = "fp32";
  add("multiply", options::value(&precision));
  add("profile", options::value(&o.profile));
  add("measure-partitions", options::value(&o.measure_partitions));
  const options::variables_map given = parse(arguments, description, "experiment", 1);
  check_backend(o, given);
  check_profile(o);
  if (!o.common.csv.empty() || !o.common.folder.empty())
    throw InputError("replay writes --json, --trace and --html, no CSV and no folder");
  o.cuda.multiply = read_precision(precision);
  const auto refuse = [](const std::string& message) { throw InputError(message); };
  if (o.compute != "auto" && o.compute != "real" && o.compute != "synthetic" &&
      o.compute != "timed")
    refuse(fmt::format("--compute '{}': one of real, synthetic, timed", o.compute));
  if (given.count("steps") && (o.real.steps < 1 || o.real.steps > 100'000))
    refuse("--steps: a number from 1 to 100000");
  if (o.repetitions < 1 || o.repetitions > 1000) refuse("--repeat: a number from 1 to 1000");
  if (!(o.watchdog_s >= 1 && o.watchdog_s <= 3600)) refuse("--watchdog: seconds, from 1 to 3600");
  if (!(o.real.learning_rate >= 0)) refuse("--learning-rate: a number above 0");
  o.real.seed = o.common.run.seed + 1;
  o.real.allow_commands = o.common.run.allow_commands;
  return o;
}

}  // namespace pipewright::cli
