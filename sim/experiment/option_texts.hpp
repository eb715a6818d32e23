// The table of options as text for people.
#pragma once

#include <span>
#include <string_view>

namespace pipewright {

struct ChoiceText {
  std::string_view name, doc;
};

/// A key as `pipewright help` shows it. Texts that do not apply are empty.
struct OptionText {
  std::string_view path;     ///< "overlap.p2p"
  std::string_view type;     ///< "a whole number from 1 to 1048576"
  std::string_view unit;     ///< "bytes"
  std::string_view preset;   ///< the default as it is written
  std::string_view derived;  ///< the default in words, or "required"
  std::string_view beside;   ///< what the key needs or excludes
  std::string_view kinds;    ///< "experiments with a model or peers"; empty where all have it
  std::string_view doc, source;
  size_t first_choice = 0, choices = 0;
};

/// All keys in the order of the table, maps before what is in them.
std::span<const OptionText> option_texts();
/// The choices of one of them; empty where it is no choice.
std::span<const ChoiceText> choices_of(const OptionText& option);

/// The JSON Schema definitions of experiments, as a JSON text {"definitions": {...}}.
std::string_view option_schema();

}  // namespace pipewright
