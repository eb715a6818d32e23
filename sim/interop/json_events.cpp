#include "interop/json_events.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr size_t most_object = size_t{16} << 20;
constexpr size_t chunk_bytes = size_t{1} << 20;
constexpr size_t most_rest = size_t{64} << 20;

/// Counts in parts that a byte can hold, so that many bytes are counted at once.
int count_lines(std::string_view text) {
  int lines = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, 128);
    uint8_t count = 0;
    for (const char c : part) count = static_cast<uint8_t>(count + (c == '\n'));
    lines += count;
    text.remove_prefix(part.size());
  }
  return lines;
}

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// What ends a search within an object, outside its texts and inside.
constexpr uint8_t outside = 1, inside = 2;

/// By byte, the searches that it ends.
constexpr std::array<uint8_t, 256> marks = [] {
  std::array<uint8_t, 256> all{};
  for (const char c : std::string_view("{}[]")) all[static_cast<unsigned char>(c)] = outside;
  all['\\'] = inside;
  all['"'] = outside | inside;
  return all;
}();

}  // namespace

JsonEvents::JsonEvents(PackedInput input, std::string_view key) : input_(std::move(input)) {
  buffer_.resize(chunk_bytes);
  find_list(key);
}

void JsonEvents::fail(const std::string& message) const {
  throw InputError({input_.path(), line_at(at_), 0}, message);
}

int JsonEvents::line() const { return line_at(from_); }

/// The line of a byte of the buffer. None before the last one that was asked for is known.
int JsonEvents::line_at(size_t at) const {
  if (at > counted_) line_ += count_lines({buffer_.data() + counted_, at - counted_});
  counted_ = std::max(counted_, at);
  return line_;
}

/// Keeps what stands from `keep_` on and reads more behind it.
bool JsonEvents::fill() {
  line_at(keep_);
  std::memmove(buffer_.data(), buffer_.data() + keep_, filled_ - keep_);
  filled_ -= keep_;
  at_ -= keep_;
  from_ -= std::min(from_, keep_);
  counted_ -= std::min(counted_, keep_);
  keep_ = 0;
  if (filled_ == buffer_.size()) {
    if (buffer_.size() >= most_object) fail("an object of this list is larger than 16 MiB");
    buffer_.resize(2 * buffer_.size());
  }
  const size_t count = input_.read({buffer_.data() + filled_, buffer_.size() - filled_});
  filled_ += count;
  return count > 0;
}

/// The next byte, or -1 at the end.
int JsonEvents::peek() {
  if (at_ == filled_ && !fill()) return -1;
  return static_cast<unsigned char>(buffer_[at_]);
}

/// Reads up to the list's '['; what comes before it is part of the rest.
void JsonEvents::find_list(std::string_view key) {
  while (is_space(peek())) ++at_;
  const int first = peek();
  bare_ = first == '[';
  if (!bare_ && first != '{')
    fail("this is no JSON of a trace: it begins neither with '{' nor with '['");
  const std::string quoted = '"' + std::string(key) + '"';
  for (int depth = 0; !bare_;) {
    if (peek() < 0) fail("this trace has no list '" + std::string(key) + "'");
    if (rest_.size() > most_rest) fail("more than 64 MiB stand before the list of this trace");
    const std::string token = take_token();
    depth += (token == "{" || token == "[") - (token == "}" || token == "]");
    if (depth == 1 && token == quoted && list_follows()) break;
  }
  if (!bare_) rest_ += ":null";
  keep_ = ++at_;
}

/// A text in quotes, or one byte of what is none. It is of the rest.
std::string JsonEvents::take_token() {
  keep_ = at_;
  if (peek() != '"')
    ++at_;
  else if (!skip_string())
    fail("this trace is cut off within a text");
  std::string token = buffer_.substr(keep_, at_ - keep_);
  rest_ += token;
  keep_ = at_;
  return token;
}

/// Behind a key: whether its value is a list.
bool JsonEvents::list_follows() {
  bool is_key = false;
  for (; is_space(peek()) || (!is_key && peek() == ':'); ++at_)
    is_key = is_key || buffer_[at_] == ':';
  keep_ = at_;
  if (is_key && peek() == '[') return true;
  if (is_key) rest_ += ':';
  return false;
}

/// Goes to the next byte with that mark and returns whether there is one.
bool JsonEvents::find(uint8_t mark) {
  do {
    const char *byte = buffer_.data() + at_, *const end = buffer_.data() + filled_;
    while (byte != end && (marks[static_cast<unsigned char>(*byte)] & mark) == 0) ++byte;
    at_ = static_cast<size_t>(byte - buffer_.data());
  } while (at_ == filled_ && fill());
  return at_ < filled_;
}

/// Stands at a '"' and goes behind the one that ends it.
bool JsonEvents::skip_string() {
  for (++at_; find(inside); ++at_) {
    if (buffer_[at_] == '"') {
      ++at_;
      return true;
    }
    ++at_;  // what a backslash escapes is skipped, too
    if (peek() < 0) return false;
  }
  return false;
}

void JsonEvents::skip_object() {
  for (int depth = 0; find(outside);) {
    const char c = buffer_[at_];
    if (c == '"') {
      if (!skip_string()) fail("this trace is cut off within a text");
      continue;
    }
    depth += c == '{' || c == '[' ? 1 : -1;
    ++at_;
    if (depth == 0) return;
  }
  fail("this trace is cut off within an event");
}

bool JsonEvents::next() {
  if (done_) return false;
  keep_ = at_;
  int c = peek();
  while (is_space(c) || c == ',') {
    keep_ = ++at_;
    c = peek();
  }
  if (c == ']') {
    keep_ = ++at_;
    read_rest();
    return false;
  }
  if (c < 0) {
    // A list by itself may lack its end: the profilers of browsers write it so.
    if (!bare_) fail("this trace is cut off: its list of events does not end");
    done_ = true;
    return false;
  }
  if (c != '{') fail("an event of a trace is an object");
  from_ = at_;
  skip_object();
  to_ = at_;
  return true;
}

void JsonEvents::read_rest() {
  done_ = true;
  if (bare_) return;
  for (int c = peek(); c >= 0; c = peek()) {
    rest_.append(buffer_, at_, filled_ - at_);
    keep_ = at_ = filled_;
    if (rest_.size() > most_rest) fail("more than 64 MiB stand around the list of this trace");
  }
}

}  // namespace pipewright
