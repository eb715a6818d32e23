// What a program in Python consists of, as far as configurations use it. What is beyond that is
// `opaque`: it stands as it is written, and has no value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pipewright::interop::python {

struct Statement;

struct Expression {
  enum class Kind : uint8_t {
    none,
    truth,
    integer,
    real,
    text,
    name,
    attribute,    ///< parts[0] . text
    call,         ///< parts[0] (the others), which `names` name
    subscript,    ///< parts[0] [parts[1]]
    list,         ///< or a tuple, or a set
    dictionary,   ///< keys and values by turns; a key that is opaque "**" unfolds a value
    unary,        ///< text parts[0]
    binary,       ///< parts[0] text parts[1]; "and" and "or" too
    chain,        ///< parts[0] names[0] parts[1] names[1] parts[2] ...: comparisons
    named,        ///< text := parts[0]
    starred,      ///< * parts[0], in a list or a target
    conditional,  ///< parts[1] if parts[0] else parts[2]
    /// [parts[0] for ...], or {parts[0]: parts[1] for ...} where `text` is "{}". Of the parts
    /// behind them `names` says what each is: "for" a target, "in" what it takes, "if" a condition.
    comprehension,
    formatted,  ///< f"...": the values of its parts stand between the texts that `names` has
    slice,      ///< parts[0] : parts[1] : parts[2], in a subscript
    lambda,     ///< `function`, which has no name
    opaque
  };
  Kind kind = Kind::opaque;
  std::string text;
  std::vector<Expression> parts{};
  std::vector<std::string> names{};  ///< of arguments: empty, "*", "**" or a keyword
  std::shared_ptr<const Statement> function{};
  int line = 1, column = 1;
  std::shared_ptr<const std::string> source{};
  size_t begin = 0, end = 0;  ///< where it stands in the source
  int height = 1;             ///< of the tree that this is

  /// Returns it as the source has it, and only the beginning of what is long.
  std::string written() const;
};

struct Parameter {
  std::string name;
  std::vector<Expression> otherwise{};  ///< one or none
  /// "*" or "**" where it takes the rest of the arguments. A "*" without a name takes none: what
  /// follows is given by name.
  std::string rest{};
};

struct Statement {
  enum class Kind : uint8_t {
    assign,      ///< all but the last of `expressions` take the last
    change,      ///< expressions[0] text= expressions[1]
    expression,  ///< expressions[0]
    give,        ///< return, with or without expressions[0]
    define,      ///< def `text`, with the decorators `names`
    name_class,  ///< class `text` of the bases `expressions`, with the decorators `names`
    choose,      ///< if expressions[0]: body, else: otherwise
    repeat,      ///< for expressions[0] in expressions[1], or while without them
    block,       ///< with, whose body is followed; `expressions` are pairs of what and its target
    attempt,     ///< try: body, and what may follow in `otherwise`; `text` is except or empty
    import,      ///< `text` is the module; `names` are pairs of what and how it is called here
    remove,      ///< del expressions
    declare,     ///< `text` is global or nonlocal, of `names`; or a field, which has a type only
    leave        ///< `text` is break, continue or raise, of expressions[0] or nothing
  };
  Kind kind = Kind::expression;
  std::string text{};
  std::vector<Expression> expressions{};
  std::vector<Parameter> parameters{};
  std::vector<std::string> names{};
  std::vector<Statement> body{}, otherwise{};
  int line = 1, column = 1;
};

}  // namespace pipewright::interop::python
