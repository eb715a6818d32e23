#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/schedule_help.hpp"
#include "config/embedded.hpp"
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

/// Text in a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

void print_markdown_option(const OptionText& option) {
  fmt::print("| `{}` | {} | {} | {} | {}", option.path, cell(option.type), cell(option.unit),
             cell(default_text(option)), cell(option.doc));
  for (const ChoiceText& choice : choices_of(option))
    fmt::print("<br>`{}`: {}", choice.name, cell(choice.doc));
  if (!option.beside.empty()) fmt::print("<br>It {}.", cell(option.beside));
  if (!option.source.empty()) fmt::print("<br>Source: {}.", cell(option.source));
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
  fmt::print("{}", schedule_options_markdown());
}

/// The description of a key called `name` in a part of a schema; empty where it has none.
std::string_view described(const config::Value& part, std::string_view name) {
  if (const config::Value* properties = part.is_map() ? part.find("properties") : nullptr)
    if (const config::Value* key = properties->is_map() ? properties->find(name) : nullptr)
      if (const config::Value* text = key->is_map() ? key->find("description") : nullptr)
        return text->text;
  for (const config::Entry& entry : part.entries)
    if (const std::string_view text = described(entry.value, name); !text.empty()) return text;
  for (const config::Value& item : part.items)
    if (const std::string_view text = described(item, name); !text.empty()) return text;
  return {};
}

/// What the schemas of clusters and models say of the key at `path`; empty for other keys.
std::string in_schemas(const std::string& path) {
  const std::string kind = path.substr(0, path.find('.'));
  const std::string_view file = kind == "cluster" ? "hardware" : kind == "model" ? "model" : "";
  if (kind == path || file.empty()) return {};
  for (const config::EmbeddedFile& schema : config::embedded_files()) {
    if (schema.kind != "schemas" || schema.name != file) continue;
    const config::Value document = config::parse(schema.text, schema.name);
    const std::string_view text = described(document, path.substr(path.find_last_of('.') + 1));
    if (!text.empty())
      return fmt::format("{}\n  {}\n\n'pipewright schema {}' describes all keys of a {}.\n", path,
                         text, kind, kind);
  }
  return {};
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
  } else {
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
