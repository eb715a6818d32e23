#include "convert/job/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "convert/job/resource_sets.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

Word word_of(const shell::Text& text) {
  return {shell::written(text), shell::place_of(text, {}).where(), shell::unknown_in(text)};
}

bool is_argument(const Word& word) {
  return word.text.size() > 2 && word.text.starts_with("--") && word.text[2] != '-';
}

/// Modules that start other programs.
bool is_launcher(std::string_view module) {
  for (const char* name : {"torch.", "accelerate.", "deepspeed."})
    if (module.starts_with(name)) return true;
  return module.find('.') == std::string_view::npos;
}

/// Where the program stands in a command, or its end: PROGRAM.py, or behind -m.
size_t program_in(const std::vector<Word>& words) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].text.ends_with(".py")) return i;
  for (size_t i = 1; i < words.size(); ++i)
    if ((words[i - 1].text == "-m" || words[i - 1].text == "--module") &&
        !is_launcher(words[i].text))
      return i;
  return words.size();
}

/// The file of a module: a/b.py of a.b.
std::string program_of(std::string name) {
  if (name.ends_with(".py")) return name;
  std::replace(name.begin(), name.end(), '.', '/');
  return name + ".py";
}

std::optional<Launch> launch_of(std::vector<Word> words) {
  Launch launch;
  launch.where = words.front().where;
  const size_t program = program_in(words);
  if (program == words.size()) {
    if (!is_argument(words.front())) return std::nullopt;
    launch.arguments = std::move(words);
    return launch;
  }
  launch.program = program_of(words[program].text);
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(program);
  launch.launcher = {words.begin(), at};
  launch.arguments = {at + 1, words.end()};
  return launch;
}

/// An option of a launcher: a name of it, and what its number counts.
struct LauncherOption {
  std::string_view name;
  std::optional<int64_t> Devices::*counts;
};

constexpr LauncherOption launcher_options[] = {{"--nnodes", &Devices::nodes},
                                               {"--nproc-per-node", &Devices::per_node},
                                               {"-nproc-per-node", &Devices::per_node},
                                               {"--num-nodes", &Devices::nodes},
                                               {"--num-gpus", &Devices::per_node},
                                               {"--num-accelerators", &Devices::per_node},
                                               {"--num-machines", &Devices::nodes},
                                               {"--num-processes", &Devices::all},
                                               {"--nodes", &Devices::nodes},
                                               {"--ntasks-per-node", &Devices::per_node},
                                               {"--ntasks", &Devices::all},
                                               {"--npernode", &Devices::per_node},
                                               {"-npernode", &Devices::per_node},
                                               {"-ppn", &Devices::per_node},
                                               {"--gres", &Devices::per_node},
                                               {"--gpus-per-node", &Devices::per_node},
                                               {"--gpus", &Devices::all},
                                               {"-G", &Devices::all},
                                               {"-np", &Devices::all},
                                               {"--np", &Devices::all},
                                               {"-N", &Devices::nodes},
                                               {"-n", &Devices::all}};

const LauncherOption* launcher_option(std::string_view word) {
  std::string name(word.substr(0, word.find('=')));
  std::replace(name.begin(), name.end(), '_', '-');
  const auto found =
      std::find_if(std::begin(launcher_options), std::end(launcher_options),
                   [&](const LauncherOption& option) { return option.name == name; });
  return found == std::end(launcher_options) ? nullptr : &*found;
}

/// Returns the NAME of `option $NAME`; empty where that stands nowhere.
std::string variable_behind(std::string_view option, std::string_view script) {
  for (size_t at = script.find(option); at != std::string_view::npos;
       at = script.find(option, at + 1)) {
    std::string_view rest = script.substr(at + option.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("= \t\"'"), rest.size()));
    if (!rest.starts_with('$')) continue;
    rest.remove_prefix(rest.starts_with("${") ? 2 : 1);
    const size_t end =
        rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    if (end != 0) return std::string(rest.substr(0, end));
  }
  return {};
}

