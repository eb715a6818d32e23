#include "convert/nemo/recipe_parts.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "config/value.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

config::Value named(const std::string& yaml) {
  config::Value root = config::parse(yaml, "a.yaml");
  const job::Source source{.text = yaml, .file = "a.yaml", .given = {}, .read = {}};
  job::Import import;
  nemo::name_parts(root, source, import);
  return root;
}

// gpt/model/base.py: GPTModel(config, optim, tokenizer), whose optimizer is cut.
TEST(NemoRecipeParts, what_has_no_name_gets_one) {
  const config::Value root =
      named("{model: {_args_: [{x: 1}, 2]}, trainer: {plugins: {_args_: [16-mixed]}}}");
  EXPECT_EQ(at(root, {"model", "config", "x"}), "1");
  EXPECT_EQ(at(root, {"trainer", "plugins", "precision"}), "16-mixed");
  EXPECT_EQ(at(root, {"optim", "config", "use_distributed_optimizer"}), "true");
}

TEST(NemoRecipeParts, a_plugin_and_a_callback_leave_their_lists) {
  const config::Value root = named(
      "{trainer: {plugins: [{_target_: a.MegatronMixedPrecision, precision: bf16}], callbacks: "
      "[{_target_: a.MegatronCommOverlapCallback, x: 1}]}}");
  EXPECT_EQ(at(root, {"trainer", "plugins", "precision"}), "bf16");
  EXPECT_EQ(at(root, {"comm_overlap", "x"}), "1");
  EXPECT_NE(error_of([] {
              named("{trainer: {plugins: [{_target_: a.Other}]}}");
            }).find("the plugin Other is not known"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
