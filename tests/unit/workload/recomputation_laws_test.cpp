// Laws of recomputation by module, over every transformer of the catalogue.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "experiment/readers.hpp"
#include "transformers.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright::test {
namespace {

/// What recomputation saves and costs over all blocks of a model.
struct Balance {
  int64_t kept = 0;  ///< bytes
  double flops = 0;  ///< run again
};

Balance balance_of(const Model& model, const std::string& recompute) {
  WorkloadOptions options{.sequence = 512};
  options.recompute = read_recompute(config::parse(recompute, "x.yaml"));
  Balance balance;
  for (const Layer& layer : model_layers(model, options, config::scalar("model"))) {
    if (layer.kind != LayerKind::block) continue;
    balance.kept += layer.stash.count;
    balance.flops += flops(layer.recompute);
  }
  return balance;
}

void check_sums(const std::string& name, const Model& model) {
  const Balance none = balance_of(model, "none"), full = balance_of(model, "full");
  Balance sum = none;
  for (const char* module : {"core_attn", "layernorm", "mlp", "moe", "mla_up_proj"}) {
    const Balance one = balance_of(model, fmt::format("{{modules: [{}]}}", module));
    EXPECT_LE(one.kept, none.kept) << name << ' ' << module;
    EXPECT_GE(one.kept, full.kept) << name << ' ' << module;
    EXPECT_LE(one.flops, full.flops) << name << ' ' << module;
    sum.kept += one.kept - none.kept;
    sum.flops += one.flops;
  }
  const Balance all = balance_of(model, "{modules: [core_attn, layernorm, mlp, moe, mla_up_proj]}");
  // Every layer's bytes are rounded to whole ones.
  EXPECT_NEAR(static_cast<double>(all.kept), static_cast<double>(sum.kept), 1000) << name;
  EXPECT_NEAR(all.flops / std::max(sum.flops, 1.0), sum.flops > 0 ? 1 : 0, 1e-9) << name;
}

/// An activation frees its result and leaves its input; the experts around it free both.
void check_experts(const std::string& name, const Model& model) {
  const Balance none = balance_of(model, "none"), moe = balance_of(model, "{modules: [moe]}");
  const Balance activation = balance_of(model, "{modules: [moe_act]}");
  EXPECT_LT(activation.kept, none.kept) << name;
  EXPECT_LT(moe.kept, activation.kept) << name;
  EXPECT_EQ(activation.flops, 0) << name;
  EXPECT_EQ(balance_of(model, "{modules: [moe, moe_act, shared_experts]}").kept, moe.kept) << name;
}

TEST(RecomputationLaws, add_up_in_every_transformer_of_the_catalogue) {
  const config::Catalogue catalogue;
  for (const std::string& name : catalogue.names("models")) {
    const Model model = read_model(catalogue.load("models", config::scalar(name)));
    if (model.transformer.layers == 0) continue;
    check_sums(name, model);
    if (model.transformer.experts) check_experts(name, model);
  }
}

// DeepSeek-V3, 512 tokens of 16 bits on one device: the activation's result has 2048 numbers for
// each of 8 copies of a token, in 58 layers (arXiv 2412.19437, 4.2).
TEST(RecomputationLaws, activation_of_experts_frees_its_result) {
  const config::Catalogue catalogue;
  const Model model =
      read_model(catalogue.load("models", config::scalar(std::string("deepseek-v3"))));
  const int64_t freed =
      balance_of(model, "none").kept - balance_of(model, "{modules: [moe_act]}").kept;
  EXPECT_EQ(freed, int64_t{58} * 512 * 8 * 2048 * 2);
}

}  // namespace
}  // namespace pipewright::test
