// The members of a JSON text (RFC 8259) one after another, without a document in memory.
//
// A reader of millions of small objects takes the few members that it wants and skips the others.
// What is skipped is checked, too: a text that reads to its end is JSON. Numbers may have any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

enum class JsonKind : uint8_t { object, array, text, number, word, none };

/// Stands before a value or, within an object, before a member. After a mistake in the text it has
/// `failed()`, and there is no further member or value.
class JsonReader {
 public:
  JsonReader() = default;
  /// Stands before the value that `text`, which must outlive the reader, says.
  explicit JsonReader(std::string_view text) : text_(text) {}
  // A key may point into its reader.
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;
  /// Begins anew with `text`.
  void begin(std::string_view text);

  /// Tells what the value is that comes next; `none` where no value can begin so.
  JsonKind kind();
  /// Goes into the object that comes next.
  void enter_object();
  /// Goes to the value of the next member of the object and returns whether there is one. If not,
  /// it has left the object.
  bool next_member();
  /// The key of that member, until something else is skipped or entered.
  std::string_view key() const { return key_; }
  /// Takes a text that comes next. It is there until the next one is taken or skipped.
  std::string_view take_text();
  /// Takes a number that comes next, as it is written.
  std::string_view take_number();
  /// Goes behind the value that comes next.
  void skip();

  /// Returns whether nothing follows the value.
  bool at_end();
  bool failed() const { return failed_; }

 private:
  int peek();
  bool take(char c);
  bool fail();
  bool begin_member();
  bool skip_plain();
  bool scan_text(std::string_view& text, std::string& plain);
  bool scan_escape(std::string& plain);
  bool scan_code_unit(uint32_t& unit);
  bool scan_long_character();
  bool scan_number();
  bool scan_digits();
  bool scan_word();
  bool goes_inside();

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false, is_first_ = false;
  std::string_view key_;
  std::string plain_, plain_key_;  ///< a text, or a key, without its escapes where it has some
  std::vector<bool> open_;         ///< by value that is being skipped: whether it is an object
};

}  // namespace pipewright
