// Commands that begin with a keyword or a bracket.
#include <fmt/format.h>

#include <utility>

#include "interop/shell/grammar.hpp"

namespace pipewright::shell {
namespace {

/// Returns the name of the function whose definition begins here, or nothing.
std::string function_name(Tokens in) {
  Cursor ahead = in.cursor();
  const bool said = in.sees_word("function");
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

Node function(Tokens in, std::string name) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::function);
  if (in.sees_word("function")) cursor.step(8);
  in.pass_blanks();
  cursor.step(name.size());
  in.pass_blanks();
  if (cursor.take("(")) in.pass_blanks(), in.expect(")", node.place);
  in.pass_space();
  node.name = std::move(name);
  node.children.push_back(read_command(in.inner()));
  return node;
}

/// { ... } and ( ... ).
Node bracketed(Tokens in, Node::Kind kind, std::string_view close) {
  Node node = in.node_of(kind);
  in.cursor().step();
  node.children.push_back(read_list(in.inner(), {close}));
  in.expect(close, node.place);
  return node;
}

/// ((...)).
Node arithmetic(Tokens in) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::arithmetic);
  cursor.step(2);
  const size_t start = cursor.offset();
  int open = 0;
  while (!cursor.at_end() && (open > 0 || !cursor.sees("))"))) {
    if (cursor.peek() == '(') ++open;
    if (cursor.peek() == ')') --open;
    cursor.step();
  }
  node.text = cursor.since(start);
  in.expect("))", node.place);
  return node;
}

Part literal(std::string text, const Place& place) {
  return {Part::Kind::literal, std::move(text), place, false, {}, {}};
}

/// An operator of [[ ]], or a word.
Word operand(Tokens in) {
  Word next{{}, in.cursor().place()};
  for (const std::string_view sign : {"&&", "||", "(", ")", "<", ">"}) {
    if (!in.cursor().take(sign)) continue;
    next.parts.push_back(literal(std::string(sign), next.place));
    return next;
  }
  return in.word_or_fail("this has no meaning in a condition");
}

/// What stands behind =~: all up to a blank.
Word expression(Tokens in) {
  Cursor& cursor = in.cursor();
  Word next{{}, cursor.place()};
  for (; !cursor.at_end() && !is_space(cursor.peek()); cursor.step())
    next.parts.push_back(literal(std::string(1, cursor.peek()), next.place));
  return next;
}

/// [[ ... ]]. Its operators are words, too.
Node condition(Tokens in) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::condition);
  cursor.step(2);
  while (true) {
    in.pass_space();
    if (cursor.at_end()) Cursor::fail(node.place, "']]' is missing");
    if (in.sees_word("]]")) break;
    const bool matches = !node.words.empty() && node.words.back().parts.size() == 1 &&
                         node.words.back().parts.front().text == "=~";
    node.words.push_back(matches ? expression(in) : operand(in));
  }
  cursor.step(2);
  return node;
}

Node branch(Tokens in) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::branch);
  cursor.step(in.sees_word("elif") ? 4 : 2);
  node.children.push_back(read_list(in.inner(), {"then"}));
  in.expect("then", node.place);
  node.children.push_back(read_list(in.inner(), {"elif", "else", "fi"}));
  if (in.sees_word("elif")) {
    node.children.push_back(branch(in.inner()));  // passes "fi"
    return node;
  }
  if (in.sees_word("else")) {
    cursor.step(4);
    node.children.push_back(read_list(in.inner(), {"fi"}));
  }
  in.expect("fi", node.place);
  return node;
}

/// do ... done, of a loop that began at `start`.
Node body(Tokens in, const Place& start) {
  in.expect("do", start);
  Node commands = read_list(in.inner(), {"done"});
  in.expect("done", start);
  return commands;
}

Node loop(Tokens in) {
  Node node = in.node_of(Node::Kind::loop);
  node.name = in.sees_word("until") ? "until" : "while";
  in.cursor().step(5);
  node.children.push_back(read_list(in.inner(), {"do"}));
  node.children.push_back(body(in, node.place));
  return node;
}

/// The variable and the words of `for NAME in WORD ...`.
void subjects(Tokens in, Node& node) {
  Cursor& cursor = in.cursor();
  node.name = cursor.take_name();
  in.pass_space();
  if (!in.sees_word("in")) return;
  cursor.step(2);
  for (in.pass_blanks(); cursor.peek() != ';' && cursor.peek() != '\n'; in.pass_blanks())
    node.words.push_back(in.word_or_fail("'do' is missing"));
}

/// for NAME in ..., for ((...; ...; ...)).
Node each(Tokens in) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::each);
  cursor.step(in.sees_word("for") ? 3 : 6);
  in.pass_blanks();
  if (cursor.sees("((")) {
    node.kind = Node::Kind::counted;
    node.text = arithmetic(in).text;
  } else {
    subjects(in, node);
  }
  in.pass_blanks();
  if (cursor.peek() == ';') cursor.step();
  node.children.push_back(body(in, node.place));
  return node;
}

/// A branch of case.
Node pattern(Tokens in) {
  Cursor& cursor = in.cursor();
  Node node = in.node_of(Node::Kind::pattern);
  cursor.take("(");
  do {
    in.pass_blanks();
    node.words.push_back(in.word_or_fail("a pattern is missing"));
    in.pass_blanks();
  } while (cursor.take("|"));
  in.expect(")", node.place);
  node.children.push_back(read_list(in.inner(), {";;", ";&", "esac"}));
  if (!cursor.take(";;&") && !cursor.take(";;")) cursor.take(";&");
  return node;
}

Node choice(Tokens in) {
  Node node = in.node_of(Node::Kind::choice);
  in.cursor().step(4);
  in.pass_blanks();
  node.words.push_back(in.word());
  in.expect("in", node.place);
  for (in.pass_space(); !in.cursor().at_end() && !in.sees_word("esac"); in.pass_space())
    node.children.push_back(pattern(in));
  in.expect("esac", node.place);
  return node;
}

}  // namespace

Node read_compound(Tokens in) {
  const Cursor& cursor = in.cursor();
  if (cursor.sees("((")) return arithmetic(in);
  if (cursor.peek() == '(') return bracketed(in, Node::Kind::subshell, ")");
  if (cursor.peek() == '{' && is_space(cursor.peek(1)))
    return bracketed(in, Node::Kind::group, "}");
  if (in.sees_word("[[") && is_space(cursor.peek(2))) return condition(in);
  if (in.sees_word("if")) return branch(in);
  if (in.sees_any({"while", "until"})) return loop(in);
  if (in.sees_any({"for", "select"})) return each(in);
  if (in.sees_word("case")) return choice(in);
  if (std::string name = function_name(in); !name.empty()) return function(in, std::move(name));
  return read_simple(in);
}

}  // namespace pipewright::shell
