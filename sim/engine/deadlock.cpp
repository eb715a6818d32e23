#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "program/names.hpp"

namespace pipewright {

std::string describe_deadlock(const Program& program, const std::vector<bool>& ended) {
  // Every op that has not ended waits for another that has not: following any of them must close a
  // cycle.
  std::vector<OpId> blocker(program.ops.size(), none);
  OpId op = none;
  for (OpId o = 0; o < program.ops.size(); ++o) {
    if (ended[o]) continue;
    for (const Edge edge : program.after(o)) blocker[edge.to()] = o;
    if (op == none) op = o;
  }
  ensure(op != none, "a deadlock needs an op that has not ended");
  std::vector<bool> seen(program.ops.size());
  while (!seen[op]) {
    seen[op] = true;
    op = blocker[op];
    ensure(op != none, "an op that has not ended waits for nothing");
  }
  std::string text = "deadlock: ";
  const OpId start = op;
  int shown = 0;
  do {
    if (++shown > 16) {
      text += " ... ";
      break;
    }
    text += fmt::format("{} waits for ", describe(program, op));
    op = blocker[op];
  } while (op != start);
  return text + describe(program, start);
}

}  // namespace pipewright
