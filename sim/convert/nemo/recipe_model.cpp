// After nemo/collections/llm/gpt/model/*.py (NeMo 2.0 to 2.5): classes whose sizes are those of a
// model in the catalogue.
#include "convert/nemo/recipe_model.hpp"

#include <algorithm>

namespace pipewright::nemo {
namespace {

struct Class {
  std::string_view name, model;
};
constexpr Class classes[] = {{"Llama2Config7B", "llama-2-7b"},
                             {"Llama2Config13B", "llama-2-13b"},
                             {"Llama2Config70B", "llama-2-70b"},
                             {"Llama3Config8B", "llama-3-8b"},
                             {"Llama3Config70B", "llama-3-70b"},
                             {"Llama31Config8B", "llama-3-8b"},
                             {"Llama31Config70B", "llama-3-70b"},
                             {"Llama31Config405B", "llama-3-405b"},
                             {"MistralConfig7B", "mistral-7b"},
                             {"MixtralConfig8x7B", "mixtral-8x7b"},
                             {"MixtralConfig8x22B", "mixtral-8x22b"},
                             {"Nemotron4Config15B", "nemotron-4-15b"},
                             {"Nemotron4Config340B", "nemotron-4-340b"},
                             {"Qwen25Config7B", "qwen2.5-7b"},
                             {"Qwen25Config72B", "qwen2.5-72b"},
                             {"Qwen3Config8B", "qwen3-8b"},
                             {"Qwen3Config30B_A3B", "qwen3-30b-a3b"},
                             {"Qwen3Config235B_A22B", "qwen3-235b-a22b"},
                             {"DeepSeekV2Config", "deepseek-v2"},
                             {"DeepSeekV2LiteConfig", "deepseek-v2-lite"},
                             {"Gemma2Config9B", "gemma-2-9b"},
                             {"Gemma2Config27B", "gemma-2-27b"},
                             {"GPTConfig175B", "gpt3-175b"}};

}  // namespace

std::string_view model_of_class(std::string_view name) {
  const auto* found = std::find_if(std::begin(classes), std::end(classes),
                                   [&](const Class& one) { return one.name == name; });
  return found == std::end(classes) ? std::string_view() : found->model;
}

}  // namespace pipewright::nemo
