#include "convert/megatron/hybrid.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

constexpr const char* hybrid =
    "pretrain_mamba.py --hidden-size 1024 --num-attention-heads 16 --group-query-attention "
    "--num-query-groups 8 --seq-length 2048 --micro-batch-size 1 --global-batch-size 8 --bf16 "
    "--position-embedding-type none --normalization RMSNorm --disable-bias-linear "
    "--spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec ";

config::Value hybrid_of(const std::string& more) { return import_text(hybrid + more).experiment; }

std::string list_at(const config::Value& experiment, const char* key) {
  std::string text;
  for (const config::Value& item : experiment.find("model")->find("transformer")->find(key)->items)
    text += (text.empty() ? "" : " ") + item.text;
  return text;
}

TEST(MegatronHybrid, every_layer_is_a_mixer_or_a_feed) {
  const config::Value e = hybrid_of(
      "--hybrid-override-pattern M-M*E --num-layers 5 "
      "--num-experts 8 --moe-router-topk 2");
  EXPECT_EQ(list_at(e, "mixers"), "state-space none state-space full none");
  EXPECT_EQ(list_at(e, "feeds"), "none dense none none experts");
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "5");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "count"}), "8");
}

// MambaMixer: twice the width of the model, in heads of 64 numbers, with 8 groups of 128 states.
TEST(MegatronHybrid, a_layer_of_mamba_is_twice_as_wide_as_the_model) {
  const auto scan = [](const std::string& more, const char* key) {
    return at(hybrid_of("--num-layers 2 " + more), {"model", "transformer", "state_space", key});
  };
  EXPECT_EQ(scan("", "heads"), "32");
  EXPECT_EQ(scan("", "head_dim"), "64");
  EXPECT_EQ(scan("", "state"), "128");
  EXPECT_EQ(scan("", "groups"), "8");
  EXPECT_EQ(scan("--mamba-head-dim 32", "heads"), "64");
  EXPECT_EQ(scan("--mamba-num-heads 48", "heads"), "48");
}

TEST(MegatronHybrid, shares_say_the_layers_where_no_pattern_does) {
  const config::Value e = hybrid_of("--num-layers 4 --hybrid-attention-ratio 0.25");
  EXPECT_EQ(list_at(e, "mixers"), "state-space state-space full");
  EXPECT_EQ(list_at(hybrid_of("--num-layers 4"), "mixers"), "state-space");
}

TEST(MegatronHybrid, bars_end_stages) {
  const config::Value e =
      hybrid_of("--hybrid-layer-pattern 'M-M|M-*|M-|MM-' --pipeline-model-parallel-size 2");
  std::string layers;
  for (const config::Value& stage : e.find("partition")->items) layers += stage.text;
  EXPECT_EQ(layers, "3323");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_NE(error_of([] {
              hybrid_of("--hybrid-layer-pattern 'M|M|M' --pipeline-model-parallel-size 2");
            }).find("marks 3 stages"),
            std::string::npos);
}

TEST(MegatronHybrid, a_module_that_predicts_is_as_the_last_layer) {
  EXPECT_EQ(at(hybrid_of("--hybrid-layer-pattern M-M-/-/-"), {"model", "transformer", "predict"}),
            "2");
  EXPECT_NE(
      error_of([] { hybrid_of("--hybrid-layer-pattern M-M-/*-"); }).find("'*-' cannot be said"),
      std::string::npos);
}

TEST(MegatronHybrid, says_what_is_wrong_with_a_pattern) {
  const auto error = [](const std::string& more) { return error_of([&] { hybrid_of(more); }); };
  EXPECT_NE(error("--hybrid-layer-pattern MXM").find("'MXM' cannot be said: layers here are M"),
            std::string::npos);
  EXPECT_NE(error("--hybrid-layer-pattern MM --num-layers 3").find("is not 2, the layers of 'MM'"),
            std::string::npos);
  EXPECT_NE(error("--num-layers 4 --mamba-head-dim 60").find("does not divide the 2048"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_text(small_job + "--hybrid-override-pattern M*M*M*M*");
            }).find("a program without hybrid models"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
