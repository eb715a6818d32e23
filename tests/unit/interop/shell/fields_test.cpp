#include "interop/shell/fields.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using shell::Fields;

std::vector<std::string> taken(Fields& fields) {
  std::vector<std::string> words;
  for (const shell::Text& word : fields.take()) words.push_back(shell::written(word));
  return words;
}

TEST(ShellFields, values_are_split_and_what_is_written_or_quoted_is_not) {
  Fields fields(true);
  fields.add_written({"a b", {}, false, nullptr});
  fields.add_value(shell::text_of("c d", {}), false);
  fields.add_value(shell::text_of(" e", {}), true);
  EXPECT_EQ(taken(fields), (std::vector<std::string>{"a bc", "d e"}));
  Fields whole(false);
  whole.add_value(shell::text_of("c d", {}), false);
  EXPECT_EQ(taken(whole), (std::vector<std::string>{"c d"}));
}

// As Bash 5.2 splits them.
TEST(ShellFields, separators_that_are_no_blanks_each_end_a_word) {
  Fields commas(true, ",");
  commas.add_value(shell::text_of("a,b c,,d", {}), false);
  EXPECT_EQ(taken(commas), (std::vector<std::string>{"a", "b c", "", "d"}));
  Fields both(true, ", ");
  both.add_value(shell::text_of("a , b,c  d", {}), false);
  EXPECT_EQ(taken(both), (std::vector<std::string>{"a", "b", "c", "d"}));
  Fields none(true, "");
  none.add_value(shell::text_of("a b", {}), false);
  EXPECT_EQ(taken(none), (std::vector<std::string>{"a b"}));
}

TEST(ShellFields, an_empty_list_is_no_word_and_an_empty_value_is_one_if_quoted) {
  Fields list(true);
  list.add_value({}, true);
  list.add_list({}, true);
  EXPECT_TRUE(taken(list).empty());
  Fields value(true);
  value.add_value({}, true);
  EXPECT_EQ(taken(value), (std::vector<std::string>{""}));
}

TEST(ShellFields, more_than_a_command_line_holds_is_refused) {
  EXPECT_EQ(error_of([] { shell::check_size(100, 100, {}); }), "no error");
  EXPECT_NE(error_of([] { shell::check_size(10'000'000, 1, {}); }).find("grows beyond"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
