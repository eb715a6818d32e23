// Schedules that a user's own program writes.
#include "schedule/command.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "order_text.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

using test::error_of;
using test::order_text;

Shape shape(int ranks, int micro_batches) {
  return {.ranks = ranks, .micro_batches = micro_batches, .allow_commands = true};
}

Schedule built_by(const std::string& command, const Shape& shape, const std::string& options = "") {
  config::Value spec = config::parse("{command: 0" + options + "}", "e.yaml");
  spec.find("command")->text = command;
  return build(shape, spec);
}

TEST(CommandSchedule, the_orders_are_what_the_command_writes) {
  const Schedule s = built_by("printf '0F0,0F1,0B0,0B1\\n1F0,1B0,1F1,1B1\\n'", shape(2, 2));
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0B0 0B1");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1B0 1F1 1B1");
}

TEST(CommandSchedule, one_iteration_is_repeated) {
  Shape twice = shape(1, 1);
  twice.iterations = 2;
  EXPECT_EQ(order_text(built_by("echo 0F0,0B0", twice).order[0]), "0F0 0B0 0F1 0B1");
}

TEST(CommandSchedule, the_command_reads_the_shape_and_its_options_as_json) {
  // The shell compares its input with what it should be.
  Shape asked = shape(1, 3);
  asked.sequence = 2048;
  asked.iterations = 2;
  const std::string json =
      R"({"iterations":2,"micro_batches":3,"options":{"depth":4,"name":"x y","parts":[1,2.5],"up":true},"ranks":1,"sequence":2048})";
  const std::string command = "read -r line; [ \"$line\" = '" + json +
                              "' ] || { echo \"$line\" >&2; exit 9; }; "
                              "echo 0F0,0B0,0F1,0B1,0F2,0B2";
  const Schedule s = built_by(command, asked,
                              ", depth: 4, name: x y, parts: [1, 2.5], up: true, time_limit: 10 s");
  EXPECT_EQ(s.total_micro_batches(), 6);
}

TEST(CommandSchedule, is_refused_unless_commands_are_allowed) {
  EXPECT_EQ(error_of([] { built_by("echo", {}); }),
            "e.yaml:1:11: error: 'echo' is not run unless --allow-commands is given");
}

TEST(CommandSchedule, a_command_that_fails_is_shown_with_its_status_and_last_words) {
  EXPECT_EQ(error_of([] { built_by("echo first >&2; echo no >&2; exit 3", shape(1, 1)); }),
            "e.yaml:1:11: error: the command 'echo first >&2; echo no >&2; exit 3' ended with exit "
            "status 3: no");
  EXPECT_EQ(error_of([] { built_by("exit 4", shape(1, 1)); }),
            "e.yaml:1:11: error: the command 'exit 4' ended with exit status 4");
  EXPECT_EQ(error_of([] { built_by("sleep 1000", shape(1, 1), ", time_limit: 50 ms"); }),
            "e.yaml:1:11: error: the command 'sleep 1000' took longer than 50 ms");
}

TEST(CommandSchedule, orders_of_another_shape_are_a_misfit) {
  EXPECT_EQ(error_of([] { built_by("echo 0F0,0B0", shape(2, 1)); }),
            "e.yaml:1:11: error: the command wrote orders for 1 ranks, not 2");
  EXPECT_EQ(error_of([] { built_by("echo 0F0,0B0", shape(1, 2)); }),
            "e.yaml:1:11: error: the command wrote orders for 1 micro-batches, not 2");
}

TEST(CommandSchedule, wrong_orders_are_shown_at_their_line_and_column) {
  EXPECT_EQ(error_of([] { built_by("echo 0F0,0X0", shape(1, 1)); }).substr(0, 33),
            "output of 'echo 0F0,0X0':1:5: err");
}

}  // namespace
}  // namespace pipewright::schedule
