#include "schedule/schedule.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "schedule/command.hpp"
#include "schedule/registry.hpp"
#include "schedule/rules.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::schedule {

char letter(Pass pass) { return "FBIW"[static_cast<int>(pass)]; }

std::string to_string(const Action& action, bool with_slice) {
  std::string text = fmt::format("{}{}{}", action.stage, letter(action.pass), action.micro_batch);
  if (with_slice) text += fmt::format(".{}", action.slice);
  return text;
}

Schedule make(const Shape& shape, int stages, int slices) {
  Schedule schedule;
  schedule.stages = stages;
  schedule.slices = slices;
  schedule.micro_batches = shape.micro_batches;
  schedule.iterations = shape.iterations;
  schedule.step_every = shape.micro_batches;
  schedule.order.resize(static_cast<size_t>(shape.ranks));
  return schedule;
}

void repeat_iterations(Schedule& schedule) {
  for (Order& order : schedule.order) {
    const size_t once = order.size();
    order.reserve(once * static_cast<size_t>(schedule.iterations));
    for (int t = 1; t < schedule.iterations; ++t) {
      for (size_t k = 0; k < once; ++k) {
        Action action = order[k];
        action.micro_batch += t * schedule.micro_batches;
        action.weight_version = t;
        order.push_back(action);
      }
    }
  }
}

std::span<const Kind* const> kinds() { return registry; }

const Kind* find_kind(std::string_view name) {
  for (const Kind* kind : kinds()) {
    if (kind->name == name) return kind;
    for (std::string_view alias : kind->aliases)
      if (alias == name) return kind;
  }
  return nullptr;
}

namespace {

[[noreturn]] void fail_unknown(const config::Value& name) {
  std::vector<std::string_view> names;
  for (const Kind* kind : kinds()) {
    names.push_back(kind->name);
    names.insert(names.end(), kind->aliases.begin(), kind->aliases.end());
  }
  std::string hint = did_you_mean(name.text, names);
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
