#include "interop/python/expression_reader.hpp"

#include <algorithm>

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
  return comprehends() ? rest(from) : value;
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
  const size_t inside = tokens_.place();
  const bool is_cut = tokens_.is_mark(":") || tokens_.is_mark("]");
  Expression index = is_cut ? rest(inside) : several();
  if (tokens_.is_mark(":")) index = rest(inside);
  out.parts.push_back(std::move(index));
  tokens_.expect("]");
  return finished(std::move(out), from);
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
  Expression out = begun(Kind::text, from);
  bool formatted = false;
  while (tokens_.is(Token::Kind::text)) {
    const Token token = tokens_.take();
    out.text += token.text;
    formatted |= token.formatted;
  }
  if (formatted) out.kind = Kind::opaque;
  return finished(std::move(out), from);
}

Expression ExpressionReader::parenthesis() {
  const size_t from = tokens_.place();
  tokens_.take();
  if (tokens_.take_mark(")")) return finished(begun(Kind::list, from), from);
  const size_t inside = tokens_.place();
  Expression value = several();
  if (comprehends()) value = rest(inside);
  tokens_.expect(")");
  return finished(std::move(value), from);
}

Expression ExpressionReader::list() {
  const size_t from = tokens_.place();
  tokens_.take();
  Expression out = begun(Kind::list, from);
  while (!tokens_.is_mark("]")) {
    out.parts.push_back(starred());
    if (comprehends()) {
      rest(from);
      out = begun(Kind::opaque, from);
    }
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
      rest(from);
      out = begun(Kind::opaque, from);
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
