#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interop/shell/word_reader.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest = 100, longest_chain = 1000;
constexpr std::string_view operators = ";&|()<>";

/// Commands whose arguments may be assignments.
constexpr std::string_view declarations[] = {"export", "declare", "local", "readonly", "typeset"};

bool declares(const Node& node) {
  if (node.words.empty() || node.words.front().parts.size() != 1) return false;
  const std::string& name = node.words.front().parts.front().text;
  return std::find(std::begin(declarations), std::end(declarations), name) !=
         std::end(declarations);
}

class CommandReader {
 public:
  using Words = std::initializer_list<std::string_view>;

  CommandReader(Cursor& cursor, int depth) : cursor_(cursor), depth_(depth) {
    if (depth > deepest) Cursor::fail(cursor.place(), "this is nested too deeply");
  }

  /// Reads commands up to one of `ends` in the place of a command, which is left, or to the end.
  Node list(Words ends);
  /// Passes `word`, which must come next; what it ends began at `start`.
  void expect(std::string_view word, const Place& start);

 private:
  bool sees_word(std::string_view word) const;
  bool sees_any(Words words) const;
  void pass_blanks();
  void pass_space();
  Node chain();
  Node pipeline();
  Node command();
  Node compound();
  Node simple();
  bool redirection(Node& node);
  void here_document(Redirection& redirection, bool strips);
  bool assignment(Node& node);
  void assigned(Assignment& assignment);
  void element(Assignment& assignment);
  Node branch();
  Node loop();
  Node each();
  Node counted(Node node);
  Node choice();
  Node pattern();
  Node function(std::string name);
  std::string function_name() const;
  Node body(const Place& start);
  Node bracketed(Node::Kind kind, std::string_view open, std::string_view close);
  Node arithmetic();
  Node condition();
  Node inner(Words ends) { return CommandReader(cursor_, depth_ + 1).list(ends); }
  Node node_of(Node::Kind kind) const { return {kind, cursor_.place(), {}, {}, {}, {}, {}, {}}; }
  Word word(std::string_view more = {}) { return WordReader(cursor_, depth_ + 1).word(more); }

  Cursor& cursor_;
  int depth_;
};

bool CommandReader::sees_word(std::string_view word) const {
  if (!cursor_.sees(word)) return false;
  const char next = cursor_.peek(word.size());
  return !in_name(word.back()) || next == '\0' || is_space(next) ||
         operators.find(next) != std::string_view::npos;
}

bool CommandReader::sees_any(Words words) const {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return sees_word(word); });
}

void CommandReader::pass_blanks() {
  while (!cursor_.at_end()) {
    if (is_blank(cursor_.peek()))
      cursor_.step();
    else if (cursor_.sees("\\\n"))
      cursor_.step(2);
    else if (cursor_.sees("\\\r\n"))
      cursor_.step(3);
    else if (cursor_.peek() != '#')
      return;
    else
      while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.step();
  }
}

void CommandReader::pass_space() {
  for (pass_blanks(); cursor_.peek() == '\n'; pass_blanks()) cursor_.step();
}

void CommandReader::expect(std::string_view word, const Place& start) {
  pass_space();
  if (!sees_word(word))
    Cursor::fail(cursor_.at_end() ? start : cursor_.place(), fmt::format("'{}' is missing", word));
  cursor_.step(word.size());
}

Node CommandReader::list(Words ends) {
  Node all = node_of(Node::Kind::list);
  while (true) {
    pass_space();
    while (cursor_.peek() == ';' && !cursor_.sees(";;")) cursor_.step(), pass_space();
    if (cursor_.at_end() || sees_any(ends)) return all;
    const size_t before = cursor_.offset();
    all.children.push_back(chain());
    pass_blanks();
    if ((cursor_.peek() == ';' && cursor_.peek(1) != ';') || cursor_.peek() == '&') cursor_.step();
    if (cursor_.offset() == before)
      Cursor::fail(cursor_.place(), fmt::format("'{}' is not expected here", cursor_.peek()));
  }
}

