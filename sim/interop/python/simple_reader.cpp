#include "interop/python/simple_reader.hpp"

#include <algorithm>

#include "interop/python/expression_reader.hpp"

namespace pipewright::interop::python {
namespace {

class SimpleReader {
 public:
  explicit SimpleReader(TokenStream& tokens) : tokens_(tokens) {}

  void simple(std::vector<Statement>& all) {
    Statement out = begun(Kind::expression);
    const std::string word = tokens_.is(Token::Kind::name) ? tokens_.peek().text : std::string();
    if (word == "pass" || word == "assert") return skip();
    if (word == "import" || word == "from") return import(all);
    if (word == "break" || word == "continue" || word == "raise") {
      out.kind = Kind::leave;
      out.text = tokens_.take().text;
      if (word == "raise" && !ends_here()) out.expressions.push_back(expression_in(tokens_));
      skip();
    } else if (word == "global" || word == "nonlocal") {
      out.kind = Kind::declare;
      out.text = tokens_.take().text;
      do out.names.push_back(tokens_.name());
      while (tokens_.take_mark(","));
    } else if (word == "del") {
      tokens_.take();
      out.kind = Kind::remove;
      out.expressions.push_back(expression_in(tokens_, true));
    } else if (word == "return") {
      tokens_.take();
      out.kind = Kind::give;
      if (!ends_here()) out.expressions.push_back(expression_in(tokens_, true));
    } else {
      assign(out);
    }
    all.push_back(std::move(out));
  }

 private:
  using Kind = Statement::Kind;

  Statement begun(Kind kind) const {
    Statement out;
    out.kind = kind;
    out.line = tokens_.peek().line;
    out.column = tokens_.peek().column;
    return out;
  }

  bool ends_here() const {
    return tokens_.is(Token::Kind::line_end) || tokens_.is(Token::Kind::end) ||
           tokens_.is_mark(";");
  }
  void skip() {
    while (!ends_here()) tokens_.take();
  }

  void assign(Statement& out) {
    out.expressions.push_back(expression_in(tokens_, true));
    if (tokens_.take_mark(":")) {
      expression_in(tokens_);
      if (!tokens_.is_mark("=")) {  // a name with its type, and no value
        out.kind = Kind::declare;
        out.text = "field";
        out.names.push_back(out.expressions.front().text);
        out.expressions.clear();
        return;
      }
    }
    constexpr std::string_view changes[] = {
        "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="};
    if (tokens_.is(Token::Kind::mark) &&
        std::ranges::find(changes, tokens_.peek().text) != std::end(changes)) {
      out.kind = Kind::change;
      out.text = tokens_.take().text;
      out.text.pop_back();
      out.expressions.push_back(expression_in(tokens_, true));
      return;
    }
    while (tokens_.take_mark("=")) {
      out.kind = Kind::assign;
      out.expressions.push_back(expression_in(tokens_, true));
    }
  }

  std::string module_name() {
    std::string name;
    while (tokens_.is_mark(".") || tokens_.is_mark("...")) name += tokens_.take().text;
    if (!tokens_.is(Token::Kind::name) || tokens_.is_word("import")) return name;
    name += tokens_.take().text;
    while (tokens_.take_mark(".")) name += '.' + tokens_.name();
    return name;
  }

  void import(std::vector<Statement>& all) {
    if (tokens_.take_word("import")) {
      do {
        Statement out = begun(Kind::import);
        out.text = module_name();
        // `import a.b` gives the name a.
        if (tokens_.take_word("as"))
          out.names = {"", tokens_.name()};
        else
          out.names = {"", ""};
        all.push_back(std::move(out));
      } while (tokens_.take_mark(","));
      return;
    }
    tokens_.take();
    Statement out = begun(Kind::import);
    out.text = module_name();
    if (!tokens_.take_word("import")) tokens_.fail("'import' should stand here");
    const bool has_bracket = tokens_.take_mark("(");
    while (!tokens_.is_mark(")") && !tokens_.is(Token::Kind::line_end)) {
      if (tokens_.take_mark("*")) {
        out.names.insert(out.names.end(), {"*", "*"});
      } else {
        const std::string what = tokens_.name();
        out.names.push_back(what);
        out.names.push_back(tokens_.take_word("as") ? tokens_.name() : what);
      }
      if (!tokens_.take_mark(",")) break;
    }
    if (has_bracket) tokens_.expect(")");
    all.push_back(std::move(out));
  }

  TokenStream& tokens_;
};

}  // namespace

void simple_statement_in(TokenStream& tokens, std::vector<Statement>& all) {
  SimpleReader(tokens).simple(all);
}

}  // namespace pipewright::interop::python
