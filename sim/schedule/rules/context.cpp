#include "schedule/rules/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pipewright::schedule::rules {
namespace {

constexpr int deepest = 2000;  // nested operations, through all functions

struct Division {
  int64_t quotient, remainder;
};

/// Rounds down; `b` is neither 0 nor, for the smallest a, -1.
Division divide_down(int64_t a, int64_t b) {
  const int64_t quotient = a / b, remainder = a % b;
  const bool up = remainder != 0 && (remainder < 0) != (b < 0);
  return {quotient - up, remainder + (up ? b : 0)};
}

}  // namespace

Context::Context(const Names& names, int64_t steps)
    : names_(names), values_(names.variables().size()), steps_(steps) {}

void Context::fail(const config::Value& source, int at, const std::string& message) const {
  std::string values;
  for (size_t slot = 0; slot < values_.size(); ++slot) {
    if (const std::optional<int64_t>& value = values_[slot]) {
      values +=
          fmt::format("{}{} = {}", values.empty() ? "" : ", ", names_.variables()[slot], *value);
    }
  }
  fail_at(source, at, values.empty() ? message : fmt::format("{} ({})", message, values));
}

void Context::step(const config::Value& where) {
  if (--steps_ < 0) where.fail("the rules take too long: far more steps than there are passes");
}

int64_t Context::evaluate(const Expression& expression) {
  return value(expression, expression.whole(), {});
}

int64_t Context::evaluate(const Expression& expression, int64_t least, int64_t most) {
  const int64_t result = evaluate(expression);
  if (result < least || result > most) {
    fail(expression.source, 0,
         fmt::format("'{}' is {}, but must be from {} to {}", expression.source.text, result, least,
                     most));
  }
  return result;
}

int64_t Context::child(const Expression& expression, const Node& node, int index, Frame frame) {
  const auto place = static_cast<size_t>(node.first_child) + static_cast<size_t>(index);
  const int at = expression.children[place];
  return value(expression, expression.nodes[static_cast<size_t>(at)], frame);
}

int64_t Context::value(const Expression& expression, const Node& node, Frame frame) {
  using Op = Node::Op;
  const auto operand = [&](int index) { return child(expression, node, index, frame); };
  step(expression.source);
  if (++depth_ > deepest) fail(expression.source, node.at, "nested too deep");
  int64_t result = 0;
  switch (node.op) {
    case Op::number:
      result = node.value;
      break;
    case Op::variable:
      result = variable(expression, node);
      break;
    case Op::argument:
      result = frame[static_cast<size_t>(node.value)];
      break;
    case Op::call:
      result = call(expression, node, frame);
      break;
    case Op::logical_not:
      result = operand(0) == 0;
      break;
    case Op::logical_and:
      result = operand(0) != 0 && operand(1) != 0;
      break;
    case Op::logical_or:
      result = operand(0) != 0 || operand(1) != 0;
      break;
    case Op::choose:
      result = operand(0) != 0 ? operand(1) : operand(2);
      break;
    case Op::min:
    case Op::max:
      result = extreme(expression, node, frame);
      break;
    case Op::negate:
      result = arithmetic(expression, node, 0, operand(0));
      break;
    default: {
      const int64_t left = operand(0);
      result = arithmetic(expression, node, left, operand(1));
    }
  }
  --depth_;
  return result;
}

int64_t Context::variable(const Expression& expression, const Node& node) const {
  const auto slot = static_cast<size_t>(node.value);
  if (const std::optional<int64_t>& value = values_[slot]) return *value;
  fail(expression.source, node.at, fmt::format("'{}' has no value here", names_.variables()[slot]));
}

int64_t Context::call(const Expression& expression, const Node& node, Frame frame) {
  std::array<int64_t, most_arguments> arguments;
  for (int k = 0; k < node.children; ++k)
    arguments[static_cast<size_t>(k)] = child(expression, node, k, frame);
  const Expression& body = names_.functions()[static_cast<size_t>(node.value)].body;
  return value(body, body.whole(), {arguments.data(), static_cast<size_t>(node.children)});
}

int64_t Context::extreme(const Expression& expression, const Node& node, Frame frame) {
  int64_t result = child(expression, node, 0, frame);
  for (int k = 1; k < node.children; ++k) {
    const int64_t other = child(expression, node, k, frame);
    result = node.op == Node::Op::min ? std::min(result, other) : std::max(result, other);
  }
  return result;
}

int64_t Context::arithmetic(const Expression& expression, const Node& node, int64_t a,
                            int64_t b) const {
  using Op = Node::Op;
  int64_t result = 0;
  bool overflows = false;
  switch (node.op) {
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::add:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Op::negate:
    case Op::subtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) fail(expression.source, node.at, "division by zero");
      overflows = a == INT64_MIN && b == -1;
      if (overflows) break;
      result = node.op == Op::divide ? divide_down(a, b).quotient : divide_down(a, b).remainder;
  }
  if (overflows) fail(expression.source, node.at, "the number is too large for 64 bits");
  return result;
}

}  // namespace pipewright::schedule::rules
