#include "config/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "config/embedded.hpp"
#include "config/small_file.hpp"

namespace pipewright::config {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_base = 16;
constexpr size_t longest_name = 80;                    // that a message shows
constexpr std::string_view points_ending = ".points";  // files that entries name, no entries

/// The folders of a search-path folder that may hold files of a kind.
std::vector<fs::path> places(const std::string& folder, std::string_view kind) {
  const fs::path root = folder;
  return {root / kind, root / "topologies" / kind, root / "workloads" / kind,
          root / "calibrate" / kind};
}

/// The key by which Hugging Face's files say the name of a model.
constexpr const char* name_in_folder = "_name_or_path";

/// The file of a folder that Hugging Face has a model in.
constexpr const char* configuration = "config.json";

/// A folder stands for the config.json in it, as Hugging Face has models. The folder's name is the
/// model's where the file does not say one, whichever of the two is named.
Value read_path(const Value& value) {
  fs::path path = path_seen_from(value.text, value.mark);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    path /= configuration;
    if (!fs::exists(path, ignored))
      value.fail(
          fmt::format("the folder '{}' has no {}: a model's folder holds the one of Hugging "
                      "Face, which says its sizes",
                      value.text, configuration));
  }
  Value document = parse_file(path.string(), value.mark.where());
  if (document.is_null()) document.fail("is empty: YAML is expected");
  const bool is_model =
      path.filename() == configuration && document.is_map() && document.find("model_type");
  if (!is_model) return document;
  const Value* name = document.find(name_in_folder);
  if (!name || name->text.empty()) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    document.set(name_in_folder, scalar(folder.filename().string()));
  }
  return document;
}

/// "device" for "devices".
std::string_view singular(std::string_view kind) {
  if (kind == "studies") return "study";
  return kind.ends_with('s') ? kind.substr(0, kind.size() - 1) : kind;
}

/// "a device", "an experiment".
std::string one_of(std::string_view kind) {
  const std::string_view name = singular(kind);
  const bool vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", name);
}

std::string description_of(const Value& entry) {
  const Value* description = entry.find("description");
  return description && description->is_scalar() ? description->text : std::string{};
}

Value without_base(const Value& value) {
  Value changes = value;
  std::erase_if(changes.entries, [](const Entry& entry) { return entry.key == "base"; });
  return changes;
}

/// Returns the end of a message where a name that is none of `kind` is one of another, or a folder
/// that is to be named by its path; empty where it is neither.
std::string of_another_kind(const Catalogue& catalogue, std::string_view kind, const Value& name) {
  std::error_code ignored;
  const std::string& text = name.text;
  const auto is_of = [&](std::string_view other) {
    return std::ranges::binary_search(catalogue.names(other), text);
  };
  if (kind == "models" && fs::is_directory(path_seen_from(text, name.mark), ignored))
    return fmt::format("; the folder of that name is './{}'", text);
  if (kind == "clusters" && is_of("nodes"))
    return fmt::format("; it is a node, and a cluster of it is '{{node: {}, nodes: 1}}'", text);
  for (const std::string_view other :
       {"models", "clusters", "nodes", "devices", "links", "experiments", "studies"})
    if (other != kind && is_of(other)) return fmt::format("; it is {}", one_of(other));
  return {};
}

/// Tells whether a value of `key` is an entry of its own, and no change of one.
bool is_whole(std::string_view key, const Value& value) {
  if (!value.is_map() || value.find("base")) return true;
  if (key == "device") return value.find("flops") || value.find("dsp_slices");
  const Value* device = value.find("device");
  return device && is_whole("device", *device);
}

/// Gives the maps of `changes` that change a node or a device which `base` has by name that name as
/// their base.
void name_what_changes(const Value& base, Value& changes) {
  for (const std::string_view key : {"node", "device"}) {
    const Value* name = base.find(key);
    Value* change = changes.find(key);
    if (name && name->is_scalar() && change && !is_whole(key, *change)) change->set("base", *name);
  }
}

}  // namespace

std::string path_seen_from(const std::string& path, const Mark& mark) {
  if (fs::path(path).is_absolute() || !mark.file) return path;
  const fs::path beside = fs::path(*mark.file).parent_path() / path;
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside.string() : path;
}

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") ||
         text.ends_with(".yml") || text.ends_with(".json");
}

std::optional<std::string> name_of(const Value& value) {
  if (value.is_scalar())
    return is_path(value.text) ? fs::path(value.text).stem().string() : value.text;
  const Value* base = value.find("base");
  return base ? name_of(*base) : std::nullopt;
}

