// Simple commands: assignments, words and redirections.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "interop/shell/grammar.hpp"
#include "interop/shell/word_reader.hpp"

namespace pipewright::shell {
namespace {

/// Commands whose arguments may be assignments.
constexpr std::string_view declarations[] = {"export", "declare", "local", "readonly", "typeset"};

constexpr std::string_view signs[] = {"<<<", "<<-", "<<", "<&", "<(", ">(",
                                      "<>",  ">>",  ">&", ">|", "<",  ">"};

bool declares(const Node& node) {
  if (node.words.empty() || node.words.front().parts.size() != 1) return false;
  const std::string& name = node.words.front().parts.front().text;
  return std::find(std::begin(declarations), std::end(declarations), name) !=
         std::end(declarations);
}

void here_document(Tokens in, Redirection& redirection, bool strips) {
  const Word end = in.word();
  std::string name;
  bool quoted = false;
  for (const Part& part : end.parts) name += part.text, quoted = quoted || part.quoted;
  Place place = in.cursor().place();
  const std::string body = in.cursor().take_here_document(name, strips, place);
  redirection.operation = "<<";
  if (quoted)
    redirection.target = {{{Part::Kind::literal, body, place, true, {}, {}}}, place};
  else
    redirection.target = read_quoted(body, place);
}

/// Passes the sign of a redirection and the file number before it; returns the sign, or nothing.
std::string_view take_sign(Cursor& cursor, std::string& number) {
  Cursor ahead = cursor;
  while (is_digit(ahead.peek())) number += ahead.peek(), ahead.step();
  if (ahead.peek() == '&' && ahead.peek(1) == '>') ahead.step();
  if (placeholder_length(ahead) > 0) return {};
  for (const std::string_view sign : signs) {
    if (!ahead.take(sign)) continue;
    cursor = ahead;
    return sign;
  }
  return {};
}

/// The words of an array.
void elements(Tokens in, Assignment& assignment) {
  Cursor& cursor = in.cursor();
  assignment.is_array = true;
  cursor.step();
  for (in.pass_space(); !cursor.at_end() && cursor.peek() != ')'; in.pass_space())
    assignment.values.push_back(
        in.word_or_fail(fmt::format("'{}' is not expected here", cursor.peek())));
  if (!cursor.take(")")) Cursor::fail(assignment.place, "the '(' of this array is not closed");
}

void assigned(Tokens in, Assignment& assignment) {
  if (in.cursor().peek() == '(')
    elements(in, assignment);
  else
    assignment.values.push_back(in.word());
}

/// Reads NAME= or NAME[INDEX]+=; returns whether that is what stands here.
bool target(Tokens in, Assignment& assignment) {
  Cursor& cursor = in.cursor();
  if (is_digit(cursor.peek())) return false;
  assignment.place = cursor.place();
  assignment.name = cursor.take_name();
  if (assignment.name.empty()) return false;
  if (cursor.take("[")) {
    assignment.index.push_back(in.word("]"));
    if (!cursor.take("]")) return false;
  }
  assignment.appends = cursor.take("+=");
  return assignment.appends || cursor.take("=");
}

bool read_assignment(Tokens in, Node& node) {
  const Cursor start = in.cursor();
  Assignment assignment;
  if (!target(in, assignment)) {
    in.cursor() = start;
    return false;
  }
  assigned(in, assignment);
  node.assignments.push_back(std::move(assignment));
  return true;
}

}  // namespace

Node read_simple(Tokens in) {
  Node node = in.node_of(Node::Kind::simple);
  while (true) {
    in.pass_blanks();
    if (read_redirection(in, node)) continue;
    if ((node.words.empty() || declares(node)) && read_assignment(in, node)) continue;
    Word next = in.word();
    if (next.parts.empty()) {
      // `<(...)` and what else opens a bracket in a word's place.
      if (in.cursor().peek() == '(') Cursor::fail(in.cursor().place(), "'(' is not expected here");
      return node;
    }
    node.words.push_back(std::move(next));
  }
}

bool read_redirection(Tokens in, Node& node) {
  std::string number;
  const std::string_view sign = take_sign(in.cursor(), number);
  if (sign.empty()) return false;
  Redirection redirection;
  redirection.operation = sign;
  redirection.of_errors = !number.empty() && number != "1";
  in.pass_blanks();
  if (sign == "<<" || sign == "<<-") {
    here_document(in, redirection, sign == "<<-");
  } else if (sign.ends_with('(')) {
    read_list(in.inner(), {")"});
    in.expect(")", node.place);
  } else {
    redirection.target = in.word();
  }
  node.redirections.push_back(std::move(redirection));
  return true;
}

}  // namespace pipewright::shell
