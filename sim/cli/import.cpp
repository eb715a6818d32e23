#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "convert/megatron_args.hpp"
#include "convert/nccl_node.hpp"
#include "interop/chakra.hpp"
#include "interop/goal.hpp"
#include "interop/kernel_times.hpp"
#include "interop/nccl_topology.hpp"
#include "interop/pipedream.hpp"
#include "report/io/atomic_file.hpp"
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
std::string experiment_of_trace(const goal::Goal& goal, const char* form, const std::string& file,
                                const std::string& out) {
  goal::check(goal);
  config::Value document;
  document.set("trace", {}).set(form, config::scalar(path_from(out, file)));
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

/// What takes no time of its own has one once the cluster is known.
int64_t any_time(double, double) { return 0; }

struct Wanted {
  std::string file, out, name, device;
};

struct Kind {
  std::string_view name;
  std::string (*import)(const Wanted& wanted);
};

const Kind kinds[] = {
    {"torch-csv",
     [](const Wanted& w) {
       return schedule::write_torch_csv(schedule::read_torch_csv(config::read_file(w.file), w.file),
                                        config::scalar(w.file));
     }},
    {"goal",
     [](const Wanted& w) {
       return experiment_of_trace(goal::read_file(w.file), "goal", w.file, w.out);
     }},
    {"chakra",
     [](const Wanted& w) {
       return experiment_of_trace(chakra::read(w.file, {}, any_time), "chakra", w.file, w.out);
     }},
    {"megatron-args",
     [](const Wanted& w) { return to_yaml(import_megatron(config::read_file(w.file), w.file)); }},
    {"pipedream", [](const Wanted& w) { return model_of_pipedream(w.file); }},
    {"kineto",
     [](const Wanted& w) { return csv_of(read_kineto(config::read_file(w.file), w.file)); }},
    {"nsys", [](const Wanted& w) { return csv_of(read_nsys(w.file)); }},
    {"nccl-topology",
     [](const Wanted& w) {
       const nccl::System system = nccl::read_topology(config::read_file(w.file), w.file);
       return config::to_yaml(node_of_nccl(system, {w.file, w.name, w.device}));
     }},
};

const Kind& kind_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  names.push_back("nccl-tests");
  throw InputError(fmt::format("cannot import '{}'{}; there are: {}", name,
                               did_you_mean(name, names), join(names)));
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
  Wanted wanted;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("output,o", options::value(&wanted.out)->default_value("-"));
  add("name", options::value(&wanted.name));
  add("device", options::value(&wanted.device));
  parse(arguments, description, "words", 2);
  if (words.size() != 2) throw InputError("import needs a KIND and a FILE");
  const Kind& kind = kind_named(words[0]);
  if (kind.name != "nccl-topology" && !(wanted.name.empty() && wanted.device.empty()))
    throw InputError("--name and --device are for 'import nccl-topology'");
  wanted.file = words[1];
  write_file(wanted.out, kind.import(wanted));
  return 0;
}

}  // namespace

const Command command::import_command{"import", help_import, import_file};

}  // namespace pipewright::cli
