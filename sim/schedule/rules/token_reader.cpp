#include "schedule/rules/token_reader.hpp"

#include <fmt/format.h>

namespace pipewright::schedule::rules {

TokenReader::TokenReader(const config::Value& text) : text_(text) {
  if (!text.is_scalar()) text.fail("must be an expression");
  tokens_ = tokens_of(text);
}

bool TokenReader::accept(std::string_view symbol) {
  if (!peek().is(symbol) || at_end()) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view symbol) {
  if (!accept(symbol)) fail_here(fmt::format("'{}'", symbol));
}

void TokenReader::fail_here(std::string_view wanted) const {
  if (at_end()) {
    fail_at(text_, peek().at,
            fmt::format("{} is missing at the end (inside {{ }} and [ ] a text with commas needs "
                        "quotes)",
                        wanted));
  }
  fail_at(text_, peek().at, fmt::format("'{}' stands where {} is expected", peek().text, wanted));
}

}  // namespace pipewright::schedule::rules
