// After provider_bridge of src/megatron/bridge/models/*/*_bridge.py, August 2026: how tokens are
// sent to experts, and whether shared experts run beside that.
#include "convert/megatron_bridge/bridge_fields.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::megatron_bridge {
namespace {

/// Models by how their names begin.
struct Family {
  std::string_view prefix;
  bool hides_shared = false;
};
constexpr Family families[] = {{"DeepSeek-V2", true},
                               {"DeepSeek-V3", true},
                               {"Kimi-K2", true},
                               {"Moonlight", true},
                               {"GLM-4.5", true},
                               {"GLM-4.6", true},
                               {"GLM-4.7", true},
                               {"Nemotron-H", true},
                               {"NVIDIA-Nemotron", true},
                               {"Qwen3"},
                               {"gpt-oss"},
                               {"OLMoE"},
                               {"ERNIE-4.5"},
                               {"MiniMax-M2"},
                               {"Ling-"},
                               {"Ring-"},
                               {"Step-3.5"}};

}  // namespace

std::vector<megatron::ClassField> bridge_fields(std::string_view name) {
  name.remove_prefix(name.find_last_of('/') + 1);  // npos + 1 is 0
  const auto* family = std::ranges::find_if(
      families, [&](const Family& one) { return name.starts_with(one.prefix); });
  if (family == std::end(families)) return {};
  std::vector<megatron::ClassField> fields = {{"moe_token_dispatcher_type", "alltoall"}};
  if (family->hides_shared) fields.push_back({"moe_shared_expert_overlap", "true"});
  return fields;
}

}  // namespace pipewright::megatron_bridge
