#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "schedule/rules/expression.hpp"

namespace pipewright::schedule::rules {
namespace {

constexpr int deepest_syntax = 200;  // three for a parenthesis within another
constexpr int highest = 256;         // operations upon operations: a + b + c is 2

}  // namespace

struct Parser::Level {
  explicit Level(Parser& parser) : parser_(parser) {
    if (++parser.depth_ > deepest_syntax)
      fail_at(parser.text(), parser.peek().at,
              fmt::format("nested too deep; 'let' gives parts a name"));
  }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Parser& parser_;
};

Parser::Parser(const config::Value& text, const Names& names,
               std::span<const std::string> arguments)
    : TokenReader(text), names_(names), arguments_(arguments), tree_(text) {}

int ExpressionTree::add(Node node, std::span<const int> children) {
  node.first_child = static_cast<int>(expression_.children.size());
  node.children = static_cast<int>(children.size());
  int height = 0;
  for (const int child : children) height = std::max(height, heights_[child] + 1);
  if (height > highest)
    fail_at(text_, node.at, "the expression is too long; 'let' gives parts a name");
  expression_.children.insert(expression_.children.end(), children.begin(), children.end());
  expression_.nodes.push_back(node);
  heights_.push_back(height);
  return static_cast<int>(expression_.nodes.size()) - 1;
}

Expression ExpressionTree::take() {
  heights_.clear();
  expression_.source = text_;
  return std::exchange(expression_, {});
}

Expression Parser::expression() {
  ternary();
  return tree_.take();
}

int Parser::add(Op op, int at, int64_t value, std::initializer_list<int> children) {
  return tree_.add({op, at, value}, {children.begin(), children.size()});
}

int Parser::ternary() {
  const Level level(*this);
  const int condition = either();
  const int at = peek().at;
  if (!accept("?")) return condition;
  const int yes = ternary();
  expect(":");
  const int no = ternary();
  return add(Op::choose, at, 0, {condition, yes, no});
}

int Parser::either() {
  int left = both();
  for (int at = peek().at; accept("or"); at = peek().at) {
    const int right = both();
    left = add(Op::logical_or, at, 0, {left, right});
  }
  return left;
}

int Parser::both() {
  int left = negation();
  for (int at = peek().at; accept("and"); at = peek().at) {
    const int right = negation();
    left = add(Op::logical_and, at, 0, {left, right});
  }
  return left;
}

int Parser::negation() {
  const Level level(*this);
  const int at = peek().at;
  if (!accept("not")) return comparison();
  return add(Op::logical_not, at, 0, {negation()});
}

int Parser::comparison() {
  const int left = sum();
  const Token token = peek();
  for (const auto& [symbol, op, swapped] : {std::tuple{"<", Op::less, false},
                                            {"<=", Op::less_equal, false},
                                            {">", Op::less, true},
                                            {">=", Op::less_equal, true},
                                            {"==", Op::equal, false},
                                            {"!=", Op::not_equal, false}}) {
    if (!accept(symbol)) continue;
    const int right = sum();
    for (std::string_view another : {"<", "<=", ">", ">=", "==", "!="})
      if (peek().is(another))
        fail_at(text(), peek().at, "comparisons cannot be chained; write 'a < b and b < c'");
    return swapped ? add(op, token.at, 0, {right, left}) : add(op, token.at, 0, {left, right});
  }
  return left;
}

int Parser::sum() {
  int left = product();
  for (;;) {
    const int at = peek().at;
    const bool plus = accept("+");
    if (!plus && !accept("-")) return left;
    const int right = product();
    left = add(plus ? Op::add : Op::subtract, at, 0, {left, right});
  }
}

int Parser::product() {
  int left = unary();
  for (;;) {
    const int at = peek().at;
    const Op op = peek().is("*") ? Op::multiply : peek().is("/") ? Op::divide : Op::modulo;
    if (!accept("*") && !accept("/") && !accept("%")) return left;
    const int right = unary();
    left = add(op, at, 0, {left, right});
  }
}

int Parser::unary() {
  const Level level(*this);
  const int at = peek().at;
  if (!accept("-")) return primary();
  return add(Op::negate, at, 0, {unary()});
}

int Parser::primary() {
  if (accept("(")) {
    const int inside = ternary();
    expect(")");
    return inside;
  }
  if (peek().kind == Token::Kind::number) {
    const Token token = take();
    return add(Op::number, token.at, token.number, {});
  }
  if (peek().kind == Token::Kind::name) return name();
  fail_here("a number or a name");
}

int Parser::name() {
  const Token token = take();
  if (token.is("true") || token.is("false")) return add(Op::number, token.at, token.is("true"), {});
  const auto argument = std::ranges::find(arguments_, token.text);
  if (argument != arguments_.end())
    return add(Op::argument, token.at, argument - arguments_.begin(), {});
  if (const auto slot = names_.variable(token.text)) return add(Op::variable, token.at, *slot, {});
  return call(token);
}

int Parser::call(const Token& name) {
  const auto check_count = [&](const std::vector<int>& arguments, size_t wanted) {
    if (arguments.size() == wanted) return;
    fail_at(text(), name.at,
            fmt::format("{} takes {} argument{}, not {}", name.text, wanted, wanted == 1 ? "" : "s",
                        arguments.size()));
  };
  if (name.is("min") || name.is("max")) {
    const std::vector<int> arguments = call_arguments();
    return tree_.add({name.is("min") ? Op::min : Op::max, name.at}, arguments);
  }
  if (name.is("if")) {
    const std::vector<int> arguments = call_arguments();
    check_count(arguments, 3);
    return tree_.add({Op::choose, name.at}, arguments);
  }
  const auto function = names_.function(name.text);
  if (!function && peek().is("(")) {
    std::vector<std::string_view> known{"min", "max", "if"};
    for (const Function& one : names_.functions())
      if (!one.arguments.empty()) known.push_back(one.name);
    fail_at(text(), name.at,
            fmt::format("unknown function '{}'; there are {}", name.text, join(known)));
  }
  if (!function) {
    fail_at(text(), name.at,
            fmt::format("unknown name '{}'{}", name.text, did_you_mean(name.text, names_.all())));
  }
  const size_t wanted = names_.functions()[*function].arguments.size();
  const std::vector<int> arguments = wanted > 0 ? call_arguments() : std::vector<int>{};
  check_count(arguments, wanted);
  return tree_.add({Op::call, name.at, *function}, arguments);
}

std::vector<int> Parser::call_arguments() {
  expect("(");
  std::vector<int> arguments;
  do arguments.push_back(ternary());
  while (accept(","));
  expect(")");
  return arguments;
}

Expression parse_expression(const config::Value& text, const Names& names,
                            std::span<const std::string> arguments) {
  Parser parser(text, names, arguments);
  Expression expression = parser.expression();
  if (!parser.at_end()) parser.fail_here("the end");
  return expression;
}

}  // namespace pipewright::schedule::rules
