#include "interop/torch_collectives.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/torch_profile.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

RankProfile profile_of_events(const std::string& events, const std::string& job = "{}") {
  const TemporaryFolder folder;
  return read_torch_profile(folder.write(
      "t.json", R"({"traceEvents": [)" + events + R"(], "distributedInfo": )" + job + "}"));
}

// Of a trace of MI300X: the call has the arguments, the kernel has none.
constexpr const char* all_reduce = R"x(
{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "tid": 6, "ts": 10, "dur": 5, "args":
 {"Collective name": "allreduce", "Process Group Description": "default_pg", "dtype": "BFloat16",
 "In msg nelems": 100, "Process Group Name": "0", "Process Group Ranks": "[0, 1, ...]",
 "Group size": 8}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipExtLaunchKernel", "tid": 6, "ts": 12, "dur": 1,
 "args": {"correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
 "tid": 3, "ts": 20, "dur": 5, "args": {"stream": 3, "correlation": 7}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipExtLaunchKernel", "tid": 6, "ts": 40, "dur": 1,
 "args": {"correlation": 8}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
 "tid": 3, "ts": 50, "dur": 5, "args": {"stream": 3, "correlation": 8}})x";

TEST(TorchCollectives, a_call_names_the_kernel_that_it_launches) {
  const RankProfile profile = profile_of_events(all_reduce);
  ASSERT_EQ(profile.events.size(), 4u);  // the call is none
  ASSERT_EQ(profile.events[1].collective, 0);
  EXPECT_EQ(profile.collectives[0].name, "allreduce");
  EXPECT_EQ(profile.collectives[0].bytes, 200);
  EXPECT_EQ(profile.events[3].collective, -1);
}

TEST(TorchCollectives, groups_have_all_their_ranks) {
  const RankProfile profile = profile_of_events(
      all_reduce, R"({"rank": 1, "world_size": 8, "pg_config": [3, {"pg_name": "0"},
 {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": [0, 2, 4, 6]}]})");
  EXPECT_EQ(profile.collectives[0].ranks, "[0, 2, 4, 6]");
  EXPECT_EQ(profile.collectives[0].size, 4);
}

TEST(TorchCollectives, calls_alone_are_no_trace) {
  const std::string all = all_reduce, call = all.substr(0, all.find(",\n{"));
  EXPECT_NE(error_of([&] { profile_of_events(call); }).find("this trace has no event of a device"),
            std::string::npos);
}

// Before PyTorch 2.1 no call has arguments.
TEST(TorchCollectives, a_range_of_nccl_names_the_kernel_where_no_call_has_arguments) {
  const auto named = [](const std::string& range) {
    std::string events = all_reduce;
    const size_t args = events.find(", \"args\":");
    events.erase(args, events.find("}}", args) + 1 - args);
    return profile_of_events(R"({"ph": "X", "cat": "cpu_op", "name": ")" + range +
                             R"(", "tid": 6, "ts": 11, "dur": 3},)" + events);
  };
  const RankProfile profile = named("nccl:recv 1<-0");
  ASSERT_EQ(profile.events.size(), 4u);
  ASSERT_EQ(profile.events[1].collective, 0);
  EXPECT_EQ(profile.collectives[0].name, "recv");
  EXPECT_FALSE(profile.names_group(0));
  EXPECT_EQ(profile.events[3].collective, -1);  // launched outside
  EXPECT_EQ(named("nccl:coalesced").events[1].collective, -1);
}

TEST(TorchCollectives, a_call_with_arguments_says_more_than_the_range_within_it) {
  const RankProfile profile = profile_of_events(std::string(all_reduce) + R"(,
{"ph": "X", "cat": "user_annotation", "name": "nccl:broadcast", "tid": 6, "ts": 11, "dur": 3})");
  ASSERT_EQ(profile.events.size(), 4u);
  EXPECT_EQ(profile.collectives[static_cast<size_t>(profile.events[1].collective)].name,
            "allreduce");
}

}  // namespace
}  // namespace pipewright::test
