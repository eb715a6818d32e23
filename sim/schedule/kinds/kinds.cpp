#include "schedule/kinds/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "schedule/command.hpp"
#include "schedule/kinds/registry.hpp"
#include "schedule/rules/rules.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::schedule {

std::span<const Kind* const> kinds() { return registry; }

const Kind* find_kind(std::string_view name) {
  for (const Kind* kind : kinds()) {
    if (kind->name == name) return kind;
    for (std::string_view alias : kind->aliases)
      if (alias == name) return kind;
  }
  return nullptr;
}

bool Kind::takes(std::string_view option) const {
  return std::ranges::find(options, option, &KindOption::name) != options.end();
}

config::Fields fields_of(const Kind& kind, const config::Value& spec) {
  std::vector<std::string_view> known{"name"};
  for (const KindOption& option : kind.options) known.push_back(option.name);
  return config::Fields(spec, kind.name.data(), known);
}

size_t choice_of(const Kind& kind, const config::Fields& fields, std::string_view option) {
  const auto found = std::ranges::find(kind.options, option, &KindOption::name);
  ensure(found != kind.options.end() && !found->choices.empty(), "an option that is no choice");
  const config::Value* given = fields.find(option);
  return given ? config::as_choice(*given, found->choices) : 0;
}

namespace {

[[noreturn]] void fail_unknown(const config::Value& name) {
  std::vector<std::string_view> names;
  for (const Kind* kind : kinds()) {
    names.push_back(kind->name);
    names.insert(names.end(), kind->aliases.begin(), kind->aliases.end());
  }
  // PyTorch's classes are called Schedule1F1B and so on.
  constexpr std::string_view of_class = "Schedule";
  const bool is_class = name.text.starts_with(of_class);
  std::string hint =
      did_you_mean(std::string_view(name.text).substr(is_class ? of_class.size() : 0), names);
  if (name.text.find('/') != std::string::npos || name.text.ends_with(".yaml")) {
    const size_t prefix = name.text.starts_with("rules:") ? std::string_view("rules:").size() : 0;
    hint = fmt::format("; a file of rules is '{{rules: {}}}'", name.text.substr(prefix));
  }
  if (name.text.ends_with(".csv"))
    hint = fmt::format("; PyTorch's CSV of a schedule is '{}{}'", torch_csv_prefix, name.text);
  if (hint.empty()) hint = "; 'pipewright list schedules' shows all";
  name.fail(fmt::format("unknown schedule '{}'{}", name.text, hint));
}

}  // namespace

Schedule build(const Shape& shape, const config::Value& spec) {
  if (spec.is_map() && spec.find("rules")) return build_from_rules(shape, spec);
  if (spec.is_map() && spec.find("command")) return build_from_command(shape, spec);
  config::Value options = spec;
  if (spec.is_scalar()) {
    options = config::Value{.kind = config::Value::Kind::map, .mark = spec.mark};
    options.set("name", spec);
  }
  if (!options.is_map()) spec.fail("a schedule is a name, or a map with 'name' and its options");
  const config::Value* name = options.find("name");
  if (!name) spec.lacks("a schedule needs the key 'name'");
  const std::string& text = config::as_text(*name, "the name of a schedule");
  if (text.starts_with(torch_csv_prefix)) {
    const config::Fields fields(options, "torch-csv", {"name"});
    return build_torch_csv(shape, *name);
  }
  const Kind* kind = find_kind(text);
  if (!kind) fail_unknown(*name);
  Schedule schedule = kind->build(shape, options);
  validate(schedule, options);
  return schedule;
}

}  // namespace pipewright::schedule
