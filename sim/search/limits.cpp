#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "search/problem.hpp"

namespace pipewright::search {
namespace {

using config::Value;

struct Quantity {
  std::string_view name;
  double (*read)(const Value& value);
};

constexpr double largest = 1e18;

constexpr std::array<Quantity, 5> quantities{{
    {"time_to_train", [](const Value& v) { return config::as_seconds(v); }},
    {"iteration_time", [](const Value& v) { return config::as_seconds(v); }},
    {"memory", [](const Value& v) { return static_cast<double>(config::as_bytes(v).count); }},
    {"nodes", [](const Value& v) { return config::as_number(v, 0, largest); }},
    {"cost", [](const Value& v) { return config::as_number(v, 0, largest); }},
}};

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
    return {name, one.read(config::parse(spaced(text.substr(sign + 2)), "--subject-to"))};
  }
  throw InputError(fmt::format("--subject-to '{}': no result '{}'; one of {}{}", text, name,
                               join(known), did_you_mean(name, known)));
}

}  // namespace pipewright::search
