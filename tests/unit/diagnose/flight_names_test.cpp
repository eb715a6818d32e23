#include "diagnose/flight_names.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

constexpr const char* tensor_group = "TENSOR_MODEL_PARALLEL_GROUP";

ProfiledCollective launch(const std::string& name, const std::string& ranks, int64_t bytes = 8) {
  return {.name = name,
          .group = "1",
          .description = tensor_group,
          .ranks = ranks,
          .size = 2,
          .bytes = bytes};
}

/// A rank that asks for these kernels of NCCL, one each 100 us, and names no groups.
RankProfile kernels(const std::vector<std::string>& kinds) {
  TorchTrace trace;
  double at = 0;
  for (const std::string& kind : kinds) {
    trace.kernel("ncclDevKernel_" + kind, at, 10, at);
    trace.kernel("gemm", at + 10, 10, at + 10);
    at += 100;
  }
  return profile_of(trace);
}

FlightRecord record_of(std::vector<ProfiledCollective> launches) {
  FlightRecord record;
  record.launches = std::move(launches);
  return record;
}

// The trace begins at the second of the launches.
TEST(FlightNames, kernels_get_the_launches_in_whose_order_they_stand) {
  RankProfile profile = kernels({"AllReduce_Sum_bf16", "AllGather", "Generic", "SendRecv"});
  const FlightRecord record =
      record_of({launch("broadcast", "[0, 1]"), launch("all_reduce", "[0, 1]", 512),
                 launch("_all_gather_base", "[0, 1]"), launch("_reduce_scatter_base", "[0, 1]"),
                 launch("send", "[0, 1]", 64)});
  EXPECT_EQ(diagnose::name_by_flight(record, profile), "");
  std::vector<std::string> named;
  for (const ProfiledEvent& event : profile.events)
    if (event.collective >= 0)
      named.push_back(profile.collectives[static_cast<size_t>(event.collective)].name);
  EXPECT_EQ(named, (std::vector<std::string>{"all_reduce", "_all_gather_base",
                                             "_reduce_scatter_base", "send"}));
  EXPECT_EQ(profile.collectives[0].bytes, 512);
  EXPECT_EQ(profile.collectives[0].description, tensor_group);
}

TEST(FlightNames, what_is_not_sure_is_not_named) {
  const std::vector<std::string> four(4, "AllReduce");
  const auto said = [&](std::vector<ProfiledCollective> launches) {
    RankProfile profile = kernels(four);
    std::string why = diagnose::name_by_flight(record_of(std::move(launches)), profile);
    if (!why.empty()) {
      EXPECT_TRUE(profile.collectives.empty());
    }
    return why;
  };
  const ProfiledCollective one = launch("all_reduce", "[0, 1]"),
                           other = launch("all_reduce", "[2, 3]");
  EXPECT_EQ(said({one, one, one, one, one, one}), "");
  EXPECT_EQ(said({one, one, one, one, other}),
            "the kernels of the trace stand in it in several places, which differ");
  EXPECT_EQ(said({one, launch("send", ""), one, one, one}),
            "the kernels of the trace do not stand in it in their order");
  EXPECT_EQ(said({one}), "it has 1 launches, and 4 kernels of the trace name no group");
}

TEST(FlightNames, groups_that_a_trace_names_get_their_ranks) {
  TorchTrace trace;
  trace.kernel("ncclDevKernel_AllReduce", 0, 10, 0, 1, 20,
               R"(, "Collective name": "allreduce", "Process Group Name": "1",
 "Process Group Description": "undefined", "Process Group Ranks": "[0, 1, ...]", "Group size": 64)");
  RankProfile profile = profile_of(trace);
  FlightRecord record;
  record.groups["1"] = launch("", "[0, 8]", 0);
  EXPECT_EQ(diagnose::name_by_flight(record, profile), "");
  EXPECT_EQ(profile.collectives[0].ranks, "[0, 8]");
  EXPECT_EQ(profile.collectives[0].description, tensor_group);
  EXPECT_EQ(profile.collectives[0].name, "allreduce");
}

}  // namespace
}  // namespace pipewright::test
