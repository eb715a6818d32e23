// Tokens one after the other, for readers of the grammar.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "interop/python/syntax.hpp"
#include "interop/python/tokens.hpp"

namespace pipewright::interop::python {

class TokenStream {
 public:
  TokenStream(std::string_view source, const std::string& file)
      : source_(std::make_shared<const std::string>(source)),
        file_(file),
        tokens_(tokens_of(*source_, file)) {}

  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is_mark(std::string_view mark, size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::mark && peek(ahead).text == mark;
  }
  bool is_word(std::string_view word, size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::name && peek(ahead).text == word;
  }
  bool is(Token::Kind kind) const { return peek().kind == kind; }

  Token take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool take_mark(std::string_view mark) {
    if (!is_mark(mark)) return false;
    take();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    take();
    return true;
  }
  void expect(std::string_view mark) {
    if (!take_mark(mark)) fail("'" + std::string(mark) + "' should stand here");
  }
  std::string name() {
    if (!is(Token::Kind::name)) fail("a name should stand here");
    return take().text;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, peek().line, peek().column}, message);
  }

  size_t place() const { return at_; }
  void go_to(size_t place) { at_ = place; }
  /// Makes `expression` what stands from the token at `from` to the one before this.
  void mark_written(Expression& expression, size_t from) const {
    if (at_ <= from) return;
    expression.source = source_;
    expression.begin = tokens_[from].begin;
    expression.end = tokens_[at_ - 1].end;
  }
  const std::string& file() const { return file_; }

 private:
  std::shared_ptr<const std::string> source_;
  const std::string& file_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace pipewright::interop::python
