// YAML text to Value, through yaml-cpp's event interface: unlike its node tree it shows a key that
// is given twice, and nothing is built for text that is broken further down.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "base/input.hpp"
#include "config/python_yaml.hpp"
#include "config/small_file.hpp"
#include "config/value.hpp"
#include "config/yaml_hint.hpp"

namespace pipewright::config {
namespace {

constexpr size_t deepest = 64;
constexpr size_t most_values = 4'000'000;
constexpr size_t most_copied_bytes = size_t{64} << 20;  // by anchors and aliases, which multiply
constexpr size_t most_small_bytes = size_t{64} << 20;

size_t bytes_of(const Value& value) {
  size_t bytes = sizeof(Value) + value.text.size();
  for (const Value& item : value.items) bytes += bytes_of(item);
  for (const Entry& entry : value.entries)
    bytes += sizeof(Entry) + entry.key.size() + bytes_of(entry.value);
  return bytes;
}

/// What differs from one reader of YAML to another.
struct Rules {
  bool merges = false;  ///< `<<: *other` is no key
  std::vector<std::string>* repeated =
      nullptr;  ///< the last of equal keys holds, and is noted here
};

/// Adds what `from`, a map or a list of maps, says and `map` does not.
void fill_up(Value& map, const Value& from) {
  for (const Value& item : from.items) fill_up(map, item);
  for (const Entry& entry : from.entries)
    if (!map.find(entry.key)) map.entries.push_back(entry);
}

void fill_from_merge_key(Value& map) {
  const auto named = std::find_if(map.entries.begin(), map.entries.end(),
                                  [](const Entry& entry) { return entry.key == "<<"; });
  if (named == map.entries.end()) return;
  const Value from = std::move(named->value);
  map.entries.erase(named);
  fill_up(map, from);
}

class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view file, const Rules& rules)
      : file_(std::make_shared<const std::string>(file)), rules_(rules) {
    root_.mark = {file_, 1, 1};  // of a file without any value
  }

  Value take() {
    if (no_word_) throw *no_word_;
    return std::move(root_);
  }
  Mark mark(const YAML::Mark& at) const {
    return at.is_null() ? Mark{file_, 1, 1} : Mark{file_, at.line + 1, at.column + 1};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& at, YAML::anchor_t anchor) override {
    Value value;
    value.mark = mark(at);
    add(std::move(value), anchor);
  }
  void OnScalar(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = scalar(text, mark(at));
    value.quoted = tag == "!";
    const bool empty = !value.quoted && (text.empty() || text == "~" || text == "null");
    if (empty) value.kind = Value::Kind::null;
    add(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& at, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw InputError(mark(at).where(), "an alias must not lie inside the value it names");
    charge(found->second, mark(at));
    add(Value(found->second), 0);
  }
  void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, at, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, at, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Value value;
    YAML::anchor_t anchor;
    bool has_key = false;
    std::string key;
    Mark key_mark;
    std::unordered_set<std::string> keys;
  };

  void open(Value::Kind kind, const YAML::Mark& at, YAML::anchor_t anchor) {
    Value value;
    value.kind = kind;
    value.mark = mark(at);
    if (stack_.size() == deepest) value.fail(fmt::format("nested deeper than {} levels", deepest));
    if (!stack_.empty() && stack_.back().value.is_map() && !stack_.back().has_key) {
      note_key(value);
      stack_.back().has_key = true;
    }
    stack_.push_back({std::move(value), anchor, false, {}, {}, {}});
  }

  void close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    if (rules_.merges) fill_from_merge_key(level.value);
    add(std::move(level.value), level.anchor);
  }

  /// Before `value` is copied.
  void charge(const Value& value, const Mark& at) {
    copied_bytes_ += bytes_of(value);
    if (copied_bytes_ > most_copied_bytes)
      throw InputError(at.where(), "the document's aliases unfold to more than 64 MiB");
  }

  void add(Value value, YAML::anchor_t anchor) {
    if (++values_ > most_values)
      value.fail(fmt::format("a document has {} values at most", most_values));
    if (anchor) {
      charge(value, value.mark);
      anchors_[anchor] = value;
    }
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& parent = stack_.back();
    if (parent.value.is_list()) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      take_key(parent, value);
    } else {
      // yaml-cpp says of a value that is left out where the next token stands.
      if (value.is_null()) value.mark = parent.key_mark;
      parent.value.entries.push_back({parent.key, parent.key_mark, std::move(value)});
      parent.has_key = false;
    }
  }

  void take_key(Level& parent, const Value& key) {
    if (!key.is_scalar()) note_key(key);
    if (!parent.keys.insert(key.text).second && !no_word_) repeat_key(parent, key);
    parent.key = key.text;
    parent.key_mark = key.mark;
    parent.has_key = true;
  }

  /// yaml-cpp takes a bracket that nobody closes for a key, and says so at the end of the document.
  void note_key(const Value& key) {
    if (!no_word_) no_word_ = InputError(key.mark.where(), "a key must be a plain word");
  }

  void repeat_key(Level& parent, const Value& key) {
    if (!rules_.repeated) key.fail(fmt::format("key '{}' is given twice", key.text));
    std::erase_if(parent.value.entries, [&](const Entry& entry) { return entry.key == key.text; });
    rules_.repeated->push_back(fmt::format("key '{}' is given twice: the last one holds ({})",
                                           key.text, to_string(key.mark.where())));
  }

  std::shared_ptr<const std::string> file_;
  Rules rules_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::vector<Level> stack_;
  size_t values_ = 0, copied_bytes_ = 0;
  std::optional<InputError> no_word_;  ///< the first key that is no word
  Value root_;
};

Value parse_by(const Rules& rules, std::string_view text, std::string_view file_name) {
  if (is_binary(text)) throw InputError({std::string(file_name)}, "is no text: YAML is expected");
  Builder builder(file_name, rules);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    Builder rest(file_name, rules);
    if (parser.HandleNextDocument(rest))
      rest.take().fail("one document is expected, here is a second");
  } catch (const YAML::Exception& error) {
    const Where where = builder.mark(error.mark).where();
    throw InputError(where, "not YAML: " + error.msg + yaml_hint(text, where.line, error.msg));
  }
  return builder.take();
}

}  // namespace

Value parse(std::string_view text, std::string_view file_name) {
  return parse_by({}, text, file_name);
}

Value parse_as_python(std::string_view text, std::string_view file_name,
                      std::vector<std::string>* repeated) {
  return parse_by({.merges = true, .repeated = repeated}, text, file_name);
}

std::string read_file(const std::string& path, const Where& named_at, size_t most) {
  if (path == "-") return read_all(std::cin, "standard input", named_at, most);
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw UnreadableFile(named_at, path,
                         fmt::format("'{}' is a folder, and a file is needed", path));
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open())
    throw UnreadableFile(named_at, path, fmt::format("cannot read file '{}'", path));
  return read_all(file, fmt::format("file '{}'", path), named_at, most);
}

std::string read_small_file(const std::string& path, const Where& named_at) {
  return read_file(path, named_at, most_small_bytes);
}

Value parse_file(const std::string& path, const Where& named_at) {
  return parse(read_small_file(path, named_at), path == "-" ? "standard input" : path);
}

}  // namespace pipewright::config
