#include "convert/megatron_bridge/model_classes.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron_bridge {
namespace {

TEST(MegatronBridgeModelClasses, are_models_of_the_catalogue) {
  for (const char* name : {"Llama31ModelProvider405B", "Qwen3MoEModelProvider235B_A22B",
                           "DeepSeekV2LiteModelProvider", "NemotronHModelProvider8B"}) {
    const std::string model(model_of_class(name));
    EXPECT_NO_THROW(read_model(config::Catalogue().resolve("models", config::scalar(model))))
        << name;
  }
}

TEST(MegatronBridgeModelClasses, others_say_no_sizes) {
  EXPECT_EQ(model_of_class("GPTModelProvider"), "");
  EXPECT_EQ(model_of_class("Qwen3ModelProvider1P7B"), "");
}

}  // namespace
}  // namespace pipewright::megatron_bridge
