#include "interop/shell/word_reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellWords, quotes_keep_spaces_and_comments_are_no_words) {
  EXPECT_EQ(commands_of("# no\na 'b c' \"d # e\" f\\ g h#i # j\n"), "[a][b c][d # e][f g][h#i]\n");
  EXPECT_EQ(commands_of("a \"b\\\"c\" $'d\\te' '' \"\"\n"), "[a][b\"c][d\te][][]\n");
}

TEST(ShellWords, what_is_not_closed_is_named) {
  EXPECT_EQ(error_of([] { follow("a\nb 'c"); }), "run.sh:2:3: error: this quote is not closed");
  EXPECT_EQ(error_of([] { follow("a \"c"); }), "run.sh:1:3: error: this quote is not closed");
}

}  // namespace
}  // namespace pipewright::test
