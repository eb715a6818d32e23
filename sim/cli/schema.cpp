#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/schedule_help.hpp"
#include "config/embedded.hpp"
#include "experiment/option_texts.hpp"
#include "result/objectives.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::cli {
namespace {

using config::Value;

/// Of files that users write, then of what --json writes.
constexpr std::string_view kinds[] = {
    "experiment",  "study",        "model",      "cluster",  "node",     "device",
    "link",        "profile",      "network",    "measured", "anchor",   "rules",
    "result",      "results",      "validation", "replay",   "replays",  "plan",
    "sensitivity", "reproduction", "collective", "reshard",  "diagnosis"};

Value list_of(const std::vector<std::string_view>& names) {
  Value list;
  list.kind = Value::Kind::list;
  for (const std::string_view name : names) list.items.push_back(config::scalar(name));
  return list;
}

/// A text, though it may read as a number.
Value quoted(std::string_view text) {
  Value value = config::scalar(text);
  value.quoted = true;
  return value;
}

Value schedule_names() {
  std::vector<std::string_view> names;
  for (const schedule::Kind* kind : schedule::kinds()) {
    names.push_back(kind->name);
    names.insert(names.end(), kind->aliases.begin(), kind->aliases.end());
  }
  return list_of(names);
}

/// Each schedule with what it is in one line.
Value schedule_summaries() {
  Value all;
  all.kind = Value::Kind::map;
  for (const schedule::Kind* kind : schedule::kinds()) {
    all.set(kind->name, config::scalar(kind->summary));
    for (const std::string_view alias : kind->aliases)
      all.set(alias, config::scalar(fmt::format("another name of {}", kind->name)));
  }
  return all;
}

/// What is said of the option `name`, each with the schedules of which it is said.
using Said = std::vector<std::pair<std::string_view, std::string>>;

template <class TextOf>
Said said_of(std::string_view name, TextOf text_of) {
  Said said;
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (const schedule::KindOption& option : kind->options) {
      if (option.name != name) continue;
      const std::string_view text = text_of(option);
      const auto same = std::ranges::find(said, text, [](const auto& one) { return one.first; });
      if (same == said.end())
        said.emplace_back(text, kind->name);
      else
        same->second += fmt::format(", {}", kind->name);
    }
  }
  return said;
}

Value schedule_option(std::string_view name) {
  std::string description, preset;
  for (const auto& [doc, schedules] :
       said_of(name, [](const schedule::KindOption& option) { return option.doc; }))
    description += fmt::format("{}{}: {}", description.empty() ? "" : " ", schedules, doc);
  const Said presets = said_of(name, default_of);
  for (const auto& [text, schedules] : presets) {
    const std::string of = presets.size() > 1 ? fmt::format(" ({})", schedules) : "";
    preset += fmt::format("{}{}{}", preset.empty() ? "" : "; ", text, of);
  }
  Value described;
  described.set("description", quoted(description));
  described.set("x-default", quoted(preset));
  return described;
}

/// Adds the options of schedules to the properties beside `name`.
void add_schedule_options(Value& all) {
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (const schedule::KindOption& option : kind->options) {
      const std::string place = fmt::format("schedule.anyOf.2.properties.{}", option.name);
      config::set_path(all, place, schedule_option(option.name), place, {});
    }
  }
}

/// All definitions of sim/config/schemas and of the table of options, with the names that
/// registries hold.
Value definitions() {
  Value all;
  all.kind = Value::Kind::map;
  for (const config::EmbeddedFile& file : config::embedded_files())
    if (file.kind == "schemas")
      config::merge(all, *config::parse(file.text, file.name).find("definitions"));
  const Value options = config::parse(option_schema(), "options.yaml");
  config::merge(all, *options.find("definitions"));
  for (const std::string place : {"schedule.anyOf.0", "schedule.anyOf.2.properties.name.anyOf.0"}) {
    config::set_path(all, place + ".enum", schedule_names(), place, {});
    config::set_path(all, place + ".x-choices", schedule_summaries(), place, {});
  }
  add_schedule_options(all);
  const char* path = "study.properties.objective.items.enum";
  config::set_path(all, path, list_of(judging_names()), path, {});
  return all;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment&) {
  options::options_description description;
  std::string kind;
  description.add_options()("kind", options::value(&kind));
  parse(arguments, description, "kind", 1);
  if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds)) {
    if (kind.empty()) throw InputError("schema needs a KIND: one of " + join(kinds));
    std::string hint = did_you_mean(kind, kinds);
    if (hint.empty()) hint = "; there are: " + join(kinds);
    throw InputError(fmt::format("unknown kind '{}'{}", kind, hint));
  }
  Value schema;
  schema.set("$schema", config::scalar("https://json-schema.org/draft/2020-12/schema"));
  schema.set("title", config::scalar(fmt::format("Pipewright: {}", kind)));
  schema.set("$ref", config::scalar(fmt::format("#/$defs/{}", kind)));
  schema.set("$defs", definitions());
  return std::make_unique<DocumentOutcome>(std::move(schema));
}

int print_schema(const Arguments& arguments, const Environment& environment) {
  std::ostringstream text;
  ask(arguments, environment)->json(text);
  fmt::print("{}", text.view());
  return 0;
}

}  // namespace

const Command command::schema_command{.name = "schema",
                                      .help = help_schema,
                                      .run = print_schema,
                                      .ask = ask,
                                      .words = [](const config::Catalogue&) {
                                        return std::vector<std::string>(std::begin(kinds),
                                                                        std::end(kinds));
                                      }};

}  // namespace pipewright::cli
