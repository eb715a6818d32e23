// Readers of expressions, from the loosest operators to the tightest (docs.python.org/3/reference/
// expressions.html, "Operator precedence").
#pragma once

#include "interop/python/token_stream.hpp"

namespace pipewright::interop::python {

/// Reads an expression; with `may_be_tuple` also one of several behind commas. Throws InputError
/// for what is none.
Expression expression_in(TokenStream& tokens, bool may_be_tuple = false);

class ExpressionReader {
 public:
  explicit ExpressionReader(TokenStream& tokens) : tokens_(tokens) {}

  Expression several();
  Expression one();

 private:
  using Kind = Expression::Kind;

  Expression begun(Kind kind, size_t from) const;
  Expression finished(Expression value, size_t from) const;
  bool ends_here() const;
  Expression starred();
  Expression lambda();
  Parameter parameter_of_lambda();
  bool opens() const {
    return tokens_.is_mark("(") || tokens_.is_mark("[") || tokens_.is_mark("{");
  }
  bool closes() const {
    return tokens_.is_mark(")") || tokens_.is_mark("]") || tokens_.is_mark("}");
  }
  Expression conditional(size_t from);
  Expression joined(size_t from, const std::string& by, Expression left, Expression right) const;
  Expression either();
  Expression both();
  Expression negated();
  std::string compared();
  /// a < b < c is one chain, whose parts are looked at once.
  Expression comparison();
  Expression level(size_t index);
  Expression factor();
  bool comprehends() const { return tokens_.is_word("for") || tokens_.is_word("async"); }

  // Names, calls, literals (primary_reader.cpp).
  Expression primary();
  Expression call(Expression callee, size_t from);
  /// Reads an argument, which may be a comprehension.
  Expression argument();
  /// Reads what stands behind the elements of a comprehension.
  Expression comprehension(std::vector<Expression> elements, size_t from);
  Expression condition();
  /// Passes over all that stands before the bracket that closes.
  Expression rest(size_t from);
  Expression subscript(Expression value, size_t from);
  Expression index();
  bool is_of_array() const;
  Expression atom();
  Expression name();
  Expression number();
  /// Texts side by side are one.
  Expression text();
  void add_fields(const Token& token, Expression& out) const;
  Expression parenthesis();
  Expression list();
  Expression braces();
  void add_pair(Expression& out);

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace pipewright::interop::python
