#include "convert/megatron/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/emit.hpp"
#include "convert/job/given_model.hpp"
#include "convert/megatron/positions.hpp"
#include "convert/megatron/translation.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

/// Conditions that the text does not decide are tried one by one; no more than that.
constexpr size_t most_tried = 48;
/// No further way is tried once so many commands were followed.
constexpr int64_t most_steps = 100'000;

constexpr std::string_view size_flags[] = {"--num-layers", "--hidden-size", "--encoder-num-layers",
                                           "--num_layers", "--hidden_size"};

bool is_argument(const job::Word& word, std::string_view name) {
  return word.text == name || (word.text.starts_with(name) && word.text[name.size()] == '=');
}

bool trains(const job::Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const job::Word& word) {
    return std::any_of(std::begin(size_flags), std::end(size_flags),
                       [&](std::string_view name) { return is_argument(word, name); });
  });
}

/// Tells whether the sizes of what is trained are in a checkpoint.
bool goes_on(const job::Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const job::Word& word) {
    return is_argument(word, "--use-checkpoint-args") || is_argument(word, "--use_checkpoint_args");
  });
}

/// Tells whether a script sets up a shell, as Python's virtual environments and profiles do.
bool only_prepares(std::string_view path) {
  constexpr std::string_view names[] = {"activate", "bashrc",     "profile",
                                        "conda.sh", "setvars.sh", "modules.sh"};
  return std::ranges::any_of(names, [&](std::string_view name) { return path.ends_with(name); });
}

class Script {
 public:
  Script(const job::Source& source, Prepare prepare)
      : source_(source), prepare_(prepare), model_(job::given_transformer(source)) {}

  job::Import run() {
    const shell::Outcome outcome = follow({});
    const std::optional<job::Launch> launch = training(outcome);
    if (!launch) return by_another_way(outcome);
    job::Import import = translated(*launch, outcome);
    check_other_ways(import, outcome);
    note(import, outcome);
    return import;
  }

 private:
  shell::Outcome follow(std::vector<bool> decisions) const {
    shell::Outcome outcome = shell::follow(source_.text, source_.file,
                                           {.given = source_.given,
                                            .preset = job::slurm_variables(source_.text),
                                            .read = source_.read,
                                            .decisions = std::move(decisions),
                                            .scheduler = job::slurm_variables});
    steps_ += outcome.steps;
    return outcome;
  }

  /// Returns the first training that a script starts. A list of arguments may be of several lines.
  std::optional<job::Launch> training(const shell::Outcome& outcome) const {
    std::vector<job::Launch> all = job::launches(outcome);
    const bool is_list =
        !all.empty() && std::all_of(all.begin(), all.end(), [](const job::Launch& launch) {
          return launch.program.empty();
        });
    if (is_list)
      for (size_t i = 1; i < all.size(); ++i)
        all[0].arguments.insert(all[0].arguments.end(), all[i].arguments.begin(),
                                all[i].arguments.end());
    for (const auto is_one : {trains, goes_on})
      for (job::Launch& launch : all)
        if (is_one(launch)) return std::move(launch);
    return std::nullopt;
  }

  job::Import translated(const job::Launch& launch, const shell::Outcome& outcome) const {
    job::Devices devices = job::devices_of(launch, outcome, source_.text);
    const bool is_variable = outcome.asked.given.contains("NGPU");
    if (const auto given = is_variable ? std::nullopt : job::given_devices(source_)) {
      devices.nodes.reset();
      devices.all = given;
    }
    if (!prepare_) return translate(launch, devices, source_, model_);
    job::Import notes;
    const job::Launch own = prepare_(launch, source_, notes);
    job::Import import = translate(own, devices, source_, model_);
    job::add_notes(import, notes);
    return import;
  }

  /// The text of what another decision leads to; nothing where it leads to no training.
  std::optional<std::string> otherwise(const std::vector<bool>& decisions) const {
    const shell::Outcome outcome = follow(decisions);
    const std::optional<job::Launch> launch = training(outcome);
    if (!launch) return std::nullopt;
    try {
      return config::to_yaml(translated(*launch, outcome).experiment);
    } catch (const InputError& error) {
      return error.what();
    }
  }

  static std::vector<bool> flipped(const shell::Outcome& outcome, size_t which) {
    std::vector<bool> decisions;
    for (size_t i = 0; i < which; ++i) decisions.push_back(outcome.decisions[i].taken);
    decisions.push_back(!outcome.decisions[which].taken);
    return decisions;
  }

  void check_other_ways(job::Import& import, const shell::Outcome& outcome) const {
    const std::string expected = config::to_yaml(import.experiment);
    for (size_t i = 0; i < outcome.decisions.size(); ++i) {
      if (i >= most_tried || steps_ > most_steps) {
        import.assumed.push_back(
            fmt::format("of {} conditions that only the machine decides those after the first {} "
                        "change nothing that matters",
                        outcome.decisions.size(), i));
        return;
      }
      const std::optional<std::string> other = otherwise(flipped(outcome, i));
      if (!other || *other == expected) continue;
      const shell::Decision& decision = outcome.decisions[i];
      const std::string what = fmt::format(
          "what this script trains hangs on {}, which only the machine knows it runs on",
          decision.reason);
      if (!source_.partial)
        throw InputError(decision.place.where(), what + "; --partial takes it not to hold");
      import.refused.push_back(fmt::format("{} ({}): taken not to hold", decision.reason,
                                           to_string(decision.place.where())));
    }
  }

