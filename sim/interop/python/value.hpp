// What a program in Python makes, without running it: objects are what they were made of.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace pipewright::interop::python {

struct Place {
  std::shared_ptr<const std::string> file{};
  int line = 1, column = 1;
  Where where() const { return {file ? *file : std::string(), line, column}; }
};

/// What the program does not say itself.
struct Unknown {
  std::string written;        ///< as the program has it
  std::string name{};         ///< the --define that would say it; empty where none would
  bool may_be_known = false;  ///< it may be an object that the program knows by another name
  bool operator==(const Unknown&) const = default;
};

/// A name of another module, such as torch.bfloat16; or a function or class that stands in none of
/// the files that are there.
struct Symbol {
  std::string name;
  bool operator==(const Symbol&) const = default;
};

struct Object;
struct List;
struct Closure;  // a function of the program (scope.hpp)

struct Value {
  std::variant<std::monostate, bool, int64_t, double, std::string, Symbol, Unknown, List*, Object*,
               const Closure*>
      is{};
  Place place{};

  bool is_none() const { return std::holds_alternative<std::monostate>(is); }
  template <class T>
  const T* as() const {
    if constexpr (std::is_same_v<T, Unknown>)
      if (const Unknown* unknown = unknown_content()) return unknown;
    return std::get_if<T>(&is);
  }
  /// Returns the object, or the list, whose content is known; null for others.
  Object* object() const;
  List* list() const;
  /// Returns why the content of a list or a dictionary is not known, or null.
  const Unknown* unknown_content() const;
  /// Makes the content of a list or a dictionary unknown.
  void forget(const Unknown& why) const;
  const Closure* closure() const;
};

/// A list, a tuple or a set.
struct List {
  std::vector<Value> items{};
  std::optional<Unknown> unknown{};  ///< why its items are not known
};

/// What the call of a class or of an unknown function gives, or a dictionary.
struct Object {
  std::string type{};  ///< "torchtitan.trainer.Trainer.Config"; empty for a dictionary
  std::vector<Value> arguments{};
  std::vector<std::pair<std::string, Value>> fields{};
  Place place{};
  /// A field that nobody made, of which fields were asked: nothing is known of it but what the
  /// program sets.
  bool is_implied = false;
  /// Functions that are not known and that had it as an argument.
  std::vector<Value> changed_by{};
  std::optional<Unknown> unknown{};  ///< why the entries of a dictionary are not known
  /// Is no None, even where its type is the name of a function.
  bool is_made = false;

  Value* find(std::string_view name);
  const Value* find(std::string_view name) const;
  Value& set(std::string_view name, Value value);
  /// Tells whether it is implied, and no field below it was set.
  bool is_nothing() const;
  /// Tells whether it is an object for sure: what a function that is not known gives may be
  /// anything, and classes begin with a capital letter.
  bool is_sure() const;
  bool is_dictionary() const { return type.empty() && !is_implied; }
};

/// Keeps what a program makes.
class Heap {
 public:
  /// Counts what is made or copied. Throws InputError where it is too much.
  void count(size_t values) {
    made_ += values;
    constexpr size_t most = 1'000'000;
    if (made_ > most) throw InputError(here_.where(), "this program makes too many values");
  }
  /// Says where the program is.
  void set_place(const Place& place) { here_ = place; }
  List& list(std::vector<Value> items = {}) {
    count(1 + items.size());
    return lists_.emplace_back(List{std::move(items)});
  }
  Object& object(std::string type, Place place) {
    count(1);
    Object& one = objects_.emplace_back();
    one.type = std::move(type);
    one.place = std::move(place);
    return one;
  }
  /// Sets a field, which is looked for among all others.
  Value& set(Object& object, std::string_view name, Value value) {
    count(1 + object.fields.size() / looked_at);
    return object.set(name, std::move(value));
  }
  /// Values that are looked at in the time that one takes to be made.
  static constexpr size_t looked_at = 100;

 private:
  size_t made_ = 0;
  Place here_;
  std::deque<List> lists_;
  std::deque<Object> objects_;
};

/// Returns the value as Python would take it in a condition, or nothing where that is not known.
std::optional<bool> truth_of(const Value& value);

/// Tells whether what is known to be `value` or another one may be an object that is known.
bool may_be_known(const Value& value);

/// Returns the text that str() makes of a plain value, or nothing.
std::optional<std::string> plain_text(const Value& value);

/// Returns how an entry of a dictionary is called by this key, or nothing where that is not known.
std::optional<std::string> key_of(const Value& key);

/// Returns "Config" of "torchtitan.trainer.Trainer.Config".
std::string_view last_name(std::string_view dotted);

}  // namespace pipewright::interop::python
