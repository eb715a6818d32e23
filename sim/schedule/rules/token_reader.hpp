// Goes through the tokens of one scalar.
#pragma once

#include "schedule/rules/tokens.hpp"

namespace pipewright::schedule::rules {

class TokenReader {
 public:
  /// Throws InputError unless `text` is a scalar of tokens.
  explicit TokenReader(const config::Value& text);

  const Token& peek() const { return tokens_[next_]; }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  Token take() { return tokens_[next_ < tokens_.size() - 1 ? next_++ : next_]; }
  bool accept(std::string_view symbol);
  /// Throws InputError where `symbol` is not next.
  void expect(std::string_view symbol);
  [[noreturn]] void fail_here(std::string_view wanted) const;
  const config::Value& text() const { return text_; }

 private:
  const config::Value& text_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
};

}  // namespace pipewright::schedule::rules