/// Commands joined by && and ||.
Node CommandReader::chain() {
  Node left = pipeline();
  for (int links = 0;; ++links) {
    pass_blanks();
    const bool both = cursor_.sees("&&");
    if (!both && !cursor_.sees("||")) return left;
    if (links > longest_chain) Cursor::fail(cursor_.place(), "this chain is too long");
    Node joined = node_of(both ? Node::Kind::both : Node::Kind::either);
    cursor_.step(2);
    pass_space();
    joined.children.push_back(std::move(left));
    joined.children.push_back(pipeline());
    left = std::move(joined);
  }
}

Node CommandReader::pipeline() {
  if (cursor_.peek() == '!' && is_space(cursor_.peek(1))) {
    Node negation = node_of(Node::Kind::negation);
    cursor_.step();
    pass_blanks();
    negation.children.push_back(CommandReader(cursor_, depth_ + 1).pipeline());
    return negation;
  }
  Node all = node_of(Node::Kind::pipeline);
  all.children.push_back(command());
  for (pass_blanks(); cursor_.peek() == '|' && cursor_.peek(1) != '|'; pass_blanks()) {
    cursor_.step(cursor_.peek(1) == '&' ? 2 : 1);
    pass_space();
    all.children.push_back(command());
  }
  return all.children.size() == 1 ? std::move(all.children.front()) : all;
}

Node CommandReader::command() {
  Node node = compound();
  if (node.kind == Node::Kind::simple) return node;
  for (pass_blanks(); redirection(node); pass_blanks()) continue;
  return node;
}

Node CommandReader::compound() {
  if (cursor_.sees("((")) return arithmetic();
  if (cursor_.peek() == '(') return bracketed(Node::Kind::subshell, "(", ")");
  if (cursor_.peek() == '{' && is_space(cursor_.peek(1)))
    return bracketed(Node::Kind::group, "{", "}");
  if (sees_word("[[") && is_space(cursor_.peek(2))) return condition();
  if (sees_word("if")) return branch();
  if (sees_word("while") || sees_word("until")) return loop();
  if (sees_word("for") || sees_word("select")) return each();
  if (sees_word("case")) return choice();
  if (const std::string name = function_name(); !name.empty()) return function(name);
  return simple();
}

/// Returns the name of the function whose definition begins here, or nothing.
std::string CommandReader::function_name() const {
  Cursor ahead = cursor_;
  const bool said = sees_word("function");
  if (said) ahead.step(8);
  while (said && is_blank(ahead.peek())) ahead.step();
  const size_t start = ahead.offset();
  while (in_name(ahead.peek()) || ahead.peek() == '-' || ahead.peek() == ':') ahead.step();
  const std::string name(ahead.since(start));
  if (said) return name;
  while (is_blank(ahead.peek())) ahead.step();
  if (!ahead.take("(")) return {};
  while (is_blank(ahead.peek())) ahead.step();
  return ahead.peek() == ')' ? name : std::string();
}

Node CommandReader::function(std::string name) {
  Node node = node_of(Node::Kind::function);
  if (sees_word("function")) cursor_.step(8);
  pass_blanks();
  cursor_.step(name.size());
  pass_blanks();
  if (cursor_.take("(")) pass_blanks(), expect(")", node.place);
  pass_space();
  node.name = std::move(name);
  node.children.push_back(CommandReader(cursor_, depth_ + 1).command());
  return node;
}

Node CommandReader::bracketed(Node::Kind kind, std::string_view open, std::string_view close) {
  Node node = node_of(kind);
  cursor_.step(open.size());
  node.children.push_back(inner({close}));
  expect(close, node.place);
  return node;
}

/// ((...)).
Node CommandReader::arithmetic() {
  Node node = node_of(Node::Kind::arithmetic);
  cursor_.step(2);
  const size_t start = cursor_.offset();
  int open = 0;
  while (!cursor_.at_end() && (open > 0 || !cursor_.sees("))"))) {
    if (cursor_.peek() == '(') ++open;
    if (cursor_.peek() == ')') --open;
    cursor_.step();
  }
  node.text = cursor_.since(start);
  expect("))", node.place);
  return node;
}

