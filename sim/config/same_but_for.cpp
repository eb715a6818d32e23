#include "config/same_but_for.hpp"

#include "config/emit.hpp"

namespace pipewright::config {
namespace {

std::string text_without(Value map, std::string_view key) {
  std::erase_if(map.entries, [&](const Entry& entry) { return entry.key == key; });
  return to_yaml(map);
}

}  // namespace

bool same_but_for(const Value& a, const Value& b, std::string_view key) {
  return text_without(a, key) == text_without(b, key);
}

}  // namespace pipewright::config
