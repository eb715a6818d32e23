#include <algorithm>
#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/inner_shell.hpp"
#include "interop/shell/pattern.hpp"

namespace pipewright::shell {
namespace {

constexpr int most_rounds = 10'000;
constexpr size_t most_decisions = 10'000;

/// Returns whether a condition holds; where it is open, what is taken.
bool decide(Interpreter& shell, const Truth& truth, const Place& place) {
  if (!truth.is_open()) return truth.holds();
  std::vector<Decision>& decisions = shell.outcome().decisions;
  const std::vector<bool>& given = shell.surroundings().decisions;
  const size_t which = decisions.size();
  const bool taken = which < given.size() && given[which];
  if (which < most_decisions) decisions.push_back({place, truth.reason, taken});
  return taken;
}

Truth list(Interpreter& shell, const Node& node) {
  Truth last = yes;
  for (const Node& child : node.children) last = shell.run(child);
  return last;
}

/// && and ||.
Truth both(Interpreter& shell, const Node& node) {
  const bool all = node.kind == Node::Kind::both;
  const bool left = decide(shell, shell.run(node.children[0]), node.place);
  return left == all ? shell.run(node.children[1]) : Truth::of(left);
}

Truth negation(Interpreter& shell, const Node& node) {
  const Truth truth = shell.run(node.children[0]);
  return truth.is_open() ? truth : Truth::of(!truth.holds());
}

Truth branch(Interpreter& shell, const Node& node) {
  if (decide(shell, shell.run(node.children[0]), node.place)) return shell.run(node.children[1]);
  return node.children.size() > 2 ? shell.run(node.children[2]) : yes;
}

/// Runs the body of a loop; returns whether there may be another round.
bool runs_on(Interpreter& shell, const Node& body) {
  shell.run(body);
  return shell.flow().end_round();
}

Truth loop(Interpreter& shell, const Node& node) {
  const bool wanted = node.name == "while";
  for (int round = 0; round < most_rounds; ++round) {
    const Truth truth = shell.run(node.children[0]);
    if (shell.flow().stops()) break;
    if (truth.is_open()) shell.run_perhaps(node.children[1]);
    if (truth.is_open() || truth.holds() != wanted) break;
    if (!runs_on(shell, node.children[1])) break;
  }
  return yes;
}

Truth each(Interpreter& shell, const Node& node) {
  for (Text& word : shell.expander().words(node.words)) {
    const bool is_open = may_be_several(word);
    shell.environment().set(node.name, std::move(word));
    if (is_open)
      shell.run_perhaps(node.children[0]);
    else if (!runs_on(shell, node.children[0]))
      break;
  }
  return yes;
}

Truth arithmetic(Interpreter& shell, const std::string& text, const Place& place) {
  const Text expanded = shell.expander().text(read_quoted(text, place));
  const std::optional<std::string> whole = known(expanded);
  if (!whole) return Truth::open(written(expanded));
  try {
    const Amount amount = evaluate(*whole, place, shell.environment());
    if (amount.unknown && !amount.unknown->unset) return Truth::open(amount.unknown->written);
    return Truth::of(amount.value != 0);
  } catch (const InputError&) {
    // A variable that is not set leaves a hole: with a value this may be an expression.
    if (const auto unknown = unknown_in(expanded)) return Truth::open(unknown->written);
    throw;
  }
}

/// for ((...; ...; ...)).
Truth counted(Interpreter& shell, const Node& node) {
  const std::string& text = node.text;
  const size_t first = std::min(text.find(';'), text.size());
  const size_t second = std::min(text.find(';', first + 1), text.size());
  if (second >= text.size()) Cursor::fail(node.place, "'for ((' needs two ';'");
  const std::string until = text.substr(first + 1, second - first - 1);
  arithmetic(shell, text.substr(0, first), node.place);
  for (int round = 0; round < most_rounds; ++round) {
    if (!arithmetic(shell, until, node.place).holds()) break;
    if (!runs_on(shell, node.children[0])) break;
    arithmetic(shell, text.substr(second + 1), node.place);
  }
  return yes;
}

/// Returns whether a branch of case is for `subject`.
bool fits(Interpreter& shell, const Node& pattern, const Text& subject) {
  const std::optional<std::string> value = known(subject);
  for (const Word& word : pattern.words) {
    const std::optional<std::string> expected = known(shell.expander().text(word));
    if (expected == "*") return true;
    const bool is_open = !value || !expected;
    if (is_open ? decide(shell, Truth::open(written(subject)), pattern.place)
                : matches(*expected, *value))
      return true;
  }
  return false;
}

Truth choice(Interpreter& shell, const Node& node) {
  const Text subject = shell.expander().text(node.words[0]);
  for (const Node& pattern : node.children)
    if (fits(shell, pattern, subject)) return shell.run(pattern.children[0]);
  return yes;
}

/// What ends in it, by exit or a jump, is the subshell alone.
Truth subshell(Interpreter& shell, const Node& node) {
  const InnerShell inner(shell);
  const Flow before = shell.flow();
  const std::optional<Place> ended = shell.outcome().ended;
  Truth truth = shell.run(node.children[0]);
  if (shell.flow().exited) truth = Truth::of(!shell.flow().failed);
  shell.flow() = before;
  shell.outcome().ended = ended;
  return truth;
}

Truth condition(Interpreter& shell, const Node& node) {
  std::vector<Text> words;
  for (const Word& word : node.words) words.push_back(shell.expander().text(word));
  return test(words, true, node.place, shell.environment());
}

}  // namespace

Truth run_compound(Interpreter& shell, const Node& node) {
  switch (node.kind) {
    case Node::Kind::simple:
    case Node::Kind::pattern:
      break;  // Neither stands by itself.
    case Node::Kind::list:
      return list(shell, node);
    case Node::Kind::both:
    case Node::Kind::either:
      return both(shell, node);
    case Node::Kind::negation:
      return negation(shell, node);
    case Node::Kind::pipeline:
      return shell.run_pipe(node.children);
    case Node::Kind::branch:
      return branch(shell, node);
    case Node::Kind::loop:
      return loop(shell, node);
    case Node::Kind::each:
      return each(shell, node);
    case Node::Kind::counted:
      return counted(shell, node);
    case Node::Kind::choice:
      return choice(shell, node);
    case Node::Kind::function:
      shell.functions()[node.name] = &node.children[0];
      break;
    case Node::Kind::group:
      return shell.run(node.children[0]);
    case Node::Kind::subshell:
      return subshell(shell, node);
    case Node::Kind::arithmetic:
      return arithmetic(shell, node.text, node.place);
    case Node::Kind::condition:
      return condition(shell, node);
  }
  return yes;
}

}  // namespace pipewright::shell
