#include "interop/torch_event.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pipewright::test