/// [[ ... ]]. Its operators are words, too.
Node CommandReader::condition() {
  Node node = node_of(Node::Kind::condition);
  cursor_.step(2);
  while (true) {
    pass_space();
    if (cursor_.at_end()) Cursor::fail(node.place, "']]' is missing");
    if (sees_word("]]")) break;
    Word next{{}, cursor_.place()};
    const bool matches = !node.words.empty() && node.words.back().parts.size() == 1 &&
                         node.words.back().parts.front().text == "=~";
    for (const std::string_view sign : {"&&", "||", "(", ")", "<", ">"}) {
      if (matches || !cursor_.take(sign)) continue;
      next.parts.push_back({Part::Kind::literal, std::string(sign), next.place, false, {}, {}});
      break;
    }
    if (next.parts.empty() && matches)
      while (!cursor_.at_end() && !is_space(cursor_.peek())) {
        next.parts.push_back(
            {Part::Kind::literal, std::string(1, cursor_.peek()), next.place, false, {}, {}});
        cursor_.step();
      }
    if (next.parts.empty()) next = word();
    if (next.parts.empty()) Cursor::fail(cursor_.place(), "this has no meaning in a condition");
    node.words.push_back(std::move(next));
  }
  cursor_.step(2);
  return node;
}

Node CommandReader::branch() {
  Node node = node_of(Node::Kind::branch);
  cursor_.step(sees_word("elif") ? 4 : 2);
  node.children.push_back(inner({"then"}));
  expect("then", node.place);
  node.children.push_back(inner({"elif", "else", "fi"}));
  if (sees_word("elif")) {
    node.children.push_back(CommandReader(cursor_, depth_ + 1).branch());  // passes "fi"
    return node;
  }
  if (sees_word("else")) {
    cursor_.step(4);
    node.children.push_back(inner({"fi"}));
  }
  expect("fi", node.place);
  return node;
}

Node CommandReader::body(const Place& start) {
  expect("do", start);
  Node body = inner({"done"});
  expect("done", start);
  return body;
}

Node CommandReader::loop() {
  Node node = node_of(Node::Kind::loop);
  node.name = sees_word("until") ? "until" : "while";
  cursor_.step(5);
  node.children.push_back(inner({"do"}));
  node.children.push_back(body(node.place));
  return node;
}

Node CommandReader::each() {
  Node node = node_of(Node::Kind::each);
  cursor_.step(sees_word("for") ? 3 : 6);
  pass_blanks();
  if (cursor_.sees("((")) return counted(std::move(node));
  node.name = cursor_.take_name();
  pass_space();
  if (sees_word("in")) {
    cursor_.step(2);
    for (pass_blanks(); cursor_.peek() != ';' && cursor_.peek() != '\n'; pass_blanks()) {
      Word next = word();
      if (next.parts.empty()) Cursor::fail(cursor_.place(), "'do' is missing");
      node.words.push_back(std::move(next));
    }
  }
  pass_blanks();
  if (cursor_.peek() == ';') cursor_.step();
  node.children.push_back(body(node.place));
  return node;
}

/// for ((...; ...; ...)).
Node CommandReader::counted(Node node) {
  node.kind = Node::Kind::counted;
  node.text = arithmetic().text;
  pass_blanks();
  if (cursor_.peek() == ';') cursor_.step();
  node.children.push_back(body(node.place));
  return node;
}

Node CommandReader::choice() {
  Node node = node_of(Node::Kind::choice);
  cursor_.step(4);
  pass_blanks();
  node.words.push_back(word());
  expect("in", node.place);
  for (pass_space(); !cursor_.at_end() && !sees_word("esac"); pass_space())
    node.children.push_back(pattern());
  expect("esac", node.place);
  return node;
}

Node CommandReader::pattern() {
  Node node = node_of(Node::Kind::pattern);
  cursor_.take("(");
  while (true) {
    pass_blanks();
    Word next = word();
    if (next.parts.empty()) Cursor::fail(cursor_.place(), "a pattern is missing");
    node.words.push_back(std::move(next));
    pass_blanks();
    if (!cursor_.take("|")) break;
  }
  expect(")", node.place);
  node.children.push_back(inner({";;", ";&", "esac"}));
  if (!cursor_.take(";;&") && !cursor_.take(";;")) cursor_.take(";&");
  return node;
}

