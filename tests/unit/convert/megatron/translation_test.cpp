#include "convert/megatron/translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "experiments.hpp"
#include "flags_of.hpp"

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

config::Value read(const std::string& text) { return import_text(text).experiment; }

TEST(MegatronTranslation, a_launch_script_is_an_experiment) {
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

// Transformer Engine's common/triton/cross_entropy.py leaves the gradient where the logits were.
TEST(MegatronTranslation, transformer_engines_loss_works_in_place) {
  const auto loss = [](const std::string& more) {
    const config::Value e = read(
        "pretrain_gpt.py --num-layers 1 --hidden-size 64 "
        "--num-attention-heads 4 --seq-length 64 --micro-batch-size 1 " +
        more);
    return e.find("loss") ? at(e, {"loss"}) : "";
  };
  EXPECT_EQ(loss("--cross-entropy-loss-fusion --cross-entropy-fusion-impl te"), "fused");
  EXPECT_EQ(loss("--cross-entropy-loss-fusion --cross-entropy-fusion-impl native"), "");
  EXPECT_EQ(loss("--cross-entropy-fusion-impl te"), "");
}

TEST(MegatronTranslation, what_it_gives_is_read_and_runs) {
  const std::string small =
      "pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 "
      "\\\n"
      "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --bf16 \\\n"
      "--num-layers-per-virtual-pipeline-stage 1 --use-distributed-optimizer --tp-comm-overlap \\\n"
      "--sequence-parallel --global-batch-size 16 --micro-batch-size 1\n";
  const std::string yaml = to_yaml(import_text(small));
  EXPECT_GT(run(config::parse(yaml, "x.yaml")).result.metrics.iteration, Time{});
  const config::Value e = config::parse(yaml, "x.yaml");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"overlap", "tensor"}), "chunked");
  EXPECT_EQ(at(e, {"schedule"}), "interleaved-1f1b");
}

TEST(MegatronTranslation, the_framework_is_said) {
  EXPECT_EQ(at(read(small_job), {"framework"}), "megatron");
  const config::Value sharded = read(small_job + " --use-megatron-fsdp");
  EXPECT_EQ(at(sharded, {"parallel", "zero"}), "3");
  EXPECT_EQ(at(sharded, {"framework"}), "megatron");
  EXPECT_EQ(at(sharded, {"attention"}), "flash");
}

// DeepSeek-V3's published sizes.
TEST(MegatronTranslation, experts_and_latent_attention) {
  const config::Value e = read(
      "torchrun --nnodes 16 --nproc-per-node 8 "
      "pretrain_gpt.py --num-layers 61 --hidden-size 7168 --num-attention-heads 128 "
      "--seq-length 4096 --ffn-hidden-size 18432 --swiglu --normalization RMSNorm "
      "--num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 --micro-batch-size 1 "
      "--moe-shared-expert-intermediate-size 2048 --moe-layer-freq '([0]*3+[1]*58)' "
      "--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 "
      "--qk-pos-emb-head-dim 64 --v-head-dim 128 --padded-vocab-size 129280 "
      "--moe-token-dispatcher-type flex --moe-enable-deepep "
      "--moe-router-num-groups 8 --moe-router-group-topk 4 --overlap-moe-expert-parallel-comm "
      "--expert-model-parallel-size 8 --pipeline-model-parallel-size 16 "
      "--pipeline-model-parallel-layout 'Et*3|(tt|)*29|L' --fp8-format hybrid --bf16");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "count"}), "256");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "shared"}), "1");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "dense"}), "3");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "groups"}), "8");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "active_groups"}), "4");
  EXPECT_EQ(at(e, {"overlap", "expert"}), "pairs");
  EXPECT_EQ(at(e, {"model", "transformer", "latent", "key_value"}), "512");
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "rmsnorm");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "129280");
  EXPECT_EQ(at(e, {"precision"}), "fp8");
  EXPECT_EQ(at(e, {"dispatch"}), "once-a-node");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");  // 32 stages on 16 ranks
  ASSERT_TRUE(e.find("partition"));
  EXPECT_EQ(e.find("partition")->items.size(), 32u);
}