/// Returns the variable that stands behind an option that counts nodes; empty where none does.
std::string variable_of_nodes(std::string_view script) {
  for (const LauncherOption& option : launcher_options) {
    if (option.counts != &Devices::nodes || option.name.size() < 4) continue;
    for (const char hyphen : {'-', '_'}) {
      std::string name(option.name);
      std::replace(name.begin() + 2, name.end(), '-', hyphen);
      if (std::string variable = variable_behind(name, script); !variable.empty()) return variable;
    }
  }
  return {};
}

/// A number, or the last of "1:4", at most as many as fit on earth.
std::optional<int64_t> count_of(std::string_view text) {
  const size_t colon = text.find_last_of(":-");
  if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
  const std::optional<int64_t> number = interop::number_of<int64_t>(text);
  return number && *number > 0 && *number <= 1'048'576 ? number : std::nullopt;
}

/// Whether the launcher counts processes of which each has a device of its own. torchrun starts
/// those itself, once on every node that a scheduler's launcher gives it.
bool starts_torchrun(const std::vector<Word>& launcher) {
  return std::any_of(launcher.begin(), launcher.end(), [](const Word& word) {
    return word.text.ends_with("torchrun") || word.text.starts_with("torch.distributed") ||
           word.text == "--nproc_per_node" || word.text.starts_with("--nproc");
  });
}

/// Whether torchrun starts the program, and nobody says how many processes: it starts one then.
bool is_torchrun_alone(const std::vector<Word>& launcher) {
  return starts_torchrun(launcher) &&
         std::none_of(launcher.begin(), launcher.end(),
                      [](const Word& word) { return launcher_option(word.text) != nullptr; });
}

/// Whether nothing but Python starts the program.
bool is_python_alone(const std::vector<Word>& launcher) {
  if (launcher.empty()) return false;
  const std::string& program = launcher.front().text;
  const std::string name = program.substr(program.find_last_of('/') + 1);
  return name.starts_with("python") &&
         std::all_of(launcher.begin() + 1, launcher.end(), [](const Word& word) {
           return word.text.starts_with('-') && word.text != "-m";
         });
}

/// Whether an option counts devices, and not processes.
bool counts_devices(std::string_view name) {
  return name.find("nproc") != std::string_view::npos || name == "--gres" || name == "-G" ||
         name.starts_with("--gpus");
}

/// Whether a script counts the devices of the machine that it runs on.
bool counts_there(const Word& value) {
  return value.unknown->written.find("nvidia-smi") != std::string::npos ||
         value.unknown->written.find("rocm-smi") != std::string::npos ||
         value.unknown->written.find("device_count") != std::string::npos;
}

/// Whether a word begins a program that may stand behind another, and its options.
bool is_program(std::string_view word) {
  const std::string_view name = word.substr(word.find_last_of('/') + 1);
  return name == "numactl" || name == "torchrun" || name.starts_with("python") ||
         name.starts_with("mpi") || name == "srun" || name == "bash";
}

class LauncherReader {
 public:
  LauncherReader(const std::vector<Word>& words, Devices& devices)
      : words_(words), devices_(devices), torchrun_(starts_torchrun(words)) {}

  void run() {
    for (size_t i = 0; i < words_.size(); ++i) {
      const Word& word = words_[i];
      if (word.text.ends_with("torchrun") || word.text.starts_with("torch.distributed"))
        inner_ = true;
      for (const char* mpi : {"mpirun", "mpiexec", "aprun"})
        mpi_ = mpi_ || word.text.ends_with(mpi);
      if (is_program(word.text)) pins_ = word.text.ends_with("numactl");
      const LauncherOption* option = launcher_option(word.text);
      if (!option || pins_ || !counts(*option)) continue;
      const size_t equals = word.text.find('=');
      Word value = word;
      if (equals != std::string::npos)
        value.text = word.text.substr(equals + 1);
      else if (i + 1 < words_.size())
        value = words_[++i];
      take(*option, value);
    }
  }

 private:
  /// What srun says before torchrun is about torchruns, but for nodes.
  bool counts(const LauncherOption& option) const {
    if (option.name == "-N" && mpi_) return !torchrun_;
    if (!torchrun_ || inner_) return true;
    return option.counts == &Devices::nodes || counts_devices(option.name);
  }

