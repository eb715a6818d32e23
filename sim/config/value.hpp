// A YAML document as plain data that remembers where every piece stood, and the typed readings of
// it. This folder is the only place that knows yaml-cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/input.hpp"
#include "base/units.hpp"

namespace pipewright::config {

/// Position of a value; the file name is shared by all values of one document.
struct Mark {
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;
  Where where() const { return {file ? *file : std::string{}, line, column}; }
};

struct Entry;

/// A scalar, list, map or nothing. Scalars keep their text; reading gives them a type.
struct Value {
  enum class Kind : uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  ///< a quoted scalar is always a string
  std::string text;
  std::vector<Value> items;
  std::vector<Entry> entries;
  Mark mark;

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// The value of `key`, or nullptr. Only for maps.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// Sets `key` of a map (a null value becomes a map), appending it when it is new.
  Value& set(std::string_view key, Value value);

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void misfit(const std::string& message) const;
  [[noreturn]] void lacks(const std::string& message) const;
};

struct Entry {
  std::string key;
  Mark mark;
  Value value;
};

/// Reads one YAML document. Throws InputError with file, line and column for what is not YAML, a
/// key given twice, nesting deeper than 64, more than four million values, or aliases that unfold
/// to more than 64 MiB.
Value parse(std::string_view text, std::string_view file_name);
/// Reads a file; `-` is standard input. `named_at` is where the user named the file.
Value parse_file(const std::string& path, const Where& named_at = {});
/// The whole file as text; `-` is standard input. Throws InputError at `named_at` where it cannot
/// be read or has more than `most` bytes.
std::string read_file(const std::string& path, const Where& named_at = {},
                      size_t most = most_input_bytes);

Value scalar(std::string_view text, Mark mark = {});
Value number(int64_t n, Mark mark = {});

// Typed readings. Each throws InputError at the value with what would be right.
const std::string& as_text(const Value& value, const char* what = "a text");
bool as_bool(const Value& value);
int64_t as_int(const Value& value, int64_t least, int64_t most);
double as_number(const Value& value, double least, double most);
/// A plain fraction (0.5) or a percentage (50%).
double as_fraction(const Value& value, double least, double most);
Time as_time(const Value& value);
/// A span of real time beyond the simulated clock's range (a deadline, a failure rate), in seconds.
double as_seconds(const Value& value);
Bytes as_bytes(const Value& value);
Bandwidth as_bandwidth(const Value& value);
FlopRate as_flop_rate(const Value& value);
double as_watts(const Value& value);
/// Tokens or any other count with an optional K, M, B or T (10^3, 10^6, 10^9, 10^12).
double as_count(const Value& value);
/// One of `choices`, as its index.
size_t as_choice(const Value& value, std::initializer_list<std::string_view> choices);
size_t as_choice(const Value& value, std::span<const std::string_view> choices);

/// The fields of a map, all of whose keys are known: anything else is an input error with the
/// nearest known key.
class Fields {
 public:
  Fields(const Value& value, const char* what, std::initializer_list<std::string_view> known);
  Fields(const Value& value, const char* what, std::span<const std::string_view> known);
  const Value* find(std::string_view key) const { return value_.find(key); }
  /// Throws InputError at the map when `key` is missing.
  const Value& at(std::string_view key) const;
  const Value& value() const { return value_; }

  // Readings with a default for a key that is not there.
  int64_t integer(std::string_view key, int64_t otherwise, int64_t least, int64_t most) const;
  double real(std::string_view key, double otherwise, double least, double most) const;
  bool boolean(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  Time time(std::string_view key, Time otherwise) const;
  Bytes bytes(std::string_view key, Bytes otherwise) const;

 private:
  void check(const std::string_view* known, size_t count) const;
  const Value& value_;
  const char* what_;
};

/// `--set key.path=value`: the value is read as YAML; maps on the way are created. A part of the
/// path that is a number indexes a list.
void set_path(Value& root, std::string_view assignment);
/// The same for a value that is there already. For errors: `said` is what the user wrote, and
/// `made_by` where the keys and maps stand that are created.
void set_path(Value& root, std::string_view path, Value value, std::string_view said,
              const Mark& made_by);

/// `changes` laid over `base`: maps are merged key by key, everything else is replaced.
void merge(Value& base, const Value& changes);

}  // namespace pipewright::config
