#include "interop/shell/arithmetic.hpp"

#include <fmt/format.h>

#include <charconv>

#include "interop/shell/cursor.hpp"
#include "interop/shell/environment.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest_expression = 60;

struct Operator {
  std::string_view sign;
  int strength;
};
/// Longer signs first.
constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6},  {"<=", 7},
                                  {">=", 7}, {"<<", 8}, {">>", 8}, {"**", 11}, {"|", 3},
                                  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},   {"+", 9},
                                  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

/// An expression as it is written, for errors.
struct Source {
  std::string_view text;
  Place place;

  [[noreturn]] void fail(const std::string& why) const {
    Cursor::fail(place, fmt::format("the expression '{}' {}", text.substr(0, 80), why));
  }
};

int64_t compare(std::string_view sign, int64_t a, int64_t b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  return sign == "&&" ? a != 0 && b != 0 : a != 0 || b != 0;
}

int64_t divide(const Source& source, std::string_view sign, int64_t a, int64_t b) {
  if (b == 0) source.fail("divides by zero");
  if (b == -1) return sign == "/" ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : 0;
  return sign == "/" ? a / b : a % b;
}

int64_t power(const Source& source, int64_t a, int64_t b) {
  if (b < 0) source.fail("has a negative exponent");
  uint64_t result = 1;
  for (int64_t i = 0; i < std::min<int64_t>(b, 64); ++i) result *= static_cast<uint64_t>(a);
  return static_cast<int64_t>(result);
}

int64_t compute(const Source& source, std::string_view sign, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  if (sign == "+") return static_cast<int64_t>(ua + ub);
  if (sign == "-") return static_cast<int64_t>(ua - ub);
  if (sign == "*") return static_cast<int64_t>(ua * ub);
  if (sign == "/" || sign == "%") return divide(source, sign, a, b);
  if (sign == "**") return power(source, a, b);
  if (sign == "<<") return static_cast<int64_t>(ua << (ub & 63));
  if (sign == ">>") return a >> (ub & 63);
  if (sign == "|") return a | b;
  if (sign == "&") return a & b;
  if (sign == "^") return a ^ b;
  return compare(sign, a, b);
}

class Expression {
 public:
  Expression(std::string_view text, const Place& place, Variables& variables, int depth)
      : source_{text, place}, cursor_(text, place), variables_(variables), depth_(depth) {
    if (depth > deepest_expression) source_.fail("is nested too deeply");
  }

  Amount all() {
    Amount amount = sequence();
    if (!cursor_.at_end())
      source_.fail(fmt::format("has '{}' where an operator should be", cursor_.peek()));
    return amount;
  }

 private:
  void pass_space() {
    while (is_space(cursor_.peek())) cursor_.step();
  }

  Amount sequence() {
    Amount amount = choice();
    while (cursor_.take(",")) amount = choice();
    return amount;
  }

  Amount choice() {
    if (++open_ > deepest_expression) source_.fail("is nested too deeply");
    const Amount condition = binary(1);
    Amount amount = condition;
    if (cursor_.take("?")) {
      const Amount yes = choice();
      if (!cursor_.take(":")) source_.fail("lacks a ':'");
      const Amount no = choice();
      amount = condition.unknown ? condition : condition.value != 0 ? yes : no;
    }
    --open_;
    return amount;
  }

  const Operator* next_operator(int least) {
    pass_space();
    for (const Operator& candidate : operators) {
      if (!cursor_.sees(candidate.sign)) continue;
      return candidate.strength >= least ? &candidate : nullptr;
    }
    return nullptr;
  }

  Amount binary(int least) {
    Amount left = unary();
    while (const Operator* sign = next_operator(least)) {
      cursor_.step(sign->sign.size());
      const bool from_right = sign->sign == "**";
      const Amount right = binary(from_right ? sign->strength : sign->strength + 1);
      left = combine(sign->sign, left, right);
    }
    return left;
  }

  Amount combine(std::string_view sign, const Amount& left, const Amount& right) {
    if (left.unknown) return left;
    if (sign == "&&" && left.value == 0) return {0, nullptr};
    if (sign == "||" && left.value != 0) return {1, nullptr};
    if (right.unknown) return right;
    return {compute(source_, sign, left.value, right.value), nullptr};
  }

