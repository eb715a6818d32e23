#include "interop/shell/interpreter.hpp"

#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/inner_shell.hpp"
#include "interop/shell/value_change.hpp"

namespace pipewright::shell {
namespace {

constexpr int64_t most_steps = 1'000'000;
constexpr int deepest_call = 240;

/// Removes the line ends that a text ends with.
void cut_line_ends(Text& text) {
  while (!text.empty() && !text.back().unknown) {
    std::string& last = text.back().text;
    while (last.ends_with('\n')) last.pop_back();
    if (!last.empty()) break;
    text.pop_back();
  }
}

}  // namespace

Interpreter::Interpreter(const Surroundings& surroundings, Outcome& outcome)
    : surroundings_(surroundings),
      outcome_(outcome),
      environment_(surroundings.given, outcome.asked),
      expander_(environment_, *this) {
  for (const auto& [name, value] : surroundings.preset) environment_.set(name, text_of(value, {}));
}

void Interpreter::count_step(const Place& place) {
  if (++outcome_.steps > most_steps) Cursor::fail(place, "this script goes on for a million steps");
}

Truth Interpreter::run(const Node& node) {
  if (flow_.stops()) return Truth::of(true);
  count_step(node.place);
  if (depth_ > deepest_call) Cursor::fail(node.place, "this calls itself without end");
  ++depth_;
  Truth truth =
      node.kind == Node::Kind::simple ? run_simple(*this, node) : run_compound(*this, node);
  --depth_;
  return truth;
}

Truth Interpreter::run_script(std::string_view text, const Place& place) {
  scripts_.push_back(read_script(text, place));
  return run(scripts_.back());
}

Truth Interpreter::run_unread(const Node& node) {
  Output* const output = std::exchange(output_, nullptr);
  Truth truth = run(node);
  output_ = output;
  return truth;
}

Text Interpreter::output_of(const Part& part) {
  Output output;
  Output* const outer = std::exchange(output_, &output);
  const InnerShell inner(*this);
  const Flow before = flow_;
  const size_t commands = outcome_.commands.size();
  for (const Node& node : part.commands) run(node);
  outcome_.commands.resize(commands);
  flow_ = before;
  output_ = outer;
  if (!output.is_known) return not_known(part);
  cut_line_ends(output.text);
  return std::move(output.text);
}

void Interpreter::print(const Text& text) {
  if (output_) output_->text.insert(output_->text.end(), text.begin(), text.end());
}

void Interpreter::lose_output() {
  if (output_) output_->is_known = false;
}

void Interpreter::leave(const Place& place) {
  flow_.exited = true;
  if (!output_) outcome_.ended = place;
}

Outcome follow(std::string_view text, const std::string& path, const Surroundings& surroundings) {
  Outcome outcome;
  Interpreter shell(surroundings, outcome);
  const Place place{std::make_shared<const std::string>(path), 1, 1};
  shell.environment().script = text_of(path, place);
  shell.run_script(text, place);
  return outcome;
}

}  // namespace pipewright::shell
