#include "interop/python/expression_reader.hpp"

#include <algorithm>
#include <span>

namespace pipewright::interop::python {
namespace {

constexpr int deepest = 60, highest = 500;

/// Operators that bind alike, from the loosest on; "not" and the comparisons are apart.
constexpr std::string_view bit_or[] = {"|"}, bit_xor[] = {"^"}, bit_and[] = {"&"},
                           shifts[] = {"<<", ">>"}, sums[] = {"+", "-"},
                           products[] = {"*", "/", "//", "%", "@"};
constexpr std::span<const std::string_view> levels[] = {bit_or, bit_xor, bit_and,
                                                        shifts, sums,    products};
constexpr std::string_view comparisons[] = {"==", "!=", "<", ">", "<=", ">="};

}  // namespace

Expression ExpressionReader::several() {
  const size_t from = tokens_.place();
  Expression first = starred();
  if (!tokens_.is_mark(",")) return first;
  Expression all = begun(Kind::list, from);
  all.parts.push_back(std::move(first));
  while (tokens_.take_mark(",")) {
    if (ends_here()) break;
    all.parts.push_back(starred());
  }
  return finished(std::move(all), from);
}

Expression ExpressionReader::one() {
  if (++depth_ > deepest) tokens_.fail("expressions are nested too deeply");
  const size_t from = tokens_.place();
  Expression value = tokens_.is_word("lambda") ? lambda() : conditional(from);
  if (value.kind == Kind::name && tokens_.take_mark(":=")) {
    Expression out = begun(Kind::named, from);
    out.text = value.text;
    out.parts.push_back(one());
    value = finished(std::move(out), from);
  }
  --depth_;
  return value;
}

Expression ExpressionReader::begun(Kind kind, size_t from) const {
  const size_t now = tokens_.place();
  tokens_.go_to(from);
  const Token& token = tokens_.peek();
  Expression out;
  out.kind = kind;
  out.line = token.line;
  out.column = token.column;
  tokens_.go_to(now);
  return out;
}

Expression ExpressionReader::finished(Expression value, size_t from) const {
  for (const Expression& part : value.parts) value.height = std::max(value.height, part.height + 1);
  if (value.height > highest) tokens_.fail("this expression has too many parts");
  tokens_.mark_written(value, from);
  return value;
}

bool ExpressionReader::ends_here() const {
  if (!tokens_.is(Token::Kind::mark))
    return !tokens_.is(Token::Kind::name) && !tokens_.is(Token::Kind::number) &&
           !tokens_.is(Token::Kind::text);
  constexpr std::string_view ends[] = {")", "]", "}", "=", ":", ";"};
  return std::ranges::find(ends, tokens_.peek().text) != std::end(ends);
}

Expression ExpressionReader::starred() {
  const size_t from = tokens_.place();
  if (!tokens_.take_mark("*")) return one();
  Expression out = begun(Kind::starred, from);
  out.parts.push_back(one());
  return finished(std::move(out), from);
}

Expression ExpressionReader::lambda() {
  const size_t from = tokens_.place();
  Expression out = begun(Kind::lambda, from);
  tokens_.take();
  Statement function{.kind = Statement::Kind::define, .text = "lambda"};
  while (!tokens_.is_mark(":")) {
    if (!tokens_.take_mark("/")) function.parameters.push_back(parameter_of_lambda());
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect(":");
  Statement give{.kind = Statement::Kind::give};
  function.line = give.line = out.line;
  function.column = give.column = out.column;
  give.expressions.push_back(one());
  out.height = give.expressions.front().height + 1;
  function.body.push_back(std::move(give));
  out.function = std::make_shared<const Statement>(std::move(function));
  return finished(std::move(out), from);
}

Parameter ExpressionReader::parameter_of_lambda() {
  Parameter out;
  if (tokens_.is_mark("*") || tokens_.is_mark("**")) out.rest = tokens_.take().text;
  if (out.rest.empty() || tokens_.is(Token::Kind::name)) out.name = tokens_.name();
  if (tokens_.take_mark("=")) out.otherwise.push_back(one());
  return out;
}

Expression ExpressionReader::conditional(size_t from) {
  Expression value = either();
  if (!tokens_.is_word("if")) return value;
  tokens_.take();
  Expression out = begun(Kind::conditional, from);
  out.parts.push_back(either());
  out.parts.push_back(std::move(value));
  if (!tokens_.take_word("else")) {
    // A guard behind a pattern.
    return finished(begun(Kind::opaque, from), from);
  }
  out.parts.push_back(one());
  return finished(std::move(out), from);
}

Expression ExpressionReader::joined(size_t from, const std::string& by, Expression left,
                                    Expression right) const {
  Expression out = begun(Kind::binary, from);
  out.text = by;
  out.parts.push_back(std::move(left));
  out.parts.push_back(std::move(right));
  return finished(std::move(out), from);
}

Expression ExpressionReader::either() {
  const size_t from = tokens_.place();
  Expression left = both();
  while (tokens_.take_word("or")) left = joined(from, "or", std::move(left), both());
  return left;
}

Expression ExpressionReader::both() {
  const size_t from = tokens_.place();
  Expression left = negated();
  while (tokens_.take_word("and")) left = joined(from, "and", std::move(left), negated());
  return left;
}

Expression ExpressionReader::negated() {
  const size_t from = tokens_.place();
  if (!tokens_.take_word("not")) return comparison();
  if (++depth_ > deepest) tokens_.fail("expressions are nested too deeply");
  Expression out = begun(Kind::unary, from);
  out.text = "not";
  out.parts.push_back(negated());
  --depth_;
  return finished(std::move(out), from);
}

std::string ExpressionReader::compared() {
  if (tokens_.is(Token::Kind::mark) &&
      std::ranges::find(comparisons, tokens_.peek().text) != std::end(comparisons))
    return tokens_.take().text;
  if (tokens_.take_word("in")) return "in";
  if (tokens_.is_word("not") && tokens_.is_word("in", 1)) {
    tokens_.take();
    tokens_.take();
    return "not in";
  }
  if (!tokens_.take_word("is")) return {};
  return tokens_.take_word("not") ? "is not" : "is";
}

Expression ExpressionReader::comparison() {
  const size_t from = tokens_.place();
  Expression first = level(0);
  std::string by = compared();
  if (by.empty()) return first;
  Expression out = begun(Kind::chain, from);
  out.parts.push_back(std::move(first));
  for (; !by.empty(); by = compared()) {
    out.names.push_back(by);
    out.parts.push_back(level(0));
  }
  if (out.names.size() == 1) {
    out.kind = Kind::binary;
    out.text = out.names.front();
    out.names.clear();
  }
  return finished(std::move(out), from);
}

Expression ExpressionReader::level(size_t index) {
  if (index == std::size(levels)) return factor();
  const size_t from = tokens_.place();
  Expression left = level(index + 1);
  while (tokens_.is(Token::Kind::mark) &&
         std::ranges::find(levels[index], tokens_.peek().text) != levels[index].end()) {
    const std::string by = tokens_.take().text;
    left = joined(from, by, std::move(left), level(index + 1));
  }
  return left;
}

Expression ExpressionReader::factor() {
  const size_t from = tokens_.place();
  if (tokens_.is_mark("-") || tokens_.is_mark("+") || tokens_.is_mark("~")) {
    if (++depth_ > deepest) tokens_.fail("expressions are nested too deeply");
    Expression out = begun(Kind::unary, from);
    out.text = tokens_.take().text;
    out.parts.push_back(factor());
    --depth_;
    return finished(std::move(out), from);
  }
  tokens_.take_word("await");
  Expression base = primary();
  if (!tokens_.take_mark("**")) return base;
  if (++depth_ > deepest) tokens_.fail("expressions are nested too deeply");
  Expression power = joined(from, "**", std::move(base), factor());
  --depth_;
  return power;
}

Expression expression_in(TokenStream& tokens, bool may_be_tuple) {
  ExpressionReader reader(tokens);
  return may_be_tuple ? reader.several() : reader.one();
}

}  // namespace pipewright::interop::python
