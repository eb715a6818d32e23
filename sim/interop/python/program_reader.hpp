// Reads the statements of a program (docs.python.org/3/reference/compound_stmts.html).
#pragma once

#include "interop/python/token_stream.hpp"

namespace pipewright::interop::python {

class ProgramReader {
 public:
  explicit ProgramReader(TokenStream& tokens) : tokens_(tokens) {}

  std::vector<Statement> run();

 private:
  using Kind = Statement::Kind;
  static constexpr int most_blocks = 60;

  Statement begun(Kind kind) const;
  /// Reads what stands on a line, and the block below it.
  void line(std::vector<Statement>& all);
  /// Returns the name behind "@", without its arguments.
  std::string decorator();
  void end_line();
  void simple_line(std::vector<Statement>& all);
  bool compound(std::vector<Statement>& all);
  std::vector<Statement> block();
  void define(Statement& out);
  void parameter(Statement& out);
  void name_class(Statement& out);
  /// Reads the bases of a class; what is given by name, such as its metaclass, is none.
  void bases(Statement& out);
  Expression target_at(Expression::Kind kind) const;
  void with(Statement& out);
  /// Tells whether a bracket is around all that stands before the colon.
  bool is_bracket_of_with() const;

  // Which statements are followed (branch_reader.cpp).
  void choose(Statement& out);
  /// `match` is a name too: it is a statement where cases stand below it.
  bool is_match() const;
  /// Reads `match` as a name that is compared with one case after the other.
  bool match(std::vector<Statement>& all);
  void cases(const Expression& subject, std::vector<Statement>& all);
  /// Returns the condition that a pattern is: a plain value and `_` are known, and others are not.
  Expression pattern(const Expression& subject);
  void repeat(Statement& out);
  /// What stands behind `else` ends what is tried, and what stands behind `finally` follows it.
  bool attempt(Statement& out, std::vector<Statement>& all);

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace pipewright::interop::python
