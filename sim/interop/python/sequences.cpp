// Functions of Python that go over lists (docs.python.org/3/library/functions.html).
#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/python/operators.hpp"

namespace pipewright::interop::python {
namespace {

/// Returns the items of the only argument, or null where they are not known.
const std::vector<Value>* only_list(const Call& call) {
  const bool is_one = call.arguments.size() == 1 && call.named.empty();
  const List* list = is_one ? call.arguments[0].list() : nullptr;
  return list ? &list->items : nullptr;
}

/// Returns whether an item is `sought`; nothing where that is not known.
std::optional<Value> has_item(const Call& call, bool sought) {
  const std::vector<Value>* items = only_list(call);
  if (!items) return std::nullopt;
  for (const Value& item : *items) {
    const auto truth = truth_of(item);
    if (!truth) return std::nullopt;
    if (*truth == sought) return Value{sought, call.place};
  }
  return Value{!sought, call.place};
}
std::optional<Value> any_of(const Call& call, Heap&) { return has_item(call, true); }
std::optional<Value> all_of(const Call& call, Heap&) { return has_item(call, false); }

std::optional<Value> sum_of(const Call& call, Heap& heap) {
  const std::vector<Value>* items = only_list(call);
  if (!items) return std::nullopt;
  Value total{int64_t{0}, call.place};
  for (const Value& item : *items) {
    if (item.as<std::string>() || item.list()) return std::nullopt;
    const auto next = operated("+", total, item, heap);
    if (!next) return std::nullopt;
    total = *next;
  }
  return total;
}

/// enumerate(list, start)
std::optional<Value> numbered(const Call& call, Heap& heap) {
  const bool has_start = call.arguments.size() > 1 || call.find("start");
  const Value* start = call.arguments.size() > 1 ? &call.arguments[1] : call.find("start");
  if (call.arguments.empty() || !call.arguments[0].list()) return std::nullopt;
  if (has_start && !start->as<int64_t>()) return std::nullopt;
  int64_t next = has_start ? *start->as<int64_t>() : 0;
  List& out = heap.list();
  for (const Value& item : call.arguments[0].list()->items)
    out.items.push_back({&heap.list({{next++, call.place}, item}), call.place});
  return Value{&out, call.place};
}

/// zip(list, list, ...) ends with the shortest one.
std::optional<Value> side_by_side(const Call& call, Heap& heap) {
  if (call.arguments.empty()) return std::nullopt;
  size_t shortest = SIZE_MAX;
  for (const Value& one : call.arguments) {
    if (!one.list()) return std::nullopt;
    shortest = std::min(shortest, one.list()->items.size());
  }
  List& out = heap.list();
  for (size_t i = 0; i < shortest; ++i) {
    List& row = heap.list();
    heap.count(call.arguments.size());
    for (const Value& one : call.arguments) row.items.push_back(one.list()->items[i]);
    out.items.push_back({&row, call.place});
  }
  return Value{&out, call.place};
}

std::optional<Value> reversed_list(const Call& call, Heap& heap) {
  const std::vector<Value>* items = only_list(call);
  if (!items) return std::nullopt;
  return Value{&heap.list({items->rbegin(), items->rend()}), call.place};
}

/// sorted(list) of whole numbers, or of texts.
std::optional<Value> sorted_list(const Call& call, Heap& heap) {
  const std::vector<Value>* items = only_list(call);
  if (!items) return std::nullopt;
  const bool are_numbers =
      std::ranges::all_of(*items, [](const Value& one) { return one.as<int64_t>() != nullptr; });
  const bool are_texts = std::ranges::all_of(
      *items, [](const Value& one) { return one.as<std::string>() != nullptr; });
  if (!are_numbers && !are_texts) return std::nullopt;
  List& out = heap.list(*items);
  std::ranges::stable_sort(out.items, [&](const Value& left, const Value& right) {
    return are_numbers ? *left.as<int64_t>() < *right.as<int64_t>()
                       : *left.as<std::string>() < *right.as<std::string>();
  });
  return Value{&out, call.place};
}

struct SequenceFunction {
  std::string_view name;
  std::optional<Value> (*function)(const Call& call, Heap& heap);
};
constexpr SequenceFunction sequence_functions[] = {
    {"any", any_of},         {"all", all_of},       {"sum", sum_of},
    {"enumerate", numbered}, {"zip", side_by_side}, {"reversed", reversed_list},
    {"sorted", sorted_list}};

}  // namespace

std::optional<Value> sequence_builtin(const Call& call, Heap& heap) {
  const auto* one = std::ranges::find(sequence_functions, call.name, &SequenceFunction::name);
  return one == std::end(sequence_functions) ? std::nullopt : one->function(call, heap);
}

}  // namespace pipewright::interop::python
