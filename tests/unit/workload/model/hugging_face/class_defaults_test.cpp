// What a configuration leaves out is what its class takes, as the parameters that were published
// with the whole file tell.
#include "workload/model/hugging_face/class_defaults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hugging_face.hpp"
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::test {
namespace {

constexpr Published cut_files[] = {
    {"deepseek-ai/DeepSeek-V3 without module of prediction",
     R"({"model_type": "deepseek_v3", "vocab_size": 129280, "hidden_size": 7168,
      "num_hidden_layers": 61, "num_attention_heads": 128, "n_routed_experts": 256,
      "kv_lora_rank": 512})",
     671026419200},
    {"Qwen/Qwen3-30B-A3B",
     R"({"model_type": "qwen3_moe", "vocab_size": 151936, "hidden_size": 2048,
      "num_hidden_layers": 48, "num_attention_heads": 32, "head_dim": 128, "num_experts": 128})",
     30532122624},
    {"Qwen/Qwen3-32B",
     R"({"model_type": "qwen3", "vocab_size": 151936, "hidden_size": 5120,
      "num_hidden_layers": 64, "num_attention_heads": 64, "num_key_value_heads": 8,
      "intermediate_size": 25600})",
     32762123264},
    {"baidu/ERNIE-4.5-21B-A3B-PT",
     R"({"model_type": "ernie4_5_moe", "vocab_size": 103424, "hidden_size": 2560,
      "num_hidden_layers": 28, "num_attention_heads": 20, "moe_num_experts": 64})",
     21825437888},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct without module of prediction",
     R"({"model_type": "qwen3_next", "vocab_size": 151936, "hidden_size": 2048,
      "num_hidden_layers": 48, "num_attention_heads": 16, "num_experts": 512})",
     79674391296},
};

TEST(ClassDefaults, stand_for_what_a_file_leaves_out) { expect_published(cut_files); }

TEST(ClassDefaults, leave_a_key_that_is_null) {
  const std::string file = R"({"model_type": "deepseek_v3", "vocab_size": 129280, "hidden_size":
    7168, "num_hidden_layers": 61, "num_attention_heads": 128, "n_routed_experts": 256,
    "kv_lora_rank": 512, "q_lora_rank": )";
  // A query of 128 heads of 192 is made at once, and not through 1,536 numbers.
  const double once = 7168.0 * 128 * 192, through = 1536 * (7168.0 + 128 * 192) + 1536;
  EXPECT_NEAR(parameters_of(file + "null}") - parameters_of(file + "1536}"), 61 * (once - through),
              1e6);
}

TEST(ClassDefaults, are_of_families_that_are_known) {
  std::set<std::string_view> types;
  for (const hugging_face::Family& family : hugging_face::families()) types.insert(family.type);
  for (const hugging_face::ClassDefaults& one : hugging_face::classes_with_defaults())
    EXPECT_TRUE(types.contains(one.type)) << one.type;
}

}  // namespace
}  // namespace pipewright::test
