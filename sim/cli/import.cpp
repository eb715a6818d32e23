#include <fmt/format.h>

#include <filesystem>

#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "interop/goal.hpp"
#include "interop/kernel_times.hpp"
#include "interop/pipedream.hpp"
#include "report/atomic_file.hpp"
#include "schedule/torch_csv.hpp"
#include "study/megatron_args.hpp"

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

/// A model of measured layers.
std::string model_of_pipedream(const std::string& file) {
  config::Value model;
  model.set("description", config::scalar("measured by PipeDream's profiler: " + file));
  config::Value& list = model.set("layers", {});
  list.kind = config::Value::Kind::list;
  for (const PipeDreamLayer& layer : read_pipedream(config::read_file(file), file)) {
    config::Value item;
    item.set("name", config::scalar(layer.name)).quoted = true;
    item.set("forward", config::scalar(fmt::format("{} ms", layer.forward_ms)));
    item.set("backward", config::scalar(fmt::format("{} ms", layer.backward_ms)));
    item.set("activation", config::scalar(fmt::format("{:.0f}", layer.activation_bytes)));
    item.set("output", config::scalar(fmt::format("{:.0f}", layer.boundary_bytes)));
    item.set("parameters", config::scalar(fmt::format("{:.0f}", layer.parameter_bytes / 4)));
    list.items.push_back(std::move(item));
  }
  return "# Times are of the micro-batch that was profiled, which the file does not say: add\n"
         "# measured_batch: N, and simulate with batch.micro: N. Parameters were in fp32.\n" +
         config::to_yaml(model);
}

std::string imported(size_t kind, const std::string& file, const std::string& out) {
  switch (kind) {
    case 0:
      return schedule::write_torch_csv(schedule::read_torch_csv(config::read_file(file), file),
                                       config::scalar(file));
    case 1:
      return experiment_of_goal(file, out);
    case 2:
      return to_yaml(import_megatron(config::read_file(file), file));
    case 3:
      return model_of_pipedream(file);
    case 4:
      return csv_of(read_kineto(config::read_file(file), file));
    default:
      return csv_of(read_nsys(file));
  }
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
  const size_t kind = config::as_choice(
      config::scalar(words[0]),
      {"torch-csv", "goal", "megatron-args", "pipedream", "kineto", "nsys", "nccl-tests"});
  write_file(out, imported(kind, words[1], out));
  return 0;
}

}  // namespace

const Command command::import_command{"import", help_import, import_file};

}  // namespace pipewright::cli
