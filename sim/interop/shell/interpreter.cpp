#include "interop/shell/interpreter.hpp"

#include <algorithm>
#include <utility>

#include "interop/shell/cursor.hpp"
#include "interop/shell/pattern.hpp"

namespace pipewright::shell {
namespace {

constexpr int64_t most_steps = 1'000'000;
constexpr int deepest = 60, most_rounds = 10'000;

const Truth yes = Truth::of(true);

/// Calls itself when it goes out of scope.
template <class F>
struct Finally {
  F f;
  ~Finally() { f(); }
};
template <class F>
Finally(F) -> Finally<F>;

}  // namespace

Interpreter::Interpreter(const Surroundings& surroundings, Outcome& outcome)
    : surroundings_(surroundings),
      outcome_(outcome),
      environment_(surroundings.given, outcome.asked),
      expander_(environment_, *this) {
  for (const auto& [name, value] : surroundings.preset) environment_.set(name, text_of(value, {}));
}

void Interpreter::start(std::string_view text, const std::string& path) {
  const Place place{std::make_shared<const std::string>(path), 1, 1};
  scripts_.push_back(read_script(text, place));
  environment_.script = text_of(path, place);
  run(scripts_.back());
}

void Interpreter::count_step(const Place& place) {
  if (++steps_ > most_steps) Cursor::fail(place, "this script goes on for a million steps");
}

Truth Interpreter::run(const Node& node) {
  if (exited_ || jump_ != '\0') return yes;
  count_step(node.place);
  if (depth_ > deepest * 4) Cursor::fail(node.place, "this calls itself without end");
  ++depth_;
  const Finally leave{[&] { --depth_; }};
  return dispatch(node);
}

Truth Interpreter::dispatch(const Node& node) {
  switch (node.kind) {
    case Node::Kind::simple:
      return simple(node);
    case Node::Kind::list:
      return list(node);
    case Node::Kind::both:
    case Node::Kind::either:
      return both(node);
    case Node::Kind::negation: {
      const Truth truth = run(node.children[0]);
      return truth.is_open() ? truth : Truth::of(!truth.holds());
    }
    case Node::Kind::pipeline:
      return pipeline(node);
    case Node::Kind::branch:
      return branch(node);
    case Node::Kind::loop:
      return loop(node);
    case Node::Kind::each:
      return each(node);
    case Node::Kind::counted:
      return counted(node);
    case Node::Kind::choice:
      return choice(node);
    case Node::Kind::pattern:
      return yes;
    case Node::Kind::function:
      functions_[node.name] = &node.children[0];
      return yes;
    case Node::Kind::group:
      return run(node.children[0]);
    case Node::Kind::subshell:
      return subshell(node);
    case Node::Kind::arithmetic:
      return arithmetic(node.text, node.place);
    case Node::Kind::condition:
      return condition(node);
  }
  return yes;
}

Truth Interpreter::list(const Node& node) {
  Truth last = yes;
  for (const Node& child : node.children) last = run(child);
  return last;
}

/// Returns whether an open condition is taken to hold.
bool Interpreter::decide(const Truth& truth, const Place& place) {
  if (!truth.is_open()) return truth.holds();
  const size_t which = outcome_.decisions.size();
  const bool taken = which < surroundings_.decisions.size() && surroundings_.decisions[which];
  if (which < 10'000) outcome_.decisions.push_back({place, truth.reason, taken});
  return taken;
}

Truth Interpreter::both(const Node& node) {
  const bool all = node.kind == Node::Kind::both;
  const bool left = decide(run(node.children[0]), node.place);
  return left == all ? run(node.children[1]) : Truth::of(left);
}

Truth Interpreter::pipeline(const Node& node) {
  Truth last = yes;
  Text* const output = output_;
  for (const Node& child : node.children) {
    const bool is_last = &child == &node.children.back();
    // What a later command makes of an earlier one's output is its own affair.
    if (!is_last) output_ = nullptr;
    last = run(child);
    output_ = output;
  }
  if (output_) output_is_known_ = false, unknown_command_ = "a pipeline";
  return last;
}

Truth Interpreter::branch(const Node& node) {
  if (decide(run(node.children[0]), node.place)) return run(node.children[1]);
  return node.children.size() > 2 ? run(node.children[2]) : yes;
}

/// Runs the body of a loop; returns whether the loop goes on.
bool Interpreter::body(const Node& node) {
  run(node);
  const bool ends = exited_ || jump_ == 'b' || jump_ == 'r';
  if (jump_ != 'r') jump_ = '\0';
  return !ends;
}

Truth Interpreter::loop(const Node& node) {
  for (int round = 0; round < most_rounds; ++round) {
    const Truth truth = run(node.children[0]);
    if (exited_ || jump_ != '\0') break;
    const bool wanted = node.name == "while";
    if (truth.is_open() || truth.holds() != wanted || !body(node.children[1])) break;
  }
  return yes;
}

Truth Interpreter::each(const Node& node) {
  for (Text& word : expander_.words(node.words)) {
    environment_.set(node.name, std::move(word));
    if (!body(node.children[0])) break;
  }
  return yes;
}

Truth Interpreter::counted(const Node& node) {
  const std::string& text = node.text;
  const size_t first = std::min(text.find(';'), text.size());
  const size_t second = std::min(text.find(';', first + 1), text.size());
  if (second >= text.size()) Cursor::fail(node.place, "'for ((' needs two ';'");
  const std::string until = text.substr(first + 1, second - first - 1);
  arithmetic(text.substr(0, first), node.place);
  for (int round = 0; round < most_rounds; ++round) {
    if (!arithmetic(until, node.place).holds() || !body(node.children[0])) break;
    arithmetic(text.substr(second + 1), node.place);
  }
  return yes;
}

bool Interpreter::fits(const Node& pattern, const Text& subject, const Place& place) {
  const std::optional<std::string> value = known(subject);
  for (const Word& word : pattern.words) {
    const std::optional<std::string> expected = known(expander_.text(word));
    const bool open = !value || !expected;
    if (expected == "*") return true;
    if (open ? decide(Truth::open(written(subject)), place) : matches(*expected, *value))
      return true;
  }
  return false;
}

Truth Interpreter::choice(const Node& node) {
  const Text subject = expander_.text(node.words[0]);
  for (const Node& pattern : node.children)
    if (fits(pattern, subject, pattern.place)) return run(pattern.children[0]);
  return yes;
}

Truth Interpreter::subshell(const Node& node) {
  const Environment before = environment_;
  const auto functions = functions_;
  const Truth truth = run(node.children[0]);
  environment_ = before;
  functions_ = functions;
  return truth;
}

Truth Interpreter::arithmetic(const std::string& text, const Place& place) {
  const Text expanded = expander_.text(read_quoted(text, place));
  const std::optional<std::string> whole = known(expanded);
  if (!whole) return Truth::open(written(expanded));
  const Amount amount = evaluate(*whole, place, environment_);
  if (amount.unknown && !amount.unknown->unset) return Truth::open(amount.unknown->written);
  return Truth::of(amount.value != 0);
}

Truth Interpreter::condition(const Node& node) {
  std::vector<Text> words;
  for (const Word& word : node.words) words.push_back(expander_.text(word));
  return test(words, true, node.place, environment_);
}

Text Interpreter::output_of(const Part& part) {
  Text output;
  Text* const outer = std::exchange(output_, &output);
  const bool outer_known = std::exchange(output_is_known_, true);
  const Environment before = environment_;
  const bool was_exited = exited_;
  const size_t commands = outcome_.commands.size();
  for (const Node& node : part.commands) run(node);
  outcome_.commands.resize(commands);
  exited_ = was_exited;
  environment_ = before;
  output_ = outer;
  const bool is_known = std::exchange(output_is_known_, outer_known);
  if (!is_known) return text_of(Unknown{part.text, {}, false}, part.place);
  while (!output.empty() && !output.back().unknown) {
    std::string& text = output.back().text;
    while (text.ends_with('\n')) text.pop_back();
    if (!text.empty()) break;
    output.pop_back();
  }
  return output;
}

void Interpreter::print(const Text& text) {
  if (output_) output_->insert(output_->end(), text.begin(), text.end());
}

void Interpreter::leave(const Place& place) {
  exited_ = true;
  if (!output_) outcome_.ended = place;
}

void Interpreter::assign_elements(const Assignment& assignment, Variable& variable) {
  size_t next = variable.elements.size();
  for (Text& text : expander_.words(assignment.values)) {
    const std::string start = written(text);
    const size_t close = start.starts_with('[') ? start.find("]=") : std::string::npos;
    if (close == std::string::npos) {
      variable.set(std::to_string(next++), std::move(text));
      continue;
    }
    // The key is cut off the pieces.
    std::string key = start.substr(1, close - 1);
    size_t cut = close + 2;
    Text value;
    for (Piece& piece : text) {
      const size_t size = piece.unknown ? piece.unknown->written.size() : piece.text.size();
      if (cut >= size) {
        cut -= size;
        continue;
      }
      piece.place = place_in(piece, cut);
      piece.text.erase(0, piece.unknown ? 0 : cut);
      cut = 0;
      value.push_back(std::move(piece));
    }
    variable.set(key, std::move(value));
  }
}

void Interpreter::assign_array(const Assignment& assignment) {
  Variable variable;
  if (const Variable* old = environment_.find(assignment.name)) {
    if (assignment.appends) variable = *old;
    variable.is_map = old->is_map;
  }
  variable.is_array = true;
  assign_elements(assignment, variable);
  environment_.make(assignment.name) = std::move(variable);
}

void Interpreter::assign(const Assignment& assignment) {
  if (assignment.is_array) return assign_array(assignment);
  Text value = expander_.text(assignment.values);
  if (assignment.index.empty())
    return environment_.set(assignment.name, std::move(value), assignment.appends);
  std::optional<std::string> key = known(expander_.text(assignment.index));
  environment_.find(assignment.name);
  Variable& variable = environment_.make(assignment.name);
  if (key && !variable.is_map) {
    const Amount amount = evaluate(*key, assignment.place, environment_);
    key = std::to_string(amount.value);
  }
  variable.is_array = true;
  if (!key) return;
  Text* old = assignment.appends ? variable.find(*key) : nullptr;
  if (old)
    old->insert(old->end(), value.begin(), value.end());
  else
    variable.set(*key, std::move(value));
}

Truth Interpreter::simple(const Node& node) {
  const std::vector<Text> words = expander_.words(node.words);
  const std::string name = words.empty() ? std::string() : written(words[0]);
  const Builtin builtin = find_builtin(name);
  const auto function = functions_.find(name);
  const bool is_other = !words.empty() && !builtin && function == functions_.end();
  // Those of another command are for it alone, but it may be the launch.
  if (!is_other || node.words.empty())
    for (const Assignment& assignment : node.assignments) assign(assignment);
  if (words.empty()) return yes;
  if (function != functions_.end()) return call(*function->second, words);
  return builtin ? builtin(*this, node, words) : other_command(node, words);
}

Truth Interpreter::call(const Node& function, std::vector<Text> words) {
  words.erase(words.begin());
  std::swap(environment_.positional, words);
  const Truth truth = run(function);
  if (jump_ == 'r') jump_ = '\0';
  environment_.positional = std::move(words);
  return truth;
}

/// Takes `cat <<EOF > FILE` for what it is.
bool Interpreter::write_file(const Node& node, const std::vector<Text>& words) {
  const std::string name = written(words[0]);
  if ((name != "cat" && name != "tee") || node.redirections.empty()) return false;
  std::optional<std::string> path;
  const Redirection* text = nullptr;
  for (const Redirection& one : node.redirections) {
    if (one.operation == "<<" || one.operation == "<<<") text = &one;
    if (one.operation == ">") path = written(expander_.text(one.target));
  }
  if (name == "tee" && words.size() > 1) path = written(words[1]);
  if (!text) return false;
  const Text body = expander_.text(text->target);
  if (path)
    outcome_.written[*path] = written(body);
  else
    print(body);
  return true;
}

Truth Interpreter::other_command(const Node& node, const std::vector<Text>& words) {
  if (write_file(node, words)) return yes;
  output_is_known_ = output_is_known_ && !output_;
  outcome_.commands.push_back(words);
  // A shell that is started with a text or a file runs that.
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string word = written(words[i]);
    const bool is_shell =
        word == "bash" || word == "sh" || word.ends_with("/bash") || word.ends_with("/sh");
    if (!is_shell) continue;
    const std::string next = written(words[i + 1]);
    if (next.starts_with('-') && next.ends_with('c') && i + 2 < words.size()) {
      outcome_.commands.pop_back();
      return interpret(written(words[i + 2]), place_of(words[i + 2], node.place));
    }
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string path = written(words[i]);
    if (!path.ends_with(".sh")) continue;
    return Truth::of(
        start_other(path, {words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()}));
  }
  return yes;
}

Truth Interpreter::interpret(const std::string& text, const Place& place) {
  if (depth_ > deepest) Cursor::fail(place, "this starts itself without end");
  scripts_.push_back(read_script(text, place));
  return run(scripts_.back());
}

Truth Interpreter::include(const std::string& path, const Place& place,
                           const std::vector<Text>& arguments) {
  if (depth_ > deepest) Cursor::fail(place, "'" + path + "' is sourced by itself");
  const std::optional<std::string> text =
      surroundings_.read ? surroundings_.read(path) : std::nullopt;
  if (!text) {
    outcome_.missing.emplace(path, place);
    return yes;
  }
  scripts_.push_back(read_script(*text, {std::make_shared<const std::string>(path), 1, 1}));
  const Text script = std::exchange(environment_.script, text_of(path, place));
  const auto before = environment_.positional;
  if (!arguments.empty()) environment_.positional = arguments;
  const Truth truth = run(scripts_.back());
  environment_.positional = before;
  environment_.script = script;
  if (jump_ == 'r') jump_ = '\0';
  return truth;
}

bool Interpreter::start_other(const std::string& path, const std::vector<Text>& arguments) {
  const std::optional<std::string> text =
      surroundings_.read ? surroundings_.read(path) : std::nullopt;
  if (!text || depth_ > deepest) return false;
  const Environment before = environment_;
  const auto functions = functions_;
  environment_.positional = arguments;
  environment_.script = text_of(path, {});
  scripts_.push_back(read_script(*text, {std::make_shared<const std::string>(path), 1, 1}));
  run(scripts_.back());
  exited_ = false;
  environment_ = before;
  functions_ = functions;
  return true;
}

Outcome follow(std::string_view text, const std::string& path, const Surroundings& surroundings) {
  Outcome outcome;
  Interpreter(surroundings, outcome).start(text, path);
  return outcome;
}

}  // namespace pipewright::shell
