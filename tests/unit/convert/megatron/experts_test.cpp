#include "convert/megatron/experts.hpp"

#include <gmock/gmock.h>

#include "error_of.hpp"
#include "given_model.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronExperts, the_first_layers_may_be_dense) {
  const GivenModel model("--num-experts 4 --moe-layer-freq '([0]*3+[1]*5)'");
  EXPECT_EQ(at(model.value, {"experts", "dense"}), "3");
  const GivenModel one("--num-experts 4 --moe-layer-freq '([0]+[1]*7)'");
  EXPECT_EQ(at(one.value, {"experts", "dense"}), "1");
  const GivenModel second("--num-experts 4 --moe-layer-freq '([0]+[1])*4'");
  EXPECT_EQ(at(second.value, {"experts", "every"}), "2");
  EXPECT_NE(error_of([] {
              GivenModel("--num-experts 4 --moe-layer-freq '([1]+[0])*3'");
            }).find("cannot be said"),
            std::string::npos);
}

// SwitchMLP of 2022 and 2023 knows one expert for a token; since 2024 two are the default.
TEST(MegatronExperts, a_token_goes_to_as_many_experts_as_it_did_then) {
  const auto active = [](const std::string& more) {
    return at(GivenModel("--num-experts 4 " + more).value, {"experts", "active"});
  };
  EXPECT_EQ(active(""), "2");
  EXPECT_EQ(active("--DDP-impl local"), "1");
  EXPECT_EQ(active("--moe-router-topk 3"), "3");
  const std::string note =
      "nothing says how many experts a token goes to: 2, as by default since 2024";
  const auto is_told = [&](const std::string& more) {
    const std::vector<std::string> assumed =
        GivenModel("--num-experts 4 " + more).given.import.assumed;
    return std::count(assumed.begin(), assumed.end(), note) == 1;
  };
  EXPECT_TRUE(is_told(""));
  EXPECT_FALSE(is_told("--moe-router-topk 2"));
  EXPECT_FALSE(is_told("--DDP-impl local"));
  EXPECT_NE(error_of([] { GivenModel("--num-experts 1"); }).find("fewer than the 2 experts"),
            std::string::npos);
}

/// The layers of 8 that have experts.
std::string experts_in(const std::string& arguments) {
  const GivenModel model("--num-experts 4 " + arguments);
  config::Value document;
  document.set("transformer", model.value);
  const TransformerShape shape = read_model(document).transformer;
  std::string layers;
  for (int64_t i = 0; i < 8; ++i)
    if (shape.feed(i) == Feed::experts) layers += std::to_string(i);
  return layers;
}

// get_gpt_decoder_block_spec: layer i has experts where i mod n is 0.
TEST(MegatronExperts, every_so_many_layers_begin_with_the_first) {
  EXPECT_EQ(experts_in("--moe-layer-freq 1"), "01234567");
  EXPECT_EQ(experts_in("--moe-layer-freq 2"), "0246");
  EXPECT_EQ(experts_in("--moe-layer-freq 3"), "036");
  EXPECT_EQ(experts_in("--moe-layer-freq 9"), "0");
  EXPECT_EQ(experts_in("--moe-layer-freq '([1]+[0])*4'"), "0246");
  EXPECT_EQ(experts_in("--moe-layer-freq '([0]*6+[1]+[0])'"), "6");
}

// SharedExpertMLP is as wide as its argument, whatever a routed expert is.
TEST(MegatronExperts, what_all_share_has_a_width_of_its_own) {
  const auto shared = [](const std::string& more, const char* key) {
    const GivenModel model("--num-experts 4 --moe-ffn-hidden-size 1024 " + more);
    return at(model.value, {"experts", key});
  };
  EXPECT_EQ(shared("--moe-shared-expert-intermediate-size 2048", "shared"), "2");
  EXPECT_EQ(shared("--moe-shared-expert-intermediate-size 2048", "shared_ffn"), "none");
  EXPECT_EQ(shared("--moe-shared-expert-intermediate-size 512", "shared"), "1");
  EXPECT_EQ(shared("--moe-shared-expert-intermediate-size 512", "shared_ffn"), "512");
  EXPECT_EQ(
      shared("--moe-shared-expert-intermediate-size 512 --moe-shared-expert-gate", "shared_gate"),
      "true");
  EXPECT_EQ(shared("--moe-latent-size 256", "latent"), "256");
}

TEST(MegatronExperts, an_expert_is_as_wide_as_the_mlp_unless_it_says_so) {
  EXPECT_EQ(at(GivenModel("--num-experts 4").value, {"experts", "ffn"}), "4096");
  EXPECT_EQ(at(GivenModel("--num-experts 4 --moe-ffn-hidden-size 512").value, {"experts", "ffn"}),
            "512");
}

// Rows of padding come above a capacity of 1 only: below it the experts are full.
TEST(MegatronExperts, full_experts_may_be_padded) {
  const std::string padded = "--num-experts 4 --moe-pad-expert-input-to-capacity ";
  const GivenModel full(padded + "--moe-expert-capacity-factor 1.0");
  EXPECT_EQ(at(full.value, {"experts", "capacity"}), "1");
  EXPECT_THAT(full.given.import.assumed,
              testing::Contains(testing::HasSubstr("takes no more time")));
  const auto error = [&](const std::string& more) {
    return error_of([&] { GivenModel model(padded + more); });
  };
  EXPECT_NE(error("--moe-expert-capacity-factor 1.25")
                .find("rows of padding are modelled in CUDA graphs only"),
            std::string::npos);
  EXPECT_NE(error("").find("needs --moe-expert-capacity-factor"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
