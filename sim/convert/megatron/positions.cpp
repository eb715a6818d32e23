#include "convert/megatron/positions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

bool has_position(const Value& value) {
  return last_position(value.text) > 0 || std::ranges::any_of(value.items, has_position);
}

}  // namespace

int last_position(std::string_view script) {
  int last = 0;
  for (size_t at = script.find('$'); at != std::string_view::npos; at = script.find('$', at + 1)) {
    const bool braced = at + 1 < script.size() && script[at + 1] == '{';
    std::string_view digits = script.substr(at + (braced ? 2 : 1));
    digits = digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size()));
    if (!braced) digits = digits.substr(0, 1);  // $10 is ${1}0
    if (const auto n = interop::number_of<int>(digits)) last = std::max(last, *n);
  }
  return last;
}

std::string positions_behind(int taken) {
  return taken == 0 ? "\"$@\"" : fmt::format("\"${{@:{}}}\"", taken + 1);
}

std::string positions_remark(int taken) {
  if (taken == 0) return {};
  return fmt::format(
      "# it takes its first {} as the script that was imported did; further ones go "
      "to Megatron-LM\n",
      taken == 1 ? "argument" : fmt::format("{} arguments", taken));
}

Value without_positions(const Value& along) {
  Value rest = along;
  std::erase_if(rest.entries, [](const config::Entry& entry) { return has_position(entry.value); });
  for (config::Entry& entry : rest.entries)
    if (entry.value.is_map()) entry.value = without_positions(entry.value);
  return rest;
}

}  // namespace pipewright::megatron
