#include "convert/torchtitan/degrees.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"
#include "job_settings.hpp"

namespace pipewright::test {
namespace {

torchtitan::Degrees degrees(const std::string& text,
                            std::map<std::string, std::string> given = {}) {
  JobSettings job("[parallelism]\n" + text, std::move(given));
  return torchtitan::read_degrees(job.settings, {}, true);
}

TEST(TorchtitanDegrees, shards_are_what_is_left_of_the_devices) {
  const std::string text = "tensor_parallel_degree = 4\ndata_parallel_replicate_degree = 2\n";
  EXPECT_EQ(degrees(text, {{"NGPU", "64"}}).shard, 8);
  EXPECT_EQ(degrees(text, {{"NGPU", "64"}}).data(), 16);
  EXPECT_EQ(degrees("tensor_parallel_degree = 2\n").world, 8);  // whole nodes
  EXPECT_EQ(degrees("tensor_parallel_degree = 3\n").world, 24);
  EXPECT_EQ(degrees("tensor_parallel_degree = 8\n").world, 16);  // 8 would cut nothing
  EXPECT_EQ(degrees(text + "data_parallel_shard_degree = 3\n").world, 24);
}

TEST(TorchtitanDegrees, devices_that_do_not_fit_are_refused) {
  EXPECT_NE(error_of([] {
              degrees("tensor_parallel_degree = 3\n", {{"NGPU", "8"}});
            }).find("make 3 devices a replica's shard, and there are 8"),
            std::string::npos);
  EXPECT_NE(error_of([] { degrees("data_parallel_shard_degree = 0\n"); }).find("is none"),
            std::string::npos);
}

TEST(TorchtitanDegrees, weights_are_sharded_over_context_ranks_too) {
  JobSettings job("[parallelism]\nfsdp_reshard_after_forward = \"never\"\n");
  torchtitan::Degrees degrees;
  EXPECT_EQ(at(torchtitan::read_parallel(job.settings, degrees, {}), {"zero"}), "0");
  degrees.context = 2;
  const config::Value parallel = torchtitan::read_parallel(job.settings, degrees, {});
  EXPECT_EQ(at(parallel, {"zero"}), "3");
  EXPECT_EQ(at(parallel, {"reshard"}), "false");
  EXPECT_EQ(at(parallel, {"context", "exchange"}), "all-gather");
  EXPECT_FALSE(parallel.find("shard"));  // over all of them
  degrees.replicate = 2;
  degrees.shard = 4;
  EXPECT_EQ(at(torchtitan::read_parallel(job.settings, degrees, {}), {"shard"}), "8");
}

TEST(TorchtitanDegrees, experts_may_be_spread_and_cut) {
  JobSettings job("[parallelism]\nexpert_tensor_parallel_degree = 2\n");
  torchtitan::Degrees degrees;
  degrees.tensor = 2;
  EXPECT_FALSE(torchtitan::read_parallel(job.settings, degrees, {}).find("expert_tensor"));
  degrees.expert = 4;
  EXPECT_EQ(at(torchtitan::read_parallel(job.settings, degrees, {}), {"expert_tensor"}), "2");
}

}  // namespace
}  // namespace pipewright::test
