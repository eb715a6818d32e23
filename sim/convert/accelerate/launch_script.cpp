// After src/accelerate/commands/launch.py, July 2026, whose options stand over the file.
#include "convert/accelerate/launch_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/python_yaml.hpp"
#include "convert/accelerate/program_arguments.hpp"
#include "convert/job/launch.hpp"
#include "interop/words.hpp"

namespace pipewright::accelerate {
namespace {

using config::Value;

/// Options without a value.
constexpr std::string_view flags[] = {"multi_gpu",
                                      "use_deepspeed",
                                      "use_fsdp",
                                      "use_megatron_lm",
                                      "cpu",
                                      "debug",
                                      "module",
                                      "m",
                                      "no_python",
                                      "quiet",
                                      "use_parallelism_config",
                                      "same_network",
                                      "enable_cpu_affinity",
                                      "dynamo_use_fullgraph",
                                      "dynamo_use_dynamic",
                                      "tpu",
                                      "tpu_cluster",
                                      "no_tpu_cluster",
                                      "tpu_use_sudo",
                                      "ipex",
                                      "use_xpu",
                                      "downcast_bf16",
                                      "q"};

/// Options of the launcher alone, which change no step.
constexpr std::string_view of_launcher[] = {"num_cpu_threads_per_process",
                                            "max_restarts",
                                            "monitor_interval",
                                            "log_dir",
                                            "role",
                                            "tee",
                                            "t"};

/// What a flag says of the file's distributed_type.
struct Kind {
  std::string_view flag, type;
};
constexpr Kind kinds[] = {{"multi_gpu", "MULTI_GPU"},
                          {"use_deepspeed", "DEEPSPEED"},
                          {"use_fsdp", "FSDP"},
                          {"use_megatron_lm", "MEGATRON_LM"}};

constexpr std::string_view of_deepspeed[] = {"zero_stage",
                                             "offload_optimizer_device",
                                             "offload_param_device",
                                             "gradient_clipping",
                                             "zero3_init_flag",
                                             "zero3_save_16bit_model",
                                             "deepspeed_hostfile",
                                             "deepspeed_config_file",
                                             "deepspeed_multinode_launcher",
                                             "deepspeed_exclusion_filter",
                                             "deepspeed_inclusion_filter",
                                             "offload_optimizer_nvme_path",
                                             "offload_param_nvme_path",
                                             "gradient_accumulation_steps"};

template <size_t n>
bool is_in(const std::string_view (&names)[n], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// Returns the name of an option as Python has it, without hyphens; empty for what is none.
std::string name_of(std::string_view word) {
  if (!word.starts_with('-')) return {};
  std::string name(word.substr(0, word.find('=')));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Returns where the file has what an option says.
std::string path_of(const std::string& name) {
  if (is_in(of_deepspeed, name)) return "deepspeed_config." + name;
  for (const char* plugin : {"fsdp", "megatron_lm", "parallelism_config", "dynamo", "fp8"}) {
    const std::string start = fmt::format("{}_", plugin);
    const std::string section = std::string_view(plugin).ends_with("config")
                                    ? std::string(plugin)
                                    : fmt::format("{}_config", plugin);
    if (name.starts_with(start)) return fmt::format("{}.{}", section, name);
  }
  return name;
}

class Launch {
 public:
  Launch(const job::Launch& launch, const job::Source& source, const shell::Files& written)
      : launch_(launch), source_(source), written_(written) {}

  job::HandedOver run() {
    read_options();
    if (out_.text.empty()) {
      out_.file = source_.file;
      out_.text = fmt::format("distributed_type: {}\n", type_.empty() ? "MULTI_GPU" : type_);
    } else if (!type_.empty()) {
      out_.words.push_back(fmt::format("distributed_type={}", type_));
    }
    read_program();
    for (const auto& [name, value] : source_.given) out_.given.insert_or_assign(name, value);
    return std::move(out_);
  }

 private:
  /// A negative number is a value.
  static bool is_option(std::string_view word) {
    return word.starts_with('-') && !interop::number_of<double>(word);
  }

  /// Returns the value of the option at `i`, behind its '=' or in the next word.
  static job::Word value_at(const std::vector<job::Word>& words, size_t& i) {
    job::Word word = words[i];
    if (const size_t equals = word.text.find('='); equals != std::string::npos)
      word.text.erase(0, equals + 1);
    else if (i + 1 < words.size() && !is_option(words[i + 1].text))
      word = words[++i];
    return word;
  }

  void read_options() {
    const std::vector<job::Word>& words = launch_.launcher;
    size_t i = 0;
    while (i < words.size() && words[i].text != "launch") ++i;
    for (++i; i < words.size(); ++i) {
      const std::string name = name_of(words[i].text);
      const auto kind = std::ranges::find(kinds, name, &Kind::flag);
      if (kind != std::end(kinds)) type_ = kind->type;
      if (name.empty() || is_in(flags, name)) continue;
      const job::Word value = value_at(words, i);
      if (name == "config_file")
        read_file(value);
      else if (!is_in(of_launcher, name))
        out_.words.push_back(fmt::format("{}={}", path_of(name), value.text));
    }
  }

  void read_file(const job::Word& word) {
    if (word.unknown) job::fail_unknown(word, "the configuration of accelerate");
    const auto text = text_of(word);
    if (!text)
      throw InputError(word.where, fmt::format("'{}', the configuration of accelerate, cannot be "
                                               "read: import it, with the words of this command "
                                               "behind it",
                                               word.text));
    out_.file = word.text;
    out_.text = *text;
  }

  /// Returns a file that the script writes, or that lies beside it.
  std::optional<std::string> text_of(const job::Word& word) const {
    const auto written = written_.find(shell::normal_path(word.text));
    if (written == written_.end()) return source_.read ? source_.read(word.text) : std::nullopt;
    const std::optional<shell::Text>& text = written->second;
    if (!text.has_value()) return std::nullopt;
    if (const auto unknown = shell::unknown_in(text.value()))
      job::fail_unknown({.text = word.text, .where = word.where, .unknown = unknown},
                        fmt::format("'{}'", word.text));
    return shell::written(text.value());
  }

  /// Arguments stand over the program's own file: --config, as TRL's programs take it, or the first
  /// word, as transformers' HfArgumentParser does.
  void read_program() {
    const std::vector<job::Word>& words = launch_.arguments;
    if (!words.empty() && is_settings(words.front().text)) read_settings(words.front());
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string name = name_of(words[i].text);
      if (name.empty()) continue;
      const bool is_alone = words[i].text.find('=') == std::string::npos &&
                            (i + 1 == words.size() || words[i + 1].text.starts_with("--"));
      const job::Word value = is_alone ? job::Word{.text = "true"} : value_at(words, i);
      if (name == "config" && !is_alone) read_settings(value);
      if (!read_as(name).empty()) take(std::string(read_as(name)), value, true);
      take_precision(name, value.text);
      check(name, value.text, words[i].where);
    }
    // ms-swift's own default (swift/arguments/sft_args.py); that of transformers is 8.
    if (launch_.program.find("swift/cli/") != std::string::npos)
      out_.given.try_emplace("per_device_train_batch_size", "1");
  }

  static bool is_settings(std::string_view word) {
    return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  }

  /// TrainingArguments of transformers say it to accelerate, over its configuration.
  void take_precision(const std::string& name, const std::string& value) {
    const bool is_format = name == "bf16" || name == "fp16";
    if (is_format && interop::lower_case(value) == "true")
      out_.words.push_back(fmt::format("mixed_precision={}", name));
  }

  void check(const std::string& name, const std::string& value, const Where& where) {
    const std::string_view why = refusal_of(name, value);
    if (why.empty()) return;
    const std::string message = fmt::format("--{} {} cannot be said: {}", name, value, why);
    if (!source_.partial)
      throw InputError(where, message +
                                  "; --partial goes on without it, and says so in the "
                                  "experiment");
    out_.refused.push_back(fmt::format("{} ({})", message, to_string(where)));
  }

  void read_settings(const job::Word& word) {
    const auto text = !word.unknown && source_.read ? source_.read(word.text) : std::nullopt;
    if (!text) return;
    const Value settings = config::parse_as_python(*text, word.text, nullptr);
    if (!settings.is_map()) return;
    for (const config::Entry& entry : settings.entries) {
      if (!read_as(entry.key).empty())
        take(std::string(read_as(entry.key)), {.text = entry.value.text}, false);
      take_precision(entry.key, entry.value.text);
      if (entry.value.is_scalar()) check(entry.key, entry.value.text, entry.value.mark.where());
    }
  }

  void take(const std::string& name, const job::Word& value, bool stands_over) {
    if (value.unknown) job::fail_unknown(value, "--" + name);
    if (stands_over)
      out_.given[name] = value.text;
    else
      out_.given.try_emplace(name, value.text);
  }

  const job::Launch& launch_;
  const job::Source& source_;
  const shell::Files& written_;
  job::HandedOver out_;
  std::string type_;
};

bool is_launch(const job::Launch& launch) {
  for (size_t i = 1; i < launch.launcher.size(); ++i)
    if (launch.launcher[i].text == "launch" && launch.launcher[i - 1].text.ends_with("accelerate"))
      return true;
  return false;
}

}  // namespace

job::HandedOver launched(const job::Source& source) {
  const shell::Outcome outcome = shell::follow(source.text, source.file,
                                               {.given = source.given,
                                                .preset = job::slurm_variables(source.text),
                                                .read = source.read,
                                                .decisions = {},
                                                .scheduler = job::slurm_variables});
  for (const job::Launch& launch : job::launches(outcome)) {
    if (!is_launch(launch)) continue;
    job::Source inner = source;
    for (const auto& [name, value] : source.given)
      if (outcome.asked.given.contains(name)) inner.given.erase(name);
    return Launch(launch, inner, outcome.written).run();
  }
  const bool is_hidden = source.text.find("accelerate launch") != std::string_view::npos;
  throw InputError(
      {source.file, 1, 1},
      is_hidden ? "'accelerate launch' is no command here that starts a PROGRAM.py: it stands in a "
                  "function that nothing calls, or is handed to another program: import it as a "
                  "script of its own"
                : "no command of this script is 'accelerate launch ... PROGRAM.py'");
}

bool is_launch_script(std::string_view text) {
  const bool has_file = text.find("--config_file") != std::string_view::npos ||
                        text.find("--config-file") != std::string_view::npos;
  return has_file && text.find("accelerate launch") != std::string_view::npos;
}

}  // namespace pipewright::accelerate
