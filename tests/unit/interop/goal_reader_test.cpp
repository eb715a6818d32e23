#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "interop/goal.hpp"
#include "support/error_of.hpp"

namespace pipewright::goal {
namespace {

using test::error_of;

/// The message of what is wrong in `text`, less the file's name.
std::string reader_error(const std::string& text) {
  const std::string message = error_of([&] { parse(text, "f"); });
  return message.substr(message.rfind("f:", 0) == 0 ? 2 : 0);
}
/// The same for one line inside of rank 0 of 2, which is line 3.
std::string line_error(const std::string& line) {
  return reader_error("num_ranks 2\nrank 0 {\n" + line + "\n}\nrank 1 {\n}\n");
}

TEST(GoalReader, every_statement_is_read) {
  const Goal goal = parse(
      "num_ranks 2\n"
      "rank 0 {\n"
      "l1: calc 100 cpu 2\n"
      "  l2: send 10b to 1 tag 3 cpu 1 nic 4\r\n"
      "calc 7\n"
      "l2 requires l1\n"
      "}\n"
      "rank 1 {\n"
      "l1: recv 10b from 0 tag 3\n"
      "l2: calc 0\n"
      "l2 irequires l1\n"
      "}\n",
      "f");
  ASSERT_EQ(goal.ranks.size(), 2u);
  ASSERT_EQ(goal.ops_of(0).size(), 3u);
  const Op& calc = goal.ops[0];
  EXPECT_EQ(calc.kind, Kind::calc);
  EXPECT_EQ(calc.amount, 100);
  EXPECT_EQ(calc.cpu, 2);
  const Op& send = goal.ops[1];
  EXPECT_EQ(send.kind, Kind::send);
  EXPECT_EQ(send.amount, 10);
  EXPECT_EQ(send.peer, 1u);
  EXPECT_EQ(send.tag, 3u);
  EXPECT_EQ(send.cpu, 1);
  EXPECT_EQ(send.nic, 4);
  EXPECT_EQ(send.line, 4u);
  EXPECT_EQ(send.column, 3);
  EXPECT_EQ(goal.name(1), "l2");
  EXPECT_EQ(goal.name(2), "op at line 5");
  EXPECT_EQ(goal.ops[3].kind, Kind::recv);
  EXPECT_EQ(goal.rank_of(3), 1u);
  ASSERT_EQ(goal.dependencies.size(), 2u);
  EXPECT_EQ(goal.dependencies[0].op, 1u);
  EXPECT_EQ(goal.dependencies[0].on, 0u);
  EXPECT_FALSE(goal.dependencies[0].on_start);
  EXPECT_EQ(goal.dependencies[1].op, 4u);
  EXPECT_EQ(goal.dependencies[1].on, 3u);
  EXPECT_TRUE(goal.dependencies[1].on_start);
}

TEST(GoalReader, comments_may_stand_anywhere_between_statements) {
  const Goal goal = parse(
      "// one\n/* two\n lines */ num_ranks 1 rank 0 { /* here */ calc 1 // and here\n"
      "/* many\n * lines\n **/ calc 2 }\n",
      "f");
  ASSERT_EQ(goal.ops.size(), 2u);
  EXPECT_EQ(goal.ops[1].amount, 2);
  EXPECT_EQ(goal.ops[1].line, 6u);
}

TEST(GoalReader, ranks_and_labels_may_come_in_any_order) {
  const Goal goal = parse(
      "num_ranks 2\nrank 1 {\nb requires a\na: calc 1\nb: calc 2\n}\nrank 0 {\na: calc 3\n}", "f");
  EXPECT_EQ(goal.ops_of(0)[0].amount, 3);
  EXPECT_EQ(goal.ops_of(1).size(), 2u);
  EXPECT_EQ(goal.rank_of(2), 0u);
  ASSERT_EQ(goal.dependencies.size(), 1u);
  EXPECT_EQ(goal.dependencies[0].op, 1u);
  EXPECT_EQ(goal.dependencies[0].on, 0u);
}

TEST(GoalReader, what_is_wrong_is_told_with_its_place) {
  EXPECT_EQ(line_error("l1: calk 5"),
            "3:5: error: expected 'calc', 'send' or 'recv' after the label");
  EXPECT_EQ(line_error("l1 needs l2"),
            "3:4: error: expected ':', 'requires' or 'irequires' after the label");
  EXPECT_EQ(line_error("l1: calc many"),
            "3:10: error: expected a number of nanoseconds, found 'm'");
  EXPECT_EQ(line_error("calc 5 cpu"),
            "3:11: error: expected the number of a cpu or nic, found the end of the line");
  EXPECT_EQ(line_error("send 10 to 1"),
            "3:9: error: expected 'b' after the number of bytes, as in 8b, found 't'");
  EXPECT_EQ(line_error("send 10b from 1"), "3:10: error: expected 'to', found 'f'");
  EXPECT_EQ(line_error("recv 10b to 1"), "3:10: error: expected 'from', found 't'");
  EXPECT_EQ(line_error("recv 1b from 0 tag 1 cpu 2 nic 3 x"),
            "3:34: error: expected the end of the line, found 'x'");
  EXPECT_EQ(line_error("calc 1; calc 2"), "3:7: error: expected the end of the line, found ';'");
  EXPECT_EQ(
      line_error("\x01"),
      "3:1: error: expected a label, 'calc', 'send', 'recv', 'rank' or '}', found the byte 0x01");
}

TEST(GoalReader, ranks_must_be_those_of_num_ranks) {
  EXPECT_EQ(line_error("send 1b to 2"),
            "3:12: error: there is no rank 2: num_ranks is 2, so they are 0 to 1");
  EXPECT_EQ(reader_error("num_ranks 1\nrank 1 {\n}\n"),
            "2:6: error: there is no rank 1: num_ranks is 1, so they are 0 to 0");
  EXPECT_EQ(reader_error("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n"),
            "4:1: error: rank 0 is given twice, first at line 2");
  EXPECT_EQ(reader_error("num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\n"),
            "6:1: error: rank 1 is missing: num_ranks is 3");
  EXPECT_EQ(reader_error("rank 0 {\n}\n"), "1:1: error: num_ranks must come before the first rank");
  EXPECT_EQ(reader_error("num_ranks 0\n"), "1:1: error: num_ranks must be at least 1");
  EXPECT_EQ(reader_error("num_ranks 1\nnum_ranks 1\n"), "2:1: error: num_ranks is given twice");
  EXPECT_EQ(reader_error("num_ranks 16777217\n"),
            "1:11: error: the number of ranks must be at most 16777216, not 16777217");
}

TEST(GoalReader, labels_must_be_given_once_and_used_where_they_are_known) {
  EXPECT_EQ(line_error("a: calc 1\na: calc 2"),
            "4:1: error: label 'a' is given twice in rank 0, first at line 3");
  EXPECT_EQ(line_error("a: calc 1\n  a requires l9"),
            "4:14: error: rank 0 has no op with the label 'l9'");
  EXPECT_EQ(line_error("l9 irequires a\na: calc 1"),
            "3:1: error: rank 0 has no op with the label 'l9'");
  EXPECT_EQ(line_error("a: calc 1\na requires a"), "4:1: error: 'a' waits for itself");
  EXPECT_EQ(line_error(std::string(256, 'a') + ": calc 1"),
            "3:1: error: a label of more than 255 characters");
}

TEST(GoalReader, numbers_must_fit) {
  EXPECT_EQ(line_error("calc 9223372036854775"), "no error");
  EXPECT_EQ(line_error("calc 9223372036854776"),
            "3:6: error: a number of nanoseconds must be at most 9223372036854775, not "
            "9223372036854776");
  EXPECT_EQ(line_error("calc 99999999999999999999999999999999999999999999999999"),
            "3:6: error: a number of nanoseconds must be at most 9223372036854775, not "
            "9999999999999999999999999999999999999999");
  EXPECT_EQ(line_error("calc 1 cpu 256"),
            "3:12: error: the number of a cpu or nic must be at most 255, not 256");
}

TEST(GoalReader, wildcards_are_refused) {
  EXPECT_EQ(line_error("recv 1b from -1"),
            "3:14: error: the other rank must be given: wildcards are not simulated");
  EXPECT_EQ(line_error("recv 1b from 0 tag -1"),
            "3:20: error: the tag must be given: wildcards are not simulated");
}

TEST(GoalReader, a_file_cut_short_is_an_error) {
  EXPECT_EQ(reader_error(""), "1:1: error: no 'num_ranks': this is not a GOAL file");
  EXPECT_EQ(reader_error("num_ranks 1\nrank 0 {\nl1: calc 5\n"),
            "4:1: error: the file ends inside of rank 0, which began at line 2: '}' is missing");
  EXPECT_EQ(reader_error("num_ranks 1\nrank 0 {\n}\n/* and"),
            "4:1: error: the file ends inside of a comment");
  EXPECT_EQ(reader_error("num_ranks 2\nrank 0 {\nrank 1 {\n"),
            "3:1: error: rank 0, which began at line 2, is not closed: '}' is missing");
  EXPECT_EQ(reader_error("num_ranks 1\n}\n"), "2:1: error: '}' closes no rank");
  EXPECT_EQ(reader_error("num_ranks 1\ncalc 5\n"),
            "2:1: error: 'calc' stands outside of any rank: expected 'num_ranks' or 'rank'");
}

// Three mebibytes, so that pieces end within lines; the comment spans several pieces.
TEST(GoalReader, a_file_is_read_in_pieces) {
  const std::string path = ::testing::TempDir() + "pieces.goal";
  {
    std::ofstream file(path);
    file << "num_ranks 1\n/*\n";
    for (int k = 0; k < 40000; ++k) file << "* a comment of many lines, calc 1\n";
    file << "*/ rank 0 {\n";
    for (int k = 0; k < 100000; ++k) file << "label" << k << ": calc " << k << "\n";
    file << "}";
  }
  const Goal goal = read_file(path);
  ASSERT_EQ(goal.ops.size(), 100000u);
  EXPECT_EQ(goal.ops.back().amount, 99999);
  EXPECT_EQ(goal.ops.back().line, 140003u);
  EXPECT_EQ(goal.name(99999), "label99999");
  std::remove(path.c_str());
}

TEST(GoalReader, a_line_without_an_end_is_refused) {
  const std::string path = ::testing::TempDir() + "line.goal";
  std::ofstream(path) << std::string(3 << 20, ' ');
  EXPECT_EQ(error_of([&] { read_file(path); }),
            path + ":1:1: error: a line of more than 1048576 bytes");
  std::remove(path.c_str());
}

TEST(GoalReader, a_file_that_cannot_be_read_is_reported_where_it_is_named) {
  const Where named{"e.yaml", 3, 16};
  EXPECT_EQ(error_of([&] { read_file("/nowhere/x.goal", named); }),
            "e.yaml:3:16: error: cannot read file '/nowhere/x.goal'");
  EXPECT_EQ(error_of([&] { read_file("/", named); }), "e.yaml:3:16: error: cannot read file '/'");
}

}  // namespace
}  // namespace pipewright::goal
