#include "interop/python/reader.hpp"

#include "interop/python/expression_reader.hpp"
#include "interop/python/simple_reader.hpp"
#include "interop/python/target_reader.hpp"

namespace pipewright::interop::python {
namespace {

constexpr int most_blocks = 60;

class ProgramReader {
 public:
  using Kind = Statement::Kind;

  explicit ProgramReader(TokenStream& tokens) : tokens_(tokens) {}

  std::vector<Statement> run() {
    std::vector<Statement> all;
    while (!tokens_.is(Token::Kind::end)) line(all);
    return all;
  }

 private:
  Statement begun(Kind kind) const {
    Statement out;
    out.kind = kind;
    out.line = tokens_.peek().line;
    out.column = tokens_.peek().column;
    return out;
  }

  /// Reads what stands on a line, and the block below it.
  void line(std::vector<Statement>& all) {
    if (tokens_.is(Token::Kind::indent)) tokens_.fail("this line should not be indented");
    if (tokens_.is(Token::Kind::line_end)) {
      tokens_.take();
      return;
    }
    while (tokens_.is_mark("@")) decorator();
    if (compound(all)) return;
    simple_line(all);
  }

  void decorator() {
    tokens_.take();
    expression_in(tokens_);
    end_line();
  }

  void end_line() {
    if (!tokens_.is(Token::Kind::line_end) && !tokens_.is(Token::Kind::end))
      tokens_.fail("the line should end here");
    tokens_.take();
  }

  void simple_line(std::vector<Statement>& all) {
    while (true) {
      simple_statement_in(tokens_, all);
      if (!tokens_.take_mark(";")) break;
      if (tokens_.is(Token::Kind::line_end)) break;
    }
    end_line();
  }

  bool compound(std::vector<Statement>& all) {
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

  std::vector<Statement> block() {
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

  void define(Statement& out) {
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

  void parameter(Statement& out) {
    if (tokens_.take_mark("/")) return;
    const bool takes_rest = tokens_.is_mark("*") || tokens_.is_mark("**");
    const std::string rest = takes_rest ? tokens_.take().text : std::string();
    const bool has_name = !takes_rest || tokens_.is(Token::Kind::name);
    Parameter one{.name = has_name ? tokens_.name() : std::string(), .rest = rest};
    if (tokens_.take_mark(":")) expression_in(tokens_);
    if (tokens_.take_mark("=")) one.otherwise.push_back(expression_in(tokens_));
    out.parameters.push_back(std::move(one));
  }

  void name_class(Statement& out) {
    tokens_.take();
    out.kind = Kind::name_class;
    out.text = tokens_.name();
    if (tokens_.is_mark("(")) expression_in_arguments();
    out.body = block();
  }

  /// Passes over the bases of a class.
  void expression_in_arguments() {
    int open = 0;
    do {
      open += tokens_.is_mark("(") ? 1 : tokens_.is_mark(")") ? -1 : 0;
      tokens_.take();
    } while (open > 0 && !tokens_.is(Token::Kind::end));
  }

  void choose(Statement& out) {
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

  /// `match` is a name too: it is a statement where cases stand below it.
  bool is_match() const {
    size_t ahead = 1;
    while (tokens_.peek(ahead).kind != Token::Kind::line_end &&
           tokens_.peek(ahead).kind != Token::Kind::end)
      ++ahead;
    return tokens_.is_mark(":", ahead - 1) && tokens_.peek(ahead + 1).kind == Token::Kind::indent &&
           tokens_.is_word("case", ahead + 2);
  }

  /// Reads `match` as a name that is compared with one case after the other.
  bool match(std::vector<Statement>& all) {
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

  void cases(const Expression& subject, std::vector<Statement>& all) {
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

  /// Returns the condition that a pattern is: a plain value and `_` are known, and others are not.
  Expression pattern(const Expression& subject) {
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

  void repeat(Statement& out) {
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

  Expression target_at(Expression::Kind kind) const {
    Expression out;
    out.kind = kind;
    out.line = tokens_.peek().line;
    out.column = tokens_.peek().column;
    return out;
  }

  void with(Statement& out) {
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

  /// Tells whether a bracket is around all that stands before the colon.
  bool is_bracket_of_with() const {
    if (!tokens_.is_mark("(")) return false;
    int open = 0;
    for (size_t ahead = 0; tokens_.peek(ahead).kind != Token::Kind::end; ++ahead) {
      for (const char* mark : {"(", "[", "{"}) open += tokens_.is_mark(mark, ahead) ? 1 : 0;
      for (const char* mark : {")", "]", "}"}) open -= tokens_.is_mark(mark, ahead) ? 1 : 0;
      if (open == 0) return tokens_.is_mark(":", ahead + 1);
    }
    return false;
  }

  /// What stands behind `else` ends what is tried, and what stands behind `finally` follows it.
  bool attempt(Statement& out, std::vector<Statement>& all) {
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

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

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
