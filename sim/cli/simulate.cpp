#include "simulate/run.hpp"

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/output_files.hpp"
#include "cli/registry.hpp"
#include "cli/waiting_line.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "machine/machine_cache.hpp"
#include "report/csv/result.hpp"
#include "report/json/result.hpp"
#include "report/page/run.hpp"
#include "report/text/summary.hpp"
#include "report/trace/trace.hpp"
#include "simulate/drawn_run.hpp"
#include "simulate/quick_run.hpp"
#include "simulate/remedies.hpp"

namespace pipewright::cli {
namespace {

/// The events of a run that is simulated again for its summary.
constexpr uint64_t few_events = 500'000;

class RunOutcome : public Outcome {
 public:
  RunOutcome(Run run, config::Value given, bool verbose, config::Catalogue catalogue,
             RunOptions options)
      : run_(std::move(run)),
        given_(std::move(given)),
        verbose_(verbose),
        catalogue_(std::move(catalogue)),
        options_(std::move(options)) {}
  Forms forms() const override { return {.csv = true, .html = true, .trace = true}; }
  void json(std::ostream& out) const override { out << json_text(run_.result); }
  void csv(std::ostream& out) const override { out << csv_text(run_.result); }
  Report report(size_t columns) const override {
    return summary_report(
        run_, {.columns = columns, .verbose = verbose_, .given = &given_, .gains = gains_});
  }
  void html(std::ostream& out) const override {
    write_html(run_, drawn_run(run_, catalogue_, options_), given_, out);
  }
  void trace(std::ostream& out) const override { write_trace(run_, out); }
  void save_experiment(const std::string& path) const override {
    write_yaml(path, config::to_yaml(run_.result.experiment.value()), "experiment");
  }

  /// Simulates what the iteration would gain without each cost, for the text alone.
  void find_gains() {
    if (options_.if_free || run_.result.cost.events > few_events) return;
    const WaitingLine line(true);
    RunOptions options = options_;
    options.if_free = true;
    gains_ = run_quickly(without_variation(given_), catalogue_, options).metrics.detail.if_free;
  }

 private:
  Run run_;
  config::Value given_;
  bool verbose_;
  config::Catalogue catalogue_;
  RunOptions options_;
  std::optional<IfFree> gains_;
};

/// Tells whether a form that has remedies is asked for: nobody waits for what nobody reads.
bool shows_remedies(const Outputs& outputs) {
  return !outputs.quiet || outputs.format != "text" || !outputs.json.empty() ||
         !outputs.html.empty() || !outputs.folder.empty();
}

RunOutcome simulated(const Arguments& arguments, const Environment& environment,
                     CommonOptions& common) {
  options::options_description description;
  add_common(description, common);
  std::string name;
  bool verbose = false;
  description.add_options()("verbose,v", options::bool_switch(&verbose));
  add_format(description, common);
  description.add_options()("experiment", options::value(&name));
  common.run.jobs = parse(arguments, description, "experiment", 1)["jobs"].as<int>();
  if (name.empty()) throw InputError("simulate needs an EXPERIMENT: a file or a catalogue name");
  config::Value experiment = environment.catalogue.resolve(
      "experiments", load_experiment(name, common.assignments, environment));
  check_output_files(common, experiment);
  common.run.stop = environment.caller.stop;
  common.run.machines = std::make_shared<MachineCache>();  // for what is simulated again
  const WaitingLine line(!common.quiet && !environment.caller.progress);
  Run run = run_experiment(experiment, environment.catalogue, common.run);
  if (shows_remedies(common))
    add_remedies(experiment, run.result, environment.catalogue, common.run);
  return RunOutcome(std::move(run), std::move(experiment), verbose, environment.catalogue,
                    common.run);
}

int simulate(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  RunOutcome outcome = simulated(arguments, environment, common);
  if (prints_text(common)) outcome.find_gains();
  write_outcome(outcome, common);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  return std::make_unique<RunOutcome>(simulated(arguments, environment, common));
}

}  // namespace

const Command command::simulate_command{
    .name = "simulate",
    .help = help_simulate,
    .run = simulate,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("experiments"); }};

}  // namespace pipewright::cli
