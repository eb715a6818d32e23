// The keys of Hugging Face configurations: their spellings, and what counts as said.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "config/value.hpp"

namespace pipewright::hugging_face {

using config::Value;

/// One of our keys and the names that families have for it; the first that is there counts.
struct Name {
  std::string_view key;
  std::array<std::string_view, 6> names;
  bool needed = false;
};

/// The first of the names that `value` has and does not leave null.
const Value* find_any(const Value& value, const Name& name);
const Value* find_given(const Value& value, std::string_view key);

/// Copies what `value` has under `names` to `into`, under our keys. A list with a number for each
/// layer counts as that number where all are equal; InputError where they are not.
Value translate(const Value& value, std::span<const Name> names, Value into);
/// The same for one key, where it is there.
void copy(const Value& value, std::string_view name, Value& into, std::string_view key);

/// Tells whether `key` is there and says `expected`.
bool says(const Value& value, std::string_view key, bool expected);
/// A whole number, or `otherwise` where `key` is not there.
int64_t count_of(const Value& value, std::string_view key, int64_t otherwise);

/// Refuses a configuration whose `key` is there and neither null, false, 0 nor an empty list: it
/// stands for what is not modelled, as `why` says.
void refuse(const Value& value, std::string_view key, std::string_view why);

/// Sets `key` of `into` to a number, and to what `yaml` says.
void set_number(Value& into, std::string_view key, int64_t number);
void set(Value& into, std::string_view key, std::string_view yaml);

/// A list of words.
Value list_of(std::span<const std::string_view> words);
void erase(Value& map, std::string_view key);

/// Returns `value` with numbers such as 32.0 as whole ones: some tools write them so.
Value with_whole_numbers(Value value);

}  // namespace pipewright::hugging_face
