#include "interop/shell/text.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(ShellText, knows_where_its_characters_stand) {
  const shell::Piece piece{"ab\ncd", {nullptr, 3, 5}, false, nullptr};
  EXPECT_EQ(shell::place_in(piece, 1).column, 6);
  EXPECT_EQ(shell::place_in(piece, 4).line, 4);
  EXPECT_EQ(shell::place_in(piece, 4).column, 2);
}

TEST(ShellText, is_known_unless_the_machine_says_it) {
  shell::Text text = shell::text_of("a", {});
  EXPECT_EQ(shell::known(text), "a");
  text.push_back(shell::text_of(shell::Unknown{"${X}", "X", true}, {}).front());
  EXPECT_EQ(shell::known(text), "a");
  EXPECT_EQ(shell::written(text), "a${X}");
  text.push_back(shell::text_of(shell::Unknown{"$(nproc)", "", false}, {}).front());
  EXPECT_FALSE(shell::known(text));
  EXPECT_EQ(shell::unknown_in(text)->name, "X");
}

}  // namespace
}  // namespace pipewright::test
