#include "convert/job/handed_over.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/configured.hpp"
#include "convert/job/launch.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

constexpr std::string_view module_option = "--module", function_option = "--config";

/// Python's parsers take '-' for '_' in the names of options.
bool is_option(std::string_view word, std::string_view option) {
  std::string name(word.substr(0, word.find('=')));
  std::string wanted(option);
  for (std::string* text : {&name, &wanted}) std::ranges::replace(*text, '-', '_');
  return name == wanted;
}

class Command {
 public:
  Command(const Launch& launch, const Handing& handing) : launch_(launch), handing_(handing) {}

  /// Finds the file and the settings that stand behind the program; false where there is no file.
  bool read() {
    for (size_t i = 0; i < launch_.arguments.size(); ++i) {
      const bool names_file = std::ranges::any_of(handing_.options, [&](std::string_view option) {
        return is_option(launch_.arguments[i].text, option);
      });
      const bool names_folder = !handing_.folder_option.empty() &&
                                is_option(launch_.arguments[i].text, handing_.folder_option);
      const bool names_module =
          handing_.files_of_module && is_option(launch_.arguments[i].text, module_option);
      const bool names_function =
          handing_.files_of_module && is_option(launch_.arguments[i].text, function_option);
      if (names_file)
        take_file(value_at(i));
      else if (names_module)
        take_module(value_at(i));
      else if (names_function)
        given_[std::string(config_definition)] = known(value_at(i), "the configuration");
      else if (names_folder)
        folder_ = value_at(i);
      else
        take(i);
    }
    return has_file_;
  }

  /// Returns the names that the file may have, seen from the script.
  std::vector<std::string> files() const {
    std::string name = known(file_, "the file of settings");
    if (given_.contains("MODULE")) return handing_.files_of_module(name);
    if (!handing_.suffix.empty() && !name.ends_with(handing_.suffix) && !name.ends_with(".yml"))
      name += handing_.suffix;
    if (!folder_) return {name, folder_of(launch_.program) + "conf/" + name};
    const std::string inner = known(*folder_, "the folder of settings") + '/' + name;
    return {inner, folder_of(launch_.program) + inner};
  }
  const Where& where() const { return file_.where; }
  const std::vector<std::string>& words() const { return words_; }
  /// Returns the module and the function that the command names, as --define has them.
  const std::map<std::string, std::string>& given() const { return given_; }

 private:
  static std::string folder_of(const std::string& path) {
    const size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
  }

  static std::string known(const Word& word, const std::string& what) {
    if (word.unknown) fail_unknown(word, what);
    return word.text;
  }

  /// The value of the option at `i`, behind its '=' or in the next word.
  Word value_at(size_t& i) const {
    Word word = launch_.arguments[i];
    if (const size_t equals = word.text.find('='); equals != std::string::npos)
      word.text.erase(0, equals + 1);
    else if (i + 1 < launch_.arguments.size())
      word = launch_.arguments[++i];
    return word;
  }

  void take_file(Word word) {
    file_ = std::move(word);
    has_file_ = true;
  }

  void take_module(Word word) {
    given_["MODULE"] = known(word, "the module of settings");
    take_file(std::move(word));
  }

  void take(size_t& i) {
    const Word& word = launch_.arguments[i];
    const bool is_named = word.text.starts_with("--");
    if (handing_.has_options && !is_named && word.text.find(':') != std::string::npos)
      return add_choice(word.text);
    if (!handing_.has_options || !is_named) {
      // Words that a script is given ("$@") are none here.
      const bool is_setting = word.text.find('=') != std::string::npos && !is_named;
      if (is_setting && !handing_.has_options) words_.push_back(word.text);
      return;
    }
    const std::string name = word.text.substr(
        2, word.text.find('=') == std::string::npos ? std::string::npos : word.text.find('=') - 2);
    const bool has_value =
        word.text.find('=') != std::string::npos ||
        (i + 1 < launch_.arguments.size() && !launch_.arguments[i + 1].text.starts_with("--"));
    if (!has_value) return add_truth(name);
    // What is not known stands there as it is written, and is told where it matters.
    words_.push_back(key_of(name) + '=' + listed(value_at(i).text));
  }

  /// section:choice is one of the classes that a section may have.
  void add_choice(const std::string& text) {
    const size_t colon = text.find(':');
    words_.push_back(key_of(text.substr(0, colon)) + '=' + text.substr(colon + 1));
  }

  /// --section.no_key is false.
  void add_truth(const std::string& name) {
    std::string key = key_of(name);
    const size_t no = key.find(".no_");
    if (no != std::string::npos) key.erase(no + 1, 3);
    words_.push_back(key + (no == std::string::npos ? "=true" : "=false"));
  }

  static std::string key_of(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
  }