  Amount unary() {
    if (++open_ > deepest_expression) source_.fail("is nested too deeply");
    pass_space();
    Amount amount;
    if (cursor_.sees("++") || cursor_.sees("--")) {
      const int step = cursor_.peek() == '+' ? 1 : -1;
      cursor_.step(2);
      pass_space();
      amount = changed(cursor_.take_name(), step);
    } else if (cursor_.take("-")) {
      amount = unary();
      amount.value = static_cast<int64_t>(-static_cast<uint64_t>(amount.value));
    } else if (cursor_.take("+")) {
      amount = unary();
    } else if (cursor_.take("!")) {
      amount = unary();
      amount.value = amount.value == 0;
    } else if (cursor_.take("~")) {
      amount = unary();
      amount.value = ~amount.value;
    } else {
      amount = primary();
    }
    --open_;
    return amount;
  }

  Amount primary() {
    if (cursor_.take("(")) {
      const Amount amount = sequence();
      if (!cursor_.take(")")) source_.fail("lacks a ')'");
      pass_space();
      return amount;
    }
    if (is_digit(cursor_.peek())) return literal();
    const std::string name = cursor_.take_name();
    if (name.empty()) source_.fail("lacks a number");
    if (cursor_.take("[")) return element(name);
    pass_space();
    if (cursor_.sees("++") || cursor_.sees("--")) {
      const Amount before = variable(name);
      changed(name, cursor_.peek() == '+' ? 1 : -1);
      cursor_.step(2);
      return before;
    }
    return assigned(name);
  }

  /// NAME[INDEX], behind the bracket.
  Amount element(const std::string& name) {
    const Variable* list = variables_.find(name);
    const size_t start = cursor_.offset();
    const bool is_map = list && list->is_map;
    while (is_map && !cursor_.at_end() && cursor_.peek() != ']') cursor_.step();
    const std::string key(cursor_.since(start));
    const Amount index = is_map ? Amount{} : sequence();
    if (!cursor_.take("]")) source_.fail("lacks a ']'");
    pass_space();
    if (!list) return variable(name);
    if (index.unknown) return index;
    return element_at(*list, name, is_map ? key : place_at(*list, index.value));
  }

  /// Negative places count from the end.
  static std::string place_at(const Variable& list, int64_t index) {
    const auto size = static_cast<int64_t>(list.elements.size());
    return std::to_string(index < 0 ? size + index : index);
  }

  Amount element_at(const Variable& list, const std::string& name, const std::string& key) {
    for (const auto& [place, text] : list.elements)
      if (place == key) return amount_of(text);
    // Of what is not known, no element is.
    if (list.is_array || list.is_map) return {};
    return {0, unknown_in(variables_.value_of(name, source_.place))};
  }

  /// A variable, or an assignment to it.
  Amount assigned(const std::string& name) {
    for (const std::string_view sign : {"+=", "-=", "*=", "/=", "%="}) {
      if (!cursor_.take(sign)) continue;
      const Amount right = choice();
      return set(name, combine(sign.substr(0, 1), variable(name), right));
    }
    if (cursor_.peek() != '=' || cursor_.peek(1) == '=') return variable(name);
    cursor_.step();
    return set(name, choice());
  }

  Amount set(const std::string& name, const Amount& amount) {
    variables_.assign(name, amount.unknown ? text_of(*amount.unknown, source_.place)
                                           : text_of(std::to_string(amount.value), source_.place));
    return amount;
  }

  Amount changed(const std::string& name, int by) {
    if (name.empty()) source_.fail("lacks a variable");
    return set(name, combine("+", variable(name), {by, nullptr}));
  }

  Amount literal() {
    const std::string word = cursor_.take_name();
    pass_space();
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    const bool octal = !hexadecimal && word.size() > 1 && word[0] == '0';
    const char* first = word.data() + (hexadecimal ? 2 : 0);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(first, word.data() + word.size(), value,
                                              hexadecimal ? 16
                                              : octal     ? 8
                                                          : 10);
    if (error != std::errc() || end != word.data() + word.size())
      source_.fail(fmt::format("has '{}' for a number", word));
    return {value, nullptr};
  }

  Amount variable(const std::string& name) {
    return amount_of(variables_.value_of(name, source_.place));
  }

  Amount amount_of(const Text& text) {
    const std::optional<std::string> value = known(text);
    if (!value || (value->empty() && unknown_in(text))) return {0, unknown_in(text)};
    return Expression(*value, source_.place, variables_, depth_ + 1).empty_or_all();
  }

 public:
  Amount empty_or_all() {
    pass_space();
    return cursor_.at_end() ? Amount{} : all();
  }

 private:
  Source source_;
  Cursor cursor_;
  Variables& variables_;
  int depth_, open_ = 0;
};

}  // namespace

Amount evaluate(std::string_view text, const Place& place, Variables& variables) {
  return Expression(text, place, variables, 0).empty_or_all();
}

}  // namespace pipewright::shell
