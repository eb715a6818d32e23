// Methods of texts, lists and dictionaries (docs.python.org/3/library/stdtypes.html).
#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/words.hpp"

namespace pipewright::interop::python {
namespace {

std::optional<Value> of_text(const std::string& self, std::string_view name, const Place& place,
                             const Call& call) {
  if (name == "lower") return Value{lower_case(self), place};
  const std::string* part =
      call.arguments.size() == 1 ? call.arguments[0].as<std::string>() : nullptr;
  if (!part) return std::nullopt;
  if (name == "startswith") return Value{self.starts_with(*part), place};
  if (name == "endswith") return Value{self.ends_with(*part), place};
  return std::nullopt;
}

struct Position {
  size_t at = 0;
  bool is_there = false;
};
/// Returns where a list has the item that an index of Python says.
Position position_of(const List& list, int64_t index) {
  const auto size = static_cast<int64_t>(list.items.size());
  const int64_t at = index < 0 ? index + size : index;
  return {static_cast<size_t>(std::clamp<int64_t>(at, 0, size)), at >= 0 && at < size};
}

std::optional<Value> taken_of(List& self, const Call& call) {
  const int64_t* index = call.arguments.empty() ? nullptr : call.arguments[0].as<int64_t>();
  if (!call.arguments.empty() && !index) return std::nullopt;
  const Position position = position_of(self, index ? *index : -1);
  if (!position.is_there) return std::nullopt;
  Value value = self.items[position.at];
  self.items.erase(self.items.begin() + static_cast<std::ptrdiff_t>(position.at));
  return value;
}

/// Returns what a method of a list gives, which may change it.
std::optional<Value> of_list(List& self, std::string_view name, const Call& call, Heap& heap) {
  const Value nothing{{}, call.place};
  const size_t count = call.named.empty() ? call.arguments.size() : SIZE_MAX;
  if (count == 0 && name == "copy") return Value{&heap.list(self.items), call.place};
  if (count == 0 && name == "clear") {
    self.items.clear();
    return nothing;
  }
  if (count == 0 && name == "reverse") {
    heap.count(self.items.size());
    std::ranges::reverse(self.items);
    return nothing;
  }
  if (count <= 1 && name == "pop") {
    heap.count(1 + self.items.size() / Heap::looked_at);
    return taken_of(self, call);
  }
  if (count == 1 && name == "append") {
    heap.count(1);
    self.items.push_back(call.arguments[0]);
    return nothing;
  }
  if (count == 1 && name == "extend" && call.arguments[0].list()) {
    const std::vector<Value> others = call.arguments[0].list()->items;
    heap.count(others.size());
    self.items.insert(self.items.end(), others.begin(), others.end());
    return nothing;
  }
  if (count == 2 && name == "insert" && call.arguments[0].as<int64_t>()) {
    heap.count(1 + self.items.size() / Heap::looked_at);
    const size_t at = position_of(self, *call.arguments[0].as<int64_t>()).at;
    self.items.insert(self.items.begin() + static_cast<std::ptrdiff_t>(at), call.arguments[1]);
    return nothing;
  }
  return std::nullopt;
}

/// Returns what get, pop or setdefault of a dictionary gives.
std::optional<Value> entry_of(Object& self, std::string_view name, const Call& call, Heap& heap) {
  const auto key = call.arguments.empty() ? std::nullopt : key_of(call.arguments[0]);
  if (!key || (self.find("**") && !self.find(*key))) return std::nullopt;
  heap.count(1 + self.fields.size() / Heap::looked_at);
  const Value otherwise = call.arguments.size() > 1 ? call.arguments[1] : Value{{}, call.place};
  const Value* found = self.find(*key);
  const Value value = found ? *found : otherwise;
  if (name == "setdefault" && !found) self.set(*key, value);
  if (name != "pop") return value;
  if (!found && call.arguments.size() < 2) return std::nullopt;
  std::erase_if(self.fields, [&](const auto& field) { return field.first == *key; });
  return value;
}

/// Returns the keys, the values or both. A key that may have been a number is not known.
std::optional<Value> entries_of(const Object& self, std::string_view what, const Call& call,
                                Heap& heap) {
  heap.count(3 * self.fields.size());
  std::vector<Value> all;
  for (const auto& [name, value] : self.fields) {
    const bool is_text = !number_of<double>(name) && name != "None" && name != "**";
    if (!is_text) return std::nullopt;
    const Value key{name, call.place};
    if (what == "items")
      all.push_back({&heap.list({key, value}), call.place});
    else
      all.push_back(what == "keys" ? key : value);
  }
  return Value{&heap.list(std::move(all)), call.place};
}

std::optional<Value> of_dictionary(Object& self, std::string_view name, const Call& call,
                                   Heap& heap) {
  const Value nothing{{}, call.place};
  if (name == "get" || name == "pop" || name == "setdefault")
    return entry_of(self, name, call, heap);
  if (name == "items" || name == "keys" || name == "values")
    return entries_of(self, name, call, heap);
  if (name == "clear") {
    self.fields.clear();
    return nothing;
  }
  if (name == "copy") return copied({&self, call.place}, heap);
  if (name != "update") return std::nullopt;
  if (!call.arguments.empty()) {
    const Object* other = call.arguments[0].object();
    if (!other || !other->is_dictionary()) return std::nullopt;
    if (other != &self)
      for (const auto& [field, value] : other->fields) heap.set(self, field, value);
  }
  for (const auto& [field, value] : call.named) heap.set(self, field, value);
  return nothing;
}

/// Methods that leave a list or a dictionary as it is.
constexpr std::string_view looking[] = {"copy", "count", "get", "index", "items", "keys", "values"};

/// Returns what a method of a list or a dictionary gives. What is not known to be called, and what
/// is not known here, leaves nothing known of it.
std::optional<Value> of_container(const Value& self, std::string_view name, const Call& call,
                                  Heap& heap) {
  const bool looks = std::ranges::find(looking, name) != std::end(looking);
  if (call.doubt && !looks) {
    self.forget(*call.doubt);
    return Value{*call.doubt, call.place};
  }
  auto value = self.list() ? of_list(*self.list(), name, call, heap)
                           : of_dictionary(*self.object(), name, call, heap);
  if (!value && !looks) self.forget({call.name, {}});
  return value;
}

}  // namespace

std::optional<Value> method_of(const Value& base, std::string_view name, const Call& call,
                               Heap& heap) {
  if (const std::string* self = base.as<std::string>())
    return of_text(*self, name, call.place, call);
  if (base.list() || (base.object() && base.object()->is_dictionary()))
    return of_container(base, name, call, heap);
  return std::nullopt;
}

}  // namespace pipewright::interop::python
