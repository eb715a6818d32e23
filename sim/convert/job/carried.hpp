// What a job says beside its experiment, such as learning rates and data: comments of the
// experiment keep it by the name of its format, and jobs of that format that are written have it
// again.
//   # job| torchtitan:
//   # job|   optimizer: {lr: 0.0003}
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/job/settings.hpp"

namespace pipewright::job {

/// What an import carries beside a format's keys: a list of what does not go along.
inline constexpr std::string_view left = "left";

/// How the lines of comments begin that carry it.
inline constexpr std::string_view carried_mark = "# job| ";

/// Sets the value at "section.key", with the maps above it.
void set_at(config::Value& root, std::string_view path, const config::Value& value);

/// Returns `carried`, maps by the name of a format, as comments of an experiment.
std::string carried_comments(const config::Value& carried);

/// Returns what comments at the head of an experiment carry; null where they carry nothing. Throws
/// InputError where they are no map.
config::Value carried_in(std::string_view experiment, const std::string& file);

/// How the keys of a document go along.
struct Carriage {
  std::string_view format;
  std::span<const std::string_view> sections{};  ///< those that go along; empty: all
  bool objects = true;                           ///< also what a file of Python's objects says
};

/// Adds to what the import carries the keys of its document that no experiment says, as far as the
/// user wrote them and not a preset.
void carry(Import& import, const Settings& settings, const Carriage& carriage);

/// Adds to `document` what `carried` says and it does not.
void lay_under(config::Value& document, const config::Value& carried);

/// Returns the paths of the values below `value`, such as "optimizer.lr".
std::vector<std::string> paths_of(const config::Value& value);

}  // namespace pipewright::job
