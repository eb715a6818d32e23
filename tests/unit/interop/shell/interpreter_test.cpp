#include "interop/shell/interpreter.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellInterpreter, what_nobody_sets_is_empty_and_named) {
  const shell::Outcome outcome = follow("if [ -n \"$WANDB\" ]; then A=--w; fi\nrun $A\n");
  EXPECT_TRUE(outcome.asked.unset.contains("WANDB"));
  EXPECT_TRUE(outcome.decisions.empty());
  EXPECT_EQ(outcome.commands.size(), 1u);
}

TEST(ShellInterpreter, a_value_from_outside_holds_whatever_the_script_says) {
  EXPECT_EQ(commands_of("N=${N:-1}; run $N $M $1", {.given = {{"N", "4"}, {"M", "5"}, {"1", "x"}}}),
            "[run][4][5][x]\n");
  EXPECT_EQ(commands_of("N=1; run $N", {.given = {{"N", "16"}}}), "[run][16]\n");
  EXPECT_EQ(commands_of("N=$(nproc); run $N", {.given = {{"N", "16"}}}), "[run][16]\n");
}

TEST(ShellInterpreter, scripts_that_do_not_end_are_named) {
  EXPECT_NE(error_of([] { follow("f() { f; }; f"); }).find("without end"), std::string::npos);
  const auto itself = [](const std::string&) { return std::optional<std::string>("source a.sh"); };
  EXPECT_NE(error_of([&] { follow("source a.sh", {.read = itself}); }).find("sourced by itself"),
            std::string::npos);
}

TEST(ShellInterpreter, what_a_substitution_changes_is_gone_behind_it) {
  EXPECT_EQ(commands_of("(( $(f() { run 1; }; echo 1) ))\nf"), "[f]\n");
  EXPECT_EQ(commands_of("f() { run 1; }\nA=$(f() { run 2; }; break)\nf"), "[run][1]\n");
  EXPECT_EQ(commands_of("A=(a b); B=(c d); C=(e f); run ${A[$(echo 1)]} ${B[$(echo 0)]}"),
            "[run][b][c]\n");
}

TEST(ShellInterpreter, nothing_runs_after_exit) {
  const shell::Outcome outcome = follow("run 1\nexit 0\nrun 2\n");
  EXPECT_EQ(outcome.commands.size(), 1u);
  ASSERT_TRUE(outcome.ended);
  EXPECT_EQ(outcome.ended->line, 2);
}

// Commands in $(...) are of no account, and neither are the variables that they are given.
TEST(ShellInterpreter, commands_keep_their_own_variables_behind_a_substitution) {
  const shell::Outcome outcome = follow("X=$(A=1 date)\nexport B=2\nrun\n");
  ASSERT_EQ(outcome.commands.size(), 1u);
  ASSERT_EQ(outcome.variables.size(), 1u);
  EXPECT_TRUE(outcome.variables[0]->contains("B"));
  EXPECT_TRUE(outcome.own_variables.empty());
}

TEST(ShellInterpreter, a_job_that_is_queued_within_a_substitution_runs) {
  const shell::Surroundings with_job{.read = [](const std::string& path) {
    return path == "t.sh" ? std::optional<std::string>("export B=2\ntrain $1\n") : std::nullopt;
  }};
  const shell::Outcome outcome =
      follow("J=$(date; sbatch --parsable --nodes=4 t.sh a | cut -d, -f1)\nrun $J\n", with_job);
  ASSERT_EQ(outcome.commands.size(), 2u);
  EXPECT_EQ(shell::written(outcome.commands[0][1]), "a");
  EXPECT_TRUE(outcome.variables[0]->contains("B"));
  ASSERT_TRUE(outcome.queued.contains(0));
  EXPECT_NE(outcome.queued.at(0).find("--nodes=4"), std::string::npos);
  EXPECT_FALSE(outcome.queued.contains(1));
}

}  // namespace
}  // namespace pipewright::test