  /// Where the script ends without a training, another decision may lead to the only one.
  job::Import by_another_way(const shell::Outcome& outcome) const {
    for (size_t i = 0; i < std::min(outcome.decisions.size(), most_tried); ++i) {
      if (steps_ > most_steps) break;
      const shell::Outcome other = follow(flipped(outcome, i));
      const std::optional<job::Launch> launch = training(other);
      if (!launch) continue;
      job::Import import = translated(*launch, other);
      import.assumed.push_back(fmt::format("{} holds ({})", outcome.decisions[i].reason,
                                           to_string(outcome.decisions[i].place.where())));
      note(import, other);
      return import;
    }
    fail(outcome);
  }

  /// Fails where scripts are not there: those that start something may train, and those that only
  /// prepare a shell are named last.
  static void fail_for_missing(const shell::Outcome& outcome) {
    std::vector<std::pair<std::string, shell::Place>> scripts(outcome.not_started.begin(),
                                                              outcome.not_started.end());
    scripts.insert(scripts.end(), outcome.missing.begin(), outcome.missing.end());
    if (scripts.empty()) return;
    std::ranges::stable_partition(scripts,
                                  [](const auto& script) { return !only_prepares(script.first); });
    std::string others;
    for (size_t i = 1; i < scripts.size() && !only_prepares(scripts[i].first); ++i)
      others += fmt::format(", nor can '{}'", scripts[i].first);
    throw InputError(scripts.front().second.where(),
                     fmt::format("'{}' cannot be read{}, and no command here has the arguments of "
                                 "a training of Megatron-LM",
                                 scripts.front().first, others));
  }

  [[noreturn]] void fail(const shell::Outcome& outcome) const {
    if (const std::string wanted = from_outside(outcome.asked); outcome.ended && !wanted.empty())
      throw InputError(
          outcome.ended->where(),
          fmt::format("the script ends here before it starts a training; it takes {}", wanted));
    fail_for_missing(outcome);
    const std::vector<job::Launch> launches = job::launches(outcome);
    if (launches.empty() && has_sizes())
      throw InputError(
          {source_.file, 1, 1},
          "no command is known here that has the arguments which this script sets: import "
          "the script that sources it, or give their list as a file");
    const Where where = launches.empty() ? Where{source_.file, 1, 1} : launches.front().where;
    throw InputError(
        where,
        fmt::format("nothing here starts a training of Megatron-LM: no command has --num-layers{}",
                    launches.empty() ? "" : other_reader(launches.front())));
  }

  /// Whether a line that is no comment has --num-layers.
  bool has_sizes() const {
    std::string_view text = source_.text;
    while (!text.empty()) {
      const std::string_view line = interop::take_line(text);
      const size_t first = line.find_first_not_of(" \t");
      const bool is_comment = first != std::string_view::npos && line[first] == '#';
      if (!is_comment && line.find(size_flags[0]) != std::string_view::npos) return true;
    }
    return false;
  }

  /// What reads the configuration that accelerate starts a program by, where it does.
  static std::string other_reader(const job::Launch& launch) {
    for (size_t i = 0; i + 1 < launch.launcher.size(); ++i)
      if (launch.launcher[i].text == "--config_file")
        return fmt::format("; 'import accelerate' reads {}", launch.launcher[i + 1].text);
    return {};
  }

  /// What a script takes, and how the user gives it.
  std::string from_outside(const shell::Asked& asked) const {
    const int last = last_position(source_.text);
    const std::string list = last > 1   ? fmt::format("--define 1=VALUE to {}=VALUE", last)
                             : last > 0 ? "--define 1=VALUE"
                                        : "--define 1=VALUE and so on";
    const std::string arguments = asked.counts ? fmt::format("arguments ({})", list) : "";
    if (asked.unset.empty()) return arguments;
    return fmt::format("{} from outside (--define NAME=VALUE){}{}", names(asked.unset),
                       asked.counts ? " and " : "", arguments);
  }

  static std::string names(const std::map<std::string, shell::Place>& variables) {
    std::string text;
    size_t count = 0;
    for (const auto& [name, place] : variables) {
      if (++count > 5) break;
      text += (text.empty() ? "" : ", ") + name;
    }
    return text;
  }

  /// What the user gave must have been of use.
  void note(job::Import& import, const shell::Outcome& outcome) const {
    for (const auto& [name, value] : source_.given) {
      if (outcome.asked.given.contains(name) || name == "VOCAB_SIZE" || name == "NGPU") continue;
      throw InputError(
          fmt::format("--define {}={}: the script has no variable {}", name, value, name));
    }
    for (const auto& [path, place] : outcome.missing)
      import.assumed.push_back(
          fmt::format("'{}', which cannot be read, sets nothing that matters ({})", path,
                      to_string(place.where())));
    const std::vector<job::Launch> all = job::launches(outcome);
    const auto count = std::count_if(all.begin(), all.end(), [](const job::Launch& launch) {
      return trains(launch) && !launch.program.empty();
    });
    if (count > 1)
      import.assumed.push_back(
          fmt::format("of {} trainings that the script starts this is the first", count));
  }

  const job::Source& source_;
  Prepare prepare_;
  std::optional<config::Value> model_;  ///< that the user gives
  mutable int64_t steps_ = 0;           ///< of all ways that were followed
};

}  // namespace

job::Import import_script(const job::Source& source, Prepare prepare) {
  return Script(source, prepare).run();
}

}  // namespace pipewright::megatron
