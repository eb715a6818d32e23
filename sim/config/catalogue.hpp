// Devices, links, nodes, clusters, models, experiments by name: the YAML files that are compiled
// in, and those of the folders that the user adds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::config {

/// One line of a listing.
struct Listing {
  std::string name;
  std::string description;  ///< the file's `description:`
};

/// A kind is the name of a folder: devices, links, nodes, clusters, models, experiments, ...
class Catalogue {
 public:
  /// `search_path`: folders separated by colons, each laid out like the repository or holding
  /// KIND/NAME.yaml. An earlier folder hides a later one, and all hide what is compiled in.
  explicit Catalogue(std::string_view search_path = {});

  /// All entries of a kind in order of name.
  std::vector<Listing> list(std::string_view kind) const;

  /// The entry that the scalar `name` names, its `base:` resolved. Throws InputError at `name`.
  Value load(std::string_view kind, const Value& name) const;

  /// Returns what stands where an entry of this kind is wanted, as a map without `base:`. It may be
  /// a name; the path of a file, seen from the folder of the file that names it or from the current
  /// one; or a map, whose `base:` is again one of the three and under which the other keys are
  /// merged.
  Value resolve(std::string_view kind, const Value& value) const;

  /// The names of all entries of a kind, in order.
  std::vector<std::string> names(std::string_view kind) const;

  /// A file as text, and what to call it in a message.
  struct File {
    std::string name, mark, text;
  };
  /// The file that `path` names, seen from the document it stands in, also where that document is
  /// compiled in. Throws InputError at `path` where there is none.
  File read_beside(const Value& path) const;

 private:
  std::optional<File> find(std::string_view kind, std::string_view name) const;
  Value resolve(std::string_view kind, const Value& value, int depth) const;
  Value read_named(std::string_view kind, const Value& name) const;
  std::vector<std::string> folders_;
  struct Memo;
  std::shared_ptr<Memo> memo_;  ///< entries that were read before
};

/// `path` seen from the folder of the file that names it at `mark`, where there is such a file,
/// else from the current folder.
std::string path_seen_from(const std::string& path, const Mark& mark);

/// Tells whether `text` is meant as the path of a file rather than as a name: it has a slash or
/// ends in .yaml, .yml or .json.
bool is_path(std::string_view text);

/// The name by which `value` is known as an entry: itself, without folder and ending where it is a
/// path; that of its `base:` where it is a map; nothing for a map that stands for itself.
std::optional<std::string> name_of(const Value& value);

}  // namespace pipewright::config
