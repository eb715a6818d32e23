#include "convert/deepspeed/arguments.hpp"

#include <gtest/gtest.h>

namespace pipewright::deepspeed {
namespace {

Arguments arguments_of(const std::string& text) {
  return read_arguments(job::launches(shell::follow("a.py " + text, "run.sh", {})).at(0).arguments);
}

TEST(DeepSpeedArguments, are_a_map_by_name) {
  const config::Value map = arguments_of("--bf16 --lr=1e-4 --max-steps 3 --names a b --lr 2").map;
  EXPECT_EQ(map.find("bf16")->text, "true");
  EXPECT_EQ(map.find("lr")->text, "2");  // the last one holds
  EXPECT_EQ(map.find("max_steps")->text, "3");
  EXPECT_EQ(map.find("names")->items.size(), 2U);
  EXPECT_EQ(map.find("max_steps")->mark.where().column, 35);
}

TEST(DeepSpeedArguments, what_a_script_does_not_say_is_kept_apart) {
  const Arguments arguments = arguments_of("--a $A --b 1");
  EXPECT_TRUE(arguments.unknown.contains("a"));
  EXPECT_FALSE(arguments.unknown.contains("b"));
}

}  // namespace
}  // namespace pipewright::deepspeed
