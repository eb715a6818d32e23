// Integer expressions of a rules file: + - * / % min max, comparisons, and or not, if(c, a, b) or
// c ? a : b, and functions that the file defines. Whole 64-bit numbers; / rounds down and % takes
// the divisor's sign, so that (i - 1) % p wraps around. True is 1, and all but 0 counts as true.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/rules/token_reader.hpp"

namespace pipewright::schedule::rules {

/// The names that the format itself gives a meaning.
namespace variable {
enum Builtin : int {
  ranks,
  rank,
  micro_batches,
  chunks,
  slices,
  iterations,
  stage,
  micro_batch,
  slice,
  copy,
  nth_of_copy,
  repetition,
  count
};
inline constexpr std::string_view names[count] = {"p", "i", "m", "v", "K", "t",
                                                  "s", "b", "x", "q", "n", "k"};
}  // namespace variable

struct Node {
  enum class Op : uint8_t {
    number,    // value
    variable,  // value is its slot in Names
    argument,  // value is its place among the function's arguments
    call,      // value is the function
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    choose,
    min,
    max
  };
  Op op = Op::number;
  int at = 0;  ///< offset in the text
  int64_t value = 0;
  int first_child = 0, children = 0;  ///< in Expression::children
};

/// A parsed expression; children come before their parents, the last node is the whole.
struct Expression {
  config::Value source;
  std::vector<Node> nodes;
  std::vector<int> children;
  const Node& whole() const { return nodes.back(); }
};

inline constexpr size_t most_arguments = 8;

/// A name with arguments (or none) for an expression.
struct Function {
  std::string name;
  std::vector<std::string> arguments;
  Expression body;
};

/// The meaning of names. Functions know only those before them, so none can call itself.
class Names {
 public:
  Names();
  /// The slot of a new variable. Throws InputError at `where` when the name is taken or no name.
  int add_variable(std::string_view name, const Where& where);
  /// The same for what counts repetitions; one name may count several.
  int add_counter(std::string_view name, const Where& where);
  /// Reads "name" or "name(a, b)" and its body.
  void add_function(std::string_view head, const Where& where, const config::Value& body);

  std::optional<int> variable(std::string_view name) const;
  std::optional<int> function(std::string_view name) const;
  const std::vector<std::string>& variables() const { return variables_; }
  const std::vector<Function>& functions() const { return functions_; }
  /// All names, for hints.
  std::vector<std::string_view> all() const;

 private:
  void check_free(std::string_view name, const Where& where) const;
  std::vector<std::string> variables_;
  std::vector<int> counters_;  // among the variables
  std::vector<Function> functions_;
};

/// An expression that grows node by node.
class ExpressionTree {
 public:
  /// `text` is what it is read from, for errors.
  explicit ExpressionTree(const config::Value& text) : text_(text) {}
  /// Returns the number of the node; `children` are numbers of earlier ones. Throws InputError
  /// where operations are stacked too high.
  int add(Node node, std::span<const int> children);
  /// Returns what has grown so far and starts anew.
  Expression take();

 private:
  const config::Value& text_;
  Expression expression_;
  std::vector<int> heights_;  // of the nodes
};

/// Reads expressions from the text of one scalar, one after the other.
class Parser : public TokenReader {
 public:
  /// `arguments`: of the function whose body is read.
  Parser(const config::Value& text, const Names& names,
         std::span<const std::string> arguments = {});

  Expression expression();

 private:
  using Op = Node::Op;
  struct Level;  // counts how deep the parser is
  int ternary();
  int either();
  int both();
  int negation();
  int comparison();
  int sum();
  int product();
  int unary();
  int primary();
  int name();
  int call(const Token& name);
  std::vector<int> call_arguments();
  int add(Op op, int at, int64_t value, std::initializer_list<int> children);

  const Names& names_;
  std::span<const std::string> arguments_;
  int depth_ = 0;
  ExpressionTree tree_;
};

/// The whole of a scalar as one expression.
Expression parse_expression(const config::Value& text, const Names& names,
                            std::span<const std::string> arguments = {});

}  // namespace pipewright::schedule::rules
