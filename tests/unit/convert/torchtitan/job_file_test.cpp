#include "convert/torchtitan/job_file.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_toml(const std::string& text, bool partial = false,
                        std::map<std::string, std::string> given = {}) {
  return torchtitan::import_job_file({.text = text,
                                      .file = "job.toml",
                                      .given = std::move(given),
                                      .partial = partial,
                                      .read = {}});
}

const std::string llama = "[model]\nname = \"llama3\"\nflavor = \"70B\"\n";

// 64 devices: 8 tensor ranks, so 8 shards, of 2 sequences each.
TEST(Torchtitan, a_job_of_today) {
  const config::Value e =
      import_toml(llama +
                      "[training]\nlocal_batch_size = 2\nseq_len = 8192\nsteps = 10\n[compile]\n"
                      "enable = true\n[parallelism]\ntensor_parallel_degree = 8\n"
                      "data_parallel_shard_degree = -1\n[activation_checkpoint]\nmode = \"full\"\n",
                  false, {{"NGPU", "64"}})
          .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "28672");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "false");
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "3");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"batch", "global"}), "16");
  EXPECT_EQ(at(e, {"batch", "micro"}), "2");
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(at(e, {"framework"}), "torchtitan");
  EXPECT_EQ(at(e, {"kernels"}), "fused");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"training", "tokens"}), "1310720");  // 10 x 16 x 8192
}

TEST(Torchtitan, keys_of_a_fork_are_no_keys) {
  for (const std::string key :
       {"[optimizer]\nmomentum_dtype = \"bfloat16\"\n", "[activation_checkpoint]\nfew = true\n"})
    EXPECT_NE(error_of([&] { import_toml(llama + key); }).find("is no key of torchtitan"),
              std::string::npos)
        << key;
}

// ChunkedLossWrapper.
TEST(Torchtitan, a_loss_goes_by_chunks) {
  const auto loss = [](const std::string& degrees) {
    return import_toml(llama + "[loss]\nnum_chunks = 4\n" + degrees, true).experiment;
  };
  EXPECT_EQ(at(loss(""), {"loss", "chunks"}), "4");
  EXPECT_FALSE(loss("[parallelism]\ntensor_parallel_degree = 2\n").find("loss"));
}

// torchtitan/models/llama3/parallelize.py: compile.enable and "model" in compile.components.
TEST(Torchtitan, a_model_that_is_no_component_is_not_compiled) {
  const auto kernels = [](const std::string& components) {
    return at(import_toml(llama + "[compile]\nenable = true\ncomponents = " + components + "\n")
                  .experiment,
              {"kernels"});
  };
  EXPECT_EQ(kernels("[\"loss\"]"), "eager");
  EXPECT_EQ(kernels("[\"model\", \"loss\"]"), "fused");
}

TEST(Torchtitan, weights_are_gathered_in_fp8_where_it_says_so) {
  const auto gathered = [](const std::string& section) {
    const config::Value e = import_toml(llama + section).experiment;
    const config::Value* found = e.find("parallel")->find("gathered");
    return found ? found->text : "";
  };
  const std::string float8 = "converters = [\"float8\"]\n[float8]\n";
  EXPECT_EQ(gathered(float8 + "enable_fsdp_float8_all_gather = true\n"), "fp8");
  EXPECT_EQ(gathered(float8 + "enable_fsdp_float8_all_gather = false\n"), "");
  EXPECT_EQ(gathered("[float8]\nenable_fsdp_float8_all_gather = true\n"), "");
}

TEST(Torchtitan, a_job_of_2024_has_other_sections) {
  const config::Value e =
      import_toml(
          "[model]\nname = \"llama2\"\nflavor = \"7B\"\n[training]\nbatch_size = 4\n"
          "seq_len = 2048\ndata_parallel_degree = 4\ntensor_parallel_degree = 2\n"
          "compile = false\nfp8_linear = \"\"\nenable_float8_linear = true\n"
          "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"2\"\n")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"precision", "fp8"}), "tensorwise");
  EXPECT_EQ(at(e, {"kernels"}), "eager");
  EXPECT_EQ(at(e, {"recompute", "layers"}), "16");  // every second of 32
}

// 80 layers and two ends in 8 stages: 82 = 8 x 10 + 2; the ends give their layer back.
TEST(Torchtitan, stages_are_cut_as_it_cuts_them) {
  const config::Value e =
      import_toml(
          llama +
          "[training]\nlocal_batch_size = 8\n[parallelism]\npipeline_parallel_degree = 4\n"
          "data_parallel_shard_degree = 2\npipeline_parallel_schedule = \"Interleaved1F1B\"\n"
          "[activation_checkpoint]\nmode = \"none\"\n")
          .experiment;
  EXPECT_EQ(at(e, {"schedule"}), "interleaved-1f1b");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_EQ(at(e, {"batch", "micro"}), "1");
  std::string layers;
  for (const config::Value& stage : e.find("partition")->items) layers += stage.text + " ";
  EXPECT_EQ(layers, "10 11 10 10 10 10 10 9 ");
}

TEST(Torchtitan, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(
      error_of([] { import_toml("[model]\nname = \"flux\"\nflavor = \"dev\"\n"); }).substr(0, 25),
      "job.toml:2:8: error: torc");
  EXPECT_NE(error_of([] {
              import_toml(llama + "[training]\nshape = 3\n");
            }).find("job.toml:5:9: error: 'training.shape' is no key of torchtitan"),
            std::string::npos);
  EXPECT_EQ(error_of([] { import_toml("[model\n"); }).substr(0, 11), "job.toml:1:");
  EXPECT_NE(error_of([] {
              import_toml(llama, false, {{"N", "1"}});
            }).find("NGPU only"),
            std::string::npos);
  EXPECT_EQ(import_toml(llama + "[training]\nshape = 3\n", true).refused.size(), 1u);
}

// torchtitan/config/manager.py: arguments hold over the file.
TEST(Torchtitan, words_change_the_file) {
  const auto read = [](std::vector<job::Further> words) {
    return torchtitan::import_job_file({.text = llama +
                                                "[training]\nlocal_batch_size = 2\n[parallelism]\n"
                                                "tensor_parallel_degree = 8\n",
                                        .file = "job.toml",
                                        .given = {{"NGPU", "64"}},
                                        .partial = false,
                                        .read = {},
                                        .further = std::move(words)});
  };
  const config::Value e = read({{.word = "training.local_batch_size=4"},
                                {.word = "parallelism.tensor_parallel_degree=4"},
                                {.word = "compile.enable=true"}})
                              .experiment;
  EXPECT_EQ(at(e, {"batch", "micro"}), "4");
  EXPECT_EQ(at(e, {"parallel", "data"}), "16");
  EXPECT_EQ(at(e, {"kernels"}), "fused");
  EXPECT_EQ(error_of([&] { read({{.word = "training.shape=3"}}); }).substr(0, 16),
            "training.shape=3");
  EXPECT_NE(error_of([&] { read({{.word = "b.toml", .text = "a = 1"}}); }).find("is one file"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
