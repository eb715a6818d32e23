#include "interop/python/reader.hpp"

#include "interop/python/expression_reader.hpp"
#include "interop/python/program_reader.hpp"
#include "interop/python/simple_reader.hpp"
#include "interop/python/target_reader.hpp"

namespace pipewright::interop::python {

std::vector<Statement> ProgramReader::run() {
  std::vector<Statement> all;
  while (!tokens_.is(Token::Kind::end)) line(all);
  return all;
}

Statement ProgramReader::begun(Kind kind) const {
  Statement out;
  out.kind = kind;
  out.line = tokens_.peek().line;
  out.column = tokens_.peek().column;
  return out;
}

void ProgramReader::line(std::vector<Statement>& all) {
  if (tokens_.is(Token::Kind::indent)) tokens_.fail("this line should not be indented");
  if (tokens_.is(Token::Kind::line_end)) {
    tokens_.take();
    return;
  }
  std::vector<std::string> decorators;
  while (tokens_.is_mark("@")) decorators.push_back(decorator());
  if (!compound(all)) return simple_line(all);
  if (!decorators.empty()) all.back().names = std::move(decorators);
}

std::string ProgramReader::decorator() {
  tokens_.take();
  const Expression value = expression_in(tokens_);
  end_line();
  return (value.kind == Expression::Kind::call ? value.parts[0] : value).written();
}

void ProgramReader::end_line() {
  if (!tokens_.is(Token::Kind::line_end) && !tokens_.is(Token::Kind::end))
    tokens_.fail("the line should end here");
  tokens_.take();
}

void ProgramReader::simple_line(std::vector<Statement>& all) {
  while (true) {
    simple_statement_in(tokens_, all);
    if (!tokens_.take_mark(";")) break;
    if (tokens_.is(Token::Kind::line_end)) break;
  }
  end_line();
}

bool ProgramReader::compound(std::vector<Statement>& all) {
  tokens_.take_word("async");
  Statement out = begun(Kind::block);
  const bool is_name = tokens_.is(Token::Kind::name);
  const std::string word = is_name ? tokens_.peek().text : std::string();
  if (word == "def")
    define(out);
  else if (word == "class")
    name_class(out);
  else if (word == "if")
    choose(out);
  else if (word == "for" || word == "while")
    repeat(out);
  else if (word == "with")
    with(out);
  else if (word == "try")
    return attempt(out, all);
  else if (word == "match" && is_match())
    return match(all);
  else
    return false;
  all.push_back(std::move(out));
  return true;
}

std::vector<Statement> ProgramReader::block() {
  tokens_.expect(":");
  std::vector<Statement> body;
  if (!tokens_.is(Token::Kind::line_end)) {
    simple_line(body);
    return body;
  }
  if (++depth_ > most_blocks) tokens_.fail("blocks are nested too deeply");
  tokens_.take();
  if (!tokens_.is(Token::Kind::indent)) tokens_.fail("an indented block should stand here");
  tokens_.take();
  while (!tokens_.is(Token::Kind::dedent) && !tokens_.is(Token::Kind::end)) line(body);
  if (tokens_.is(Token::Kind::dedent)) tokens_.take();
  --depth_;
  return body;
}

void ProgramReader::define(Statement& out) {
  tokens_.take();
  out.kind = Kind::define;
  out.text = tokens_.name();
  tokens_.expect("(");
  while (!tokens_.is_mark(")")) {
    parameter(out);
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect(")");
  if (tokens_.take_mark("->")) expression_in(tokens_);
  out.body = block();
}

void ProgramReader::parameter(Statement& out) {
  if (tokens_.take_mark("/")) return;
  const bool takes_rest = tokens_.is_mark("*") || tokens_.is_mark("**");
  const std::string rest = takes_rest ? tokens_.take().text : std::string();
  const bool has_name = !takes_rest || tokens_.is(Token::Kind::name);
  Parameter one{.name = has_name ? tokens_.name() : std::string(), .rest = rest};
  if (tokens_.take_mark(":")) expression_in(tokens_);
  if (tokens_.take_mark("=")) one.otherwise.push_back(expression_in(tokens_));
  out.parameters.push_back(std::move(one));
}

void ProgramReader::name_class(Statement& out) {
  tokens_.take();
  out.kind = Kind::name_class;
  out.text = tokens_.name();
  if (tokens_.take_mark("(")) bases(out);
  out.body = block();
}

void ProgramReader::bases(Statement& out) {
  while (!tokens_.is_mark(")")) {
    const bool is_named = tokens_.is_mark("=", 1);
    for (int i = 0; is_named && i < 2; ++i) tokens_.take();
    const bool unfolds = tokens_.take_mark("*") || tokens_.take_mark("**");
    Expression one = expression_in(tokens_);
    if (!is_named && !unfolds) out.expressions.push_back(std::move(one));
    if (!tokens_.take_mark(",")) break;
  }
  tokens_.expect(")");
}

Expression ProgramReader::target_at(Expression::Kind kind) const {
  Expression out;
  out.kind = kind;
  out.line = tokens_.peek().line;
  out.column = tokens_.peek().column;
  return out;
}

void ProgramReader::with(Statement& out) {
  tokens_.take();
  const bool has_bracket = is_bracket_of_with();
  if (has_bracket) tokens_.take();
  do {
    if (has_bracket && tokens_.is_mark(")")) break;
    out.expressions.push_back(expression_in(tokens_));
    Expression none;
    none.kind = Expression::Kind::none;
    out.expressions.push_back(tokens_.take_word("as") ? target_in(tokens_) : none);
  } while (tokens_.take_mark(","));
  if (has_bracket) tokens_.expect(")");
  out.body = block();
}

bool ProgramReader::is_bracket_of_with() const {
  if (!tokens_.is_mark("(")) return false;
  int open = 0;
  for (size_t ahead = 0; tokens_.peek(ahead).kind != Token::Kind::end; ++ahead) {
    for (const char* mark : {"(", "[", "{"}) open += tokens_.is_mark(mark, ahead) ? 1 : 0;
    for (const char* mark : {")", "]", "}"}) open -= tokens_.is_mark(mark, ahead) ? 1 : 0;
    if (open == 0) return tokens_.is_mark(":", ahead + 1);
  }
  return false;
}

std::vector<Statement> read_program(std::string_view source, const std::string& file) {
  TokenStream tokens(source, file);
  return ProgramReader(tokens).run();
}

Expression read_expression(std::string_view source, const std::string& file) {
  try {
    TokenStream tokens(source, file);
    Expression value = expression_in(tokens, true);
    if (tokens.is(Token::Kind::line_end) || tokens.is(Token::Kind::end)) return value;
  } catch (const InputError&) {  // it is a text as it stands
  }
  return {};
}

}  // namespace pipewright::interop::python