TEST(MegatronTranslation, gradients_are_fp32_under_bf16_unless_said_otherwise) {
  EXPECT_EQ(at(read(small_job), {"gradients"}), "fp32");
  EXPECT_EQ(at(read(small_job + "--grad-reduce-in-bf16"), {"gradients"}), "bf16");
  EXPECT_EQ(at(read(small_job + "--optimizer sgd"), {"optimizer"}), "momentum");
}

// Megatron-Core, optimizer_config.py: store_param_remainders is the default.
TEST(MegatronTranslation, the_precision_aware_optimizer_says_what_it_keeps) {
  const std::string aware = small_job + "--bf16 --use-precision-aware-optimizer ";
  EXPECT_EQ(at(read(aware), {"master_weights"}), "remainders");
  EXPECT_FALSE(read(aware).find("moments"));
  EXPECT_EQ(at(read(aware + "--exp-avg-dtype fp8 --exp-avg-sq-dtype fp8"), {"moments"}), "fp8");
  EXPECT_NE(error_of([&] { read(aware + "--exp-avg-dtype fp8"); }).find("fp8 and fp32 cannot be"),
            std::string::npos);
  EXPECT_FALSE(read(small_job + "--bf16").find("master_weights"));
}

// Megatron-Core's --fp8-param-gather keeps no bf16 copy, so that no remainders are kept of one.
TEST(MegatronTranslation, weights_and_activations_may_be_kept_in_fp8) {
  const std::string fp8 = small_job + "--bf16 --fp8-format e4m3 --fp8-recipe blockwise ";
  EXPECT_EQ(read(fp8).find("weights"), nullptr);
  EXPECT_EQ(at(read(fp8 + "--fp8-param-gather"), {"weights"}), "fp8");
  EXPECT_EQ(read(small_job + "--bf16 --fp8-param-gather").find("weights"), nullptr);
  EXPECT_EQ(read(fp8 + "--fp8-param-gather --use-precision-aware-optimizer").find("master_weights"),
            nullptr);
  EXPECT_EQ(at(read(fp8 + "--activation-func-fp8-input-store"), {"kept", "activation_inputs"}),
            "fp8");
}

TEST(MegatronTranslation, modules_go_to_the_host_by_name) {
  const std::string offload = small_job + "--fine-grained-activation-offloading --offload-modules ";
  const config::Value e = read(offload + "core_attn attn_proj");
  ASSERT_EQ(e.find("offload")->find("modules")->items.size(), 2u);
  EXPECT_EQ(e.find("offload")->find("modules")->items[1].text, "attn_proj");
  EXPECT_NE(error_of([&] { read(offload + "fused_group_mlp"); }).find("fused_group_mlp"),
            std::string::npos);
  EXPECT_EQ(at(read(small_job + "--optimizer-cpu-offload"), {"offload"}), "optimizer");
}

TEST(MegatronTranslation, soap_is_an_optimizer) {
  EXPECT_EQ(at(read(small_job + "--optimizer soap"), {"optimizer"}), "soap");
}

TEST(MegatronTranslation, muon_is_cut_by_whole_layers) {
  EXPECT_EQ(at(read(small_job + "--optimizer muon"), {"optimizer"}), "muon");
  EXPECT_EQ(at(read(small_job + "--optimizer dist_muon"), {"optimizer"}), "muon");
  EXPECT_EQ(at(read(small_job + "--optimizer dist_muon"), {"parallel", "zero"}), "1");
}

TEST(MegatronTranslation, tokens_are_gathered_for_experts_unless_a_dispatcher_is_named) {
  const std::string job = small_job + "--num-experts 8 --expert-model-parallel-size 8 ";
  EXPECT_EQ(at(read(job), {"dispatch"}), "all-gather");
  EXPECT_EQ(at(read(job + "--moe-token-dispatcher-type alltoall"), {"dispatch"}), "each-copy");
}

TEST(MegatronTranslation, what_does_not_matter_is_listed) {
  const job::Import import = import_text(gpt + "\n");
  EXPECT_NE(std::find(import.unused.begin(), import.unused.end(), "--lr 6.0e-5"),
            import.unused.end());
  EXPECT_NE(to_yaml(import).find("# does not matter here: --lr 6.0e-5\n"), std::string::npos);
}

