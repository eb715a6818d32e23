#include <algorithm>
#include <filesystem>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/other_kind.hpp"
#include "cli/output.hpp"
#include "cli/output_files.hpp"
#include "cli/registry.hpp"
#include "cli/run_progress.hpp"
#include "report/csv/result.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/result.hpp"
#include "report/page/run.hpp"
#include "report/ranking/schedules.hpp"
#include "report/text/comparison.hpp"
#include "report/trace/trace.hpp"
#include "schedule/kinds/kinds.hpp"
#include "simulate/drawn_run.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {
namespace {

constexpr const char* built_in_example = "example";
constexpr const char* usual_schedules =
    "gpipe,1f1b,interleaved-1f1b,pipedream-2bw,terapipe,zb-h1,zb-v,dualpipe";

/// "trace.json" and "1f1b": "trace-1f1b.json".
std::string named_after(const std::string& path, std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c) && c != '-'; }, '-');
  const std::filesystem::path file(path);
  return file.parent_path() / (file.stem().string() + "-" + name + file.extension().string());
}

using Rows = std::vector<Row>;

class RowsOutcome : public ReportedOutcome<Rows> {
 public:
  RowsOutcome(Rows rows, config::Catalogue catalogue, RunOptions options)
      : ReportedOutcome(std::move(rows), [](const Rows& all) { return comparison_report(all); }),
        catalogue_(std::move(catalogue)),
        options_(std::move(options)) {}
  Forms forms() const override { return {.csv = true, .html = true, .trace = true}; }
  void html(std::ostream& out) const override {
    std::vector<Drawn> drawn;
    for (const Row& row : value())
      drawn.push_back(row.run ? drawn_run(*row.run, catalogue_, options_) : Drawn{});
    write_html(value(), drawn, out);
  }
  void trace(std::ostream& out) const override {
    std::vector<TracedRun> runs;
    for (const Row& row : value())
      if (row.run) runs.push_back({*row.run, row.schedule});
    write_trace(runs, out);
  }
  std::optional<size_t> best() const override {
    const std::vector<RankedSchedule> candidates = ranked(value());
    const RankedSchedule* found = to_take(candidates);
    for (size_t i = 0; found && i < value().size(); ++i) {
      const std::optional<Run>& run = value()[i].run;
      if (run && &run->result == found->result) return i;
    }
    return {};
  }
  /// Writes a file for each schedule.
  void save_trace(const std::string& path) const override {
    if (path == "-") return Outcome::save_trace(path);
    for (const Row& row : value())
      if (row.run)
        write_file(named_after(path, row.schedule),
                   [&](std::ostream& out) { write_trace(*row.run, out); });
  }

 private:
  config::Catalogue catalogue_;
  RunOptions options_;
};

/// Gives a plain name that is the experiment's own schedule the options that it has there.
void take_own_options(const config::Value& experiment, std::vector<config::Value>& asked) {
  const config::Value* own = experiment.find("schedule");
  const config::Value* name = own && own->is_map() ? own->find("name") : nullptr;
  const schedule::Kind* kind = name ? schedule::find_kind(name->text) : nullptr;
  for (config::Value& one : asked)
    if (kind && one.is_scalar() && schedule::find_kind(one.text) == kind) one = *own;
}

RowsOutcome compared(const Arguments& arguments, const Environment& environment,
                     CommonOptions& common) {
  options::options_description description;
  add_common(description, common);
  add_format(description, common);
  std::string name, schedules;
  description.add_options()("experiment", options::value(&name)->default_value(built_in_example));
  description.add_options()("schedules",
                            options::value(&schedules)->default_value(usual_schedules));
  common.run.jobs = parse(arguments, description, "experiment", 1)["jobs"].as<int>();
  const config::Value experiment = environment.catalogue.resolve(
      "experiments", load_experiment(name, common.assignments, environment));
  check_output_files(common, experiment);
  refuse_without_schedule(experiment, "compare");
  common.run.stop = environment.caller.stop;
  std::vector<config::Value> asked = read_schedules(schedules);
  take_own_options(experiment, asked);
  const Caller& caller = environment.caller;
  RunProgress line(!common.quiet);
  return RowsOutcome(compare_schedules(experiment, asked, environment.catalogue, common.run,
                                       [&](size_t ended) {
                                         const auto done = static_cast<int64_t>(ended),
                                                    total = static_cast<int64_t>(asked.size());
                                         caller.progress ? caller.progress(done, total)
                                                         : line.show(done, total);
                                       }),
                     environment.catalogue, common.run);
}

int compare(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  const RowsOutcome outcome = compared(arguments, environment, common);
  write_outcome(outcome, common);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  return std::make_unique<RowsOutcome>(compared(arguments, environment, common));
}

}  // namespace

const Command command::compare_command{
    .name = "compare",
    .help = help_compare,
    .run = compare,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("experiments"); }};

}  // namespace pipewright::cli
