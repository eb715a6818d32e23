// Lists of commands, and what joins commands on a line.
#include <fmt/format.h>

#include <utility>

#include "interop/shell/expansion_reader.hpp"
#include "interop/shell/grammar.hpp"

namespace pipewright::shell {
namespace {

constexpr int longest_chain = 1000;

Node pipeline(Tokens in) {
  Cursor& cursor = in.cursor();
  if (cursor.peek() == '!' && is_space(cursor.peek(1))) {
    Node negation = in.node_of(Node::Kind::negation);
    cursor.step();
    in.pass_blanks();
    negation.children.push_back(pipeline(in.inner()));
    return negation;
  }
  Node all = in.node_of(Node::Kind::pipeline);
  all.children.push_back(read_command(in));
  for (in.pass_blanks(); cursor.peek() == '|' && cursor.peek(1) != '|'; in.pass_blanks()) {
    cursor.step(cursor.peek(1) == '&' ? 2 : 1);
    in.pass_space();
    all.children.push_back(read_command(in));
  }
  return all.children.size() == 1 ? std::move(all.children.front()) : all;
}

/// Commands joined by && and ||.
Node chain(Tokens in) {
  Cursor& cursor = in.cursor();
  Node left = pipeline(in);
  for (int links = 0;; ++links) {
    in.pass_blanks();
    const bool both = cursor.sees("&&");
    if (!both && !cursor.sees("||")) return left;
    if (links > longest_chain) Cursor::fail(cursor.place(), "this chain is too long");
    Node joined = in.node_of(both ? Node::Kind::both : Node::Kind::either);
    cursor.step(2);
    in.pass_space();
    joined.children.push_back(std::move(left));
    joined.children.push_back(pipeline(in));
    left = std::move(joined);
  }
}

}  // namespace

Node read_list(Tokens in, std::initializer_list<std::string_view> ends) {
  Cursor& cursor = in.cursor();
  Node all = in.node_of(Node::Kind::list);
  while (true) {
    in.pass_space();
    while (cursor.peek() == ';' && !cursor.sees(";;")) cursor.step(), in.pass_space();
    if (cursor.at_end() || in.sees_any(ends)) return all;
    const size_t before = cursor.offset();
    all.children.push_back(chain(in));
    in.pass_blanks();
    if ((cursor.peek() == ';' && cursor.peek(1) != ';') || cursor.peek() == '&') cursor.step();
    if (cursor.offset() == before)
      Cursor::fail(cursor.place(), fmt::format("'{}' is not expected here", cursor.peek()));
  }
}

Node read_command(Tokens in) {
  Node node = read_compound(in);
  if (node.kind == Node::Kind::simple) return node;
  for (in.pass_blanks(); read_redirection(in, node); in.pass_blanks()) continue;
  return node;
}

std::vector<Node> read_substitution(Cursor& cursor, int depth) {
  const Place start = cursor.place();
  Tokens in(cursor, depth);
  std::vector<Node> commands;
  commands.push_back(read_list(in, {")"}));
  in.expect(")", start);
  return commands;
}

Node read_script(std::string_view text, const Place& place) {
  Cursor cursor(text, place);
  return read_list({cursor, 0}, {});
}

}  // namespace pipewright::shell