Node CommandReader::simple() {
  Node node = node_of(Node::Kind::simple);
  while (true) {
    pass_blanks();
    if (redirection(node)) continue;
    if ((node.words.empty() || declares(node)) && assignment(node)) continue;
    Word next = word();
    if (next.parts.empty()) {
      // `<(...)` and what else opens a bracket in a word's place.
      if (cursor_.peek() == '(') Cursor::fail(cursor_.place(), "'(' is not expected here");
      return node;
    }
    node.words.push_back(std::move(next));
  }
}

bool CommandReader::redirection(Node& node) {
  Cursor ahead = cursor_;
  while (is_digit(ahead.peek())) ahead.step();
  if (ahead.peek() == '&' && ahead.peek(1) == '>') ahead.step();
  if (ahead.peek() != '<' && ahead.peek() != '>') return false;
  if (WordReader(ahead, depth_ + 1).placeholder() > 0) return false;
  cursor_ = ahead;
  Redirection redirection;
  for (const std::string_view sign :
       {"<<<", "<<-", "<<", "<&", "<(", ">(", "<>", ">>", ">&", ">|", "<", ">"}) {
    if (!cursor_.take(sign)) continue;
    redirection.operation = sign;
    break;
  }
  pass_blanks();
  if (redirection.operation == "<<" || redirection.operation == "<<-") {
    here_document(redirection, redirection.operation == "<<-");
  } else if (redirection.operation.ends_with('(')) {
    inner({")"});
    expect(")", node.place);
  } else {
    redirection.target = word();
  }
  node.redirections.push_back(std::move(redirection));
  return true;
}

void CommandReader::here_document(Redirection& redirection, bool strips) {
  const Word end = word();
  std::string name;
  bool quoted = false;
  for (const Part& part : end.parts) name += part.text, quoted = quoted || part.quoted;
  Place place = cursor_.place();
  const std::string body = cursor_.take_here_document(name, strips, place);
  redirection.operation = "<<";
  if (quoted)
    redirection.target = {{{Part::Kind::literal, body, place, true, {}, {}}}, place};
  else
    redirection.target = read_quoted(body, place);
}

bool CommandReader::assignment(Node& node) {
  Cursor ahead = cursor_;
  Assignment assignment;
  assignment.place = cursor_.place();
  if (is_digit(ahead.peek())) return false;
  assignment.name = ahead.take_name();
  if (assignment.name.empty()) return false;
  if (ahead.peek() == '[') {
    ahead.step();
    assignment.index.push_back(WordReader(ahead, depth_ + 1).word("]"));
    if (!ahead.take("]")) return false;
  }
  assignment.appends = ahead.take("+=");
  if (!assignment.appends && !ahead.take("=")) return false;
  cursor_ = ahead;
  assigned(assignment);
  node.assignments.push_back(std::move(assignment));
  return true;
}

void CommandReader::assigned(Assignment& assignment) {
  if (cursor_.peek() != '(') {
    assignment.values.push_back(word());
    return;
  }
  assignment.is_array = true;
  cursor_.step();
  for (pass_space(); !cursor_.at_end() && cursor_.peek() != ')'; pass_space()) element(assignment);
  if (!cursor_.take(")")) Cursor::fail(assignment.place, "the '(' of this array is not closed");
}

/// A word of an array; `[KEY]=WORD` is two.
void CommandReader::element(Assignment& assignment) {
  Word next = word();
  if (next.parts.empty())
    Cursor::fail(cursor_.place(), fmt::format("'{}' is not expected here", cursor_.peek()));
  assignment.values.push_back(std::move(next));
}

}  // namespace

std::vector<Node> read_substitution(Cursor& cursor, int depth) {
  const Place start = cursor.place();
  CommandReader reader(cursor, depth);
  std::vector<Node> commands;
  commands.push_back(reader.list({")"}));
  reader.expect(")", start);
  return commands;
}

Node read_script(std::string_view text, const Place& place) {
  Cursor cursor(text, place);
  Node script = CommandReader(cursor, 0).list({});
  return script;
}

}  // namespace pipewright::shell
