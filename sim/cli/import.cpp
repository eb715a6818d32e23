#include <fmt/format.h>

#include <filesystem>

#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "interop/goal.hpp"
#include "report/atomic_file.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::cli {
namespace {

/// `file` as it is called from the folder of `out`.
std::string path_from(const std::string& out, const std::string& file) {
  if (out == "-" || file == "-") return file;
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  return std::filesystem::proximate(file, folder.empty() ? "." : folder).string();
}

/// An experiment that runs the trace `file`, once that is known to be sound.
std::string experiment_of_goal(const std::string& file, const std::string& out) {
  const goal::Goal goal = goal::read_file(file);
  goal::check(goal);
  config::Value document;
  document.set("trace", {}).set("goal", config::scalar(path_from(out, file)));
  config::Value& cluster = document.set("cluster", {});
  cluster.set("devices", config::number(static_cast<int64_t>(goal.ranks.size())));
  config::Value& link = cluster.set("link", {});
  link.set("latency", config::scalar("5 us"));
  link.set("bandwidth", config::scalar("25 GB/s"));
  return "# The link is a placeholder: LogGOPSim's L is its latency, 1 / G its bandwidth.\n" +
         config::to_yaml(document);
}

int import_file(const Arguments& arguments, const Environment&) {
  // A profile is fitted, and fits are the live program's business.
  if (!arguments.empty() && arguments[0] == "nccl-tests") {
    Arguments words = {"fit", "nccl"};
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    start_live(words);
  }
  options::options_description description;
  std::vector<std::string> words;
  std::string out;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("output,o", options::value(&out)->default_value("-"));
  parse(arguments, description, "words", 2);
  if (words.size() != 2) throw InputError("import needs a KIND and a FILE");
  if (config::as_choice(config::scalar(words[0]), {"torch-csv", "goal", "nccl-tests"}) == 1) {
    write_file(out, experiment_of_goal(words[1], out));
    return 0;
  }
  const schedule::Schedule schedule =
      schedule::read_torch_csv(config::read_file(words[1]), words[1]);
  write_file(out, schedule::write_torch_csv(schedule, config::scalar(words[1])));
  return 0;
}

}  // namespace

const Command command::import_command{"import", help_import, import_file};

}  // namespace pipewright::cli
