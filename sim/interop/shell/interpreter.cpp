#include "interop/shell/interpreter.hpp"

#include <filesystem>
#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/inner_shell.hpp"
#include "interop/shell/pattern.hpp"
#include "interop/shell/value_change.hpp"

namespace pipewright::shell {
namespace {

constexpr int64_t most_steps = 1'000'000;
constexpr int deepest_call = 240;
/// Characters that a command prints, and that a script writes to files, before nobody keeps them.
constexpr size_t most_printed = 1'000'000, most_written = 16'000'000;

/// Removes the line ends that a text ends with.
void cut_line_ends(Text& text) {
  while (!text.empty() && !text.back().unknown) {
    std::string& last = text.back().text;
    while (last.ends_with('\n')) last.pop_back();
    if (!last.empty()) break;
    text.pop_back();
  }
}

/// Returns the redirection that takes what a command prints, or null.
const Redirection* output_of_node(const Node& node) {
  const Redirection* last = nullptr;
  for (const Redirection& one : node.redirections)
    if (one.operation.starts_with('>') && !one.operation.ends_with('(') && !one.of_errors)
      last = &one;
  return last;
}

}  // namespace

Interpreter::Interpreter(const Surroundings& surroundings, Outcome& outcome)
    : surroundings_(surroundings),
      outcome_(outcome),
      environment_(surroundings.given, outcome.asked),
      expander_(environment_, *this) {
  for (const auto& [name, value] : surroundings.preset)
    if (value.find("${") == std::string::npos) environment_.set(name, text_of(value, {}));
}

void Interpreter::count_step(const Place& place) {
  if (++outcome_.steps > most_steps) Cursor::fail(place, "this script goes on for a million steps");
}

Truth Interpreter::run(const Node& node) {
  if (flow_.stops()) return Truth::of(true);
  count_step(node.place);
  if (depth_ > deepest_call) Cursor::fail(node.place, "this calls itself without end");
  ++depth_;
  const Redirection* const to = output_of_node(node);
  Truth truth = to ? run_into(*to, node) : run_here(node);
  --depth_;
  return truth;
}

void Interpreter::run_perhaps(const Node& node) {
  std::set<std::string> variables, files;
  std::set<std::string>* const outer_variables = environment_.record(&variables);
  std::set<std::string>* const outer_files = std::exchange(changed_, &files);
  const Flow before = flow_;
  const std::optional<Place> ended = outcome_.ended;
  Output output;
  Output* const outer = std::exchange(output_, &output);
  run(node);
  output_ = outer;
  if (output.size > 0 || !output.is_known) lose_output();
  outcome_.ended = ended;
  flow_ = before;
  changed_ = outer_files;
  environment_.record(outer_variables);
  for (const std::string& path : files) write(path, std::nullopt);
  for (const std::string& name : variables)
    environment_.set(name, text_of(Unknown{"${" + name + "}", name, false}, node.place));
}

Truth Interpreter::run_here(const Node& node) {
  return node.kind == Node::Kind::simple ? run_simple(*this, node) : run_compound(*this, node);
}

Truth Interpreter::run_into(const Redirection& to, const Node& node) {
  const std::string path = written(expander_.text(to.target));
  if (to.operation == ">&" && path == "1") return run_here(node);
  Output output;
  Output* const outer = std::exchange(output_, &output);
  Truth truth = run_here(node);
  if (input_.is_open) lose_output();
  output_ = outer;
  const bool is_number = to.operation == ">&" && !path.empty() && is_digit(path[0]);
  if (!path.starts_with("/dev/") && !is_number) write(path, output.take(), to.operation == ">>");
  return truth;
}

Truth Interpreter::run_script(std::string_view text, const Place& place) {
  scripts_.push_back(read_script(text, place));
  return run(scripts_.back());
}

Truth Interpreter::run_pipe(const std::vector<Node>& commands) {
  std::optional<Text> text;
  Truth last = yes;
  for (size_t i = 0; i < commands.size(); ++i) {
    Output output;
    const bool is_last = i + 1 == commands.size();
    Output* const outer = is_last ? output_ : std::exchange(output_, &output);
    last = i == 0 ? run(commands[i]) : run_piped(commands[i], std::move(text));
    output_ = outer;
    text = output.take();
  }
  return last;
}

Truth Interpreter::run_piped(const Node& node, std::optional<Text> input) {
  Input outer = std::exchange(input_, {std::move(input), true});
  Truth truth = run(node);
  // What does not read it as a text makes of it what it likes.
  if (input_.is_open) lose_output();
  input_ = std::move(outer);
  return truth;
}

std::optional<Text> Interpreter::take_input() {
  if (input_.text) input_.is_open = false;
  return std::exchange(input_.text, std::nullopt);
}

std::string normal_path(const std::string& path) {
  for (const std::string_view here : {"${PWD}/", "$(pwd)/"})
    if (path.starts_with(here)) return normal_path(path.substr(here.size()));
  return std::filesystem::path(path).lexically_normal().string();
}

std::optional<Text> Interpreter::file(const std::string& path) const {
  const auto found = outcome_.written.find(normal_path(path));
  if (found != outcome_.written.end()) return found->second;
  const std::optional<std::string> text =
      surroundings_.read ? surroundings_.read(path) : std::nullopt;
  if (!text) return std::nullopt;
  return text_of(*text, {std::make_shared<const std::string>(path), 1, 1}, true);
}

namespace {

/// Gives what is kept by the number of a command to the number `to`; away with it where it is kept
/// no longer.
template <class Map>
void renumber(Map& map, size_t from, std::optional<size_t> to) {
  auto node = map.extract(from);
  if (node.empty() || !to) return;
  node.key() = *to;
  map.insert(std::move(node));
}

/// Forgets the commands from `first` on, but not those of jobs that a scheduler is given.
void keep_queued(Outcome& outcome, size_t first) {
  size_t end = first;
  for (size_t i = first; i < outcome.commands.size(); ++i) {
    const auto to = outcome.queued.contains(i) ? std::optional(end++) : std::nullopt;
    if (to) {
      outcome.commands[*to] = std::move(outcome.commands[i]);
      outcome.variables[*to] = std::move(outcome.variables[i]);
    }
    renumber(outcome.visible, i, to);
    renumber(outcome.own_variables, i, to);
    renumber(outcome.queued, i, to);
  }
  outcome.commands.resize(end);
  outcome.variables.resize(end);
}

}  // namespace

Text Interpreter::output_of(const Part& part) {
  Output output;
  Output* const outer = std::exchange(output_, &output);
  const InnerShell inner(*this);
  const Flow before = flow_;
  const size_t commands = outcome_.commands.size();
  const std::optional<Place> ended = outcome_.ended;
  for (const Node& node : part.commands) run(node);
  keep_queued(outcome_, commands);
  outcome_.ended = ended;
  flow_ = before;
  output_ = outer;
  if (!output.is_known) return not_known(part);
  cut_line_ends(output.text);
  return std::move(output.text);
}

void Interpreter::write(const std::string& path, std::optional<Text> text, bool appends) {
  const std::string name = normal_path(path);
  if (changed_) changed_->insert(name);
  if (appends && !outcome_.written.contains(name)) {
    const std::optional<Text>& before = outcome_.written[name] = file(path);
    if (before) written_ += characters_in(*before);
  }
  std::optional<Text>& held = outcome_.written[name];
  if (text) written_ += characters_in(*text);
  if (!text || written_ > most_written)
    held = std::nullopt;
  else if (!appends)
    held = std::move(text);
  else if (held)
    held->insert(held->end(), text->begin(), text->end());
}

void Interpreter::remove(const std::string& pattern) {
  const std::string name = normal_path(pattern);
  if (name.find_first_of("*?[") == std::string::npos) write(name, Text{});
  for (const auto& [path, text] : outcome_.written)
    if (path.starts_with(name + '/') || matches(name, path)) write(path, Text{});
}

void Interpreter::print(const Text& text) {
  if (!output_ || !output_->is_known) return;
  output_->size += characters_in(text);
  if (output_->size > most_printed) return lose_output();
  output_->text.insert(output_->text.end(), text.begin(), text.end());
}

void Interpreter::lose_output() {
  if (output_) output_->is_known = false;
}

void Interpreter::leave(const Place& place) {
  flow_.exited = true;
  outcome_.ended = place;
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
