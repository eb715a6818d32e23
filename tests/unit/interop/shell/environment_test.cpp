#include "interop/shell/environment.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(ShellEnvironment, tells_what_nobody_sets_from_what_the_system_sets) {
  shell::Asked asked;
  const std::map<std::string, std::string> given;
  shell::Environment environment(given, asked);
  EXPECT_TRUE(shell::unknown_in(environment.value_of("SIZE", {}))->unset);
  EXPECT_FALSE(shell::unknown_in(environment.value_of("HOME", {}))->unset);
  EXPECT_TRUE(asked.unset.contains("SIZE"));
  EXPECT_FALSE(asked.unset.contains("HOME"));
}

TEST(ShellEnvironment, given_values_hold_and_are_noted) {
  shell::Asked asked;
  const std::map<std::string, std::string> given{{"N", "4"}, {"2", "b"}, {"UNUSED", "1"}};
  shell::Environment environment(given, asked);
  environment.set("N", shell::text_of("1", {}));
  EXPECT_EQ(shell::known(environment.value_of("N", {})), "4");
  ASSERT_EQ(environment.positional.size(), 2u);
  EXPECT_EQ(shell::known(environment.positional[1]), "b");
  EXPECT_TRUE(asked.given.contains("N"));
  EXPECT_FALSE(asked.given.contains("UNUSED"));
}

}  // namespace
}  // namespace pipewright::test
