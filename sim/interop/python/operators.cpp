#include "interop/python/operators.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright::interop::python {
namespace {

constexpr size_t longest_text = 4096, longest_list = 4096;

std::optional<double> number_in(const Value& value) {
  if (const int64_t* number = value.as<int64_t>()) return static_cast<double>(*number);
  if (const double* number = value.as<double>()) return *number;
  if (const bool* truth = value.as<bool>()) return *truth ? 1 : 0;
  return std::nullopt;
}

std::optional<int64_t> whole_in(const Value& value) {
  if (const int64_t* number = value.as<int64_t>()) return *number;
  if (const bool* truth = value.as<bool>()) return *truth ? 1 : 0;
  return std::nullopt;
}

/// Python rounds quotients down, and remainders have the sign of the divisor.
int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

std::optional<int64_t> power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 62) return std::nullopt;
  int64_t result = 1;
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> of_bits(std::string_view op, int64_t a, int64_t b) {
  if (op == "<<" && a >= 0 && b >= 0 && b < 62 && a <= (INT64_MAX >> b)) return a << b;
  if (op == ">>" && a >= 0 && b >= 0 && b < 63) return a >> b;
  if (op == "|") return a | b;
  if (op == "&") return a & b;
  if (op == "^") return a ^ b;
  return std::nullopt;
}

std::optional<int64_t> of_wholes(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "+")
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "-")
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "*")
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "**") return power(a, b);
  const bool divides = b != 0 && !(a == INT64_MIN && b == -1);
  if (op == "//" && divides) return floor_quotient(a, b);
  if (op == "%" && divides) {
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  return of_bits(op, a, b);
}

std::optional<double> of_numbers(std::string_view op, double a, double b) {
  double result = std::nan("");
  if (op == "+") result = a + b;
  if (op == "-") result = a - b;
  if (op == "*") result = a * b;
  if (op == "/" && b != 0) result = a / b;
  if (op == "//" && b != 0) result = std::floor(a / b);
  if (op == "**") result = std::pow(a, b);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

std::optional<bool> compared(std::string_view op, double a, double b) {
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return std::nullopt;
}

/// Compares what lists and dictionaries have inside; not without end.
class Comparison {
 public:
  std::optional<bool> equal(const Value& left, const Value& right) {
    if (left.as<Unknown>() || right.as<Unknown>() || --left_to_do_ < 0 || depth_ > 30)
      return std::nullopt;
    const auto a = number_in(left), b = number_in(right);
    if (a && b) return numbers(left, right, *a == *b);
    if (left.is_none() || right.is_none()) return both_none(left, right);
    if (left.as<Symbol>() || right.as<Symbol>()) return symbols(left, right);
    if (left.list() && right.list()) return lists(left.list()->items, right.list()->items);
    return objects(left, right);
  }

 private:
  /// A class has one name, whichever module it comes from; other names may be of anything.
  static std::optional<bool> symbols(const Value& left, const Value& right) {
    if (left.is == right.is) return true;
    const auto *one = left.as<Symbol>(), *other = right.as<Symbol>();
    if (!one || !other) return std::nullopt;
    const std::string_view a = last_name(one->name), b = last_name(other->name);
    const auto is_class = [](std::string_view name) {
      return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    };
    if (!is_class(a) || !is_class(b)) return std::nullopt;
    const std::string_view from = one->name, of = other->name;
    const bool is_same = a == b && from.substr(0, from.find('.')) == of.substr(0, of.find('.'));
    return is_same ? std::optional(true) : a == b ? std::nullopt : std::optional(false);
  }

  /// Whole numbers are compared as such: doubles do not tell all of them apart.
  static bool numbers(const Value& left, const Value& right, bool as_doubles) {
    const auto one = whole_in(left), other = whole_in(right);
    return one && other ? *one == *other : as_doubles;
  }

  std::optional<bool> objects(const Value& left, const Value& right) {
    const Object *one = left.object(), *other = right.object();
    if (one && one == other) return true;
    if ((one && !one->is_dictionary()) || (other && !other->is_dictionary())) return std::nullopt;
    if (one && other) return dictionaries(*one, *other);
    return left.is == right.is;
  }

  /// An object that was made is not None.
  static std::optional<bool> both_none(const Value& left, const Value& right) {
    const Value& other = left.is_none() ? right : left;
    if (other.as<Symbol>() || (other.object() && !other.object()->is_sure())) return std::nullopt;
    return other.is_none();
  }

  std::optional<bool> lists(const std::vector<Value>& one, const std::vector<Value>& other) {
    if (one.size() != other.size()) return false;
    ++depth_;
    std::optional<bool> all = true;
    for (size_t i = 0; i < one.size() && all != false; ++i) add(all, equal(one[i], other[i]));
    --depth_;
    return all;
  }

  std::optional<bool> dictionaries(const Object& one, const Object& other) {
    if (one.fields.size() != other.fields.size()) return false;
    ++depth_;
    std::optional<bool> all = true;
    for (const auto& [name, value] : one.fields) {
      left_to_do_ -= static_cast<int>(other.fields.size() / Heap::looked_at);
      const Value* same = other.find(name);
      add(all, same ? equal(value, *same) : std::optional(false));
      if (all == false) break;
    }
    --depth_;
    return all;
  }

  static void add(std::optional<bool>& all, std::optional<bool> next) {
    if (next == false || !next) all = next;
  }

  int left_to_do_ = 5000, depth_ = 0;
};

std::optional<bool> contains(const Value& where, const Value& what) {
  if (const std::string* text = where.as<std::string>())
    if (const std::string* part = what.as<std::string>())
      return text->find(*part) != std::string::npos;
  if (const Object* map = where.object(); map && map->is_dictionary())
    if (const auto key = key_of(what)) {
      const Value* found = map->find(*key);
      if (found ? found->as<Unknown>() != nullptr : map->find("**") != nullptr) return std::nullopt;
      return found != nullptr;
    }
  const List* list = where.list();
  if (!list) return std::nullopt;
  bool is_sure = true;
  for (const Value& item : list->items) {
    const std::optional<bool> same = Comparison().equal(item, what);
    if (same && *same) return true;
    is_sure = is_sure && same.has_value();
  }
  return is_sure ? std::optional(false) : std::nullopt;
}

std::optional<bool> related(std::string_view op, const Value& left, const Value& right) {
  const bool is_not = op == "!=" || op == "is not" || op == "not in";
  std::optional<bool> same;
  if (op == "==" || op == "!=" || op == "is" || op == "is not")
    same = Comparison().equal(left, right);
  else if (op == "in" || op == "not in")
    same = contains(right, left);
  else if (const auto a = number_in(left), b = number_in(right); a && b)
    return compared(op, *a, *b);
  if (!same) return std::nullopt;
  return *same != is_not;
}

Value with_place(Value value, const Place& place) {
  value.place = place;
  return value;
}

/// ["decoder"] * 4, and "t" * 4; none of less than one.
std::optional<Value> repeated(const Value& what, int64_t times, Heap& heap) {
  const auto most = static_cast<int64_t>(what.list() ? longest_list : longest_text);
  const std::string* text = what.as<std::string>();
  if (!text && !what.list()) return std::nullopt;
  times = std::max<int64_t>(times, 0);
  const auto size = static_cast<int64_t>(text ? text->size() : what.list()->items.size());
  if (times > most || size * times > most) return std::nullopt;
  std::string letters;
  std::vector<Value> items;
  for (int64_t i = 0; i < times; ++i)
    if (text)
      letters += *text;
    else
      items.insert(items.end(), what.list()->items.begin(), what.list()->items.end());
  if (text) return Value{std::move(letters), {}};
  return Value{&heap.list(std::move(items)), {}};
}

std::optional<Value> of_sequences(std::string_view op, const Value& left, const Value& right,
                                  Heap& heap) {
  if (op == "*") {
    const auto before = whole_in(left), after = whole_in(right);
    return after    ? repeated(left, *after, heap)
           : before ? repeated(right, *before, heap)
                    : std::nullopt;
  }
  const std::string* text = left.as<std::string>();
  if (const std::string* other = right.as<std::string>(); text && other && op == "+")
    if (text->size() + other->size() <= longest_text) return Value{*text + *other, {}};
  const List* list = left.list();
  const List* other = right.list();
  if (!list || !other || op != "+" || list->items.size() + other->items.size() > longest_list)
    return std::nullopt;
  std::vector<Value> items = list->items;
  items.insert(items.end(), other->items.begin(), other->items.end());
  return Value{&heap.list(std::move(items)), {}};
}

}  // namespace

