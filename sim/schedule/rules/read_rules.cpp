#include <fmt/format.h>

#include "schedule/rules/rules_file.hpp"

namespace pipewright::schedule::rules {
namespace {

void read_parameters(const config::Value& value, RulesFile& rules) {
  if (!value.is_map()) value.fail("must be a map from names to their defaults");
  for (const config::Entry& entry : value.entries) {
    Expression otherwise = parse_expression(entry.value, rules.names);
    const int variable = rules.names.add_variable(entry.key, entry.mark.where());
    rules.parameters.push_back({entry.key, variable, std::move(otherwise)});
  }
}

void read_definitions(const config::Value& value, Names& names) {
  if (!value.is_map()) value.fail("must be a map from names to expressions");
  for (const config::Entry& entry : value.entries)
    names.add_function(entry.key, entry.mark.where(), entry.value);
}

void read_requirements(const config::Value& value, RulesFile& rules) {
  if (!value.is_list()) value.fail("must be a list of {that: EXPRESSION, otherwise: TEXT}");
  for (const config::Value& item : value.items) {
    const config::Fields fields = fields_of(item, "a requirement", {"that", "otherwise"});
    rules.requirements.push_back({parse_expression(fields.at("that"), rules.names),
                                  config::as_text(fields.at("otherwise"))});
  }
}

/// Warm-up, steady pattern and drain, of which some may be missing, one after the other. Returns
/// the first, or nullptr when all are missing.
const config::Value* read_phases(const config::Fields& fields, RulesFile& rules) {
  const config::Value* first = nullptr;
  Steps all;
  for (const char* phase : {"warm_up", "steady", "drain"}) {
    const config::Value* value = fields.find(phase);
    if (!value) continue;
    if (!first) first = value;
    for (Step& step : read_steps(*value, rules.names)) all.push_back(std::move(step));
  }
  if (first) rules.orders = std::move(all);
  return first;
}

/// The one of the three ways to give orders that the file takes.
void read_orders(const config::Fields& fields, RulesFile& rules) {
  const config::Value* slots = fields.find("slots");
  const config::Value* priority = fields.find("priority");
  const config::Value* phases = read_phases(fields, rules);
  if ((slots != nullptr) + (priority != nullptr) + (phases != nullptr) != 1) {
    fields.value().fail(
        "needs one of: the phases 'warm_up', 'steady' and 'drain'; 'slots'; 'priority'");
  }
  if (slots) rules.orders = read_slots(*slots, rules.names);
  if (priority) rules.orders = read_priorities(*priority, rules.names);
  rules.order_source = slots ? *slots : priority ? *priority : *phases;
}

void read_flush(const config::Fields& fields, RulesFile& rules) {
  rules.flush = fields.boolean("flush", true);
  const config::Value* weights = fields.find("weights");
  if (weights && rules.flush) {
    weights->fail(
        "weight versions need 'flush: false'; with a flush every pass reads the newest one");
  }
  if (!rules.flush && !weights)
    fields.value().fail("'flush: false' needs 'weights': the version that each pass reads");
  if (weights) rules.weights = read_weights(*weights, rules.names);
}

}  // namespace

RulesFile read_rules(const config::Value& document) {
  const config::Fields fields(
      document, "a rules file",
      {"description", "placement", "warm_up", "steady", "drain", "slots", "priority", "virtual",
       "slices", "parameters", "require", "let", "stages", "copies", "copy", "flush", "weights"});
  RulesFile rules;
  if (const config::Value* value = fields.find("virtual"))
    rules.chunks = parse_expression(*value, rules.names);
  if (const config::Value* value = fields.find("slices"))
    rules.slices = parse_expression(*value, rules.names);
  if (const config::Value* value = fields.find("parameters")) read_parameters(*value, rules);
  if (const config::Value* value = fields.find("let")) read_definitions(*value, rules.names);
  if (const config::Value* value = fields.find("require")) read_requirements(*value, rules);
  rules.placement = read_placement(fields, rules.names);
  read_orders(fields, rules);
  read_flush(fields, rules);
  return rules;
}

}  // namespace pipewright::schedule::rules
