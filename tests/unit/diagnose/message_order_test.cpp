#include "diagnose/message_order.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::MessageOrder order_of(const std::string& name, int64_t start_us, int64_t end_us) {
  const RankProfile profile{.collectives = {{.name = name}}};
  const diagnose::DeviceOp before{.start = microseconds(0), .end = microseconds(10)};
  const diagnose::DeviceOp message{.start = microseconds(start_us),
                                   .end = microseconds(end_us),
                                   .collective = 0,
                                   .communicates = true,
                                   .traffic = Traffic::pipeline};
  const diagnose::DeviceOp after{.start = microseconds(30), .end = microseconds(40)};
  return diagnose::message_order(profile, {{&before, &message, &after}});
}

TEST(MessageOrder, what_moves_between_passes_is_waited_for) {
  EXPECT_TRUE(order_of("send", 10, 30).sends_first);
  EXPECT_TRUE(order_of("recv", 10, 30).receives_last);
}

TEST(MessageOrder, what_moves_beside_passes_is_not) {
  EXPECT_FALSE(order_of("send", 10, 35).sends_first);
  EXPECT_FALSE(order_of("recv", 5, 30).receives_last);
  EXPECT_TRUE(order_of("send", 5, 30).sends_first);
}

TEST(MessageOrder, a_batch_is_both) {
  const diagnose::MessageOrder found = order_of("sendrecv", 5, 35);
  EXPECT_FALSE(found.sends_first);
  EXPECT_FALSE(found.receives_last);
}

}  // namespace
}  // namespace pipewright::test
