#include "interop/shell/value_change.hpp"

#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellValueChange, patterns_cases_and_positions_change_a_value) {
  EXPECT_EQ(commands_of("P=a/b.tar.gz; run ${P##*/} ${P%.*} ${P%%.*} ${P#*/} ${P/b/c} ${P//a/x}"),
            "[run][b.tar.gz][a/b.tar][a/b][b.tar.gz][a/c.tar.gz][x/b.txr.gz]\n");
  EXPECT_EQ(commands_of("P=Llama; run ${P^^} ${P,,} ${#P} ${P:1:2} ${P: -2}"),
            "[run][LLAMA][llama][5][la][ma]\n");
}

}  // namespace
}  // namespace pipewright::test
