#include "convert/neox/stages.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "convert/neox/config_file.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string partition(int layers, const std::string& more,
                      std::map<std::string, std::string> given = {}) {
  given["NGPU"] = "8";
  const std::string text = "{\"pipe_parallel_size\": 4, \"num_layers\": " + std::to_string(layers) +
                           ", \"hidden_size\": 256, \"num_attention_heads\": 4, \"seq_length\": "
                           "512, \"train_micro_batch_size_per_gpu\": 4, \"fp16\": {\"enabled\": "
                           "true}" +
                           more + "}\n";
  const config::Value e =
      neox::import_config(
          {.text = text, .file = "a.yml", .given = std::move(given), .partial = false, .read = {}})
          .experiment;
  const config::Value* list = e.find("partition");
  return list ? job::written(*list) : "none";
}

// 12 blocks in stages of 3; the functions around them end in "block".
TEST(NeoxStages, that_are_alike_say_nothing) {
  EXPECT_EQ(partition(12, ", \"pipe_partition_method\": \"type:layer\""), "none");
}

// The functions before and behind the blocks have "transformer" in their names and count too: 8
// modules of that kind are 2 for each of 4 stages.
TEST(NeoxStages, count_what_the_method_names) {
  EXPECT_EQ(partition(6, ""), "[1, 2, 2, 1]");
  // 10 of that kind are 3, 3, 2 and 2.
  EXPECT_EQ(partition(8, ""), "[2, 3, 2, 1]");
  // 13 modules in stages of 4, 3, 3 and 3, of which two stand before the blocks.
  EXPECT_EQ(partition(8, ", \"pipe_partition_method\": \"uniform\""), "[2, 3, 3, 0]");
}

TEST(NeoxStages, by_parameters_need_the_vocabulary) {
  const std::string method = ", \"pipe_partition_method\": \"parameters\"";
  EXPECT_NE(error_of([&] { partition(8, method); }).find("--define VOCAB_SIZE=N"),
            std::string::npos);
  EXPECT_NE(partition(8, method, {{"VOCAB_SIZE", "50257"}}), "none");
}

TEST(NeoxStages, need_a_method_of_deepspeed) {
  EXPECT_NE(error_of([&] {
              partition(8, ", \"pipe_partition_method\": \"profile\"");
            }).find("profile cannot be said"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
