#include "cli/sweep_request.hpp"

#include "base/tell.hpp"
#include "machine/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/other_kind.hpp"
#include "cli/output.hpp"
#include "cli/run_progress.hpp"
#include "experiment/option_texts.hpp"

namespace pipewright::cli {
namespace {

std::atomic<bool> interrupted = false;  // a signal handler reaches nothing else

/// Throws for a key inside an experiment that the study gives by its name alone.
void refuse_key_of_name(const config::Value& study, std::string_view assignment) {
  const config::Value* experiment = study.find("experiment");
  if (!experiment || !experiment->is_scalar() || !assignment.starts_with("experiment.")) return;
  throw InputError(fmt::format(
      "--set {}: the study names '{}'; with 'experiment: {{base: {}}}' its keys can be set",
      assignment, experiment->text, experiment->text));
}

/// Throws for a key of experiments that stands where the study's own keys do.
void refuse_key_of_experiment(const config::Value& study, std::string_view assignment) {
  const std::string_view path = assignment.substr(0, assignment.find('='));
  const std::string_view first = path.substr(0, path.find('.'));
  constexpr std::string_view own[] = {"description", "experiment", "vary",
                                      "cases",       "objective",  "screen"};
  const auto is_first = [&](const OptionText& option) {
    return option.path.substr(0, option.path.find('.')) == first;
  };
  if (std::ranges::count(own, first) > 0 || std::ranges::none_of(option_texts(), is_first)) return;
  refuse_key_of_name(study, fmt::format("experiment.{}", assignment));
  throw InputError(
      fmt::format("--set {}: '{}' is a key of the study's experiment: --set experiment.{} sets it",
                  assignment, first, assignment));
}

}  // namespace

SweepRequest read_sweep(const Arguments& arguments, const Environment& environment) {
  SweepRequest request;
  options::options_description description;
  add_common(description, request.common);
  add_format(description, request.common);
  std::string name, shard = "1/1";
  auto add = description.add_options();
  add("study", options::value(&name));
  add("store", options::value(&request.store));
  add("shard", options::value(&shard));
  const options::variables_map values = parse(arguments, description, "study", 1);
  request.jobs = values["jobs"].as<int>();
  if (name.empty())
    throw InputError("sweep needs a STUDY: a file, or a name of 'pipewright list studies'");
  config::Value document = load_document(name, "studies", environment);
  refuse_other_kind(document, name, DocumentKind::study, environment.catalogue);
  for (const std::string& assignment : request.common.assignments) {
    refuse_key_of_name(document, assignment);
    refuse_key_of_experiment(document, assignment);
    config::set_path(document, assignment);
  }
  request.study = read_study(document, environment.catalogue);
  std::tie(request.shard, request.shards) = read_shard(shard);
  return request;
}

std::string results_depend_on(const SweepRequest& request) {
  const RunOptions& run = request.common.run;
  return fmt::format("{}# seed {}, {}{}\n", request.study.text, run.seed,
                     run.fold ? "folded" : "every rank",
                     run.expand_collectives ? ", collectives expanded" : "");
}

std::unique_ptr<SweepOutcome> swept(const SweepRequest& request, const Environment& environment,
                                    decltype(SweepOptions::spread) spread) {
  SweepStore store(request.store, {results_depend_on(request), std::string(version)});
  const Caller& caller = environment.caller;
  RunProgress line(!request.common.quiet);
  sweep(request.study, environment.catalogue,
        {.run = request.common.run,
         .jobs = request.jobs,
         .shard = request.shard,
         .shards = request.shards,
         .progress =
             [&](const SweepProgress& progress) {
               caller.progress ? caller.progress(progress.done, progress.total)
                               : line.show(progress.done, progress.total, progress.found);
             },
         .stop = caller.stop,
         .spread = std::move(spread)},
        store);
  return std::make_unique<SweepOutcome>(request.study, std::move(store));
}

int run_sweep(const SweepRequest& request, const Environment& environment,
              decltype(SweepOptions::spread) spread) {
  interrupted = false;
  const auto before = std::signal(SIGINT, [](int) { interrupted = true; });
  Environment interruptible = environment;
  interruptible.caller.stop = &interrupted;
  const std::unique_ptr<SweepOutcome> outcome = swept(request, interruptible, std::move(spread));
  std::signal(SIGINT, before);
  if (interrupted) {
    tell("interrupted; {}\n", request.store.empty() ? "nothing is kept without --store"
                                                    : "the same command goes on from here");
    return interrupted_status;
  }
  write_outcome(*outcome, request.common, "results");
  return 0;
}

}  // namespace pipewright::cli
