#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

// As Bash 5.2 has them.
TEST(ShellReading, what_a_text_gives_is_read) {
  EXPECT_EQ(commands_of("read A B <<< \"1 2 3\"\nrun \"$A\" \"$B\""), "[run][1][2 3]\n");
  EXPECT_EQ(commands_of("IFS=, read -r TP PP <<< 4,2\nrun $TP $PP a,b"), "[run][4][2][a,b]\n");
  EXPECT_EQ(commands_of("IFS=',' read -ra N <<< \"h1,h2\"\nrun ${#N[@]} ${N[1]}"),
            "[run][2][h2]\n");
  EXPECT_EQ(commands_of("read -p 'which? ' X <<< y\nrun $X"), "[run][y]\n");
}

TEST(ShellReading, what_is_read_is_not_known) {
  const shell::Outcome outcome = follow("read N\nrun $N");
  EXPECT_FALSE(shell::known(outcome.commands[0][1]));
}

// mapfile does not fail, and there are no options where there are no arguments.
TEST(ShellReading, commands_say_whether_there_was_something) {
  EXPECT_EQ(commands_of("mapfile -t N < hosts || exit 1\nrun"), "[run]\n");
  EXPECT_EQ(commands_of("while getopts a: O; do A=$OPTARG; done\nrun ${A:-1}"), "[run][1]\n");
  EXPECT_EQ(follow("if read N; then run; fi").decisions.size(), 1u);
}

}  // namespace
}  // namespace pipewright::test
