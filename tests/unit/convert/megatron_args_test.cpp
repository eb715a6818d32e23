#include "convert/megatron_args.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/emit.hpp"
#include "error_of.hpp"
#include "experiment/experiment.hpp"
#include "experiments.hpp"

namespace pipewright::test {
namespace {

const std::string gpt =
    "GPUS_PER_NODE=8\n"
    "GPT_MODEL_ARGS=(\n"
    "    --num-layers 96\n"
    "    --hidden-size 12288   # as published\n"
    "    --num-attention-heads 96\n"
    "    --seq-length 2048\n"
    ")\n"
    "PARALLEL=\"--tensor-model-parallel-size 8 --pipeline-model-parallel-size 12\"\n"
    "torchrun --nproc_per_node $GPUS_PER_NODE --nnodes 24 pretrain_gpt.py \\\n"
    "    ${GPT_MODEL_ARGS[@]} $PARALLEL \\\n"
    "    --micro-batch-size 1 --global-batch-size=1536 --train-iters 10 \\\n"
    "    --bf16 --lr 6.0e-5 --tokenizer-type GPT2BPETokenizer";

config::Value read(const std::string& text) { return import_megatron(text, "run.sh").experiment; }

std::string at(const config::Value& value, std::initializer_list<const char*> path) {
  const config::Value* place = &value;
  for (const char* key : path) {
    place = place->find(key);
    if (!place) return "none";
  }
  return place->text;
}

TEST(MegatronArgs, a_launch_script_is_an_experiment) {
  const config::Value e = read(gpt);
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "96");
  EXPECT_EQ(at(e, {"model", "transformer", "hidden"}), "12288");
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "49152");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "8");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "12");
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");  // 24 x 8 / 96
  EXPECT_EQ(at(e, {"batch", "global"}), "1536");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"schedule"}), "1f1b");
  EXPECT_EQ(at(e, {"cluster", "nodes"}), "24");
  EXPECT_EQ(at(e, {"training", "tokens"}), "31457280");  // 10 x 1536 x 2048
  // 50257 words, to a multiple of 128 on each of 8 ranks.
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "51200");
}

TEST(MegatronArgs, what_it_gives_is_read_and_runs) {
  const std::string small =
      "--num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128\n"
      "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --bf16\n"
      "--num-layers-per-virtual-pipeline-stage 1 --use-distributed-optimizer\n"
      "--sequence-parallel --global-batch-size 16 --micro-batch-size 1\n";
  const std::string yaml = to_yaml(import_megatron(small, "args.txt"));
  EXPECT_GT(run(config::parse(yaml, "x.yaml")).result.metrics.iteration, Time{});
  const config::Value e = config::parse(yaml, "x.yaml");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"schedule"}), "interleaved-1f1b");
}

// Elsewhere sharded weights mean PyTorch's attention and a loss in place.
TEST(MegatronArgs, sharded_weights_keep_its_own_kernels) {
  const std::string small =
      "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 128";
  const config::Value e = read(small + " --use-megatron-fsdp");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "3");
  EXPECT_EQ(at(e, {"attention"}), "flash3");
  EXPECT_EQ(at(e, {"loss"}), "fp32");
  EXPECT_EQ(at(read(small), {"attention"}), "flash");
  EXPECT_FALSE(read(small).find("loss"));
}

// DeepSeek-V3's published sizes.
TEST(MegatronArgs, experts_and_latent_attention) {
  const config::Value e = read(
      "pretrain_gpt.py --num-layers 61 --hidden-size 7168 --num-attention-heads 128 "
      "--seq-length 4096 --ffn-hidden-size 18432 --swiglu --normalization RMSNorm "
      "--num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 "
      "--moe-shared-expert-intermediate-size 2048 --moe-layer-freq '([0]*3+[1]*58)' "
      "--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 "
      "--qk-pos-emb-head-dim 64 --v-head-dim 128 --vocab-size 129280 "
      "--expert-model-parallel-size 8 --pipeline-model-parallel-size 16 --nnodes 16 "
      "--pipeline-model-parallel-layout 'Et*3|(tt|)*29m|L' --fp8-format hybrid --bf16");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "count"}), "256");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "shared"}), "1");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "dense"}), "3");
  EXPECT_EQ(at(e, {"model", "transformer", "latent", "key_value"}), "512");
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "rmsnorm");
  EXPECT_EQ(at(e, {"precision"}), "fp8");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");  // 32 stages on 16 ranks
  ASSERT_TRUE(e.find("partition"));
  EXPECT_EQ(e.find("partition")->items.size(), 32u);
}

TEST(MegatronArgs, recipes_of_fp8) {
  const std::string line =
      "pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 2 --seq-length 128 "
      "--micro-batch-size 1 --bf16 --fp8-format e4m3 --fp8-recipe ";
  EXPECT_EQ(at(read(line + "blockwise"), {"precision", "fp8"}), "blockwise");
  EXPECT_EQ(at(read(line + "delayed"), {"precision"}), "fp8");
  EXPECT_NE(error_of([&] { read(line + "sideways"); }).find("tensorwise"), std::string::npos);
}

TEST(MegatronArgs, what_has_no_counterpart_is_said) {
  const MegatronImport import = import_megatron(gpt + " --tp-comm-overlap\n", "run.sh");
  ASSERT_EQ(import.not_simulated.size(), 1u);
  EXPECT_NE(import.not_simulated[0].find("tp-comm-overlap"), std::string::npos);
  const auto& unused = import.unused;
  EXPECT_NE(std::find(unused.begin(), unused.end(), "--lr 6.0e-5"), unused.end());
  EXPECT_NE(to_yaml(import).find("# does not matter here: --lr 6.0e-5\n"), std::string::npos);
}

TEST(MegatronArgs, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(error_of([] { read("echo hello\n"); }),
            "run.sh:1:1: error: no argument --num-layers of Megatron-LM is here");
  EXPECT_EQ(error_of([] { read("--num-layers\n4x\n"); }).substr(0, 11), "run.sh:1:1:");
  EXPECT_EQ(error_of([] { read("pretrain_gpt.py --num-layers 4x"); }).substr(0, 12),
            "run.sh:1:30:");
  EXPECT_NE(error_of([] {
              read("--num-layers 4 --hidden-size 64 --num-attention-heads 4");
            }).find("--seq-length is missing"),
            std::string::npos);
  EXPECT_NE(error_of([] { read(gpt + " --optimizer lion"); }).find("'lion'"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