TEST(MegatronTranslation, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(error_of([] { read("pretrain_gpt.py --num-layers 4x"); }).substr(0, 12),
            "run.sh:1:30:");
  EXPECT_NE(error_of([] {
              read(
                  "pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
                  "--micro-batch-size 1");
            }).find("--seq-length is missing"),
            std::string::npos);
  EXPECT_NE(
      error_of([] { read("train_me.py --num-layers 4 --micro-batch-size 1"); })
          .find("--hidden-size is missing, which a training of Megatron-LM needs; 'train_me.py' "
                "may be no program of it"),
      std::string::npos);
  EXPECT_NE(error_of([] { read(gpt + " --optimizer lion"); }).find("lion"), std::string::npos);
  EXPECT_NE(error_of([] { read("pretrain_vlm.py --num-layers 4"); }).find("vision towers"),
            std::string::npos);
}

// megatron/core/transformer/transformer_config.py: moe_flex_dispatcher_backend is deepep, and a
// flexible dispatcher without a library was an error before.
TEST(MegatronTranslation, a_flexible_dispatcher_sends_once_a_node) {
  const std::string experts =
      small_job +
      "--num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 8 --tokenizer-type "
      "GPT2BPETokenizer --moe-token-dispatcher-type ";
  const std::string launch = "torchrun --nproc-per-node 8 ";
  EXPECT_EQ(at(read(launch + experts + "flex"), {"dispatch"}), "once-a-node");
  EXPECT_EQ(at(read(launch + experts + "alltoall"), {"dispatch"}), "each-copy");
}

// tools/create_doc_index.py of Megatron-LM's retrieval.
TEST(MegatronTranslation, programs_that_train_nothing_are_refused) {
  EXPECT_NE(error_of([] {
              import_text("python tools/create_doc_index.py --num-layers 12\n");
            }).find("it embeds documents and trains nothing"),
            std::string::npos);
}

const std::string plain =
    "pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 128 "
    "--micro-batch-size 1 --global-batch-size 8 --bf16 --vocab-size 1024 ";

// megatron/arguments.py of bigcode-project/Megatron-LM, of llm-jp's and of MindSpeed-LLM.
TEST(MegatronTranslation, arguments_of_forks_mean_what_they_do_there) {
  EXPECT_EQ(
      at(read(plain + "--attention-head-type multiquery"), {"model", "transformer", "kv_heads"}),
      "1");
  EXPECT_EQ(at(read(plain + "--attention-head-type multihead --use-mpi --rank 0 --world-size 8"),
               {"model", "transformer", "kv_heads"}),
            "none");
  EXPECT_NE(error_of([] { read(plain + "--reuse-fp32-param"); }).find("share their memory"),
            std::string::npos);
  // They say nothing of a release.
  for (const std::string& note : import_text(plain + "--use-mpi").assumed)
    EXPECT_EQ(note.find("no release"), std::string::npos) << note;
}

TEST(MegatronTranslation, weights_may_be_gathered_beside_the_step) {
  const job::Import import =
      import_text(plain +
                  "--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather "
                  "--overlap-param-gather-with-optimizer-step");
  EXPECT_TRUE(std::ranges::any_of(import.slight, [](const std::string& note) {
    return note.starts_with("--overlap-param-gather-with-optimizer-step");
  }));
}

// Megatron-DeepSpeed's arguments where no DeepSpeed runs: what comes first ends the training.
TEST(MegatronTranslation, a_training_may_end_with_its_tokens) {
  const std::string job = plain + "--lr-decay-tokens 9 --lr-warmup-tokens 3 ";
  EXPECT_EQ(at(read(job + "--train-tokens 5000"), {"training", "tokens"}), "5000");
  EXPECT_EQ(at(read(job + "--train-samples 1 --train-tokens 500000"), {"training", "tokens"}),
            at(read(job + "--train-samples 1"), {"training", "tokens"}));
}

}  // namespace
}  // namespace pipewright::test
