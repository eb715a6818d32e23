#include "convert/megatron/write_mixers.hpp"

#include <gtest/gtest.h>

#include "convert/megatron/writer.hpp"
#include "flags_of.hpp"
#include "lines_of.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

/// An experiment with such layers, and `more` lines.
std::string mixed(const std::string& layers, const std::string& parallel,
                  const std::string& more = "") {
  return "model: {transformer: {hidden: 256, heads: 4, ffn: 512, vocabulary: 1024, positions: "
         "none, norm: rmsnorm, bias: false, " +
         layers + "}}\ncluster: {node: dgx-h100, nodes: 1}\nparallel: {" + parallel +
         "}\nbatch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n" + more;
}

const std::string hybrid_layers_of_four =
    "layers: 4, mixers: [state-space, none, full, none], feeds: [none, dense, none, dense], "
    "state_space: {heads: 8, head_dim: 64, state: 128, groups: 4, chunk: 128}";

std::string script_with(const std::string& yaml) {
  return megatron::write_script(experiment_of(yaml));
}

bool has(const std::string& script, const std::string& line) {
  return script.find("\n    " + line + "\n") != std::string::npos;
}

// hybrid_layer_allocation.py: a letter a layer.
TEST(MegatronWriteMixers, a_hybrid_is_a_pattern_of_letters) {
  const std::string script = script_with(mixed(hybrid_layers_of_four, "data: 8"));
  EXPECT_TRUE(has(script, "--hybrid-layer-pattern 'M-*-'")) << script;
  EXPECT_TRUE(has(script, "--mamba-num-heads 8"));
  EXPECT_TRUE(has(script, "--mamba-head-dim 64"));
  EXPECT_TRUE(has(script, "--mamba-state-dim 128"));
  EXPECT_TRUE(has(script, "--mamba-num-groups 4"));
  EXPECT_EQ(script.find("--num-layers"), std::string::npos);
  EXPECT_NE(script.find("pretrain_hybrid.py"), std::string::npos);
}

// validate_args: a | ends a stage, and no other argument says the stages then.
TEST(MegatronWriteMixers, stages_of_a_hybrid_stand_in_its_pattern) {
  const std::string uneven =
      script_with(mixed(hybrid_layers_of_four, "pipeline: 2, data: 4", "partition: [1, 3]\n"));
  EXPECT_TRUE(has(uneven, "--hybrid-layer-pattern 'M|-*-'")) << uneven;
  EXPECT_EQ(uneven.find("--pipeline-model-parallel-layout"), std::string::npos);
  std::string interleaved = mixed(hybrid_layers_of_four, "pipeline: 2, data: 4, virtual: 2");
  interleaved.replace(interleaved.find("1f1b"), 4, "interleaved-1f1b");
  const std::string four = script_with(interleaved);
  EXPECT_TRUE(has(four, "--hybrid-layer-pattern 'M|-|*|-'")) << four;
  EXPECT_EQ(four.find("--num-virtual-stages-per-pipeline-rank"), std::string::npos);
}

TEST(MegatronWriteMixers, a_layer_with_a_mixer_and_an_mlp_is_of_no_hybrid) {
  const auto letters = [](const std::string& layers) {
    return megatron::hybrid_layers(
        experiment_of(mixed(layers, "data: 8")).model_or_fail().transformer);
  };
  EXPECT_EQ(letters(hybrid_layers_of_four), "M-*-");
  EXPECT_EQ(letters("layers: 4"), "");
  EXPECT_EQ(letters("layers: 2, window: 64, mixers: [sliding, none], feeds: [none, dense]"), "");
}

const std::string delta =
    "gated_delta: {key_heads: 4, value_heads: 8, key_dim: 32, value_dim: 64, convolution: 3}";

// Every n-th layer has softmax attention, or a list has a 0 where one has.
TEST(MegatronWriteMixers, layers_by_the_gated_delta_rule_are_counted_or_listed) {
  const std::string fourth = script_with(mixed(
      "layers: 8, mixers: [gated-delta, gated-delta, gated-delta, full], " + delta, "data: 8"));
  EXPECT_TRUE(has(fourth, "--experimental-attention-variant gdn")) << fourth;
  EXPECT_TRUE(has(fourth, "--linear-attention-freq 4"));
  EXPECT_TRUE(has(fourth, "--linear-num-key-heads 4"));
  EXPECT_TRUE(has(fourth, "--linear-num-value-heads 8"));
  EXPECT_TRUE(has(fourth, "--linear-key-head-dim 32"));
  EXPECT_TRUE(has(fourth, "--linear-value-head-dim 64"));
  EXPECT_TRUE(has(fourth, "--linear-conv-kernel-dim 3"));
  const std::string first = script_with(mixed(
      "layers: 4, mixers: [full, gated-delta, gated-delta, gated-delta], " + delta, "data: 8"));
  EXPECT_TRUE(has(first, "--linear-attention-freq '[0,1,1,1]'")) << first;
}

/// The value at `key` of the transformer that is read from what is written.
std::string read_back(const std::string& yaml, const char* key) {
  const config::Value e = import_text(script_with(yaml)).experiment;
  const config::Value* value = e.find("model")->find("transformer")->find(key);
  return value ? config::to_yaml(*value) : "none";
}

// What is read of it says the same, modules that predict among it.
TEST(MegatronWriteMixers, what_is_written_is_read_again) {
  const std::string yaml = mixed(hybrid_layers_of_four + ", predict: 2", "data: 8");
  EXPECT_EQ(read_back(yaml, "predict"), config::to_yaml(config::scalar("2")));
  EXPECT_EQ(read_back(yaml, "layers"), config::to_yaml(config::scalar("4")));
  const std::string mixers = read_back(yaml, "mixers");
  for (const char* mixer : {"state-space", "full", "none"})
    EXPECT_NE(mixers.find(mixer), std::string::npos) << mixers;
}

}  // namespace
}  // namespace pipewright::test
