#include "convert/torchtitan/pipeline.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "job_settings.hpp"

namespace pipewright::test {
namespace {

torchtitan::Pipeline pipeline(const std::string& text, int64_t layers, int64_t batch) {
  JobSettings job(text);
  return torchtitan::read_pipeline(job.settings, layers, batch);
}

TEST(TorchtitanPipeline, without_one_a_batch_is_one_piece) {
  const torchtitan::Pipeline result = pipeline("", 8, 4);
  EXPECT_EQ(result.micro, 4);
  EXPECT_TRUE(result.partition.empty());
}

// 14 layers and two ends are 4 x 4: 3, 4, 4 and 3 layers.
TEST(TorchtitanPipeline, the_ends_count_as_layers) {
  const torchtitan::Pipeline result = pipeline(
      "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_microbatch_size = 2\n", 14,
      8);
  EXPECT_EQ(result.partition, (std::vector<int>{3, 4, 4, 3}));
  EXPECT_EQ(result.micro, 2);
}

TEST(TorchtitanPipeline, once_the_number_of_micro_batches_was_said) {
  const std::string old = "[experimental]\npipeline_parallel_degree = 2\n";
  EXPECT_EQ(pipeline(old, 14, 8).micro, 4);  // as many as ranks
  EXPECT_EQ(pipeline(old + "pipeline_parallel_microbatches = 8\n", 14, 8).micro, 1);
  EXPECT_NE(error_of([&] { pipeline(old, 14, 7); }).find("7 sequences are not 2"),
            std::string::npos);
}

TEST(TorchtitanPipeline, stages_of_zero_bubble_go_round) {
  const torchtitan::Pipeline result = pipeline(
      "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = "
      "\"InterleavedZeroBubble\"\n",
      14, 8);
  EXPECT_EQ(result.schedule, "interleaved-zb");
  EXPECT_EQ(result.stages_of_a_rank, 2);
}

// With a CSV the name says where stages lie, and the file lies beside the job.
TEST(TorchtitanPipeline, a_file_may_have_the_order) {
  const std::string two = "[parallelism]\npipeline_parallel_degree = 2\n";
  const std::string multi = two + "pipeline_parallel_schedule = \"PipelineScheduleMulti\"\n";
  const torchtitan::Pipeline result =
      pipeline(multi + "pipeline_parallel_schedule_csv = \"/a/orders.csv\"\n", 14, 8);
  EXPECT_EQ(result.schedule, "torch-csv:/a/orders.csv");
  EXPECT_EQ(result.stages_of_a_rank, 2);
  EXPECT_EQ(pipeline(two + "pipeline_parallel_schedule_csv = \"\"\n", 14, 8).schedule, "1f1b");
  EXPECT_NE(
      error_of([&] { pipeline(multi, 14, 8); }).find("needs a pipeline_parallel_schedule_csv"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
