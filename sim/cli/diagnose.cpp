#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text.hpp"
#include "cli/against_experiment.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "diagnose/rebuilt_job.hpp"
#include "diagnose/run_change.hpp"
#include "diagnose/run_operations.hpp"
#include "diagnose/trace_files.hpp"
#include "experiment/anchor.hpp"
#include "interop/words.hpp"
#include "report/csv/diagnosis.hpp"
#include "report/json/diagnosis.hpp"
#include "report/page/diagnosis.hpp"
#include "report/text/diagnosis.hpp"
#include "report/trace/trace.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {
namespace {

constexpr int most_layers = 10'000;

struct Wanted {
  Outputs outputs;
  std::vector<std::string> traces, against, assignments;
  std::string experiment, anchor, rebuilt;
  diagnose::KnownBesides known;
};

/// "32", or "8,8,9,7".
diagnose::KnownLayers read_layers(const std::string& text) {
  diagnose::KnownLayers layers;
  for (const std::string_view word : interop::split(text, ",", true)) {
    const auto count = interop::number_of<int>(word);
    if (!count || *count < 0 || *count > most_layers)
      throw InputError(fmt::format(
          "--layers '{}' must be the layers of the model, or of each stage as in 8,8,9,7", text));
    layers.push_back(*count);
  }
  if (layers == diagnose::KnownLayers{0})
    throw InputError(
        "--layers 0 is no model: give its layers, or those of each stage as in 8,8,9,7");
  return layers;
}

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  auto add = description.add_options();
  add("traces", options::value(&wanted.traces));
  add("against", options::value(&wanted.against)->composing());
  add("experiment", options::value(&wanted.experiment));
  add("anchor", options::value(&wanted.anchor));
  add("set", options::value(&wanted.assignments)->composing());
  add("json", options::value(&wanted.outputs.json));
  add("output,o", options::value(&wanted.rebuilt));
  add("csv", options::value(&wanted.outputs.csv));
  add("html", options::value(&wanted.outputs.html));
  std::vector<std::string> flights;
  add("flight-recorder", options::value(&flights)->composing());
  std::string layers;
  add("layers", options::value(&layers));
  add("quiet,q", options::bool_switch(&wanted.outputs.quiet));
  add_format(description, wanted.outputs);
  parse(arguments, description, "traces", -1);
  if (!layers.empty()) wanted.known.layers = read_layers(layers);
  wanted.known.flights = read_flight_records(flights);
  if (wanted.traces.empty()) throw InputError("diagnose needs a TRACE: what a profiler wrote");
  if (!wanted.anchor.empty() && wanted.experiment.empty())
    throw InputError("--anchor corrects the EXPERIMENT of --experiment, and there is none");
  return wanted;
}

/// What the anchor says, and what the experiment is with it.
std::string anchor_note(const std::string& path, const AnchorFit& fit) {
  const AnchorParts& factors = fit.anchor.factors;
  return fmt::format(
      "{}: kernels take {:.3f} times as long as predicted, the network between nodes {:.3f}, hosts "
      "{:.3f}; with 'anchor: {}' the step is predicted as {}, and {} were measured",
      path, factors[0], factors[1], factors[2], path, human_time(fit.runs.front().anchored_s),
      human_time(fit.runs.front().measured_s));
}

class DiagnosisOutcome : public ReportedOutcome<Diagnosis> {
 public:
  explicit DiagnosisOutcome(Diagnosis diagnosis)
      : ReportedOutcome(std::move(diagnosis), diagnosis_report) {}
  void save_experiment(const std::string& path) const override {
    write_yaml(path, diagnose::experiment_of(value()), "experiment");
  }
};

/// Adds the prediction, and writes the anchor. An anchor of another job would mislead.
void hold_against(const Wanted& wanted, const Environment& environment, Diagnosis& diagnosis) {
  const config::Value experiment =
      load_experiment(wanted.experiment, wanted.assignments, environment);
  std::vector<std::string> differences = add_prediction(experiment, environment, diagnosis);
  if (!wanted.anchor.empty()) {
    if (!differences.empty())
      throw InputError({wanted.experiment, 0, 0},
                       "no anchor is made of another job: " + differences.front());
    const AnchorFit fit = anchor_of(experiment, environment, diagnosis);
    write_yaml(wanted.anchor, config::to_yaml(anchor_document(fit)), "anchor");
    diagnosis.notes.push_back(anchor_note(wanted.anchor, fit));
  }
  std::ranges::move(differences, std::back_inserter(diagnosis.notes));
}

