#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/tell.hpp"
#include "cli/document_kind.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cost/profile.hpp"
#include "experiment/anchor.hpp"
#include "machine/run_options.hpp"
#include "network/nccl/network_profile.hpp"
#include "network/nccl/profile.hpp"
#include "run/prepare.hpp"
#include "schedule/rules/rules.hpp"
#include "simulate/run.hpp"
#include "study/study_problems.hpp"
#include "study/validate.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/node.hpp"
#include "workload/model/model.hpp"

namespace pipewright::cli {
namespace {

using Problems = std::vector<std::string>;

/// Returns for each setting the first point that has it: all that a study says, without all
/// combinations.
std::vector<const StudyPoint*> points_to_check(const Study& study) {
  std::set<const Setting*> seen;
  std::vector<const StudyPoint*> points;
  for (const StudyPoint& point : study.points) {
    bool is_new = point.settings.empty();
    for (const auto& setting : point.settings) is_new |= seen.insert(setting.get()).second;
    if (is_new) points.push_back(&point);
  }
  return points;
}

/// Combinations that cannot be are no mistakes of a study: 'sweep' lists them with their reasons.
bool cannot_be(const config::Value& document, const config::Catalogue& catalogue,
               const RunOptions& options) {
  try {
    const Experiment experiment = read_experiment(resolve(document, catalogue));
    if (experiment.has_schedule() && !experiment.peers) prepare(experiment, catalogue, options);
  } catch (const Misfit&) {
    return true;
  } catch (const InputError&) {  // a mistake
  }
  return false;
}

void add_new(std::string problem, Problems& problems) {
  if (std::ranges::find(problems, problem) == problems.end())
    problems.push_back(std::move(problem));
}

Problems problems_of_study(const config::Value& document, const config::Catalogue& catalogue,
                           const RunOptions& options) {
  Problems problems;
  const std::optional<Study> study = readable_study(document, catalogue, problems);
  if (!study) return problems;
  for (const StudyPoint* point : points_to_check(*study)) {
    try {
      const config::Value experiment = experiment_of(*study, *point);
      if (cannot_be(experiment, catalogue, options)) continue;
      for (std::string& problem : problems_of(experiment, catalogue, options))
        add_new(std::move(problem), problems);
    } catch (const InputError& error) {
      add_new(error.what(), problems);
    }
  }
  return problems;
}

Problems problems_of_runs(const config::Value& document, const config::Catalogue& catalogue,
                          const RunOptions& options) {
  Problems problems;
  for (const MeasuredRun& run : read_measured_runs(document))
    std::ranges::move(problems_of(run.experiment, catalogue, options),
                      std::back_inserter(problems));
  return problems;
}

/// The shape that rules files are checked for.
constexpr int checked_ranks = 4, checked_micro_batches = 8;

/// Builds the schedule of a rules file for that shape. Returns why the file does not suit it, which
/// is no problem of the file.
std::optional<std::string> unsuited(const config::Value& document) {
  config::Value spec{.kind = config::Value::Kind::map, .mark = document.mark};
  spec.set("rules", document);
  try {
    schedule::build_from_rules({.ranks = checked_ranks, .micro_batches = checked_micro_batches},
                               spec);
  } catch (const Misfit& misfit) {
    return misfit.message();
  }
  return std::nullopt;
}

/// What a check of a rules file says of itself; empty for other files.
std::string note_of_rules(const config::Value& document, const std::string& file,
                          const config::Catalogue& catalogue) {
  if (kind_of(document, catalogue) != DocumentKind::rules) return {};
  const std::string shape = fmt::format("p = {}, m = {}", checked_ranks, checked_micro_batches);
  if (const std::optional<std::string> why = unsuited(document))
    return fmt::format("{}: its orders were not checked with {}: {}\n", file, shape, *why);
  return fmt::format("{}: checked with {}\n", file, shape);
}

/// Tells whether the document is an experiment that lacks nothing but a schedule, which 'plan'
/// chooses.
bool is_for_plan(const config::Value& document, const config::Catalogue& catalogue) {
  if (kind_of(document, catalogue) != DocumentKind::experiment) return false;
  const config::Value whole = catalogue.resolve("experiments", document);
  return whole.find("model") && whole.find("cluster") && !whole.find("schedule") &&
         !whole.find("peers") && !whole.find("trace") && !whole.find("traffic");
}

/// Throws InputError for what can be told by its first mistake only.
Problems problems_in(const config::Value& document, const config::Catalogue& catalogue,
                     const RunOptions& options) {
  switch (kind_of(document, catalogue)) {
    case DocumentKind::study:
      return problems_of_study(document, catalogue, options);
    case DocumentKind::profile:
      read_profile(catalogue.resolve("profiles", document), catalogue);
      read_collective_profile(document, catalogue);
      return {};
    case DocumentKind::network:
      read_network_profile(document);
      return {};
    case DocumentKind::measured:
      return problems_of_runs(document, catalogue, options);
    case DocumentKind::anchor:
      read_anchor(document);
      return {};
    case DocumentKind::rules:
      unsuited(document);
      return {};
    case DocumentKind::model:
      read_model(catalogue.resolve("models", document));
      return {};
    case DocumentKind::cluster:
      read_cluster(document, catalogue);
      return {};
    case DocumentKind::node:
      read_node(document, catalogue);
      return {};
    case DocumentKind::device:
      read_device(document, catalogue);
      return {};
    case DocumentKind::experiment:
      break;
  }
  return problems_of(document, catalogue, options);
}

/// Throws for a file of cells without keys.
void refuse_cells(const config::Value& document, const std::string& file) {
  if (!document.is_scalar() || document.text.find(',') == std::string::npos) return;
  document.fail(fmt::format(
      "has no keys; 'pipewright import torch-csv {}' reads PyTorch's CSV of a schedule", file));
}

int check(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::vector<std::string> files;
  description.add_options()("files", options::value(&files));
  parse(arguments, description, "files", -1);
  refuse_outputs(common, "check");
  if (files.empty()) throw InputError("check needs at least one FILE");
  std::string problems, notes;
  for (const std::string& file : files) {
    try {
      config::Value document = load_document(file, "experiments", environment);
      for (const std::string& assignment : common.assignments)
        config::set_path(document, assignment);
      refuse_cells(document, file);
      if (is_for_plan(document, environment.catalogue)) {
        document.set("schedule", config::scalar("1f1b"));
        notes += fmt::format("{}: no schedule: 'plan' chooses one, other commands need it\n", file);
      }
      notes += note_of_rules(document, file, environment.catalogue);
      for (const std::string& problem : problems_in(document, environment.catalogue, common.run))
        problems += problem + "\n";
    } catch (const InputError& error) {
      problems += fmt::format("{}\n", error.what());
    }
  }
  tell("{}", problems);
  if (problems.empty() && !common.quiet)
    fmt::print("{}{} file{} without problems\n", notes, files.size(), files.size() == 1 ? "" : "s");
  return problems.empty() ? 0 : 2;
}

}  // namespace

const Command command::check_command{"check", help_check, check};

}  // namespace pipewright::cli
