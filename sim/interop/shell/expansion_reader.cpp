#include "interop/shell/expansion_reader.hpp"

#include <utility>

#include "interop/shell/word_reader.hpp"

namespace pipewright::shell {
namespace {

/// Each stands before those that it begins like.
constexpr std::string_view operations[] = {":-", ":=", ":+", ":?", "##", "%%", "//", "/#",
                                           "/%", "^^", ",,", "-",  "=",  "+",  "?",  "#",
                                           "%",  "/",  "^",  ",",  ":",  "@"};

bool is_special(char c) {
  return c != '\0' && std::string_view("@*#?$!-").find(c) != std::string_view::npos;
}

/// $NAME, $1, $@.
void read_name(Cursor& cursor, Part& part) {
  part.kind = Part::Kind::parameter;
  cursor.step();
  const char first = cursor.peek();
  if (in_name(first) && !is_digit(first)) {
    part.parameter.name = cursor.take_name();
    return;
  }
  part.parameter.name = first;
  cursor.step();
}

void read_operation(Cursor& cursor, int depth, Part& part) {
  Parameter& parameter = part.parameter;
  for (const std::string_view operation : operations) {
    if (!cursor.take(operation)) continue;
    parameter.operation = operation;
    break;
  }
  Word argument = WordReader(cursor, depth + 1).until('}', part.quoted);
  if (parameter.operation.empty() && !argument.parts.empty())
    Cursor::fail(part.place, "this is no expansion that Bash knows");
  if (!parameter.operation.empty()) parameter.argument.push_back(std::move(argument));
}

/// ${...}.
void read_braces(Cursor& cursor, int depth, Part& part) {
  part.kind = Part::Kind::parameter;
  Parameter& parameter = part.parameter;
  cursor.step(2);
  const char next = cursor.peek(1);
  if ((cursor.peek() == '#' || cursor.peek() == '!') &&
      (in_name(next) || next == '@' || next == '*')) {
    parameter.sigil = cursor.peek();
    cursor.step();
  }
  parameter.name = cursor.take_name();
  if (parameter.name.empty() && !cursor.at_end()) {
    parameter.name = cursor.peek();
    cursor.step();
  }
  if (cursor.take("[")) {
    parameter.indexed = true;
    parameter.index.push_back(WordReader(cursor, depth + 1).until(']', part.quoted));
  }
  read_operation(cursor, depth, part);
}

/// $((...)). What stands inside is kept as text with parameters.
void read_arithmetic(Cursor& cursor, int depth, Part& part) {
  part.kind = Part::Kind::arithmetic;
  cursor.step(3);
  part.parameter.argument.push_back(WordReader(cursor, depth + 1).until_closed());
  if (!cursor.take("))")) Cursor::fail(part.place, "this '$((' is not closed");
}

/// $(...).
void read_commands(Cursor& cursor, int depth, Part& part) {
  part.kind = Part::Kind::command;
  cursor.step(2);
  part.commands = read_substitution(cursor, depth + 1);
}

}  // namespace

std::optional<Part> read_expansion(Cursor& cursor, int depth, bool quoted) {
  const char next = cursor.peek(1);
  const size_t start = cursor.offset();
  Part part;
  part.place = cursor.place();
  part.quoted = quoted;
  if (next == '{')
    read_braces(cursor, depth, part);
  else if (next == '(' && cursor.peek(2) == '(')
    read_arithmetic(cursor, depth, part);
  else if (next == '(')
    read_commands(cursor, depth, part);
  else if (in_name(next) || is_special(next))
    read_name(cursor, part);
  else
    return std::nullopt;
  part.text = cursor.since(start);
  return part;
}

/// A backslash between such quotes stands before what they would end or begin; elsewhere it is the
/// command's.
Part read_backtick(Cursor& cursor, int depth, bool quoted) {
  const std::string_view escaped = quoted ? "$`\\\"" : "$`\\";
  Part part;
  part.kind = Part::Kind::command;
  part.quoted = quoted;
  part.place = cursor.place();
  const size_t start = cursor.offset();
  cursor.step();
  const Place inside = cursor.place();
  std::string text;
  while (!cursor.at_end() && cursor.peek() != '`') {
    if (cursor.peek() == '\\' && escaped.find(cursor.peek(1)) != std::string_view::npos)
      cursor.step();
    text += cursor.peek();
    cursor.step();
  }
  if (cursor.at_end()) Cursor::fail(part.place, "this quote is not closed");
  cursor.step();
  text += ')';
  Cursor inner(text, inside);
  part.commands = read_substitution(inner, depth + 1);
  part.text = cursor.since(start);
  return part;
}

}  // namespace pipewright::shell
