#include "convert/deepspeed/job_file.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "job_of.hpp"

namespace pipewright::test {
namespace {

const std::string left_open =
    R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"}})";

// 16 devices x 4 steps x 2 sequences, 10 times 512 tokens.
TEST(DeepSpeedJob, the_launch_says_what_is_left_to_it) {
  const config::Value e =
      import_deepspeed(left_open,
                       "deepspeed --num_nodes 2 --num_gpus 8 a.py --per_device_train_batch_size 2 "
                       "--gradient_accumulation_steps 4 --bf16 --max_seq_length 512 --max_steps 10")
          .experiment;
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"batch", "micro"}), "2");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"cluster", "nodes"}), "2");
  EXPECT_EQ(at(e, {"framework"}), "deepspeed");
  EXPECT_EQ(at(e, {"training", "tokens"}), "655360");
  EXPECT_EQ(at(e, {"model", "transformer", "hidden"}), "256");
}

TEST(DeepSpeedJob, kernels_of_liger_make_the_logits_by_pieces) {
  const config::Value e =
      import_deepspeed(left_open, "deepspeed --num_gpus 8 a.py --bf16 --use_liger_kernel True")
          .experiment;
  EXPECT_EQ(at(e, {"loss"}), "chunked");
  EXPECT_EQ(at(e, {"kernels"}), "fused");
}

// DeepSpeed's batch is that of replicas, of which tensor and sequence ranks are parts.
TEST(DeepSpeedJob, degrees_divide_the_devices) {
  const config::Value e =
      import_deepspeed(R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 2,
                           "sequence_parallel_size": 2, "tensor_parallel": {"autotp_size": 2}})",
                       {}, {{"NGPU", "16"}})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "context", "exchange"}), "ulysses");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");
  EXPECT_NE(error_of([] {
              import_deepspeed(R"({"train_batch_size": 32, "sequence_parallel_size": 3})", {},
                               {{"NGPU", "16"}});
            }).find("16 devices are no multiple of tensor 1 x sequence 3"),
            std::string::npos);
}

// 96 / 3 / 2 replicas.
TEST(DeepSpeedJob, a_whole_batch_says_the_devices) {
  const job::Import import = import_deepspeed(
      R"({"train_batch_size": 96, "train_micro_batch_size_per_gpu": 3,
          "gradient_accumulation_steps": 2})");
  EXPECT_EQ(at(import.experiment, {"parallel", "data"}), "16");
}

TEST(DeepSpeedJob, sizes_that_contradict_each_other_are_named) {
  EXPECT_EQ(error_of([] {
              import_deepspeed(R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 3})",
                               {}, {{"NGPU", "8"}});
            }),
            "ds.json:1:22: error: a train_batch_size of 100 is not 3 sequences x 4 steps x 8 "
            "replicas");
}

TEST(DeepSpeedJob, a_configuration_alone_says_no_model) {
  const job::Source source{.text = R"({"train_batch_size": 8})",
                           .file = "ds.json",
                           .given = {},
                           .partial = false,
                           .read = {}};
  EXPECT_EQ(error_of([&] { deepspeed::import_job(source); }),
            "ds.json:1:1: error: nothing here says the model: give its Hugging Face config.json "
            "as a further FILE, or --model NAME of the catalogue");
  job::Source named = source;
  named.model = "llama-2-7b";
  EXPECT_EQ(at(deepspeed::import_job(named).experiment, {"model"}), "llama-2-7b");
}

TEST(DeepSpeedJob, a_key_that_is_not_known_is_refused_where_it_stands) {
  const std::string config = R"({"train_batch_size": 8, "zero_optimisation": {"stage": 3}})";
  EXPECT_EQ(error_of([&] { import_deepspeed(config); }),
            "ds.json:1:56: error: 'zero_optimisation.stage' is no key of DeepSpeed that is known; "
            "--partial goes on without it, and says so in the experiment");
  EXPECT_EQ(import_deepspeed(config, {}, {}, true).refused.size(), 1U);
}

// The Trainer of transformers puts its argument in, which is 8 where nobody says it.
TEST(DeepSpeedJob, a_whole_batch_may_be_left_to_the_launch_too) {
  const config::Value e =
      import_deepspeed(R"({"train_batch_size": "auto", "gradient_accumulation_steps": 2})", {},
                       {{"NGPU", "4"}})
          .experiment;
  EXPECT_EQ(at(e, {"batch", "global"}), "64");
}

// DeepSpeedConfig asserts that train_batch_size is micro x steps x replicas: eight replicas of 16
// do not make 16.
TEST(DeepSpeedJobFile, a_small_batch_is_of_few_devices) {
  const auto data = [](const std::string& batch) {
    return at(import_deepspeed("{" + batch + "}").experiment, {"parallel", "data"});
  };
  EXPECT_EQ(data(R"("train_batch_size": 16, "train_micro_batch_size_per_gpu": 16)"), "1");
  EXPECT_EQ(data(R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 16)"), "4");
  EXPECT_EQ(data(R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4)"), "8");
}

}  // namespace
}  // namespace pipewright::test
