// Methods of texts, lists and dictionaries (docs.python.org/3/library/stdtypes.html).
#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/words.hpp"

namespace pipewright::interop::python {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string stripped(const std::string& text) {
  constexpr const char* blanks = " \t\n\r\f\v";
  const size_t from = text.find_first_not_of(blanks);
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

std::optional<Value> joined_text(const std::string& self, const Call& call, Heap& heap) {
  const List* list = call.arguments.size() == 1 ? call.arguments[0].list() : nullptr;
  if (!list) return std::nullopt;
  std::string text;
  for (size_t i = 0; i < list->items.size(); ++i) {
    const std::string* part = list->items[i].as<std::string>();
    if (!part) return std::nullopt;
    text += (i > 0 ? self : std::string()) + *part;
    heap.count(1 + text.size() / 1000);
  }
  return Value{text, call.place};
}

std::optional<Value> split_text(const std::string& self, const std::string& by, const Call& call,
                                Heap& heap) {
  List& list = heap.list();
  size_t from = 0;
  for (size_t at = self.find(by); at != std::string::npos; at = self.find(by, from)) {
    list.items.push_back({self.substr(from, at - from), call.place});
    from = at + by.size();
  }
  list.items.push_back({self.substr(from), call.place});
  heap.count(list.items.size());
  return Value{&list, call.place};
}

std::optional<Value> replaced_text(const std::string& self, const Call& call, Heap& heap) {
  const bool are_two = call.arguments.size() == 2;
  const std::string* before = are_two ? call.arguments[0].as<std::string>() : nullptr;
  const std::string* after = are_two ? call.arguments[1].as<std::string>() : nullptr;
  if (!before || !after || before->empty()) return std::nullopt;
  std::string text;
  size_t from = 0;
  for (size_t at = self.find(*before); at != std::string::npos; at = self.find(*before, from)) {
    text += self.substr(from, at - from) + *after;
    from = at + before->size();
  }
  text += self.substr(from);
  heap.count(text.size() / 1000);
  return Value{text, call.place};
}

std::optional<Value> of_text(const std::string& self, std::string_view name, const Place& place,
                             const Call& call, Heap& heap) {
  if (name == "lower") return Value{lower_case(self), place};
  if (name == "upper") return Value{upper_case(self), place};
  if (name == "strip" && call.arguments.empty()) return Value{stripped(self), place};
  if (name == "join") return joined_text(self, call, heap);
  if (name == "replace") return replaced_text(self, call, heap);
  const std::string* part =
      call.arguments.size() == 1 ? call.arguments[0].as<std::string>() : nullptr;
  if (!part) return std::nullopt;
  if (name == "startswith") return Value{self.starts_with(*part), place};
  if (name == "endswith") return Value{self.ends_with(*part), place};
  if (name == "split" && !part->empty()) return split_text(self, *part, call, heap);
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

/// Returns the keys, the values or both. A key that may have been a number, or a tuple,
/// is not known.
std::optional<Value> entries_of(const Object& self, std::string_view what, const Call& call,
                                Heap& heap) {
  heap.count(3 * self.fields.size());
  std::vector<Value> all;
  for (const auto& [name, value] : self.fields) {
    const bool is_text =
        !number_of<double>(name) && name != "None" && name != "**" && !name.starts_with('(');
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
    return of_text(*self, name, call.place, call, heap);
  if (base.list() || (base.object() && base.object()->is_dictionary()))
    return of_container(base, name, call, heap);
  return std::nullopt;
}

}  // namespace pipewright::interop::python
