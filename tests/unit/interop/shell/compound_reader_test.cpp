#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellCompoundReader, what_is_not_closed_is_named_where_it_begins) {
  EXPECT_EQ(error_of([] { follow("a\nif true; then\nb\n"); }),
            "run.sh:2:1: error: 'fi' is missing");
  EXPECT_EQ(error_of([] { follow("for a in b; do\nc\n"); }),
            "run.sh:1:1: error: 'done' is missing");
  EXPECT_EQ(error_of([] { follow("[[ a == b"); }), "run.sh:1:1: error: ']]' is missing");
}

TEST(ShellCompoundReader, are_not_nested_without_end) {
  const std::string deep(100'000, '(');
  EXPECT_NE(error_of([&] { follow(deep); }), "no error");
  std::string ifs;
  for (int i = 0; i < 100'000; ++i) ifs += "if a; then ";
  EXPECT_NE(error_of([&] { follow(ifs); }).find("nested too deeply"), std::string::npos);
}

TEST(ShellCompoundReader, definitions_of_functions_have_two_forms) {
  EXPECT_EQ(commands_of("f () { run 1; }\nfunction g-h { run 2; }\nf\ng-h"),
            "[run][1]\n[run][2]\n");
}

}  // namespace
}  // namespace pipewright::test
