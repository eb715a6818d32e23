#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {
namespace {

constexpr const char* built_in_example = "example";
constexpr const char* usual_schedules =
    "gpipe,1f1b,interleaved-1f1b,pipedream-2bw,terapipe,zb-h1,zb-v,dualpipe";

int compare(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::string name, schedules;
  description.add_options()("experiment", options::value(&name)->default_value(built_in_example));
  description.add_options()("schedules",
                            options::value(&schedules)->default_value(usual_schedules));
  parse(arguments, description, "experiment", 1);
  const config::Value experiment = load_experiment(name, common.assignments, environment);
  write_rows(
      compare_schedules(experiment, read_schedules(schedules), environment.catalogue, common.run),
      common);
  return 0;
}

}  // namespace

const Command command::compare_command{"compare", help_compare, compare};

}  // namespace pipewright::cli
