#include "schedule/rules/tokens.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pipewright::schedule::rules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::string_view symbols[] = {"<=", ">=", "==", "!=", "<", ">", "+", "-", "*",
                                        "/",  "%",  "(",  ")",  ",", "?", ":", "|"};

/// Returns what to write instead of what other languages have.
std::string_view advice(std::string_view rest) {
  if (rest.starts_with("&")) return "; write 'and'";
  if (rest.starts_with("!")) return "; write 'not'";
  if (rest.starts_with("=")) return "; equality is '=='";
  if (rest.starts_with(".")) return "; numbers are whole";
  return {};
}

Token number_at(const config::Value& value, std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  Token token{Token::Kind::number, text.substr(at, end - at), 0, static_cast<int>(at)};
  const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, token.number);
  if (error != std::errc{}) fail_at(value, token.at, fmt::format("{} is too large", token.text));
  return token;
}

Token name_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  return {Token::Kind::name, text.substr(at, end - at), 0, static_cast<int>(at)};
}

Token symbol_at(const config::Value& value, std::string_view text, size_t at) {
  for (std::string_view symbol : symbols) {
    if (text.substr(at).starts_with(symbol))
      return {Token::Kind::symbol, text.substr(at, symbol.size()), 0, static_cast<int>(at)};
  }
  const std::string_view rest = text.substr(at);
  const bool printable = rest.front() > ' ' && rest.front() < 127;
  fail_at(
      value, static_cast<int>(at),
      fmt::format("{} cannot stand here{}",
                  printable ? fmt::format("'{}'", rest.front()) : "this character", advice(rest)));
}

}  // namespace

void fail_at(const config::Value& text, int at, const std::string& message) {
  config::Mark mark = text.mark;
  // A block scalar's lines cannot be told apart any more; it is reported where it begins.
  if (text.text.find('\n') == std::string::npos) mark.column += at + text.quoted;
  throw InputError(mark.where(), message);
}

config::Fields fields_of(const config::Value& map, const char* what,
                         std::initializer_list<std::string_view> known) {
  for (const config::Entry& entry : map.entries) {
    if (!entry.value.is_null() || entry.key.find_first_of("()") == std::string::npos) continue;
    throw InputError(entry.mark.where(),
                     fmt::format("'{}' is cut off at a comma; inside {{ }} a text with commas "
                                 "needs quotes",
                                 entry.key));
  }
  return config::Fields(map, what, known);
}

std::vector<Token> tokens_of(const config::Value& value) {
  constexpr size_t longest = 4096;
  const std::string_view text = value.text;
  if (text.size() > longest) {
    value.fail(fmt::format("is {} characters long; at most {} fit, and 'let' gives parts a name",
                           text.size(), longest));
  }
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    tokens.push_back(is_digit(text[at])    ? number_at(value, text, at)
                     : is_letter(text[at]) ? name_at(text, at)
                                           : symbol_at(value, text, at));
    at += tokens.back().text.size();
  }
  tokens.push_back({Token::Kind::end, {}, 0, static_cast<int>(text.size())});
  return tokens;
}

}  // namespace pipewright::schedule::rules
