#include "interop/torch_event.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright::test {
namespace {

using interop::TorchEvent;

TEST(TorchEvent, members_are_its_own_and_those_of_its_arguments) {
  TorchEvent event;
  ASSERT_TRUE(event.read(R"({"args": {"other": {"stream": 9}, "correlation": "3", "stream": 4,
 "list": [{"correlation": 8}], "Collective name": "send"}, "ph": "X", "name": "a\"b", "ts": 5,
 "dur": 2.5, "tid": "7", "more": {"correlation": 6, "ts": 1}})"));
  EXPECT_EQ(event.phase, "X");
  EXPECT_EQ(event.name, "a\"b");
  EXPECT_EQ(event.start_us, 5.0);
  EXPECT_EQ(event.length_us, 2.5);
  EXPECT_EQ(event.row, 7);
  EXPECT_EQ(event.correlation, 3);
  EXPECT_EQ(event.stream, 4);
  EXPECT_TRUE(event.names_collective);
}

TEST(TorchEvent, what_is_of_another_type_is_nothing) {
  TorchEvent event;
  ASSERT_TRUE(event.read(
      R"({"ph": 1, "ts": "5", "dur": null, "tid": "main", "args": {"stream": "0x7f00"}})"));
  EXPECT_EQ(event.phase, "");
  EXPECT_FALSE(event.start_us);
  EXPECT_FALSE(event.length_us);
  EXPECT_FALSE(event.row);
  EXPECT_FALSE(event.stream);
}

TEST(TorchEvent, the_event_before_is_forgotten) {
  TorchEvent event;
  ASSERT_TRUE(event.read(R"({"name": "a", "ts": 5})"));
  EXPECT_TRUE(event.read("{}"));
  EXPECT_EQ(event.name, "");
  EXPECT_FALSE(event.start_us);
  EXPECT_FALSE(event.read(R"({"name": oops})"));
}

TEST(TorchEvent, of_an_event_no_more_is_read_than_is_asked_for) {
  TorchEvent event;
  event.begin(R"({"ph": "X", "cat": "python_function", "name": oops})");
  EXPECT_EQ(event.read_category(), "python_function");
  EXPECT_EQ(event.read_name(), "");
  EXPECT_FALSE(event.read_rest());
  event.begin(R"({"name": "mm", "args": {"cat": "kernel"}, "cat": "cpu_op", "ts": 1})");
  EXPECT_EQ(event.read_category(), "cpu_op");
  EXPECT_EQ(event.read_name(), "mm");
  EXPECT_FALSE(event.start_us);
  EXPECT_TRUE(event.read_rest());
  EXPECT_EQ(event.start_us, 1.0);
}

TEST(TorchEvent, numbers_may_have_any_size) {
  TorchEvent event;
  ASSERT_TRUE(event.read(
      R"({"ts": 1e999, "dur": 1690000000000123.125, "tid": 18446744073709551615,
 "args": {"stream": 123456789012345678901234567890, "correlation": 1.0}})"));
  EXPECT_TRUE(std::isinf(*event.start_us));
  EXPECT_EQ(event.length_us, 1690000000000123.125);
  EXPECT_EQ(event.row, -1);
  EXPECT_FALSE(event.stream);
  EXPECT_FALSE(event.correlation);
}

TEST(TorchEvent, of_a_key_given_twice_the_last_value_counts) {
  TorchEvent event;
  ASSERT_TRUE(event.read(R"({"ts": 1, "name": "a", "ts": 2, "name": "b", "\u0070h": "X"})"));
  EXPECT_EQ(event.start_us, 2.0);
  EXPECT_EQ(event.name, "b");
  EXPECT_EQ(event.phase, "X");
}

}  // namespace
}  // namespace pipewright::test
