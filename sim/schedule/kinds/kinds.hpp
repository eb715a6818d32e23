// The schedules by name: one file of this folder each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schedule/plain_pipeline.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// A schedule by name. `options` is the map the user wrote: {name: ..., option: ...}; a builder
/// reads it with config::Fields and reports what is wrong there. A shape it cannot serve is a
/// Misfit at `options`.
struct Kind {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view summary;  ///< one line for `list schedules`
  Schedule (*build)(const Shape& shape, const config::Value& options);
  bool takes_virtual = false;  ///< has the option `virtual`, which parallel.virtual stands for
  /// What closed forms need to know of it; nullptr where none holds.
  const PlainPipeline* plain = nullptr;
};

/// All schedules, in the order of the list in meson.build.
std::span<const Kind* const> kinds();
/// The schedule of that name or alias, or nullptr.
const Kind* find_kind(std::string_view name);

/// Builds the schedule that `spec` asks for: a name, or a map with `name` and options, `rules` or
/// `command`. Throws InputError for an unknown name and Misfit for an impossible shape.
Schedule build(const Shape& shape, const config::Value& spec);

}  // namespace pipewright::schedule
