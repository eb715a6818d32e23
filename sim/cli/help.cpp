#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/markdown_cell.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/schedule_help.hpp"
#include "cli/schema_keys.hpp"
#include "experiment/misplaced_keys.hpp"
#include "experiment/option_texts.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::cli {
namespace {

std::string_view group_of(const OptionText& option) {
  return option.path.substr(0, option.path.find('.'));
}

bool is_inside(const OptionText& option, std::string_view path) {
  return option.path.size() > path.size() && option.path.starts_with(path) &&
         option.path[path.size()] == '.';
}

/// The default as one phrase; empty where there is nothing to say.
std::string default_text(const OptionText& option) {
  if (!option.preset.empty()) return std::string(option.preset);
  return std::string(option.derived);
}

void print_row(const char* name, std::string_view text) {
  if (!text.empty()) fmt::print("  {:<9}{}\n", name, text);
}

void print_choices(const OptionText& option) {
  size_t width = 0;
  for (const ChoiceText& choice : choices_of(option)) width = std::max(width, choice.name.size());
  for (const ChoiceText& choice : choices_of(option))
    fmt::print("    {:<{}}  {}\n", choice.name, width, choice.doc);
}

void print_option(const OptionText& option) {
  fmt::print("{}\n  {}\n\n", option.path, option.doc);
  print_row("type", option.type);
  print_row("unit", option.unit);
  print_row("default", default_text(option));
  print_row("beside", option.beside);
  print_row("in", option.kinds);
  print_row("source", option.source);
  if (option.choices > 0) {
    fmt::print("  choices\n");
    print_choices(option);
  }
}

/// The first sentence of a text.
std::string_view first_sentence(std::string_view text) {
  const size_t end = text.find(". ");
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

void print_line(const OptionText& option) {
  fmt::print("  {:<32}  {}\n", option.path, first_sentence(option.doc));
}

void print_inside(std::string_view path) {
  bool any = false;
  for (const OptionText& option : option_texts()) {
    if (!is_inside(option, path)) continue;
    if (!any) fmt::print("\nIts keys:\n");
    any = true;
    print_line(option);
  }
}

void print_all() {
  std::string_view group;
  for (const OptionText& option : option_texts()) {
    if (group_of(option) != group && !group.empty() && is_inside(option_texts().front(), group))
      fmt::print("\n");
    group = group_of(option);
    print_line(option);
  }
}

void print_markdown_option(const OptionText& option) {
  fmt::print("| `{}` | {} | {} | {} | {}", option.path, markdown_cell(option.type),
             markdown_cell(option.unit), markdown_cell(default_text(option)),
             markdown_cell(option.doc));
  for (const ChoiceText& choice : choices_of(option))
    fmt::print("<br>`{}`: {}", choice.name, markdown_cell(choice.doc));
  if (!option.beside.empty()) fmt::print("<br>It {}.", markdown_cell(option.beside));
  if (!option.source.empty()) fmt::print("<br>Source: {}.", markdown_cell(option.source));
  fmt::print(" |\n");
}

void print_markdown() {
  fmt::print(
      "# The keys of an experiment\n\n"
      "`pipewright help --markdown` prints this page from the table of options\n"
      "(`sim/experiment/options.yaml`). `pipewright help KEY` shows one key.\n");
  std::string_view group;
  for (const OptionText& option : option_texts()) {
    if (group_of(option) != group) {
      group = group_of(option);
      fmt::print("\n## {}\n\n| key | type | unit | default | meaning |\n|---|---|---|---|---|\n",
                 group);
    }
    print_markdown_option(option);
  }
  fmt::print("{}{}", schema_keys_markdown(), schedule_options_markdown());
}

bool is_in_table(const std::string& path) {
  return std::ranges::any_of(option_texts(), [&](const OptionText& option) {
    return option.path == path || is_inside(option, path);
  });
}

/// Returns where the keys of a cluster or a model are described; empty for those of the table.
std::string described_elsewhere(const std::string& path) {
  if (path.starts_with("model.synthetic.")) return {};
  for (const std::string_view kind : {"cluster", "model"})
    if (path.starts_with(std::string(kind) + '.'))
      return fmt::format(
          "; 'pipewright schema {0}' describes the keys of a {0} that is written out", kind);
  return {};
}

/// Returns the keys of the table whose path ends in `name`.
std::vector<const OptionText*> options_named(const std::string& name) {
  std::vector<const OptionText*> all;
  for (const OptionText& option : option_texts())
    if (option.path.ends_with('.' + name)) all.push_back(&option);
  return all;
}

/// Prints the keys whose path ends in `name`, of the table and of clusters and models; tells
/// whether there are any.
bool print_named(const std::string& name) {
  const std::vector<const OptionText*> options = options_named(name);
  const std::string schemas = named_in_schemas(name);
  if (options.size() == 1 && schemas.empty()) {
    print_option(*options.front());
    print_inside(options.front()->path);
    return true;
  }
  for (const OptionText* option : options) print_line(*option);
  fmt::print("{}", schemas);
  return !options.empty() || !schemas.empty();
}

bool has_inside(std::string_view path) {
  return std::ranges::any_of(option_texts(),
                             [&](const OptionText& option) { return is_inside(option, path); });
}

const OptionText* find_option(const std::string& path) {
  std::vector<std::string_view> known;
  for (const OptionText& option : option_texts()) {
    if (option.path == path) return &option;
    known.push_back(option.path);
  }
  if (has_inside(path)) return nullptr;
  std::string hint = described_elsewhere(path);
  if (hint.empty()) hint = did_you_mean(path, known);
  if (hint.empty()) hint = "; 'pipewright help' lists all";
  throw InputError(fmt::format("unknown key '{}'{}", path, hint));
}

const CommandText* find_command(const std::string& name) {
  for (const CommandText& command : command_texts)
    if (command.name == name) return &command;
  return nullptr;
}

int print_help(const Arguments& arguments, const Environment&) {
  options::options_description description;
  std::string key;
  bool markdown = false;
  description.add_options()("key", options::value(&key))("markdown",
                                                         options::bool_switch(&markdown));
  parse(arguments, description, "key", 1);
  if (const std::string_view path = key_called(key); !path.empty()) key = path;
  if (markdown) {
    print_markdown();
  } else if (key.empty()) {
    print_all();
  } else if (const CommandText* command = find_command(key)) {
    fmt::print("{}", command->help);
  } else if (const schedule::Kind* kind = schedule_of_key(key)) {
    fmt::print("{}", schedule_text(*kind));
  } else if (const std::string text = is_in_table(key) ? "" : in_schemas(key); !text.empty()) {
    fmt::print("{}", text);
  } else if (is_in_table(key) || !print_named(key)) {
    if (const OptionText* option = find_option(key))
      print_option(*option);
    else
      fmt::print("{}\n", key);
    print_inside(key);
    if (key == "schedule")
      fmt::print("\nOptions that schedules have:\n{}", schedules_with_options());
  }
  return 0;
}

std::vector<std::string> keys_and_commands(const config::Catalogue&) {
  std::vector<std::string> words;
  for (const OptionText& option : option_texts()) words.emplace_back(option.path);
  for (const CommandText& command : command_texts) words.emplace_back(command.name);
  for (const schedule::Kind* kind : schedule::kinds())
    words.push_back(fmt::format("schedule.{}", kind->name));
  return words;
}

}  // namespace

const Command command::help_command{
    .name = "help", .help = help_help, .run = print_help, .words = keys_and_commands};

}  // namespace pipewright::cli
