#include "simulate/taken_out.hpp"

#include <algorithm>

namespace pipewright {

using config::Entry;
using config::Mark;
using config::Value;

bool stands_at(const Mark& mark, const Where& where) {
  return mark.line == where.line && mark.column == where.column && mark.file &&
         *mark.file == where.file;
}

bool remove_at(Value& value, const Where& where, std::vector<Removal>& removals) {
  for (Value& item : value.items)
    if (remove_at(item, where, removals)) return true;
  for (Entry& entry : value.entries)
    if (remove_at(entry.value, where, removals)) return true;
  const auto removed_items =
      std::erase_if(value.items, [&](const Value& item) { return stands_at(item.mark, where); });
  std::string key;
  const auto removed_entries = std::erase_if(value.entries, [&](const Entry& entry) {
    const bool stands = stands_at(entry.mark, where) || stands_at(entry.value.mark, where);
    if (stands) key = entry.key;
    return stands;
  });
  if (removed_items + removed_entries == 0) return false;
  removals.push_back({value.mark, key, false});
  return true;
}

}  // namespace pipewright
