#include "interop/python/builtins.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "interop/python/operators.hpp"
#include "interop/words.hpp"

namespace pipewright::interop::python {
namespace {

using Function = std::optional<Value> (*)(const Call& call, Heap& heap);

const Value* only(const Call& call) {
  return call.arguments.size() == 1 && call.named.empty() ? &call.arguments.front() : nullptr;
}

std::optional<double> number_of_argument(const Value& value) {
  if (const int64_t* number = value.as<int64_t>()) return static_cast<double>(*number);
  if (const double* number = value.as<double>()) return *number;
  if (const std::string* text = value.as<std::string>()) return number_of<double>(*text);
  return std::nullopt;
}

std::optional<Value> int_of(const Call& call, Heap&) {
  const Value* value = only(call);
  if (!value) return std::nullopt;
  if (value->as<int64_t>()) return *value;
  if (const bool* truth = value->as<bool>()) return Value{int64_t{*truth}, call.place};
  const auto number = number_of_argument(*value);
  constexpr double most = 9e15;
  if (!number || std::abs(*number) > most) return std::nullopt;
  return Value{static_cast<int64_t>(std::trunc(*number)), call.place};
}

std::optional<Value> real(const Call& call, Heap&) {
  const auto number = only(call) ? number_of_argument(*only(call)) : std::nullopt;
  return number ? std::optional(Value{*number, call.place}) : std::nullopt;
}

std::optional<Value> text(const Call& call, Heap&) {
  const auto plain = only(call) ? plain_text(*only(call)) : std::nullopt;
  return plain ? std::optional(Value{*plain, call.place}) : std::nullopt;
}

std::optional<Value> truth(const Call& call, Heap&) {
  const auto known = only(call) ? truth_of(*only(call)) : std::nullopt;
  return known ? std::optional(Value{*known, call.place}) : std::nullopt;
}

std::optional<Value> length(const Call& call, Heap&) {
  const Value* value = only(call);
  if (!value) return std::nullopt;
  if (const List* list = value->list())
    return Value{static_cast<int64_t>(list->items.size()), call.place};
  if (const std::string* words = value->as<std::string>())
    return Value{static_cast<int64_t>(words->size()), call.place};
  return std::nullopt;
}

/// Returns the least or the greatest of numbers.
std::optional<Value> extreme(const Call& call, bool greatest) {
  const Value* value = only(call);
  const std::vector<Value>& all = value && value->list() ? value->list()->items : call.arguments;
  if (all.empty() || !call.named.empty()) return std::nullopt;
  const Value* best = nullptr;
  double of_best = 0;
  for (const Value& one : all) {
    const auto number = one.as<std::string>() ? std::nullopt : number_of_argument(one);
    if (!number) return std::nullopt;
    if (best && (greatest ? *number <= of_best : *number >= of_best)) continue;
    best = &one;
    of_best = *number;
  }
  return *best;
}
std::optional<Value> least(const Call& call, Heap&) { return extreme(call, false); }
std::optional<Value> greatest(const Call& call, Heap&) { return extreme(call, true); }

std::optional<Value> range(const Call& call, Heap& heap) {
  int64_t from = 0, to = 0;
  constexpr uint64_t most = 1000;
  for (const Value& one : call.arguments)
    if (!one.as<int64_t>()) return std::nullopt;
  if (call.arguments.size() == 1) to = *call.arguments[0].as<int64_t>();
  if (call.arguments.size() == 2) {
    from = *call.arguments[0].as<int64_t>();
    to = *call.arguments[1].as<int64_t>();
  }
  if (call.arguments.empty() || call.arguments.size() > 2) return std::nullopt;
  if (to > from && static_cast<uint64_t>(to) - static_cast<uint64_t>(from) > most)
    return std::nullopt;
  List& list = heap.list();
  if (to > from) heap.count(static_cast<size_t>(to - from));
  for (; from < to; ++from) list.items.push_back({from, call.place});
  return Value{&list, call.place};
}

/// Copies what is below a value too; what stands in several places stays one.
class WholeCopy {
 public:
  explicit WholeCopy(Heap& heap) : heap_(heap) {}

  Value of(const Value& value) {
    const void* key = value.list() ? static_cast<const void*>(value.list()) : value.object();
    if (!key) return value;
    if (const auto found = copies_.find(key); found != copies_.end()) return found->second;
    constexpr int deepest = 200;
    if (++depth_ > deepest) throw InputError(value.place.where(), "objects are nested too deeply");
    const Value copy = copied(value, heap_);
    copies_.emplace(key, copy);
    if (List* list = copy.list())
      for (Value& item : list->items) item = of(item);
    if (Object* object = copy.object()) {
      for (Value& argument : object->arguments) argument = of(argument);
      for (auto& [name, field] : object->fields) field = of(field);
    }
    --depth_;
    return copy;
  }

