// Parameter counts of the catalogue's models against published ones, to 0.1 %, or to half of the
// last digit where so few are published.
#include <gtest/gtest.h>

#include <set>

#include "config/catalogue.hpp"
#include "transformers.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright::test {
namespace {

struct Named {
  std::string name;
  Model model;
  std::vector<Layer> layers() const {
    return model_layers(model, {.sequence = 2048}, config::scalar(name));
  }
};

/// Every model of the catalogue.
std::vector<Named> catalogue_models() {
  const config::Catalogue catalogue;
  std::vector<Named> models;
  for (const config::Listing& entry : catalogue.list("models")) {
    const config::Value value = catalogue.load("models", config::scalar(entry.name));
    models.push_back({entry.name, read_model(value)});
  }
  return models;
}

/// How far a count may be from what is published of it.
double tolerance(const std::string& name) {
  static const std::set<std::string> rounded = {"gpt3-175b",      "megatron-18b", "megatron-7.5b",
                                                "nemotron-4-15b", "opt-175b",     "u-transformer"};
  return rounded.contains(name) ? 0.005 : 0.001;
}

TEST(Parameters, are_the_published_ones) {
  std::set<std::string> checked;
  for (const Named& named : catalogue_models()) {
    if (!named.model.parameters) continue;
    EXPECT_NEAR(parameters(named.layers()) / *named.model.parameters, 1, tolerance(named.name))
        << named.name;
    checked.insert(named.name);
  }
  for (const char* name : {"gpt2-xl",           "gpt3-175b",       "megatron-1t",  "llama-3-405b",
                           "mixtral-8x7b",      "nemotron-4-340b", "bloom-176b",   "bert-large",
                           "deepseek-v3",       "vgg-16",          "alexnet",      "resnet-50",
                           "resnet-101",        "resnet-152",      "inception-v3", "u-net",
                           "amoebanet-d",       "t5-large",        "t5-3b",        "t5-11b",
                           "gpt-oss-20b",       "gpt-oss-120b",    "gemma-2-9b",   "gemma-2-27b",
                           "gemma-3-12b",       "gemma-3-27b",     "minimax-m1",   "phi-3-mini",
                           "mamba-codestral-7b"})
    EXPECT_TRUE(checked.contains(name)) << name;
}

TEST(Parameters, one_device_holds_all_of_them) {
  for (const Named& named : catalogue_models()) {
    const auto layers = named.layers();
    EXPECT_DOUBLE_EQ(device_parameters(layers), parameters(layers)) << named.name;
  }
}

TEST(Catalogue, every_model_says_what_it_is_where_it_comes_from_and_its_sequence) {
  for (const Named& named : catalogue_models()) {
    EXPECT_FALSE(named.model.description.empty()) << named.name;
    EXPECT_FALSE(named.model.source.empty()) << named.name;
    EXPECT_EQ(named.model.sequence.has_value(), named.model.has_tokens()) << named.name;
  }
}

TEST(Parameters, of_the_active_experts_are_the_published_ones) {
  // Forward FLOPs are 2 for each active parameter and token, attention apart: Mixtral 12.9e9 active
  // (arXiv 2401.04088), DeepSeek-V3 37e9 (2412.19437), Qwen3 3.3e9 and 22e9 (2505.09388), of which
  // the input embedding multiplies nothing.
  const config::Catalogue catalogue;
  for (const auto& [name, active] : {std::pair("mixtral-8x7b", 12.9e9),
                                     {"deepseek-v3", 37e9},
                                     {"qwen3-30b-a3b", 3.3e9},
                                     {"qwen3-235b-a22b", 22e9}}) {
    const Model model = read_model(catalogue.load("models", config::scalar(name)));
    const TransformerShape& shape = model.transformer;
    const auto layers = layers_of(shape, {.sequence = 1});  // one key: next to no attention
    const double embedding = static_cast<double>(shape.ends.vocabulary * shape.hidden);
    EXPECT_NEAR((model_flops(layers) / 2 + embedding) / active, 1, 0.03) << name;
  }
}

}  // namespace
}  // namespace pipewright::test
