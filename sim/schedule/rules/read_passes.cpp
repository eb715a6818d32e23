#include <fmt/format.h>

#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {
namespace {

/// The keys F, B, I and W of `fields`; other keys are the caller's.
OfPasses read_passes(const config::Fields& fields, const Names& names) {
  OfPasses passes{.source = fields.value()};
  for (Pass pass : all_passes) {
    const auto index = static_cast<int>(pass);
    if (const config::Value* value = fields.find(pass_names[index]))
      passes.of[index] = parse_expression(*value, names);
  }
  const auto has = [&](Pass pass) { return passes.of[static_cast<int>(pass)].has_value(); };
  const bool whole = has(Pass::backward);
  const bool halves = has(Pass::input_gradient) && has(Pass::weight_gradient);
  const bool half = has(Pass::input_gradient) || has(Pass::weight_gradient);
  if (!has(Pass::forward) || whole == half || half != halves)
    fields.value().fail("needs F, and either B or both I and W");
  return passes;
}

std::optional<Expression> read_optional(const config::Fields& fields, std::string_view key,
                                        const Names& names) {
  const config::Value* value = fields.find(key);
  if (!value) return std::nullopt;
  return parse_expression(*value, names);
}

}  // namespace

OfPasses read_slots(const config::Value& value, const Names& names) {
  return read_passes(fields_of(value, "slots", {"F", "B", "I", "W"}), names);
}

Priorities read_priorities(const config::Value& value, const Names& names) {
  const config::Fields fields =
      fields_of(value, "priority", {"F", "B", "I", "W", "memory_cap", "in_flight", "times"});
  Priorities result{.priority = read_passes(fields, names)};
  result.memory_cap = read_optional(fields, "memory_cap", names);
  result.in_flight = read_optional(fields, "in_flight", names);
  if (const config::Value* times = fields.find("times")) {
    const config::Fields of_time = fields_of(*times, "times", {"F", "B", "I", "W", "hop"});
    result.time = read_passes(of_time, names);
    result.hop = read_optional(of_time, "hop", names);
    if (result.time->splits_backward() != result.priority.splits_backward())
      times->fail("must name the passes that have priorities");
  }
  return result;
}

}  // namespace pipewright::schedule::rules
