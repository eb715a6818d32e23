#include "base/json_reader.hpp"

#include <array>
#include <charconv>

namespace pipewright {
namespace {

/// By byte, whether it stands in a text as itself: neither its end, nor an escape, nor a control
/// character, nor a part of a longer character.
constexpr std::array<bool, 256> is_plain = [] {
  std::array<bool, 256> all{};
  for (size_t byte = 0x20; byte < 0x80; ++byte) all[byte] = byte != '"' && byte != '\\';
  return all;
}();

bool is_digit(int c) { return c >= '0' && c <= '9'; }

/// Appends a character, which is below 0x110000, as UTF-8.
void append_utf8(std::string& text, uint32_t character) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | ((character >> shift) & 0x3f)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xc0 | (character >> 6));
    put_rest(0);
  } else if (character < 0x10000) {
    put(0xe0 | (character >> 12));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xf0 | (character >> 18));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

}  // namespace

void JsonReader::begin(std::string_view text) {
  text_ = text;
  at_ = 0;
  failed_ = is_first_ = false;
  key_ = {};
  open_.clear();
}

bool JsonReader::fail() {
  failed_ = true;
  return false;
}

/// The next byte that is no white space, or -1 at the end and after a mistake.
int JsonReader::peek() {
  if (failed_) return -1;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return static_cast<unsigned char>(c);
  }
  return -1;
}

bool JsonReader::take(char c) {
  if (peek() != static_cast<unsigned char>(c)) return false;
  ++at_;
  return true;
}

JsonKind JsonReader::kind() {
  const int c = peek();
  if (c == '"') return JsonKind::text;
  if (c == '{') return JsonKind::object;
  if (c == '[') return JsonKind::array;
  if (c == '-' || is_digit(c)) return JsonKind::number;
  return c == 't' || c == 'f' || c == 'n' ? JsonKind::word : JsonKind::none;
}

void JsonReader::enter_object() {
  if (!take('{')) fail();
  is_first_ = true;
}

bool JsonReader::next_member() {
  if (take('}')) return is_first_ = false;
  if (!is_first_ && !take(',')) return fail();
  is_first_ = false;
  return begin_member();
}

/// Takes a key and the colon behind it.
bool JsonReader::begin_member() {
  return (peek() == '"' && scan_text(key_, plain_key_) && take(':')) || fail();
}

std::string_view JsonReader::take_text() {
  std::string_view text;
  if (peek() != '"' || !scan_text(text, plain_)) fail();
  return failed_ ? std::string_view{} : text;
}

std::string_view JsonReader::take_number() {
  if (kind() != JsonKind::number) fail();
  const size_t begin = at_;
  if (failed_ || !scan_number()) fail();
  return failed_ ? std::string_view{} : text_.substr(begin, at_ - begin);
}

void JsonReader::skip() {
  open_.clear();
  while (!failed_) {
    if (goes_inside()) continue;
    while (!open_.empty() && !take(',')) {
      if (!take(open_.back() ? '}' : ']')) return void(fail());
      open_.pop_back();
    }
    if (open_.empty()) return;
    if (open_.back()) begin_member();
  }
}

/// Goes behind a value that holds no other and returns false, or before the first that it holds.
bool JsonReader::goes_inside() {
  const JsonKind next = kind();
  if (next == JsonKind::object || next == JsonKind::array) {
    const bool is_object = next == JsonKind::object;
    ++at_;
    if (take(is_object ? '}' : ']')) return false;
    open_.push_back(is_object);
    return !is_object || begin_member();
  }
  std::string_view skipped;
  const bool is_right = next == JsonKind::text     ? scan_text(skipped, plain_)
                        : next == JsonKind::number ? scan_number()
                                                   : scan_word();
  return !is_right && fail();
}

bool JsonReader::at_end() { return peek() < 0 && !failed_; }

/// Goes to the next byte that does not stand for itself and returns whether there is one.
bool JsonReader::skip_plain() {
  const char *byte = text_.data() + at_, *const end = text_.data() + text_.size();
  while (byte != end && is_plain[static_cast<unsigned char>(*byte)]) ++byte;
  at_ = static_cast<size_t>(byte - text_.data());
  return byte != end;
}

bool JsonReader::scan_text(std::string_view& text, std::string& plain) {
  size_t begin = ++at_;
  bool has_escapes = false;
  while (skip_plain()) {
    const char byte = text_[at_];
    if (byte == '"') {
      text = text_.substr(begin, at_++ - begin);
      if (has_escapes) text = plain.append(text);
      return true;
    } else if (byte == '\\') {
      if (!has_escapes) plain.clear();
      has_escapes = true;
      plain.append(text_, begin, at_ - begin);
      if (!scan_escape(plain)) return false;
      begin = at_;
    } else if (!scan_long_character()) {
      return false;
    }
  }
  return false;
}

/// Stands at a backslash.
bool JsonReader::scan_escape(std::string& plain) {
  constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (++at_ == text_.size()) return false;
  const char name = text_[at_++];
  if (const size_t place = names.find(name); place != std::string_view::npos) {
    plain += meant[place];
    return true;
  }
  uint32_t character = 0, low = 0;
  if (name != 'u' || !scan_code_unit(character)) return false;
  const bool is_high = character >= 0xd800 && character < 0xdc00;
  if (is_high) {
    // The two halves of a character beyond 16 bits.
    if (text_.substr(at_, 2) != "\\u") return false;
    at_ += 2;
    if (!scan_code_unit(low) || low < 0xdc00 || low >= 0xe000) return false;
    character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
  } else if (character >= 0xdc00 && character < 0xe000) {
    return false;
  }
  append_utf8(plain, character);
  return true;
}

/// Takes four hexadecimal digits.
bool JsonReader::scan_code_unit(uint32_t& unit) {
  const std::string_view digits = text_.substr(at_, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  at_ += digits.size();
  return error == std::errc() && digits.size() == 4 && end == digits.data() + 4;
}

/// Goes behind a character of several bytes (RFC 3629), which must be the shortest way to say it.
bool JsonReader::scan_long_character() {
  const auto byte = [&](size_t place) {
    return at_ + place < text_.size() ? static_cast<unsigned char>(text_[at_ + place]) : 0U;
  };
  const uint32_t lead = byte(0);
  const size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc0 || lead >= 0xf8) return false;
  uint32_t character = lead & (0x3fU >> more);
  for (size_t place = 1; place <= more; ++place) {
    if ((byte(place) & 0xc0) != 0x80) return false;
    character = (character << 6) | (byte(place) & 0x3f);
  }
  at_ += more + 1;
  constexpr std::array<uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  const bool is_half = character >= 0xd800 && character < 0xe000;
  return character >= least[more] && character < 0x110000 && !is_half;
}

bool JsonReader::scan_number() {
  const auto skip_one_of = [&](char one, char other) {
    const bool is_there = at_ < text_.size() && (text_[at_] == one || text_[at_] == other);
    at_ += is_there;
    return is_there;
  };
  skip_one_of('-', '-');
  if (!skip_one_of('0', '0') && !scan_digits()) return false;
  if (skip_one_of('.', '.') && !scan_digits()) return false;
  if (!skip_one_of('e', 'E')) return true;
  skip_one_of('+', '-');
  return scan_digits();
}

/// Goes behind digits and returns whether there are any.
bool JsonReader::scan_digits() {
  const size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > begin;
}

bool JsonReader::scan_word() {
  for (const std::string_view word : {"true", "false", "null"})
    if (text_.substr(at_).starts_with(word)) {
      at_ += word.size();
      return true;
    }
  return false;
}

}  // namespace pipewright
