#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellSimpleCommands, functions_run_where_they_are_called_and_not_before) {
  EXPECT_EQ(commands_of("f() {\n  run $1 $N\n}\nN=2\nf a\nf b\n"), "[run][a][2]\n[run][b][2]\n");
  EXPECT_EQ(commands_of("unused() { run 1; }\nrun 2\n"), "[run][2]\n");
  EXPECT_EQ(commands_of("function g {\n  local X=7\n  run $X\n}\ng"), "[run][7]\n");
}

TEST(ShellSimpleCommands, functions_have_the_arguments_of_their_call_alone) {
  EXPECT_EQ(commands_of("f() { run $1 \"[$2]\" ${3:-c} ${4-d} ${5+e}; }\nf a\n"),
            "[run][a][[]][c][d]\n");
  EXPECT_EQ(commands_of("f() { run $2; }\nf \"$@\"\n"), "[run][${2}]\n");
  EXPECT_EQ(commands_of("f() { run $2; }\nf $(cat list)\n"), "[run][${2}]\n");
  EXPECT_EQ(commands_of("g() { run $2; }\nf() { g \"$@\"; }\nf a\nrun $1\n"),
            "[run]\n[run][${1}]\n");
}

TEST(ShellSimpleCommands, here_documents_are_files) {
  const shell::Outcome outcome =
      follow("Z=3\ncat <<EOT > ds.json\n{\"stage\": $Z}\nEOT\ncat > b <<'E'\n$Z\nE\nrun\n");
  EXPECT_EQ(shell::written(*outcome.written.at("ds.json")), "{\"stage\": 3}\n");
  EXPECT_EQ(shell::written(*outcome.written.at("b")), "$Z\n");
  EXPECT_EQ(outcome.commands.size(), 1u);
}

TEST(ShellSimpleCommands, programs_see_some_devices) {
  const shell::Outcome outcome =
      follow("export CUDA_VISIBLE_DEVICES=0,1\nrun\nCUDA_VISIBLE_DEVICES=3 run\n");
  EXPECT_EQ(shell::written(outcome.visible.at(0)), "0,1");
  EXPECT_EQ(shell::written(outcome.visible.at(1)), "3");
}

}  // namespace
}  // namespace pipewright::test
