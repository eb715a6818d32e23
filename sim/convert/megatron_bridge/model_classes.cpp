// After src/megatron/bridge/models/*/*_provider.py (2025 and 2026; until September 2025 some had
// shorter names).
#include "convert/megatron_bridge/model_classes.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::megatron_bridge {
namespace {

struct Provider {
  std::string_view name, model;
};
constexpr Provider providers[] = {{"GPTProvider175B", "gpt3-175b"},
                                  {"Llama2ModelProvider7B", "llama-2-7b"},
                                  {"Llama2ModelProvider13B", "llama-2-13b"},
                                  {"Llama2ModelProvider70B", "llama-2-70b"},
                                  {"Llama3ModelProvider8B", "llama-3-8b"},
                                  {"Llama3ModelProvider70B", "llama-3-70b"},
                                  {"Llama31ModelProvider8B", "llama-3-8b"},
                                  {"Llama31ModelProvider70B", "llama-3-70b"},
                                  {"Llama31ModelProvider405B", "llama-3-405b"},
                                  {"Nemotron4ModelProvider15B", "nemotron-4-15b"},
                                  {"Nemotron4ModelProvider340B", "nemotron-4-340b"},
                                  {"NemotronHModelProvider8B", "nemotron-h-8b"},
                                  {"NemotronHModel8BProvider", "nemotron-h-8b"},
                                  {"Gemma2ModelProvider9B", "gemma-2-9b"},
                                  {"Gemma2ModelProvider27B", "gemma-2-27b"},
                                  {"Qwen25ModelProvider7B", "qwen2.5-7b"},
                                  {"Qwen25ModelProvider72B", "qwen2.5-72b"},
                                  {"Qwen3ModelProvider8B", "qwen3-8b"},
                                  {"Qwen3MoEModelProvider30B_A3B", "qwen3-30b-a3b"},
                                  {"Qwen3MoEModelProvider235B_A22B", "qwen3-235b-a22b"},
                                  {"DeepSeekV2Provider", "deepseek-v2"},
                                  {"DeepSeekV2ModelProvider", "deepseek-v2"},
                                  {"DeepSeekV2LiteProvider", "deepseek-v2-lite"},
                                  {"DeepSeekV2LiteModelProvider", "deepseek-v2-lite"},
                                  {"DeepSeekV3Provider", "deepseek-v3"},
                                  {"DeepSeekV3ModelProvider", "deepseek-v3"}};

}  // namespace

std::string_view model_of_class(std::string_view name) {
  const auto* found = std::ranges::find(providers, name, &Provider::name);
  return found == std::end(providers) ? std::string_view() : found->model;
}

}  // namespace pipewright::megatron_bridge
