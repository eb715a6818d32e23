#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"

namespace pipewright::cli {
namespace {

int check(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::vector<std::string> files;
  description.add_options()("files", options::value(&files));
  parse(arguments, description, "files", -1);
  refuse_outputs(common, "check");
  if (files.empty()) throw InputError("check needs at least one FILE");
  std::string problems;
  for (const std::string& file : files) {
    try {
      const config::Value experiment = load_experiment(file, common.assignments, environment);
      for (const std::string& problem :
           problems_of(experiment, environment.catalogue, common.run)) {
        problems += problem + "\n";
      }
    } catch (const InputError& error) {
      problems += fmt::format("{}\n", error.what());
    }
  }
  fmt::print(stderr, "{}", problems);
  if (problems.empty() && !common.quiet)
    fmt::print("{} file{} without problems\n", files.size(), files.size() == 1 ? "" : "s");
  return problems.empty() ? 0 : 2;
}

}  // namespace

const Command command::check_command{"check", help_check, check};

}  // namespace pipewright::cli
