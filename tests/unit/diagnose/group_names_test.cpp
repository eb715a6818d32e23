#include "diagnose/device_work.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

ProfiledCollective group(const std::string& name, const std::string& description,
                         const std::string& ranks = "", int size = 0) {
  return {.name = name, .group = "", .description = description, .ranks = ranks, .size = size};
}

TEST(GroupNames, descriptions_of_frameworks_are_known) {
  const auto traffic = [](const char* description) {
    const ProfiledCollective one = group("allreduce", description);
    return diagnose::traffic_of(&one, "", 64);
  };
  EXPECT_EQ(traffic("TENSOR_MODEL_PARALLEL_GROUP"), Traffic::tensor);
  EXPECT_EQ(traffic("PIPELINE_MODEL_PARALLEL_GROUP"), Traffic::pipeline);
  EXPECT_EQ(traffic("DATA_PARALLEL_GROUP_WITH_CP"), Traffic::data);
  EXPECT_EQ(traffic("EXPERT_MODEL_PARALLEL_GROUP"), Traffic::expert);
  EXPECT_EQ(traffic("EXPERT_DATA_PARALLEL_GROUP"), Traffic::data);
  EXPECT_EQ(traffic("CONTEXT_PARALLEL_GROUP"), Traffic::context);
  EXPECT_EQ(traffic("mesh_tp"), Traffic::tensor);
  EXPECT_EQ(traffic("mesh_dp_shard_cp"), Traffic::data);
}

TEST(GroupNames, without_a_description_it_is_what_is_done_and_who_takes_part) {
  const ProfiledCollective near = group("allreduce", "undefined", "[8, 9, 10, 11]", 4);
  EXPECT_EQ(diagnose::traffic_of(&near, "", 64), Traffic::tensor);
  const ProfiledCollective far = group("allreduce", "undefined", "[0, 8, 16]", 3);
  EXPECT_EQ(diagnose::traffic_of(&far, "", 24), Traffic::data);
  const ProfiledCollective all = group("allreduce", "default_pg", "[0, 1]", 2);
  EXPECT_EQ(diagnose::traffic_of(&all, "", 2), Traffic::data);
  const ProfiledCollective exchange = group("all_to_allv", "", "[0, 1]", 2);
  EXPECT_EQ(diagnose::traffic_of(&exchange, "", 4), Traffic::expert);
  EXPECT_EQ(diagnose::traffic_of(nullptr, "ncclKernel_SendRecv_RING", 4), Traffic::pipeline);
  EXPECT_EQ(diagnose::traffic_of(nullptr, "void deep_ep::internode::combine<8>", 4),
            Traffic::expert);
}

TEST(GroupNames, kernels_that_move_bytes_are_known_by_name) {
  EXPECT_TRUE(diagnose::communicates("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"));
  EXPECT_TRUE(diagnose::communicates("void deep_ep::intranode::dispatch<8>(int4*)"));
  EXPECT_FALSE(diagnose::communicates("ampere_bf16_s16816gemm_bf16_128x128_ldg8"));
}

}  // namespace
}  // namespace pipewright::test
