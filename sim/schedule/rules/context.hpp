// Evaluates expressions: what the variables are just now, and how much work is left.
#pragma once

#include "schedule/rules/expression.hpp"

namespace pipewright::schedule::rules {

class Context {
 public:
  /// Allows `steps` operations and repetitions over the whole of its life, so that no rules file
  /// runs for ever.
  Context(const Names& names, int64_t steps);

  void grant(int64_t steps) { steps_ += granted_ = steps; }
  /// Allows as many steps as grant() did last.
  void grant_again() { steps_ += granted_; }
  void set(int variable, int64_t value) { values_[variable] = value; }
  std::optional<int64_t>& at(int variable) { return values_[variable]; }

  /// Throws InputError where the text of the expression stands: overflow, division by zero, a name
  /// that means nothing there, too much work. The message gives the variables' values.
  int64_t evaluate(const Expression& expression);
  /// The same for a value that must lie within [least, most].
  int64_t evaluate(const Expression& expression, int64_t least, int64_t most);

  /// Takes one step for something that is not an expression.
  void step(const config::Value& where);

  /// Fails at `at` of `source`, the variables' values appended.
  [[noreturn]] void fail(const config::Value& source, int at, const std::string& message) const;

 private:
  using Frame = std::span<const int64_t>;  // a function's arguments
  int64_t value(const Expression& expression, const Node& node, Frame frame);
  int64_t child(const Expression& expression, const Node& node, int index, Frame frame);
  int64_t variable(const Expression& expression, const Node& node) const;
  int64_t call(const Expression& expression, const Node& node, Frame frame);
  int64_t extreme(const Expression& expression, const Node& node, Frame frame);
  int64_t arithmetic(const Expression& expression, const Node& node, int64_t a, int64_t b) const;

  const Names& names_;
  std::vector<std::optional<int64_t>> values_;
  int64_t steps_, granted_ = 0;
  int depth_ = 0;
};

}  // namespace pipewright::schedule::rules