/// Whether `name` is an experiment, in place of a trace: a YAML file, or a dict of Python.
bool is_experiment(const std::string& name, const Wanted& wanted, const Environment& environment) {
  return name.ends_with(".yaml") || name.ends_with(".yml") ||
         (name == "-" && environment.document && wanted.experiment != "-");
}

/// Whether experiments stand in place of traces. Throws InputError where only some do, or too many.
bool names_experiments(const Wanted& wanted, const Environment& environment) {
  const auto is_one = [&](const std::string& name) {
    return is_experiment(name, wanted, environment);
  };
  const auto first = std::ranges::find_if(wanted.traces, is_one);
  if (first == wanted.traces.end()) return false;
  if (!wanted.against.empty() || !wanted.known.flights.empty())
    throw InputError({*first, 0, 0},
                     "is an experiment: --against and --flight-recorder go with traces");
  if (!std::ranges::all_of(wanted.traces, is_one))
    throw InputError({*first, 0, 0},
                     "is an experiment and not a trace: diagnose it by itself or beside another "
                     "experiment");
  if (wanted.traces.size() > 2)
    throw InputError({wanted.traces[2], 0, 0},
                     "is a third experiment: give one, or two to hear what the second changes");
  return true;
}

/// What 'simulate --trace' would write of the experiment is diagnosed.
Diagnosis diagnose_experiment(const std::string& name, const Wanted& wanted,
                              const Environment& environment) {
  const config::Value experiment = environment.catalogue.resolve(
      "experiments", load_experiment(name, wanted.assignments, environment));
  const Run run =
      run_experiment(experiment, environment.catalogue, {.stop = environment.caller.stop});
  std::ostringstream trace;
  write_trace(run, trace);
  const RunTrace read = read_run_trace(PackedInput(name, std::move(trace).str()));
  return diagnose::diagnose_job(diagnose::job_of(read), name, wanted.known.layers);
}

/// Adds what changed since `before`.
void add_change(const Diagnosis& before, Diagnosis& diagnosis) {
  diagnosis.change = diagnose::change_between(before, diagnosis);
  for (const std::string& note : before.notes) diagnosis.notes.push_back("before: " + note);
}

Diagnosis diagnose_experiments_of(const Wanted& wanted, const Environment& environment) {
  Diagnosis diagnosis = diagnose_experiment(wanted.traces.back(), wanted, environment);
  if (wanted.traces.size() > 1)
    add_change(diagnose_experiment(wanted.traces.front(), wanted, environment), diagnosis);
  return diagnosis;
}

Diagnosis diagnose_traces_of(const Wanted& wanted) {
  if (!wanted.assignments.empty() && wanted.experiment.empty())
    throw InputError("--set changes the EXPERIMENT of --experiment, and there is none");
  diagnose::NamedRuns runs{wanted.against, wanted.traces};
  if (runs.before.empty()) runs = diagnose::runs_of(wanted.traces);
  Diagnosis diagnosis = diagnose::diagnose_files(runs.after, wanted.known);
  if (!runs.before.empty()) add_change(diagnose::diagnose_files(runs.before), diagnosis);
  return diagnosis;
}

DiagnosisOutcome diagnosed(const Wanted& wanted, const Environment& environment) {
  Diagnosis diagnosis = names_experiments(wanted, environment)
                            ? diagnose_experiments_of(wanted, environment)
                            : diagnose_traces_of(wanted);
  if (!wanted.known.layers.empty() && !diagnosis.no_layout.empty())
    diagnosis.notes.push_back("--layers changes nothing: " + diagnosis.no_layout);
  if (!wanted.experiment.empty()) hold_against(wanted, environment, diagnosis);
  return DiagnosisOutcome(std::move(diagnosis));
}

int diagnose_traces(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  const DiagnosisOutcome outcome = diagnosed(wanted, environment);
  if (!wanted.rebuilt.empty()) outcome.save_experiment(wanted.rebuilt);
  write_outcome(outcome, wanted.outputs);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  return std::make_unique<DiagnosisOutcome>(diagnosed(read_options(arguments), environment));
}

}  // namespace

const Command command::diagnose_command{
    .name = "diagnose", .help = help_diagnose, .run = diagnose_traces, .ask = ask};

}  // namespace pipewright::cli
