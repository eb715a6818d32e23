#include <fmt/format.h>

#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {
namespace {

std::optional<Pass> pass_of(const Token& token) {
  for (Pass pass : all_passes)
    if (token.is(pass_names[static_cast<int>(pass)])) return pass;
  return std::nullopt;
}

Call read_call(Parser& parser) {
  const std::optional<Pass> pass = pass_of(parser.peek());
  if (!pass) parser.fail_here("one of the passes F, B, I and W");
  Call call{.pass = *pass, .at = parser.take().at};
  call.if_left = parser.accept("?");
  if (parser.accept("(")) {
    do call.arguments.push_back(parser.expression());
    while (parser.accept(","));
    parser.expect(")");
  }
  call.if_left = parser.accept("?") || call.if_left;
  if (call.arguments.size() > 3) {
    fail_at(parser.text(), call.at,
            "a pass has a chunk, a micro-batch and a slice, not more arguments");
  }
  return call;
}

Step read_calls(const config::Value& value, const Names& names) {
  Step step{.kind = Step::Kind::calls, .source = value};
  Parser parser(value, names);
  do {
    step.calls.push_back(read_call(parser));
    if (!parser.peek().is("|")) continue;
    const int at = parser.take().at;
    const std::optional<Pass> second = pass_of(parser.peek());
    const bool sound = step.calls.back().pass == Pass::forward &&
                       (second == Pass::backward || second == Pass::input_gradient);
    if (!sound) fail_at(value, at, "'|' pairs an F with the B or I that follows it");
    step.calls.back().pairs_with_next = true;
  } while (!parser.at_end());
  return step;
}

Step read_repeat(const config::Value& value, Names& names) {
  const config::Fields fields = fields_of(value, "a repetition", {"repeat", "do", "counting"});
  Step step{.kind = Step::Kind::repeat, .source = value};
  step.condition = parse_expression(fields.at("repeat"), names);
  if (const config::Value* name = fields.find("counting"))
    step.counter = names.add_counter(config::as_text(*name, "a name"), name->mark.where());
  step.body = read_steps(fields.at("do"), names);
  return step;
}

Step read_choice(const config::Value& value, Names& names) {
  const config::Fields fields = fields_of(value, "a choice", {"if", "do", "else"});
  Step step{.kind = Step::Kind::choice, .source = value};
  step.condition = parse_expression(fields.at("if"), names);
  step.body = read_steps(fields.at("do"), names);
  if (const config::Value* otherwise = fields.find("else"))
    step.otherwise = read_steps(*otherwise, names);
  return step;
}

Step read_step(const config::Value& value, Names& names) {
  if (value.is_scalar()) return read_calls(value, names);
  if (value.is_map() && value.find("repeat")) return read_repeat(value, names);
  if (value.is_map() && value.find("if")) return read_choice(value, names);
  value.fail(
      "must be passes such as 'F B', a repetition {repeat: ..., do: ...} or a choice {if: ..., do: "
      "...}");
}

}  // namespace

Steps read_steps(const config::Value& value, Names& names) {
  Steps steps;
  if (value.is_list()) {
    for (const config::Value& item : value.items) steps.push_back(read_step(item, names));
  } else {
    steps.push_back(read_step(value, names));
  }
  return steps;
}

}  // namespace pipewright::schedule::rules
