#include "config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace pipewright::config {

const Value* Value::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) kind = Kind::map;
  if (Value* old = find(key)) return *old = std::move(value);
  entries.push_back({std::string(key), value.mark, std::move(value)});
  return entries.back().value;
}

void Value::fail(const std::string& message) const { throw InputError(mark.where(), message); }
void Value::misfit(const std::string& message) const { throw Misfit(mark.where(), message); }
void Value::lacks(const std::string& message) const { throw MissingKey(mark.where(), message); }

Value scalar(std::string_view text, Mark mark) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = text;
  value.mark = std::move(mark);
  return value;
}

Value number(int64_t n, Mark mark) { return scalar(std::to_string(n), std::move(mark)); }

Fields::Fields(const Value& value, const char* what, std::initializer_list<std::string_view> known)
    : value_(value), what_(what) {
  check(known.begin(), known.size());
}

Fields::Fields(const Value& value, const char* what, std::span<const std::string_view> known)
    : value_(value), what_(what) {
  check(known.data(), known.size());
}

void Fields::check(const std::string_view* known, size_t count) const {
  if (!value_.is_map()) {
    value_.fail(fmt::format("{} must be a map with keys such as {}", what_,
                            join({known, std::min<size_t>(count, 4)})));
  }
  for (const Entry& entry : value_.entries) {
    if (std::find(known, known + count, entry.key) != known + count) continue;
    std::string hint = did_you_mean(entry.key, {known, count});
    if (hint.empty()) hint = fmt::format("; {} has: {}", what_, join({known, count}));
    throw InputError(entry.mark.where(), fmt::format("unknown key '{}'{}", entry.key, hint));
  }
}

const Value& Fields::at(std::string_view key) const {
  if (const Value* value = find(key)) return *value;
  value_.lacks(fmt::format("{} needs the key '{}'", what_, key));
}

int64_t Fields::integer(std::string_view key, int64_t otherwise, int64_t least,
                        int64_t most) const {
  const Value* value = find(key);
  return value ? as_int(*value, least, most) : otherwise;
}

double Fields::real(std::string_view key, double otherwise, double least, double most) const {
  const Value* value = find(key);
  return value ? as_number(*value, least, most) : otherwise;
}

bool Fields::boolean(std::string_view key, bool otherwise) const {
  const Value* value = find(key);
  return value ? as_bool(*value) : otherwise;
}

std::string Fields::text(std::string_view key, std::string_view otherwise) const {
  const Value* value = find(key);
  return value ? as_text(*value) : std::string(otherwise);
}

Time Fields::time(std::string_view key, Time otherwise) const {
  const Value* value = find(key);
  return value ? as_time(*value) : otherwise;
}

Bytes Fields::bytes(std::string_view key, Bytes otherwise) const {
  const Value* value = find(key);
  return value ? as_bytes(*value) : otherwise;
}

namespace {

/// The keys whose names stand for maps that can be changed: a schedule's for its options, any other
/// for a catalogue entry or a file.
constexpr std::string_view named_keys[] = {"schedule", "model",  "cluster", "anchor",
                                           "node",     "device", "link"};

void open_name(Value& name, std::string_view key) {
  Value map;
  map.mark = name.mark;
  map.set(key == "schedule" ? "name" : "base", name);
  name = std::move(map);
}

/// The element of `parent`, itself the value of `key`, that `part` names; created in a map when it
/// is not there, as if `made_by` were its place.
Value& step_into(Value& parent, std::string_view key, std::string_view part, std::string_view said,
                 const Mark& made_by) {
  if (parent.is_list()) {
    size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc{} || end != part.data() + part.size() || index >= parent.items.size()) {
      throw InputError(
          fmt::format("{}: '{}' must be an index below {}", said, part, parent.items.size()));
    }
    return parent.items[index];
  }
  if (parent.is_scalar() && std::ranges::find(named_keys, key) != std::end(named_keys)) {
    open_name(parent, key);
  } else if (parent.is_scalar()) {
    throw InputError(
        fmt::format("{}: '{}' lies inside '{}', which is not a map", said, part, parent.text));
  }
  if (Value* child = parent.find(part)) return *child;
  if (parent.is_null() && !part.empty() && part.find_first_not_of("0123456789") == part.npos)
    throw InputError(made_by.where(),
                     fmt::format("'{}' is to be a list, and the list is written elsewhere: one of "
                                 "its elements cannot be changed alone, give all of '{}'",
                                 key, key));
  return parent.set(part, Value{.mark = made_by});
}

}  // namespace

void set_path(Value& root, std::string_view path, Value value, std::string_view said,
              const Mark& made_by) {
  Value* target = &root;
  std::string_view key;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    target = &step_into(*target, key, path.substr(0, dot), said, made_by);
    key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  *target = std::move(value);
}

void set_path(Value& root, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError(fmt::format("--set {}: must have the form key.path=value", assignment));
  }
  const std::string said = fmt::format("--set {}", assignment);
  Value value = parse(assignment.substr(equals + 1), said);
  const Mark mark = value.mark;
  set_path(root, assignment.substr(0, equals), std::move(value), said, mark);
}

void merge(Value& base, const Value& changes) {
  if (!base.is_map() || !changes.is_map()) {
    base = changes;
    return;
  }
  for (const Entry& entry : changes.entries) {
    if (Value* old = base.find(entry.key))
      merge(*old, entry.value);
    else
      base.entries.push_back(entry);
  }
}

}  // namespace pipewright::config
