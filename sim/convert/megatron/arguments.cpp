#include "convert/megatron/arguments.hpp"

#include <algorithm>

namespace pipewright::megatron {

const Argument* find_argument(std::string_view name) {
  const std::span<const Argument> all = arguments();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const Argument& argument, std::string_view wanted) { return argument.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

const Argument* complete_argument(std::string_view name) {
  const Argument* only = nullptr;
  for (const Argument& argument : arguments()) {
    if (!argument.name.starts_with(name)) continue;
    if (only) return nullptr;
    only = &argument;
  }
  return name.size() < 4 ? nullptr : only;
}

bool is_harmless(const Argument& argument, std::string_view value) {
  std::string_view rest = argument.unless;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (rest.substr(0, end) == value) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace pipewright::megatron
