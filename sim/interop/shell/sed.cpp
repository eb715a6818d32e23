#include "interop/shell/sed.hpp"

#include <algorithm>
#include <utility>

#include "interop/shell/cursor.hpp"

namespace pipewright::shell {
namespace {

constexpr std::string_view basic_signs = ".*[", extended_signs = ".*[()+?|{}";
/// Letters apart, what a backslash makes a sign of a pattern.
constexpr std::string_view escaped_signs = "(){}+?|<>`'";

bool is_letter_or_digit(char c) { return in_name(c) && c != '_'; }

/// Reads a script character by character. What is not known counts as one character.
class Reader {
 public:
  Reader(const Text& script, bool extended) : extended_(extended) {
    for (const Piece& piece : script) add(piece);
  }

  std::optional<std::vector<Substitution>> run() {
    std::vector<Substitution> all;
    while (true) {
      while (is_space(peek()) || peek() == ';') ++at_;
      if (at_ == characters_.size()) return all;
      Substitution one;
      if (!substitution(one)) return std::nullopt;
      all.push_back(std::move(one));
    }
  }

 private:
  void add(const Piece& piece) {
    if (piece.unknown) {
      characters_.push_back(piece);
      return;
    }
    for (const char c : piece.text)
      characters_.push_back({std::string(1, c), piece.place, false, nullptr});
  }

  /// The character that comes next; '\0' for what is not known and at the end.
  char peek() const {
    if (at_ == characters_.size() || characters_[at_].unknown) return '\0';
    return characters_[at_].text[0];
  }

  bool substitution(Substitution& one) {
    if (peek() != 's') return false;
    ++at_;
    delimiter_ = peek();
    if (delimiter_ == '\0' || delimiter_ == '\n' || delimiter_ == '\\') return false;
    ++at_;
    if (!pattern(one.pattern) || one.pattern.empty()) return false;
    if (!replacement(one)) return false;
    for (; peek() == 'g'; ++at_) one.everywhere = true;
    return at_ == characters_.size() || is_space(peek()) || peek() == ';';
  }

  /// Passes the end of a section; returns whether it is there.
  bool at_delimiter() {
    if (peek() != delimiter_) return false;
    ++at_;
    return true;
  }

  /// Reads what stands behind a backslash of a pattern.
  bool escaped(std::string& text) {
    const char c = peek();
    if (c == '\0' || c == '\n' || is_letter_or_digit(c)) return false;
    if (!extended_ && escaped_signs.find(c) != std::string_view::npos) return false;
    ++at_;
    text += c;
    return true;
  }

  bool pattern(std::string& text) {
    while (!at_delimiter()) {
      const char c = peek();
      if (c == '\0' || c == '\n') return false;
      ++at_;
      if (c == '\\') {
        if (!escaped(text)) return false;
        continue;
      }
      const bool is_anchor = (c == '^' && text.empty()) || (c == '$' && peek() == delimiter_);
      const std::string_view signs = extended_ ? extended_signs : basic_signs;
      if (is_anchor || signs.find(c) != std::string_view::npos) return false;
      text += c;
    }
    return true;
  }

  bool replacement(Substitution& one) {
    while (!at_delimiter()) {
      if (at_ == characters_.size()) return false;
      Piece piece = characters_[at_++];
      if (!piece.unknown && piece.text == "&") piece.text = one.pattern;
      if (!piece.unknown && piece.text == "\\") {
        const char escaped = peek();
        if (escaped == '\0' || (is_letter_or_digit(escaped) && escaped != 'n')) return false;
        ++at_;
        piece.text = std::string(1, escaped == 'n' ? '\n' : escaped);
      }
      one.replacement.push_back(std::move(piece));
    }
    return true;
  }

  std::vector<Piece> characters_;
  size_t at_ = 0;
  bool extended_;
  char delimiter_ = '/';
};

/// What is known becomes one piece with what is known before it.
void append(Text& text, const Piece& piece) {
  if (piece.unknown || text.empty() || text.back().unknown)
    text.push_back(piece);
  else
    text.back().text += piece.text;
}

}  // namespace

std::optional<std::vector<Substitution>> read_sed(const Text& script, bool extended) {
  return Reader(script, extended).run();
}

std::optional<Text> substitute(const Text& text, const Substitution& substitution, size_t most) {
  Text whole, result;
  const size_t added = characters_in(substitution.replacement);
  size_t size = characters_in(text);
  for (const Piece& piece : text) append(whole, piece);
  bool is_done = false;  // in this line
  for (const Piece& piece : whole) {
    if (piece.unknown) {
      result.push_back(piece);
      continue;
    }
    std::string_view rest = piece.text;
    const auto pass = [&](size_t size) {
      if (rest.substr(0, size).find('\n') != std::string_view::npos) is_done = false;
      append(result, {std::string(rest.substr(0, size)), piece.place, true, nullptr});
      rest.remove_prefix(size);
    };
    for (size_t at; (at = rest.find(substitution.pattern)) != std::string_view::npos;) {
      pass(at);
      if (is_done && !substitution.everywhere) {
        pass(std::min(rest.find('\n'), rest.size()));
        continue;
      }
      is_done = true;
      if ((size += added) > most) return std::nullopt;
      for (const Piece& one : substitution.replacement) append(result, one);
      rest.remove_prefix(substitution.pattern.size());
    }
    pass(rest.size());
  }
  return result;
}

}  // namespace pipewright::shell