  void take(const LauncherOption& option, const Word& value) {
    // Nothing that could be given says it, or it counts the nodes that the scheduler was asked for.
    const bool is_said = option.counts == &Devices::nodes && devices_.nodes;
    if (value.unknown && (value.unknown->name.empty() || is_said || counts_there(value))) return;
    if (value.unknown) fail_unknown(value, fmt::format("{} of the launcher", option.name));
    if (value.text == "gpu" || value.text == "auto") return;
    const std::optional<int64_t> count = count_of(value.text);
    // A container is given devices by their names.
    if (!count && counts_devices(option.name) &&
        option.name.find("nproc") == std::string_view::npos)
      return;
    if (!count)
      throw InputError(value.where,
                       fmt::format("{} needs a number, not '{}'", option.name, value.text));
    const auto counts = option.name == "-N" && mpi_ ? &Devices::per_node : option.counts;
    devices_.*counts = count;
  }

  const std::vector<Word>& words_;
  Devices& devices_;
  bool torchrun_, inner_ = false, mpi_ = false;
  bool pins_ = false;  ///< options are those of numactl, whose -N counts nodes of memory
};

struct SlurmOption {
  std::string_view name, letter, variable;
};
constexpr SlurmOption slurm_options[] = {{"--nodes", "-N", "SLURM_NNODES"},
                                         {"--ntasks-per-node", "", "SLURM_NTASKS_PER_NODE"},
                                         {"--ntasks", "-n", "SLURM_NTASKS"},
                                         {"--cpus-per-task", "-c", "SLURM_CPUS_PER_TASK"},
                                         {"--gpus-per-node", "", "SLURM_GPUS_PER_NODE"},
                                         {"--gpus", "-G", "SLURM_GPUS"},
                                         {"--gres", "", "SLURM_GPUS_PER_NODE"}};

/// The value of `--name=value`, `--name value`, `-x value` and `-xvalue`, where the word at `at` is
/// that option.
std::optional<std::string_view> slurm_value(const std::vector<std::string_view>& words, size_t at,
                                            const SlurmOption& option) {
  const std::string_view word = words[at];
  const bool is_it = word == option.name || (!option.letter.empty() && word == option.letter);
  if (is_it) return at + 1 < words.size() ? std::optional(words[at + 1]) : std::nullopt;
  if (word.starts_with(option.name) && word[option.name.size()] == '=')
    return word.substr(option.name.size() + 1);
  if (!option.letter.empty() && word.starts_with(option.letter)) return word.substr(2);
  return std::nullopt;
}

void take_slurm_line(std::string_view line, std::map<std::string, std::string>& variables) {
  const std::vector<std::string_view> words =
      interop::words_of(line.substr(0, std::min(line.find(" #"), line.size())));
  for (size_t i = 0; i < words.size(); ++i)
    for (const SlurmOption& option : slurm_options) {
      const auto value = slurm_value(words, i, option);
      const auto count = value ? count_of(*value) : std::nullopt;
      const bool is_open = value && value->find("${") != std::string_view::npos;
      if (count) variables[std::string(option.variable)] = std::to_string(*count);
      if (is_open) variables[std::string(option.variable)] = *value;
    }
}

/// Sets `name` to `value` where the script does not say it.
void derive(std::map<std::string, std::string>& variables, const char* name, const char* from) {
  if (variables.contains(from)) variables.try_emplace(name, variables.at(from));
}

}  // namespace

World world_of(const Devices& devices) {
  World world;
  if (devices.per_node) world.per_node = *devices.per_node;
  if (devices.nodes) {
    if (!devices.per_node && devices.all && *devices.all % *devices.nodes == 0)
      world.per_node = *devices.all / *devices.nodes;
    world.devices = *devices.nodes * world.per_node;
  } else if (devices.all) {
    world.per_node = std::min(world.per_node, *devices.all);
    world.devices = *devices.all;
  } else if (devices.per_node) {
    world.devices = world.per_node;
  }
  return world;
}

