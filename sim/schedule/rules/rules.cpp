#include "schedule/rules/rules.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"
#include "schedule/rules/rules_file.hpp"
#include "schedule/slicing.hpp"

namespace pipewright::schedule {
namespace {

using namespace rules;

constexpr int most_chunks = 1024;
/// Operations to begin with, and for each piece of work.
constexpr int64_t base_steps = 1'000'000, steps_per_piece = 500;

config::Value document_of(const config::Value& spec) {
  const config::Value* given = spec.find("rules");
  ensure(given, "a spec without rules");
  if (given->is_map()) return *given;
  const std::string& name = config::as_text(*given, "the path of a rules file");
  return config::parse_file(config::path_seen_from(name, given->mark), given->mark.where());
}

/// The options that a user may give beside `rules`.
config::Fields options_of(const config::Value& spec, const RulesFile& rules) {
  if (const config::Value* name = spec.find("name"))
    name->fail("a schedule has a 'name' or 'rules', not both");
  std::vector<std::string_view> known{"rules"};
  if (rules.chunks) known.emplace_back("virtual");
  if (rules.slices) known.insert(known.end(), {"slices", "granularity"});
  for (const Parameter& parameter : rules.parameters) known.emplace_back(parameter.name);
  return config::Fields(spec, "this rules file", known);
}

int64_t value_of(const config::Value& option) {
  if (option.is_scalar() && option.text == "true") return 1;
  if (option.is_scalar() && option.text == "false") return 0;
  return config::as_int(option, -1'000'000'000, 1'000'000'000);
}

/// Gives v, K and the parameters their values; returns how sequences are cut.
Slicing set_options(const RulesFile& rules, const config::Fields& options, const Shape& shape,
                    Context& context) {
  const config::Value* given = options.find("virtual");
  context.set(variable::chunks, given          ? config::as_int(*given, 1, most_chunks)
                                : rules.chunks ? context.evaluate(*rules.chunks, 1, most_chunks)
                                               : 1);
  Slicing slicing;
  if (rules.slices) {
    const auto otherwise = static_cast<int>(context.evaluate(*rules.slices, 1, most_slices));
    slicing = SliceOptions(shape, options).read(otherwise, Cutting::equal_tokens);
  }
  context.set(variable::slices, slicing.count);
  for (const Parameter& parameter : rules.parameters) {
    const config::Value* option = options.find(parameter.name);
    context.set(parameter.variable,
                option ? value_of(*option) : context.evaluate(parameter.otherwise));
  }
  return slicing;
}

void check_requirements(const RulesFile& rules, const Shape& shape, const config::Value& spec,
                        Context& context) {
  for (const Requirement& requirement : rules.requirements) {
    if (context.evaluate(requirement.that) != 0) continue;
    spec.misfit(fmt::format("{} (with {} ranks, {} micro-batches)", requirement.otherwise,
                            shape.ranks, shape.micro_batches));
  }
}

/// Micro-batches that the rules give orders for: without a flush all iterations are one stream.
int described_micro_batches(const RulesFile& rules, const Shape& shape, const config::Value& spec,
                            const RulesLimits& limits) {
  const int64_t all = int64_t{shape.micro_batches} * (rules.flush ? 1 : shape.iterations);
  if (all > limits.pieces) {
    spec.misfit(fmt::format("{} micro-batches are more than rules can give orders for: {}", all,
                            limits.pieces));
  }
  return static_cast<int>(all);
}

void fill_orders(const RulesFile& rules, Context& context, const Layout& layout,
                 Schedule& schedule) {
  if (const auto* steps = std::get_if<Steps>(&rules.orders)) {
    run_steps(*steps, context, layout, schedule);
  } else if (const auto* slots = std::get_if<OfPasses>(&rules.orders)) {
    run_slots(*slots, context, layout, schedule);
  } else {
    run_priorities(std::get<Priorities>(rules.orders), context, layout, schedule);
  }
}

/// What the rules were given: ranks, micro-batches and the file's own parameters.
std::string given_values(const RulesFile& rules, const Shape& shape, Context& context) {
  std::string values = fmt::format("p = {}, m = {}", shape.ranks, shape.micro_batches);
  const auto add = [&](std::string_view name, int variable) {
    values += fmt::format(", {} = {}", name, context.at(variable).value_or(0));
  };
  if (rules.chunks) add("v", variable::chunks);
  if (rules.slices) add("K", variable::slices);
  for (const Parameter& parameter : rules.parameters) add(parameter.name, parameter.variable);
  return values;
}

void validate_orders(const RulesFile& rules, const Shape& shape, const Schedule& schedule,
                     Context& context) {
  try {
    validate(schedule, rules.order_source);
  } catch (const InputError& error) {
    throw InputError(error.where(),
                     fmt::format("{} ({})", error.message(), given_values(rules, shape, context)));
  }
}

}  // namespace

Schedule build_from_rules(const Shape& shape, const config::Value& spec,
                          const RulesLimits& limits) {
  const RulesFile rules = read_rules(document_of(spec));
  const config::Fields options = options_of(spec, rules);
  Context context(rules.names, base_steps);
  context.set(variable::ranks, shape.ranks);
  context.set(variable::micro_batches, shape.micro_batches);
  context.set(variable::iterations, shape.iterations);
  Slicing slicing = set_options(rules, options, shape, context);
  check_requirements(rules, shape, spec, context);

  const int described = described_micro_batches(rules, shape, spec, limits);
  const Layout layout = lay_out(rules.placement, context,
                                {.ranks = shape.ranks,
                                 .micro_batches = described,
                                 .slices = slicing.count,
                                 .most_pieces = limits.pieces});
  context.grant(
      std::min(limits.steps, steps_per_piece * layout.stages * described * slicing.count));
  Schedule schedule = make(shape, layout.stages, slicing.count);
  schedule.slice_tokens = std::move(slicing.tokens);
  schedule.iterations = rules.flush ? 1 : shape.iterations;
  fill_orders(rules, context, layout, schedule);
  if (rules.weights) {
    schedule.synchronous = false;
    if (rules.weights->step_every) {
      schedule.step_every =
          static_cast<int>(context.evaluate(*rules.weights->step_every, 1, described));
    }
    set_versions(*rules.weights, context, layout, schedule);
  }
  validate_orders(rules, shape, schedule, context);
  if (rules.flush) {
    schedule.iterations = shape.iterations;
    repeat_iterations(schedule);
  }
  return schedule;
}

}  // namespace pipewright::schedule
