#include "interop/shell/condition.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

std::string holds(const std::string& condition) {
  return commands_of("A=4; S=llama; if " + condition + "; then yes; else no; fi");
}

TEST(ShellConditions, compare_texts_and_numbers) {
  EXPECT_EQ(holds("[ $A -eq 4 ]"), "[yes]\n");
  EXPECT_EQ(holds("[ $A -gt 4 -o \"$S\" = llama ]"), "[yes]\n");
  EXPECT_EQ(holds("test $S != llama"), "[no]\n");
  EXPECT_EQ(holds("[[ $S == l*a && ! -z $A ]]"), "[yes]\n");
  EXPECT_EQ(holds("[[ $S == \"l*a\" ]]"), "[no]\n");
  EXPECT_EQ(holds("[[ $S =~ ^ll.*a$ ]]"), "[yes]\n");
  EXPECT_EQ(holds("[[ ( $A -lt 1 || $A -ge 4 ) && -n $S ]]"), "[yes]\n");
}

TEST(ShellConditions, that_are_none_are_named) {
  EXPECT_EQ(error_of([] { follow("[ a = b"); }), "run.sh:1:1: error: ']' is missing");
  EXPECT_NE(error_of([] { follow("[[ a b c ]]"); }).find("not expected"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
