#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellCommands, end_with_their_line_unless_it_is_continued) {
  EXPECT_EQ(commands_of("a b\nc \\\n  d; e & f | g\n"), "[a][b]\n[c][d]\n[e]\n[f]\n[g]\n");
  EXPECT_EQ(commands_of("a \\\r\n  b\r\nc\r\n"), "[a][b]\n[c]\n");
}

TEST(ShellCommands, redirections_are_no_words) {
  EXPECT_EQ(commands_of("run a 2>&1 > log < in &> all b\n"), "[run][a][b]\n");
  EXPECT_EQ(commands_of("run --data <Specify path>_text x"),
            "[run][--data][<Specify_path>_text][x]\n");
}

TEST(ShellCommands, what_is_not_closed_is_named_where_it_begins) {
  EXPECT_EQ(error_of([] { follow("A=(b"); }),
            "run.sh:1:1: error: the '(' of this array is not closed");
  EXPECT_EQ(error_of([] { follow("a\nif true; then\nb\n"); }),
            "run.sh:2:1: error: 'fi' is missing");
  EXPECT_EQ(error_of([] { follow("cat <<E\nb\n"); }).substr(0, 8), "run.sh:1");
  EXPECT_EQ(error_of([] { follow("a )"); }), "run.sh:1:3: error: ')' is not expected here");
}

TEST(ShellCommands, are_not_nested_without_end) {
  const std::string deep(100'000, '(');
  EXPECT_NE(error_of([&] { follow(deep); }), "no error");
  std::string ifs;
  for (int i = 0; i < 100'000; ++i) ifs += "if a; then ";
  EXPECT_NE(error_of([&] { follow(ifs); }).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
