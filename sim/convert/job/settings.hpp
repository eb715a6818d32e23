// The settings of a job that is written as a document: keys in sections, of which all must be
// known.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// What a key is here that nobody asked for. `path` may end with '*', for all that begin so.
struct Key {
  std::string_view path;
  Effect effect;
  std::string_view note;      ///< what it is about, or why it cannot be said
  std::string_view unless{};  ///< values that change nothing, joined by '|'
  bool of_plan = false;       ///< another plan has no use for it: it does not go along
};

/// Returns the first of `keys` that fits `path`, or null.
const Key* find_key(std::span<const Key> keys, std::string_view path);

/// A map with this key stands for a value that a program does not say: it has the reason.
inline constexpr std::string_view unknown_key = "_unknown_";

/// Throws InputError where a value, or a part of it, is not known.
void check_known(const config::Value& value);

class Settings {
 public:
  Settings(config::Value root, const Source& source, Import& import);

  /// Returns the value at "section.key", or null. It is used then. Throws InputError where it, or
  /// a part of it, is not known.
  const config::Value* find(std::string_view path);
  /// Returns the first of several names that a key has had.
  const config::Value* find(std::initializer_list<std::string> paths);
  using Names = std::initializer_list<std::string>;
  int64_t integer(Names paths, int64_t otherwise, int64_t least = 1);
  bool truth(Names paths, bool otherwise);
  std::string text(Names paths, std::string_view otherwise);

  bool has(std::string_view path) const;
  /// Tells whether somebody has asked for `path`.
  bool is_used(std::string_view path) const { return used_.contains(path); }
  /// Returns the value at `path` without using it, or null.
  const config::Value* look(std::string_view path) const;

  /// Fails at the key, or at the document where it is not there; notes it where the user wants what
  /// can be said.
  void refuse(std::string_view path, const std::string& what);
  Where where(std::string_view path) const;
  /// Refuses and lists what nobody asked for: the first of `keys` that fits tells what it is.
  /// `framework` is whose keys these are.
  void review(std::span<const Key> keys, std::string_view framework);

  const Source& source() const { return source_; }
  Import& import() { return import_; }

 private:
  void review_map(const config::Value& map, const std::string& prefix, std::span<const Key> keys,
                  std::string_view framework);
  void review_one(const config::Value& value, const std::string& path, std::span<const Key> keys,
                  std::string_view framework);

  config::Value root_;
  const Source& source_;
  Import& import_;
  std::set<std::string, std::less<>> used_;
};

/// Returns the value at "section.key", or null; `root` for an empty path.
const config::Value* value_at(const config::Value& root, std::string_view path);

/// Returns a truth as Python's YAML has it: True, yes, on and 1 count too.
bool python_truth(const config::Value& value);

/// Returns a value as one would write it on one line.
std::string written(const config::Value& value);

}  // namespace pipewright::job
