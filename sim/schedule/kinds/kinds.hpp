// The schedules by name: one file of this folder each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schedule/plain_pipeline.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// An option that stands beside the name of a schedule.
struct KindOption {
  std::string_view name;
  std::string_view type;                  ///< "a whole number"
  std::string_view preset;                ///< the default, as it is written or in words
  std::string_view doc;                   ///< one sentence or a few
  std::vector<std::string_view> choices;  ///< of a choice, the default first; else empty
};

/// A schedule by name. `options` is the map the user wrote: {name: ..., option: ...}; a builder
/// reads it with config::Fields and reports what is wrong there. A shape it cannot serve is a
/// Misfit at `options`.
struct Kind {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view summary;  ///< one line for `list schedules`
  Schedule (*build)(const Shape& shape, const config::Value& options);
  /// What closed forms need to know of it; nullptr where none holds.
  const PlainPipeline* plain = nullptr;
  /// What its builder reads beside `name`: see fields_of().
  std::vector<KindOption> options;

  bool takes(std::string_view option) const;
};

/// The options that `spec` gives to a schedule of that kind. Throws InputError for any other key.
config::Fields fields_of(const Kind& kind, const config::Value& spec);

/// Reads an option that is a choice: its place among the choices of `kind`, 0 where it is missing.
size_t choice_of(const Kind& kind, const config::Fields& fields, std::string_view option);

/// All schedules, in the order of the list in meson.build.
std::span<const Kind* const> kinds();
/// The schedule of that name or alias, or nullptr.
const Kind* find_kind(std::string_view name);

/// Builds the schedule that `spec` asks for: a name, or a map with `name` and options, `rules` or
/// `command`. Throws InputError for an unknown name and Misfit for an impossible shape.
Schedule build(const Shape& shape, const config::Value& spec);

}  // namespace pipewright::schedule
