#include "convert/nemo/keys.hpp"

#include <gtest/gtest.h>

#include <set>

#include "convert/megatron/arguments.hpp"

namespace pipewright::nemo {
namespace {

TEST(NemoKeys, each_has_a_reason_and_stands_once) {
  std::set<std::string_view> paths;
  for (const job::Key& key : own_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path << " stands twice";
    EXPECT_FALSE(key.note.empty()) << key.path;
  }
}

TEST(NemoKeys, other_names_are_of_arguments) {
  for (const megatron::Alias& alias : aliases())
    EXPECT_TRUE(megatron::find_argument(alias.argument)) << alias.argument;
}

TEST(NemoKeys, other_trainings_are_named) {
  for (const char* path : {"trainer.dpo.max_epochs", "trainer.ppo.port", "trainer.rs.max_epochs",
                           "model.encoder.num_layers"})
    EXPECT_EQ(job::find_key(own_keys(), path)->effect, job::Effect::refused) << path;
  EXPECT_EQ(job::find_key(own_keys(), "trainer.sft.max_epochs")->effect, job::Effect::nothing);
}

}  // namespace
}  // namespace pipewright::nemo