std::optional<bool> equal(const Value& left, const Value& right) {
  return Comparison().equal(left, right);
}

std::optional<Value> operated(std::string_view op, const Value& left, const Value& right,
                              Heap& heap) {
  if (right.list()) heap.count(right.list()->items.size() / Heap::looked_at);
  if (const auto truth = related(op, left, right)) return Value{*truth, left.place};
  const auto whole = whole_in(left), other_whole = whole_in(right);
  if (whole && other_whole && op != "/") {
    if (const auto result = of_wholes(op, *whole, *other_whole)) return Value{*result, left.place};
    if (op != "**") return std::nullopt;
  }
  const auto a = number_in(left), b = number_in(right);
  if (a && b) {
    const auto result = of_numbers(op, *a, *b);
    return result ? std::optional(Value{*result, left.place}) : std::nullopt;
  }
  const auto joined = of_sequences(op, left, right, heap);
  return joined ? std::optional(with_place(*joined, left.place)) : std::nullopt;
}

std::optional<Value> operated(std::string_view op, const Value& value) {
  if (op == "not") {
    const auto truth = truth_of(value);
    return truth ? std::optional(Value{!*truth, value.place}) : std::nullopt;
  }
  if (const auto whole = whole_in(value); whole && *whole != INT64_MIN) {
    if (op == "-") return Value{-*whole, value.place};
    if (op == "+") return Value{*whole, value.place};
    if (op == "~") return Value{~*whole, value.place};
  }
  if (const double* number = value.as<double>()) {
    if (op == "-") return Value{-*number, value.place};
    if (op == "+") return value;
  }
  return std::nullopt;
}

}  // namespace pipewright::interop::python