/// A sweep reads the same few entries thousands of times, on many threads.
struct Catalogue::Memo {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Value> entries;  ///< by kind and name
};

Catalogue::Catalogue(std::string_view search_path) : memo_(std::make_shared<Memo>()) {
  while (!search_path.empty()) {
    const size_t colon = std::min(search_path.find(':'), search_path.size());
    const std::string folder(search_path.substr(0, colon));
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    if (folder.empty()) continue;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
      throw InputError(fmt::format("PIPEWRIGHT_PATH names '{}', which is not a folder", folder));
    }
    folders_.push_back(folder);
  }
}

std::optional<Catalogue::File> Catalogue::find(std::string_view kind, std::string_view name) const {
  const std::string file_name = std::string(name) + ".yaml";
  for (const std::string& folder : folders_) {
    for (const fs::path& place : places(folder, kind)) {
      const fs::path path = place / file_name;
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored))
        return File{std::string(name), path.string(), read_small_file(path.string())};
    }
  }
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind != kind || file.name != name) continue;
    return File{std::string(name), fmt::format("catalogue:{}/{}.yaml", kind, name),
                std::string(file.text)};
  }
  return std::nullopt;
}

std::vector<Listing> Catalogue::list(std::string_view kind) const {
  std::vector<Listing> listings;
  for (const std::string& name : names(kind)) {
    const std::optional<File> file = find(kind, name);
    if (file) listings.push_back({name, description_of(parse(file->text, file->mark))});
  }
  return listings;
}

std::vector<std::string> Catalogue::names(std::string_view kind) const {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.kind == kind && !file.name.ends_with(points_ending)) names.emplace_back(file.name);
  for (const std::string& folder : folders_) {
    for (const fs::path& place : places(folder, kind)) {
      std::error_code ignored;
      for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored))
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Catalogue::File Catalogue::read_beside(const Value& path) const {
  const std::string& name = as_text(path, "a path");
  constexpr std::string_view compiled_in = "catalogue:";
  if (path.mark.file && path.mark.file->starts_with(compiled_in)) {
    const fs::path kind = fs::path(path.mark.file->substr(compiled_in.size())).parent_path();
    for (const EmbeddedFile& file : embedded_files())
      if (file.kind == kind.string() && file.name == name)
        return {name, fmt::format("catalogue:{}/{}", kind.string(), name), std::string(file.text)};
  }
  const std::string seen = path_seen_from(name, path.mark);
  return {name, seen, read_small_file(seen, path.mark.where())};
}

Value Catalogue::read_named(std::string_view kind, const Value& name) const {
  const std::string& text = as_text(name, "a name");
  const std::pair<std::string, std::string> key{kind, text};
  {
    const std::lock_guard lock(memo_->mutex);
    if (const auto known = memo_->entries.find(key); known != memo_->entries.end())
      return known->second;
  }
  if (std::optional<File> file = find(kind, text)) {
    Value value = parse(file->text, file->mark);
    const std::lock_guard lock(memo_->mutex);
    return memo_->entries.try_emplace(key, std::move(value)).first->second;
  }
  const std::vector<std::string> known = names(kind);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string shown =
      text.size() <= longest_name ? text : text.substr(0, longest_name) + "...";
  std::string hint = of_another_kind(*this, kind, name);
  if (hint.empty()) hint = did_you_mean(text, candidates);
  name.fail(fmt::format("unknown {} '{}'{} ('pipewright list {}' lists all)", singular(kind), shown,
                        hint, kind));
}

Value Catalogue::load(std::string_view kind, const Value& name) const {
  return resolve(kind, read_named(kind, name), 0);
}

Value Catalogue::resolve(std::string_view kind, const Value& value) const {
  return resolve(kind, value, 0);
}

Value Catalogue::resolve(std::string_view kind, const Value& value, int depth) const {
  if (depth > deepest_base) {
    value.fail(fmt::format("more than {} 'base' one in another: does one lead back to itself?",
                           deepest_base));
  }
  if (value.is_scalar()) {
    return resolve(kind, is_path(value.text) ? read_path(value) : read_named(kind, value),
                   depth + 1);
  }
  if (!value.is_map()) {
    value.fail(
        fmt::format("must be the name of {} ('pipewright list {}'), the path of a YAML file "
                    "or a map",
                    one_of(kind), kind));
  }
  const Value* base = value.find("base");
  if (!base) return value;
  Value result = resolve(kind, *base, depth + 1);
  Value changes = without_base(value);
  name_what_changes(result, changes);
  merge(result, changes);
  result.mark = value.mark;
  return result;
}

}  // namespace pipewright::config
