#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/other_kind.hpp"
#include "cli/outcome.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "experiment/anchor.hpp"
#include "report/text/anchor.hpp"
#include "study/anchor_fit.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  Outputs outputs;
  std::vector<std::string> runs, assignments;
  std::string anchor;
  int jobs = 0;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_format(description, wanted.outputs);
  auto add = description.add_options();
  add("runs", options::value(&wanted.runs)->composing());
  add("set", options::value(&wanted.assignments)->composing());
  add("json", options::value(&wanted.outputs.json));
  add("output,o", options::value(&wanted.anchor));
  add("jobs", options::value(&wanted.jobs)->default_value(0));
  add("quiet,q", options::bool_switch(&wanted.outputs.quiet));
  parse(arguments, description, "runs", -1);
  if (wanted.runs.empty()) throw InputError("fit needs RUNS, YAML files of measured runs");
  return wanted;
}

/// The document is the anchor, the text says what it holds and where it is from.
class FitOutcome final : public DocumentOutcome {
 public:
  explicit FitOutcome(AnchorFit fit)
      : DocumentOutcome(anchor_document(fit)), fit_(std::move(fit)) {}
  Report report(size_t) const override { return anchor_report(fit_); }
  std::string yaml() const { return config::to_yaml(anchor_document(fit_)); }

 private:
  AnchorFit fit_;
};

FitOutcome fitted(const Wanted& wanted, const Environment& environment) {
  std::vector<MeasuredRun> runs;
  for (const std::string& name : wanted.runs) {
    const config::Value document = load_document(name, "validation", environment);
    refuse_other_kind(document, name, DocumentKind::measured, environment.catalogue);
    std::ranges::move(read_measured_runs(document), std::back_inserter(runs));
  }
  for (MeasuredRun& run : runs)
    for (const std::string& assignment : wanted.assignments)
      config::set_path(run.experiment, assignment);
  return FitOutcome(fit_anchor(std::move(runs), environment.catalogue,
                               {.stop = environment.caller.stop}, wanted.jobs));
}

int fit(const Arguments& arguments, const Environment& environment) {
  Wanted wanted = read_options(arguments);
  const FitOutcome outcome = fitted(wanted, environment);
  if (!wanted.anchor.empty()) write_yaml(wanted.anchor, outcome.yaml(), "anchor");
  if (wanted.anchor == "-") wanted.outputs.quiet = true;
  write_outcome(outcome, wanted.outputs);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  return std::make_unique<FitOutcome>(fitted(read_options(arguments), environment));
}

}  // namespace

const Command command::fit_command{.name = "fit", .help = help_fit, .run = fit, .ask = ask};

}  // namespace pipewright::cli
