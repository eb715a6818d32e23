// Typed readings of scalars, units included.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "config/value.hpp"

namespace pipewright::config {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// A dimension: how it is spoken of, an example of what is right, and its units.
struct Dimension {
  const char* noun;
  const char* example;
  std::span<const Unit> units;
};

constexpr Unit time_units[] = {{"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12},
                               {"min", 60}, {"h", 3600},  {"d", 86400}, {"µs", 1e-6}};
constexpr Unit byte_units[] = {{"B", 1},        {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},
                               {"GB", 1e9},     {"TB", 1e12},    {"PB", 1e15},    {"KiB", 0x1p10},
                               {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50}};
constexpr Unit bandwidth_units[] = {
    {"B/s", 1},        {"kB/s", 1e3},     {"KB/s", 1e3},     {"MB/s", 1e6},
    {"GB/s", 1e9},     {"TB/s", 1e12},    {"KiB/s", 0x1p10}, {"MiB/s", 0x1p20},
    {"GiB/s", 0x1p30}, {"TiB/s", 0x1p40}, {"b/s", 1 / 8.0},  {"kb/s", 1e3 / 8},
    {"Kb/s", 1e3 / 8}, {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {"Tb/s", 1e12 / 8}};
constexpr Unit flop_units[] = {{"FLOP/s", 1},     {"MFLOP/s", 1e6},  {"GFLOP/s", 1e9},
                               {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}, {"EFLOP/s", 1e18}};
constexpr Unit power_units[] = {{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}, {"MW", 1e6}};
constexpr Unit count_units[] = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"T", 1e12}};

constexpr Dimension time_dimension{"a time", "10 us", time_units};
constexpr Dimension byte_dimension{"a number of bytes", "80 GiB", byte_units};
constexpr Dimension bandwidth_dimension{"a bandwidth", "25 GB/s or 200 Gb/s", bandwidth_units};
constexpr Dimension flop_dimension{"a FLOP rate", "312 TFLOP/s", flop_units};
constexpr Dimension power_dimension{"a power", "400 W", power_units};
constexpr Dimension count_dimension{"a count", "15T", count_units};

/// `wanted` says what would be right. It is asked only where something is wrong, as a study reads
/// millions of values.
template <class Wanted>
const std::string& scalar_text(const Value& value, const Wanted& wanted) {
  if (!value.is_scalar()) value.fail(fmt::format("must be {}", wanted()));
  return value.text;
}

/// The number at the start of `text`, and what follows it.
std::optional<double> leading_number(std::string_view text, std::string_view& rest) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  rest = text.substr(static_cast<size_t>(end - text.data()));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  return number;
}

/// The whole number of a text: "8", and "8.0" as tables have it beside fields that are missing.
std::optional<int64_t> whole_number(std::string_view text) {
  constexpr double most_exact = 0x1p53;  // above it a double skips whole numbers
  int64_t n = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, n);
  if (error == std::errc{} && rest == end) return n;
  std::string_view unit;
  const std::optional<double> number = leading_number(text, unit);
  const bool is_whole = number && unit.empty() && *number == std::trunc(*number);
  if (!is_whole || std::abs(*number) > most_exact) return std::nullopt;
  return static_cast<int64_t>(*number);
}

double quantity(const Value& value, const Dimension& dimension) {
  const auto wanted = [&] {
    return fmt::format("{} such as {}", dimension.noun, dimension.example);
  };
  const std::string& text = scalar_text(value, wanted);
  std::string_view rest;
  const std::optional<double> number = leading_number(text, rest);
  if (!number) value.fail(fmt::format("'{}' must be {}", text, wanted()));
  if (*number < 0) value.fail(fmt::format("'{}' must not be negative", text));
  if (rest.empty()) return *number;
  for (const Unit& unit : dimension.units) {
    if (unit.name != rest) continue;
    const double product = *number * unit.factor;
    if (!std::isfinite(product)) value.fail(fmt::format("'{}' is too large to count with", text));
    return product;
  }
  std::vector<std::string_view> names;
  for (const Unit& unit : dimension.units) names.push_back(unit.name);
  value.fail(fmt::format("'{}' has the unit '{}', but must be {}{}", text, rest, wanted(),
                         did_you_mean(rest, names)));
}

}  // namespace

