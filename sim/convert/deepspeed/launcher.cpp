// After deepspeed/launcher/runner.py for what the launcher's options mean.
#include "convert/deepspeed/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/deepspeed/hosts.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

bool is_deepspeed(const job::Word& word) {
  const size_t slash = word.text.find_last_of('/');
  return word.text.substr(slash == std::string::npos ? 0 : slash + 1) == "deepspeed";
}

bool is_asked_for(const job::Word& word) {
  return word.text.starts_with("--deepspeed") || word.text == "--use_deepspeed";
}

bool has_deepspeed(const job::Launch& launch) {
  return std::any_of(
             launch.launcher.begin(), launch.launcher.end(),
             [](const job::Word& word) { return is_deepspeed(word) || is_asked_for(word); }) ||
         std::any_of(launch.arguments.begin(), launch.arguments.end(), is_asked_for);
}

const job::Launch& training_of(const std::vector<job::Launch>& all, const std::string& file) {
  auto launch = std::find_if(all.begin(), all.end(), has_deepspeed);
  if (launch == all.end())
    launch = std::find_if(all.begin(), all.end(),
                          [](const job::Launch& one) { return !one.program.empty(); });
  if (launch == all.end())
    throw InputError({file, 1, 1},
                     "nothing here starts a training: no command is 'deepspeed ... PROGRAM.py'");
  return *launch;
}

/// Returns what stands behind an option of the launcher, or behind its '='.
std::optional<job::Word> option(const std::vector<job::Word>& words, const std::string& name,
                                std::string_view letter) {
  for (size_t i = 0; i < words.size(); ++i) {
    job::Word word = words[i];
    if (word.text == name || word.text == letter)
      return i + 1 < words.size() ? std::optional(words[i + 1]) : std::nullopt;
    if (!word.text.starts_with(name + "=")) continue;
    word.text.erase(0, name.size() + 1);
    return word;
  }
  return std::nullopt;
}

/// --num_nodes and --num_gpus take the first of what a hostfile has.
job::World limited(job::World hosts, const job::Devices& devices) {
  if (!devices.nodes && !devices.per_node) return hosts;
  int64_t nodes = (hosts.devices + hosts.per_node - 1) / hosts.per_node;
  if (devices.nodes) nodes = std::min(nodes, *devices.nodes);
  if (devices.per_node) hosts.per_node = std::min(hosts.per_node, *devices.per_node);
  return {.devices = nodes * hosts.per_node, .per_node = hosts.per_node};
}

/// Whether every host of --include has its slots beside it.
bool names_slots(const std::optional<job::Word>& include) {
  if (!include) return false;
  const auto hosts = interop::split(include->text, "@", false);
  return std::all_of(hosts.begin(), hosts.end(), [](std::string_view host) {
    return host.find(':') != std::string_view::npos;
  });
}

/// The launcher counts the devices that it sees where neither a hostfile nor an option says them.
std::optional<int64_t> visible_devices(const job::Launch& launch, const job::Source& source) {
  const std::vector<job::Word>& words = launch.launcher;
  for (const char* name : {"--num_nodes", "--num_gpus", "--num_accelerators"})
    if (option(words, name, name)) return std::nullopt;
  if (!launch.visible || source.given.contains("NGPU")) return std::nullopt;
  const job::Word& visible = *launch.visible;
  if (visible.unknown) job::fail_unknown(visible, "CUDA_VISIBLE_DEVICES");
  const auto devices = interop::split(visible.text, ",", false);
  return visible.text.empty() ? std::nullopt : std::optional<int64_t>(std::ssize(devices));
}

job::World world_of(const job::Launch& launch, const job::Devices& devices,
                    const job::Source& source, job::Import& import) {
  job::World world = job::world_of(devices);
  if (std::none_of(launch.launcher.begin(), launch.launcher.end(), is_deepspeed)) return world;
  const auto include = option(launch.launcher, "--include", "-i");
  if (const auto file = option(launch.launcher, "--hostfile", "-H")) {
    const auto text = source.read ? source.read(file->text) : std::nullopt;
    const bool is_said = devices.nodes || names_slots(include) || source.given.contains("NGPU");
    if (text)
      world = limited(read_hostfile(*text, file->text), devices);
    else if (!is_said)
      throw InputError(file->where, fmt::format("'{}' cannot be read: --num_nodes and --num_gpus, "
                                                "or --define NGPU=N, would say the devices too",
                                                file->text));
    else if (!devices.per_node && !names_slots(include))
      import.assumed.push_back(fmt::format(
          "'{}' cannot be read: a node is taken to have {} devices", file->text, world.per_node));
  }
  const bool has_hosts = option(launch.launcher, "--hostfile", "-H").has_value();
  if (const auto seen = has_hosts || include ? std::nullopt : visible_devices(launch, source))
    world = {.devices = *seen, .per_node = *seen};
  if (include) world = read_include(*include, world.per_node);
  if (const auto exclude = option(launch.launcher, "--exclude", "-e"))
    throw InputError(exclude->where, "--exclude is not read: name the devices by --include");
  return world;
}

