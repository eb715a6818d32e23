#include "convert/torchtitan/batch.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "job_settings.hpp"

namespace pipewright::test {
namespace {

int64_t global_batch(const std::string& text, int64_t pipeline_ranks) {
  JobSettings job(text);
  torchtitan::Degrees degrees;
  degrees.shard = 4;
  torchtitan::Pipeline pipeline;
  pipeline.ranks = pipeline_ranks;
  return torchtitan::read_global_batch(job.settings, torchtitan::read_batch(job.settings), degrees,
                                       pipeline);
}

// 4 replicas have 2 sequences each.
TEST(TorchtitanBatch, replicas_have_batches_of_their_own) {
  const std::string text = "[training]\nlocal_batch_size = 2\n";
  EXPECT_EQ(global_batch(text, 1), 8);
  EXPECT_EQ(global_batch(text + "global_batch_size = 16\n", 1), 16);
  EXPECT_NE(error_of([&] {
              global_batch(text + "global_batch_size = 12\n", 1);
            }).find("job.toml:3:21: error: 12 is not a multiple of 4 replicas' batches of 2"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { global_batch(text + "global_batch_size = 16\n", 2); }).find("several batches"),
      std::string::npos);
}

TEST(TorchtitanBatch, steps_make_the_tokens) {
  JobSettings job("[training]\nsteps = 10\n");
  EXPECT_EQ(torchtitan::read_tokens(job.settings, 2048, 4), 10.0 * 2048 * 4);
}

}  // namespace
}  // namespace pipewright::test
