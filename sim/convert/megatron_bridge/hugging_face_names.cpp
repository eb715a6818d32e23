// The files that models of the catalogue name as their source, and other releases of those sizes.
#include "convert/megatron_bridge/hugging_face_names.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::megatron_bridge {
namespace {

struct Name {
  std::string_view theirs, ours;
};
constexpr Name names[] = {{"meta-llama/Llama-2-7b-hf", "llama-2-7b"},
                          {"meta-llama/Llama-2-13b-hf", "llama-2-13b"},
                          {"meta-llama/Llama-2-70b-hf", "llama-2-70b"},
                          {"meta-llama/Meta-Llama-3-8B", "llama-3-8b"},
                          {"meta-llama/Meta-Llama-3-70B", "llama-3-70b"},
                          {"meta-llama/Meta-Llama-3.1-8B", "llama-3-8b"},
                          {"meta-llama/Meta-Llama-3.1-70B", "llama-3-70b"},
                          {"meta-llama/Meta-Llama-3.1-405B", "llama-3-405b"},
                          {"meta-llama/Llama-3.1-8B", "llama-3-8b"},
                          {"meta-llama/Llama-3.1-70B", "llama-3-70b"},
                          {"meta-llama/Llama-3.1-405B", "llama-3-405b"},
                          {"mistralai/Mistral-7B-v0.1", "mistral-7b"},
                          {"mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b"},
                          {"mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b"},
                          {"Qwen/Qwen2.5-7B", "qwen2.5-7b"},
                          {"Qwen/Qwen2.5-72B", "qwen2.5-72b"},
                          {"Qwen/Qwen3-8B", "qwen3-8b"},
                          {"Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b"},
                          {"Qwen/Qwen3-235B-A22B", "qwen3-235b-a22b"},
                          {"Qwen/Qwen3-Next-80B-A3B-Instruct", "qwen3-next-80b-a3b"},
                          {"allenai/OLMo-2-1124-7B", "olmo-2-7b"},
                          {"allenai/OLMo-2-1124-13B", "olmo-2-13b"},
                          {"stepfun-ai/Step-3.5-Flash", "step-3.5-flash"},
                          {"deepseek-ai/deepseek-moe-16b-base", "deepseek-moe-16b"},
                          {"deepseek-ai/DeepSeek-V2", "deepseek-v2"},
                          {"deepseek-ai/DeepSeek-V2-Lite", "deepseek-v2-lite"},
                          {"deepseek-ai/DeepSeek-V3", "deepseek-v3"},
                          {"deepseek-ai/DeepSeek-V3-Base", "deepseek-v3"},
                          {"deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"},
                          {"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2"},
                          {"moonshotai/Kimi-K2-Base", "kimi-k2"},
                          {"moonshotai/Kimi-K2-Instruct", "kimi-k2"},
                          {"google/gemma-2-9b", "gemma-2-9b"},
                          {"google/gemma-2-27b", "gemma-2-27b"},
                          {"openai/gpt-oss-20b", "gpt-oss-20b"},
                          {"openai/gpt-oss-120b", "gpt-oss-120b"},
                          {"nvidia/Nemotron-H-8B-Base-8K", "nemotron-h-8b"},
                          {"zai-org/GLM-4.5", "glm-4.5"}};

}  // namespace

std::string_view model_named(std::string_view name) {
  const auto* found = std::ranges::find(names, name, &Name::theirs);
  return found == std::end(names) ? std::string_view() : found->ours;
}

}  // namespace pipewright::megatron_bridge