/// Returns the path of the configuration among `arguments`, or nothing.
std::optional<config::Value> path_in(const Arguments& arguments,
                                     std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const config::Value* path = arguments.map.find(name);
    if (path && path->is_scalar() && path->text != "true") return *path;
  }
  return std::nullopt;
}

/// Returns the configuration that ms-swift has by a name such as zero2_offload (swift/config): what
/// of it is not DeepSpeed's own default.
std::optional<std::string> config_of_swift(const job::Launch& launch, std::string_view name) {
  if (launch.program.find("swift/cli/") == std::string::npos || !name.starts_with("zero") ||
      name.size() < 5 || name[4] < '0' || name[4] > '3')
    return std::nullopt;
  const bool offloads = name.substr(5) == "_offload";
  if ((!offloads && name.size() > 5) || (offloads && name[4] < '2')) return std::nullopt;
  const char* const to_host = R"({"device": "cpu"})";
  std::string zero = fmt::format(R"("stage": {}, "overlap_comm": false)", name[4]);
  zero += fmt::format(R"(, "reduce_bucket_size": {})", name[4] == '3' ? "\"auto\"" : "2e8");
  if (offloads) zero += fmt::format(R"(, "offload_optimizer": {})", to_host);
  if (offloads && name[4] == '3') zero += fmt::format(R"(, "offload_param": {})", to_host);
  return fmt::format(
      R"({{"fp16": {{"enabled": "auto"}}, "bf16": {{"enabled": "auto"}},
          "zero_optimization": {{{}}}, "gradient_accumulation_steps": "auto",
          "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"}})",
      zero);
}

/// The configuration lies beside the job, or the script writes it. `accelerate launch` names it
/// before the program.
void find_config(Launched& launched, const shell::Outcome& outcome, const job::Source& source) {
  launched.named = path_in(launched.arguments, {"deepspeed_config", "deepspeed", "ds_config"});
  if (!launched.named)
    launched.named = path_in(read_arguments(launched.launch.launcher), {"deepspeed_config_file"});
  if (!launched.named) return;
  const std::string path = shell::normal_path(launched.named->text);
  const auto written = outcome.written.find(path);
  if (written == outcome.written.end()) {
    if (source.read) launched.config = source.read(path);
    if (!launched.config) launched.config = config_of_swift(launched.launch, path);
    const auto unknown = launched.arguments.unknown.find("deepspeed_config");
    const bool is_known = path.find('$') == std::string::npos;  // ${PWD} is where the job lies
    if (unknown != launched.arguments.unknown.end() && !is_known)
      launched.unknown = unknown->second.unknown;
    return;
  }
  launched.is_written = true;
  if (const std::optional<shell::Text>& text = written->second; text.has_value()) {
    launched.config = shell::written(text.value());
    launched.unknown = shell::unknown_in(text.value());
  }
}

/// What is defined and no variable of the script stands for an argument of the program.
void add_definitions(Launched& launched, const shell::Outcome& outcome, const job::Source& source) {
  for (const auto& [name, value] : source.given)
    if (name != "NGPU" && !outcome.asked.given.contains(name)) {
      launched.arguments.map.set(name, config::scalar(value));
      launched.arguments.unknown.erase(name);
    }
}

}  // namespace

Launched read_launch(std::string_view text, const std::string& file, const job::Source& source,
                     job::Import& import) {
  const shell::Outcome outcome = shell::follow(text, file,
                                               {.given = source.given,
                                                .preset = job::slurm_variables(text),
                                                .read = source.read,
                                                .decisions = {},
                                                .scheduler = job::slurm_variables});
  for (const shell::Decision& decision : outcome.decisions)
    import.assumed.push_back(fmt::format("{} {} hold ({})", decision.reason,
                                         decision.taken ? "does" : "does not",
                                         to_string(decision.place.where())));
  const std::vector<job::Launch> all = job::launches(outcome);
  const job::Launch& launch = training_of(all, file);
  Launched launched{.arguments = read_arguments(launch.arguments),
                    .launch = launch,
                    .world = {},
                    .where = launch.where,
                    .named = {},
                    .config = {},
                    .unknown = {}};
  launched.world = world_of(launch, job::devices_of(launch, outcome, text), source, import);
  find_config(launched, outcome, source);
  add_definitions(launched, outcome, source);
  return launched;
}

}  // namespace pipewright::deepspeed
