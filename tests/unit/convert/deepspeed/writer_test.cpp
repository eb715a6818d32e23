#include "convert/deepspeed/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(DeepSpeedWriter, the_script_writes_the_configuration_that_it_names) {
  const std::string script = deepspeed::write_job(
      experiment_of(small_experiment + "precision: fp16\nrecompute: full\noptimizer: momentum\n"
                                       "offload: optimizer\noverlap: {data: true}\n"));
  for (const char* part :
       {"cat > ds_config.json <<'EOF'\n{\n", "\"train_batch_size\": 16,\n",
        "  \"fp16\": {\n    \"enabled\": true\n  },\n",
        "  \"optimizer\": {\n    \"type\": \"SGD\",\n    \"params\": {\n      \"momentum\": 0.9\n  "
        "  }\n",
        "    \"stage\": 1,\n    \"overlap_comm\": true,\n",
        "    \"offload_optimizer\": {\n      \"device\": \"cpu\"\n    }\n",
        "--deepspeed-activation-checkpointing\n", "--use-flash-attn-v2\n",
        "deepspeed --hostfile \"${HOSTFILE:-/job/hostfile}\" --num_nodes 2 --num_gpus 8 "
        "pretrain_gpt.py \"${ARGS[@]}\" \"$@\"\n",
        "--deepspeed_config ds_config.json\n"})
    EXPECT_NE(script.find(part), std::string::npos) << part << script;
  EXPECT_EQ(script.find("--use-distributed-optimizer"), std::string::npos);
  EXPECT_EQ(script.find("--no-pipeline-parallel"), std::string::npos);
}

TEST(DeepSpeedWriter, arguments_are_those_of_2023) {
  const std::string script = deepspeed::write_job(experiment_of(
      "model: {transformer: {layers: 4, hidden: 256, heads: 4, kv_heads: 2, vocabulary: 1024, "
      "norm: rmsnorm, positions: rope}}\ncluster: {node: dgx-h100, nodes: 1, fabric: {kind: "
      "fat-tree, link: ndr, nics: 8}}\nparallel: {context: {degree: 2, exchange: ulysses}, data: "
      "4}\nbatch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n"));
  for (const char* part : {"--num-key-value-heads 2\n", "--normalization rmsnorm\n",
                           "--use-rotary-position-embeddings\n", "--no-pipeline-parallel\n",
                           "--ds-sequence-parallel-size 2\n"})
    EXPECT_NE(script.find(part), std::string::npos) << part << script;
  EXPECT_EQ(script.find("--group-query-attention"), std::string::npos);
}

TEST(DeepSpeedWriter, what_goes_along_stands_beside_the_job) {
  const config::Value along = config::parse(
      "{gradient_clipping: 1.0, train_batch_size: 7, arguments: {lr: 1e-4, micro-batch-size: 9}}",
      "a.yaml");
  const std::string script = deepspeed::write_job(experiment_of(small_experiment), along);
  for (const char* part : {"\"gradient_clipping\": 1.0", "\"train_batch_size\": 16", "--lr 1e-4\n"})
    EXPECT_NE(script.find(part), std::string::npos) << part << script;
  EXPECT_EQ(script.find("--micro-batch-size 9"), std::string::npos);
  EXPECT_EQ(script.find("arguments\""), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
