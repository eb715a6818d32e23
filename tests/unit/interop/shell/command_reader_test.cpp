#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellCommands, end_with_their_line_unless_it_is_continued) {
  EXPECT_EQ(commands_of("a b\nc \\\n  d; e & f | g\n"), "[a][b]\n[c][d]\n[e]\n[f]\n[g]\n");
  EXPECT_EQ(commands_of("a \\\r\n  b\r\nc\r\n"), "[a][b]\n[c]\n");
}

TEST(ShellCommands, what_has_no_place_is_named) {
  EXPECT_EQ(error_of([] { follow("a )"); }), "run.sh:1:3: error: ')' is not expected here");
}

}  // namespace
}  // namespace pipewright::test
