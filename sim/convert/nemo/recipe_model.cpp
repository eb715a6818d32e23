// After nemo/collections/llm/gpt/model/*.py (NeMo 2.0 to 2.5): classes whose sizes are those of a
// model in the catalogue.
#include "convert/nemo/recipe_model.hpp"

#include <fmt/format.h>

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

/// Fields of model classes, and what they are in an experiment.
struct Size {
  std::string_view field, key;
};
constexpr Size sizes_of_classes[] = {
    {"num_layers", "layers"},         {"hidden_size", "hidden"},        {"ffn_hidden_size", "ffn"},
    {"num_attention_heads", "heads"}, {"num_query_groups", "kv_heads"}, {"kv_channels", "head_dim"},
    {"vocab_size", "vocabulary"}};

}  // namespace

std::string_view model_of_class(std::string_view name) {
  const auto* found = std::find_if(std::begin(classes), std::end(classes),
                                   [&](const Class& one) { return one.name == name; });
  return found == std::end(classes) ? std::string_view() : found->model;
}

void take_sizes(job::Settings& settings, config::Value& transformer, job::Import& import) {
  const auto size_of = [&](const char* key) {
    const config::Value* value = transformer.find(key);
    return value ? config::as_int(*value, 1, INT64_C(1'000'000'000)) : 0;
  };
  // Heads of the width that others share follow it.
  if (size_of("head_dim") * size_of("heads") == size_of("hidden"))
    std::erase_if(transformer.entries, [](const auto& entry) { return entry.key == "head_dim"; });
  for (const Size& size : sizes_of_classes) {
    const std::string path = fmt::format("model.config.{}", size.field);
    const config::Value* said = settings.look(path);
    if (!said || said->is_null()) continue;
    const int64_t count = settings.integer({path}, 1);
    transformer.set(size.key, config::number(count));
    import.assumed.push_back(fmt::format("{}: {} stands over that of the class", path, count));
  }
}

}  // namespace pipewright::nemo