const std::string& as_text(const Value& value, const char* what) {
  const std::string& text = scalar_text(value, [&] { return what; });
  if (text.empty()) value.fail(fmt::format("must be {}, not empty", what));
  return text;
}

bool as_bool(const Value& value) {
  const std::string& text = scalar_text(value, [] { return "true or false"; });
  if (text == "true") return true;
  if (text == "false") return false;
  value.fail(fmt::format("'{}' must be true or false", text));
}

int64_t as_int(const Value& value, int64_t least, int64_t most) {
  const auto wanted = [&] { return fmt::format("a whole number from {} to {}", least, most); };
  const std::string& text = scalar_text(value, wanted);
  const std::optional<int64_t> n = whole_number(text);
  if (!n || *n < least || *n > most) value.fail(fmt::format("'{}' must be {}", text, wanted()));
  return *n;
}

double as_number(const Value& value, double least, double most) {
  const auto wanted = [&] { return fmt::format("a number from {} to {}", least, most); };
  const std::string& text = scalar_text(value, wanted);
  std::string_view rest;
  const std::optional<double> number = leading_number(text, rest);
  if (!number || !rest.empty() || *number < least || *number > most) {
    value.fail(fmt::format("'{}' must be {}", text, wanted()));
  }
  return *number;
}

double as_fraction(const Value& value, double least, double most) {
  const auto wanted = [&] {
    const double example = least <= 0.5 && 0.5 <= most ? 0.5 : (least + most) / 2;
    return fmt::format("a fraction such as {:.3g} or {:.3g}%, from {} to {}", example,
                       100 * example, least, most);
  };
  const std::string& text = scalar_text(value, wanted);
  std::string_view rest;
  std::optional<double> number = leading_number(text, rest);
  if (number && rest == "%") *number /= 100, rest = {};
  if (!number || !rest.empty() || *number < least || *number > most) {
    value.fail(fmt::format("'{}' must be {}", text, wanted()));
  }
  return *number;
}

Time as_time(const Value& value) {
  const double s = quantity(value, time_dimension);
  if (s > 1e6) value.fail(fmt::format("'{}' must be at most 11 days", value.text));
  return seconds(s);
}

double as_seconds(const Value& value) { return quantity(value, time_dimension); }

Bytes as_bytes(const Value& value) {
  const double n = quantity(value, byte_dimension);
  if (n > 1e18) value.fail(fmt::format("'{}' must be at most 1000 PB", value.text));
  return {static_cast<int64_t>(std::llround(n))};
}

Bandwidth as_bandwidth(const Value& value) {
  const double rate = quantity(value, bandwidth_dimension);
  if (rate <= 0) value.fail(fmt::format("'{}' must be more than zero", value.text));
  return {rate};
}

FlopRate as_flop_rate(const Value& value) {
  const double rate = quantity(value, flop_dimension);
  if (rate <= 0) value.fail(fmt::format("'{}' must be more than zero", value.text));
  return {rate};
}

double as_watts(const Value& value) { return quantity(value, power_dimension); }
double as_count(const Value& value) { return quantity(value, count_dimension); }

size_t as_choice(const Value& value, std::span<const std::string_view> choices) {
  const auto wanted = [&] { return "one of " + join(choices); };
  const std::string& text = scalar_text(value, wanted);
  for (size_t i = 0; i < choices.size(); ++i)
    if (choices[i] == text) return i;
  value.fail(fmt::format("'{}' must be {}{}", text, wanted(), did_you_mean(text, choices)));
}

size_t as_choice(const Value& value, std::initializer_list<std::string_view> choices) {
  return as_choice(value, std::span(choices.begin(), choices.size()));
}

}  // namespace pipewright::config
