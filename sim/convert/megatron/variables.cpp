// After validate_args (megatron/training/arguments.py): ranks that share layers or sequences need
// one queue of launches, so that messages start before the products beside them. Devices since
// Blackwell need none of that, and Megatron-FSDP wants more. Activations that are offloaded module
// by module need the first form of Transformer Engine's offloading.
#include "convert/megatron/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "convert/megatron/argument_lines.hpp"
#include "convert/megatron/demands.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

constexpr std::string_view queues = "CUDA_DEVICE_MAX_CONNECTIONS";
constexpr std::string_view offloading = "NVTE_CPU_OFFLOAD_V1";

/// Libraries whose variables begin so.
constexpr std::string_view libraries[] = {"NCCL_",       "RCCL_",
                                          "CUDA_",       "CUDNN_",
                                          "CUBLAS_",     "NVTE_",
                                          "TE_",         "UB_",
                                          "TORCH_",      "TORCHINDUCTOR_",
                                          "PYTORCH_",    "TRITON_",
                                          "NVSHMEM_",    "DEEP_EP_",
                                          "UCX_",        "GLOO_",
                                          "IBV_",        "FI_",
                                          "MLX5_",       "HSA_",
                                          "HIP_",        "MIOPEN_",
                                          "OMP_",        "MKL_",
                                          "KMP_",        "HF_",
                                          "TOKENIZERS_", "TRANSFORMERS_",
                                          "WANDB_",      "PYTHON",
                                          "LD_",         "GPU_MAX_HW_QUEUES"};

/// A plan, a launcher or a person has its own, and --attention-backend sets the kernels of
/// attention.
constexpr std::string_view others[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                       "NVTE_FLASH_ATTN", "NVTE_FUSED_ATTN", "NVTE_UNFUSED_ATTN"};
constexpr std::string_view secrets[] = {"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"};

bool is_name(std::string_view name) {
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool is_of_library(const std::string& name) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  return is_name(name) && std::ranges::any_of(libraries, begins) &&
         std::ranges::none_of(secrets, ends) && std::ranges::find(others, name) == std::end(others);
}

/// Returns the number of queues that validate_args asserts; nothing where any is right, and null
/// where one is wrong.
std::optional<Value> queues_of(const Experiment& e) {
  const Parallel& p = e.parallel;
  if (p.zero > 1) return Value();
  const bool shares = p.tensor > 1 || p.context > 1;
  const bool is_bound = shares && e.overlap.expert != ExpertOverlap::pairs;
  if (!is_bound || is_since_blackwell(e)) return std::nullopt;
  return config::number(1);
}

}  // namespace

bool is_portable(const job::Word& value) {
  if (value.text.empty() || value.text.find_first_of("'\"`\\\n") != std::string::npos) return false;
  const bool has_variable = value.text.find('$') != std::string::npos;
  if (!value.unknown) return !has_variable;
  return !value.unknown->name.empty() && value.text.find("$(") == std::string::npos;
}

Value variables_along(const std::map<std::string, job::Word>& variables) {
  Value along;
  for (const auto& [name, value] : variables)
    if (is_of_library(name) && is_portable(value)) along.set(name, scalar(value.text));
  return along;
}

std::string attention_backend_of(const std::map<std::string, job::Word>& variables) {
  const auto is_off = [&](const char* name) {
    const auto variable = variables.find(name);
    return variable != variables.end() && variable->second.text == "0";
  };
  const bool has_library = !is_off("NVTE_FLASH_ATTN"), has_cudnn = !is_off("NVTE_FUSED_ATTN");
  if (has_library && has_cudnn) return {};
  return has_library ? "flash" : has_cudnn ? "fused" : "unfused";
}

Value variables_of(const Experiment& e, const Value& along) {
  const Value* said = along.find(variables_key);
  Value variables = said && said->is_map() ? *said : Value();
  std::erase_if(variables.entries, [](const config::Entry& one) { return !is_name(one.key); });
  const std::optional<Value> count = queues_of(e);
  const Value* own = variables.find(queues);
  const bool may_stay = count && count->is_null() && own && own->text != "1";
  if (count && !may_stay) variables.set(queues, *count);
  if (e.offload.inputs.any()) variables.set(offloading, config::number(1));
  return variables;
}

std::string variable_lines(const Value& variables) {
  std::string text;
  for (const config::Entry& entry : variables.entries) {
    const std::string& value = entry.value.text;
    const bool is_plain = value.find_first_of(" \t") == std::string::npos;
    if (entry.value.is_null())
      text += fmt::format("unset {}\n", entry.key);
    else
      text +=
          fmt::format("export {}={}\n", entry.key, is_plain ? in_bash(value) : '"' + value + '"');
  }
  return text;
}

}  // namespace pipewright::megatron
