// Follows statements and expressions (program.hpp).
#pragma once

#include <deque>

#include "interop/python/program.hpp"
#include "interop/python/scope.hpp"

namespace pipewright::interop::python {

class Interpreter {
 public:
  explicit Interpreter(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  /// Reads a file and follows it to its end.
  Module& run(std::string_view text, const std::string& file);
  Value call_closure(const Closure& closure, const Call& call);
  /// The same of a function that the user calls: parameters are what --define gives.
  Value call_from_outside(const Closure& closure, Call call);
  /// Returns the value that stands for a name of another module; the name itself where its file is
  /// not there.
  Value resolved(const Value& symbol);
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  enum class Flow : uint8_t { next, give, leave };

  // Statements (interpreter.cpp).
  Flow follow(const std::vector<Statement>& statements, Scope& scope);
  Flow follow(const Statement& statement, Scope& scope);
  void define(const Statement& statement, Scope& scope);
  void import(const Statement& statement, Scope& scope);
  Flow choose(const Statement& statement, Scope& scope);
  Flow repeat(const Statement& statement, Scope& scope);
  Flow leave(const Statement& statement, const Scope& scope);
  void in_doubt(const Unknown& why, const std::vector<Statement>& statements, Scope& scope);
  void assign(const Expression& target, Value value, Scope& scope);
  void change(const Statement& statement, Scope& scope);
  Module* module_named(const std::string& dotted);
  void take_arguments(const Closure& closure, const Call& call, Scope& scope);
  Value others_of(const Call& call, const std::vector<Parameter>& parameters);

  // Expressions (expressions.cpp).
  Value value_of(const Expression& expression, Scope& scope);
  Value name(const Expression& expression, Scope& scope);
  Value attribute(const Expression& expression, Scope& scope);
  Value attribute_of(const Value& base, const Expression& expression);
  Value subscript(const Expression& expression, Scope& scope);
  Value binary(const Expression& expression, Scope& scope);
  Value dictionary(const Expression& expression, Scope& scope);
  Value literal(const Expression& expression, const Scope& scope) const;
  Value given_or_unknown(const std::string& name, const Value& otherwise);

  // Calls (calls.cpp).
  Value call(const Expression& expression, Scope& scope);
  void add_arguments(const Expression& expression, Scope& scope, Call& call);
  Value call_symbol(const Call& call, bool is_command);
  bool is_idle(const Call& call) const;
  void note_changes(const Call& call, const Value& by);
  std::optional<Value> from_outside(const Call& call);

  Place place_of(const Expression& expression, const Scope& scope) const;
  void step(const Place& place);

  Surroundings surroundings_;
  Heap heap_;
  std::deque<Module> modules_;
  std::deque<Scope> scopes_;
  std::deque<Closure> closures_;
  std::map<std::string, Module*> named_;
  std::vector<std::string> asked_;
  std::optional<Value> result_;   ///< of the function that is followed
  std::optional<Unknown> doubt_;  ///< why it is not known whether this is followed
  int depth_ = 0, calls_ = 0, tries_ = 0;
  /// The call that is a statement of its own: what it gives is not used, so that it changes
  /// something.
  const Expression* command_ = nullptr;
  bool leaves_loop_ = false;  ///< by break, and not by continue
  int64_t steps_ = 0;
};

}  // namespace pipewright::interop::python
