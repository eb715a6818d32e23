#include "interop/shell/assignment.hpp"

#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellAssignments, add_to_values_and_lists) {
  EXPECT_EQ(commands_of("A=a\nA+=b\nrun $A"), "[run][ab]\n");
  EXPECT_EQ(commands_of("A=(1)\nA+=(2)\nA[1+1]=3\nA[0]+=x\nrun ${A[@]}"), "[run][1x][2][3]\n");
}

TEST(ShellAssignments, elements_may_say_their_key) {
  EXPECT_EQ(commands_of("A=([1]=b [0]=a)\nrun ${A[0]} ${A[1]}"), "[run][a][b]\n");
  EXPECT_EQ(commands_of("declare -A A\nA[x]=1\nA[y]+=2\nrun ${A[x]} ${A[y]}"), "[run][1][2]\n");
}

TEST(ShellAssignments, an_element_knows_its_place_behind_its_key) {
  const shell::Outcome outcome = follow("A=([0]=b)\nrun ${A[0]}\n");
  EXPECT_EQ(outcome.commands[0][1][0].place.column, 8);
}

}  // namespace
}  // namespace pipewright::test
