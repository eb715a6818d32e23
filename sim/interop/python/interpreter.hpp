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
  /// `name` is that of its module, and empty for the file with which the program begins.
  Module& run(std::string_view text, const std::string& file, const std::string& name = {});
  Value call_closure(const Closure& closure, const Call& call);
  /// The same of a function that the user calls: parameters are what --define gives.
  Value call_from_outside(const Closure& closure, Call call);
  /// Returns the value that stands for a name of another module; the name itself where its file is
  /// not there.
  Value resolved(const Value& symbol);

  const std::vector<std::string>& asked() const { return asked_; }
  bool reads_command_line() const { return reads_command_line_; }

 private:
  /// The same through one file.
  Value found_in_file(const Value& symbol);
  /// How a list of statements ends, from the surest on. Where it may have returned, or may have
  /// left a loop, what follows is in doubt.
  /// A raise in doubt stops: there would be no job.
  enum class Flow : uint8_t { next, stop, leave, may_leave, give, may_give };

  /// The program ends, and without an error.
  struct Exit {};
  /// The program raises an error of its own.
  struct Raised : InputError {
    using InputError::InputError;
  };

  // Statements (interpreter.cpp, branches.cpp).
  Flow follow(const std::vector<Statement>& statements, Scope& scope);
  Flow follow(const Statement& statement, Scope& scope);
  void define(const Statement& statement, Scope& scope);
  void import(const Statement& statement, Scope& scope);
  Flow choose(const Statement& statement, Scope& scope);
  Flow repeat(const Statement& statement, Scope& scope);
  Flow repeat_over(const Statement& statement, const std::vector<Value>& over, Scope& scope);
  Flow leave(const Statement& statement, Scope& scope);
  static std::string callee_of(const Statement& statement);
  Flow attempt(const Statement& statement, Scope& scope);
  /// Returns what a loop goes over, or nothing where that is not known.
  std::optional<std::vector<Value>> items_of(const Value& over);
  Flow in_doubt(const Unknown& why, const std::vector<Statement>& statements, Scope& scope);
  Flow perhaps(Flow flow, const Unknown& why);
  Module* module_named(const std::string& dotted);

  // What they set (targets.cpp).
  void bind(const std::string& name, Value value, Scope& scope);
  static void declare(const Statement& statement, Scope& scope);
  void assign(const Expression& target, Value value, Scope& scope);
  void assign_each(const Expression& target, const Value& value, Scope& scope);
  static std::string value_text(const Value& value, const Expression& target);
  void set_unknown(const Value& base, const Expression& target, const Scope& scope) const;
  void set_attribute(const Value& base, const Expression& target, Value value, const Scope& scope);
  void set_item(const Value& base, const Expression& target, Value value, Scope& scope);
  static Value* item_of(const Value& base, const Value& key);
  static bool dictionary_in(const Value& value);
  void change(const Statement& statement, Scope& scope);
  void remove(const Expression& target, Scope& scope);

  // Expressions (expressions.cpp).
  Value value_of(const Expression& expression, Scope& scope);
  /// The same without its place, of an expression that is not too deep.
  Value evaluated(const Expression& expression, Scope& scope);
  Value name(const Expression& expression, Scope& scope);
  Value attribute(const Expression& expression, Scope& scope);
  Value attribute_of(const Value& base, const Expression& expression);
  Value subscript(const Expression& expression, Scope& scope);
  Value binary(const Expression& expression, Scope& scope);
  Value chain(const Expression& expression, Scope& scope);
  Value conditional(const Expression& expression, Scope& scope);
  Value list(const Expression& expression, Scope& scope);
  Value formatted(const Expression& expression, Scope& scope);
  Value slice(const Value& base, const Expression& expression, Scope& scope);
  Value comprehension(const Expression& expression, Scope& scope);
  std::optional<Unknown> comprehend(const Expression& expression, size_t at, Scope& scope,
                                    std::vector<Value>& made);
  Value in_doubt(const Unknown& why, const Expression& expression, Scope& scope);
  static Unknown why_unknown(const Expression& expression, const Value& of);
  Value dictionary(const Expression& expression, Scope& scope);
  Value literal(const Expression& expression, const Scope& scope) const;
  Value given_or_unknown(const std::string& name, const Value& otherwise);

  // Calls (calls.cpp).
  void take_arguments(const Closure& closure, const Call& call, Scope& scope);
  void check_arguments(const Closure& closure, const Call& call) const;
  Value others_of(const Call& call, const std::vector<Parameter>& parameters);
  Value call(const Expression& expression, Scope& scope);
  void add_arguments(const Expression& expression, Scope& scope, Call& call);
  Value call_symbol(const Call& call, bool is_command);
  bool is_idle(const Call& call) const;
  void note_changes(const Call& call, const Value& by);
  std::optional<Value> from_outside(const Call& call);
  Value call_partial(const Object& partial, Call call, bool is_command);
  Value call_unknown(const Expression& expression, const Value& base, Call call, bool is_command);
  Value call_value(const Value& function, Call call, bool is_command);
  std::optional<Value> attribute_named(const Call& call, const Expression& expression);
  Value closure_of(const Statement& definition, Scope& scope);

  // The command line of the program (command_line.cpp).
  /// Returns what a method of an argparse.ArgumentParser gives, or nothing for other values.
  std::optional<Value> parser_method(const Value& base, std::string_view name, const Call& call);
  void add_argument(Object& parser, const Call& call);
  void set_default(Object& parser, const std::string& name, const Value& value);
  Value command_line(const Object& parser, const Call& call);
  Value argument_value(const Object& argument);
  Value argument_given(const Object& argument, const std::string& text);
  /// Returns what the type of an argument makes of a text.
  Value argument_of_text(const Object& argument, const std::string& text);

  // Classes of the program (classes.cpp).
  /// A class of the program and those that it is made of, the first ones first.
  struct Lineage {
    std::vector<const Class*> known{};
    std::vector<std::string> others{};  ///< classes whose files are not there
    bool is_data = true, has_methods = false;
  };
  void define_class(const Statement& statement, Scope& scope);
  void add_lineage(const std::string& name, Lineage& lineage, int depth = 0) const;
  Lineage lineage_of(const std::string& name) const;
  /// Returns what a class of the program has of this name, or null.
  const Value* class_attribute(const std::string& name, std::string_view attribute) const;
  /// Gives an object the fields that its class has and nobody set. One of a class that adds nothing
  /// but fields to a class of a framework is of that one.
  void complete(Object& object, const Place& place);
  void name_arguments(const Lineage& lineage, Object& object);
  Value default_of(const Value& value, const Place& place);
  /// Returns what `object.name` gives where the class of an object says it.
  std::optional<Value> inherited(const Value& base, const Expression& expression);
  /// Returns what a method gives: one of a text, a list or a dictionary, or one of the program.
  std::optional<Value> call_method(const Value& base, const std::string& name, Call call);

  Place place_of(const Expression& expression, const Scope& scope) const;
  void step(const Place& place);

  Surroundings surroundings_;
  Heap heap_;
  std::deque<Module> modules_;
  std::deque<Scope> scopes_;
  std::deque<Closure> closures_;
  std::map<std::string, Class, std::less<>> classes_;
  std::map<std::string, Module*> named_;
  std::vector<std::string> asked_;
  std::map<std::string, Value> symbols_;  ///< what the program sets of other modules
  struct State {
    std::optional<Value> result{};   ///< of the function that is followed
    std::optional<Unknown> doubt{};  ///< why it is not known whether this is followed
    int depth = 0, calls = 0, tries = 0;
  };
  State state_;
  Unknown why_;  ///< why the last list of statements may have ended before
  /// The call that is a statement of its own: what it gives is not used, so that it changes
  /// something.
  const Expression* command_ = nullptr;
  bool reads_command_line_ = false;
  bool leaves_loop_ = false;  ///< by break, and not by continue alone
  int64_t steps_ = 0;
};

}  // namespace pipewright::interop::python
