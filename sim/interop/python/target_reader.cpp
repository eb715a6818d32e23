#include "interop/python/target_reader.hpp"

namespace pipewright::interop::python {
namespace {

constexpr int deepest_name = 60;

class TargetReader {
 public:
  explicit TargetReader(TokenStream& tokens) : tokens_(tokens) {}

  Expression targets() {
    Expression all = target_at(Expression::Kind::list);
    bool has_comma = false;
    do {
      if (tokens_.is_word("in") || tokens_.is_mark(")") || tokens_.is_mark("]")) break;
      all.parts.push_back(target());
      has_comma |= tokens_.is_mark(",");
    } while (tokens_.take_mark(","));
    if (has_comma || all.parts.size() != 1) return all;
    return Expression(all.parts.front());
  }

  Expression target() {
    if (++depth_ > deepest_name) tokens_.fail("names are nested too deeply");
    Expression star = target_at(Expression::Kind::starred);
    const bool is_starred = tokens_.take_mark("*");
    Expression one = target_at(Expression::Kind::name);
    const bool is_round = tokens_.take_mark("("), is_list = !is_round && tokens_.take_mark("[");
    if (is_round || is_list) {
      one = targets();
      tokens_.expect(is_round ? ")" : "]");
    } else {
      one.text = tokens_.name();
      while (tokens_.take_mark(".")) {
        Expression longer = target_at(Expression::Kind::attribute);
        longer.text = tokens_.name();
        longer.parts.push_back(std::move(one));
        longer.height = longer.parts[0].height + 1;
        if (longer.height > deepest_name) tokens_.fail("names are nested too deeply");
        one = std::move(longer);
      }
    }
    --depth_;
    if (!is_starred) return one;
    star.parts.push_back(std::move(one));
    return star;
  }

 private:
  Expression target_at(Expression::Kind kind) const {
    Expression out;
    out.kind = kind;
    out.line = tokens_.peek().line;
    out.column = tokens_.peek().column;
    return out;
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

Expression targets_in(TokenStream& tokens) { return TargetReader(tokens).targets(); }
Expression target_in(TokenStream& tokens) { return TargetReader(tokens).target(); }

}  // namespace pipewright::interop::python
