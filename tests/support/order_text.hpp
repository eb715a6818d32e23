// A rank's order as one line, "0F0 0F1 (0F2 1B0)", for tests that set it against a hand-written
// one.
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace pipewright::test {

inline std::string order_text(const schedule::Order& order, bool with_slice = false) {
  std::string text;
  bool inside_pair = false;
  for (const schedule::Action& action : order) {
    if (!text.empty()) text += ' ';
    if (action.pairs_with_next) text += '(';
    text += to_string(action, with_slice);
    if (inside_pair) text += ')';
    inside_pair = action.pairs_with_next;
  }
  return text;
}

}  // namespace pipewright::test
