#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "search/problem.hpp"

namespace pipewright::search {
namespace {

using config::Value;

struct Quantity {
  std::string_view name;
  double (*read)(const Value& value);
  std::string (*text)(double amount);
  std::string_view unit;  ///< one that it may be given in; empty where it is a number
};

constexpr double largest = 1e18;

std::string number_text(double amount) { return fmt::format("{:.4g}", amount); }

constexpr std::array<Quantity, 5> quantities{{
    {"time_to_train", [](const Value& v) { return config::as_seconds(v); }, human_time, "d"},
    {"iteration_time", [](const Value& v) { return config::as_seconds(v); }, human_time, "s"},
    {"memory", [](const Value& v) { return static_cast<double>(config::as_bytes(v).count); },
     human_bytes, "GiB"},
    {"nodes", [](const Value& v) { return config::as_number(v, 0, largest); }, number_text, ""},
    {"cost", [](const Value& v) { return config::as_number(v, 0, largest); }, number_text, ""},
}};

const Quantity& quantity(std::string_view name) {
  return *std::ranges::find(quantities, name, &Quantity::name);
}

/// "30d" is "30 d".
std::string spaced(std::string text) {
  const size_t unit = text.find_first_not_of("0123456789.+-eE \t");
  if (unit != std::string::npos && unit > 0 && text[unit - 1] != ' ') text.insert(unit, " ");
  return text;
}

}  // namespace

Limit read_limit(const std::string& text) {
  const size_t sign = text.find("<=");
  std::vector<std::string_view> known;
  for (const Quantity& one : quantities) known.push_back(one.name);
  if (sign == std::string::npos) {
    throw InputError(
        fmt::format("--subject-to '{}' must be a result, <= and the most it may be, such as "
                    "'time_to_train<=30d'; results are {}",
                    text, join(known)));
  }
  std::string name = text.substr(0, sign);
  name.erase(name.find_last_not_of(" \t") + 1);
  for (const Quantity& one : quantities) {
    if (one.name != name) continue;
    std::string most = spaced(text.substr(sign + 2));
    most.erase(0, most.find_first_not_of(" \t"));
    if (!one.unit.empty() && most.find_first_not_of("0123456789.+-eE \t") == std::string::npos)
      throw InputError(fmt::format("--subject-to '{}': the most needs a unit, such as {}<={}{}",
                                   text, name, most, one.unit));
    return {name, one.read(config::parse(most, "--subject-to"))};
  }
  throw InputError(fmt::format("--subject-to '{}': no result '{}'; one of {}{}", text, name,
                               join(known), did_you_mean(name, known)));
}

std::string beyond(const Limit& limit, double amount) {
  const Quantity& its = quantity(limit.quantity);
  return fmt::format("{} is {}, more than {}", limit.quantity, its.text(amount),
                     its.text(limit.most));
}

}  // namespace pipewright::search
