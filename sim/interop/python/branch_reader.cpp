// Statements that decide which others are followed (program_reader.hpp).
#include "interop/python/expression_reader.hpp"
#include "interop/python/program_reader.hpp"
#include "interop/python/target_reader.hpp"

namespace pipewright::interop::python {

void ProgramReader::choose(Statement& out) {
  if (++depth_ > most_blocks) tokens_.fail("there are too many branches");
  tokens_.take();
  out.kind = Kind::choose;
  out.expressions.push_back(expression_in(tokens_));
  out.body = block();
  if (tokens_.is_word("elif")) {
    Statement other = begun(Kind::choose);
    choose(other);
    out.otherwise.push_back(std::move(other));
  } else if (tokens_.take_word("else")) {
    out.otherwise = block();
  }
  --depth_;
}

bool ProgramReader::is_match() const {
  size_t ahead = 1;
  while (tokens_.peek(ahead).kind != Token::Kind::line_end &&
         tokens_.peek(ahead).kind != Token::Kind::end)
    ++ahead;
  return tokens_.is_mark(":", ahead - 1) && tokens_.peek(ahead + 1).kind == Token::Kind::indent &&
         tokens_.is_word("case", ahead + 2);
}

bool ProgramReader::match(std::vector<Statement>& all) {
  Statement out = begun(Kind::assign);
  Expression subject = target_at(Expression::Kind::name);
  tokens_.take();
  subject.text = "match ";
  out.expressions = {subject, expression_in(tokens_, true)};
  all.push_back(std::move(out));
  tokens_.expect(":");
  tokens_.take();
  tokens_.take();
  cases(subject, all);
  while (!tokens_.is(Token::Kind::dedent) && !tokens_.is(Token::Kind::end)) tokens_.take();
  if (tokens_.is(Token::Kind::dedent)) tokens_.take();
  return true;
}

void ProgramReader::cases(const Expression& subject, std::vector<Statement>& all) {
  if (!tokens_.is_word("case")) return;
  if (++depth_ > most_blocks) tokens_.fail("there are too many branches");
  Statement out = begun(Kind::choose);
  tokens_.take();
  out.expressions.push_back(pattern(subject));
  out.body = block();
  cases(subject, out.otherwise);
  --depth_;
  all.push_back(std::move(out));
}

Expression ProgramReader::pattern(const Expression& subject) {
  Expression condition = target_at(Expression::Kind::truth);
  const size_t from = tokens_.place();
  Expression one = expression_in(tokens_, true);
  const bool is_plain = one.kind == Expression::Kind::text ||
                        one.kind == Expression::Kind::integer ||
                        one.kind == Expression::Kind::none || one.kind == Expression::Kind::truth;
  const bool is_all = one.kind == Expression::Kind::name && one.text == "_";
  condition.text = "True";
  if (tokens_.is_mark(":") && is_all) return condition;
  condition.text = "==";
  condition.kind = Expression::Kind::binary;
  if (tokens_.is_mark(":") && is_plain)
    condition.parts = {subject, std::move(one)};
  else
    condition.kind = Expression::Kind::opaque;
  while (!tokens_.is_mark(":") && !tokens_.is(Token::Kind::line_end) &&
         !tokens_.is(Token::Kind::end))
    tokens_.take();
  tokens_.mark_written(condition, from);
  return condition;
}

void ProgramReader::repeat(Statement& out) {
  const bool counts = tokens_.take().text == "for";
  out.kind = Kind::repeat;
  if (counts) {
    out.expressions.push_back(targets_in(tokens_));
    if (!tokens_.take_word("in")) tokens_.fail("'in' should stand here");
    out.expressions.push_back(expression_in(tokens_, true));
  } else {
    expression_in(tokens_);
  }
  out.body = block();
  if (tokens_.take_word("else")) out.otherwise = block();
}

bool ProgramReader::attempt(Statement& out, std::vector<Statement>& all) {
  tokens_.take();
  out.kind = Kind::attempt;
  out.body = block();
  std::vector<Statement> last;
  while (tokens_.is_word("except") || tokens_.is_word("else") || tokens_.is_word("finally")) {
    const std::string word = tokens_.take().text;
    while (!tokens_.is_mark(":") && !tokens_.is(Token::Kind::line_end) &&
           !tokens_.is(Token::Kind::end))
      tokens_.take();
    if (word == "except") out.text = word;
    std::vector<Statement>& where = word == "except" ? out.otherwise
                                    : word == "else" ? out.body
                                                     : last;
    for (Statement& inner : block()) where.push_back(std::move(inner));
  }
  all.push_back(std::move(out));
  for (Statement& inner : last) all.push_back(std::move(inner));
  return true;
}

}  // namespace pipewright::interop::python