  /// Commas are between the items of a list.
  static std::string listed(const std::string& text) {
    return text.find(',') != std::string::npos && !text.starts_with('[') ? '[' + text + ']' : text;
  }

  const Launch& launch_;
  const Handing& handing_;
  Word file_;
  bool has_file_ = false;
  std::optional<Word> folder_;
  std::vector<std::string> words_;
  std::map<std::string, std::string> given_;
};

/// Reads the first of several files that there is.
void read_file(const Source& source, const Command& command, HandedOver& out) {
  const std::vector<std::string> files = command.files();
  for (const std::string& file : files)
    if (const auto text = source.read ? source.read(file) : std::nullopt) {
      out.file = file;
      out.text = *text;
      return;
    }
  throw InputError(command.where(),
                   fmt::format("'{}', which has the settings, cannot be read: import it, with the "
                               "words of this command behind it",
                               files.front()));
}

bool starts_script(const shell::Command& command) {
  return std::ranges::any_of(
      command, [](const shell::Text& word) { return shell::written(word).ends_with(".sh"); });
}

/// Returns what stands behind the script that `command` starts.
Launch behind_script(const shell::Command& command) {
  Launch launch;
  bool is_behind = false;
  for (const shell::Text& word : command) {
    const std::string text = shell::written(word);
    if (is_behind)
      launch.arguments.push_back(
          {text, shell::place_of(word, {}).where(), shell::unknown_in(word), {}});
    is_behind = is_behind || text.ends_with(".sh");
  }
  return launch;
}

/// Returns the value of `handing`'s variable that a command is given, alone or as all are.
const shell::Text* variable_of(const shell::Outcome& outcome, size_t command,
                               const Handing& handing) {
  const std::string name(handing.variable);
  const auto own = outcome.own_variables.find(command);
  if (own != outcome.own_variables.end())
    if (const auto found = own->second.find(name); found != own->second.end())
      return &found->second;
  const auto found = outcome.variables[command]->find(name);
  return found == outcome.variables[command]->end() ? nullptr : &found->second;
}

/// Returns what a script hands over whose variable names the file; nothing where none does.
std::optional<HandedOver> named_by_variable(const Source& source, const Handing& handing,
                                            const shell::Outcome& outcome) {
  if (handing.variable.empty()) return std::nullopt;
  for (size_t i = 0; i < outcome.commands.size(); ++i) {
    const Launch launch = behind_script(outcome.commands[i]);
    const shell::Text* value = variable_of(outcome, i, handing);
    const auto name = value ? shell::known(*value) : std::nullopt;
    if (!name || !starts_script(outcome.commands[i])) continue;
    const auto text = source.read ? source.read(*name) : std::nullopt;
    if (!text)
      throw InputError(
          shell::place_of(*value, {}).where(),
          fmt::format("'{}', which has the settings, cannot be read: import it", *name));
    Command command(launch, handing);
    command.read();
    HandedOver out{.file = *name, .text = *text, .words = command.words(), .given = {}};
    for (const auto& [given, said] : source.given)
      if (!outcome.asked.given.contains(given)) out.given[given] = said;
    return out;
  }
  return std::nullopt;
}

}  // namespace

HandedOver handed_over(const Source& source, const Handing& handing) {
  const shell::Outcome outcome = shell::follow(source.text, source.file,
                                               {.given = source.given,
                                                .preset = slurm_variables(source.text),
                                                .read = source.read,
                                                .decisions = {},
                                                .scheduler = slurm_variables});
  for (const Launch& launch : launches(outcome)) {
    Command command(launch, handing);
    if (!command.read()) continue;
    HandedOver out;
    read_file(source, command, out);
    out.words = command.words();
    out.given = command.given();
    for (const auto& [name, value] : source.given)
      if (!outcome.asked.given.contains(name)) out.given[name] = value;
    const World world = world_of(devices_of(launch, outcome, source.text));
    if (world.devices > 0)
      out.given.try_emplace(std::string(devices_definition), std::to_string(world.devices));
    return out;
  }
  if (const auto settings = named_by_variable(source, handing, outcome)) return *settings;
  throw InputError({source.file, 1, 1},
                   fmt::format("no command of this script hands a file of settings to a program of "
                               "{} ({} FILE): give the file itself",
                               handing.framework, handing.options.front()));
}

bool hands_over(std::string_view text, const Handing& handing) {
  while (!text.empty()) {
    const std::string_view line = interop::take_line(text);
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || line[start] == '#') continue;
    const auto has = [&](std::string_view word) {
      return line.find(word) != std::string_view::npos;
    };
    const bool names = !handing.variable.empty() && has(std::string(handing.variable) + '=') &&
                       has(handing.suffix);
    if (names || std::ranges::any_of(handing.options, has)) return true;
  }
  return false;
}

}  // namespace pipewright::job
