#include "interop/shell/other_script.hpp"

#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellOtherScripts, other_scripts_are_sourced_and_started) {
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

// Bash's manual, "Environment": assignments before a command are in its environment alone.
TEST(ShellOtherScripts, variables_before_a_script_are_its_own) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    if (path.ends_with("train.sh")) return "run ${TP:-1} ${PP:-1}\n";
    return std::nullopt;
  };
  EXPECT_EQ(commands_of("TP=2 ./train.sh\nrun ${TP:-1}", {.read = read}),
            "[./train.sh]\n[run][2][1]\n[run][1]\n");
  EXPECT_EQ(commands_of("PP=4 TP=2 bash train.sh", {.read = read}),
            "[bash][train.sh]\n[run][2][4]\n");
  EXPECT_EQ(commands_of("env TP=8 bash train.sh", {.read = read}),
            "[env][TP=8][bash][train.sh]\n[run][8][1]\n");
  EXPECT_EQ(commands_of("TP=2 bash -c 'run $TP'\nrun ${TP:-1}"), "[run][2]\n[run][1]\n");
}

TEST(ShellOtherScripts, a_job_that_queues_itself_again_is_followed_once) {
  const std::string text = "sbatch --dependency=singleton $0\nsrun bash -c 'run 1'\n";
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    if (path == "run.sh") return text;
    return std::nullopt;
  };
  EXPECT_EQ(commands_of(text, {.read = read}),
            "[sbatch][--dependency=singleton][run.sh]\n[run][1]\n");
}

TEST(ShellOtherScripts, texts_that_a_shell_is_given_are_scripts) {
  EXPECT_EQ(commands_of("bcprun -p 8 --env 'A=1' -c 'run a.py --x 1'\n"), "[run][a.py][--x][1]\n");
  EXPECT_EQ(commands_of("CMD=\"torchrun a.py --x 1\"\nsrun -l bash -c \"${CMD}\"\n"),
            "[torchrun][a.py][--x][1]\n");
  EXPECT_EQ(commands_of("srun bash -x -c 'run 1'"), "[run][1]\n");
  EXPECT_EQ(commands_of("eval run 1"), "[run][1]\n");
}

TEST(ShellOtherScripts, texts_that_a_shell_reads_are_scripts) {
  for (const char* start : {"sbatch -N 2", "bash", "bash -s", "srun -l bash"})
    EXPECT_EQ(commands_of(std::string("N=8\n") + start + " <<EOF\nrun $N\nexit 0\nEOF\nend\n"),
              "[run][8]\n[end]\n");
  EXPECT_EQ(commands_of("echo run 1 | sbatch\n"), "[run][1]\n");
  EXPECT_EQ(commands_of("bash a.sh <<EOF\nyes\nEOF\n"), "[bash][a.sh]\n");
}

TEST(ShellOtherScripts, slurm_wraps_commands) {
  EXPECT_EQ(commands_of("sbatch -N 2 --wrap=\"run a.py\"\nend"), "[run][a.py]\n[end]\n");
  EXPECT_EQ(commands_of("sbatch --wrap 'run a.py'"), "[run][a.py]\n");
  EXPECT_EQ(commands_of("other --wrap 'run a.py'"), "[other][--wrap][run a.py]\n");
}

/// A scheduler whose jobs see their options.
std::map<std::string, std::string> options_of(std::string_view header) {
  return {{"OPTIONS", std::string(header.substr(header.find_last_of('#')))}};
}

TEST(ShellOtherScripts, jobs_that_are_queued_have_options_of_their_own) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "job.slurm")
      return "#!/bin/bash\n#SBATCH -N 2\nrun \"$OPTIONS\" $1\n#SBATCH -n 9\n";
    return std::nullopt;
  };
  const shell::Outcome outcome =
      follow("first\nsbatch -N 4 job.slurm x\nlast\n", {.read = read, .scheduler = options_of});
  EXPECT_EQ(outcome.queued.size(), 1u);
  EXPECT_EQ(outcome.queued.at(2), "#!/bin/bash\n#SBATCH -N 2\n\n#SBATCH -N 4");
  EXPECT_EQ(shell::written(outcome.commands.at(2).at(1)), "#SBATCH -N 4");
  EXPECT_EQ(shell::written(outcome.commands.at(2).at(2)), "x");
  EXPECT_EQ(follow("N=3\nsbatch <<E\n#SBATCH -N $N\nrun\nE\n").queued.at(0),
            "#SBATCH -N 3\n\n#SBATCH");
}

}  // namespace
}  // namespace pipewright::test
