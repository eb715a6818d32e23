#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellSimpleReader, redirections_are_no_words) {
  EXPECT_EQ(commands_of("run a 2>&1 > log < in &> all b\n"), "[run][a][b]\n");
  EXPECT_EQ(commands_of("run --data <Specify path>_text x"),
            "[run][--data][<Specify_path>_text][x]\n");
}

TEST(ShellSimpleReader, here_documents_end_with_their_word) {
  EXPECT_EQ(error_of([] { follow("cat <<E\nb\n"); }).substr(0, 8), "run.sh:1");
  const shell::Outcome outcome = follow("cat <<-E > f; run a\n\tb\n\tE\nrun c\n");
  EXPECT_EQ(shell::written(*outcome.written.at("f")), "b\n");
  EXPECT_EQ(outcome.commands.size(), 2u);
}

TEST(ShellSimpleReader, arrays_are_closed) {
  EXPECT_EQ(error_of([] { follow("A=(b"); }),
            "run.sh:1:1: error: the '(' of this array is not closed");
  EXPECT_EQ(error_of([] { follow("A=(b | c)"); }), "run.sh:1:6: error: '|' is not expected here");
}

}  // namespace
}  // namespace pipewright::test
