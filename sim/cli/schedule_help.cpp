#include "cli/schedule_help.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::cli {
namespace {

using schedule::Kind;
using schedule::KindOption;

std::string type_of(const KindOption& option) {
  return option.choices.empty() ? std::string(option.type) : "one of " + join(option.choices);
}

std::string names_of(const Kind& kind) {
  std::string names;
  for (const KindOption& option : kind.options)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", option.name);
  return names;
}

}  // namespace

std::string_view default_of(const KindOption& option) {
  return option.choices.empty() ? option.preset : option.choices.front();
}

std::string schedule_text(const Kind& kind) {
  std::string text = fmt::format("{}: {}", kind.name, kind.summary);
  if (!kind.aliases.empty()) text += fmt::format(" [{}]", join(kind.aliases));
  text += kind.options.empty() ? "\nIt has no options.\n" : "\n\nIts options:\n";
  for (const KindOption& option : kind.options)
    text += fmt::format("  {}\n    {}\n    type     {}\n    default  {}\n", option.name, option.doc,
                        type_of(option), default_of(option));
  return text;
}

const Kind* schedule_of_key(std::string_view key) {
  constexpr std::string_view prefix = "schedule.";
  if (!key.starts_with(prefix)) return nullptr;
  const std::string_view name = key.substr(prefix.size());
  if (const Kind* kind = schedule::find_kind(name)) return kind;
  std::vector<std::string_view> names;
  for (const Kind* kind : schedule::kinds()) names.push_back(kind->name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "; 'pipewright list schedules' shows all";
  throw InputError(fmt::format("unknown schedule '{}'{}", name, hint));
}

std::string schedules_with_options() {
  std::string text;
  for (const Kind* kind : schedule::kinds())
    if (!kind->options.empty())
      text += fmt::format("  schedule.{:<23}  {}\n", kind->name, names_of(*kind));
  return text;
}

std::string schedule_options_markdown() {
  std::string text =
      "\n## Options of schedules\n\nThey stand beside `name`, as in `schedule: {name: zb-auto, "
      "memory_limit: 12}`.\n`pipewright help schedule.NAME` shows those of one schedule.\n\n"
      "| schedule | option | type | default | meaning |\n|---|---|---|---|---|\n";
  for (const Kind* kind : schedule::kinds())
    for (const KindOption& option : kind->options)
      text += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", kind->name, option.name,
                          type_of(option), default_of(option), option.doc);
  return text;
}

}  // namespace pipewright::cli