 private:
  Heap& heap_;
  std::map<const void*, Value> copies_;
  int depth_ = 0;
};

std::optional<Value> copy(const Call& call, Heap& heap) {
  return only(call) ? std::optional(copied(*only(call), heap)) : std::nullopt;
}
std::optional<Value> deep_copy(const Call& call, Heap& heap) {
  return only(call) ? std::optional(copied_whole(*only(call), heap)) : std::nullopt;
}

/// dataclasses.replace(x, field=value)
std::optional<Value> replace(const Call& call, Heap& heap) {
  if (call.arguments.size() != 1 || !call.arguments[0].object()) return std::nullopt;
  Value copy = copied(call.arguments[0], heap);
  for (const auto& [name, value] : call.named) heap.set(*copy.object(), name, value);
  return copy;
}

std::optional<Value> dictionary(const Call& call, Heap& heap) {
  if (call.arguments.size() > 1) return std::nullopt;
  Object& object = heap.object({}, call.place);
  if (!call.arguments.empty()) {
    const Object* other = call.arguments[0].object();
    if (!other || !other->type.empty()) return std::nullopt;
    heap.count(other->fields.size());
    object.fields = other->fields;
  }
  for (const auto& [name, value] : call.named) heap.set(object, name, value);
  return Value{&object, call.place};
}

std::optional<Value> sequence(const Call& call, Heap& heap) {
  if (call.arguments.empty()) return Value{&heap.list(), call.place};
  return only(call) && only(call)->list() ? std::optional(copied(*only(call), heap)) : std::nullopt;
}

/// typing.cast(kind, value)
std::optional<Value> cast(const Call& call, Heap&) {
  return call.arguments.size() == 2 ? std::optional(call.arguments[1]) : std::nullopt;
}

/// divmod(a, b) of whole numbers: what remains has the sign of b.
std::optional<Value> divided(const Call& call, Heap& heap) {
  if (call.arguments.size() != 2) return std::nullopt;
  const auto whole = operated("//", call.arguments[0], call.arguments[1], heap);
  const auto rest = operated("%", call.arguments[0], call.arguments[1], heap);
  if (!whole || !rest) return std::nullopt;
  return Value{&heap.list({*whole, *rest}), call.place};
}

std::optional<Value> instance(const Call& call, Heap&) {
  if (call.arguments.size() != 2 || !call.named.empty()) return std::nullopt;
  const auto is = is_instance(call.arguments[0], call.arguments[1]);
  return is ? std::optional(Value{*is, call.place}) : std::nullopt;
}

/// setattr(object, name, value) of an object that is no dictionary.
std::optional<Value> set_attribute(const Call& call, Heap& heap) {
  Object* object = call.arguments.size() == 3 ? call.arguments[0].object() : nullptr;
  const std::string* name = object ? call.arguments[1].as<std::string>() : nullptr;
  if (!name || object->is_dictionary()) return std::nullopt;
  heap.set(*object, *name, call.doubt ? Value{*call.doubt, call.place} : call.arguments[2]);
  return Value{{}, call.place};
}

/// vars(object) of what no dictionary is, as one that stands for itself.
std::optional<Value> variables(const Call& call, Heap& heap) {
  const Object* object = only(call) ? only(call)->object() : nullptr;
  if (!object || object->is_dictionary() || object->is_implied) return std::nullopt;
  heap.count(object->fields.size());
  Object& made = heap.object({}, call.place);
  made.fields = object->fields;
  return Value{&made, call.place};
}

struct Named {
  std::string_view name;
  Function function;
};
constexpr Named functions[] = {{"int", int_of},
                               {"float", real},
                               {"str", text},
                               {"bool", truth},
                               {"len", length},
                               {"min", least},
                               {"max", greatest},
                               {"range", range},
                               {"dict", dictionary},
                               {"list", sequence},
                               {"tuple", sequence},
                               {"divmod", divided},
                               {"isinstance", instance},
                               {"setattr", set_attribute},
                               {"vars", variables},
                               {"typing.cast", cast},
                               {"copy.copy", copy},
                               {"copy.deepcopy", deep_copy},
                               {"dataclasses.replace", replace}};

}  // namespace

Value copied(const Value& value, Heap& heap) {
  if (const List* list = value.list()) return {&heap.list(list->items), value.place};
  const Object* object = value.object();
  if (!object) return value;
  heap.count(object->arguments.size() + object->fields.size());
  Object& copy = heap.object(object->type, object->place);
  copy = *object;
  return {&copy, value.place};
}

std::optional<Value> builtin(const Call& call, Heap& heap) {
  const auto* found = std::ranges::find(functions, call.name, &Named::name);
  return found == std::end(functions) ? sequence_builtin(call, heap) : found->function(call, heap);
}

Value copied_whole(const Value& value, Heap& heap) { return WholeCopy(heap).of(value); }

}  // namespace pipewright::interop::python
