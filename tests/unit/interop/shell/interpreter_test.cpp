#include "interop/shell/interpreter.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellInterpreter, functions_run_where_they_are_called_and_not_before) {
  EXPECT_EQ(commands_of("f() {\n  run $1 $N\n}\nN=2\nf a\nf b\n"), "[run][a][2]\n[run][b][2]\n");
  EXPECT_EQ(commands_of("unused() { run 1; }\nrun 2\n"), "[run][2]\n");
  EXPECT_EQ(commands_of("function g {\n  local X=7\n  run $X\n}\ng"), "[run][7]\n");
}

TEST(ShellInterpreter, conditions_that_the_text_decides_choose_a_branch) {
  const std::string script =
      "SIZE=7b\nif [ $SIZE = 1b ]; then\n  L=16\nelif [[ $SIZE == 7* ]]; then\n  L=32\nelse\n"
      "  L=80\nfi\nrun --num-layers $L\n";
  EXPECT_EQ(commands_of(script), "[run][--num-layers][32]\n");
  EXPECT_EQ(commands_of("case 13b in 7b|8b) L=32;; 13*) L=40;; *) L=0;; esac; run $L"),
            "[run][40]\n");
  EXPECT_EQ(commands_of("N=3; ((N > 2)) && run many || run few"), "[run][many]\n");
}

TEST(ShellInterpreter, what_nobody_sets_is_empty_and_named) {
  const shell::Outcome outcome = follow("if [ -n \"$WANDB\" ]; then A=--w; fi\nrun $A\n");
  EXPECT_TRUE(outcome.asked.unset.contains("WANDB"));
  EXPECT_TRUE(outcome.decisions.empty());
  EXPECT_EQ(outcome.commands.size(), 1u);
}

TEST(ShellInterpreter, what_only_the_machine_knows_is_a_decision) {
  const std::string script = "if [ -f ckpt ]; then A=1; else A=2; fi; run $A";
  const shell::Outcome outcome = follow(script);
  ASSERT_EQ(outcome.decisions.size(), 1u);
  EXPECT_FALSE(outcome.decisions[0].taken);
  EXPECT_EQ(commands_of(script), "[run][2]\n");
  EXPECT_EQ(commands_of(script, {.decisions = {true}}), "[run][1]\n");
}

TEST(ShellInterpreter, a_value_from_outside_holds_whatever_the_script_says) {
  EXPECT_EQ(commands_of("N=${N:-1}; run $N $M $1", {.given = {{"N", "4"}, {"M", "5"}, {"1", "x"}}}),
            "[run][4][5][x]\n");
  EXPECT_EQ(commands_of("N=1; run $N", {.given = {{"N", "16"}}}), "[run][16]\n");
  EXPECT_EQ(commands_of("N=$(nproc); run $N", {.given = {{"N", "16"}}}), "[run][16]\n");
}

TEST(ShellInterpreter, other_scripts_are_sourced_and_started) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "conf.sh") return "LAYERS=24\n";
    if (path == "train.sh") return "run --num-layers $LAYERS $1\n";
    return std::nullopt;
  };
  EXPECT_EQ(commands_of("source conf.sh\nrun $LAYERS", {.read = read}), "[run][24]\n");
  EXPECT_EQ(commands_of(". ./conf.sh || true\nrun ${LAYERS:-9}", {.read = read}), "[run][9]\n");
  EXPECT_EQ(commands_of("source conf.sh\nbash train.sh x", {.read = read}),
            "[bash][train.sh][x]\n[run][--num-layers][24][x]\n");
  EXPECT_TRUE(follow("source other.sh", {.read = read}).missing.contains("other.sh"));
}

TEST(ShellInterpreter, here_documents_are_files) {
  const shell::Outcome outcome =
      follow("Z=3\ncat <<EOT > ds.json\n{\"stage\": $Z}\nEOT\ncat > b <<'E'\n$Z\nE\nrun\n");
  EXPECT_EQ(outcome.written.at("ds.json"), "{\"stage\": 3}\n");
  EXPECT_EQ(outcome.written.at("b"), "$Z\n");
  EXPECT_EQ(outcome.commands.size(), 1u);
}

TEST(ShellInterpreter, texts_that_a_shell_is_given_are_scripts) {
  EXPECT_EQ(commands_of("CMD=\"torchrun a.py --x 1\"\nsrun -l bash -c \"${CMD}\"\n"),
            "[torchrun][a.py][--x][1]\n");
  EXPECT_EQ(commands_of("eval run 1"), "[run][1]\n");
}

TEST(ShellInterpreter, loops_and_scripts_that_do_not_end_are_named) {
  EXPECT_EQ(commands_of("for s in 1 2; do run $s; done"), "[run][1]\n[run][2]\n");
  EXPECT_EQ(commands_of("for ((i=0; i<3; i++)); do run $i; done"),
            "[run][0]\n[run][1]\n[run][2]\n");
  EXPECT_EQ(commands_of("i=0; while [ $i -lt 2 ]; do run $i; i=$((i+1)); done"),
            "[run][0]\n[run][1]\n");
  EXPECT_NE(error_of([] { follow("f() { f; }; f"); }).find("without end"), std::string::npos);
  const auto itself = [](const std::string&) { return std::optional<std::string>("source a.sh"); };
  EXPECT_NE(error_of([&] { follow("source a.sh", {.read = itself}); }).find("sourced by itself"),
            std::string::npos);
}

TEST(ShellInterpreter, nothing_runs_after_exit) {
  const shell::Outcome outcome = follow("run 1\nexit 0\nrun 2\n");
  EXPECT_EQ(outcome.commands.size(), 1u);
  ASSERT_TRUE(outcome.ended);
  EXPECT_EQ(outcome.ended->line, 2);
}

}  // namespace
}  // namespace pipewright::test
