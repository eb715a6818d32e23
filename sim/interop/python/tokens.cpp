#include "interop/python/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"

namespace pipewright::interop::python {
namespace {

bool begins_name(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
}
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool continues_name(unsigned char c) { return begins_name(c) || is_digit(c); }

constexpr std::string_view marks[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@",  "=",
    "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">"};

class Scanner {
 public:
  Scanner(std::string_view source, const std::string& file) : source_(source), file_(file) {}

  std::vector<Token> run() {
    indents_.push_back(0);
    constexpr std::string_view byte_order = "\xEF\xBB\xBF";
    if (source_.starts_with(byte_order)) at_ = line_start_ = byte_order.size();
    while (at_ < source_.size()) {
      if (at_line_start_ && open_ == 0)
        indentation();
      else
        next();
    }
    if (!tokens_.empty() && tokens_.back().kind != Token::Kind::line_end)
      add(Token::Kind::line_end, at_);
    for (; indents_.size() > 1; indents_.pop_back()) add(Token::Kind::dedent, at_);
    add(Token::Kind::end, at_);
    return std::move(tokens_);
  }

 private:
  int column_of(size_t offset) const { return static_cast<int>(offset - line_start_) + 1; }

  [[noreturn]] void fail(size_t offset, const std::string& message) const {
    throw InputError({file_, line_, column_of(offset)}, message);
  }

  Token& add(Token::Kind kind, size_t begin) {
    Token token;
    token.kind = kind;
    token.text = std::string(source_.substr(begin, at_ - begin));
    token.line = line_;
    token.column = column_of(begin);
    token.begin = begin;
    token.end = at_;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void break_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  void skip_comment() {
    while (at_ < source_.size() && source_[at_] != '\n') ++at_;
  }

  /// Reads the blanks before a line; empty lines say nothing.
  void indentation() {
    size_t width = 0;
    for (; at_ < source_.size(); ++at_) {
      const char c = source_[at_];
      if (c == '\t')
        width = (width / 8 + 1) * 8;
      else if (c == ' ')
        ++width;
      else if (c != '\f' && c != '\r')
        break;
    }
    if (at_ < source_.size() && source_[at_] == '#') skip_comment();
    if (at_ >= source_.size()) return;
    if (source_[at_] == '\n') return break_line();
    at_line_start_ = false;
    if (width > indents_.back()) {
      constexpr size_t deepest = 100;
      if (indents_.size() > deepest) fail(at_, "blocks are nested too deeply");
      indents_.push_back(width);
      add(Token::Kind::indent, at_);
    }
    for (; width < indents_.back(); indents_.pop_back()) add(Token::Kind::dedent, at_);
    if (width != indents_.back()) fail(at_, "this line is indented as no block before it");
  }

  void next() {
    const auto c = static_cast<unsigned char>(source_[at_]);
    if (c == '\n')
      end_line();
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\f')
      ++at_;
    else if (c == '#')
      skip_comment();
    else if (c == '\\' && at_ + 1 < source_.size() &&
             (source_[at_ + 1] == '\n' || source_[at_ + 1] == '\r'))
      continue_line();
    else if (const size_t quote = quote_at(); quote != std::string_view::npos)
      string(quote);
    else if (begins_name(c))
      name();
    else if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() &&
                             is_digit(static_cast<unsigned char>(source_[at_ + 1]))))
      number();
    else
      mark();
  }

  void end_line() {
    if (open_ == 0) {
      if (!tokens_.empty() && tokens_.back().kind != Token::Kind::line_end)
        add(Token::Kind::line_end, at_);
      at_line_start_ = true;
    }
    break_line();
  }

  void continue_line() {
    ++at_;
    if (source_[at_] == '\r') ++at_;
    if (at_ < source_.size() && source_[at_] == '\n') break_line();
  }

  void name() {
    const size_t begin = at_;
    while (at_ < source_.size() && continues_name(static_cast<unsigned char>(source_[at_]))) ++at_;
    add(Token::Kind::name, begin);
  }

  void number() {
    const size_t begin = at_;
    const bool is_based =
        source_[at_] == '0' && at_ + 1 < source_.size() &&
        std::string_view("xXoObB").find(source_[at_ + 1]) != std::string_view::npos;
    while (at_ < source_.size()) {
      const auto c = static_cast<unsigned char>(source_[at_]);
      const bool is_sign = (c == '+' || c == '-') && !is_based && at_ > begin &&
                           (source_[at_ - 1] == 'e' || source_[at_ - 1] == 'E');
      if (!continues_name(c) && c != '.' && !is_sign) break;
      ++at_;
    }
    add(Token::Kind::number, begin);
  }

  void mark() {
    const size_t begin = at_;
    for (const std::string_view mark : marks) {
      if (!source_.substr(at_).starts_with(mark)) continue;
      at_ += mark.size();
      if (mark == "(" || mark == "[" || mark == "{") ++open_;
      if (mark == ")" || mark == "]" || mark == "}") open_ = std::max(0, open_ - 1);
      add(Token::Kind::mark, begin);
      return;
    }
    fail(at_, "this character is no part of Python");
  }

  /// Returns where the quote of a string stands that begins here, behind its prefix.
  size_t quote_at() const {
    size_t at = at_;
    while (at < source_.size() && at < at_ + 2 &&
           std::string_view("rRbBuUfFtT").find(source_[at]) != std::string_view::npos)
      ++at;
    const bool is_one = at < source_.size() && (source_[at] == '"' || source_[at] == '\'');
    return is_one ? at : std::string_view::npos;
  }

  void string(size_t quote) {
    const size_t begin = at_;
    const int line = line_, column = column_of(begin);
    const std::string_view prefix = source_.substr(begin, quote - begin);
    const auto has = [&](const char* letters) {
      return prefix.find_first_of(letters) != std::string_view::npos;
    };
    const bool raw = has("rR"), formatted = has("fFtT");
    const std::string three(3, source_[quote]);
    const bool is_long = source_.substr(quote).starts_with(three);
    at_ = quote + (is_long ? 3 : 1);
    const std::string text = content(is_long ? three : three.substr(0, 1), raw, line, column);
    Token& token = add(Token::Kind::text, begin);
    token.line = line;
    token.column = column;
    token.text = text;
    token.formatted = formatted && text.find_first_of("{}") != std::string::npos;
  }

  std::string content(const std::string& quote, bool raw, int line, int column) {
    std::string text;
    while (!source_.substr(std::min(at_, source_.size())).starts_with(quote)) {
      if (at_ >= source_.size() || (source_[at_] == '\n' && quote.size() == 1))
        throw InputError({file_, line, column}, "this text has no end");
      if (source_[at_] == '\\' && at_ + 1 < source_.size())
        escape(text, raw);
      else
        take(text);
    }
    at_ += quote.size();
    return text;
  }

  void take(std::string& text) {
    text += source_[at_];
    if (source_[at_] == '\n')
      break_line();
    else
      ++at_;
  }

  /// Reads the code of a character behind a backslash: \x41, \u0041, \101.
  bool coded(std::string& text, char kind) {
    const bool is_octal = kind >= '0' && kind <= '7';
    const size_t most = is_octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    const size_t from = at_ + (is_octal ? 0 : 1);
    const std::string_view digits = source_.substr(std::min(from, source_.size()), most);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, is_octal ? 8 : 16);
    const auto size = static_cast<size_t>(end - digits.data());
    if (most == 0 || error != std::errc() || (!is_octal && size != most) || code > 0x10FFFF)
      return false;
    at_ = from + size;
    add_character(text, code);
    return true;
  }

  static void add_character(std::string& text, uint32_t code) {
    const auto tail = [&](int shift) {
      text += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
    };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      text += static_cast<char>(0xF0 | (code >> 18));
      for (const int shift : {12, 6, 0}) tail(shift);
    }
  }

  void escape(std::string& text, bool raw) {
    const char next = source_[at_ + 1];
    if (raw) text += '\\';
    ++at_;
    constexpr std::string_view letters = "ntr\\'\"abfv", meant = "\n\t\r\\'\"\a\b\f\v";
    const size_t found = letters.find(next);
    if (next == '\n' && !raw) return break_line();
    if (!raw && coded(text, next)) return;
    if (raw || found == std::string_view::npos) {
      if (!raw) text += '\\';
      return take(text);
    }
    text += meant[found];
    ++at_;
  }

  std::string_view source_;
  const std::string& file_;
  std::vector<Token> tokens_;
  std::vector<size_t> indents_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1, open_ = 0;
  bool at_line_start_ = true;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, const std::string& file) {
  return Scanner(source, file).run();
}

}  // namespace pipewright::interop::python
