#include "convert/neox/keys.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pipewright::test {
namespace {

TEST(NeoxKeys, every_key_is_said_once_and_has_a_reason) {
  std::set<std::string_view> seen;
  for (const job::Key& key : neox::keys()) {
    EXPECT_TRUE(seen.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.note.empty()) << key.path;
  }
}

TEST(NeoxKeys, training_by_preferences_is_refused) {
  const job::Key* key = job::find_key(neox::keys(), "train_impl");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->effect, job::Effect::refused);
  EXPECT_EQ(key->unless, "normal");
}

// Keys that Stability AI's configurations have beside GPT-NeoX's.
TEST(NeoxKeys, those_of_a_fork_are_known) {
  EXPECT_EQ(job::find_key(neox::keys(), "attention_head_type")->unless, "multihead");
  EXPECT_EQ(job::find_key(neox::keys(), "use_flash_cross_entropy")->effect, job::Effect::slight);
}

// Linear layers of Transformer Engine compute in bf16; only its attention may be in fp8.
TEST(NeoxKeys, of_transformer_engine_fp8_is_refused) {
  EXPECT_EQ(job::find_key(neox::keys(), "te_layernorm_mlp")->effect, job::Effect::slight);
  EXPECT_EQ(job::find_key(neox::keys(), "te_fp8_mha")->effect, job::Effect::refused);
}

}  // namespace
}  // namespace pipewright::test
