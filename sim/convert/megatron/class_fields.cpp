// After src/megatron/bridge/models/*/*_provider.py and nemo/collections/llm/gpt/model/*.py (2025).
#include "convert/megatron/class_fields.hpp"

#include <algorithm>

namespace pipewright::megatron {
namespace {

constexpr std::string_view mixtures[] = {"DeepSeek", "Moonlight", "Llama4",
                                         "Mixtral",  "Qwen3",     "GPTOSS"};
/// Their shared experts run beside the tokens' exchange.
constexpr std::string_view hiding[] = {"DeepSeek", "Moonlight", "Llama4"};
/// They predict further tokens only where a recipe asks for it.
constexpr std::string_view predicting[] = {"DeepSeek", "Moonlight"};

template <size_t n>
bool begins_with_one(const std::string_view (&families)[n], std::string_view name) {
  return std::ranges::any_of(families,
                             [&](std::string_view family) { return name.starts_with(family); });
}

}  // namespace

std::vector<ClassField> class_fields(std::string_view name) {
  std::vector<ClassField> fields;
  if (begins_with_one(mixtures, name)) fields.push_back({"moe_token_dispatcher_type", "alltoall"});
  if (begins_with_one(hiding, name)) fields.push_back({"moe_shared_expert_overlap", "true"});
  if (begins_with_one(predicting, name)) fields.push_back({"mtp_num_layers", "0"});
  return fields;
}

}  // namespace pipewright::megatron
