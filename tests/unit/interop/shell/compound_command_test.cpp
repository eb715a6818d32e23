#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellCompoundCommands, conditions_that_the_text_decides_choose_a_branch) {
  const std::string script =
      "SIZE=7b\nif [ $SIZE = 1b ]; then\n  L=16\nelif [[ $SIZE == 7* ]]; then\n  L=32\nelse\n"
      "  L=80\nfi\nrun --num-layers $L\n";
  EXPECT_EQ(commands_of(script), "[run][--num-layers][32]\n");
  EXPECT_EQ(commands_of("case 13b in 7b|8b) L=32;; 13*) L=40;; *) L=0;; esac; run $L"),
            "[run][40]\n");
  EXPECT_EQ(commands_of("N=3; ((N > 2)) && run many || run few"), "[run][many]\n");
}

// As Bash 5.2 has them.
TEST(ShellCompoundCommands, a_subshell_ends_alone) {
  EXPECT_EQ(commands_of("(run a; exit 0; run b)\nrun c"), "[run][a]\n[run][c]\n");
  EXPECT_EQ(commands_of("(exit 1) || run no\n(exit) && run yes"), "[run][no]\n[run][yes]\n");
  EXPECT_EQ(commands_of("for i in 1 2; do (break); run $i; done"), "[run][1]\n[run][2]\n");
  EXPECT_FALSE(follow("(exit 1)\nrun").ended);
  EXPECT_TRUE(follow("exit 1\nrun").ended);
}

TEST(ShellCompoundCommands, ifs_splits_values) {
  EXPECT_EQ(commands_of("IFS=,\nX=a,b\nfor i in $X; do run $i; done"), "[run][a]\n[run][b]\n");
  EXPECT_EQ(commands_of("X=4:2\nIFS=: set -- $X\nIFS=:\nset -- $X\nrun $1 $2"), "[run][4][2]\n");
}

TEST(ShellCompoundCommands, what_only_the_machine_knows_is_a_decision) {
  const std::string script = "if [ -f ckpt ]; then A=1; else A=2; fi; run $A";
  const shell::Outcome outcome = follow(script);
  ASSERT_EQ(outcome.decisions.size(), 1u);
  EXPECT_FALSE(outcome.decisions[0].taken);
  EXPECT_EQ(commands_of(script), "[run][2]\n");
  EXPECT_EQ(commands_of(script, {.decisions = {true}}), "[run][1]\n");
}

TEST(ShellCompoundCommands, loops_run_for_each_word_and_while_a_condition_holds) {
  EXPECT_EQ(commands_of("for s in 1 2; do run $s; done"), "[run][1]\n[run][2]\n");
  EXPECT_EQ(commands_of("for ((i=0; i<3; i++)); do run $i; done"),
            "[run][0]\n[run][1]\n[run][2]\n");
  EXPECT_EQ(commands_of("i=0; while [ $i -lt 2 ]; do run $i; i=$((i+1)); done"),
            "[run][0]\n[run][1]\n");
}

// Nobody knows how often the body runs: what it changes is not known, and what it runs may run.
TEST(ShellCompoundCommands, loops_that_only_the_machine_ends_make_what_they_change_unknown) {
  const auto is_known = [](const std::string& script) {
    const shell::Outcome outcome = follow(script);
    return !shell::unknown_in(outcome.commands.back().back());
  };
  EXPECT_FALSE(is_known("N=0\nwhile read H; do N=$((N+1)); done < hosts\nrun $N"));
  EXPECT_FALSE(is_known("N=0\nfor H in $(scontrol show hostnames); do N=$((N+1)); done\nrun $N"));
  EXPECT_FALSE(is_known("for H in $(scontrol x); do L+=($H); done\nrun ${#L[@]}"));
  EXPECT_FALSE(is_known("A=1\nwhile read H; do unset A; done\nrun $A"));
  EXPECT_TRUE(is_known("N=0\nfor H in \"$(scontrol x)\"; do N=$((N+1)); done\nrun $N"));
  EXPECT_TRUE(is_known("N=4\nwhile read H; do (N=5); M=1; done\nrun $N"));
  EXPECT_TRUE(is_known("while ! nc -z host 1; do sleep 1; exit 1; done\nrun 2"));
  EXPECT_EQ(commands_of("while read H; do ssh $H run 8; done < hosts"),
            "[ssh][what is read][run][8]\n");
}

TEST(ShellCompoundCommands, a_subshell_changes_nothing_outside) {
  EXPECT_EQ(commands_of("N=1\n(N=2; run $N)\nrun $N"), "[run][2]\n[run][1]\n");
  EXPECT_EQ(commands_of("for s in 1 2 3; do [ $s = 2 ] && continue; run $s; done"),
            "[run][1]\n[run][3]\n");
}

// An argument of the script that nobody gives leaves a hole in an expression.
TEST(ShellCompoundCommands, a_loop_over_what_is_not_set_is_not_known) {
  EXPECT_EQ(commands_of("GPUS=$1\nfor ((i=0; i<$GPUS; i++)); do run $i; done\nrun all"),
            "[run][all]\n");
}

}  // namespace
}  // namespace pipewright::test
