#include "interop/nccl_calls.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using interop::NcclCalls;
using interop::NcclLaunch;

interop::NvtxRange call(const char* word, int start, int end, uint64_t communicator = 0,
                        int64_t bytes = 0) {
  return {.meaning = interop::NvtxMeaning::collective,
          .word = word,
          .thread = 1,
          .start = microseconds(start),
          .end = microseconds(end),
          .communicator = communicator,
          .bytes = bytes};
}

std::vector<NcclLaunch> launched(std::initializer_list<interop::NvtxRange> all,
                                 std::initializer_list<int> at) {
  NcclCalls calls;
  for (const interop::NvtxRange& one : all) calls.add(one);
  std::vector<Time> times;
  for (const int one : at) times.push_back(microseconds(one));
  return calls.launched(1, times);
}

TEST(NcclCalls, a_kernel_is_launched_within_its_call) {
  const auto found =
      launched({call("AllReduce", 0, 10, 7, 64), call("AllGather", 20, 30, 7, 32)}, {5, 15, 25});
  EXPECT_EQ(found[0].name, "AllReduce");
  EXPECT_EQ(found[0].bytes, 64);
  EXPECT_EQ(found[1].name, "");
  EXPECT_EQ(found[2].name, "AllGather");
}

TEST(NcclCalls, a_kernel_after_a_group_does_all_of_it) {
  const auto found = launched(
      {call("Send", 0, 1, 7, 100), call("Send", 2, 3, 7, 10), call("Recv", 4, 5, 7, 5)}, {8});
  EXPECT_EQ(found[0].name, "Send");
  EXPECT_EQ(found[0].communicator, 7u);
  EXPECT_EQ(found[0].bytes, 110);
  EXPECT_EQ(found[0].sends, 2);
  EXPECT_EQ(launched({call("Recv", 0, 1, 7, 5)}, {8})[0].bytes, 5);
}

TEST(NcclCalls, each_communicator_of_a_group_has_its_kernel) {
  const auto found =
      launched({call("AllGather", 0, 1, 7, 1), call("AllGather", 2, 3, 9, 2)}, {8, 9});
  EXPECT_EQ(found[0].communicator, 7u);
  EXPECT_EQ(found[1].communicator, 9u);
}

TEST(NcclCalls, the_range_of_pytorch_names_what_is_within) {
  const auto found = launched(
      {call("all_to_all", 0, 20), call("Send", 1, 2, 7, 3), call("Send", 3, 4, 7, 3)}, {8});
  EXPECT_EQ(found[0].name, "all_to_all");
  EXPECT_EQ(found[0].communicator, 7u);
  EXPECT_EQ(found[0].bytes, 6);
}

TEST(NcclCalls, threads_do_not_share_calls) {
  NcclCalls calls;
  calls.add(call("AllReduce", 0, 10));
  EXPECT_EQ(calls.launched(2, {microseconds(5)})[0].name, "");
}

}  // namespace
}  // namespace pipewright::test