void fail_unknown(const Word& word, const std::string& what) {
  const std::string& name = word.unknown->name;
  const std::string value = word.unknown->written;
  if (name.empty())
    throw InputError(word.where, fmt::format("{} hangs on {}, which is not known", what, value));
  throw InputError(word.where,
                   fmt::format("{} hangs on {}, which the script takes from outside: give it by "
                               "--define {}=VALUE",
                               what, value, name));
}

std::vector<Launch> launches(const shell::Outcome& outcome) {
  std::vector<Launch> all;
  for (size_t i = 0; i < outcome.commands.size(); ++i) {
    std::vector<Word> words;
    for (const shell::Text& text : outcome.commands[i]) words.push_back(word_of(text));
    if (words.empty()) continue;
    std::optional<Launch> launch = launch_of(std::move(words));
    if (!launch) continue;
    const auto visible = outcome.visible.find(i);
    if (visible != outcome.visible.end()) launch->visible = word_of(visible->second);
    for (const auto& [name, text] : *outcome.variables[i]) launch->variables[name] = word_of(text);
    const auto own = outcome.own_variables.find(i);
    if (own != outcome.own_variables.end())
      for (const auto& [name, text] : own->second) launch->variables[name] = word_of(text);
    const auto queued = outcome.queued.find(i);
    if (queued != outcome.queued.end()) launch->queued = queued->second;
    all.push_back(std::move(*launch));
  }
  return all;
}

std::map<std::string, std::string> slurm_variables(std::string_view script) {
  std::map<std::string, std::string> variables;
  while (!script.empty()) {
    const std::string_view line = interop::take_line(script);
    if (line.starts_with("#SBATCH")) take_slurm_line(line.substr(7), variables);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') break;
  }
  const auto number = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : count_of(found->second);
  };
  const auto nodes = number("SLURM_NNODES"), each = number("SLURM_NTASKS_PER_NODE");
  if (nodes && each) variables.try_emplace("SLURM_NTASKS", std::to_string(*nodes * *each));
  const auto devices = number("SLURM_GPUS");
  if (nodes && devices && *devices % *nodes == 0)
    variables.try_emplace("SLURM_GPUS_PER_NODE", std::to_string(*devices / *nodes));
  derive(variables, "SLURM_NPROCS", "SLURM_NTASKS");
  derive(variables, "SLURM_JOB_NUM_NODES", "SLURM_NNODES");
  derive(variables, "SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE");
  return variables;
}

Devices devices_of(const Launch& launch, const shell::Outcome&, std::string_view script) {
  Devices devices;
  const std::map<std::string, std::string> slurm =
      slurm_variables(launch.queued ? std::string_view(*launch.queued) : script);
  const auto from_slurm = [&](const char* name) -> std::optional<int64_t> {
    const auto found = slurm.find(name);
    if (found == slurm.end()) return std::nullopt;
    if (launch.queued && found->second.find("${") != std::string::npos)
      throw InputError(launch.where,
                       fmt::format("{} of this job hangs on {}, which is not known: --define "
                                   "NAME=VALUE gives it",
                                   name, found->second));
    return count_of(found->second);
  };
  devices.nodes = from_slurm("SLURM_NNODES");
  devices.per_node = from_slurm("SLURM_GPUS_PER_NODE");
  if (!devices.per_node && !starts_torchrun(launch.launcher))
    devices.per_node = from_slurm("SLURM_NTASKS_PER_NODE");
  devices.all = from_slurm("SLURM_GPUS");
  if (!devices.all && !devices.per_node && !starts_torchrun(launch.launcher))
    devices.all = from_slurm("SLURM_NTASKS");
  if (starts_torchrun(launch.launcher) || !read_resource_sets(launch.launcher, devices))
    LauncherReader(launch.launcher, devices).run();
  if (devices.nodes) devices.nodes_variable = variable_of_nodes(script);
  devices.one_process =
      slurm.empty() && (is_python_alone(launch.launcher) || is_torchrun_alone(launch.launcher));
  return devices;
}

}  // namespace pipewright::job
