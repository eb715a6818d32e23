#include "convert/megatron_bridge/hugging_face_names.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(HuggingFaceNames, releases_of_one_size_are_one_model) {
  EXPECT_EQ(megatron_bridge::model_named("meta-llama/Llama-3.1-8B"), "llama-3-8b");
  EXPECT_EQ(megatron_bridge::model_named("meta-llama/Meta-Llama-3-8B"), "llama-3-8b");
  EXPECT_EQ(megatron_bridge::model_named("me/mine"), "");
}

}  // namespace
}  // namespace pipewright::test
