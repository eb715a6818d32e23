#include "interop/python/expression_reader.hpp"

#include <algorithm>

#include "interop/python/reader.hpp"
#include "interop/python/target_reader.hpp"

namespace pipewright::interop::python {

Expression ExpressionReader::primary() {
  const size_t from = tokens_.place();
  Expression value = atom();
  while (true) {
    if (tokens_.take_mark(".")) {
      Expression out = begun(Kind::attribute, from);
      out.text = tokens_.name();
      out.parts.push_back(std::move(value));
      value = finished(std::move(out), from);
    } else if (tokens_.is_mark("(")) {
      value = call(std::move(value), from);
    } else if (tokens_.is_mark("[")) {
      value = subscript(std::move(value), from);
    } else {
      return value;
    }
  }
}

Expression ExpressionReader::call(Expression callee, size_t from) {
  Expression out = begun(Kind::call, from);
  out.parts.push_back(std::move(callee));
  tokens_.expect("(");
  while (!tokens_.is_mark(")")) {
    std::string name;
    if (tokens_.take_mark("**"))
      name = "**";
    else if (tokens_.take_mark("*"))
      name = "*";
    else if (tokens_.is(Token::Kind::name) && tokens_.is_mark("=", 1)) {
      name = tokens_.take().text;
      tokens_.take();
    }
    out.names.push_back(name);
    out.parts.push_back(argument());
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect(")");
  return finished(std::move(out), from);
}

Expression ExpressionReader::argument() {
  const size_t from = tokens_.place();
  Expression value = one();
  return comprehends() ? comprehension({std::move(value)}, from) : value;
}

Expression ExpressionReader::comprehension(std::vector<Expression> elements, size_t from) {
  Expression out = begun(Kind::comprehension, from);
  out.names.resize(elements.size());
  out.parts = std::move(elements);
  const auto add = [&](const char* what, Expression part) {
    constexpr size_t most = 20;
    if (out.parts.size() > most) tokens_.fail("this comprehension has too many parts");
    out.names.emplace_back(what);
    out.parts.push_back(std::move(part));
  };
  while (comprehends()) {
    tokens_.take_word("async");
    if (!tokens_.take_word("for")) tokens_.fail("'for' should stand here");
    add("for", targets_in(tokens_));
    if (!tokens_.take_word("in")) tokens_.fail("'in' should stand here");
    add("in", either());
    while (tokens_.take_word("if")) add("if", condition());
  }
  return finished(std::move(out), from);
}

/// Reads a condition of a comprehension, which may name what it is of.
Expression ExpressionReader::condition() {
  const size_t from = tokens_.place();
  Expression value = either();
  if (value.kind != Kind::name || !tokens_.take_mark(":=")) return value;
  Expression out = begun(Kind::named, from);
  out.text = value.text;
  out.parts.push_back(either());
  return finished(std::move(out), from);
}

Expression ExpressionReader::rest(size_t from) {
  int open = 0;
  while (!tokens_.is(Token::Kind::end)) {
    if (open == 0 && closes()) break;
    open += opens() ? 1 : closes() ? -1 : 0;
    tokens_.take();
  }
  return finished(begun(Kind::opaque, from), from);
}

Expression ExpressionReader::subscript(Expression value, size_t from) {
  Expression out = begun(Kind::subscript, from);
  out.parts.push_back(std::move(value));
  tokens_.expect("[");
  out.parts.push_back(index());
  tokens_.expect("]");
  return finished(std::move(out), from);
}

Expression ExpressionReader::index() {
  const size_t from = tokens_.place();
  if (tokens_.is_mark("]") || is_of_array()) return rest(from);
  Expression first = tokens_.is_mark(":") ? begun(Kind::none, from) : several();
  if (!tokens_.is_mark(":")) return first;
  Expression out = begun(Kind::slice, from);
  out.parts.push_back(std::move(first));
  for (int i = 0; i < 2; ++i) {
    const bool is_said = tokens_.take_mark(":") && !tokens_.is_mark(":") && !tokens_.is_mark("]");
    out.parts.push_back(is_said ? one() : begun(Kind::none, from));
  }
  return finished(std::move(out), from);
}

/// Tells whether slices behind commas stand here, which are of an array.
bool ExpressionReader::is_of_array() const {
  bool has_comma = false, has_colon = false;
  int open = 0;
  for (size_t ahead = 0; tokens_.peek(ahead).kind != Token::Kind::end; ++ahead) {
    const auto is = [&](std::string_view mark) { return tokens_.is_mark(mark, ahead); };
    if (open == 0 && is("]")) break;
    open += is("(") || is("[") || is("{") ? 1 : is(")") || is("]") || is("}") ? -1 : 0;
    has_comma |= open == 0 && is(",");
    has_colon |= open == 0 && is(":");
  }
  return has_comma && has_colon;
}

Expression ExpressionReader::atom() {
  const size_t from = tokens_.place();
  switch (tokens_.peek().kind) {
    case Token::Kind::name:
      return name();
    case Token::Kind::number:
      return number();
    case Token::Kind::text:
      return text();
    default:
      break;
  }
  if (tokens_.take_mark("...")) return finished(begun(Kind::opaque, from), from);
  if (tokens_.is_mark("(")) return parenthesis();
  if (tokens_.is_mark("[")) return list();
  if (tokens_.is_mark("{")) return braces();
  tokens_.fail("an expression should stand here");
}

Expression ExpressionReader::name() {
  const size_t from = tokens_.place();
  constexpr std::string_view words[] = {"if",   "else", "for",   "in",     "is",  "and",
                                        "or",   "as",   "from",  "import", "def", "class",
                                        "with", "try",  "while", "return"};
  if (std::ranges::find(words, tokens_.peek().text) != std::end(words))
    tokens_.fail("an expression should stand here, and not '" + tokens_.peek().text + "'");
  const std::string word = tokens_.take().text;
  if (word == "yield") {
    tokens_.take_word("from");
    if (!ends_here()) several();
    return finished(begun(Kind::opaque, from), from);
  }
  const Kind kind = word == "None"                      ? Kind::none
                    : word == "True" || word == "False" ? Kind::truth
                                                        : Kind::name;
  Expression out = begun(kind, from);
  out.text = word;
  return finished(std::move(out), from);
}

Expression ExpressionReader::number() {
  const size_t from = tokens_.place();
  std::string digits = tokens_.take().text;
  std::erase(digits, '_');
  const bool is_based =
      digits.size() > 1 && digits[0] == '0' && digits.find_first_of("xXoObB") == 1;
  const bool is_real = !is_based && digits.find_first_of(".eEjJ") != std::string::npos;
  Expression out = begun(is_real ? Kind::real : Kind::integer, from);
  out.text = digits;
  return finished(std::move(out), from);
}

Expression ExpressionReader::text() {
  const size_t from = tokens_.place();
  Expression out = begun(Kind::formatted, from);
  out.names.emplace_back();
  while (tokens_.is(Token::Kind::text)) {
    const Token token = tokens_.take();
    if (token.formatted)
      add_fields(token, out);
    else
      out.names.back() += token.text;
  }
  if (out.parts.empty()) {
    out.kind = Kind::text;
    out.text = out.names.front();
    out.names.clear();
  }
  return finished(std::move(out), from);
}

/// Adds what f"..." has: a brace of its own is written twice. A format is not followed.
void ExpressionReader::add_fields(const Token& token, Expression& out) const {
  const std::string& words = token.text;
  for (size_t at = 0; at < words.size(); ++at) {
    const bool is_twice = at + 1 < words.size() && words[at + 1] == words[at];
    if ((words[at] != '{' && words[at] != '}') || is_twice) {
      at += words[at] == '{' || words[at] == '}' ? 1 : 0;
      out.names.back() += words[at];
      continue;
    }
    const size_t end = std::min(words.find('}', at), words.size());
    const std::string inner = words.substr(std::min(at + 1, words.size()), end - at - 1);
    const bool is_plain = inner.find_first_of("!:={") == std::string::npos;
    Expression field = is_plain ? read_expression(inner, tokens_.file()) : Expression();
    field.line = token.line;
    field.column = token.column;
    out.parts.push_back(std::move(field));
    out.names.emplace_back();
    at = end;
  }
}

Expression ExpressionReader::parenthesis() {
  const size_t from = tokens_.place();
  tokens_.take();
  if (tokens_.take_mark(")")) return finished(begun(Kind::list, from), from);
  const size_t inside = tokens_.place();
  Expression value = several();
  if (comprehends()) value = comprehension({std::move(value)}, inside);
  tokens_.expect(")");
  return finished(std::move(value), from);
}

Expression ExpressionReader::list() {
  const size_t from = tokens_.place();
  tokens_.take();
  Expression out = begun(Kind::list, from);
  while (!tokens_.is_mark("]")) {
    out.parts.push_back(starred());
    if (comprehends()) out = comprehension(std::move(out.parts), from);
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect("]");
  return finished(std::move(out), from);
}

Expression ExpressionReader::braces() {
  const size_t from = tokens_.place();
  tokens_.take();
  Expression out = begun(Kind::dictionary, from);
  while (!tokens_.is_mark("}")) {
    add_pair(out);
    if (comprehends()) {
      const bool is_dictionary = out.kind == Kind::dictionary;
      out = comprehension(std::move(out.parts), from);
      if (is_dictionary) out.text = "{}";
    }
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect("}");
  return finished(std::move(out), from);
}

void ExpressionReader::add_pair(Expression& out) {
  const size_t from = tokens_.place();
  if (tokens_.take_mark("**")) {
    Expression key = begun(Kind::opaque, from);
    key.text = "**";
    out.parts.push_back(std::move(key));
    out.parts.push_back(one());
    return;
  }
  Expression first = starred();
  if (!tokens_.take_mark(":")) {  // a set
    out.kind = Kind::list;
    out.parts.push_back(std::move(first));
    return;
  }
  out.parts.push_back(std::move(first));
  out.parts.push_back(one());
}

}  // namespace pipewright::interop::python
