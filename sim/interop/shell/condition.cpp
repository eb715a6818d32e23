#include "interop/shell/condition.hpp"

#include <regex.h>

#include <optional>

#include "interop/shell/cursor.hpp"
#include "interop/shell/pattern.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest_condition = 60;

bool matches_expression(const std::string& text, const std::string& expression) {
  regex_t compiled;
  if (expression.size() > 200 || text.size() > 4096) return false;
  if (regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

class Test {
 public:
  Test(const std::vector<Text>& words, bool patterns, const Place& place, Variables& variables)
      : words_(words), patterns_(patterns), place_(place), variables_(variables) {}

  Truth all() {
    if (words_.empty()) return Truth::of(false);
    const Truth truth = either(0);
    if (at_ < words_.size()) fail("is not expected in a condition");
    return truth;
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    const bool inside = at_ < words_.size();
    Cursor::fail(inside ? place_of(words_[at_], place_) : place_,
                 inside ? "'" + written(words_[at_]) + "' " + why
                        : std::string("this condition lacks a word"));
  }

  std::string sign(size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? written(words_[at_ + ahead]) : std::string();
  }

  bool take(std::string_view a, std::string_view b) {
    if (sign() != a && sign() != b) return false;
    ++at_;
    return true;
  }

  Truth either(int depth) {
    if (depth > deepest_condition) fail("is nested too deeply");
    Truth left = both(depth);
    while (take("||", "-o")) {
      const Truth right = both(depth);
      if (!left.holds()) left = right.holds() || !left.is_open() ? right : left;
    }
    return left;
  }

  Truth both(int depth) {
    Truth left = negation(depth);
    while (take("&&", "-a")) {
      const Truth right = negation(depth);
      const bool fails = left.value == Truth::Value::no;
      if (!fails && (!left.is_open() || right.value == Truth::Value::no)) left = right;
    }
    return left;
  }

  Truth negation(int depth) {
    if (depth > deepest_condition) fail("is nested too deeply");
    const bool alone = at_ + 1 >= words_.size();
    if (sign() != "!" || alone) return primary(depth);
    ++at_;
    Truth truth = negation(depth + 1);
    if (!truth.is_open()) truth = Truth::of(!truth.holds());
    return truth;
  }

  Truth primary(int depth) {
    if (at_ >= words_.size()) fail("");
    if (sign() == "(" && at_ + 1 < words_.size()) {
      ++at_;
      const Truth truth = either(depth + 1);
      if (!take(")", "\\)")) fail("is not expected in a condition");
      return truth;
    }
    if (const auto binary = comparison()) return *binary;
    const std::string first = sign();
    const bool is_sign = first.size() == 2 && first[0] == '-' && at_ + 1 < words_.size();
    if (is_sign) {
      ++at_;
      const Text& operand = words_[at_++];
      return unary(first[1], operand);
    }
    return nonempty(words_[at_++]);
  }

  static Truth open_about(const Text& text) { return Truth::open(written(text)); }

  static Truth nonempty(const Text& text) {
    const std::optional<std::string> value = known(text);
    return value ? Truth::of(!value->empty()) : Truth::of(true);
  }

  Truth unary(char sign, const Text& operand) {
    if (sign == 'n') return nonempty(operand);
    if (sign == 'z') return Truth::of(!nonempty(operand).holds());
    if (sign == 'v') {
      const Text value = variables_.value_of(written(operand), place_);
      return Truth::of(!unknown_in(value) || !unknown_in(value)->unset);
    }
    return Truth::open(std::string("[ -") + sign + " " + written(operand) + " ]");
  }

  std::optional<Truth> comparison() {
    const std::string middle = sign(1);
    if (at_ + 2 >= words_.size()) return std::nullopt;
    const Text &left = words_[at_], &right = words_[at_ + 2];
    std::optional<Truth> truth;
    if (middle == "=" || middle == "==" || middle == "!=")
      truth = same(left, right, middle != "!=");
    else if (middle == "=~")
      truth = found(left, right);
    else if (middle == "<" || middle == ">")
      truth = before(left, right, middle == "<");
    else if (middle.size() == 3 && middle[0] == '-' && middle != "-nt" && middle != "-ot" &&
             middle != "-ef")
      truth = numbers(middle, left, right);
    if (truth) at_ += 3;
    return truth;
  }

  Truth same(const Text& left, const Text& right, bool wanted) const {
    const auto a = known(left), b = known(right);
    if (!a) return open_about(left);
    if (!b) return open_about(right);
    const bool quoted = !right.empty() && right.front().quoted;
    return Truth::of((patterns_ && !quoted ? matches(*b, *a) : *a == *b) == wanted);
  }

  static Truth found(const Text& left, const Text& right) {
    const auto a = known(left), b = known(right);
    if (!a) return open_about(left);
    if (!b) return open_about(right);
    return Truth::of(matches_expression(*a, *b));
  }

  static Truth before(const Text& left, const Text& right, bool wanted) {
    const auto a = known(left), b = known(right);
    if (!a) return open_about(left);
    if (!b) return open_about(right);
    return Truth::of(wanted ? *a < *b : *a > *b);
  }

  std::optional<Truth> numbers(const std::string& sign, const Text& left, const Text& right) {
    static constexpr std::string_view signs[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    size_t which = 0;
    while (which < 6 && signs[which] != sign) ++which;
    if (which == 6) return std::nullopt;
    const auto a = known(left), b = known(right);
    if (!a) return open_about(left);
    if (!b) return open_about(right);
    const Amount x = evaluate(*a, place_of(left, place_), variables_);
    const Amount y = evaluate(*b, place_of(right, place_), variables_);
    if (x.unknown || y.unknown) return Truth::open((x.unknown ? x : y).unknown->written);
    const bool holds[] = {x.value == y.value, x.value != y.value,
                          x.value<y.value, x.value <= y.value, x.value> y.value,
                          x.value >= y.value};
    return Truth::of(holds[which]);
  }

  const std::vector<Text>& words_;
  bool patterns_;
  const Place& place_;
  Variables& variables_;
  size_t at_ = 0;
};

}  // namespace

Truth test(const std::vector<Text>& words, bool patterns, const Place& place,
           Variables& variables) {
  return Test(words, patterns, place, variables).all();
}

}  // namespace pipewright::shell
